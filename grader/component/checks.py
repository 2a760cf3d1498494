"""What a component lists: checks, misconceptions, and the evidence that these look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.component.calls import Answered, Case, Inputs
from grader.model.outcome import By, Diagnosis, joined
from grader.properties import Comparison

Oracle = Callable[..., Any]
"""What is right in this assignment, called with a case's inputs by name: a judge that compares takes it."""
Found = Comparison | bool | str | None
"""What a judge returns: a comparison, a truth value, or a message that says what is wrong; None is right."""


@dataclass(frozen=True, slots=True)
class Check:
    """A property of any right implementation.

    ``name`` is the check's id inside the component, ``title`` what the student reads, ``detail`` the rest.
    ``convention`` names the convention it is about: it alone is lost when the student keeps to another one throughout.

    Of a function ``ask`` turns a case into calls; ``judge`` gets their answers in order and then the case's inputs by
    name. ``on`` says which cases it wants, ``most`` how many. A judge with a parameter ``oracle`` (``compares``) is
    given the function that is right in this assignment.

    Of a module ``ask`` gives programs for a subject, by key, of which equal ones are asked once, and ``judge`` an
    outcome for what was replied. Where the assignment does not promise what it ``needs``, or has none of the cases in
    ``keys``, it is not asked. One that compares with the paper ``owns`` the knobs that it pays for, as (knob, setting).

    A ``manner`` is passed by empty code too: it earns its points only where the values give it ground.
    """

    name: str
    title: str
    ask: Callable[..., Any]
    judge: Callable[..., Any]
    detail: str = ""
    on: Callable[[Case], bool] = lambda _: True
    most: int = 0
    convention: str = ""
    compares: bool = False
    keys: tuple[str, ...] = ()
    needs: Callable[[Any], bool] = lambda _: True
    manner: bool = False
    owns: Callable[[str, Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong oracle with the same parameters as the right one, or a sign that values cannot show.

    ``variant`` maps a target's inputs to what the mistaken code returns, or raises what it raises; ``sign`` looks
    at the evidence instead. ``knobs`` are the settings of the component's workshop that make the variant, so that
    two faults can be found together; ``tie_break`` looks at the source (in the evidence, or the text itself of a
    module) where no input can tell twins apart. ``hints`` has the keys ``nudge``, ``hint`` and ``explanation``.
    ``reading`` gives the conventions under which the rest of a submission with this slip is judged, so that one
    slip is paid for once. ``variants`` are the wrong functions by target where a slip shows in several callables.
    ``fit`` reads from the answers a constant that the student chose (a base, a fill, an eps), of a module from the
    numbers in its source, and yields settings to try; ``told`` is the title with the setting in braces. ``applies``
    says whether it can be made at all with the inputs that this hand-out asks: where it cannot, it explains nothing.
    ``parts`` are the mistakes that were made together. Those that are met most are ``common``.
    """

    id: str
    title: str
    hints: Mapping[str, str]
    reread: str
    component: str
    variant: Callable[..., Any] | None = None
    sign: Callable[[Evidence], bool] | None = None
    target: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    tie_break: Callable[[Any], bool] | None = None
    variants: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    fit: Callable[[Any], Iterable[Mapping[str, Any]]] | None = None
    told: str = ""
    applies: Callable[[Sequence[Inputs]], bool] | None = None
    parts: tuple[Misconception, ...] = ()
    common: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The mistakes that this one is made of, or its own id."""
        return tuple(part.id for part in self.parts) or (self.id,)

    def apart_from(self, other: Misconception) -> bool:
        """Whether the two turn different settings, so that both can be made at once."""
        return not self.knobs.keys() & other.knobs.keys()

    def diagnosis(self, by: By, family: tuple[tuple[str, ...], ...] = ()) -> Diagnosis:
        """Return the mistake as an outcome carries it."""
        each = tuple(one.diagnosis(by) for one in self.parts)
        return Diagnosis(self.ids, self.title, family, by, self.hints, self.reread, self.component, each)

    def by_target(self, main: str) -> Mapping[str, Callable[..., Any]]:
        """The wrong functions by the callable that they stand for; ``main`` is the component's main one."""
        if self.variants:
            return self.variants
        return {} if self.variant is None else {self.target or main: self.variant}


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


def together(first: Misconception, second: Misconception, **how: Any) -> Misconception:
    """Return two mistakes as one; two ways of one mistake are that mistake. ``how`` are its other fields."""
    alike = first.id == second.id
    same = first.component == second.component
    return Misconception(
        first.id if alike else joined((first.id, second.id)),
        first.title if alike else f"Two slips together: {_lower(first.title)}; and {_lower(second.title)}.",
        {level: f"{text} {second.hints.get(level, '')}".strip() for level, text in first.hints.items()},
        first.reread if first.reread == second.reread else f"{first.reread}; {second.reread}",
        first.component if same else joined((first.component, second.component)),
        knobs={**first.knobs, **second.knobs},
        parts=() if alike else (first, second),
        **how,
    )


def _lower(title: str) -> str:
    text = title.strip().rstrip(".")
    first = text.split(maxsplit=1)[0]
    name = first in {"True", "False", "None"} or (first[1:] and not first[1:].islower())  # such as ReLU, W_o
    return text if name else text[:1].lower() + text[1:]


def passes(parameter: str) -> Callable[[Sequence[Inputs]], bool]:
    """Say whether any of the inputs have ``parameter``."""
    return lambda asked: any(inputs.get(parameter) is not None for inputs in asked)


def passes_batches(parameter: str) -> Callable[[Sequence[Inputs]], bool]:
    """Say whether any of the inputs have ``parameter`` with more axes than a matrix."""
    return lambda asked: any(np.ndim(inputs.get(parameter, 0)) > 2 for inputs in asked)  # noqa: PLR2004
