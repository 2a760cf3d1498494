"""Which name each code file is imported under.

A file's name is its path made an identifier (``utils/masks.py`` is ``utils.masks``), counted from the folder that all
code shares. A file that others import by a shorter or longer name (``import masks``) gets that name; one that is
imported both ways gets a second module that stands for the first.
"""

import ast
import keyword
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from grader.intake.syntax import SyntaxFault, parse, statements

# Names that have to stay the library's own. A file of this name is imported under another one.
LIBRARIES = frozenset(sys.stdlib_module_names) | frozenset({
    "numpy", "torch", "scipy", "pandas", "matplotlib", "sklearn", "tqdm", "seaborn", "einops", "tensorflow", "keras",
    "jax", "transformers", "torchvision", "torchtext", "datasets", "IPython", "google", "pytest", "sitecustomize",
    "usercustomize", "grader", "reference",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """The names of the files, in the files' order, and further names: alias to name."""

    names: tuple[str, ...]
    aliases: Mapping[str, str]
    imported: frozenset[int]  # the files that another one imports
    renamed: frozenset[int]  # the files whose own name is a library's


@dataclass(frozen=True, slots=True)
class _File:
    path: tuple[str, ...]  # identifiers of folders and stem; the stem of an __init__ is left out
    package: bool
    imports: tuple[tuple[int, str, str], ...]  # level, module, and the name taken from it

    @property
    def depth(self) -> int:
        """How many packages the file lies in."""
        return len(self.path) - (0 if self.package else 1)


def name_modules(files: Sequence[tuple[str, Sequence[str]]], root: str) -> Named:
    """Name the modules of ``files``, pairs of path and chunks of source, that lie in the folder ``root``."""
    parsed = [_file(f"{root}/{path}", chunks) for path, chunks in files]
    shared = _shared([file.path[: file.depth] for file in parsed])
    dropped = shared - min(shared, _needed(parsed, shared))
    # The root's own __init__ comes last: its folder's name may be the name of a file as well.
    order = sorted(range(len(parsed)), key=lambda index: not parsed[index].path[dropped:])
    distinct = _distinct(".".join(parsed[index].path[dropped:]) or parsed[index].path[-1] for index in order)
    names = [distinct[order.index(index)] for index in range(len(parsed))]
    used, wanted = _wanted(parsed, names)
    aliases: dict[str, str] = {}
    for index, others in sorted(wanted.items()):
        free = sorted(others - set(names) - set(aliases))
        if free and index not in used and not any(level for level, _, _ in parsed[index].imports):
            names[index] = free.pop(0)
        aliases.update(dict.fromkeys(free, names[index]))
    renamed = frozenset(index for index, file in enumerate(parsed) if set(file.path[dropped : dropped + 1]) & LIBRARIES)
    return Named(tuple(names), aliases, frozenset(used) | frozenset(wanted), renamed)


def identifier(text: str) -> str:
    """Return ``text`` as a name that can be imported: ``5_my hw-1`` becomes ``_5_my_hw_1``."""
    name = re.sub(r"\W", "_", text) or "submission"
    name = name if name.isidentifier() else f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def _file(path: str, chunks: Sequence[str]) -> _File:
    *folders, name = path.split("/")
    stem = re.sub(r"(?i)\.(py|pyw|ipynb)(\.txt|\.json)?$", "", name)
    package = stem == "__init__"
    parts = tuple(map(identifier, folders)) + (() if package else (identifier(stem),))
    return _File(parts, package, tuple(sorted({found for code in chunks for found in imports_in(code)})))


def imports_in(code: str) -> Iterator[tuple[int, str, str]]:
    """Yield level, module and the name taken from it of every import in ``code``."""
    tree = parse(code) if "import" in code else None
    if tree is None or isinstance(tree, SyntaxFault):
        return
    for node in statements(tree):  # an import is one, and most of a tree is expressions
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module or "", alias.name) for alias in node.names)


def _needed(files: Sequence[_File], shared: int) -> int:
    """Return how many of the shared folders imports need as packages: relative ones, or by a name below the root."""
    relative = [level - file.depth + shared for file in files for level, _, _ in file.imports if level]
    asked = {tuple(module.split(".")) for file in files for level, module, _ in file.imports if not level}
    begun = [shared - at for file in files for at in range(1, shared) if file.path[at:] in asked]
    return max((*relative, *begun), default=0)


def _distinct(wished: Iterable[str]) -> list[str]:
    """Return the names with a mark behind those that a library has, and a number behind those already given."""
    taken: dict[str, None] = {}
    for wish in wished:
        top, dot, rest = wish.partition(".")
        name = free = f"{top}_{dot}{rest}" if top in LIBRARIES else wish
        number = 2
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        taken[free] = None
    return list(taken)


def _wanted(files: Sequence[_File], names: Sequence[str]) -> tuple[set[int], dict[int, set[str]]]:
    """Return the files imported under their own names, and the other names under which files are asked for."""
    used: set[int] = set()
    wanted: dict[int, set[str]] = {}
    at = {name: index for index, name in enumerate(names)}
    ending: dict[tuple[str, ...], list[int]] = {}
    for index, file in enumerate(files):
        for start in range(len(file.path)):
            ending.setdefault(file.path[start:], []).append(index)

    folders = {name[:dot] for name in names for dot, sign in enumerate(name) if sign == "."}

    def look(importer: int, dotted: str) -> int | None:
        """Find the module ``dotted`` and remember that it is asked for; a folder is none."""
        if dotted in at:
            used.update({at[dotted]} - {importer})
            return at[dotted]
        if dotted in folders:
            return None
        parts = tuple(dotted.split("."))
        fits = [
            (-_common(files[number].path, files[importer].path), number)
            for number in ending.get(parts, [])
            if number != importer
        ]
        if not fits or parts[0] in LIBRARIES:
            return None
        found = min(fits)[1]
        wanted.setdefault(found, set()).add(dotted)
        return found

    for index, file in enumerate(files):
        package = names[index].split(".")[: None if file.package else -1]
        for level, module, name in file.imports:
            base = [*package[: len(package) - level + 1], module] if level else [module]
            dotted = ".".join(filter(None, base))
            found = look(index, dotted) if dotted else None
            if name and (found is None or files[found].package):
                look(index, f"{dotted}.{name}".lstrip("."))
    return used, wanted


def _shared(folders: Sequence[tuple[str, ...]]) -> int:
    """Return how many folders all have in common; sorted, the first and the last differ most."""
    return _common(min(folders), max(folders)) if folders else 0


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
