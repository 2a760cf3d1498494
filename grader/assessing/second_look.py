"""Blocks whose parts do not work are looked at once more, with ours in place of those parts.

Only what a block lost is reconsidered, and only where parts that it names lost points, or are named by its exception.
What the part itself is worth was settled before, without any stand-in.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader import components, source
from grader.assessing import stand_ins
from grader.assessing.carried import NO_NUMBER
from grader.components import PARTS
from grader.model.assignment import BESIDE, Assignment
from grader.model.outcome import By, Outcome, Raised, Reason, Tells, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Failure

_LEVELS = (
    ("scaled_dot_product_attention", "attention_masks"),
    ("multi_head_attention", "add_norm", "feed_forward"),
    ("encoder_layer", "decoder_layer"),
    ("encoder", "decoder"),
    ("transformer", "language_model"),
    ("copy_task",),
)
_RAISED = frozenset({Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED})
_LOST = _RAISED | {Verdict.FAILED, Verdict.MISSING, Verdict.UNDETERMINED}
_NOT_PARTS = frozenset({("decoder_layer", "encoder_layer"), ("decoder", "encoder"), ("copy_task", "transformer")})
"""Pairs in which the one merely repeats what the other does."""

Results = dict[str, tuple[Outcome, ...]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a block gave with stand-ins: its outcomes, and exceptions that came from a stand-in or at its border."""

    outcomes: tuple[Outcome, ...]
    ours: tuple[Failure, ...] = ()


Again = Callable[[Sequence[str], Mapping[str, str], bool], Mapping[str, Looked]]
"""Examine components with stand-ins for parts (component: the name in the submission), which may return pairs."""
_PAIRED = "multi_head_attention"
"""Many write attention that returns its weights too, and blocks that expect them."""


def look_again(
    results: Results, seen: Seen, again: Again, as_it_is: Callable[[Sequence[str]], Results], left: Collection[str]
) -> Results:
    """Return the outcomes by component, blocks judged apart from parts that do not work.

    ``results`` hold what each component lost for itself. The mistakes of the components in ``left`` were not looked for
    yet: where the second look does not explain them by one mistake each, it is asked what explains them ``as_it_is``.
    """
    found = seen.with_short({name: tuple(map(seen.unwritten, outcomes)) for name, outcomes in results.items()})
    for level in _LEVELS:
        groups: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
        for block in level:
            if block in found and (parts := seen.suspects(block, found)):
                groups[tuple(sorted(parts.items()))].append(block)
        named: set[str] = set()
        for pairs, blocks in groups.items():
            parts = dict(pairs)
            looked = _examined(blocks, parts, again)
            for block in blocks:
                found[block] = _merged(found[block], looked.get(block), parts, seen)
                named |= {block} if block in looked and _plain(found[block]) else set()
        if rest := [block for block in level if block in left and block not in named]:
            alone = as_it_is(rest)
            for block in rest:
                found[block] = max(found[block], alone[block], key=_told)  # the first where they tell as much
        for block in level:
            if block in found and (without := seen.irreplaceable(block, found)):
                found[block] = tuple(_waiting(one, without) if seen.open(one) else one for one in found[block])
    return found


def gives_away(sent: Iterable[str], blocks: Iterable[str]) -> bool:
    """Whether a child that was sent stand-ins for ``sent`` may know what ``blocks`` should give."""
    levels = {name: height for height, level in enumerate(_LEVELS) for name in level}
    highest = max((levels.get(part, -1) for part in sent), default=-1)
    return any(levels.get(block, 0) <= highest for block in blocks)


def _mistakes(outcomes: Iterable[Outcome]) -> list[int]:
    """By how many mistakes each outcome that is not passed is explained; 0 where it is not."""
    lost = [outcome.diagnosis for outcome in outcomes if outcome.verdict is not Verdict.PASSED]
    return [0 if found is None else len(found.ids) for found in lost]


def _plain(outcomes: Iterable[Outcome]) -> bool:
    """Whether nothing is left to explain, and nothing needs two mistakes at once.

    A block may make up for its part, or call it as no stand-in can be called: it is wrong only around a stand-in then.
    """
    return all(count == 1 for count in _mistakes(outcomes))


def _told(outcomes: Sequence[Outcome]) -> tuple[int, int, int]:
    """How much is right, how much of the rest is explained, and by how few mistakes."""
    counts = _mistakes(outcomes)
    return len(outcomes) - len(counts), sum(map(bool, counts)), -max(counts, default=0)


def _examined(blocks: Sequence[str], parts: Mapping[str, str], again: Again) -> Mapping[str, Looked]:
    """What blocks give around stand-ins; around such as return their weights too, where more is right then."""
    looked = dict(again(blocks, parts, False))
    poor = [block for block in looked if _right(looked[block]) < len(looked[block].outcomes)]
    if _PAIRED in parts and poor:
        for block, other in again(poor, parts, True).items():
            looked[block] = max(looked[block], other, key=_right)
    return looked


def _right(looked: Looked) -> int:
    return sum(outcome.verdict is Verdict.PASSED for outcome in looked.outcomes)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the source says of names.

    ``names`` hold the name that the submission has for a component (empty: none), graded or not.
    """

    submission: Submission
    assignment: Assignment
    names: Mapping[str, str]

    def suspects(self, block: str, found: Results) -> dict[str, str]:
        """The parts whose place a stand-in could take so that the block is judged (component: name)."""
        lost = [outcome for outcome in found[block] if self.open(outcome)]
        if not any(map(_lost, found[block])):
            return {}
        broken, named = {}, {}
        for part in PARTS.get(block, ()):
            name = self.name(part)
            if not name or (block, part) in _NOT_PARTS or name == self.name(block) or not self.fitting(part, name):
                continue
            implicated = any(self.implicates(outcome, name) for outcome in lost)
            failed = any(map(_lost, found.get(part, ())))
            if not lost:  # all has a name, which a part that the block calls may have brought with it
                if failed and self.names.get(part) and self.calls(block, name):
                    broken[part] = name
            elif failed and (implicated or (self.names.get(part) and self.used(name))):
                broken[part] = name
            elif implicated and (part not in found or not self.names.get(part)):
                named[part] = name
        return broken or named  # an exception may pass through a part that is right

    def open(self, outcome: Outcome) -> bool:
        """Whether what is lost may be a part's doing."""
        own = outcome.reason is Reason.UNWRITTEN and self.inside(outcome, self.name(outcome.component))
        return _reconsidered(outcome) and not self.refused(outcome) and not own

    def unwritten(self, outcome: Outcome) -> Outcome:
        """What raises, told of the block's own lines where these are to be written: no part can make up for that."""
        if outcome.verdict is not Verdict.ERROR or outcome.component not in PARTS:
            return outcome
        name = self.name(outcome.component)
        place = source.unwritten(self.submission.modules, name)
        if place is None or (outcome.reason is Reason.UNWRITTEN and self.inside(outcome, name)):
            return outcome
        text = StudentText(f"{name} is not written yet")
        return replace(outcome, message=text, tells=Tells.NAMED, location=place, reason=Reason.UNWRITTEN)

    def with_short(self, found: Results) -> Results:
        """The outcomes where a part without a value beside the judged one, which a block misses, loses its first check.

        What stands beside is judged nowhere: that it is not there shows on the line that takes it, and on no other.
        """
        for part, outcomes in found.items():
            values = self.assignment.interface(part).returns
            if BESIDE not in values or any(map(_lost, outcomes)):
                continue
            users = [one for block, lost in found.items() if part in PARTS.get(block, ()) for one in lost]
            missing = [one for one in users if self._misses(one, self.name(part), len(values))]
            if missing:
                wanted = ", ".join("…" if name == BESIDE else name for name in values)
                text = StudentText(f"does not return what the hand-out asks for, {wanted}: {missing[0].message}")
                lost = replace(outcomes[0], verdict=Verdict.FAILED, passed=0, message=text, tells=Tells.NAMED)
                found = {**found, part: (lost, *outcomes[1:])}
        return found

    def _misses(self, outcome: Outcome, name: str, count: int) -> bool:
        """Whether an exception was raised where a call of ``name`` is taken apart into ``count`` values."""
        return outcome.raised.family == "unpack" and source.takes_apart(
            source.line_at(outcome.location, self.submission), name, count
        )

    def irreplaceable(self, block: str, found: Results) -> list[str]:
        """The parts that lost points and that the block calls, and that nothing of ours can stand in for."""
        failed = [part for part in PARTS.get(block, ()) if any(map(_lost, found.get(part, ())))]
        named = [(part, self.name(part)) for part in failed if (block, part) not in _NOT_PARTS]
        lost = [outcome for outcome in found[block] if self.open(outcome)]
        return [
            part
            for part, name in named
            if name and not self.fitting(part, name)
            if (self.names.get(part) and self.calls(block, name)) or any(self.implicates(one, name) for one in lost)
        ]

    def better_around(self, block: str, found: Results) -> bool:
        """Whether a block's mistakes are better looked for around a stand-in: its values are wrong, and so is a part.

        Of an exception nobody knows whose it is, so what the block itself shows comes first.
        """
        if any(outcome.verdict in _RAISED for outcome in found[block]):
            return False
        failed = {part: name for part, name in self.suspects(block, found).items() if part in found}
        return any(self.calls(block, name) for name in failed.values())

    def calls(self, block: str, name: str) -> bool:
        """Whether a block, or another callable of its component, comes to what is defined under a name."""
        own = self._names(block)
        return self._given(block, name) or any(source.leads_to(self.submission.modules, each, name) for each in own)

    def rests_on(self, block: str, part: str) -> bool:
        """Whether a block uses what was written for a part, or code that the part uses too; layers are written once."""
        if (block, part) in _NOT_PARTS or self._given(block, self.name(part)):
            return True
        theirs = self._names(part)
        return any(source.share(self.submission.modules, own, each) for own in self._names(block) for each in theirs)

    def _names(self, component: str) -> tuple[str, ...]:
        """The names of all callables of a component."""
        interface = self.assignment.interface(component)
        function = "function" in components.forms_of(interface)
        further = components.function_for(interface).further if function else frozenset()
        return (self.name(component), *(further - interface.names.keys()), *interface.names.values())

    def _given(self, block: str, name: str) -> bool:
        """Whether the lines that make or call a block speak of a name; those of a submission are not read."""
        adapter = self.assignment.interface(block).adapter
        if adapter is None or not adapter.source:
            return adapter is not None
        lines = adapter.source.splitlines()
        spans = _spans(adapter.source, block)
        return any(
            re.search(rf"\b{re.escape(name)}\b", line) for first, last in spans for line in lines[first - 1 : last]
        )

    def name(self, part: str) -> str:
        """The name of a component in the submission, else the one asked for; empty where it is not set."""
        asked = [one.callable for one in self.assignment.interfaces if one.component == part]
        return self.names.get(part) or (asked[0] if asked else "")

    def fitting(self, part: str, name: str) -> bool:
        """Whether there is a stand-in for what the submission calls ``name``."""
        return stand_ins.fits(part, name, self.assignment.interface(part))

    def used(self, name: str) -> bool:
        """Whether the source speaks of the name beyond its definition."""
        text = "\n".join(module.source for module in self.submission.modules)
        return len(re.findall(rf"\b{re.escape(name)}\b", text)) > 1

    def implicates(self, outcome: Outcome, name: str) -> bool:
        """Whether an exception speaks of a name or was raised in what is defined under it."""
        if outcome.verdict not in _RAISED:
            return False
        told = f"{outcome.raised}\n{source.line_at(outcome.location, self.submission)}"
        spoken_of = re.search(rf"(?<![\w.]){re.escape(name)}\b", told)  # torch.softmax is another
        return spoken_of is not None or self.inside(outcome, name)

    def refused(self, outcome: Outcome) -> bool:
        """Whether a block did not take the arguments that it was made or called with: its own doing, no part's."""
        return outcome.raised.refusing.partition(".")[0] == self.name(outcome.component)

    def inside(self, outcome: Outcome, name: str) -> bool:
        """Whether an exception was raised in the definition of a name."""
        place = outcome.location
        if place is None:
            return False
        chunks = [chunk for module in self.submission.modules for chunk in module.chunks]
        return any(
            first <= place.line <= last
            for chunk in chunks
            if chunk.cell == place.cell and place.file in (chunk.filename, chunk.file)
            for first, last in _spans(chunk.code, name)
        )


def _spans(code: str, name: str) -> list[tuple[int, int]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in tree.body
        if isinstance(node, kinds) and node.name == name
    ]


def _lost(outcome: Outcome) -> bool:
    return outcome.verdict in _LOST


def _reconsidered(outcome: Outcome) -> bool:
    """Whether something is lost that no mistake of the block's own explains."""
    found = outcome.diagnosis
    # An exception, and NaN, may be a part's.
    explained = found is not None and found.by is not By.EXCEPTION and NO_NUMBER not in found.ids
    return outcome.verdict is Verdict.UNDETERMINED or (outcome.verdict in _LOST - {Verdict.MISSING} and not explained)


def _merged(
    before: tuple[Outcome, ...], looked: Looked | None, parts: Mapping[str, str], seen: Seen
) -> tuple[Outcome, ...]:
    if looked is None:
        return tuple(_honest(one, None, parts, (), seen) if one.verdict in _RAISED else one for one in before)
    later = {outcome.check: outcome for outcome in looked.outcomes}
    return tuple(_better(one, later.get(one.check), parts, looked.ours, seen) for one in before)


def _better(
    old: Outcome, new: Outcome | None, parts: Mapping[str, str], ours: Sequence[Failure], seen: Seen
) -> Outcome:
    """The outcome that says more about the block itself."""
    if new is None or old.verdict is Verdict.SKIPPED:
        return old
    said = f"Judged with our {_listed(parts)} in place of yours"
    if _lost(old) and not _reconsidered(old) and new.verdict is not Verdict.PASSED:
        # What has a name is the block's own, unless a working part mends it, or one of two that it had together.
        return replace(new, notes=(*new.notes, said)) if _fewer(new, old) else old
    if old.verdict is Verdict.PASSED:
        shown = new.diagnosis is not None and new.diagnosis.by is By.ANSWERS  # a sign may be our part's, as no dropout
        judged = set(old.notes) - set(new.notes) and (new.verdict is Verdict.PASSED or shown)
        return replace(new, notes=(*new.notes, said)) if judged else old
    if new.verdict in {Verdict.PASSED, Verdict.FAILED} and (old.verdict in _RAISED | {Verdict.UNDETERMINED}):
        text = f"{said}: {new.message}" if new.message else ""
        return replace(new, message=StudentText(text), tells=Tells.FOUND, notes=(*new.notes, said))
    if new.verdict is Verdict.PASSED or (new.verdict is Verdict.FAILED and new.diagnosis and not old.diagnosis):
        return replace(new, notes=(*new.notes, said))
    return _honest(old, new, parts, ours, seen) if old.verdict in _RAISED else old


def _fewer(new: Outcome, old: Outcome) -> bool:
    """Whether some of the mistakes that explained an outcome are gone, and the others explain it alone."""
    if new.diagnosis is None or old.diagnosis is None:
        return False
    return set(new.diagnosis.ids) < set(old.diagnosis.ids)


def _lacks(raised: Raised, name: str) -> bool:
    """Whether a name is not defined, or an object of that class has no such attribute."""
    return raised.type == "NameError" or raised.lacking == name


def _honest(
    old: Outcome, new: Outcome | None, parts: Mapping[str, str], ours: Sequence[Failure], seen: Seen
) -> Outcome:
    """An exception that comes with our parts too is the block's own; of another nobody knows whose it is."""
    if new is not None and new.reason is Reason.PACKAGE:
        return new  # whatever its parts do, it asks for the package itself
    guilty = [part for part, name in parts.items() if seen.implicates(old, name)]
    if seen.refused(old):
        return old
    if not guilty and (new is None or (new.message, new.location) == (old.message, old.location)):
        return old
    if new is not None and _lacks(new.raised, seen.name(old.component)):
        return replace(new, notes=(*new.notes, f"Judged with our {_listed(parts)} in place of yours"))
    note = "; ".join(dict.fromkeys(stand_ins.shown(f"{one.type}: {one.message}") for one in ours))
    if new is not None and new.verdict in _RAISED and not note:
        note = new.message
    told = f"With stand-ins for {_listed(parts)}: {note}" if note else old.staff_note
    return replace(_waiting(old, guilty or parts), staff_note=StudentText(told))


def _waiting(old: Outcome, parts: Iterable[str]) -> Outcome:
    """What nobody can tell before those parts work."""
    if old.verdict is Verdict.UNDETERMINED:
        return old
    those = list(parts)
    do = "does" if len(those) == 1 and not those[0].endswith("masks") else "do"
    said = f"cannot be judged while your {_listed(those)} {do} not work; {old.message}"
    return replace(old, verdict=Verdict.UNDETERMINED, message=StudentText(said), tells=Tells.FOUND)


def _listed(parts: Iterable[str]) -> str:
    words = [part.replace("_", " ") for part in parts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
