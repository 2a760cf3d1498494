"""Diagrams of a layer: right ones pass however they are drawn, each missing thing is named."""

from __future__ import annotations

import base64
import urllib.parse
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.written.diagram import dot, drawio, mermaid
from grader.written.diagram.graph import Graph, UnreadableDiagramError
from grader.written.diagram.layer import examine

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
DECODER = """digraph decoder { rankdir=TB; node [shape=box]; // one layer
 emb [label="Output embedding"]; pe [label="Positional Encoding"]; x [label="+"];
 {emb pe} -> x -> m; m [label="Masked Multi-Head\\nSelf-Attention"];
 m -> a1; x -> a1 [style=dashed]; a1 [label="Add & LayerNorm"];
 a1 -> c; enc [label="Encoder output (memory)"]; enc -> c [label="K, V"]; c [label="Cross-Attention"];
 c -> a2; a1 -> a2; a2 [label="Add & Norm"]; a2 -> f; f [label=<<b>FFN</b>>]; f -> a3; a2 -> a3;
 a3 [label="Add & Norm"]; a3 -> o; o [label="output"]; }"""


def wrong(graph: Graph) -> list[str]:
    return [finding.name for finding in examine(graph).findings if not finding.holds]


@pytest.mark.parametrize("graph", [mermaid.read(ENCODER), mermaid.read(CHAIN), dot.read(DECODER)])
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
        ('enc -> c [label="K, V"];', "", ["memory"]),
        ("Masked Multi-Head", "Multi-Head", ["masked"]),
        ("a2 -> a3;", "", ["residual"]),
        ('c [label="Cross-Attention"]', 'c [label="Self-Attention"]', ["cross-attention", "memory"]),
    ],
)
def test_what_a_decoder_lacks_is_named(old: str, new: str, missing: list[str]) -> None:
    assert old in DECODER
    assert wrong(dot.read(DECODER.replace(old, new))) == missing


def test_pre_norm_goes_to_a_person() -> None:
    layer = examine(
        mermaid.read("""graph LR
A[Embedding + position] --> N1[LayerNorm] --> B[Self-Attention with mask] --> C[Add]
A --> C
C --> N2[LayerNorm] --> E[FFN] --> F[Add]
C --> F""")
    )
    assert "pre-norm" in layer.unsure


def drawn() -> str:
    boxes = {"a": "Token embedding", "p": "Position", "m": "Masked self-attention", "n": "Add &amp;amp; Norm",
             "f": "&lt;b&gt;FFN&lt;/b&gt;", "q": "Add &amp;amp; Norm"}  # fmt: skip
    arrows = ["am", "pm", "mn", "an", "nf", "fq", "nq"]
    cells = [f'<mxCell id="{name}" value="{label}" vertex="1" parent="1"/>' for name, label in boxes.items()]
    cells += [f'<mxCell id="e{a}" edge="1" source="{a[0]}" target="{a[1]}" parent="1"/>' for a in arrows]
    return f'<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>{"".join(cells)}</root></mxGraphModel>'


def test_draw_io_is_read_plain_and_compressed() -> None:
    deflate = zlib.compressobj(wbits=-15)
    packed = deflate.compress(urllib.parse.quote(drawn()).encode()) + deflate.flush()
    plain = f"<mxfile><diagram>{drawn()}</diagram></mxfile>"
    small = f"<mxfile><diagram>{base64.b64encode(packed).decode()}</diagram></mxfile>"
    assert wrong(drawio.read(plain)) == wrong(drawio.read(small)) == []
    assert drawio.read(small).labels["n"] == "Add & Norm"


def test_a_draw_io_bomb_is_refused() -> None:
    deflate = zlib.compressobj(wbits=-15)
    packed = deflate.compress(b"a" * (64 << 20)) + deflate.flush()
    with pytest.raises(UnreadableDiagramError, match="larger than a diagram"):
        drawio.read(f"<mxfile><diagram>{base64.b64encode(packed).decode()}</diagram></mxfile>")
    with pytest.raises(UnreadableDiagramError, match="entities"):
        drawio.read('<!DOCTYPE x [<!ENTITY a "b">]><mxfile/>')


@settings(max_examples=100)
@given(st.text(alphabet='AB[](){}->|&;"=<>\n .:,#%', max_size=120))
def test_no_text_makes_a_reader_raise_anything_else(text: str) -> None:
    for read, head in ((mermaid.read, "graph TD\n"), (dot.read, "digraph {"), (drawio.read, "<mxGraphModel>")):
        try:
            examine(read(head + text))
        except UnreadableDiagramError:
            continue


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
    ({'enc -> c [label="K, V"];': ""}, 6),
    ({"Masked Multi-Head": "Multi-Head"}, 6),
    ({"a2 -> a3;": ""}, 6),
    ({"a2 -> a3;": "", "a1 -> a2;": ""}, 5),
    ({"a2 -> a3;": "", "a1 -> a2;": "", "x -> a1 [style=dashed];": ""}, 5),
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
    assert examine(dot.read(text)).shares() == (shares, 7)


def test_a_missing_sublayer_is_told_once() -> None:
    found = [f.message for f in examine(mermaid.read(ENCODER.replace("ffn[Feed-forward]", "ffn[Dropout]"))).findings]
    assert "There is no feed-forward network." in found
    assert not any("after attention" in message for message in found)
