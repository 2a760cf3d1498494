"""Every command of the documents is typed as it is printed, page by page in a folder with what it names."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from distributed import Client

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "examples/class"
BIN = Path(sys.executable).parent
LOST = {"check", "ci", "assignment"}
"""Commands that end with 1 where points are lost."""
LINE = re.compile(r"^(?:(?:grader|dask) [a-z]|cd ).*", re.MULTILINE)
ENDLESS = {"--web", "--watch"}
"""Options that wait for a person; tests of their own see them end."""
GROUPS = (["assignment"], ["rubric"], ["schema"])
"""Commands of which the second word names one."""
MEANT = {
    "FILE": "attention.py",
    "FOLDER": "mine",
    "FOLDER/rubric.yaml": "mine/rubric.yaml",
    "SOLUTION": "solution.py",
    "ID": "attention-numpy",
    "mine.yaml": "rubric.yaml",
}
"""What stands for the reader's own in prose."""
SHEET = """# Discovery worksheet

## 1
**Answer:** six of them

## 2
**Answer:** the positions of the words, I think
"""


def folder_of_a_student(here: Path) -> None:
    shutil.copy(CLASS / "not_scaled.py", here / "attention.py")


def folder_of_an_instructor(here: Path) -> None:
    folder_of_a_student(here)
    shutil.copytree(CLASS, here / "class")
    shutil.copytree(CLASS, here / "examples/class")
    shutil.copy(ROOT / "examples/course/solution.py", here)
    for name in ("rubric.yaml", "new.yaml"):
        shutil.copy(ROOT / "rubrics/attention-numpy.yaml", here / name)
    with zipfile.ZipFile(here / "work.zip", "w") as work:
        work.write(CLASS / "not_scaled.py", "attention.py")
    people = {"B, Ann": ("701", "right.py"), "C, Bob": ("702", "not_scaled.py"), "D, Cyd": ("703", "unfinished.py")}
    with zipfile.ZipFile(here / "export.zip", "w") as export:
        for name, (number, file) in people.items():
            export.write(CLASS / file, f"{re.sub('[, ]', '', name).lower()}_{number}_9{number}_attention.py")
    rows = [f'"{name}",{number},1' for name, number in [*((n, p[0]) for n, p in people.items()), ("N, Ned", "704")]]
    (here / "roster.csv").write_text("\n".join(("Student,ID,Section", *rows, "")))
    (here / "gradebook.csv").write_text("\n".join(("Student,ID,Section,HW1 (4711)", *(f"{row}," for row in rows), "")))


def folder_of_a_reader_of_sheets(here: Path) -> None:
    (here / "sheets").mkdir()
    for name in ("ann", "bob"):
        (here / "sheets" / f"{name}.md").write_text(SHEET)
    typed("grader grade sheets -a discovery-worksheet -o results", here)
    shutil.copytree(ROOT / "assignments/discovery-worksheet", here / "mine")
    (here / "form.csv").write_text("Timestamp,Name,1,2\n2026-09-01 10:00:00,Ann B,six,six\n")


PAGES: dict[str, Callable[[Path], None]] = {
    "README": folder_of_an_instructor,
    "docs/ci": folder_of_a_student,
    "docs/cluster": folder_of_an_instructor,
    "docs/instructor": folder_of_an_instructor,
    "docs/platforms": folder_of_a_student,
    "docs/student": folder_of_a_student,
    "docs/tutorial-instructor": folder_of_an_instructor,
    "docs/tutorial-repository": folder_of_a_student,
    "docs/tutorial-student": folder_of_a_student,
    "docs/written": folder_of_a_reader_of_sheets,
}


def pieces(page: str) -> Iterator[tuple[str, str, str]]:
    """The blocks of a page, each with its language, and the code in its prose, in their order."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    pattern = r"^```(\w*)\n(.*?)^```|`(grader [^`]+)`"
    return (found.groups(default="") for found in re.finditer(pattern, text, re.MULTILINE | re.DOTALL))


def commands(page: str) -> Iterator[str]:
    """What a page says to type: lines in blocks, and in its prose the commands that are whole."""
    for language, block, prose in pieces(page):
        yield from [] if language else LINE.findall(block)
        words = [MEANT.get(word, word) for word in prose.split()]
        if len(words) > (3 if words[1:2] in GROUPS else 2) and "…" not in words:
            yield " ".join(words)


def typed(line: str, here: Path) -> Path:
    """Type a line in a folder; returns the folder that the next one is typed in."""
    where = here
    for one in line.split(" && "):
        words = shlex.split(one, comments=True)
        if words[0] == "cd":
            where = (where / words[1]).resolve()
            assert where.is_dir(), line
        elif not ENDLESS & set(words):
            call = [BIN / words[0], *words[1:]]
            ran = subprocess.run(call, cwd=where, capture_output=True, text=True, check=False, timeout=300, input="")
            assert ran.returncode in ({0, 1} if words[1] in LOST else {0}), f"{line}\n{ran.stdout}{ran.stderr}"
            assert "Traceback" not in ran.stderr
    return here if " && " in line else where


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[] if page == "docs/tutorial-student" else [pytest.mark.slow]) for page in PAGES]
)
@pytest.mark.timeout(600)
def test_a_page_can_be_typed(page: str, tmp_path: Path) -> None:
    for language, block, _ in pieces(page):
        if language == "yaml" and (named := re.match(r"# ([\w-]+\.yaml)\n", block)):
            (tmp_path / named[1]).write_text(block)
    PAGES[page](tmp_path)
    found = list(commands(page))
    assert found
    here, helpers = tmp_path, []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    try:
        for line in found:
            mine = line.replace("10.0.0.1", "127.0.0.1").replace("8786", port)
            if mine.startswith("dask "):
                words = shlex.split(mine, comments=True)
                helpers.append(subprocess.Popen([BIN / words[0], *words[1:]], cwd=here, stderr=subprocess.DEVNULL))
                continue
            if helpers:
                with Client(f"tcp://127.0.0.1:{port}", timeout=60) as client:
                    client.wait_for_workers(1, timeout=60)
            here = typed(mine, here)
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def test_every_page_that_says_what_to_type_is_typed() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    names = {str(path.relative_to(ROOT).with_suffix("")) for path in pages}
    say = {
        page
        for page in names
        if any(block for language, block, _ in pieces(page) if not language and LINE.search(block))
    }
    assert say == PAGES.keys()
