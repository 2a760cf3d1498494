"""A component is one file: its oracle, its ladder of cases, its checks and its misconceptions together.

Registration is local to the object: a decorator returns the function and puts a frozen record into the
component's own tuple. There is no scan and no global registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from grader.properties import Comparison, near

Inputs = Mapping[str, Any]
Ladder = Callable[[np.random.Generator, Mapping[str, Any]], Iterable["Case"]]


@dataclass(frozen=True, slots=True)
class Case:
    """One rung of the ladder: canonical inputs by the oracle's parameter names, and why it is asked.

    ``tags`` say what it exercises (``mask``, ``batch``, ``large``); ``fixed`` cases do not depend on the
    generator and are asked once. ``target`` names the callable where the component has several.
    """

    inputs: Inputs
    why: str
    tags: frozenset[str] = frozenset()
    fixed: bool = False
    hidden: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make, in canonical terms.

    ``watch`` also brings back the arguments as they are afterwards, the state of the global generators before
    and after, and what was printed; ``repeat`` makes the same call again in the same process (the answer is then a
    list of values). ``gradient`` names an array argument by which the (scalar) result is differentiated in torch; the
    answer is then :class:`Differentiated`. ``may_raise`` hands an exception to the judge, as :class:`Refused`.
    """

    inputs: Inputs
    target: str = ""
    watch: bool = False
    repeat: int = 1
    gradient: str = ""
    may_raise: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """What a call with ``may_raise`` brings back where the student's code raises: class, message, base classes."""

    type: str
    message: str
    mro: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watched call brings back."""

    value: Any
    after: Inputs
    random_before: str
    random_after: str
    output: str


@dataclass(frozen=True, slots=True)
class Differentiated:
    """What a call with ``gradient`` brings back.

    ``gradient`` is None where the result does not depend on the argument in a way that torch could follow.
    """

    value: Any
    gradient: Any


class Rng:
    """An ``rng`` argument: a seed that the child rebuilds as a numpy Generator."""

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def live(self) -> np.random.Generator:
        """A fresh generator from the seed, for the oracle."""
        return np.random.default_rng(self.seed)

    def node(self) -> dict[str, Any]:
        """How the child is told."""
        return {"$": "rng", "seed": self.seed}


class StepFn:
    """A ``step_fn`` argument: log-probabilities of the next token from a table, ``(vocab,)``.

    ``rows`` are found by the whole prefix (``"1,4,2"``), else ``last`` by its last token, else ``default``.
    """

    __slots__ = ("default", "last", "rows")

    def __init__(
        self,
        rows: Mapping[str, Sequence[float]],
        last: Mapping[str, Sequence[float]],
        default: Sequence[float],
    ) -> None:
        self.rows, self.last, self.default = dict(rows), dict(last), list(default)

    def __call__(self, prefix: Sequence[int]) -> np.ndarray[Any, Any]:
        """Return the log-probabilities of the next token after ``prefix``."""
        key = ",".join(str(int(token)) for token in prefix)
        row = self.rows.get(key) or self.last.get(key.rpartition(",")[2]) or self.default
        return np.array(row, dtype=np.float64)

    def live(self) -> StepFn:
        """The table itself is the function, for the oracle."""
        return self

    def node(self) -> dict[str, Any]:
        """How the child is told."""
        return {"$": "step_fn", "rows": self.rows, "last": self.last, "default": self.default}


def live(inputs: Inputs) -> dict[str, Any]:
    """Inputs as the oracle takes them: seeds become generators, arrays are copied."""
    return {
        name: value.live()
        if isinstance(value, Rng | StepFn)
        else value.copy()
        if isinstance(value, np.ndarray)
        else value
        for name, value in inputs.items()
    }


Found = Comparison | bool | str | None
"""What a judge returns: a comparison, a truth value, or a message that says what is wrong; None is right."""


@dataclass(frozen=True, slots=True)
class Check:
    """A property of any right implementation.

    ``ask`` turns a case into calls; ``judge`` gets their answers in order and then the case's inputs by name.
    ``on`` says which cases it wants. ``name`` is the check's id inside the component, ``title`` what the student
    reads, ``detail`` the rest of the docstring. ``convention`` names the convention it is about: it alone is lost
    when the student keeps to another convention throughout.
    """

    name: str
    title: str
    detail: str
    ask: Callable[..., Sequence[Call]]
    judge: Callable[..., Found]
    on: Callable[[Case], bool]
    most: int = 0
    convention: str = ""


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong oracle with the same parameters as the right one, or a sign that values cannot show.

    ``variant`` maps a target's inputs to what the mistaken code returns, or raises what it raises; ``sign`` looks at
    the evidence instead. ``knobs`` are the settings of the component's workshop that make the variant, so that two
    faults can be found together; ``tie_break`` looks at the source where no input can tell twins apart. ``hints``
    has the keys ``nudge``, ``hint`` and ``explanation``. ``reading`` gives the conventions under which the rest of a
    submission with this slip is judged, so that one slip is paid for once. ``variants`` are the wrong functions by
    target where a slip shows in several callables. ``fit`` reads from the answers a constant that the student chose
    (a base, a fill, an eps) and yields settings to try; ``told`` is the title with the setting in braces. ``applies``
    says whether it can be made at all with the inputs that this hand-out asks: where it cannot, it explains nothing.
    """

    id: str
    title: str
    explanation: str
    hints: Mapping[str, str]
    reread: str
    component: str
    variant: Callable[..., Any] | None = None
    sign: Callable[[Evidence], bool] | None = None
    target: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    tie_break: Callable[[Evidence], bool] | None = None
    variants: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    fit: Callable[[Evidence], Iterable[Mapping[str, Any]]] | None = None
    told: str = ""
    applies: Callable[[Sequence[Inputs]], bool] | None = None

    def by_target(self, main: str) -> Mapping[str, Callable[..., Any]]:
        """The wrong functions by the callable that they stand for; ``main`` is the component's main one."""
        if self.variants:
            return self.variants
        return {} if self.variant is None else {self.target or main: self.variant}


@dataclass(frozen=True, slots=True)
class Answered:
    """One call with its answer: ``status`` as the child gave it, ``value`` in canonical terms when it is ``value``."""

    case: Case
    call: Call
    status: str
    value: Any = None
    failure: Any = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of a component when its failures are to be explained.

    ``answers`` are all calls with their answers, ``failed`` the names of the checks that failed, ``source`` the
    submission's modules for the syntax tree, ``function`` the name under which the target was found.
    """

    answers: tuple[Answered, ...]
    failed: frozenset[str]
    modules: tuple[Any, ...]
    function: str
    domain: Mapping[str, Any] = field(default_factory=dict)


def passes(parameter: str) -> Callable[[Sequence[Inputs]], bool]:
    """Say whether any of the inputs have ``parameter``."""
    return lambda asked: any(inputs.get(parameter) is not None for inputs in asked)


def passes_batches(parameter: str) -> Callable[[Sequence[Inputs]], bool]:
    """Say whether any of the inputs have ``parameter`` with more axes than a matrix."""
    return lambda asked: any(np.ndim(inputs.get(parameter, 0)) > 2 for inputs in asked)  # noqa: PLR2004


def as_given(target: str = "") -> Callable[..., Sequence[Call]]:
    """Ask the case itself: the default of a check."""
    return lambda **inputs: (Call(inputs, target),)


def watched(target: str = "") -> Callable[..., Sequence[Call]]:
    """Ask the case itself and watch arguments, generators and output."""
    return lambda **inputs: (Call(inputs, target, watch=True),)


class Component:
    """One component of the paper as a course can set it.

    ``name`` is the component's id, ``oracles`` maps each callable's canonical name to the reference function
    (the first is the main one), ``ladder(rng, domain)`` yields its cases, smallest first. ``returns`` names the
    returned values where there are several. ``workshop`` is the oracle with knobs: called with the oracle's inputs
    alone it is the oracle, each knob makes one fault. ``probes`` yields further inputs that tell misconceptions apart.
    ``compare(got, expected, **inputs)`` is how answers are compared where parts of them are not judged.
    ``inward(value, conventions)`` reads a returned value back from the conventions that the student keeps.
    ``bundles`` names parameters of a hand-out that hold several of the oracle's: ``{"weights": {"w_q": "W_q"}}``.
    Where there are several targets, ``workshop`` is a mapping from each to its own. The answers of a ``random``
    component are never compared one by one: its misconceptions are recognised by their signs alone.
    """

    needs_function = True
    """Whether a submission must define the callable; a component about the whole submission needs none."""

    def __init__(  # noqa: PLR0913 - keyword-only beyond the first three: a component says much of itself
        self,
        name: str,
        oracles: Mapping[str, Callable[..., Any]],
        ladder: Ladder,
        *,
        title: str,
        reread: str,
        returns: tuple[str, ...] = (),
        workshop: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None = None,
        probes: Ladder | None = None,
        compare: Callable[..., Comparison] | None = None,
        inward: Callable[[Any, Mapping[str, Any]], Any] | None = None,
        bundles: Mapping[str, Mapping[str, str]] | None = None,
        random: bool = False,
    ) -> None:
        self.name, self.oracles, self.ladder, self.title, self.reread = (
            name,
            dict(oracles),
            ladder,
            title,
            reread,
        )
        self.returns, self.workshop, self.probes = returns, workshop, probes or ladder
        self.compare = compare or (lambda got, expected, **_: near(got, expected))
        self.compares_all = compare is None
        self.target = next(iter(self.oracles))
        self.inward, self.bundles, self.random = inward, bundles or {}, random
        self.checks: tuple[Check, ...] = ()
        self.misconceptions: tuple[Misconception, ...] = ()

    def turned(self, target: str, knobs: Mapping[str, Any]) -> Callable[..., Any]:
        """Return the workshop of ``target`` with its knobs turned; ValueError where the component has none."""
        shop = self.workshop
        chosen = shop.get(target or self.target) if isinstance(shop, Mapping) else shop
        if chosen is None:
            raise ValueError(f"{self.name} has no workshop to turn knobs on")
        return partial(chosen, **knobs)

    def oracle(self, target: str = "") -> Callable[..., Any]:
        """Return the oracle of ``target``; the main one by default."""
        return self.oracles[target or self.target]

    def check(
        self,
        *,
        ask: Callable[..., Sequence[Call]] | None = None,
        on: Callable[[Case], bool] | None = None,
        most: int = 0,
        convention: str = "",
    ) -> Callable[[Callable[..., Found]], Callable[..., Found]]:
        """Register the decorated function as the judge of a check; its name is the id, its docstring the text.

        ``most`` bounds the number of cases (0: all that ``on`` accepts).
        """

        def register(judge: Callable[..., Found]) -> Callable[..., Found]:
            title, _, detail = (judge.__doc__ or judge.__name__).strip().partition("\n")
            self.checks += (
                Check(
                    judge.__name__,
                    title.strip(),
                    _dedent(detail),
                    ask or as_given(),
                    judge,
                    on or (lambda _: True),
                    most,
                    convention,
                ),
            )
            return judge

        return register

    def fault(  # noqa: PLR0913 - keyword-only: texts, and how it is recognised
        self,
        id: str,
        title: str,
        *,
        nudge: str,
        hint: str,
        explanation: str = "",
        reread: str = "",
        target: str = "",
        reading: Mapping[str, Any] | None = None,
        tie_break: Callable[[Evidence], bool] | None = None,
        sign: Callable[[Evidence], bool] | None = None,
        targets: tuple[str, ...] = (),
        fit: Callable[[Evidence], Iterable[Mapping[str, Any]]] | None = None,
        told: str = "",
        applies: Callable[[Sequence[Inputs]], bool] | None = None,
        **knobs: Any,
    ) -> None:
        """Register the workshop turned by ``knobs`` as a wrong oracle.

        ``sign`` recognises it where its values are random and cannot be compared. ``targets`` are the callables that
        show it together. With ``fit`` the ``knobs`` are an example, and ``told`` says the title with the number.
        ``applies`` says whether it can be made with the inputs that are asked.
        """
        target = target or (targets[0] if targets else "")
        self._add(
            id,
            f"{title}\n{explanation}",
            nudge,
            hint,
            reread,
            target,
            variant=self.turned(target, knobs),
            knobs=knobs,
            reading=reading or {},
            tie_break=tie_break,
            sign=sign,
            variants={name: self.turned(name, knobs) for name in targets},
            fit=fit,
            told=told,
            applies=applies,
        )

    def slip(self, id: str, text: str, *settings: Mapping[str, Any], **how: Any) -> None:
        """Register one fault for each of ``settings`` of the workshop, with all its texts in one block.

        The block opens with the title; a line that starts with ``?`` opens the nudge, ``>`` the hint and ``=`` the
        explanation; other lines go on with what was opened. ``how`` is passed on to :meth:`fault`.
        """
        parts = {"": "", "?": "", ">": "", "=": ""}
        current = ""
        for line in text.strip().splitlines():
            current = line[0] if line[:1] in parts and line[:1] else current
            parts[current] += " " + line.removeprefix(current).strip()
        title, nudge, hint, explanation = (part.strip() for part in parts.values())
        for knobs in settings:
            self.fault(id, title, nudge=nudge, hint=hint, explanation=explanation, **how, **knobs)

    def sign(
        self,
        id: str,
        *,
        nudge: str,
        hint: str,
        reread: str = "",
        target: str = "",
    ) -> Callable[[Callable[[Evidence], bool]], Callable[[Evidence], bool]]:
        """Register the decorated function as the sign of a mistake that values cannot show."""

        def register(sign: Callable[[Evidence], bool]) -> Callable[[Evidence], bool]:
            self._add(id, sign.__doc__ or id, nudge, hint, reread, target, sign=sign)
            return sign

        return register

    def _add(self, id: str, text: str, nudge: str, hint: str, reread: str, target: str, **how: Any) -> None:
        title, _, explanation = text.strip().partition("\n")
        hints = {"nudge": nudge, "hint": hint, "explanation": _dedent(explanation) or title}
        self.misconceptions += (
            Misconception(
                id,
                title.strip(),
                hints["explanation"],
                hints,
                reread or self.reread,
                self.name,
                target=target,
                **how,
            ),
        )


def _dedent(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()).strip()
