"""Documents read by pandoc: what is a formula in each of them, what nobody sees, what hostile files end in."""

from __future__ import annotations

import json

import pytest

from grader.model.submission import Document
from grader.written.documents import pandoc
from grader.written.documents.pandoc import UnreadableSourceError
from grader.written.formula import judge_formula
from grader.written.key import StatedKey
from grader.written.opening import open_paper
from grader.written.paper import MOST_WORK, Block
from grader.written.stated import judge_stated
from tests.written.documents import Reader, html, latex, markdown

ATTENTION = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"


def formulas(text: str, reader: Reader) -> list[str]:
    return [block.text for block in reader.read(text) if block.kind == "formula"]


def test_markdown_latex_and_html_give_the_same_blocks() -> None:
    md = "# One\n\nFirst $a_b$ words.\n\n$$\nx = y\n$$\n\n```mermaid\ngraph TD\nA-->B\n```\n"
    tex = "\\begin{document}\n\\section{One}\nFirst $a_b$ words.% hidden\n\n\\[\nx = y\n\\]\n\\begin{verbatim}\n"
    tex += "graph TD\nA-->B\n\\end{verbatim}\n\\end{document}"
    page = "<style>x{}</style><h1>One</h1><p>First $a_b$ words.</p><p>$$x = y$$</p>"
    page += "<pre class=mermaid>graph TD\nA--&gt;B</pre>"
    for blocks in (markdown.read(md), latex.read(tex), html.read(page)):
        assert [block.text for block in blocks if block.kind == "heading"] == ["One"]
        assert [block.text for block in blocks if block.kind == "formula"] == ["a_b", "x = y"]
        assert [block.text for block in blocks if block.kind == "text"] == ["First a_b words."]
        assert [block.text for block in blocks if block.kind == "diagram"] == ["graph TD\nA-->B"]


@pytest.mark.parametrize(
    ("preamble", "formula"),
    [
        (r"\newcommand{\sm}{\operatorname{softmax}}", r"\sm(QK^\top/\sqrt{d_k})V"),
        (r"\DeclareMathOperator{\softmax}{softmax}", r"\softmax(QK^\top/\sqrt{d_k})V"),
        (r"\def\Q{\mathbf{Q}}\def\K{\mathbf{K}}", r"\mathrm{softmax}(\Q \K^\top/\sqrt{d_k})V"),
        (r"\newcommand{\scaled}[2]{\frac{#1#2^\top}{\sqrt{d_k}}}", r"\mathrm{softmax}(\scaled{Q}{K})V"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{d_k}", r"\mathrm{softmax}(QK^\top/\sqrt{\a})V"),
    ],
)
def test_own_commands_of_a_latex_file_are_put_in(preamble: str, formula: str) -> None:
    (found,) = formulas(
        rf"\documentclass{{article}}{preamble}\begin{{document}}So: \[{formula}\]\end{{document}}", latex
    )
    assert judge_formula("attention", found).verdict == "equal", found


def test_a_wrong_formula_behind_a_command_is_wrong() -> None:
    text = r"\newcommand{\dk}{d_{model}}\begin{document}$\mathrm{softmax}(QK^T/\sqrt{\dk})V$\end{document}"
    (found,) = formulas(text, latex)
    assert judge_formula("attention", found).slip == "attn-root-d-model"


def test_what_tex_skips_and_listings_hold_no_formulas() -> None:
    text = "Seen. \\iffalse $a$ \\fi % $b$\n\n\\begin{verbatim}$x^2$\\end{verbatim} and $z$"
    assert formulas(text, latex) == ["z"]
    (found,) = formulas(r"\[ S = QK^T \\[2pt] A = \text{softmax}(S/\sqrt{d_k}) \\[2pt] O = AV \]", latex)
    assert judge_formula("attention", found).verdict == "equal"


HTML = {
    "round brackets": rf"<p>so \({ATTENTION}\) it is</p>",
    "square brackets inside a paragraph": rf"<p>we have \[{ATTENTION}\] and go on</p>",
    "a page that KaTeX set": (
        '<p><span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>Q</mi></mrow>'
        rf'<annotation encoding="application/x-tex">{ATTENTION}</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">softmax(QK)</span></span></p>'
    ),
    "a page that MathJax set": f"<p>So <mjx-math data-latex='{ATTENTION}'></mjx-math> it is.</p>",
    "MathML alone": (
        "<p>so <math><mrow><mtext>softmax</mtext><mo>(</mo><mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup>"
        "</mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><mo>)</mo><mi>V</mi></mrow></math> it is</p>"
    ),
}


@pytest.mark.parametrize("name", HTML)
def test_formulas_of_a_web_page_are_read_once(name: str) -> None:
    (found,) = formulas(HTML[name], html)
    assert judge_formula("attention", found).verdict == "equal", found


def test_groups_that_programs_write_are_no_part_of_a_formula() -> None:
    text = r"$${\mathit{PE}_{({\mathit{pos},2i})} = \sin}\left( \frac{\mathit{pos}}{10000^{\frac{2i}{d_{m}}}} \right)$$"
    (found,) = formulas(text, markdown)
    assert found.replace(" ", "") == (
        r"\mathit{PE}_{(\mathit{pos},2i)}=\sin\left(\frac{\mathit{pos}}{10000^{\frac{2i}{d_{m}}}}\right)"
    )
    assert formulas("${a+b}^2$", markdown) == ["{a+b}^2"]


def test_a_document_is_not_read_without_pandoc_and_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pandoc, "program", lambda: "")
    paper = open_paper([Document("report.md", b"# Never read before")])
    (note,) = paper.notes
    assert note.endswith("are read with the extra [written]: pip install 'attention-grader[written]'.")


def test_a_document_that_takes_long_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pandoc, "BOUNDS", pandoc.Bounds(seconds=1))
    with pytest.raises(UnreadableSourceError, match="more time or memory"):
        markdown.read("[" * 20_000)


def test_no_file_beside_is_read() -> None:
    text = r"\begin{document}Seen \input{/etc/passwd} \include{/etc/passwd}\end{document}"
    assert "root:" not in json.dumps([block.text for block in latex.read(text)])


def test_ten_thousand_formulas_are_read_and_judged_within_bounds() -> None:
    text = "".join(f"$$a_{{{n}}} = b + {n}$$\n\n" for n in range(10_000))
    paper = open_paper([Document("report.md", text.encode())])
    assert len(paper.formulas) == 10_000
    found, _ = judge_stated(StatedKey(id="a", title="A", kind="stated", formula="attention"), paper)
    assert found.verdict.pending
    assert paper.read.work <= MOST_WORK


@pytest.mark.parametrize("name", ["work.tex", "work.md", "work.html"])
def test_a_text_of_many_megabytes_is_left_to_a_person_at_once(name: str) -> None:
    paper = open_paper([Document(name, b"word " * 5_000_000)])
    assert paper.sources == {}
    assert any("is not read: it has more than 400,000 characters" in note for note in paper.notes)


def test_embedded_pictures_are_no_text_and_a_long_report_is_read() -> None:
    picture = "![](data:image/png;base64," + "A" * 3_000_000 + ")"
    text = f"# Reflection\n\n{picture}\n\n" + "Attention. " * 30_000
    paper = open_paper([Document("work.md", text.encode())])
    assert paper.notes == ()
    assert [block.kind for block in paper.sources["work.md"]] == ["heading", "picture", "text"]


@pytest.mark.parametrize(
    "page", ["<p>Seen. <span style='{}'>order</span></p>", "<p>Seen.</p><div style='{}'>order</div>"]
)
@pytest.mark.parametrize(
    "style", ["display: none", "visibility:hidden", "color: white", "color:#FFF", "font-size: 1px"]
)
def test_what_a_page_does_not_show_is_not_read(page: str, style: str) -> None:
    assert html.read(page.format(style)) == (Block("text", "Seen."),)
