"""Where the assignments and rubrics lie: in the wheel, or in the checkout."""

from pathlib import Path

from grader.errors import GraderError, nearest


def data_root() -> Path:
    """Return the folder that holds ``assignments/`` and ``rubrics/``; raises GraderError where it is missing."""
    package = Path(__file__).resolve().parents[1]  # importlib.resources takes a dozen milliseconds to import
    for root in (package / "_data", package.parent):
        if (root / "assignments").is_dir():
            return root
    raise GraderError("the bundled assignments are missing", str(package), "Install attention-grader again.")


def list_assignments() -> tuple[str, ...]:
    """Return the ids of the bundled assignments, sorted."""
    return tuple(sorted(path.parent.name for path in (data_root() / "assignments").glob("*/assignment.yaml")))


def assignment_file(which: str | Path) -> Path:
    """Return the assignment.yaml of a bundled id, of a folder, or the file itself.

    Raises GraderError where there is none, with the nearest known id.
    """
    text = str(which)
    if _looks_like_id(text):
        bundled = data_root() / "assignments" / text / "assignment.yaml"
        if bundled.is_file():
            return bundled
    path = Path(text)
    if path.is_dir() and (path / "assignment.yaml").is_file():
        return path / "assignment.yaml"
    if path.is_file() and path.suffix in {".yaml", ".yml"}:
        return path
    raise GraderError(f"there is no assignment {text!r}", "", nearest(text, list_assignments()))


def rubric_file(which: str | Path) -> Path:
    """Return the rubric file of a path, or of the id of a bundled rubric or of an assignment's own rubric.yaml.

    Raises GraderError where there is none, with the nearest known id.
    """
    text = str(which)
    rubrics = data_root() / "rubrics"
    if _looks_like_id(text) and (rubrics / f"{text}.yaml").is_file():
        return rubrics / f"{text}.yaml"
    path = Path(text)
    if path.is_file() and path.suffix in {".yaml", ".yml"}:
        return path
    if path.is_dir() and (path / "rubric.yaml").is_file():
        return path / "rubric.yaml"
    known = tuple(sorted(found.stem for found in rubrics.glob("*.yaml")))
    raise GraderError(f"there is no rubric {text!r}", "", nearest(text, known))


def rubric_beside(which: str | Path) -> Path:
    """Return the rubric that belongs to an assignment: rubric.yaml beside it, else the bundled one of its name."""
    source = assignment_file(which)
    beside = source.parent / "rubric.yaml"
    return beside if beside.is_file() else rubric_file(source.parent.name)


def _looks_like_id(text: str) -> bool:
    return bool(text) and not text.startswith(".") and not any(mark in text for mark in "/\\:")
