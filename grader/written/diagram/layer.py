"""One layer of the Transformer (section 3.1) as a graph: boxes, residuals, norms, masks, memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from grader.written.diagram.mermaid import Graph

_KINDS = {
    "cross": r"cross|kreuz|enc(?:oder)?[- ]?dec(?:oder)?[- ]?(?:att|aufm)|source att|memory att",
    "masked": r"mask\w*.*att|causal.*att|att\w*.*(?:mask|causal)",
    "attention": r"attention|\bmha\b|\battn\b|\bmhsa\b|aufmerksamkeit",
    "ffn": r"feed[- ]?forward|\bffn\b|\bmlp\b|\bff\b|fully connected|vorwärts",
    "add": r"\badd\b|\baddier|\bsumm|\+|⊕|residual|\bskip\b|\bsum\b|addition",
    "norm": r"norm\b|normali[sz]|\bln\b|layernorm",
    "position": r"position|\bpe\b|\bpos\b|sinusoid",
    "embedding": r"embed|\bemb\b|einbett|token|input|eingabe|\bwort|wörter|words?\b|\bx\b|source|target"
    r"|outputs? \(shifted",
    "memory": r"encoder out|encoder[- ]?ausgabe|memory|encoder stack|encoder states?|from (?:the )?encoder|\bencoder\b"
    r"|\bz\b",
    "mask": r"mask",
    "softmax": r"soft\s?max",
    "dropout": r"dropout",
    "output": r"output|ausgabe|next layer|\bout\b|\by\b|softmax|linear|logits|result",
    "projection": r"\b[qkv]\b|quer|key|value|project|split|concat|w_|scale|matmul|dot",
}
_THINGS = (
    frozenset({"self-attention", "cross-attention", "feed-forward", "order"}),
    frozenset({"norm"}),
    frozenset({"embeddings", "positions"}),
    frozenset({"mask place", "masked"}),
    frozenset({"memory"}),
)
"""Findings that are one thing to whoever gives the points; the residuals stand apart."""
_LEAVING = frozenset({"output"})
_INNER = frozenset({"attention", "ffn"})
_ELSEWHERE = re.compile(
    r"(?:\bto\b|\binto\b|\bfor\b|→|>|\bnext\b|\bzum\b|\bzur\b|\bfür\b|\ban\b).*(?:decoder|cross|kreuz)"
)
"""What says where an output goes, and is no part of the layer."""
_SUBLAYERS = frozenset({"self-attention", "cross-attention", "feed-forward"})
_RESIDUALS = 2
"""Shares that the residuals are worth."""


class Finding(NamedTuple):
    """One property of the layer: whether it holds, and a sentence for where it does not."""

    name: str
    holds: bool
    message: str = ""


class Layer(NamedTuple):
    """What was found in a diagram. ``unsure`` says why a person should decide after all; empty where none need."""

    findings: tuple[Finding, ...]
    decoder: bool
    unsure: str = ""

    def shares(self) -> tuple[int, int]:
        """Return how many shares the diagram earns, and of how many.

        Each thing that the hand-out names is a share, lost where it does not hold throughout: the boxes in their
        order, the norms, what goes in, the mask, and in a decoder the encoder's output. The residuals are two: one
        missing costs one, more cost both, and so does a sublayer that is not drawn.
        """
        lost = {finding.name for finding in self.findings if not finding.holds}
        things = [names for names in _THINGS if any(f.name in names for f in self.findings)]
        earned = sum(names.isdisjoint(lost) for names in things)
        missing = sum(not f.holds for f in self.findings if f.name == "residual") + len(lost & _SUBLAYERS)
        return earned + max(0, _RESIDUALS - missing), len(things) + _RESIDUALS


def kinds_of(label: str) -> frozenset[str]:
    """Return what a label may stand for."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|_|(?<=[A-Za-z])(?=\d)", " ", label)  # AddNorm1, pos_enc
    text = f"{label} · {apart}".lower() if apart != label else label.lower()
    found = {kind for kind, pattern in _KINDS.items() if re.search(pattern, text)}
    if "cross" in found or "masked" in found:
        found.add("attention")
    if found & _INNER:
        found -= {"memory", "embedding", "output", "projection", "mask", "position"}
    return frozenset(found)


def examine(graph: Graph) -> Layer:
    """Judge a diagram as an encoder or a decoder layer; a decoder is one that has cross-attention or says so."""
    return _Drawn(graph).layer()


class _Drawn:
    """A graph with what its boxes stand for. ``sublayers`` are ``own`` attention, ``cross`` attention and networks."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds = {
            name: _LEAVING if not graph.after(name) and _ELSEWHERE.search(label.lower()) else kinds_of(label)
            for name, label in graph.labels.items()
        }
        attention = self.of("attention")
        self.cross = [name for name in attention if "cross" in self.kinds[name]]
        self.own = [name for name in attention if name not in self.cross]
        self.networks = self.of("ffn")
        self.sublayers = [*self.own, *self.cross, *self.networks]

    def of(self, kind: str) -> list[str]:
        return [name for name, found in self.kinds.items() if kind in found]

    def layer(self) -> Layer:
        decoder = bool(self.cross) or self.says_decoder()
        if not self.sublayers:
            return Layer((), decoder=False, unsure="no attention and no feed-forward network is recognised")
        if not self.own and (self.of("softmax") or self.of("projection")):
            return Layer((), decoder=decoder, unsure="attention is drawn in its parts")
        order = bool(self.own and self.networks) and set(self.networks) <= self.graph.reached(self.own)
        both = "The feed-forward network does not come after attention." if self.own and self.networks else ""
        norms = [self.norm(name) for name in self.sublayers]
        findings = (
            Finding("self-attention", bool(self.own), "There is no self-attention."),
            Finding("feed-forward", bool(self.networks), "There is no feed-forward network."),
            *(self.residual(name) for name in self.sublayers),
            *norms,
            Finding("order", order, both),
            *self.inputs(),
            *self.masks(decoder=decoder),
            *(self.memory() if decoder else ()),
        )
        return Layer(findings, decoder, self.unsure(findings, norms))

    def unsure(self, findings: Iterable[Finding], norms: Iterable[Finding]) -> str:
        unknown = [self.graph.labels[name] for name, found in self.kinds.items() if not found]
        before = {name for sublayer in self.sublayers for name in self.graph.before(sublayer)}
        pre_norm = any("norm" in self.kinds[name] and "add" not in self.kinds[name] for name in before)
        if pre_norm and not all(norm.holds for norm in norms):
            return "the norms stand before the sublayers (pre-norm), where the paper has them after"
        steps = [name for name in self.of("softmax") if self.graph.after(name) and not self.kinds[name] & _INNER]
        if steps and not all(finding.holds for finding in findings):  # a softmax that something follows
            return "attention is drawn in its parts"
        if len(unknown) > max(2, len(self.kinds) // 3):
            return f"many boxes are not recognised: {', '.join(unknown[:4])}"
        return ""

    def says_decoder(self) -> bool:
        """Say whether boxes without cross-attention are a decoder: by name, or by a second, causal self-attention."""
        said = {name: self.graph.labels[name].lower() for name, found in self.kinds.items() if found is not _LEAVING}
        named = any("decoder" in label and not _ELSEWHERE.search(label) for label in said.values())
        causal = any(
            "masked" in self.kinds[name] and not re.search(r"\bpad|source|src", said[name]) for name in self.own
        )
        return named or (len(self.own) > 1 and causal)

    def residual(self, sublayer: str) -> Finding:
        """Say whether the input of a sublayer also enters the Add that follows it."""
        label = self.graph.labels[sublayer]
        add = self.first_after(sublayer, "add")
        if not add:
            return Finding("residual", holds=False, message=f"No Add follows {label}.")
        sources, through = self.inputs_of(sublayer), self.graph.reached([sublayer])
        starts = {name for name in self.graph.before(add) if name != sublayer and name not in through}
        around = any(start in sources or set(self.graph.before(start)) & sources for start in starts)
        told = f"The input of {label} does not go around it into {self.graph.labels[add]}."
        return Finding("residual", around, told)

    def inputs_of(self, sublayer: str) -> set[str]:
        """Return the boxes that a residual may start from: what comes in, and what that was made from."""

        def made_from(name: str) -> bool:
            kinds = self.kinds[name]
            return bool(kinds & {"projection", "norm", "dropout"}) and not kinds & (_INNER | {"add"})

        return {*self.graph.walk([sublayer], made_from, backwards=True)}

    def first_after(self, start: str, kind: str) -> str:
        """Return the nearest box of a kind that follows, without a sublayer between; empty where there is none."""
        following = self.graph.walk([start], lambda name: not self.kinds[name] & _INNER)
        return next((name for name in following if kind in self.kinds[name] and not self.kinds[name] & _INNER), "")

    def norm(self, sublayer: str) -> Finding:
        found, add = self.first_after(sublayer, "norm"), self.first_after(sublayer, "add")
        holds = bool(found) and (not add or found == add or found in self.graph.reached([add]))
        return Finding("norm", holds, f"No layer norm follows {self.graph.labels[sublayer]} and its residual.")

    def inputs(self) -> Iterator[Finding]:
        """Token embeddings and positions have to come in."""
        coming = self.graph.reached(self.own, backwards=True)
        into = [kinds_of(arrow.label) for arrow in self.graph.arrows if arrow.end in coming or arrow.end in self.own]
        words = frozenset().union(*(self.kinds[name] for name in coming), *into)
        yield Finding("embeddings", "embedding" in words, "Token embeddings do not go in.")
        yield Finding("positions", "position" in words, "Positions do not go in.")

    def masks(self, *, decoder: bool) -> Iterator[Finding]:
        """A mask acts on attention; in a decoder the self-attention has one."""
        said = {name for name, label in self.graph.labels.items() if "mask" in label.lower()}
        marked = {name for name in said if self.kinds[name] & _INNER}
        marked = marked.union(*(self.graph.after(name) or self.graph.before(name) for name in said - marked))
        marked |= {arrow.end for arrow in self.graph.arrows if "mask" in arrow.label.lower()}
        wrong = [self.graph.labels[name] for name in marked if name in self.networks]
        told = f"The mask is drawn at {', '.join(wrong)}; it acts on attention scores."
        yield Finding("mask place", not wrong, told)
        if decoder:
            held = any(name in marked or "masked" in self.kinds[name] for name in self.own)
            yield Finding("masked", held, "The decoder's self-attention has no mask.")
        else:
            yield Finding(
                "masked", not marked.isdisjoint(self.of("attention")), "It is not marked where a mask is used."
            )

    def memory(self) -> Iterator[Finding]:
        """The encoder's output goes into cross-attention."""
        boxes = [name for name in self.of("memory") if not self.kinds[name] & _INNER]
        named = any(re.search(r"encoder|memory", a.label.lower()) for a in self.graph.arrows if a.end in self.cross)
        fed = named or not self.graph.reached(self.cross, backwards=True, without=self.own).isdisjoint(boxes)
        yield Finding("cross-attention", bool(self.cross), "There is no cross-attention.")
        told = "The encoder's output does not go into cross-attention." if self.cross else ""
        yield Finding("memory", fed, told)
