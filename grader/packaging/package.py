"""The zip for a platform: scripts from the folder ``platforms``, this grader as a wheel, assignment and rubric."""

import json
import secrets
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.catalog.places import rubric_file
from grader.packaging.wheel import wheel, zipped

PLATFORMS = {
    "gradescope": ("setup.sh", "run_autograder"),
    "prairielearn": ("Dockerfile", "entrypoint.sh", "info.json"),
    "classroom50": ("autograder.py",),
    "docker": ("Dockerfile", "README.md"),
}
"""Each platform with the files that it looks for."""

EXECUTABLE = frozenset({"setup.sh", "run_autograder", "entrypoint.sh"})
CONFIG = "package.json"
"""What the scripts on the platform go by; it holds the seed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to package; ``isolation`` auto is the best that the platform gives, ``hidden`` when hidden points show."""

    platform: str
    assignment: str
    rubric: str | None = None
    isolation: str = "auto"
    seed: int | None = None
    hidden: str = "after_published"


def package(wanted: Wanted) -> bytes:
    """Return the zip; raises GraderError where assignment or rubric cannot be used."""
    source = assignment_file(wanted.assignment)
    assignment = load_assignment(source)
    rubric = rubric_file(wanted.rubric) if wanted.rubric else rubric_beside(wanted.assignment)
    load_rubric(rubric, assignment)
    name, data = wheel()
    extras = [
        extra for extra, used in (("torch", assignment.needs_torch), ("written", bool(assignment.sections))) if used
    ]
    config: dict[str, Any] = {
        "platform": wanted.platform,
        "isolation": wanted.isolation,
        "seed": wanted.seed if wanted.seed is not None else secrets.randbelow(1 << 31) + 1,
        "hidden": wanted.hidden,
    }
    known = {"WHEEL": name, "EXTRAS": f"[{','.join(extras)}]" if extras else "", "TITLE": assignment.title}
    files = {script: _script(wanted.platform, script, known) for script in PLATFORMS[wanted.platform]}
    files |= {
        name: data,
        "constraints.txt": _constraints().encode(),
        CONFIG: (json.dumps(config, indent=2) + "\n").encode(),
        "rubric.yaml": rubric.read_bytes(),
    }
    files |= {f"assignment/{path}": held for path, held in _assignment(source.parent)}
    return zipped(files, EXECUTABLE)


def _script(platform: str, name: str, known: dict[str, str]) -> bytes:
    text = (Path(__file__).with_name("platforms") / platform / name).read_text(encoding="utf-8")
    for key, value in known.items():
        text = text.replace(f"@{key}@", value)
    return text.encode()


def _assignment(folder: Path) -> list[tuple[str, bytes]]:
    """What judges the work: not the starter, which students have."""
    return [
        (path.relative_to(folder).as_posix(), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in {"starter", "rubric.yaml", "__pycache__"}
    ]


def _constraints() -> str:
    """The versions that are installed here of what the grader needs, so that the platform judges with the same."""
    found = []
    for need in requires("attention-grader") or ():
        name, _, marker = need.partition(";")
        if "dev" in marker or "docs" in marker:
            continue
        for sign in "[<>=!~ (":
            name = name.partition(sign)[0]
        try:
            found.append(f"{name}=={version(name).partition('+')[0]}")  # +cpu is a build, not a release
        except PackageNotFoundError:
            continue
    return "\n".join(dict.fromkeys(found)) + "\n"
