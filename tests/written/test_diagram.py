"""Diagrams of a layer: right ones pass however they are drawn, each missing thing is named."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.written.diagram import mermaid
from grader.written.diagram.layer import examine
from grader.written.diagram.mermaid import Graph, UnreadableDiagramError

ENCODER = """flowchart TD
  tok[Token embeddings] --> sum((+))
  pos[Positional encoding] --> sum
  sum --> mha["Multi-head self-attention<br/>(padding mask)"]
  mha --> an1[Add & Norm]
  sum -->|residual| an1
  an1 --> ffn[Feed-forward]
  ffn --> an2[Add & Norm]
  an1 -- skip --> an2
  an2 --> out[Output, same length]
  style out fill:#fff
"""
CHAIN = """graph LR
%% drawn as one chain
A[Input x] --> P[Positional encoding added] --> B[Self-Attention with mask] --> C((+)); P --> C
C --> D[LayerNorm] --> E{{FFN}} --> F((+)) --> G[LayerNorm] --> H[Output]
D -.-> F
"""
DECODER = """flowchart TB
 emb[Output embedding] & pe[Positional Encoding] --> x((+)) --> m["Masked Multi-Head<br>Self-Attention"]
 m --> a1[Add & LayerNorm]
 x -.-> a1
 a1 --> c[Cross-Attention]
 enc["Encoder output (memory)"] -->|K, V| c
 c --> a2[Add & Norm]
 a1 --> a2
 a2 --> f[FFN] --> a3[Add & Norm]
 a2 --> a3
 a3 --> o[output]
"""


def wrong(graph: Graph) -> list[str]:
    return [finding.name for finding in examine(graph).findings if not finding.holds]


@pytest.mark.parametrize("graph", [mermaid.read(ENCODER), mermaid.read(CHAIN), mermaid.read(DECODER)])
def test_a_right_diagram_lacks_nothing(graph: Graph) -> None:
    layer = examine(graph)
    assert (wrong(graph), layer.unsure) == ([], "")


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("  sum -->|residual| an1\n", "", ["residual"]),
        ("  an1 -- skip --> an2\n", "  sum -- skip --> an2\n", ["residual"]),
        ("(padding mask)", "", ["masked"]),
        ("ffn[Feed-forward]", "ffn[Feed-forward with mask]", ["mask place"]),
        ("  pos[Positional encoding] --> sum\n", "", ["positions"]),
        ("ffn --> an2[Add & Norm]", "ffn --> an2[Add]", ["norm"]),
        ("ffn[Feed-forward]", "ffn[Dropout]", ["feed-forward", "order"]),
    ],
)
def test_what_an_encoder_lacks_is_named(old: str, new: str, missing: list[str]) -> None:
    assert old in ENCODER
    assert wrong(mermaid.read(ENCODER.replace(old, new))) == missing


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ('enc["Encoder output (memory)"] -->|K, V| c\n', "", ["memory"]),
        ("Masked Multi-Head", "Multi-Head", ["masked"]),
        (" a2 --> a3\n", "", ["residual"]),
        ("c[Cross-Attention]", "c[Self-Attention]", ["cross-attention", "memory"]),
    ],
)
def test_what_a_decoder_lacks_is_named(old: str, new: str, missing: list[str]) -> None:
    assert old in DECODER
    assert wrong(mermaid.read(DECODER.replace(old, new))) == missing


def test_pre_norm_goes_to_a_person() -> None:
    layer = examine(
        mermaid.read("""graph LR
A[Embedding + position] --> N1[LayerNorm] --> B[Self-Attention with mask] --> C[Add]
A --> C
C --> N2[LayerNorm] --> E[FFN] --> F[Add]
C --> F""")
    )
    assert "pre-norm" in layer.unsure


@settings(max_examples=100)
@given(st.text(alphabet='AB[](){}->|&;"=<>\n .:,#%', max_size=120))
def test_no_text_makes_a_reader_raise_anything_else(text: str) -> None:
    with contextlib.suppress(UnreadableDiagramError):
        examine(mermaid.read(f"graph TD\n{text}"))


OUT = "an2 --> out[Output, same length]"


@pytest.mark.parametrize(
    "label",
    [
        "Output to the decoder",
        "To the decoder's cross-attention",
        "Encoder output (K, V for the decoder)",
        "into cross-attention of the decoder",
        "an den Decoder",
    ],
)
def test_an_encoder_may_say_where_its_output_goes(label: str) -> None:
    layer = examine(mermaid.read(ENCODER.replace(OUT, f"an2 --> out[{label}]")))
    assert ([f.name for f in layer.findings if not f.holds], layer.decoder) == ([], False)


def test_two_encoder_layers_are_no_decoder() -> None:
    second = (
        "  an2 --> b[Self-attention] --> an3[Add & Norm]\n  an2 --> an3 --> g[FFN] --> an4[Add & Norm]\n  an3 --> an4\n"
    )
    layer = examine(mermaid.read(ENCODER + second))
    assert ([f.name for f in layer.findings if not f.holds], layer.decoder) == ([], False)


PARTS = """graph TD
 x[Embeddings + positions] --> q[Q] & k[K] & v[V]
 q & k --> s[Scores over the root of d_k] --> m[Mask] --> sm[Softmax] --> w[Weighted sum]
 v --> w --> o[Self-attention output] --> a1[Add & Norm]
 x --> a1 --> f[FFN] --> a2[Add & Norm]
 a1 --> a2 --> out[Output]
"""


def test_attention_drawn_step_by_step_is_looked_at_by_a_person() -> None:
    assert examine(mermaid.read(PARTS)).unsure == "attention is drawn in its parts"


ENCODER_SHARES = [
    ({}, 6),
    ({"  sum -->|residual| an1\n": ""}, 5),
    ({"  an1 -- skip --> an2\n": ""}, 5),
    ({"  sum -->|residual| an1\n": "", "  an1 -- skip --> an2\n": ""}, 4),
    ({"ffn --> an2[Add & Norm]": "ffn --> an2[Add]"}, 5),
    ({"mha --> an1[Add & Norm]": "mha --> an1[Add]", "ffn --> an2[Add & Norm]": "ffn --> an2[Add]"}, 5),
    ({"  pos[Positional encoding] --> sum\n": ""}, 5),
    ({"(padding mask)": ""}, 5),
    ({"ffn[Feed-forward]": "ffn[Dropout]"}, 4),
    ({"  sum -->|residual| an1\n": "", "(padding mask)": ""}, 4),
]
DECODER_SHARES = [
    ({}, 7),
    ({'enc["Encoder output (memory)"] -->|K, V| c\n': ""}, 6),
    ({"Masked Multi-Head": "Multi-Head"}, 6),
    ({" a2 --> a3\n": ""}, 6),
    ({" a2 --> a3\n": "", " a1 --> a2\n": ""}, 5),
    ({" a2 --> a3\n": "", " a1 --> a2\n": "", " x -.-> a1\n": ""}, 5),
]


@pytest.mark.parametrize(("changes", "shares"), ENCODER_SHARES)
def test_each_thing_that_an_encoder_lacks_costs_a_share(changes: dict[str, str], shares: int) -> None:
    text = ENCODER
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    assert examine(mermaid.read(text)).shares() == (shares, 6)


@pytest.mark.parametrize(("changes", "shares"), DECODER_SHARES)
def test_each_thing_that_a_decoder_lacks_costs_a_share(changes: dict[str, str], shares: int) -> None:
    text = DECODER
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    assert examine(mermaid.read(text)).shares() == (shares, 7)


def test_a_missing_sublayer_is_told_once() -> None:
    found = [f.message for f in examine(mermaid.read(ENCODER.replace("ffn[Feed-forward]", "ffn[Dropout]"))).findings]
    assert "There is no feed-forward network." in found
    assert not any("after attention" in message for message in found)
