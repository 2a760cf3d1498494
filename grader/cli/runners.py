"""What a CI run leaves behind: the log, files for the platform, and what GitHub is told besides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import system_errors

if TYPE_CHECKING:
    from grader.model.report import Report


@dataclass(frozen=True, slots=True)
class Files:
    """Where the JUnit XML goes, GitLab's code quality report and a report to be read, where these are wanted."""

    junit: Path
    code_quality: Path | None = None
    report: Path | None = None

    def require_writable(self) -> None:
        """Raise GraderError where one of them cannot be written, or is in no format that there is."""
        from grader.cli.printing import form_for, require_writable

        for path, option in self._named():
            require_writable(path, f"Name another file with {option}.")
        form_for(self.report, None)

    def write(self, report: Report, root: str) -> None:
        """Write them all; files of the work are named from the repository's root, which holds it in ``root``."""
        from grader.cli.printing import form_for, rendered, write
        from grader.report import code_quality, junit

        write(self.junit, junit.render(report, "student", root=root), "Name another file with --junit.")
        if self.code_quality:
            text = code_quality.render(report, "student", root=root)
            write(self.code_quality, text, "Name another file with --code-quality.")
        if self.report:
            text = rendered(report, form_for(self.report, None), "student", to_terminal=False)
            write(self.report, text, "Name another file with --report.")

    def _named(self) -> list[tuple[Path, str]]:
        wanted = ((self.junit, "--junit"), (self.code_quality, "--code-quality"), (self.report, "--report"))
        return [(path, option) for path, option in wanted if path]


def publish(
    report: Report, work: Path, files: Files, *, reached: bool, again: str = "", decided: str = "", hidden: bool = False
) -> None:
    """Print the report and what was ``decided``, write the files, and tell GitHub where the run is there.

    ``again`` is the command with which the student gets the same report at home; ``hidden`` tells in numbers what
    hidden checks gave.
    """
    from grader.cli.lines import wrapped
    from grader.cli.printing import rendered, show
    from grader.report import annotations

    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    text = rendered(report, "text", "student", to_terminal=True, again=again)
    text += "".join(f"{line}\n" for line in wrapped(decided, ""))
    if on_github:
        import secrets

        text = annotations.guarded(text, secrets.token_hex(16))
    show(text, utf8=False)
    root = _root(work)
    files.write(report, root)
    if on_github:
        show(annotations.render(report, "student", root=root, decided=decided), utf8=True)
        _summarise(report, decided)
    _output(report, files, reached=reached, hidden=hidden)


def _root(work: Path) -> str:
    """The folder of the work as the platform names it: from the repository's root."""
    folder = work if work.is_dir() else work.parent
    top = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or "."
    try:
        return folder.resolve().relative_to(Path(top).resolve()).as_posix()
    except ValueError:
        return folder.as_posix()


def _summarise(report: Report, decided: str) -> None:
    from grader.report import markdown

    _append("GITHUB_STEP_SUMMARY", markdown.render(report, "student", decided=decided) + "\n")


def _output(report: Report, files: Files, *, reached: bool, hidden: bool) -> None:
    """Give later steps of a GitHub job what they may go by, a line each."""
    import json

    from grader.report.view import as_seen

    told = report if hidden else as_seen(report, "student").report
    marks = {m.criterion.id: {"points": float(m.points), "max": float(m.criterion.points)} for m in told.marks}
    found = {
        "score": f"{float(told.score):g}",
        "max-score": f"{float(told.max_score):g}",
        "passed": "true" if reached else "false",
        "points": json.dumps(marks),
        "junit": str(files.junit),
        "report": str(files.report or ""),
    }
    # A value of several lines could set another one: paths may come from the student's grader.yaml.
    lines = (f"{name}={' '.join(value.split())}\n" for name, value in found.items())
    _append("GITHUB_OUTPUT", "".join(lines))


def _append(variable: str, text: str) -> None:
    """Add ``text`` to the file that an environment variable names, if it does; raises GraderError."""
    path = os.environ.get(variable)
    if path:
        with system_errors(path, f"{variable} names it."), Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
