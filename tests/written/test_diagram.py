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


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='AB[](){}->|&;"=<>\n .:,#%', max_size=120))
def test_no_text_makes_a_reader_raise_anything_else(text: str) -> None:
    for read, head in ((mermaid.read, "graph TD\n"), (dot.read, "digraph {"), (drawio.read, "<mxGraphModel>")):
        try:
            examine(read(head + text))
        except UnreadableDiagramError:
            continue
