"""How long written work takes: a report of four pages as PDF with its source, and a filled worksheet.

Goals: the report under 2 s, the worksheet under 0.5 s beyond start-up, both in processor time (user and system, with
child processes), of a grader that ran before: its modules lie compiled, as those of an installed one do. Start-up is
what importing numpy, click, rich and pydantic takes. The PDF is made by LaTeX, Chromium and LibreOffice, as far as they
are here; without any of them, pages of a sample are put together.
"""

from __future__ import annotations

import io
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from grader.catalog import load_assignment
from tests.written.conftest import on_paper

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "tests" / "submissions" / "attention-week" / "good" / "report.pdf"
SHEET = ROOT / "tests" / "written" / "sheets" / "good.yaml"
RUN = "from grader.cli import script; script()"
STAND_ON = "import numpy, click, rich, pydantic"
ROUNDS = 7

_TEXT = (
    "Every query is compared with every key, and the softmax turns these scores into weights; the values are mixed "
    "with them. Because the dot product of two long vectors has a large variance, the scores are divided first. "
)
_FORMULAS = (
    r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)W^O",
    r"PE_{(pos,2i)} = \sin\left(\frac{pos}{10000^{2i/d_{model}}}\right)",
    r"PE_{(pos,2i+1)} = \cos\left(\frac{pos}{10000^{2i/d_{model}}}\right)",
    r"\max(0, xW_1 + b_1)W_2 + b_2",
    r"\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))",
)
_TOPICS = ("Attention", "Several heads", "Positions", "Masks", "One layer", "Reflection")


def _latex(folder: Path) -> bytes | None:
    program = shutil.which("pdflatex")
    if not program:
        return None
    pairs = zip(_TOPICS, _FORMULAS, strict=True)
    body = "\n".join(rf"\section{{{topic}}} {_TEXT * 9} \[{formula}\]" for topic, formula in pairs)
    text = rf"\documentclass[12pt]{{article}}\usepackage{{amsmath}}\begin{{document}}{body}\end{{document}}"
    (folder / "report.tex").write_text(text, encoding="utf-8")
    subprocess.run([program, "-interaction=batchmode", "report.tex"], cwd=folder, capture_output=True, check=False)
    made = folder / "report.pdf"
    return made.read_bytes() if made.is_file() else None


def _html(folder: Path) -> Path:
    parts = [f"<h2>{topic}</h2><p>{_TEXT * 14}</p>" for topic in _TOPICS]
    page = folder / "report.html"
    page.write_text(f"<meta charset=utf-8><body style='font-size:16px'>{''.join(parts)}", encoding="utf-8")
    return page


def _chromium(folder: Path) -> bytes | None:
    program = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    if not program:
        return None
    made = folder / "chromium.pdf"
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={made}", str(_html(folder))]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    return made.read_bytes() if made.is_file() else None


def _libreoffice(folder: Path) -> bytes | None:
    program = shutil.which("soffice")
    if not program:
        return None
    command = [program, "--headless", "--convert-to", "pdf:writer_web_pdf_Export", str(_html(folder))]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=180)
    made = folder / "report.pdf"
    return made.read_bytes() if made.is_file() else None


def _pages(data: bytes, count: int = 4) -> bytes:
    """Return a PDF of exactly ``count`` pages: the first ones, or all of them again and again."""
    from pypdf import PdfReader, PdfWriter

    pages = PdfReader(io.BytesIO(data)).pages
    writer = PdfWriter()
    for number in range(count):
        writer.add_page(pages[number % len(pages)])
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _spent(arguments: Sequence[str], code: str = RUN) -> tuple[float, float]:
    """Processor and wall seconds of one run of the command (or of ``code``) and of its children."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=compiled)
    if done.returncode not in {0, 1}:
        raise SystemExit(done.stderr.decode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.perf_counter() - start


def _median(arguments: Sequence[str], code: str = RUN) -> tuple[float, float]:
    _spent(arguments, code)
    runs = [_spent(arguments, code) for _ in range(ROUNDS)]
    return statistics.median(cpu for cpu, _ in runs), statistics.median(wall for _, wall in runs)


def main() -> None:
    """Make the work, measure and print medians."""
    makers = {"LaTeX": _latex, "Chromium": _chromium, "LibreOffice": _libreoffice}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = _median([], STAND_ON)
        print(f"{STAND_ON:<44} {start[0]:5.2f} s of processor, {start[1]:5.2f} s")
        answers = yaml.safe_load(SHEET.read_text(encoding="utf-8"))
        sheet = folder / "worksheet.md"
        sheet.write_text(on_paper("discovery-worksheet", answers), encoding="utf-8")
        cpu, wall = _median(["check", str(sheet), "-a", "discovery-worksheet"])
        count = sum(len(section.questions) for section in load_assignment("discovery-worksheet").sections)
        print(f"{f'worksheet, {count} questions':<44} {cpu:5.2f} s of processor, {wall:5.2f} s")
        print(f"{'  beyond start-up (goal 0.5 s)':<44} {cpu - start[0]:5.2f} s of processor")
        made: dict[str, bytes] = {}
        for maker, make in makers.items():
            scratch = folder / maker
            scratch.mkdir()
            data = make(scratch)
            if data:
                made[maker] = data
        for maker, data in (made or {"a sample": SAMPLE.read_bytes()}).items():
            work = folder / f"work-{maker}"
            work.mkdir()
            (work / "report.pdf").write_bytes(_pages(data))
            source = "\n\n".join(f"# {t}\n\n{_TEXT}\n\n$${f}$$" for t, f in zip(_TOPICS, _FORMULAS, strict=True))
            (work / "report.md").write_text(source, encoding="utf-8")
            cpu, wall = _median(["check", str(work), "-a", "rederive-report"])
            print(f"{f'report, 4 pages by {maker} (goal 2 s)':<44} {cpu:5.2f} s of processor, {wall:5.2f} s")


if __name__ == "__main__":
    main()
