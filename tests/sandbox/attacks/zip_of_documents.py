# kind: archive
# expected: refused|fail|exc
# safe-outcome: documents beside the code that are bombs or no documents cost time by their length
# stopped-by: caps; documents are read apart
import io
import os
import zipfile
import zlib

PAGES = b"2 0 obj<</Type/Pages/Kids[2 0 R 3 0 R]/Count 99999999/Parent 2 0 R>>endobj\n"
ROOT = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n"
END = b"xref\n0 1\ntrailer<</Root 1 0 R/Prev 9/Size 99999999>>\nstartxref\n9\n%%EOF"


def pdf():
    stream = zlib.compress(bytes(30 << 20))
    page = b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj\n"
    body = b"4 0 obj<</Length %d/Filter[%s]>>stream\n" % (len(stream), b"/FlateDecode " * 8)
    return ROOT + PAGES + page + body + stream + b"\nendstream endobj\n" + END


def docx(text):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", text)
        archive.writestr("[Content_Types].xml", text)
    return made.getvalue()


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    letters = "abcdefghij"
    doubled = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip(letters, letters[1:], strict=False))
    bomb = f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">{doubled}]><l>&j;</l>'
    outside = f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file://{hints["rubric"]}">]><l>&x;</l>'
    lines = "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip(letters, letters[1:], strict=False))
    files = {
        "hw.py": "import numpy as np\ndef softmax(x): return np.zeros_like(x)",
        "answers.pdf": pdf(),
        "answers.docx": docx(bomb),
        "more.docx": docx(outside),
        "answers.drawio": bomb,
        "answers.svg": outside,
        "answers.yaml": f"a: &a [{', '.join('x' * 10)}]\n{lines}",
        "tagged.yaml": f"!!python/object/apply:os.system ['touch {hints['drop_dir']}/yaml']\n",
        "answers.json": "[" * 100_000,
        "answers.csv": "=cmd|' /C calc'!A0,@SUM(1)\n" * 1000,
        "answers.md": "[" * 20_000 + "](" * 20_000 + "*_" * 20_000 + "\n> " * 5000,
        "answers.tex": f"\\input{{{hints['rubric']}}}\\write18{{ls}}\\def\\a{{\\a\\a}}\\a" + "{" * 50_000,
        "answers.html": "<iframe src=file:///etc/passwd></iframe>" + "<div>" * 50_000,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path
