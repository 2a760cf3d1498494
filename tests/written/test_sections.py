"""Where a part of a report begins and ends, in every way that headings are made; reports in several files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from grader.written.opening import open_paper
from grader.written.paper import Block, Pages, Paper, from_pages
from grader.written.reports import judge_report
from grader.written.topics import level_of, section_text
from tests.growth import SQUARE, growth
from tests.written.documents import html, latex, markdown

MADE = Path(__file__).parent / "reports"
PASSED, FAILED, PERSON = Verdict.PASSED, Verdict.FAILED, Verdict.UNDETERMINED
LOOK = re.compile(r"\b(?:reflection|what was hard)\b")


def outcomes(*documents: tuple[str, str], rubric: str = "rederive-report") -> dict[str, Outcome]:
    loaded = load_assignment("rederive-report")
    files = tuple(Document(name, text.encode()) for name, text in documents)
    settings = Settings(loaded, load_rubric(rubric, loaded))
    report = grade(Submission("work", "work", documents=files), settings)
    return {outcome.check: outcome for mark in report.marks for outcome in mark.outcomes}


# ---------------------------------------------------------------------------------------------------------- levels


@pytest.mark.parametrize(
    "blocks",
    [
        markdown.read("# Reflection\n\nOne.\n\n## Masks\n\nTwo.\n\n### Deep\n\nThree.\n\n# End\n\nFour.\n"),
        latex.read(
            r"\section{Reflection} One. \subsection{Masks} Two. \subsubsection{Deep} Three. \section*{End} Four."
        ),
        html.read("<h2>Reflection</h2><p>One.<h3>Masks</h3><p>Two.<h4>Deep</h4><p>Three.</p><h2>End</h2><p>Four."),
        from_pages(["6 Reflection\nOne.\n6.1 Masks\nTwo.\n6.1.1 Deep\nThree.\n7 End\nFour.\n"]),
    ],
    ids=["markdown", "latex", "html", "pdf"],
)
def test_what_stands_under_subheadings_belongs_to_the_section(blocks: tuple[Block, ...]) -> None:
    assert section_text(blocks, LOOK) == "One.\nTwo.\nThree."


def test_a_title_that_names_the_part_is_not_the_part() -> None:
    long = "Much is said here. " * 300
    text = f"# Report and reflection\n\n## Masks\n\n{long}\n\n## Reflection\n\nIt was hard.\n"
    assert section_text(markdown.read(text), LOOK) == "It was hard."


@pytest.mark.parametrize(
    ("heading", "level"),
    [("3 Masks", 1), ("3.2 Masks", 2), ("10.1.4) Masks", 3), ("Masks", 0), ("2017 was the year", 0)],
)
def test_numbers_tell_the_level_of_a_heading(heading: str, level: int) -> None:
    assert level_of(Block("heading", heading)) == level


@pytest.mark.parametrize(
    "text",
    [
        "**Reflection**\n\nIt was hard. I read it.\n\n**End**\n\nMore.",
        "Reflection:\n\nIt was hard. I read it.\n\nReferences\n\nVaswani et al.",
        "Reflection: It was hard. I read it.\n\nMore that does not belong here.",
        "**What was hard for me** – It was hard. I read it.",
    ],
)
def test_a_heading_without_a_style_is_found(text: str) -> None:
    assert section_text(markdown.read(f"# Title\n\nSome words first.\n\n{text}\n"), LOOK) == "It was hard. I read it."


def test_a_sentence_is_no_heading() -> None:
    text = "# Masks\n\nOn reflection the masks are easy.\n\nWhat was hard. It was the scaling, as I said above.\n"
    assert section_text(markdown.read(text), LOOK) == ""


# ------------------------------------------------------------------------------------------------------------ lists

POINTS = ("the scaling, which I worked out", "the masks, where a drawing helped", "the heads, for which I made a plot")
ENDS = "I am happy with the rest. I asked a friend."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.md", f"# Reflection\n\nHard were:\n- {POINTS[0]}\n- {POINTS[1]}\n* {POINTS[2]}\n\n{ENDS}\n"),
        ("r.md", f"# Reflection\n\nHard were:\n1. {POINTS[0]}\n2. {POINTS[1]}\n3. {POINTS[2]}\n\n{ENDS}\n"),
        (
            "r.tex",
            "\\section{Reflection} Hard were:\n\\begin{itemize}"
            + "".join(f"\\item {point}\n" for point in POINTS)
            + f"\\end{{itemize}}\n{ENDS}\n",
        ),
        (
            "r.html",
            f"<h1>Reflection</h1><p>Hard were:<ul>{''.join(f'<li>{point}</li>' for point in POINTS)}</ul><p>{ENDS}</p>",
        ),
    ],
)
def test_points_of_a_list_count_as_sentences(name: str, text: str) -> None:
    assert outcomes((name, text))["reflection.length"].verdict is PASSED


# ---------------------------------------------------------------------------------------------------------- the PDF

BACK = "Vaswani, A. et al. Attention. 2017. Ba, J. Norm. 2016. Rush, A. Blog. 2018. He, K. Nets. 2015."
PAGES = (
    "Homework 4: Attention Mira Lang\n1 Masks\nThey hide the future.\n7 Reflection\nThe masks were hard. I drew\n1\n",
    f"Homework 4: Attention Mira Lang\nthem. The heads were hard. I asked. Now I know.\nReferences\n{BACK}\n2\n",
)


def test_running_heads_and_references_are_no_part_of_the_text() -> None:
    assert section_text(from_pages(PAGES), LOOK) == (
        "The masks were hard. I drew them. The heads were hard. I asked. Now I know."
    )


def test_a_line_inside_a_sentence_is_no_heading() -> None:
    blocks = from_pages(["1 Masks\nThe masks are what makes a decoder and\nDifficult\nit was.\n"])
    assert [block.text for block in blocks if block.kind == "heading"] == ["1 Masks"]


@pytest.mark.parametrize("count", [3, 12])
def test_the_length_of_a_reflection_in_a_pdf_alone_is_told_to_a_person(count: int) -> None:
    text = "7 Reflection\n" + "The masks and the heads were hard. " * count
    key = next(
        question.key
        for section in load_assignment("rederive-report").sections
        for question in section.questions
        if question.id == "length"
    )
    found, _ = judge_report(key, Paper(Pages("r.pdf", (text,), pictures=(0.0,))))
    assert found.verdict is PERSON
    assert f"has {count} sentences" in found.message


# -------------------------------------------------------------------------------------------------- several files

BODY = "\\input{parts/one}\n\\include{parts/two.tex}"
MAIN = f"\\documentclass{{article}}\\input{{macros}}\n\\begin{{document}}\n{BODY}\n\\end{{document}}"
FILES = {
    "parts/one.tex": "\\section{One} $x = \\half$",
    "parts/two.tex": "% \\input{parts/one}\n\\section{Two}",
    "macros.tex": "\\newcommand{\\half}{\\frac{1}{2}}\n",
    "zmain.tex": MAIN,
}


def test_latex_in_several_files_is_one_report() -> None:
    paper = open_paper([Document(name, text.encode()) for name, text in FILES.items()])
    assert list(paper.sources) == ["zmain.tex"]
    assert [block.text for block in paper.blocks if block.kind == "heading"] == ["One", "Two"]
    assert paper.formulas == (r"x = \frac{1}{2}",)


def test_of_several_pdfs_the_report_is_read_and_a_figure_is_named() -> None:
    pytest.importorskip("pypdfium2")
    report, figure = (MADE / name for name in ("writer.pdf", "bitmap_letters.pdf"))
    files = (Document("a_figure.pdf", figure.read_bytes()), Document("report.pdf", report.read_bytes()))
    paper = open_paper(files)
    assert paper.pages is not None
    assert paper.pages.path == "report.pdf"
    assert [name.partition(" [")[0] for name in paper.pictures] == ["a_figure.pdf"]
    assert paper.notes == ("Several PDF files; report.pdf holds most text and is read.",)


# ------------------------------------------------------------------------------------------------ answers that are none

QUESTION = (
    "In one sentence, explain what “attention” does when a model reads a clinical note (e.g., HPI, meds, allergies)."
)


@pytest.mark.parametrize(
    ("answer", "verdict", "told"),
    [
        ("It weighs each phrase of the note by how relevant it is for the phrase being read.", PASSED, ""),
        (f"{QUESTION} It weighs each phrase of the note by how relevant it is.", PASSED, ""),
        (QUESTION, PERSON, "The question stands there, and no answer to it"),
        ("I do not know the answer to this question yet.", PERSON, "It says that there is no answer"),
        ("TODO write something here before the deadline", PERSON, "It says that there is no answer"),
        ("Keine Ahnung, dazu habe ich nichts gefunden.", PERSON, "It says that there is no answer"),
    ],
)
def test_an_answer_is_more_than_its_question(answer: str, verdict: Verdict, told: str) -> None:
    text = f"# Attention in EMRs\n\n{answer}\n\n# More\n\nSomething else is said here.\n"
    found = outcomes(("report.md", text), rubric="rederive-report-non-cs")["healthcare.emr"]
    assert found.verdict is verdict
    assert found.message.startswith(told)


GERMAN = {
    "emr": (
        "Aufmerksamkeit in Krankenakten",
        "Sie gewichtet, welche anderen Angaben für ein Wort gerade wichtig sind.",
    ),
    "angles": ("Mehrere Köpfe", "Ein Kopf achtet auf Medikamente, ein anderer auf Laborwerte der Akte."),
    "drafting": ("Masken beim Schreiben", "Kausal beim Entlassungsbrief, Padding bei Notizen verschiedener Länge."),
    "word_order": ("Warum die Reihenfolge zählt", "Vor der Operation absetzen ist etwas anderes als danach."),
    "safety": ("Nutzen und Risiken", "Zeit wird gespart, Befunde können erfunden sein, eine Ärztin prüft."),
}


def test_german_headings_of_the_healthcare_questions_are_known() -> None:
    text = "\n\n".join(f"# {heading}\n\n{answer}" for heading, answer in GERMAN.values())
    found = outcomes(("report.md", text), rubric="rederive-report-non-cs")
    assert {name: found[f"healthcare.{name}"].verdict for name in GERMAN} == dict.fromkeys(GERMAN, PASSED)
    for name, (_, answer) in GERMAN.items():
        passage = found[f"healthcare_content.{name}_content"].answer
        assert passage is not None
        assert passage.text == answer


@pytest.mark.parametrize("piece", ["a", "a ", "A: ", "(", "1. "])
def test_the_time_for_an_endless_paragraph_grows_with_its_length(piece: str) -> None:
    assert growth(lambda n: section_text((Block("text", piece * n),), LOOK), 20_000) < SQUARE


# ------------------------------------------------------------------------------------------- headings that a PDF shows

HEADINGS = {
    "writer.pdf": ["Short overview", "Attention", "Many heads", "Positional encoding", "Masks", "Reflection"],
    "summary.pdf": ["Background", "Why it is important", "Multi-head value", "Why positions matter", "Reflection"],
    "bitmap_letters.pdf": ["1 Was mir schwerfiel", "2 Reflection"],
}


@pytest.mark.parametrize("name", HEADINGS)
def test_lines_that_are_set_larger_or_bold_are_headings(name: str) -> None:
    pytest.importorskip("pypdfium2")
    paper = open_paper([Document(name, (MADE / name).read_bytes())])
    found = [block.text for block in paper.blocks if block.kind == "heading"]
    assert [heading for heading in found if heading in HEADINGS[name]] == HEADINGS[name]
    assert not [heading for heading in found if "=" in heading or heading.endswith(".")]


def test_a_pdf_alone_tells_which_healthcare_question_has_which_answer() -> None:
    pytest.importorskip("pypdfium2")
    loaded = load_assignment("rederive-report")
    rubric = load_rubric("rederive-report-non-cs", loaded)
    files = (Document("summary.pdf", (MADE / "summary.pdf").read_bytes()),)
    report = grade(Submission("work", "work", documents=files), Settings(loaded, rubric))
    found = {outcome.check: outcome for mark in report.marks for outcome in mark.outcomes}
    begins = {
        "emr": "When the model reads a clinical note",
        "angles": "With several heads the same chart",
        "drafting": "A causal mask fits when",
        "word_order": "“Hold warfarin before surgery",
        "safety": "A benefit is that the key",
    }
    for name, begin in begins.items():
        assert found[f"healthcare.{name}"].verdict is (PASSED if name != "none" else PERSON)
        answer = found[f"healthcare_content.{name}_content"].answer
        assert answer is not None
        assert answer.text.startswith(begin)
        assert len(answer.text.split()) < 70
    assert found["reflection.length"].verdict is PASSED
    assert found["reflection.reflection"].verdict is PERSON


def test_a_heading_over_two_lines_is_one() -> None:
    lines = ["Safety and limits of attention-based", "language models"]
    blocks = from_pages(["\n".join(("Some words end here.", *lines, "A benefit is speed."))], lines)
    assert [(block.kind, block.text) for block in blocks] == [
        ("text", "Some words end here."),
        ("heading", " ".join(lines)),
        ("text", "A benefit is speed."),
    ]
