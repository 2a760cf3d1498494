"""How the values of an example are laid out: short, row by row, without what only the snippet needs."""

import re
from collections.abc import Iterator

from grader.model.outcome import Counterexample

LONGEST_VALUE = 200
"""Characters of one value that are printed."""
ROWS_ON_ONE_LINE = 2
"""A matrix of more rows is printed row by row."""
MOST_AXES = 4
"""Values with as many axes are printed as one run of numbers."""
NOT_ASKED_FOR = "(not asked for)"
"""Stands for a value that the hand-out does not have."""

_MADE = re.compile(
    r"(?:np\.array|torch\.tensor)\((\[.*\])(?:, dtype=\w+\.(\w+))?(?:, requires_grad=True)?\)", re.DOTALL
)
_LARGE = re.compile(r"…  # (.*)", re.DOTALL)
_COMMON = frozenset({None, "float64", "int64"})


def lines(example: Counterexample, *, inputs: bool = True) -> Iterator[tuple[str, str, str]]:
    """Yield label, text and kind of each line of an example, the inputs among them where ``inputs`` says so.

    The kind is ``input``, ``expected``, ``got`` or ``difference``.
    """
    for index, (name, text) in enumerate(example.inputs.items() if inputs else ()):
        yield "input" if index == 0 else "", _given(name, text), "input"
    for label, text in (("expected", example.expected), ("got", example.got)):
        if text and text != NOT_ASKED_FOR:
            yield label, named(example, by_rows(_short(text), len(named(example, "")))), label
    if example.max_error is not None:
        yield "difference", difference(example), "difference"


def named(example: Counterexample, text: str) -> str:
    """Return a value with the name of the part of the answer that it is, where the answer has several."""
    return f"{example.part} = {text}" if example.part else text


def difference(example: Counterexample) -> str:
    """Return how large the difference is, and where."""
    return f"{example.max_error:.4g}" + (f" at {example.where}" if example.where else "")


def assigned(name: str, text: str) -> str:
    """Return an input as it stands in code, or what it is where it is too large to be written out."""
    large = _LARGE.fullmatch(text)
    return f"{name}: {large[1]}" if large else f"{name} = {text}"


def _given(name: str, text: str) -> str:
    if _LARGE.fullmatch(text):
        return assigned(name, text)
    return f"{name} = {by_rows(_short(_bare(text)), len(name) + 3)}"


def _short(text: str) -> str:
    """At most a few lines of a value; the snippet has the whole."""
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 2].rsplit(" ", 1)[0] + " …"


def by_rows(text: str, indent: int = 0) -> str:
    """Return a matrix of three rows and more with each row on its own line: columns stand under each other."""
    depth = len(text) - len(text.lstrip("["))
    if not 1 < depth < MOST_AXES or text.count("], [") < ROWS_ON_ONE_LINE:
        return text
    text = _aligned(text)
    return re.sub(
        r"(\]+), (\[+)", lambda found: f"{found[1]},\n{' ' * (indent + depth - len(found[2]))}{found[2]}", text
    )


def _aligned(text: str) -> str:
    """The entries of each column with the same width; values cut short are left as they are."""
    rows = [row.split(",") for row in re.findall(r"\[([^\[\]]*)\]", text)]
    if len({len(row) for row in rows}) != 1 or text.endswith("…"):
        return text
    widths = [max(len(entry.strip()) for entry in column) for column in zip(*rows, strict=True)]
    told = iter(", ".join(entry.strip().rjust(width) for entry, width in zip(row, widths, strict=True)) for row in rows)
    return re.sub(r"\[[^\[\]]*\]", lambda _: f"[{next(told)}]", text)


def _bare(expression: str) -> str:
    """``[[1., 2.]]`` for ``np.array([[1., 2.]])``: easier to read, and the snippet has the whole."""
    made = _MADE.fullmatch(expression)
    if made is None:
        return expression
    entries = made[1].replace("np.inf", "inf").replace("np.nan", "nan")
    return entries if made[2] in _COMMON else f"{entries} ({made[2]})"


def pasteable(snippet: str, width: int) -> str:
    """Return code with long lines broken where Python goes on reading: behind a comma inside brackets."""
    return "\n".join(part for line in snippet.splitlines() for part in _broken(line, width))


def _broken(line: str, width: int) -> Iterator[str]:
    start, last, margin = 0, 0, ""
    for at in (*_breaks(line), len(line)):
        if len(margin) + at - start > width and last > start:
            yield margin + line[start:last].rstrip()
            start, margin = last, "    "
        last = at
    yield margin + line[start:]


def _breaks(line: str) -> Iterator[int]:
    """Where a line may be broken: behind the blank that follows a comma inside brackets and outside of quotes."""
    depth, quote = 0, ""
    for at, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote and line[at - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
            if depth and letter == " " and line[at - 1] == ",":
                yield at + 1
