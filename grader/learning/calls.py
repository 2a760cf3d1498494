"""How a class is called: masks and orders of axes, tried until one way runs."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from grader.judging.outcomes import never_entered
from grader.learning import words
from grader.learning.definitions import Definition
from grader.learning.trial import MOST_TRIES, Trial, changed
from grader.model.assignment import Argument, Interface

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.blocks.subject import Subject

Said: TypeAlias = dict[str, Any]
"""What is said of a call, as conventions."""
Running: TypeAlias = "Generator[tuple[Interface, Subject], bool | None, list[Said]]"
"""Ways to call a class that run; who takes one says if its answer has a right shape. All of them come back."""
MEANINGS: tuple[Said, ...] = (
    {},
    {"mask": "block"},
    {"mask": "additive"},
    {"mask_type": "int"},
    {"mask": "block", "mask_type": "int"},
    {"mask_type": "float"},
    {"mask": "block", "mask_type": "float"},
)
"""What can stand in a mask, the paper's first."""
BYTES: tuple[Said, ...] = ({"mask_type": "byte"}, {"mask": "block", "mask_type": "byte"})
"""The same where the source speaks of bytes, as code does that is older than torch's booleans."""
OF_BYTES = frozenset({"ByteTensor", "byte", "uint8"})
LENGTHS: tuple[Said, ...] = ({"mask": "lengths"},)
AT_A_CALL = (
    ("(n, m)",) * 2,
    ("(b, 1, 1, m)", "(b, 1, n, m)"),
    ("(b, h, n, m)",) * 2,
    ("(b, 1, m)", "(b, n, m)"),
    ("(b, m)", "(n, m)"),
    ("(b, m)",) * 2,
)
"""Shapes of the masks of keys and of queries that hide nothing, where one has to be given."""
BATCH_LAST = ("(1, m, b)", "(n, m, 1)")
"""The same where positions are first."""
AS_LENGTHS = (("(b)",) * 2, ("(b)", "(b, n)"), ("(b, n)",) * 2)
"""The same of lengths."""
ALIKE = 6
"""Masks of different shapes and meanings with which a call fails alike before an order of axes is given up."""
AT_ONCE = 8
"""Ways to call it that are tried in one round."""
RETURNED: Mapping[str, Any] = {"flat": True, "positions": "rows"}
"""What says how an answer is shaped."""


def axes(block: Block, usual: Mapping[str, Any]) -> Sequence[Said]:
    """The order of batch and positions, as the other parts have it first; samples and positions in one axis."""
    orders: list[Said] = [{}, {"batch": "second"}, {"batch": "none"}]
    orders = sorted(orders, key=lambda said: said.get("batch") != usual.get("batch"))
    known = {one.key for one in block.settled}
    returned = [{}, *({key: value} for key, value in RETURNED.items() if key in known)]
    return [{**axes, **order} for axes in returned for order in orders]


def _masks(interface: Interface, one: Definition, usual: Mapping[str, Any]) -> Iterator[Said]:
    """Without a mask where it may be left out; else with one that hides nothing, in every form."""
    names = [name for name in interface.parameters if "mask" in name]
    if not _required(interface, one):
        yield {}
    if not names:
        return
    meant = meanings(interface, one)
    kept = {key: usual[key] for key in ("mask", "mask_type") if key in usual and meant is not LENGTHS}
    known = usual.get("mask_shapes") if meant is not LENGTHS else None
    if isinstance(known, list) and len(names) == 1:
        yield {**kept, "mask_required": True, "mask_shapes": known}
    every = [kept, *(meaning for meaning in meant if meaning != kept)] if meant is not LENGTHS else meant
    # What hides words of a source hides them from the source, too, which is not as long as the target.
    shapes: tuple[tuple[str, str], ...] = (*AT_A_CALL[1:], AT_A_CALL[0]) if "src" in interface.parameters else AT_A_CALL
    shapes = (*shapes[:1], BATCH_LAST, *shapes[1:]) if usual.get("batch") == "second" else (*shapes, BATCH_LAST)
    own = usual.get("shapes_made", ())
    shapes = tuple(sorted(shapes, key=lambda pair: -sum(shape in own for shape in {*pair})))
    for (keys, queries), meaning in _by_turns(shapes if meant is not LENGTHS else AS_LENGTHS, every):
        promised: Any = [queries] if len(names) == 1 else {n: [keys if n == "src_mask" else queries] for n in names}
        yield {**meaning, "mask_required": True, "mask_shapes": promised}


def meanings(interface: Interface, one: Definition) -> tuple[Said, ...]:
    """What can stand in the masks of a class: lengths, where its arguments are called so; bytes, where it says so."""
    lengths = [words.OF_LENGTHS & {*words.spoken(theirs)} for theirs in _named_masks(interface, one)]
    if lengths and all(lengths):
        return LENGTHS
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(one.node)}
    return (*MEANINGS, *BYTES) if names & OF_BYTES else MEANINGS


def _by_turns(shapes: Sequence[Any], meanings: Sequence[Any]) -> list[tuple[Any, Any]]:
    """All pairs, those first in which both are among the first."""
    pairs = itertools.product(range(len(shapes)), range(len(meanings)))
    return [(shapes[at], meanings[of]) for at, of in sorted(pairs, key=lambda pair: (sum(pair), pair))]


def _named_masks(interface: Interface, one: Definition) -> set[str]:
    """What a class calls its masks."""
    return {theirs for ours, theirs in names_of(interface, one).items() if "mask" in ours}


def names_of(interface: Interface, one: Definition) -> dict[str, str]:
    """What a class calls each of our arguments."""
    given = interface.arguments or [Argument(name) for name in interface.parameters]
    pairs = zip(given, one.called, strict=False)
    return {argument.value: argument.name or taken.name for argument, taken in pairs if not argument.constant}


def _required(interface: Interface, one: Definition) -> bool:
    """Whether an argument that is a mask has no default."""
    names = _named_masks(interface, one)
    return any(taken.required and taken.name in names for taken in one.called)


def ways(interface: Interface, one: Definition, axes: Sequence[Said], usual: Mapping[str, Any]) -> list[Said]:
    """What can be said of a call, without a mask first."""
    return [
        {**mask, **order}
        for mask in _masks(interface, one, usual)
        for order in axes
        if order.get("batch") == "second" or BATCH_LAST[1] not in str(mask)
    ]


def running(trial: Trial, one: Definition, interface: Interface, every: Sequence[Said]) -> Running:
    """The ways to call it that run, once it can be made: without a mask where that runs, else with one; all of them.

    What a mask's shape is does not matter while it hides nothing: of those with which it answers rightly shaped, the
    first has to do. An order of axes with which it fails alike, whatever mask it is given, is given up.
    """
    failures: dict[str, list[object]] = {}
    ran: list[Said] = []
    left, going = list(every), trial.budget(MOST_TRIES)
    while left and going():
        if _masked(left[0]) and any(not _masked(said) for said in ran):  # no mask is needed
            break
        together = [said for said in left[:AT_ONCE] if _masked(said) == _masked(left[0])]
        left = left[len(together) :]
        tried = [changed(interface, conventions=said) for said in together]
        for said, way, scout in zip(together, tried, trial.scouted(tried, one.module), strict=True):
            failed = failures.setdefault(_ordered(said), [])
            if len(failed) > ALIKE and all(failure == failed[0] for failure in failed):
                left = [other for other in left if _ordered(other) != _ordered(said)]
                continue
            subject = trial.subject(way, one.module) if scout.status != "error" or never_entered(scout) else None
            reply = subject.scout if subject is not None else scout
            if subject is not None and reply.status == "value":
                ran.append(said)
                if (yield way, subject) and _masked(said):
                    left = [
                        other
                        for other in left
                        if other["mask_shapes"] == said["mask_shapes"] or _ordered(other) != _ordered(said)
                    ]
            elif reply.status != "error":  # it hangs or dies, and would again
                return ran
            failed.append(reply.failure)
    return ran


def _masked(said: Mapping[str, Any]) -> bool:
    return "mask_shapes" in said


def _ordered(said: Mapping[str, Any]) -> str:
    """How the axes of a call are ordered."""
    return str([said.get(key) for key in ("batch", *RETURNED)])
