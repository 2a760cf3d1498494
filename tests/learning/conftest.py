"""Learn an assignment from a solution into a folder, and grade work under it, in one sandbox."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.catalog.interfaces import require_known_interfaces
from grader.intake.loading import load
from grader.learning.files import files
from grader.learning.learn import learn
from grader.learning.lesson import Learned
from grader.model.report import Report, Settings
from grader.pipeline import grade, prepared
from grader.sandbox.parent import Sandbox

sys.path.insert(0, str(Path(__file__).parent))

Teach = Callable[[str, Path], Learned]
Graded = Callable[[str, Path], Report]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("standard") as box:
        yield box


@pytest.fixture(scope="session")
def teach(sandbox: Sandbox) -> Teach:
    """Write what is learned of a solution into a folder."""

    def write(code: str, folder: Path) -> Learned:
        solution = folder / "solution.py"
        folder.mkdir(parents=True, exist_ok=True)
        solution.write_text(code)
        learned = learn(load(solution), sandbox)
        texts = files(learned, "learned", folder="learned", source="solution.py", command="grader new learned")
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        require_known_interfaces(folder / "assignment.yaml")
        return learned

    return write


@pytest.fixture(scope="session")
def graded(sandbox: Sandbox) -> Graded:
    """Grade code under the assignment of a folder."""

    def judge(code: str, folder: Path) -> Report:
        work = folder / "work.py"
        work.write_text(code)
        assignment = load_assignment(folder)
        settings = Settings(assignment, load_rubric(folder / "rubric.yaml", assignment), "standard", 3, ())
        return grade(prepared(load(work), assignment), settings, sandbox)

    return judge
