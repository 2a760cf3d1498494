"""One component, and how checks and misconceptions are registered with it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, lru_cache, partial
from inspect import Parameter, signature
from typing import Any, TypeVar

from grader import mistakes
from grader.component.calls import Call, Inputs, Ladder, Wanted, tagged
from grader.component.checks import Check, Found, Misconception
from grader.component.convention import Knobs, Settled
from grader.component.part import Part
from grader.component.pictures import Draw
from grader.mistakes import Mistake, Way
from grader.properties import Comparison, near

Hook = TypeVar("Hook", bound=Callable[..., Any])


def _as_given(**inputs: Any) -> Sequence[Call]:
    """Ask the case itself."""
    return (Call(inputs),)


def _nearly(got: Any, expected: Any, **_: Any) -> Comparison:
    return near(got, expected)


def _as_it_is(text: str) -> str:
    return text


@dataclass(eq=False, repr=False)
class Component(Part):
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
    arrays whose axes ``domain: ranks`` counts, the first of them decides; its cases have two axes or more.
    ``mask_shape`` gives the shape of a mask that blocks nothing, ``returns_mask`` says that a mask
    is what it makes. Its mistakes stand in the file of its name in ``grader/mistakes``.
    ``inside`` is a part that it may be built on, with the settings of that part that its workshop takes. Parameters
    that are ``only_listed`` are not the paper's: a hand-out that lists no parameters has none of them.

    What an assignment settles stands in ``settings`` (knobs of the workshop), ``left_out`` (parameters of the oracle
    that the hand-out does not take), ``unused`` (those that mean nothing there), ``mask_required``, ``whole_numbers``
    and ``gradients`` (whether these are promised), ``read_as`` (how a returned value is brought into the paper's form),
    ``say`` (how a text of the component reads there).

    ``picture`` says what a drawing of a failing case shows (see ``grader.component.pictures``). Of a course's ``own``
    part a check that a constant passes is a manner, whether or not it says so.
    """

    name: str
    oracles: Mapping[str, Callable[..., Any]]
    ladder: Ladder
    _: KW_ONLY
    title: str
    reread: str
    returns: tuple[str, ...] = ()
    workshop: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None = None
    probes: Ladder | None = None
    compare: Callable[..., Comparison] = _nearly
    inward: Callable[[Any, Mapping[str, Any]], Any] | None = None
    bundles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    random: bool = False
    picture: Draw | None = None
    ranked: tuple[str, ...] = ()
    mask_shape: Callable[[Inputs], tuple[int, ...]] | None = None
    returns_mask: bool = False
    inside: tuple[str, Collection[str]] = ("", ())
    only_listed: Collection[str] = ()
    own: bool = False

    checks: tuple[Check, ...] = field(init=False, default=())
    settled: tuple[Settled, ...] = field(init=False, default=())
    hooks: dict[str, Callable[..., Any]] = field(init=False, default_factory=dict)
    settings: Mapping[str, Any] = field(init=False, default_factory=dict)
    left_out: frozenset[str] = field(init=False, default=frozenset())
    unused: frozenset[str] = field(init=False, default=frozenset())
    mask_required: bool = field(init=False, default=False)
    whole_numbers: bool = field(init=False, default=True)
    gradients: bool = field(init=False, default=False)
    say: Callable[[str], str] = field(init=False, default_factory=lambda: _as_it_is)
    read_as: tuple[tuple[Any, Any], ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        self.compares_all = self.compare is _nearly
        self.target = next(iter(self.oracles))
        self.listed: Callable[[], Iterable[Misconception]] = self._of_catalogue

    def settles(self, name: str, values: Mapping[Any, Knobs] | None = None, **how: Any) -> None:
        """Say that a course can settle the convention ``name`` for this component, and which knobs each value turns.

        Without ``values`` they are the convention's own. ``how`` is passed on to :class:`Settled`. How texts read then
        stands in ``words.toml``, under the component and the convention.
        """
        how = {"whole": False, "words": f"{self.name}.{name.rpartition('.')[2]}", **how}
        self.settled += (Settled(name, values, **how),)

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

    @property
    def further(self) -> frozenset[str]:
        """The callables that are asked for beside the main one."""
        return frozenset(self.oracles) - {self.target}

    def oracle(self, target: str = "") -> Callable[..., Any]:
        """Return the oracle of ``target``; the main one by default."""
        return self.oracles[target or self.target]

    def taken(self, target: str = "") -> Mapping[str, Parameter]:
        """What a callable takes, by our names in their usual order; what can replace a step of it is no argument."""
        return _taken(self.oracle(target))

    @property
    def given(self) -> tuple[str, ...]:
        """What a call of the main callable can be given."""
        return (*self.taken(), *self.bundles)

    def check(
        self,
        name: str = "",
        text: str = "",
        *,
        ask: Callable[..., Sequence[Call]] = _as_given,
        on: Wanted = lambda _: True,
        most: int = 0,
        convention: str = "",
        manner: bool = False,
    ) -> Callable[[Callable[..., Found]], Callable[..., Found]]:
        """Register the decorated function as the judge of a check.

        Its name is the id and its docstring the text, where one that judges several checks is given no others.
        ``on`` says which cases it wants, by their tags or a function, and ``most`` how many (0: all of them).
        What empty code passes too is a ``manner``.
        """

        def register(judge: Callable[..., Found]) -> Callable[..., Found]:
            title, _, detail = (text or judge.__doc__ or judge.__name__).strip().partition("\n")
            self.checks += (
                Check(
                    name or judge.__name__,
                    title.strip(),
                    ask,
                    judge,
                    _dedent(detail),
                    tagged(on),
                    most,
                    convention,
                    "oracle" in signature(judge).parameters,
                    manner=manner,
                ),
            )
            return judge

        return register

    def hook(self, function: Hook) -> Hook:
        """Register the decorated function under its name, by which records of the catalogue use it.

        Of what distinguishes the ways of one mistake it is given what it has parameters for: ``target``, ``knobs`` and
        ``shows``.
        """
        self.hooks[function.__name__.lstrip("_")] = function
        return function

    def knows(self, id: str, **record: Any) -> None:
        """Add a mistake: ``record`` has what a table of the catalogue has; functions may stand for their names."""
        self.misconceptions += tuple(self._ways_of(mistakes.record(id, self.name, record)))

    @cached_property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The mistakes that are known by name; those of the catalogue are read when they are first asked for."""
        return tuple(self.listed())

    @cached_property
    def inner(self) -> tuple[Misconception, ...]:
        """The mistakes of the part inside, as they show here; those that are the component's own are left out."""
        part, settings = self.inside
        own = [one.knobs for one in self.misconceptions]
        ways = (one for known in mistakes.of(part) for one in self._ways_of(known)) if part else ()
        return tuple(
            replace(one, component=part)
            for one in ways
            if one.knobs and one.knobs.keys() <= set(settings) and one.knobs not in own
        )

    def _of_catalogue(self) -> Iterator[Misconception]:
        for known in mistakes.of(self.name):
            yield from self._ways_of(known)

    def _ways_of(self, known: Mistake) -> Iterator[Misconception]:
        for way in known.ways.get("function", ()):
            special, knobs = way.special, way.settings or {}
            targets = tuple(special.get("targets", ()))
            target = special.get("target", targets[0] if targets else "")
            hooks = dict(self._hooks_of(way, target))
            fitted = "fit" in hooks
            yield Misconception(
                known.id,
                known.title if fitted else way.told,
                known.hints,
                known.reread or self.reread,
                self.name,
                None if way.settings is None else self.turned(target, knobs),
                target=target,
                knobs=knobs,
                reading=special.get("reading", {}),
                variants={name: self.turned(name, knobs) for name in targets},
                told=way.title if fitted and way.title != known.title else "",
                **hooks,
            )

    def _hooks_of(self, way: Way, target: str) -> Iterator[tuple[str, Any]]:
        """What does the work that no setting can say, with what it wants to be told of the way."""
        told = {"target": target, "knobs": way.settings, "shows": way.special.get("shows", way.settings)}
        for name in mistakes.HOOKS:
            named = way.special.get(name, "")
            hook = named if callable(named) else self.hooks.get(named)
            if hook is not None:
                wanted = {one: told[one] for one in _parameters(hook) if one in told}
                yield name, partial(hook, **wanted) if wanted else hook


@lru_cache(maxsize=256)
def _parameters(hook: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(signature(hook).parameters)


@lru_cache(maxsize=256)
def _taken(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    taken = signature(as_written(function)).parameters
    return {name: one for name, one in taken.items() if one.kind is not Parameter.KEYWORD_ONLY}


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


def _dedent(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()).strip()
