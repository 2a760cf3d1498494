"""One layer of the Transformer (section 3.1) as a graph: boxes, residuals, norms, masks, memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.written.diagram.graph import Graph

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
_ELSEWHERE = re.compile(
    r"(?:\bto\b|\binto\b|\bfor\b|→|>|\bnext\b|\bzum\b|\bzur\b|\bfür\b|\ban\b).*(?:decoder|cross|kreuz)"
)
"""What says where an output goes, and is no part of the layer."""
_SUBLAYERS = frozenset({"self-attention", "cross-attention", "feed-forward"})
_RESIDUALS = 2
"""Shares that the residuals are worth."""
_FURTHEST = 6
"""Boxes between a sublayer and what its residual starts from: projections, splits, a norm."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of the layer: whether it holds, and a sentence for where it does not."""

    name: str
    holds: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
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
    if found & {"attention", "ffn"}:
        found -= {"memory", "embedding", "output", "projection", "mask", "position"}
    return frozenset(found)


def examine(graph: Graph) -> Layer:
    """Judge a diagram as an encoder or a decoder layer; a decoder is one that has cross-attention or says so."""
    kinds = {name: _LEAVING if _leaves(graph, name) else kinds_of(label) for name, label in graph.labels.items()}
    attention = [name for name, found in kinds.items() if "attention" in found]
    feed_forward = [name for name, found in kinds.items() if "ffn" in found]
    unknown = [graph.labels[name] for name, found in kinds.items() if not found]
    if not attention and not feed_forward:
        return Layer((), decoder=False, unsure="no attention and no feed-forward network is recognised")
    cross = [name for name in attention if "cross" in kinds[name]]
    own = [name for name in attention if name not in cross]
    memory = [name for name, found in kinds.items() if "memory" in found and not found & {"attention", "ffn"}]
    decoder = bool(cross) or _says_decoder(graph, kinds, own)
    if not own and any({"softmax", "projection"} & found for found in kinds.values()):
        return Layer((), decoder=decoder, unsure="attention is drawn in its parts")
    findings = [
        Finding("self-attention", bool(own), "There is no self-attention."),
        Finding("feed-forward", bool(feed_forward), "There is no feed-forward network."),
    ]
    findings += [_residual(graph, kinds, name) for name in (*own, *cross, *feed_forward)]
    norms = [_norm(graph, kinds, name) for name in (*own, *cross, *feed_forward)]
    findings += norms
    order = bool(own and feed_forward) and set(feed_forward) <= graph.reached(own)
    both = "The feed-forward network does not come after attention." if own and feed_forward else ""
    findings.append(Finding("order", order, both))
    findings += _inputs(graph, kinds, own)
    findings += _masks(graph, kinds, own, feed_forward, decoder=decoder)
    if decoder:
        findings += _cross(graph, cross, memory, own)
    before = [name for name in (*own, *cross, *feed_forward) if _norm_before(graph, kinds, name)]
    unsure = ""
    if before and not all(finding.holds for finding in norms):
        unsure = "the norms stand before the sublayers (pre-norm), where the paper has them after"
    elif not all(finding.holds for finding in findings) and _in_parts(graph, kinds, own):
        unsure = "attention is drawn in its parts"
    elif len(unknown) > max(2, len(graph.labels) // 3):
        unsure = f"many boxes are not recognised: {', '.join(unknown[:4])}"
    return Layer(tuple(findings), decoder, unsure)


def _leaves(graph: Graph, name: str) -> bool:
    """Whether a box only says where the layer's output goes: “to the decoder's cross-attention”."""
    return not graph.after(name) and _ELSEWHERE.search(graph.labels[name].lower()) is not None


def _says_decoder(graph: Graph, kinds: dict[str, frozenset[str]], own: list[str]) -> bool:
    """Whether boxes without cross-attention are a decoder after all: by name, or by a second, causal self-attention."""
    named = any(
        "decoder" in label.lower() and not _ELSEWHERE.search(label.lower())
        for name, label in graph.labels.items()
        if kinds[name] is not _LEAVING
    )
    causal = any(
        "masked" in kinds[name] and not re.search(r"\bpad|source|src", graph.labels[name].lower()) for name in own
    )
    return named or (len(own) > 1 and causal)


def _in_parts(graph: Graph, kinds: dict[str, frozenset[str]], own: list[str]) -> bool:
    """Whether a softmax stands inside the layer: then the boxes of attention are its steps."""
    before = graph.reached(own, backwards=True)
    inner = {"add", "norm", "ffn"}
    return any(
        "softmax" in found
        and not found & {"attention", "ffn"}
        and (name in before or any(kinds[other] & inner for other in graph.reached([name])))
        for name, found in kinds.items()
    )


def _residual(graph: Graph, kinds: dict[str, frozenset[str]], sublayer: str) -> Finding:
    """Whether the input of a sublayer also enters the Add that follows it."""
    label = graph.labels[sublayer]
    add = _first_after(graph, kinds, sublayer, "add")
    if not add:
        return Finding("residual", holds=False, message=f"No Add follows {label}.")
    others = [name for name in graph.before(add) if name != sublayer]
    through = graph.reached([sublayer])
    sources = _inputs_of(graph, kinds, sublayer)
    starts = {start for start in others if start not in through}
    around = {start for start in starts if start in sources or set(graph.before(start)) & sources}
    holds = bool(around)
    return Finding("residual", holds, f"The input of {label} does not go around it into {graph.labels[add]}.")


def _inputs_of(graph: Graph, kinds: dict[str, frozenset[str]], sublayer: str) -> set[str]:
    """Return the boxes that a residual around a sublayer may start from: what comes in, and what that was made from."""
    found: set[str] = set()
    waiting = [(name, 0) for name in graph.before(sublayer)]
    while waiting:
        name, depth = waiting.pop()
        if name in found or depth > _FURTHEST:
            continue
        found.add(name)
        passes = kinds[name] & {"projection", "norm", "dropout"} and not kinds[name] & {"add", "attention", "ffn"}
        if passes:
            waiting += [(before, depth + 1) for before in graph.before(name)]
    return found


def _first_after(graph: Graph, kinds: dict[str, frozenset[str]], start: str, kind: str) -> str:
    """Return the nearest box of a kind that follows, without another sublayer between; empty where there is none."""
    seen, waiting = {start}, list(graph.after(start))
    while waiting:
        name = waiting.pop(0)
        if name in seen or kinds[name] & {"attention", "ffn"}:
            continue
        seen.add(name)
        if kind in kinds[name]:
            return name
        waiting += graph.after(name)
    return ""


def _norm(graph: Graph, kinds: dict[str, frozenset[str]], sublayer: str) -> Finding:
    found = _first_after(graph, kinds, sublayer, "norm")
    add = _first_after(graph, kinds, sublayer, "add")
    holds = bool(found) and (not add or found == add or found in graph.reached([add]))
    return Finding("norm", holds, f"No layer norm follows {graph.labels[sublayer]} and its residual.")


def _norm_before(graph: Graph, kinds: dict[str, frozenset[str]], sublayer: str) -> bool:
    return any("norm" in kinds[name] and "add" not in kinds[name] for name in graph.before(sublayer))


def _inputs(graph: Graph, kinds: dict[str, frozenset[str]], own: list[str]) -> list[Finding]:
    """Token embeddings and positions have to come in, and something has to come out."""
    coming = graph.reached(own, backwards=True)
    words = {kind for name in coming for kind in kinds[name]}
    for arrow in graph.arrows:
        if arrow.end in coming or arrow.end in own:
            words |= kinds_of(arrow.label) & {"position", "embedding"}
    return [
        Finding("embeddings", "embedding" in words, "Token embeddings do not go in."),
        Finding("positions", "position" in words, "Positions do not go in."),
    ]


def _masks(
    graph: Graph, kinds: dict[str, frozenset[str]], own: list[str], feed_forward: list[str], *, decoder: bool
) -> list[Finding]:
    """A mask acts on attention; in a decoder the self-attention has one."""
    at: set[str] = {name for name, label in graph.labels.items() if "mask" in label.lower()}
    marked = {name for name in at if kinds[name] & {"attention", "ffn"}}
    for name in at - marked:
        marked |= set(graph.after(name)) or set(graph.before(name))
    marked |= {arrow.end for arrow in graph.arrows if "mask" in arrow.label.lower()}
    wrong = [graph.labels[name] for name in marked if name in feed_forward]
    found = [Finding("mask place", not wrong, f"The mask is drawn at {', '.join(wrong)}; it acts on attention scores.")]
    if decoder:
        held = any(name in marked or "masked" in kinds[name] for name in own)
        found.append(Finding("masked", held, "The decoder's self-attention has no mask."))
    else:
        held = any("attention" in kinds.get(name, frozenset()) for name in marked)
        found.append(Finding("masked", held, "It is not marked where a mask is used."))
    return found


def _cross(graph: Graph, cross: list[str], memory: list[str], own: list[str]) -> list[Finding]:
    named = any(re.search(r"encoder|memory", a.label.lower()) for a in graph.arrows if a.end in cross)
    fed = named or any(name in graph.reached(cross, backwards=True, without=own) for name in memory)
    return [
        Finding("cross-attention", bool(cross), "There is no cross-attention."),
        Finding("memory", fed, "The encoder's output does not go into cross-attention." if cross else ""),
    ]
