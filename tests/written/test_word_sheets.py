"""Sheets filled in Word or Writer are read behind their marks, with tables and formulas; reports are not."""

import io
import re
import zipfile
from xml.sax.saxutils import escape

import pytest

from grader.catalog import load_assignment
from grader.model import Document
from grader.written.blank import blank_sheet
from grader.written.sheet import Sheet, read_sheet
from grader.written.sources import sheet_text

SECTIONS = load_assignment("discovery-worksheet").sections
BLANK = blank_sheet("Week 5", SECTIONS)
ROW = ("sat", "0.2", "0.5", "0.3")


def packed(name: str, xml: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, xml)
    return out.getvalue()


def docx(lines: list[str], table: tuple[str, ...] = (), extra: str = "") -> bytes:
    def paragraph(text: str) -> str:
        style = '<w:pPr><w:pStyle w:val="Heading2"/></w:pPr>' if text.startswith("## ") else ""
        return f'<w:p>{style}<w:r><w:t xml:space="preserve">{escape(text.removeprefix("## "))}</w:t></w:r></w:p>'

    cells = "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in table)
    rows = f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>" if table else ""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    body = "".join(map(paragraph, lines)) + rows + extra
    return packed(
        "word/document.xml", f'<w:document xmlns:w="{word}" xmlns:m="{math}"><w:body>{body}</w:body></w:document>'
    )


def odt(lines: list[str], table: tuple[str, ...] = ()) -> bytes:
    def paragraph(text: str) -> str:
        tag = "text:h" if text.startswith("## ") else "text:p"
        return f"<{tag}>{escape(text.removeprefix('## '))}</{tag}>"

    cells = "".join(f"<table:table-cell>{paragraph(cell)}</table:table-cell>" for cell in table)
    rows = f"<table:table><table:table-row>{cells}</table:table-row></table:table>" if table else ""
    names = "".join(f' xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "text", "table"))
    body = "".join(map(paragraph, lines)) + rows
    return packed(
        "content.xml",
        f"<office:document-content{names}><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>",
    )


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
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    opened, closed = (
        "".join(f"<{sign}{tag}>" for tag in tags)
        for sign, tags in (("", nested.split()), ("/", reversed(nested.split())))
    )
    deep = opened * 1500 + "<w:p/>" + closed * 1500
    text = sheet_text.from_docx(packed("word/document.xml", f'<w:document xmlns:w="{word}">{deep}</w:document>'))
    assert re.sub(r"[\s|]", "", text) == ""
