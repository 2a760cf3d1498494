"""One component, and how checks and misconceptions are registered with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

from grader.component.calls import Call, Case, Inputs, Ladder
from grader.component.checks import Check, Evidence, Found, Misconception
from grader.component.convention import Convention, Knobs, Settled
from grader.component.pictures import Draw
from grader.properties import Comparison, near


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
    component are never compared one by one: its misconceptions are recognised by their signs alone. ``ranked`` are the
    arrays whose axes ``domain: ranks`` counts, the first of them decides; its cases have ``smallest`` axes or more.
    ``mask_shape`` gives the shape of a mask that blocks nothing, ``returns_mask`` says that a mask
    is what it makes.

    What an assignment settles stands in ``settings`` (knobs of the workshop), ``left_out`` (parameters of the oracle
    that the hand-out does not take), ``unused`` (those that mean nothing there), ``mask_required`` and
    ``whole_numbers`` (whether these are promised), ``read_as`` (how a returned value is brought into the paper's form),
    ``say`` (how a text of the component reads there).

    ``picture`` says what a drawing of a failing case shows (see ``grader.component.pictures``).
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
        picture: Draw | None = None,
        ranked: tuple[str, ...] = (),
        smallest: int = 2,
        mask_shape: Callable[[Inputs], tuple[int, ...]] | None = None,
        returns_mask: bool = False,
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
        self.inward, self.bundles, self.random, self.picture = inward, bundles or {}, random, picture
        self.checks: tuple[Check, ...] = ()
        self.misconceptions: tuple[Misconception, ...] = ()
        self.settled: tuple[Settled, ...] = ()
        self.settings: Mapping[str, Any] = {}
        self.ranked, self.smallest, self.mask_shape = ranked, smallest, mask_shape
        self.returns_mask = returns_mask
        self.left_out: frozenset[str] = frozenset()
        self.unused: frozenset[str] = frozenset()
        self.mask_required, self.whole_numbers = False, True
        self.say: Callable[[str], str] = lambda text: text
        self.read_as: tuple[tuple[Any, Any], ...] = ()

    def settles(self, convention: Convention, values: Mapping[Any, Knobs] | None = None, **how: Any) -> None:
        """Say that a course can settle ``convention`` for this component, and which knobs each value turns.

        ``how`` is passed on to :class:`Settled`.
        """
        self.settled += (Settled(convention, values or {}, **how),)

    def turned(self, target: str, knobs: Mapping[str, Any]) -> Callable[..., Any]:
        """Return the workshop of ``target`` with its knobs turned, beside what the assignment settles.

        None turns a knob back to the paper's setting. ValueError where the component has no workshop.
        """
        shop = self.workshop
        chosen = shop.get(target or self.target) if isinstance(shop, Mapping) else shop
        if chosen is None:
            raise ValueError(f"{self.name} has no workshop to turn knobs on")
        if not self.settings:
            return partial(chosen, **knobs)
        known = signature(chosen).parameters
        takes_all = any(one.kind is one.VAR_KEYWORD for one in known.values())
        settings = {name: value for name, value in self.settings.items() if takes_all or name in known}
        both = {**settings, **knobs}
        kept = {name: value for name, value in both.items() if value is not None}
        return partial(_as_read, chosen, self.read_as, **kept) if self.read_as else partial(chosen, **kept)

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
                    "oracle" in signature(judge).parameters,
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
        title, nudge, hint, explanation = texts_of(text)
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


def _as_read(function: Callable[..., Any], reads: Sequence[tuple[Any, Any]], *args: Any, **inputs: Any) -> Any:
    """What a function of the hand-out's form returns, in the paper's form."""
    value = function(*args, **inputs)
    for read, declared in reads:
        value = read(value, declared, inputs)
    return value


def as_written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a student would write: what it returns is in the hand-out's form."""
    if isinstance(function, partial) and function.func is _as_read:
        return partial(function.args[0], **function.keywords)
    return function


def texts_of(block: str) -> tuple[str, str, str, str]:
    """Title, nudge, hint and explanation of a mistake that is told in one block, as :meth:`Component.slip` has it."""
    parts = {"": "", "?": "", ">": "", "=": ""}
    current = ""
    for line in block.strip().splitlines():
        current = line[0] if line[:1] in parts and line[:1] else current
        parts[current] += " " + line.removeprefix(current).strip()
    title, nudge, hint, explanation = (part.strip() for part in parts.values())
    return title, nudge, hint, explanation


def _dedent(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()).strip()
