"""Reports as they are really handed in: what each program makes of them, and what is said where something lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Mark, Report, Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from grader.written.documents.pandoc import UnreadableSourceError
from grader.written.overlap import course, passages
from grader.written.paper import Pages, folded
from tests.written.documents import docx, html, odt, packed
from tests.written.documents import word_file as made_by_word

MADE = Path(__file__).parent / "reports"
PASSED, FAILED, PERSON = Verdict.PASSED, Verdict.FAILED, Verdict.UNDETERMINED


def graded(*documents: tuple[str, bytes | str]) -> Report:
    loaded = load_assignment("rederive-report")
    files = tuple(Document(name, data if isinstance(data, bytes) else data.encode()) for name, data in documents)
    rubric = load_rubric(rubric_beside("rederive-report"), loaded)
    return grade(Submission("work", "work", documents=files), Settings(loaded, rubric))


def outcomes(*documents: tuple[str, bytes | str]) -> dict[str, Outcome]:
    return {outcome.check: outcome for mark in graded(*documents).marks for outcome in mark.outcomes}


def mark(criterion: str, *documents: tuple[str, bytes | str]) -> Mark:
    return next(mark for mark in graded(*documents).marks if mark.criterion.id == criterion)


# --------------------------------------------------------------------------------------------------- what TeX makes


def test_letters_that_bitmap_fonts_hold_by_their_codes_are_read() -> None:
    assert folded("Re\x1dection: the \x1crst e\x1bort, shu\x1fe, e\x1ecient") == (
        "Reflection: the first effort, shuffle, efficient"
    )
    assert folded("He said \x10so\x11 \x15 and \x12ja\x11.") == "He said “so” – and „ja”."
    assert folded("a \x10 b\x1c c") == "a \x10 bfi c"


def test_a_pdf_of_bitmap_fonts_shows_its_headings() -> None:
    pytest.importorskip("pypdfium2")
    found = outcomes(("report.pdf", (MADE / "bitmap_letters.pdf").read_bytes()))
    answer = found["reflection.reflection"].answer
    assert answer is not None
    assert answer.text.startswith("Die Skalierung war schwer: erst im zweiten Anlauf griff ich")


@pytest.mark.parametrize(
    "heading", ["Was mir schwerfiel", "Schwierigkeiten", "The hardest parts", "What I struggled with"]
)
def test_a_reflection_is_found_under_many_headings(heading: str) -> None:
    text = "Die Skalierung war schwer. Die Masken auch. Ich las es zweimal. Dann rechnete ich. Jetzt geht es."
    assert outcomes(("report.md", f"# {heading}\n\n{text}\n"))["reflection.length"].verdict is PASSED


# ------------------------------------------------------------------------------------------- what LibreOffice makes


@pytest.mark.parametrize("with_pdf", [True, False])
def test_formula_objects_of_writer_are_read(with_pdf: bool) -> None:
    pytest.importorskip("pypdfium2")
    files = [("writer.odt", (MADE / "writer.odt").read_bytes())]
    files += [("writer.pdf", (MADE / "writer.pdf").read_bytes())] if with_pdf else []
    found = outcomes(*files)
    assert {o.verdict for name, o in found.items() if name.startswith("formulas.")} == {PASSED}
    assert found["reflection.length"].verdict is PASSED
    assert found["document.pages"].verdict is (PASSED if with_pdf else PERSON)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 broken", "broken"),
        (packed("other.xml", "<a/>"), "no Writer document"),
        (packed("content.xml", " " * (21 << 20)), "more than 20 MB"),
    ],
)
def test_a_hostile_writer_file_is_not_read_and_says_why(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableSourceError, match=why):
        odt.read(data)
    report = graded(("report.odt", data))
    said = {outcome.message for mark in report.marks for outcome in mark.outcomes}
    assert len(said) == 1
    assert said.pop().startswith("Nothing was read from report.odt: it")
    assert (report.score, report.pending) == (0, report.max_score)


# --------------------------------------------------------------------------------------------------- what Word makes


def word_file(*paragraphs: str) -> bytes:
    """Write paragraphs; ``^T^`` is set as a superscript, ``~k~`` as a subscript."""
    body = "".join(f"<w:p>{_runs(paragraph)}</w:p>" for paragraph in paragraphs)
    return made_by_word(body)


def _runs(paragraph: str) -> str:
    out, place = "", ""
    piece = ""
    for char in f"{paragraph}\x00":
        if char in "^~\x00":
            looks = f'<w:rPr><w:vertAlign w:val="{place}"/></w:rPr>' if place else ""
            out += f'<w:r>{looks}<w:t xml:space="preserve">{piece}</w:t></w:r>' if piece else ""
            piece = ""
            place = "" if place else {"^": "superscript", "~": "subscript"}.get(char, "")
        else:
            piece += char
    return out


TYPED = {
    "formulas.attention": "Attention(Q, K, V) = softmax(QK^T^/√d~k~)V",
    "formulas.multi_head": "MultiHead(Q, K, V) = Concat(head~1~, ..., head~h~)W^O^",
    "formulas.pe_sin": "PE(pos, 2i) = sin(pos/10000^2i/d_model^)",
    "formulas.pe_cos": "PE(pos, 2i+1) = cos(pos/10000^2i/d_model^)",
    "formulas.ffn": "FFN(x) = max(0, xW~1~ + b~1~)W~2~ + b~2~",
    "formulas.add_norm": "LayerNorm(x + Sublayer(x))",
}


def test_formulas_typed_in_word_with_raised_letters_are_read() -> None:
    found = outcomes(("report.docx", word_file("My report", *TYPED.values(), "The end of it.")))
    assert {name: found[name].verdict for name in TYPED} == dict.fromkeys(TYPED, PASSED)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("formulas.attention", "√d~k~", "d~k~"),
        ("formulas.pe_cos", "cos", "-cos"),
        ("formulas.ffn", " + b~2~", ""),
        ("formulas.add_norm", "x + Sub", "Sub"),
    ],
)
def test_a_wrong_formula_typed_as_text_goes_to_a_person_who_sees_it(name: str, right: str, wrong: str) -> None:
    line = TYPED[name].replace(right, wrong)
    found = outcomes(("report.docx", word_file("My report", line, "The end of it.")))[name]
    assert found.verdict is PERSON
    assert found.message.startswith("It is typed as text (“")
    assert found.message.endswith("Raised letters may be lost there; a person decides.")
    assert found.answer is not None
    assert found.answer.text


def test_raised_letters_in_prose_stay_as_they_are() -> None:
    blocks = docx.read(word_file("On the 1^st^ of May I read it."))
    assert [block.text for block in blocks] == ["On the 1st of May I read it."]


# --------------------------------------------------------------------------------------------- what a browser saves


@pytest.mark.parametrize(
    "element", ["<mjx-math data-latex='{}'></mjx-math>", "<svg><g data-mml-node='math' data-latex='{}'></g></svg>"]
)
def test_a_page_that_was_saved_after_mathjax_had_set_it_holds_its_formulas(element: str) -> None:
    inner = "<mjx-mi data-latex='x'><mjx-c></mjx-c></mjx-mi>"
    told = element.format(r"x = \frac{1}{2}")
    page = f"<p>So <mjx-container>{told}{inner}</mjx-container> it is.</p>"
    blocks = html.read(page)
    assert [block.text for block in blocks if block.kind == "formula"] == [r"x = \frac{1}{2}"]
    assert "So" in next(block.text for block in blocks if block.kind == "text")


# ------------------------------------------------------------------------------------------------ topics and wording

MASKS = "A causal mask hides the future and a padding mask hides fillers; both act on the scores before the softmax."


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (MASKS, ""),
        (MASKS.replace("causal", "first").replace("the future", "words"), "causal mask"),
        (MASKS.replace("padding", "second"), "padding mask"),
        (MASKS.partition(";")[0], "before the softmax"),
        ("Die kausale Maske verdeckt die Zukunft, die Padding-Maske Füllwörter, beide vor dem Softmax.", ""),
    ],
)
def test_what_a_topic_lacks_is_named(text: str, missing: str) -> None:
    found = outcomes(("report.md", f"# Hiding\n\n{text}\n"))["topics.masks_topic"]
    assert found.verdict is PERSON
    there = "The topic was found; a person reads what is said."
    assert found.message == (f"Not found here: {missing}. A person looks for it." if missing else there)


def test_the_hand_outs_own_words_treat_no_topic() -> None:
    handout = (assignment_file("rederive-report").parent / "handout.md").read_text(encoding="utf-8")
    assert max(p.words for p in passages(handout, course(), 12)) > 60
    found = outcomes(("report.md", handout))
    assert not [o for name, o in found.items() if name.startswith("topics.") and "topic was found" in o.message]
    both = outcomes(("report.md", f"{handout}\n\n# Mine\n\n{MASKS}\n"))
    assert "topic was found" in both["topics.masks_topic"].message


# -------------------------------------------------------------------------------------------------------- pictures


def test_pages_that_are_pictures_are_named() -> None:
    text = "Prose that fills a page. " * 20
    pages = Pages("r.pdf", (text, "1 of 3", "28/11/25, 12:44 My report"), pictures=(0.0, 0.9, 0.6))
    assert pages.only_pictures() == (2, 3)
    assert Pages("r.pdf", (text, "a figure"), pictures=(0.9, 0.2)).only_pictures() == ()


# ------------------------------------------------------------------------------------------------------- reflection


@pytest.mark.parametrize(
    ("text", "verdict", "points", "told"),
    [
        ("The masks were hard. So were the heads. I drew them. I read it twice. Now I know.", PASSED, 4, ""),
        ("The masks were hard. So were the heads. I drew them.", FAILED, 0, "has 3 sentences; 5 to 8 are asked for"),
        ("The masks were hard.", FAILED, 0, "has 1 sentence; 5 to 8 are asked for"),
        ("The masks are bananas. So are the heads. I ate them. They were blue. My dog knows.", PASSED, 4, ""),
        ("The masks were hard. So were the heads. " + "I drew them. " * 9, FAILED, 0, "has 11 sentences"),
    ],
)
def test_the_length_of_a_reflection_is_decided_and_what_it_says_waits(
    text: str, verdict: Verdict, points: int, told: str
) -> None:
    found = mark("reflection", ("report.md", f"# Reflection\n\n{text}\n"))
    length, content = found.outcomes
    assert (length.verdict, content.verdict) == (verdict, PERSON)
    assert (found.points, found.pending) == (points, 4)
    assert told in length.message
    assert content.answer is not None
    assert "masks" in {span.label for span in content.answer.spans}


# ------------------------------------------------------------------------------------------------------ the diagram


def test_a_missing_residual_costs_a_point_of_six() -> None:
    right = """flowchart TD
  t[Token embeddings] --> s((+))
  p[Positional encoding] --> s
  s --> a[Self-attention, padding mask] --> n1[Add & Norm]
  s --> n1 --> f[Feed forward] --> n2[Add & Norm]
  n1 --> n2
"""
    both, one = (
        mark("diagram", ("layer.mmd", text), ("report.md", "# R\n")) for text in (right, right[: right.rindex("  n1")])
    )
    assert (both.points, one.points) == (6, 5)


def test_the_tasks_own_words_are_no_reflection() -> None:
    task = (
        "A part headed Reflection, 5 to 8 sentences: 2 or 3 parts that you found difficult and how you tried to "
        "understand them. Use your own wording; put what you quote in quotation marks."
    )
    found = outcomes(("report.md", f"# Reflection\n\n{task}\n"))["reflection.reflection"]
    assert found.message.startswith("No part under a heading such as “Reflection”")


# -------------------------------------------------------------------------------------------- what a person is shown


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("\\begin{tikzpicture}\\node (a) {Self-Attention};\\end{tikzpicture}", "drawn in TikZ"),
        ("\\begin{verbatim}\nflowchart TD\n" + "a-->b\n" * 3000 + "\\end{verbatim}", "is not read"),
    ],
)
def test_a_diagram_that_a_person_decides_is_shown(source: str, told: str) -> None:
    found = outcomes(("report.tex", f"\\begin{{document}}Here it is:\n{source}\nSo.\\end{{document}}"))["diagram.layer"]
    assert found.verdict is PERSON
    assert told in found.message
    assert found.message.endswith("person looks at it.")
    assert found.answer is not None
    assert found.answer.text.strip()[:20] in source


def test_a_bare_symbol_is_no_attempt_at_a_formula() -> None:
    found = outcomes(("report.md", "# Heads\n\nThe matrix $W^O$ mixes them. ![](heads.png)\n"))["formulas.multi_head"]
    assert found.message == "This formula was not found in the source; a person looks for it."
