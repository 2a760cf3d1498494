"""Formulas in the sources of a report, whatever they were written with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from grader.model import Document
from grader.written.formula import judge_formula
from grader.written.opening import open_paper
from grader.written.paper import Paper
from grader.written.sources import html, latex
from tests.growth import SQUARE, growth

ATTENTION = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"


def formulas(text: str, reader: object = latex) -> list[str]:
    return [block.text for block in reader.read(text) if block.kind == "formula"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("preamble", "formula"),
    [
        (r"\newcommand{\sm}{\operatorname{softmax}}", r"\sm(QK^\top/\sqrt{d_k})V"),
        (r"\newcommand\dk{d_k}", r"\mathrm{softmax}(QK^\top/\sqrt{\dk})V"),
        (r"\DeclareMathOperator{\softmax}{softmax}", r"\softmax(QK^\top/\sqrt{d_k})V"),
        (r"\def\Q{\mathbf{Q}}\def\K{\mathbf{K}}", r"\mathrm{softmax}(\Q \K^\top/\sqrt{d_k})V"),
        (r"\newcommand{\scaled}[2]{\frac{#1#2^\top}{\sqrt{d_k}}}", r"\mathrm{softmax}(\scaled{Q}{K})V"),
        (r"\newcommand{\root}[2][2]{\sqrt[#1]{#2}}", r"\mathrm{softmax}(QK^\top/\root{d_k})V"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{d_k}", r"\mathrm{softmax}(QK^\top/\sqrt{\a})V"),
        (r"\newcommand*{\tp}{^{\top}} % a comment", r"\mathrm{softmax}(QK\tp/\sqrt{d_k})V"),
    ],
)
def test_own_commands_of_a_latex_file_are_put_in(preamble: str, formula: str) -> None:
    text = rf"\documentclass{{article}}{preamble}\begin{{document}}Here: \[{formula}\]\end{{document}}"
    text = text.replace("% a comment", "% a comment\n")
    (found,) = formulas(text)
    assert judge_formula("attention", found).verdict == "equal", found


def test_a_wrong_formula_behind_a_command_is_wrong() -> None:
    (found,) = formulas(
        r"\newcommand{\dk}{d_{model}}\begin{document}$\mathrm{softmax}(QK^T/\sqrt{\dk})V$\end{document}"
    )
    assert judge_formula("attention", found).slip == "attn-root-d-model"


def test_listings_hold_no_formulas() -> None:
    text = r"\begin{document}\begin{verbatim}$x^2$\end{verbatim}\verb|$y$| and $z$\end{document}"
    assert formulas(text) == ["z"]


@pytest.mark.parametrize(
    "text",
    [
        lambda n: r"\newcommand{\a}{\a\a\a}" + r"\a" * n,
        lambda n: "".join(rf"\newcommand{{\x{a}}}{{\x{b}\x{b}}}" for a, b in pairwise("abcdefghijklmnop")) + r"\xa" * n,
        lambda n: r"\newcommand{\a}[9]{#1#1#1#1}" + r"\a" * n,
        lambda n: r"\newcommand" * n,
        lambda n: r"\def\a{" * n,
    ],
)
def test_the_time_for_commands_that_call_each_other_for_ever_grows_with_their_calls(text: Callable[[int], str]) -> None:
    assert growth(lambda n: latex.read(text(n)), 1000) < SQUARE


HTML = {
    "round brackets": rf"<p>so \({ATTENTION}\) it is</p>",
    "square brackets inside a paragraph": rf"<p>we have \[{ATTENTION}\] and go on</p>",
    "MathML beside LaTeX": (
        '<p><span class="katex"><math><semantics><mrow><mi>Q</mi></mrow>'
        rf'<annotation encoding="application/x-tex">{ATTENTION}</annotation></semantics></math></span></p>'
    ),
    "MathML alone": (
        "<p>so <math><mrow><mtext>softmax</mtext><mo>(</mo><mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mi>T</mi></msup>"
        "</mrow><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><mo>)</mo><mi>V</mi></mrow></math> it is</p>"
    ),
    "MathML with fences": (
        "<math><mi>softmax</mi><mfenced><mfrac><mrow><mi>Q</mi><msup><mi>K</mi><mo>⊤</mo></msup></mrow>"
        "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac></mfenced><mi>V</mi></math>"
    ),
}


@pytest.mark.parametrize("name", HTML)
def test_formulas_of_a_web_page_are_read_once(name: str) -> None:
    (found,) = formulas(HTML[name], html)
    assert judge_formula("attention", found).verdict == "equal", found


def test_mathml_of_the_other_formulas_is_read() -> None:
    sine = (
        "<math><mi>sin</mi><mo>(</mo><mfrac><mi>pos</mi><msup><mn>10000</mn><mrow><mn>2</mn><mi>i</mi><mo>/</mo>"
        "<msub><mi>d</mi><mtext>model</mtext></msub></mrow></msup></mfrac><mo>)</mo></math>"
    )
    (found,) = formulas(sine, html)
    assert judge_formula("pe_sin", found).verdict == "equal", found


def test_a_wrong_formula_in_mathml_is_wrong() -> None:
    (found,) = formulas(HTML["MathML alone"].replace("<msqrt>", "<mrow>").replace("</msqrt>", "</mrow>"), html)
    assert judge_formula("attention", found).slip == "attn-no-root"


@pytest.mark.parametrize("piece", ["<mrow>", "<math><mfrac>", "<math></mrow></math>"])
def test_the_time_for_broken_mathml_grows_with_its_length(piece: str) -> None:
    assert growth(lambda n: html.read("<math>" + piece * n), 1500) < SQUARE


def report(name: str, text: str) -> Paper:
    return open_paper([Document(name, text.encode())])


@pytest.mark.parametrize("name", ["work.tex", "work.md", "work.html"])
@pytest.mark.parametrize("piece", ["{", "$ ", r"\left( ", "\\begin{equation}\n", r"\iffalse ", "[", "<p>", "word "])
def test_a_text_of_many_megabytes_is_left_to_a_person(name: str, piece: str) -> None:
    paper = report(name, piece * (25_000_000 // len(piece)))
    assert paper.sources == {}
    assert any("is not read: it has more than 400,000 characters" in note for note in paper.notes)


def test_embedded_pictures_are_no_text_and_a_long_report_is_read() -> None:
    paper = report(
        "work.md", "# Reflection\n\n![](data:image/png;base64," + "A" * 3_000_000 + ")\n\n" + "Attention. " * 30_000
    )
    assert paper.notes == ()
    assert [block.text for block in paper.sources["work.md"] if block.kind == "heading"] == ["Reflection"]
    assert any("Attention" in block.text for block in paper.sources["work.md"])


def test_the_time_for_commands_that_are_never_closed_grows_with_their_number() -> None:
    assert growth(lambda n: report("work.tex", r"\def\a{" * n), 14_000) < SQUARE


UNCLOSED = [
    r"\iffalse ",
    r"\begin{verbatim}",
    r"\begin{comment}",
    r"\begin{lstlisting}",
    r"\begin{tikzpicture}",
    r"\begin{equation}",
    r"\begin{align*}",
    r"\[",
    r"\(",
    r"\(\[\begin{equation}",
    r"\newcommand{\a}[1]{#1#1}\a{",
    r"\phantom{",
    "$a",
]


@pytest.mark.parametrize("piece", UNCLOSED)
def test_the_time_for_latex_grows_with_its_length_up_to_the_cap(piece: str) -> None:
    assert growth(lambda n: report("work.tex", piece * n), 399_000 // len(piece) // 4) < SQUARE


@pytest.mark.parametrize("piece", UNCLOSED)
def test_what_is_never_closed_hides_no_formula_before_it(piece: str) -> None:
    formula = r"\begin{equation}\text{softmax}(QK^T/\sqrt{d_k})V\end{equation}"
    assert formulas(f"{formula}\n\n{piece} and so on", latex)[0].startswith(r"\text{softmax}")


def test_what_tex_skips_is_no_text_and_what_stands_behind_it_is() -> None:
    text = "Seen. \\iffalse hidden \\fill \\fi Told.\n\n\\begin{comment} secret \\end{comment} Open."
    words = " ".join(block.text for block in latex.read(text))
    assert "Seen." in words
    assert "Told." in words
    assert "Open." in words
    assert "hidden" not in words
    assert "secret" not in words


def test_a_line_skip_inside_a_formula_does_not_end_it() -> None:
    (found,) = formulas(r"\[ S = QK^T \\[2pt] A = \text{softmax}(S/\sqrt{d_k}) \\[2pt] O = AV \]", latex)
    assert judge_formula("attention", found).verdict == "equal"
