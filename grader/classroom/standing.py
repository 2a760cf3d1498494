"""Whether a stored report still stands: what it depends on, compared with what holds now."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.classroom.entry import Entry, FileRef
from grader.errors import UnreadableError
from grader.model.report import Settings
from grader.pipeline import versions
from grader.version import __version__

_CAP = 64 << 20


def fingerprint(settings: Settings) -> dict[str, str]:
    """Everything besides the submission that a report depends on, as text that can be compared field by field."""
    return {
        "assignment": settings.assignment.sha256, "rubric": settings.rubric.sha256, "grader": __version__,
        "isolation": settings.isolation, "components": ",".join(settings.components),
        "seed": hashlib.sha256(f"grader seed {settings.seed}".encode()).hexdigest()[:16],
        **versions(torch=settings.assignment.needs_torch),
    }  # fmt: skip


def digest(settings: Mapping[str, str]) -> str:
    """A short name for settings: a line of the index says with it under which ones its report was made."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


def why_again(
    row: Mapping[str, Any] | None, sha256: str, before: Mapping[str, str], wanted: Mapping[str, str], *, force: bool
) -> str:
    """Say why a submission is graded (again): empty where its report, made under ``before``, still stands."""
    if row is None:
        return "new"
    if force:
        return "forced"
    if row.get("verdict") == "fault":
        return "the grader failed at it before"
    if row.get("sha256") != sha256:
        return "the submission changed"
    changed = sorted(name for name in wanted.keys() | before.keys() if wanted.get(name) != before.get(name))
    return f"changed: {', '.join(changed)}" if changed else ""


def digest_of(entry: Entry) -> str:
    """A digest over the names and bytes of an entry's files and the dates that a report shows."""
    told = [entry.name, entry.submitted_at, entry.late, *([entry.problem] if entry.problem else [])]
    found = hashlib.sha256(json.dumps(told).encode())
    for file in sorted(entry.files, key=lambda file: file.name):
        found.update(f"\0{file.name}\0".encode("utf-8", "surrogateescape"))
        try:
            for content in _contents(file):
                found.update(content)
        except (OSError, UnreadableError):
            found.update(b"unreadable")
    return found.hexdigest()


def _contents(file: FileRef) -> Iterator[bytes]:
    if file.member or file.link or file.content is not None or file.path.is_file():
        yield hashlib.sha256(file.read(_CAP)).digest()
        return
    for path in sorted(path for path in Path(file.path).rglob("*") if path.is_file()):
        yield str(path.relative_to(file.path)).encode("utf-8", "surrogateescape")
        with path.open("rb") as content:
            yield hashlib.sha256(content.read(_CAP)).digest()
