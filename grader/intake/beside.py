"""The student's own files that a lone file imports: they lie beside it, as they do when Python runs it."""

from collections.abc import Iterator
from pathlib import Path

from grader.intake import caps, content, folder, notebook, python
from grader.intake.caps import Gathered
from grader.intake.naming import LIBRARIES, imports_in


def gather(path: Path, data: bytes) -> Gathered:
    """Return the file at ``path``, whose bytes are ``data``, with those in its folder that it needs, by their paths.

    What those import is followed too. Names of libraries are the libraries', links and hidden folders are left alone.
    """
    root, files, waiting = path.parent, {path.name: data}, [path.name]
    while waiting and len(files) < caps.FILES:
        name = waiting.pop()
        for needed in _needed(root, name, files[name]):
            if needed not in files and len(files) < caps.FILES:
                files[needed] = folder.read_file(root / needed, needed)
                waiting.append(needed)
    return Gathered(tuple(sorted(files.items())))


def _needed(root: Path, name: str, data: bytes) -> Iterator[str]:
    """The files that the imports of ``name`` name: modules, and the packages that they lie in."""
    package = name.split("/")[:-1]
    for level, module, attribute in _imports_of(name, data):
        base = package[: len(package) - level + 1] if level else []
        parts = [*base, *filter(None, module.split("."))]
        if not parts or (not level and parts[0] in LIBRARIES):
            continue
        for wanted in (parts, [*parts, attribute] if attribute else parts):
            for depth in range(1, len(wanted)):
                yield from _file(root, [*wanted[:depth], "__init__"])
            yield from _file(root, wanted)
            yield from _file(root, [*wanted, "__init__"])


def _file(root: Path, parts: list[str]) -> Iterator[str]:
    name = "/".join(parts) + ".py"
    at = root / name
    if not caps.is_litter(name) and at.is_file() and not at.is_symlink():
        yield name


def _imports_of(name: str, data: bytes) -> Iterator[tuple[int, str, str]]:
    """Yield level, module and the name taken from it of every import in the file ``name``; none where it is no code."""
    kind = content.kind_of(name, data)[0]
    if kind not in {"python", "notebook"}:
        return
    chunks = python.read(name, data)[0] if kind == "python" else notebook.read(name, data).chunks
    for chunk in chunks:
        yield from imports_in(chunk.code)
