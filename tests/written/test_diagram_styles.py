"""One layer drawn in many styles, as Mermaid: right ones never fail, wrong ones never pass."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from itertools import pairwise, product

import pytest

from grader.model.outcome import Verdict
from grader.written.diagram.found import judge_diagram
from grader.written.paper import Block, Paper

Edge = tuple[str, str, str]
Drawing = tuple[Mapping[str, str], tuple[Edge, ...]]


def drawing(labels: str, edges: str) -> Drawing:
    """Boxes as ``name: label`` a line, arrows as ``a > b > c`` or ``a > b : label``."""
    boxes = dict(line.strip().split(": ", 1) for line in labels.strip().splitlines())
    arrows: list[Edge] = []
    for line in edges.strip().splitlines():
        chain, _, label = line.partition(" : ")
        names = [name.strip() for name in chain.split(">")]
        arrows += [(a, b, label.strip()) for a, b in pairwise(names)]
    return boxes, tuple(arrows)


ENCODERS = {
    "combined": drawing(
        """
        tok: Token embeddings
        pos: Positional encoding
        sum: +
        att: Multi-Head Self-Attention
        n1: Add & Norm
        ff: Feed Forward
        n2: Add & Norm
        mask: Padding mask
        out: Output (same length)
        """,
        """
        tok > sum > att > n1 > ff > n2 > out
        pos > sum
        sum > n1
        n1 > n2
        mask > att
        """,
    ),
    "apart": drawing(
        """
        x: Input embeddings + positions
        mha: MHA (padding mask on the scores)
        add1: ⊕
        ln1: LayerNorm
        ffn: Position-wise FFN
        add2: ⊕
        ln2: LayerNorm
        y: to the next layer
        """,
        """
        x > mha > add1 > ln1 > ffn > add2 > ln2 > y
        x > add1 : residual
        ln1 > add2 : residual
        """,
    ),
    "projections": drawing(
        """
        e: Word embedding
        p: Sinusoidal positions
        s: Sum
        q: Q = X W_Q
        k: K = X W_K
        v: V = X W_V
        a: Scaled dot-product attention
        m: Mask
        c: Concat and W_O
        r1: Add (skip connection)
        l1: Layer normalisation
        f: Feed-forward network
        r2: Add (skip connection)
        l2: Layer normalisation
        """,
        """
        e > s
        p > s
        s > q > a
        s > k > a
        s > v > a
        m > a
        a > c > r1 > l1 > f > r2 > l2
        s > r1
        l1 > r2
        """,
    ),
    "dropout": drawing(
        """
        in: Tokens and positional encoding
        sa: Self-Attention
        d1: Dropout
        an1: Residual + LayerNorm
        ff: MLP (ReLU)
        d2: Dropout
        an2: Residual + LayerNorm
        """,
        """
        in > sa > d1 > an1 > ff > d2 > an2
        in > an1
        an1 > an2
        sa > sa : padding mask
        """,
    ),
    "in words": drawing(
        """
        emb: Embedding plus position
        attention: Self-attention with mask
        plus1: Add residual
        norm1: Normalize
        network: Feed forward (2 linear layers)
        plus2: Add residual
        norm2: Normalize
        """,
        """
        emb > attention > plus1 > norm1 > network > plus2 > norm2
        emb > plus1 : skip
        norm1 > plus2 : skip
        """,
    ),
}
DECODERS = {
    "combined": drawing(
        """
        y: Target embeddings
        pe: Positional encoding
        s: +
        msa: Masked Multi-Head Self-Attention
        n1: Add & Norm
        ca: Cross-Attention
        enc: Encoder output
        n2: Add & Norm
        ff: Feed Forward
        n3: Add & Norm
        o: Linear and softmax
        """,
        """
        y > s > msa > n1 > ca > n2 > ff > n3 > o
        pe > s
        s > n1
        n1 > n2
        n2 > n3
        enc > ca : K, V
        """,
    ),
    "apart": drawing(
        """
        t: Outputs (shifted right) + positions
        sa: Self-attention
        cm: Causal mask
        a1: Add
        l1: LayerNorm
        ed: Encoder-decoder attention
        mem: Memory
        a2: Add
        l2: LayerNorm
        f: FFN
        a3: Add
        l3: LayerNorm
        """,
        """
        t > sa > a1 > l1 > ed > a2 > l2 > f > a3 > l3
        cm > sa
        t > a1
        l1 > a2
        l2 > a3
        mem > ed
        """,
    ),
}
RIGHT = {**{f"encoder {n}": d for n, d in ENCODERS.items()}, **{f"decoder {n}": d for n, d in DECODERS.items()}}


def without(base: Drawing, start: str, end: str) -> Drawing:
    return base[0], tuple(edge for edge in base[1] if edge[:2] != (start, end))


def instead(base: Drawing, old: tuple[str, str], *new: tuple[str, str]) -> Drawing:
    kept = without(base, *old)
    return kept[0], (*kept[1], *((a, b, "") for a, b in new))


def named(base: Drawing, **labels: str) -> Drawing:
    return {**base[0], **labels}, base[1]


E, A, D, DA = ENCODERS["combined"], ENCODERS["apart"], DECODERS["combined"], DECODERS["apart"]
PRE_NORM = drawing(
    """
    x: Embeddings and positions
    l1: LayerNorm
    a: Self-attention (masked scores)
    p1: Add
    l2: LayerNorm
    f: FFN
    p2: Add
    """,
    """
    x > l1 > a > p1 > l2 > f > p2
    x > p1
    p1 > p2
    """,
)
WRONG = {
    "first residual missing": without(E, "sum", "n1"),
    "second residual missing": without(E, "n1", "n2"),
    "residual of the FFN from too early": instead(E, ("n1", "n2"), ("sum", "n2")),
    "residual missing (apart)": without(A, "x", "add1"),
    "norm before the sublayers": PRE_NORM,
    "no norm": named(E, n1="Add", n2="Add"),
    "norm only once": named(E, n2="Add"),
    "mask at the FFN": instead(E, ("mask", "att"), ("mask", "ff")),
    "no mask": (
        {k: v for k, v in E[0].items() if k != "mask"},
        tuple(edge for edge in E[1] if edge[0] != "mask"),
    ),
    "no positions": (
        {k: v for k, v in E[0].items() if k != "pos"},
        tuple(edge for edge in E[1] if edge[0] != "pos"),
    ),
    "no FFN": drawing("a: Embeddings and positions\nb: Masked self-attention\nc: Add & Norm", "a > b > c\na > c"),
    "FFN before attention": drawing(
        "x: Embeddings and positions\nf: FFN\nn1: Add & Norm\na: Self-attention\nm: Mask\nn2: Add & Norm",
        "x > f > n1 > a > n2\nx > n1\nn1 > n2\nm > a",
    ),
    "memory missing": without(D, "enc", "ca"),
    "memory into self-attention": instead(D, ("enc", "ca"), ("enc", "msa")),
    "memory into the FFN": instead(D, ("enc", "ca"), ("enc", "ff")),
    "decoder without mask": named(D, msa="Multi-Head Self-Attention"),
    "causal mask at cross-attention": instead(DA, ("cm", "sa"), ("cm", "ed")),
    "decoder residual missing": without(D, "n1", "n2"),
    "cross-attention missing": drawing(
        "y: Target embeddings with positions\na: Masked self-attention\nn: Add & Norm\nf: FFN\nm: Add & Norm"
        "\ne: Encoder output\nd: Decoder output",
        "y > a > n > f > m > d\ny > n\nn > m\ne > f",
    ),
}


# ------------------------------------------------------------------------------------------------------- the styles


def mermaid_plain(d: Drawing) -> str:
    boxes = "\n".join(f'    {name}["{label}"]' for name, label in d[0].items())
    arrows = "\n".join(f"    {a} -->{f'|{label}|' if label else ''} {b}" for a, b, label in d[1])
    return f"flowchart TD\n{boxes}\n{arrows}\n"


def mermaid_inline(d: Drawing) -> str:
    def box(name: str) -> str:
        return f'{name}("{d[0][name]}")'

    return "graph LR;\n" + "\n".join(
        f"{box(a)}{f' -- {label} ' if label else ' '}--> {box(b)};" for a, b, label in d[1]
    )


def mermaid_styled(d: Drawing) -> str:
    boxes = "\n".join(f'  {name}(["{label}"]):::box' for name, label in d[0].items())
    arrows = "\n".join(f"  {a} ==>{f'|{chr(34)}{label}{chr(34)}|' if label else ''} {b}" for a, b, label in d[1])
    return (
        f"%% one layer\nflowchart BT\n  classDef box fill:#eee,stroke:#333\n  subgraph layer [One layer]\n"
        f"  direction BT\n{boxes}\n  end\n{arrows}\n  style {next(iter(d[0]))} fill:#bbf\n"
    )


def mermaid_dotted(d: Drawing) -> str:
    boxes = "\n".join(f'{name}[["{label}"]]' for name, label in d[0].items())
    arrows = "\n".join(f"{a} -.->{f'|{label}|' if label else ''} {b}" for a, b, label in d[1])
    return f"---\ntitle: My layer\n---\nflowchart TB\n\n{boxes}\n\n{arrows}\n"


def mermaid_joined(d: Drawing) -> str:
    boxes = "\n".join(f'  {name}["{html.escape(label)}"]' for name, label in d[0].items())
    lines = []
    for end in d[0]:
        starts = [a for a, b, label in d[1] if b == end and not label]
        lines += [f"  {' & '.join(starts)} --> {end}"] if starts else []
    lines += [f"  {a} -->|{label}| {b}" for a, b, label in d[1] if label]
    return f"flowchart TD\n{boxes}\n" + "\n".join(lines) + "\n"


STYLES: Mapping[str, tuple[str, Callable[[Drawing], str]]] = {
    "mermaid plain": ("mermaid", mermaid_plain),
    "mermaid inline": ("mermaid", mermaid_inline),
    "mermaid styled": ("mermaid", mermaid_styled),
    "mermaid dotted": ("mermaid", mermaid_dotted),
    "mermaid joined": ("mermaid", mermaid_joined),
}


def judged(style: str, what: Drawing) -> tuple[Verdict, str]:
    form, draw = STYLES[style]
    found, _ = judge_diagram(Paper(None, drawings=(Block("diagram", draw(what), form),)))
    return found.verdict, found.message


@pytest.mark.parametrize(("style", "name"), list(product(STYLES, RIGHT)))
def test_a_right_layer_passes_in_every_style(style: str, name: str) -> None:
    assert judged(style, RIGHT[name]) == (Verdict.PASSED, "")


@pytest.mark.parametrize(("style", "name"), list(product(STYLES, WRONG)))
def test_a_wrong_layer_never_passes(style: str, name: str) -> None:
    verdict, message = judged(style, WRONG[name])
    expected = Verdict.UNDETERMINED if name == "norm before the sublayers" else Verdict.FAILED
    assert (verdict, bool(message)) == (expected, True)
