"""Write docs/examples: reports of the sample hand-ins, the page of their class, and the picture in the README."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

from grader.component.pictures import read
from grader.report import page, pictures

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "examples"
GAP = 24


def grader(*words: str) -> str:
    """Run the command as a shell would; points may be lost, nothing else may go wrong."""
    start = [sys.executable, "-c", "from grader.cli import script; script()"]
    ran = subprocess.run([*start, *words], cwd=ROOT, check=False, capture_output=True, text=True)
    if ran.returncode > 1:
        sys.exit(f"grader {' '.join(words)}: {ran.stderr}")
    return ran.stdout


def picture(report: str) -> str:
    """Return the weights of a report as one picture that stands by itself, in both schemes."""
    checks = json.loads(report)["checks"]
    found = (read((check["counterexample"] or {}).get("picture")) for check in checks)
    figure = pictures.draw(next(one for one in found if one is not None), "example")
    drawn = list(figure.iter("svg"))
    widths = [float(one.get("width", 0)) for one in drawn]
    high = max(float(one.get("height", 0)) for one in drawn)
    whole = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
    whole.set("viewBox", f"0 0 {sum(widths) + GAP * (len(drawn) - 1):g} {high:g}")
    colours = page.STYLE[: page.STYLE.index("* {")]
    ET.SubElement(whole, "style").text = f"{colours}svg {{ background: var(--paper); }}{pictures.STYLE}"
    for number, one in enumerate(drawn):
        one.set("x", f"{sum(widths[:number]) + GAP * number:g}")
        whole.append(one)
    return ET.tostring(whole, encoding="unicode") + "\n"


def main() -> None:
    """Write everything anew."""
    TARGET.mkdir(parents=True, exist_ok=True)
    work = ("check", "examples/mechanics.py", "-a", "attention-mechanics")
    grader(*work, "-o", str(TARGET / "report.html"))
    (TARGET / "report.txt").write_text(grader(*work), encoding="utf-8")
    (TARGET / "weights.svg").write_text(picture(grader(*work, "--format", "json")), encoding="utf-8")
    with tempfile.TemporaryDirectory() as results:
        grader("grade", "examples/class", "-a", "attention-numpy", "-o", results, "--isolation", "standard")
        grader("report", results, "-o", str(TARGET / "class"))


if __name__ == "__main__":
    main()
