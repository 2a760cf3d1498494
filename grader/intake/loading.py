"""One door for every form of hand-in: a file, a notebook, a folder, an archive."""

import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from grader.errors import UnreadableError
from grader.intake import assemble, caps, folder
from grader.intake.caps import Gathered, shown
from grader.model.submission import Submission

_CURE = "Hand in a .py file or a notebook, written work as Markdown, YAML, JSON or PDF, or a folder or zip with them."


def load(path: Path, *, beside: bool = False) -> Submission:
    """Read the hand-in at ``path`` by value: a .py file, a notebook, a folder, a .zip or .tar.gz.

    Nothing is executed and nothing is written. With ``beside`` a lone file brings those of its folder that it imports:
    in an own folder they are the student's, in a class another's. Files that are not code (Markdown, PDF, YAML, …)
    become documents, notebooks do too, without outputs.
    Raises UnreadableError with the file's name and the cure.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        raise UnreadableError("there is no such file or folder", shown(str(path)), _near(path)) from None
    if stat.S_ISDIR(mode):
        gathered, root = folder.gather(path), path.resolve().name
        if not gathered.files and not gathered.notes:
            raise UnreadableError("nothing to read in this folder", shown(str(path)), _CURE)
    else:
        gathered, root = _file(path, beside=beside), _stem(path.name)
    return assemble.submission(str(path), root or "submission", gathered)


def load_bytes(name: str, data: bytes) -> Submission:
    """Read one file or archive that is already in memory, as from a learning platform's export; see ``load``.

    Raises UnreadableError.
    """
    if len(data) > caps.cap_of(caps.kind_of(name)):
        raise caps.too_large(name, len(data))
    return assemble.submission(name, _stem(name.rpartition("/")[2]), _opened(name, name, data))


def load_files(files: Iterable[tuple[str, Callable[[], bytes]]], notes: Sequence[str] = ()) -> Gathered:
    """Gather the files of one hand-in, each with how to read it; archives are opened where no code lies beside them.

    A document that cannot be read is a remark beside what can, behind ``notes``. Raises UnreadableError for code that
    cannot be read, and where there is nothing else.
    """
    from grader.intake.archive import with_inner

    found: dict[str, bytes] = {}
    inner: list[tuple[str, Callable[[], bytes]]] = []
    remarks = list(notes)
    for name, read in sorted(files, key=lambda pair: pair[0]):
        if caps.kind_of(name) == "archive":
            inner.append((name, read))
            continue
        try:
            data = read()
            if len(data) > caps.cap_of(caps.kind_of(name)):
                raise caps.too_large(name, len(data))
        except UnreadableError as error:
            if caps.kind_of(name) in {"python", "notebook"}:
                raise
            remarks.append(f"{shown(name)}: not read, {error.what}.")
        else:
            found[name] = data
    gathered = with_inner(Gathered(tuple(found.items()), tuple(remarks)), inner)
    if not gathered.files:
        raise UnreadableError("nothing in it can be read", "", " ".join(gathered.notes))
    return gathered


def _file(path: Path, *, beside: bool) -> Gathered:
    kind = caps.kind_of(path.name)
    data = folder.read_file(path, str(path))  # what is wrong with the file itself comes first
    if kind == "other":
        what = "the file is empty" if not data else "this kind of file is not read"
        raise UnreadableError(what, shown(str(path)), _CURE)
    if beside and kind in {"python", "notebook"}:
        from grader.intake import beside as neighbours

        return neighbours.gather(path, data)
    return _opened(str(path), path.name, data)


def _opened(label: str, name: str, data: bytes) -> Gathered:
    if caps.kind_of(name) != "archive":
        return Gathered(((name, data),))
    from grader.intake import archive

    return archive.gather(label, data)


def _stem(name: str) -> str:
    """Return a file's name without its ending; ``.tar.gz`` and ``.py.txt`` are one ending."""
    lowered = name.lower()
    for ending in (*caps.ARCHIVES, ".py.txt", ".ipynb.txt", ".ipynb.json"):
        if lowered.endswith(ending):
            return name[: -len(ending)]
    return name.rpartition(".")[0] or name


def _near(path: Path) -> str:
    """Suggest the name beside ``path`` that resembles it most."""
    try:
        names = [e.name for e in path.parent.iterdir() if e.name != path.name and not caps.is_litter(e.name)]
    except (OSError, ValueError):
        return "Check the path."
    import difflib

    close = difflib.get_close_matches(path.name, sorted(names)[:1000], n=1)
    return f"Did you mean {shown(str(path.parent / close[0]))}?" if close else "Check the path."
