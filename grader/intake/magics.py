"""Notebook lines that are not Python become statements that do nothing; every line keeps its number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.intake.syntax import SyntaxFault, outside_functions, parse, top_level

_KEEP_BODY = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "snakeviz", "debug", "grade"})
_DROP_BODY = frozenset({
    "bash", "sh", "script", "sx", "system", "!", "html", "javascript", "js", "latex", "svg", "markdown", "writefile",
    "file", "cmd", "perl", "ruby", "pypy", "python2", "r", "cython", "bigquery", "sql", "skip", "cpp",
})  # fmt: skip
_CELL_MAGIC = re.compile(r"\s*%%(\w+|!)(.*)")
# Possessive, or a line of blanks would be tried in every way.
_ASSIGNED = re.compile(r"(\s*+)([\w.,\[\]()'\"*]++(?:\s++[\w.,\[\]()'\"*]++)*+)\s*+=\s*+([!%])(?!=)")
_TIMED = re.compile(r"(\s*)%time\s+(\S.*)")
_MAGIC = re.compile(r"\s*(%|!|\?|/\w|;\w|,\w)")
_SIGNS = re.compile(r"\'\'\'|\"\"\"|[\'\"#()\[\]{}\\]")
_LONG = 2000  # a longer line is judged by its first characters
_HELP = re.compile(r"\s*[%!]*[\w.*\[\]()'\"]+\?{1,2}\s*;?\s*$")


@dataclass(frozen=True, slots=True)
class Plain:
    """Python text with as many lines as the cell had, and the lines, from 1, that were made to do nothing."""

    code: str
    silenced: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A Python file that a cell writes: its path, the cell's text with its lines in place, and whether it goes on."""

    path: str
    code: str
    appends: bool


_WRITES = re.compile(r"\s*%%(?:writefile|file)\s+(-a\s+|--append\s+)?[\"']?([^\s\"'{}$]+\.py)[\"']?\s*")


def written_file(cell: str) -> WrittenFile | None:
    """Return the Python file that ``cell`` writes (``%%writefile attention.py``), or None for any other cell."""
    lines = cell.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    found = _WRITES.fullmatch(lines[first][:_LONG])
    if found is None:
        return None
    parts = [part for part in found[2].split("/") if part not in {"", ".", "..", "~"}]
    code = "\n" * (first + 1) + "\n".join(lines[first + 1 :])
    return WrittenFile("/".join(parts), code, bool(found[1]))


def plain_python(cell: str) -> Plain:
    """Return ``cell`` without magics, shell lines, help requests, ``get_ipython()`` and top-level await.

    ``%%time`` and its like keep their body; ``%time x = f()`` keeps the statement; ``x = !ls`` gives an empty list.
    Text that is plain Python comes back as it is, and so does text that still fails to parse afterwards, magics aside.
    """
    code = cell
    silenced: list[int] = []
    if isinstance(parse(cell), SyntaxFault):
        code, silenced = _without_magics(cell)
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return Plain(code, tuple(silenced))
    lines = code.split("\n")
    for statement in _lost_without_a_kernel(tree):
        silenced += _silence(lines, statement)
    return Plain("\n".join(lines), tuple(sorted(set(silenced))))


def _without_magics(cell: str) -> tuple[str, list[int]]:
    lines = cell.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    silenced: list[int] = []
    keeps = False  # what one unknown magic keeps, those after it keep as well
    while (found := _CELL_MAGIC.match(lines[first])) is not None:
        magic = found[1].lower()
        if magic in _DROP_BODY or not (keeps or magic in _KEEP_BODY or _is_python(lines[first + 1 :])):
            return "\n" * (len(lines) - 1), list(range(first + 1, len(lines) + 1))
        keeps = keeps or magic not in _KEEP_BODY
        lines[first] = ""
        silenced.append(first + 1)
        following = (number for number in range(first + 1, len(lines)) if lines[number].strip())
        first = next(following, first)  # cell magics may follow each other
    return _line_by_line(lines, silenced)


def _is_python(body: list[str]) -> bool:
    return not isinstance(parse(_line_by_line(body, [])[0]), SyntaxFault)


def _line_by_line(lines: list[str], silenced: list[int]) -> tuple[str, list[int]]:
    done: list[str] = []
    state = _State()
    continued = False
    for number, line in enumerate(lines, 1):
        replaced = "" if continued else None if state.inside else _replacement(line)
        if replaced is None:
            done.append(line)
            state = state.after(line)
            continue
        done.append(replaced)
        silenced.append(number)
        continued = line.rstrip().endswith("\\")
    return "\n".join(done), silenced


def _replacement(line: str) -> str | None:
    """Return the statement that stands for a line which is not Python, or None for one that may be."""
    indent = line[: len(line) - len(line.lstrip())]
    if len(indent) == len(line):
        return None
    if len(line) > _LONG:
        return indent + "pass" if line[len(indent)] in "%!" else None
    if (timed := _TIMED.match(line)) is not None and not isinstance(parse(timed[2]), SyntaxFault):
        return timed[1] + timed[2]
    if (assigned := _ASSIGNED.match(line)) is not None:
        names = [name.strip(" ()[]*") for name in assigned[2].split(",")]
        value = "[]" if assigned[3] == "!" else "None"
        return indent + (f"{' = '.join(names)} = {value}" if all(map(str.isidentifier, names)) else "pass")
    if _MAGIC.match(line) is not None or _HELP.match(line) is not None:
        return indent + "pass"
    return None


@dataclass(frozen=True, slots=True)
class _State:
    """Where the next line begins: inside a long string, open brackets or after a backslash, or none of them."""

    quote: str = ""
    depth: int = 0
    backslash: bool = False

    @property
    def inside(self) -> bool:
        return bool(self.quote) or self.depth > 0 or self.backslash

    def after(self, line: str) -> _State:
        quote, depth, at = self.quote, self.depth, 0
        while (found := _SIGNS.search(line, at)) is not None:
            sign, at = found[0], found.end()
            if quote:
                if sign[0] == "\\":
                    at = found.start() + 2
                elif line.startswith(quote, found.start()):
                    at, quote = found.start() + len(quote), ""
                elif sign[0] in "'\"":
                    at = found.start() + 1
            elif sign == "#":
                return _State("", depth)
            elif sign[0] in "'\"":
                quote = sign
            elif sign[0] != "\\":
                depth = max(0, depth + (1 if sign in "([{" else -1))
        # A one-line string ends with its line, closed or not.
        return _State(quote if len(quote) == 3 else "", depth, line.endswith("\\"))  # noqa: PLR2004


def _lost_without_a_kernel(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the top-level statements that only a kernel runs: get_ipython() calls, await, return, yield."""
    compound = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
    waits = (ast.Await, ast.Yield, ast.YieldFrom)
    for statement in top_level(tree):
        lost = isinstance(statement, (ast.AsyncFor, ast.AsyncWith, ast.Return))
        if isinstance(statement, (ast.Expr, ast.Assign)):
            lost = _calls_kernel(statement.value)
        if not isinstance(statement, compound):
            lost = lost or any(isinstance(node, waits) for node in outside_functions(statement))
        if lost:
            yield statement


def _calls_kernel(value: ast.expr) -> bool:
    while isinstance(value, ast.Call):
        function = value.func
        if isinstance(function, ast.Name):
            return function.id == "get_ipython"
        if not isinstance(function, ast.Attribute):
            return False
        value = function.value
    return False


def _silence(lines: list[str], statement: ast.stmt) -> list[int]:
    """Overwrite a statement that has its lines to itself; return their numbers."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    before = lines[first - 1].encode()[: statement.col_offset].decode(errors="ignore")
    after = lines[last - 1].encode()[statement.end_col_offset :].decode(errors="ignore").strip()
    if before.strip() or not (after in {"", ";"} or after.startswith("#")):
        return []
    target = _first_name(statement)
    lines[first - 1] = before + (f"{target} = []" if target else "pass")
    for number in range(first, last):
        lines[number] = ""
    return list(range(first, last + 1))


def _first_name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign) and _calls_kernel(statement.value):
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""
