"""The formulas of a report: in steps, over several lines, beside others; what is missing or wrong is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from tests.written.documents import markdown

MADE = Path(__file__).parent / "reports"
PASSED, FAILED, PERSON = Verdict.PASSED, Verdict.FAILED, Verdict.UNDETERMINED


def outcomes(*documents: tuple[str, bytes | str]) -> dict[str, Outcome]:
    loaded = load_assignment("rederive-report")
    files = tuple(Document(name, data if isinstance(data, bytes) else data.encode()) for name, data in documents)
    settings = Settings(loaded, load_rubric(rubric_beside("rederive-report"), loaded), components=("formulas",))
    report = grade(Submission("work", "work", documents=files), settings)
    return {outcome.check: outcome for mark in report.marks for outcome in mark.outcomes}


# ------------------------------------------------------------------------------------------------- formulas, in TeX

ATTENTION = r"\mathrm{Attention}(Q,K,V)=" + "\n" + r"\mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V"
HEADS = r"\mathrm{MultiHead}(Q,K,V)=[\mathrm{head}_1;\dots;\mathrm{head}_h]W^O"


def formula(text: str, name: str) -> Outcome:
    return outcomes(("report.tex", f"\\begin{{document}}We write\n\\[{text}\\]\nand so on.\\end{{document}}"))[
        f"formulas.{name}"
    ]


def test_a_formula_that_its_source_breaks_is_one_formula() -> None:
    assert formula(ATTENTION, "attention").verdict is PASSED
    found = formula(ATTENTION.replace(r"\sqrt{d_k}", "d_k"), "attention")
    assert found.verdict is FAILED
    assert found.diagnosis is not None
    assert found.diagnosis.title == "Divided by d_k instead of its square root."
    assert found.message.count("square root") == 0  # it is the title already


def test_heads_in_brackets_are_an_attempt_at_multi_head() -> None:
    assert formula(HEADS, "multi_head").verdict is PASSED


def test_what_may_be_a_step_says_what_is_missing() -> None:
    found = formula(r"\mathrm{MultiHead}(Q,K,V)=\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)", "multi_head")
    assert found.verdict is PERSON
    assert "The output projection W^O is missing" in found.message
    assert found.answer is not None
    assert "Concat" in found.answer.text


def test_a_source_without_formulas_is_told_from_no_source() -> None:
    found = outcomes(("report.md", "# Masks\n\nThey hide the future.\n"))["formulas.attention"]
    assert found.message == "Nothing is set as a formula in report.md; a person looks for it in the PDF."


def test_a_formula_that_a_pdf_shows_as_a_line_is_shown_to_the_person() -> None:
    pytest.importorskip("pypdfium2")
    found = outcomes(("writer.pdf", (MADE / "writer.pdf").read_bytes()))["formulas.attention"]
    assert found.verdict is PERSON
    assert found.message.startswith("Formulas are read from the source")


# ------------------------------------------------------------------------------------------------------- the heads

HEAD = r"\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)"
BARE = r"\mathrm{head}_i = \mathrm{Attention}(Q, K, V)"


@pytest.mark.parametrize(
    ("formulas", "verdict"),
    [
        ((HEADS, HEAD), PASSED),
        ((HEAD, "x = y", HEADS), PASSED),
        ((HEADS,), PASSED),
        ((BARE, "x = y", HEADS), PERSON),
        ((HEADS, BARE), PERSON),
        ((HEADS, BARE, HEAD), PASSED),
        ((f"{HEADS}, \\quad {BARE}",), FAILED),
        ((f"{HEADS} \\\\ {BARE}",), FAILED),
        ((f"{HEADS}, \\quad {HEAD}",), PASSED),
    ],
)
def test_what_the_heads_are_is_looked_at_wherever_it_stands(formulas: tuple[str, ...], verdict: Verdict) -> None:
    text = "\n\n".join(f"We write\n\\[{formula}\\]\nand so on." for formula in formulas)
    found = outcomes(("report.tex", f"\\begin{{document}}{text}\\end{{document}}"))["formulas.multi_head"]
    assert found.verdict is verdict
    if verdict is PERSON:
        assert "The heads have no projections of their own." in found.message


def test_a_norm_that_is_right_once_and_wrong_once_in_one_formula_goes_to_a_person() -> None:
    found = formula(
        r"y = \mathrm{LayerNorm}(x + \mathrm{MHA}(x)), \quad z = \mathrm{LayerNorm}(x + \mathrm{FFN}(y))", "add_norm"
    )
    assert found.verdict is PERSON


# ---------------------------------------------------------------------------------------------- derivations in steps

ASIDE = "with $Q\\in\\mathbb{R}^{n\\times d_k}$, $W_1\\in\\mathbb{R}^{d\\times d_{ff}}$ and $i=0,1,\\dots$, then"
STEPS = {
    "attention": (r"S = \frac{QK^T}{\sqrt{d_k}}", r"A = \mathrm{softmax}(S)", "O = AV"),
    "ffn": (r"h=\max(0,xW_1+b_1)", r"\mathrm{FFN}(x)=hW_2+b_2"),
    "add_norm": (r"u = x + \mathrm{Sublayer}(x)", r"y = \mathrm{LayerNorm}(u)"),
    "multi_head": (r"H=\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)", r"\mathrm{MultiHead}(Q,K,V)=HW^O"),
    "pe_cos": (
        r"\omega_i = 1/10000^{2i/d_{model}}",
        r"PE_{pos,2i}=\sin(\omega_i pos)",
        r"PE_{pos,2i+1}=\cos(\omega_i pos)",
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("between", ["\n\n", f"\n\n{ASIDE}\n\n", " "])
def test_a_derivation_may_have_sentences_between_its_steps(name: str, between: str) -> None:
    text = between.join(f"$${step}$$" for step in STEPS[name])
    assert outcomes(("report.md", f"# A\n\n{text}\n"))[f"formulas.{name}"].verdict is PASSED


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("ffn", r"\mathrm{FFN}(x)=\max(0,xW_1+b_1)", PERSON),
        ("ffn", r"h=\max(0,xW_1+b_1)", PERSON),
        ("add_norm", r"y = x + \mathrm{LayerNorm}(\mathrm{Sublayer}(x))", FAILED),
    ],
)
def test_a_step_without_the_rest_waits_and_a_mistake_is_named(name: str, text: str, verdict: Verdict) -> None:
    found = outcomes(("report.md", f"# A\n\n$${text}$$\n\nThat is all.\n"))[f"formulas.{name}"]
    assert (found.verdict, found.diagnosis is not None) == (verdict, verdict is FAILED)


def test_what_stands_behind_a_displayed_formula_is_read() -> None:
    blocks = markdown.read("$$a=b$$ $$c=d$$ where $x$ is.\n\n$$\nq=\nr\n$$, so it is\nmore.\n")
    assert [(block.kind, block.text) for block in blocks] == [
        ("formula", "a=b"),
        ("formula", "c=d"),
        ("formula", "x"),
        ("text", "where x is."),
        ("formula", "q=\nr"),
        ("text", ", so it is more."),
    ]
