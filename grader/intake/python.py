"""A ``.py`` file as one chunk of code."""

from grader.intake.caps import shown, too_much_code
from grader.intake.magics import plain_python
from grader.intake.syntax import WORDS, SyntaxFault, parse, words
from grader.intake.text import decode
from grader.model.submission import CodeChunk


def read(name: str, data: bytes) -> tuple[tuple[CodeChunk, ...], tuple[str, ...]]:
    """Return the file's chunk and the reader's remarks.

    A syntax error is data here: the chunk is returned as it is. Notebook lines in an exported file (``!pip``,
    ``get_ipython()``) become statements that do nothing where the rest is Python. Raises UnreadableError where the
    bytes are not text.
    """
    text, notes = decode(data, name)
    label = shown(name)
    if len(text) > WORDS and words(text) > WORDS:
        raise too_much_code(label)
    if label.lower().endswith(".py.txt"):
        notes += (f"{label}: read as Python although its name ends in .txt.",)
    plain = plain_python(text) if _exported(text) else None
    if plain is not None and plain.silenced and not isinstance(parse(plain.code), SyntaxFault):
        numbers = ", ".join(map(str, plain.silenced[:5])) + (", …" if len(plain.silenced) > 5 else "")  # noqa: PLR2004
        notes += (f"{label}: notebook commands do nothing here (line {numbers}).",)
        text = plain.code
    return (CodeChunk(text, label),), notes


def _exported(text: str) -> bool:
    return any(line.lstrip().startswith(("%", "!", "get_ipython(")) for line in text.split("\n"))
