"""Sheets filled in Word or Writer are read behind their marks, with tables and formulas; reports are not."""

import contextlib
import io
import re
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.model.submission import Document
from grader.written.answers import judge_answer
from grader.written.documents.pandoc import UnreadableSourceError
from grader.written.documents.tree import sheet_text, words
from grader.written.printed import blank_sheet
from grader.written.sheet import Sheet, Written, plain, read_sheet
from tests.written.documents import packed, run, word_file

SECTIONS = load_assignment("discovery-worksheet").sections
BLANK = blank_sheet("Week 5", SECTIONS)
MADE = Path(__file__).parent / "reports" / "writer.odt"
ROW = ("sat", "0.2", "0.5", "0.3")


def docx(lines: list[str], table: tuple[str, ...] = (), extra: str = "") -> bytes:
    def line(text: str) -> str:
        style = '<w:pPr><w:pStyle w:val="Heading2"/></w:pPr>' if text.startswith("## ") else ""
        return f"<w:p>{style}{run(escape(text.removeprefix('## ')))}</w:p>"

    cells = "".join(f"<w:tc>{line(cell)}</w:tc>" for cell in table)
    rows = f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>" if table else ""
    return word_file("".join(map(line, lines)) + rows + extra)


def odt(lines: list[str], table: tuple[str, ...] = ()) -> bytes:
    """Return a file that Writer made, with other content."""

    def line(text: str) -> str:
        level = ' text:outline-level="2"'
        tag, inner = ("text:h", text[3:]) if text.startswith("## ") else ("text:p", text)
        return f"<{tag}{level if tag == 'text:h' else ''}>{escape(inner)}</{tag}>"

    cells = "".join(f"<table:table-cell>{line(cell)}</table:table-cell>" for cell in table)
    rows = f"<table:table><table:table-row>{cells}</table:table-row></table:table>" if table else ""
    out = io.BytesIO()
    with zipfile.ZipFile(MADE) as made, zipfile.ZipFile(out, "w") as archive:
        for name in made.namelist():
            data = made.read(name)
            if name == "content.xml":
                before, _, rest = data.decode().partition("<office:text")
                body = f"<office:text>{''.join(map(line, lines))}{rows}</office:text>"
                data = (before + body + rest.rpartition("</office:text>")[2]).encode()
            archive.writestr(name, data)
    return out.getvalue()


def read(name: str, data: bytes) -> Sheet:
    return read_sheet([Document(name, data)], SECTIONS, BLANK)


def texts(sheet: Sheet) -> dict[str, str]:
    return {name: written.text for name, written in sheet.answers.items() if written.text}


@pytest.mark.parametrize(("name", "make"), [("sheet.docx", docx), ("Sheet.ODT", odt)])
def test_a_sheet_pasted_into_a_word_processor_is_read(name: str, make) -> None:  # type: ignore[no-untyped-def]
    lines = [line.replace("**[rnn_gpus]**", "[rnn_gpus] 1").replace("**", "") for line in BLANK.splitlines()]
    lines = [line.replace("3. Apply ____ to", "3. Apply softmax to") for line in lines]
    found = read(name, make(lines))
    assert texts(found) == {"rnn_gpus": "1", "normalise": "softmax"}
    assert not found.by_eye


@pytest.mark.parametrize(("name", "make"), [("sheet.docx", docx), ("sheet.odt", odt)])
def test_a_table_is_read_row_by_row_and_a_heading_ends_an_answer(name: str, make) -> None:  # type: ignore[no-untyped-def]
    found = texts(read(name, make(["[connections] n²", "## 2 Inventing", "My notes", "[relevance]"], ROW)))
    assert found == {"connections": "n²", "relevance": "| sat | 0.2 | 0.5 | 0.3 |"}


def test_a_table_that_lays_out_the_sheet_is_read_cell_by_cell() -> None:
    assert texts(read("a.docx", docx([], ("[rnn_gpus] 1", "[connections]", "n²")))) == {
        "rnn_gpus": "1",
        "connections": "n²",
    }


def test_an_equation_of_word_is_a_formula_of_the_answer() -> None:
    run = "<m:r><m:t>{}</m:t></m:r>"
    power = f"<m:sSup><m:e>{run.format('n')}</m:e><m:sup>{run.format('2')}</m:sup></m:sSup>"
    equation = f"<w:p><w:r><w:t>[connections]</w:t></w:r><m:oMath>{power}</m:oMath></w:p>"
    found = texts(read("a.docx", docx([], extra=equation)))
    assert found["connections"].replace(" ", "") in {"$n^{2}$", "$n^2$", "${n}^{2}$"}


@pytest.mark.parametrize("line", ["Scale: 1/√d_k", "scale: the scores grow", "As [1] says", "metric = BLEU"])
def test_a_report_in_word_is_no_sheet(line: str) -> None:
    found = read("report.docx", docx(["## Attention", line]))
    assert not found.answers
    assert found.by_eye


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"text", packed("other.xml", "<a/>"), packed("word/document.xml", "<a")]
)
def test_a_broken_file_waits_for_a_person(data: bytes) -> None:
    for name in ("a.docx", "a.odt"):
        found = read(name, data)
        assert not found.answers
        assert found.by_eye


def test_hidden_words_are_no_answer() -> None:
    hidden = "<w:p><w:r><w:t>[rnn_gpus] 1</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>2</w:t></w:r></w:p>"
    assert texts(read("a.docx", docx([], extra=hidden))) == {"rnn_gpus": "1"}


@pytest.mark.parametrize("nested", ["w:sdt", "w:tr w:tc", "w:tbl w:tr w:tc"])
def test_deep_nesting_ends(nested: str) -> None:
    opened, closed = (
        "".join(f"<{sign}{tag}>" for tag in tags)
        for sign, tags in (("", nested.split()), ("/", reversed(nested.split())))
    )
    deep = opened * 1500 + "<w:p/>" + closed * 1500
    with contextlib.suppress(UnreadableSourceError):
        text = sheet_text("docx", word_file(deep))
        assert re.sub(r"[\s|]", "", text) == ""


def test_a_photo_behind_a_mark_is_an_answer_that_a_person_looks_at() -> None:
    photo = {"t": "Image", "c": [["", [], []], [], ["media/image1.png", ""]]}
    said = words([{"t": "Str", "c": "[scale]"}, photo], maths="$").partition("]")[2]
    assert not words([photo])  # in a report it is a picture of its own
    for section in SECTIONS:
        for question in section.questions:
            assert judge_answer(question.key, Written(plain(said))).verdict is Verdict.UNDETERMINED
