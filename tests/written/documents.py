"""Documents for tests: read by their format, and made as small files of word processors."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from grader.written.documents.tree import read_blocks, read_text
from grader.written.paper import Block

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_TYPES = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_BESIDE = {
    "[Content_Types].xml": f'<Types xmlns="{_TYPES}/content-types">'
    f'<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_TYPES}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/styles.xml": f'<w:styles xmlns:w="{WORD}">'
    + "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    + "</w:styles>",
    "word/_rels/document.xml.rels": f'<Relationships xmlns="{_TYPES}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
}


@dataclass(frozen=True)
class Reader:
    """Reads one format."""

    form: str

    def read(self, data: str | bytes) -> tuple[Block, ...]:
        """Return the blocks."""
        return read_blocks(self.form, data) if isinstance(data, bytes) else read_text(self.form, data)


markdown, latex, html, docx, odt = (Reader(form) for form in ("md", "tex", "html", "docx", "odt"))


def packed(name: str, xml: str | bytes, **beside: str) -> bytes:
    """Return a zip of one file, and others beside it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in {**beside, name: xml}.items():
            archive.writestr(path, text)
    return out.getvalue()


def word_file(body: str) -> bytes:
    """Return a .docx with a body of paragraphs as Word's XML."""
    xml = f'<w:document xmlns:w="{WORD}" xmlns:m="{MATH}"><w:body>{body}</w:body></w:document>'
    return packed("word/document.xml", xml, **_BESIDE)


def paragraph(*runs: str) -> str:
    """Return a paragraph of runs as Word's XML."""
    return f"<w:p>{''.join(runs)}</w:p>"


def run(text: str, looks: str = "") -> str:
    """Return a run of text with its properties as Word's XML."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'
