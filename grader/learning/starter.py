"""What students begin with: the solution without what its functions do, or without what it marks as solution."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from grader.intake.syntax import chunk_trees
from grader.learning.definitions import NOT_PLAIN, RETURNS, returned, value_of
from grader.model.assignment import BESIDE
from grader.model.submission import CodeChunk, CodeModule, Submission

YOURS = "is yours to write"
GIVEN_AWAY = ("solution", "answer", "key", "reference", "loesung", "corrige")
"""Words in the name of a file that is no student's."""
_TELLING = re.compile(r"\b(solution|l(ö|oe)sung|corrig)", re.IGNORECASE)
"""What a text above the code says of a file that is no student's."""
MARK = re.compile(r"[ \t]*#+[ \t]*(BEGIN|END) SOLUTION\b", re.IGNORECASE)
_HIDDEN = re.compile(
    r"^[ \t]*#+[ \t=]*BEGIN (HIDDEN TESTS|MARK SCHEME)\b.*\n(?:.*\n)*?[ \t]*#+[ \t=]*END \1\b.*$\n?",
    re.IGNORECASE | re.MULTILINE,
)
Edit = tuple[int, int, list[str]]
"""The first line, the line behind the last (counted from 0), and the lines that take their place."""


def starter(submission: Submission, id: str, *, cells: bool = False) -> dict[str, str]:
    """The files that students begin with, by name; with ``cells`` these are the names of notebooks.

    Imports, plain constants, names, arguments, docstrings and the comments around definitions stay. Where the
    solution has marks, ``# BEGIN SOLUTION`` and ``# END SOLUTION`` as nbgrader's, all that is not between two stays.
    """
    marked = is_marked(submission)
    texts = {file_name(module, submission, id): emptied(module, marked=marked) for module in submission.modules}
    return {PurePosixPath(name).with_suffix(".ipynb" if cells else ".py").as_posix(): texts[name] for name in texts}


def is_marked(submission: Submission) -> bool:
    """Whether the solution says itself what is to be written."""
    return any(MARK.match(line) for module in submission.modules for one in module.chunks for line in one.lines)


def file_name(module: CodeModule, submission: Submission, id: str) -> str:
    """What students call their file: as the solution's, or as the assignment where that would give it away."""
    path = PurePosixPath(module.chunks[0].file)
    if len(submission.modules) > 1:
        return path.with_suffix(".py").as_posix()
    stem = path.stem
    given_away = any(word in stem.lower() for word in GIVEN_AWAY) or not stem.isidentifier()
    return f"{id.replace('-', '_') if given_away else stem}.py"


def emptied(module: CodeModule, *, marked: bool = False) -> str:
    """The text of a module without what is to be written; with ``marked`` that is what stands between marks."""
    texts = [text for _, text in emptied_chunks(module, marked=marked) if text]
    return "\n\n\n".join(texts) + "\n"


def emptied_chunks(module: CodeModule, *, marked: bool = False) -> Iterator[tuple[CodeChunk, str]]:
    """The chunks of a module, each with what is left of it."""
    constants: set[str] = set()
    module = replace(module, chunks=tuple(replace(one, code=without_hidden(one.code)) for one in module.chunks))
    for chunk, tree in chunk_trees(module):
        text = _without_marked(chunk.lines, tree) if marked else None
        if text is None:
            lines, body = _one_a_line(chunk.lines, tree)
            left = _edited(lines, list(_edits(body, lines, constants))).split("\n")
            text = "\n".join(line for line in left if not (line.startswith("#") and _TELLING.search(line)))
        yield chunk, text.strip("\n") if text.strip() else ""


def emptied_cells(module: CodeModule, *, marked: bool = False) -> dict[int, str | None]:
    """What is left of the cells of a notebook, by their numbers; None where that is all."""
    before = {one.cell: _without_pass(one.code) for one in module.chunks}
    left = emptied_chunks(module, marked=marked)
    return {chunk.cell or 0: None if _without_pass(text) == before[chunk.cell] else text for chunk, text in left}


def _without_pass(text: str) -> list[str]:
    """The lines that say something: a command of a notebook is read as one that says nothing."""
    return [line.rstrip() for line in text.split("\n") if line.strip() not in {"", "pass"}]


def _edited(lines: Sequence[str], edits: Sequence[Edit]) -> str:
    text: list[str] = []
    at = 0
    for first, behind, instead in edits:
        text += [*lines[at:first], *instead]
        at = max(at, behind)
    return "\n".join(line.rstrip() for line in [*text, *lines[at:]])


# --------------------------------------------------------------------------------------- with marks


def without_hidden(code: str) -> str:
    """The code without the tests and notes that a teacher keeps to herself, as nbgrader marks them."""
    return _HIDDEN.sub("", code)


def whole(text: str, asked: Collection[str]) -> list[str]:
    """What is asked for and stands in a starter's text with nothing left to write."""
    made = (one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.ClassDef))
    return [one.name for one in made if one.name in asked and YOURS not in ast.unparse(one)]


def _without_marked(lines: Sequence[str], tree: ast.Module) -> str | None:
    """The text without what stands between marks; None where these do not match, or what is left is no Python."""
    edits: list[Edit] = []
    begun: int | None = None
    for at, line in enumerate(lines):
        mark = MARK.match(line)
        if not mark:
            continue
        if (mark[1].upper() == "BEGIN") != (begun is None):
            return None
        if begun is not None:
            edits.append((begun, at + 1, [_indent(lines[begun]) + _instead(tree, begun + 1)]))
        begun = at if begun is None else None
    text = _edited(lines, edits)
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text if begun is None else None


def _instead(tree: ast.Module, line: int) -> str:
    """What takes the place of a solution at a line: an error in a function, a remark elsewhere."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno < line <= (node.end_lineno or 0) + 1
    ]
    return _raised(max(around, key=lambda node: node.lineno).name) if around else f"# This {YOURS}."


def _raised(name: str, several: str = "") -> str:
    returning = f"{RETURNS}{several})" if several else ""
    return f"raise NotImplementedError({f'{name} {YOURS}{returning}'!r})"


# ------------------------------------------------------------------------------------ without marks


def _one_a_line(lines: list[str], tree: ast.Module) -> tuple[list[str], list[ast.stmt]]:
    """The lines, rewritten where a statement begins behind another one, or behind the class that it is in."""
    if not any(_before(one, lines).strip() for one in _visible(tree.body)):
        return lines, tree.body
    text = ast.unparse(tree)
    return text.split("\n"), ast.parse(text).body


def _visible(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module and its classes; those of functions go as they are."""
    for statement in body:
        yield from () if isinstance(statement, ast.Pass) else (statement,)
        yield from _visible(statement.body) if isinstance(statement, ast.ClassDef) else ()


def _edits(
    body: Sequence[ast.stmt], lines: Sequence[str], constants: set[str], owner: str = "", above: int = 0
) -> Iterator[Edit]:
    """What changes in the lines of a module or a class, below line ``above``; ``constants`` are those seen so far."""
    left = 0
    for statement in body:
        left += 1
        if isinstance(statement, ast.FunctionDef):
            yield _empty(statement, lines, f"{owner}{statement.name}")
        elif isinstance(statement, ast.ClassDef):
            yield from _edits(statement.body, lines, set(constants), f"{owner}{statement.name}.", statement.lineno)
        elif not _stays(statement, constants, inside=bool(owner)):
            left -= 1
            empty = owner and statement is body[-1] and not left
            yield _gone(statement, lines, above, f"{_before(statement, lines)}pass" if empty else "")
        above = statement.end_lineno or above


def _stays(statement: ast.stmt, constants: set[str], *, inside: bool) -> bool:
    """Whether students see a statement that defines nothing: imports, docstrings, what follows from constants."""
    if isinstance(statement, ast.Import | ast.ImportFrom) or (inside and isinstance(statement, ast.Pass)):
        return True
    if isinstance(statement, ast.Expr):
        value = statement.value.value if isinstance(statement.value, ast.Constant) else None
        return value is ... or (isinstance(value, str) and (inside or not _TELLING.search(value)))
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    if not (_plain(statement) or (not inside and _computed(statement, constants))):
        return False
    constants |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return True


ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant, ast.Name, ast.Load)


def _computed(statement: ast.Assign | ast.AnnAssign, constants: set[str]) -> bool:
    """Whether it says by arithmetic what follows from constants."""
    nodes = list(ast.walk(statement.value or statement))
    return all(
        isinstance(node, ARITHMETIC) and (not isinstance(node, ast.Name) or node.id in constants) for node in nodes
    )


def _plain(statement: ast.Assign | ast.AnnAssign) -> bool:
    """A constant, a field without a value, or a second name."""
    return (
        statement.value is None or isinstance(statement.value, ast.Name) or value_of(statement.value) is not NOT_PLAIN
    )


def _gone(statement: ast.stmt, lines: Sequence[str], above: int, instead: str) -> Edit:
    """A statement taken out, with the comment right above it (below line ``above``) and the empty lines behind it."""
    first, behind = statement.lineno - 1, statement.end_lineno or statement.lineno
    while first > above and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    while behind < len(lines) and not lines[behind].strip():
        behind += 1
    return first, behind, [instead] if instead else []


def _empty(function: ast.FunctionDef, lines: Sequence[str], name: str) -> Edit:
    """A body taken out: docstring, call of a parent's constructor and the names of several values returned stay."""
    first = function.body[0]
    opening: list[str] = []
    indent = _before(first, lines)
    start = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))]) - 1
    if indent.strip():
        opening, indent = [indent.rstrip()], f"{_before(function, lines)}    "
    elif ast.get_docstring(function) is not None:
        start = first.end_lineno or start
    else:
        while start > function.lineno and lines[start - 1].lstrip().startswith("#"):
            start -= 1
    for statement in function.body:
        if isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("super()."):
            opening += lines[statement.lineno - 1 : statement.end_lineno]
    values = returned(function)
    several = ", ".join(values) if BESIDE not in values else ""
    behind = function.end_lineno or function.lineno
    for at in range(behind, len(lines)):
        if lines[at].strip() and not (lines[at].lstrip().startswith("#") and _deeper(lines[at], function)):
            break
        behind = at + 1 if lines[at].strip() else behind
    return start, behind, [*opening, indent + _raised(name, several)]


def _deeper(line: str, function: ast.stmt) -> bool:
    return len(_indent(line)) > function.col_offset


def _before(statement: ast.stmt, lines: Sequence[str]) -> str:
    """What stands in front of a statement in its line (places are counted in bytes)."""
    return lines[statement.lineno - 1].encode()[: statement.col_offset].decode()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
