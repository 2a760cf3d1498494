"""A course's own checks and components: ``checks.py`` beside its assignment, run by the grader itself.

The file makes parts and registers checks with the decorators that the built-in ones use::

    from grader.components.own import part
    from grader.properties import near

    attention = part("scaled_dot_product_attention")

    @attention.check(on="plain")
    def first_row_is_a_row(got, **inputs):
        '''The first output row is as wide as the values.'''

    double = part("double", oracle=lambda x: 2 * x, cases=[Case({"x": np.ones(3)}, "three ones")])

It is trusted as the grader is: it sees answers and runs in its process. A submission never brings one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from copy import copy, deepcopy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from grader.component.calls import Call, Case, Ladder
from grader.component.checks import Found, Oracle
from grader.components.any_call import leaves_alone
from grader.errors import GraderError, nearest
from grader.judging.function import Function
from grader.properties import near
from grader.sandbox.wire import TensorValue

FILE = "checks.py"
"""The name of the file, beside assignment.yaml or beside a rubric of the teacher's own."""
GROUP = "grader.components"
"""The entry points by which an installed package brings components: a name, and a :class:`Function`."""


_MADE: ContextVar[list[Function]] = ContextVar("made")
"""What the file that is being read has made so far."""


def part(
    name: str,
    *,
    oracle: Callable[..., Any] | None = None,
    cases: Ladder | Sequence[Case] | None = None,
    title: str = "",
    reread: str = "the hand-out",
    **how: Any,
) -> Function:
    """Return the component ``name``, to which checks and misconceptions can be added without changing anybody else's.

    With an ``oracle`` it is a component of your own: ``cases`` are what it is asked, smallest first, as a list, which
    is asked as it is, or as ``ladder(rng, domain)``, whose examples are made smaller where that fails too; ``how`` is
    passed on to :class:`Component` (``returns``, ``workshop``, ``compare``, …).
    It begins with three checks: the oracle's answer, arguments left alone, the same answer twice. Where that answer is
    wrong, what a constant of its shape passes as well earns nothing.

    Raises GraderError where ``name`` is no function component and no oracle is given, and where the oracle's answer to
    the first listed case is another one each time.
    """
    if oracle is not None:
        _require_one_answer(name, oracle, () if callable(cases) else (cases or ())[:1])
        how = {"title": title or name, "reread": reread, "own": True, **how}
        made = _with_usual_checks(Function(name, {name: oracle}, _ladder(cases or ()), **how))
    else:
        from grader import components

        try:
            made = copy(components.function(name))
        except KeyError:
            what = f"there is no component {name!r} for functions"
            raise GraderError(
                what, FILE, f"Give part() an oracle and cases. {nearest(name, components.names())}"
            ) from None
    _MADE.get([]).append(made)
    return made


def _require_one_answer(name: str, oracle: Callable[..., Any], cases: Sequence[Case]) -> None:
    """Raise GraderError where an oracle answers otherwise each time."""
    for case in cases:
        first, again = (oracle(**deepcopy(dict(case.inputs))) for _ in range(2))
        if not near(again, first):
            cure = "Let what it draws be an argument: the numbers, or a seed."
            raise GraderError(f"the oracle of {name!r} answers otherwise each time, so no answer is right", FILE, cure)


def _ladder(cases: Ladder | Sequence[Case]) -> Ladder:
    if callable(cases):
        return cases

    fixed = tuple(replace(case, fixed=True) for case in cases)  # asked as they are: nothing is known of what fits them

    def listed(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - every ladder's form
        return fixed

    return listed


def _with_usual_checks(component: Function) -> Function:
    def gives_the_right_answer(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
        """The answer has to be the right one."""
        return component.compare(got, oracle(**inputs), **inputs)

    def answers_the_same_twice(got: Any, **_: Any) -> Found:
        """The same arguments give the same answer in a second call."""
        return near(got[1], got[0])

    component.check()(gives_the_right_answer)
    leaves_alone(component, "The arguments are the same after the call.", most=3)
    component.check(ask=lambda **inputs: (Call(inputs, repeat=2),), most=3, manner=True)(answers_the_same_twice)
    return component


def parts(path: str) -> Mapping[str, Function]:
    """The parts that the file at ``path`` makes, by name; none where ``path`` is empty.

    Raises GraderError with the line where the file fails.
    """
    return _loaded(path, Path(path).read_bytes()) if path else {}


@lru_cache(maxsize=16)
def _loaded(path: str, content: bytes) -> Mapping[str, Function]:
    space: dict[str, Any] = {"__name__": "checks", "__file__": path}
    listed: list[Function] = []
    token = _MADE.set(listed)
    try:
        exec(compile(content, path, "exec"), space)  # noqa: S102 - the instructor's own code, beside the assignment
    except GraderError:
        raise
    except Exception as error:
        line = getattr(error, "lineno", None) or _line(error, path)
        raise GraderError(f"{type(error).__name__}: {error}", f"{path}:{line}", "Mend the file.") from error
    finally:
        _MADE.reset(token)
    found = {made.name: made for made in (*listed, *space.values()) if isinstance(made, Function)}
    for made in found.values():
        made.checks = tuple(
            replace(check, judge=_with_arrays(check.judge)) if check.judge.__module__ == space["__name__"] else check
            for check in made.checks
        )
    return found


def _with_arrays(judge: Callable[..., Any]) -> Callable[..., Any]:
    """Return a course's judge that is given the arrays of tensors: it computes with what it gets."""

    def plain(answer: Any) -> Any:
        if type(answer) in {tuple, list}:
            return type(answer)(map(plain, answer))
        return answer.array if isinstance(answer, TensorValue) else answer

    return lambda *answers, **inputs: judge(*map(plain, answers), **inputs)


def _line(error: Exception, path: str) -> int:
    import traceback

    return next((f.lineno or 0 for f in reversed(traceback.extract_tb(error.__traceback__)) if f.filename == path), 0)


def installed(name: str) -> Function | None:
    """The component that an installed package brings under ``name``; None where there is none."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        made = point.load()
        if isinstance(made, Function) and made.name == name:
            return made
    return None
