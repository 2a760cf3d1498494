"""Diagrams that a LaTeX report lists letter by letter, and formulas that are nobody's wording."""

import pytest

from grader.written.overlap import grams, passages, shared
from tests.growth import SQUARE, growth
from tests.written.documents import docx, html, latex, markdown, word_file

MERMAID = "flowchart TD\n  A[Input] --> B[Self-attention]\n  B --> C[Add and Norm]"
DOT = 'digraph layer {\n  a [label="Self-attention"];\n  a -> b;\n}'
FRAMES = (
    ("\\begin{verbatim}\n", "\n\\end{verbatim}"),
    ("\\begin{lstlisting}[basicstyle=\\ttfamily]\n", "\n\\end{lstlisting}"),
    ("\\begin{minted}{text}\n", "\n\\end{minted}"),
)


def diagrams(body: str) -> list[tuple[str, str]]:
    blocks = latex.read(f"\\documentclass{{article}}\\begin{{document}}{body}\\end{{document}}")
    return [(block.form, block.text) for block in blocks if block.kind == "diagram"]


@pytest.mark.parametrize(("before", "after"), FRAMES)
@pytest.mark.parametrize(("form", "text"), [("mermaid", MERMAID), ("Graphviz", DOT)])
def test_a_diagram_that_is_listed_is_read(form: str, text: str, before: str, after: str) -> None:
    assert diagrams(f"\\section{{Layer}} The layer:\n{before}{text}{after}\nAnd more.") == [(form, text)]


@pytest.mark.parametrize(
    "body",
    [
        "\\begin{verbatim}\nfor step in range(3): print(step)\n\\end{verbatim}",
        "\\begin{comment}\\begin{verbatim}\n" + MERMAID + "\n\\end{verbatim}\\end{comment}",
        "\\iffalse\\begin{verbatim}\n" + MERMAID + "\n\\end{verbatim}\\fi",
        "\\end{document}\\begin{verbatim}\n" + MERMAID + "\n\\end{verbatim}",
    ],
)
def test_other_listings_and_what_nobody_sees_are_no_diagram(body: str) -> None:
    assert diagrams(body) == []


FORMULA = r"$\text{MultiHead}(Q,K,V)=\text{Concat}(\text{head}_1,\dots,\text{head}_h)W^O$"
RAW = r"where \text{head}_i = \text{Attention}(QW_i^Q, KW_i^K, VW_i^V) \text{softmax}(QK^T) W_1x+b_1 \max(0,z)"
PROSE = "the scores are divided by the root of the size of the keys so that no weight grows without bound"


@pytest.mark.parametrize("formula", [FORMULA, RAW])
def test_a_formula_that_two_reports_share_is_no_shared_passage(formula: str) -> None:
    own, other = f"My own start. {formula} And then mine.", f"Something else: {formula} was theirs."
    assert not list(shared({"one": own, "two": other}, running=8))
    assert not passages(own, {"paper": grams(other)[1]}, 8)


@pytest.mark.parametrize("formula", [FORMULA, RAW])
def test_prose_beside_a_formula_is_still_found(formula: str) -> None:
    found = passages(f"I say: {formula}. Here {PROSE} indeed.", {"paper": grams(PROSE)[1]}, 12)
    assert [passage.words for passage in found] == [len(PROSE.split())]


@pytest.mark.parametrize("sign", ["a", "$", "a_", "\\"])
def test_the_time_for_endless_signs_grows_with_their_number(sign: str) -> None:
    assert growth(lambda n: grams(sign * n, formulas=False), 25_000) < SQUARE


INDENTED = MERMAID.replace(">", "&gt;")
PAGES = [
    f"<pre class='mermaid'>{INDENTED}</pre>",
    f"<div class='mermaid'>{INDENTED}</div>",
    f"<pre><code class='language-mermaid'>{INDENTED}</code></pre>",
    f"<div class='highlight'><pre>{INDENTED}</pre></div>",
]


@pytest.mark.parametrize("page", PAGES)
def test_a_diagram_that_a_page_lists_is_read(page: str) -> None:
    blocks = html.read(f"<h2>Layer</h2>{page}<p>And more.</p>")
    assert [(block.kind, block.form) for block in blocks] == [("heading", "2"), ("diagram", "mermaid"), ("text", "")]
    assert blocks[1].text.split() == MERMAID.split()


@pytest.mark.parametrize("language", ["", "text", "markdown"])
@pytest.mark.parametrize(
    ("form", "text"), [("mermaid", MERMAID), ("Graphviz", DOT), ("mermaid", f"%% mine\n{MERMAID}")]
)
def test_a_fence_of_any_name_may_hold_a_diagram(form: str, text: str, language: str) -> None:
    blocks = markdown.read(f"# Layer\n\n```{language}\n{text}\n```\n")
    assert [(block.form, block.text) for block in blocks if block.kind == "diagram"] == [(form, text)]
    assert [block.kind for block in markdown.read("```python\nprint(1)\n```\n")] == []


def test_a_sentence_about_a_graph_is_no_diagram() -> None:
    blocks = docx.read(word_file("<w:p><w:r><w:t>graph TD is how a flow chart begins.</w:t></w:r></w:p>"))
    assert [(block.kind, block.text) for block in blocks] == [("text", "graph TD is how a flow chart begins.")]
