"""A few lines that show a failure in the student's own session: they run as printed."""

import keyword
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from grader.component.calls import Rng, StepFn
from grader.model.submission import CodeModule, Submission

LARGEST = 36
"""Entries of the largest array that is written out."""
TOO_LARGE = "…"
"""What the expression of a value that is too large to be pasted begins with."""
_MOST_CALLS, _LONGEST = 3, 1500
"""Calls, and characters, beyond which the first call has to do."""
_LONGEST_IMPORT = 72
_PLAIN_DTYPES = frozenset({"float64", "int64", "bool"})
"""What numpy makes of written numbers by itself."""
_TORCH_DTYPES = {"float32": "float32", "int64": "int64", "bool": "bool"}
_CLOSE = 1e-3
_NUMBER = re.compile(r"-?(?:np\.nan|np\.inf|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)")
_SMALLEST, _LARGEST_PLAIN = 1e-3, 1e7
"""Sizes between which a number is written without an exponent."""
_NOT_FINITE = re.compile(r"\b(nan|inf)\b")


@dataclass(frozen=True, slots=True)
class Tried:
    """What the student's code was asked, to be asked again at home.

    ``calls`` are the arguments of each call by name, in the order in which they are passed. ``module`` is the file
    that defines ``function``. ``gradient`` names the argument by which the result is differentiated; ``changed`` are
    the arguments that the call wrote into; ``repeat`` says how often the same call was made. Where ``function`` is a
    class, ``made`` are the lines that make the ``module`` that is called, by its method ``entry`` where that is named.
    With ``by_name`` the arguments are passed so.
    """

    function: str
    module: CodeModule | None
    calls: tuple[Mapping[str, Any], ...]
    torch: bool = False
    gradient: str = ""
    changed: tuple[str, ...] = ()
    repeat: int = 1
    made: tuple[str, ...] = ()
    entry: str = ""
    by_name: bool = False


def home(name: str, submission: Submission) -> CodeModule | None:
    """Return the module of ``submission`` with that name."""
    return next((module for module in submission.modules if module.name == name), None)


def snippet(tried: Tried) -> str:
    """Return lines to paste; empty where there is nothing to call, or an argument is too large to be written out."""
    if not tried.function:
        return ""
    body = list(_calls(tried, tried.calls))
    if len(tried.calls) > _MOST_CALLS or sum(map(len, body)) > _LONGEST:
        body = list(_calls(tried, tried.calls[:1]))
    if any(TOO_LARGE in line for line in body):
        return ""
    text = "\n".join((*tried.made, *body))
    packages = [f"import {word}" for word in ("torch",) if "torch." in text]
    packages += ["import numpy as np"] if "np." in text else []
    return "\n".join([*sorted(packages), *imported(tried.function, tried.module), text])


def from_folder(lines: str, folder: Path) -> str:
    """Return lines of a snippet as they run in the folder where the command was given, the work being in ``folder``.

    ``folder`` may be a zip: Python imports from one as well.
    """
    if folder == Path() or not lines:
        return lines
    path = _RUN_PATH.search(lines)
    if path is not None and folder.is_dir():
        return f"{lines[: path.start(1)]}{str(folder / literal_eval(path[1]))!r}{lines[path.end(1) :]}"
    if (found := _FROM_IMPORT.search(lines)) is None:
        return lines
    head, tail = lines[: found.start()], lines[found.start() :]
    return f"import sys\n{head}sys.path.insert(0, {str(folder)!r})\n{tail}"


_RUN_PATH = re.compile(r"^\w+ = runpy\.run_path\(('[^'\n]*'|\"[^\"\n]*\")\)", re.MULTILINE)
_FROM_IMPORT = re.compile(r"^from \w[\w.]* import ", re.MULTILINE)


def _calls(tried: Tried, calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    known: dict[str, str] = {}
    for arguments in calls:
        for name, value in arguments.items():
            written = expression(value, torch=tried.torch, grad=name == tried.gradient)
            if value is not None and known.get(name) != written:
                known[name] = written
                yield f"{name} = {written}"
        called = f"module{tried.entry}" if tried.made else tried.function
        texts = [(name, "None" if value is None else name) for name, value in arguments.items()]
        asked = f"{called}({', '.join(f'{name}={text}' if tried.by_name else text for name, text in texts)})"
        if tried.gradient:
            yield f"{asked}.backward()"
            yield f"print({tried.gradient}.grad)"
            return
        yield from [f"print({asked})"] * tried.repeat
        yield from (f"print({name})" for name in tried.changed)


def imported(function: str, module: CodeModule | None) -> Iterable[str]:
    """How the function comes into the session: not at all in a notebook, where the cell has run already."""
    chunk = module.chunks[0] if module and module.chunks else None
    if module is None or chunk is None or chunk.cell is not None:
        return ()
    path = chunk.filename
    stem = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    importable = stem == module.name and all(p.isidentifier() and not keyword.iskeyword(p) for p in stem.split("."))
    if not importable:
        return ("import runpy", f"{function} = runpy.run_path({path!r})[{function!r}]")
    line = f"from {module.name} import {function}"
    if len(line) <= _LONGEST_IMPORT:
        return (line,)
    return (f"from {module.name} import (", f"    {function},", ")")  # a report would have to break the one line


def expression(value: Any, *, torch: bool = False, grad: bool = False) -> str:
    """Return a value as a Python expression that can be pasted.

    A value that is too large begins with ``…`` and says what it is.
    """
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        return _array(inner, torch=torch, grad=grad)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {expression(item, torch=torch)}" for name, item in value.items()) + "}"
    if isinstance(value, Rng):
        return f"np.random.default_rng({value.seed})"
    if isinstance(value, StepFn):
        return _step_function(value)
    if isinstance(value, np.generic):
        value = value.item()
    return _NOT_FINITE.sub(r"np.\1", repr(value)) if isinstance(value, float) else repr(value)


def _array(array: np.ndarray[Any, Any], *, torch: bool, grad: bool) -> str:
    if array.size > LARGEST:
        return f"{TOO_LARGE}  # array of shape {tuple(array.shape)}"
    if not array.size:
        return f"torch.empty({tuple(array.shape)})" if torch else f"np.empty({tuple(array.shape)})"
    text = _written(array)
    if torch:
        wanted = _TORCH_DTYPES.get(str(array.dtype), "")
        extra = "" if wanted else f", dtype=torch.{array.dtype}"
        extra += ", requires_grad=True" if grad else ""
        return f"torch.tensor({text}{extra})"
    if not array.ndim:
        return text
    extra = "" if str(array.dtype) in _PLAIN_DTYPES else f", dtype=np.{array.dtype}"
    return f"np.array({text}{extra})"


def _written(array: np.ndarray[Any, Any]) -> str:
    """The entries with four places where that changes nothing that counts, else with as many as they need."""
    if array.dtype.hasobject:
        return entries(array)
    return _spelled(array.tobytes(), array.dtype, array.shape)


@lru_cache(maxsize=256)
def _spelled(raw: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    """An array by its bytes: what is asked of a whole class is written out once."""
    array = np.frombuffer(raw, dtype).reshape(shape)
    short = _NOT_FINITE.sub(r"np.\1", entries(array))
    return short if _stays(short, array) else _NOT_FINITE.sub(r"np.\1", entries(array, str))


def entries(array: np.ndarray[Any, Any], spell: Callable[[Any], str] | None = None) -> str:
    """Return the entries in nested brackets, each as ``spell`` writes it: with four places unless told otherwise."""
    if array.ndim:
        return f"[{', '.join(entries(row, spell) for row in array)}]"
    value: Any = array[()] if isinstance(array, np.ndarray) else array  # rows of texts are no arrays at the end
    if array.dtype.kind != "f":
        return repr(value.item()) if array.dtype.kind in "biuc" else repr(value)
    return (spell or figure)(value)


def figure(value: float) -> str:
    """Return a number as a learner reads it: four places, without an exponent where it is of ordinary size.

    >>> [figure(x) for x in (0.5, 2.0, 1 / 3, 1e-9, 123456.0, 2e7)]
    ['0.5', '2.', '0.3333', '1e-09', '123456.', '2e+07']
    """
    size = abs(float(value))  # a bound is no number of float16
    if not np.isfinite(value) or size == 0:
        return f"{size if size == 0 else value:.0f}" + ("." if size == 0 else "")
    if _SMALLEST <= size < _LARGEST_PLAIN:
        return f"{value:.4f}".rstrip("0")
    return f"{value:.4g}"


def _stays(text: str, array: np.ndarray[Any, Any]) -> bool:
    """Whether printed entries are close to what they were, and those that differed still do."""
    if array.dtype.kind != "f":
        return True
    read = np.array([float(number.replace("np.", "")) for number in _NUMBER.findall(text)])
    with np.errstate(invalid="ignore"):
        whole = bool((array == np.round(array)).all())
    near = 0 if whole else _CLOSE
    close = len(read) == array.size and np.allclose(read, array.ravel(), rtol=near, atol=0, equal_nan=True)
    return bool(close) and len(np.unique(read)) == len(np.unique(array))


def _step_function(model: StepFn) -> str:
    """A small table as a function that can be pasted: looked up by the whole prefix, else by its last token."""
    if (len(model.rows) + len(model.last)) * len(model.default) > LARGEST:
        return f"{TOO_LARGE}  # table of log-probabilities for {len(model.rows)} prefixes, {len(model.default)} tokens"
    found = _row(model.default)
    if model.last:
        by_last = ", ".join(f"{token}: {_row(row)}" for token, row in model.last.items())
        found = f"{{{by_last}}}.get(prefix[-1], {found})"
    if model.rows:
        by_prefix = ", ".join(f"({prefix},): {_row(row)}" for prefix, row in model.rows.items())
        found = f"{{{by_prefix}}}.get(tuple(prefix), {found})"
    return f"lambda prefix: np.array({found})"


def _row(values: Sequence[float]) -> str:
    return "[" + ", ".join(f"{value:.3g}" for value in values) + "]"
