"""Which file or folder is meant where none is given."""

from pathlib import Path

from grader.errors import GraderError

SUFFIXES = (".py", ".ipynb", ".zip")
WRITTEN = (".md", ".markdown", ".yaml", ".yml", ".json", ".pdf", ".docx", ".odt", ".tex", ".txt")
NOT_WORK = (
    "conftest.py", "setup.py", "noxfile.py", "handout.md", "readme.md", "license.md", "license.txt",
    "requirements.txt", "constraints.txt", "changelog.md",
)  # fmt: skip


def find_work(folder: Path) -> Path:
    """Return the work in ``folder``: what its grader.yaml names, else the only candidate; raises GraderError."""
    from grader.catalog import project_file, read_project

    project = project_file(folder)
    if project:
        return inside(folder, read_project(project).path, project)
    found = _candidates(folder, SUFFIXES) or _candidates(folder, WRITTEN)
    if len(found) == 1:
        return found[0]
    if not found:
        raise GraderError(
            "no work found: expected a .py file, a notebook or a zip, or written work such as worksheet.md",
            str(folder.resolve()),
            "Name one: grader check FILE.",
        )
    names = ", ".join(path.name for path in found[:5]) + (", …" if len(found) > 5 else "")  # noqa: PLR2004 - a short list
    whole = "" if found[0].suffix in SUFFIXES else " All of them together: grader check ."
    cure = f"Name it: grader check {found[0].name}.{whole}"
    raise GraderError(f"which one is meant: {names}?", str(folder.resolve()), cure)


def _candidates(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in suffixes and path.is_file() and not path.name.startswith((".", "test_", "_"))
        if path.name.lower() not in NOT_WORK
    )


def inside(folder: Path, name: str, source: Path, field: str = "path") -> Path:
    """Return ``name`` in ``folder``; GraderError where it leads out of it."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise GraderError(f"{field}: expected something inside its folder, found {name!r}", str(source))
    return path
