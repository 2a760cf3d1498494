"""What an exception of numpy or torch means, in a learner's words: which shapes, what could not be lined up."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

_Say = Callable[[re.Match[str]], str]


def _shape(text: str) -> str:
    return (
        "(" + ", ".join(part.strip() for part in text.replace("x", ",").strip("()[],").split(",") if part.strip()) + ")"
    )


UNWRITTEN = "this part is not written yet"
"""The meaning of an exception that a starter raises where the student's own lines belong."""

_UNDER_MAIN = 'put what is not asked for under `if __name__ == "__main__":`'
_MEANINGS: tuple[tuple[str, _Say], ...] = (
    (
        r"operands could not be broadcast together with shapes (\([\d,]*\)) (\([\d,]*\))",
        lambda m: (
            f"numpy could not line up the shapes {_shape(m[1])} and {_shape(m[2])}: counted from the right, two "
            "axes must be equal or one of them 1"
        ),
    ),
    (
        r"matmul: .*\(size (\d+) is different from (\d+)\)",
        lambda m: (
            f"a matrix product needs equal inner sizes, and here they are {m[2]} and {m[1]}: is a transpose missing or "
            "one too many?"
        ),
    ),
    (
        r"shapes (\([\d,]+\)) and (\([\d,]+\)) not aligned",
        lambda m: (
            f"a matrix product of {_shape(m[1])} and {_shape(m[2])} needs equal inner sizes: is a transpose missing or "
            "one too many?"
        ),
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)",
        lambda m: (
            f"a linear layer met an input of width {m[1].partition('x')[2]} but its weight takes "
            f"{m[2].partition('x')[0]}: "
            "which sizes did you give it?"
        ),
    ),
    (
        r"[Ee]xpected size for first two dimensions of batch2 tensor to be: \[([\d, ]+)\] but got: \[([\d, ]+)\]",
        lambda m: f"a batched matrix product expected {_shape(m[1])} in front and got {_shape(m[2])}",
    ),
    (
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        lambda m: (
            f"torch could not line up axis {m[3]}: one tensor has {_count(m[1], 'entry')} there, the other {m[2]}"
        ),
    ),
    (
        r"cannot reshape array of size (\d+) into shape (\([\d,]+\))",
        lambda m: f"{_count(m[1], 'number')} cannot fill the shape {_shape(m[2])}",
    ),
    (
        r"shape '(\[[-\d, ]+\])' is invalid for input of size (\d+)",
        lambda m: f"{_count(m[2], 'number')} cannot fill the shape {_shape(m[1])}",
    ),
    (
        r"view size is not compatible",
        lambda _: (
            "after a transpose the memory is no longer in order, and `view` needs it to be: use `reshape`, or "
            "`.contiguous()` first"
        ),
    ),
    (
        r"truth value of an array|Boolean value of Tensor",
        lambda _: "an `if` was asked about a whole array: compare with `is not None`, or use `np.where`",
    ),
    (
        r"masked_fill_? only supports boolean masks|expected .*mask.* (?:bool|Bool)",
        lambda _: "this version of torch takes boolean masks only: build the mask with `.bool()` or a comparison",
    ),
    (
        r"axis (-?\d+) is out of bounds for array of dimension (\d+)",
        lambda m: (
            f"axis {m[1]} does not exist in an array of {_count(m[2], 'axis')}: count from the end (axis=-1) to be safe"
        ),
    ),
    (
        r"index (-?\d+) is out of bounds for (?:axis|dimension) (\d+) with size (\d+)",
        lambda m: f"position {m[1]} was asked of axis {m[2]}, which has {_count(m[3], 'entry')}",
    ),
    (
        r"modified by an inplace operation",
        lambda _: "a value that the gradient needs was changed in place: write `x = x + …` instead of `x += …`",
    ),
    (
        r"leaf Variable that requires grad is being used in an in-place operation",
        lambda _: "a parameter was changed in place: compute a new tensor instead",
    ),
    (
        r"Cannot cast ufunc '?(\w+)'? output from dtype\('(\w+)'\) to dtype\('(\w+)'\)",
        lambda m: (
            f"an in-place operation tried to keep {m[2]} results in an array of {m[3]}: compute a new array instead"
        ),
    ),
    (
        r"Expected all tensors to be on the same device|CUDA|Torch not compiled with CUDA",
        lambda _: "the code asks for a GPU: leave tensors on the device of the input",
    ),
    (
        r"missing (\d+) required positional arguments?: (.+)",
        lambda m: f"the call did not give {m[2]}: compare your parameters with the hand-out",
    ),
    (
        r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:were|was) given",
        lambda m: (
            f"your function takes {_count(m[1], 'argument')} and the hand-out's call gives {m[2]} (self counts as one)"
        ),
    ),
    (
        r"got an unexpected keyword argument '(\w+)'",
        lambda m: f"your function has no parameter named {m[1]}: compare with the hand-out",
    ),
    (
        r"value cannot be converted to type .* without overflow",
        lambda _: "a constant such as -1e9 does not fit the type of the tensor: use `torch.finfo(x.dtype).min` or -inf",
    ),
    (r"^NotImplementedError|^\w+: name '_{2,}' is not defined", lambda _: UNWRITTEN),
    (r"^SystemExit", lambda _: f"the work ends the program here: return instead, or {_UNDER_MAIN}"),
    (r"input\(\) cannot be answered", lambda _: _UNDER_MAIN),
    (
        r"^needs \w+, which is not among the packages",
        lambda _: "use what the hand-out names, or leave the import out where nothing needs it",
    ),
    (
        r"^FileNotFoundError|Read-only file system",
        lambda _: f"no files, arguments or answers are at hand where work is judged: {_UNDER_MAIN}",
    ),
    (
        r"^PermissionError: .*Operation not permitted|^URLError",
        lambda _: f"other programs, files and the network are out of reach where work is judged: {_UNDER_MAIN}",
    ),
    (r"Missing parentheses in call to 'print'", lambda _: "this is Python 2: write print(…)"),
    (r"inconsistent use of tabs", lambda _: "tabs and spaces are mixed: let the editor turn tabs into spaces"),
    (r"invalid character '[“”‘’„]'", lambda _: "these are a word processor's quotation marks: type straight ones"),
    (
        r"invalid non-printable character",
        lambda _: "a character that cannot be seen was pasted in: delete the spaces of that line and type them anew",
    ),
    (r"maximum recursion depth exceeded", lambda _: "the function calls itself without an end"),
    (r"0\.0 cannot be raised to a negative power|division by zero", lambda _: "a zero stands where it must not"),
)


_PLURALS = {"argument": "arguments", "axis": "axes", "entry": "entries", "number": "numbers"}


def _count(number: str, noun: str) -> str:
    return f"{number} {noun if number == '1' else _PLURALS[noun]}"


def meaning(message: str) -> str:
    """Return what the message means, or an empty text where nothing is known to add.

    >>> meaning("operands could not be broadcast together with shapes (3,5) (5,3) ")[:48]
    'numpy could not line up the shapes (3, 5) and (5'
    """
    for pattern, say in _MEANINGS:
        if found := re.search(pattern, message):
            return say(found)
    return ""


_OPEN_END = re.compile(r"(?:[^=!<>]=|\breturn\b.*[-+*/@,(]|[-+*/@])\s*(?:#.*)?$")
_MERGE = re.compile(r"(?:<{7}|={7}|>{7})(?:\s|$)")
_BLANK = re.compile(r"_{3,}|\?{2,}|\.{4,}|<[^<>]*>\s*(?:#.*)?$")


_NEWER: tuple[tuple[str, str, str, tuple[int, int]], ...] = (
    (
        r"f-string|invalid|line continuation",
        r"\b[rR]?[fF][rR]?(['\"]).*\{[^{}'\"]*\1",
        "an f-string with its own quotes in braces",
        (3, 12),
    ),
    (r"f-string expression part cannot include", "", "a backslash or # inside the braces of an f-string", (3, 12)),
    (r"", r"^\s*type\s+\w+\s*(\[[^\]]*\])?\s*=", "a `type` statement", (3, 12)),
    (r"", r"^\s*(async\s+def|def|class)\s+\w+\s*\[", "type parameters in brackets", (3, 12)),
    (r"", r"^\s*except\s+[\w.]+\s*,\s*[\w.]+.*:", "`except` with a list and no parentheses", (3, 14)),
    (r"", r"\b[rR]?[tT][rR]?(['\"]).*\1", "a t-string", (3, 14)),
)
"""What newer versions of Python read and older ones refuse: the message, the line, what it is, since when."""


def _newer(message: str, line: str) -> str:
    for said, written, what, since in _NEWER:
        if since > sys.version_info[:2] and re.search(said, message) and re.search(written, line):
            version, here = ".".join(map(str, since)), ".".join(map(str, sys.version_info[:2]))
            return f"{what} needs Python {version} or later, and work is judged with Python {here}"
    return ""


def meaning_of_line(kind: str, message: str, line: str) -> str:
    """Return what the line itself tells of a syntax error: a merge, a newer Python, an unfinished line or a blank.

    >>> meaning_of_line("SyntaxError", "invalid syntax", "scores =  # YOUR CODE")
    'this line is not finished'
    """
    if kind != "SyntaxError":
        return ""
    if _MERGE.match(line):
        return "a merge of git left its marks here: keep one of the two versions and delete the lines of <, = and >"
    if newer := _newer(message, line):
        return newer
    return "this line is not finished" if _OPEN_END.search(line) or _BLANK.search(line) else ""
