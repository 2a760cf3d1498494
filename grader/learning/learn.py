"""From an instructor's solution to what its course settles: each part is found, tried, and judged as a student's."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import components as catalogue
from grader.assessing.assess import assess
from grader.component import Settled, conventions
from grader.component.convention import mistake_id
from grader.errors import GraderError, nearest
from grader.intake import ambiguous, entry_first
from grader.learning import classes, draft, functions, words
from grader.learning.definitions import Definition, definitions
from grader.learning.lesson import Field, Lesson, Question
from grader.learning.manners import Around, inside, line_of, named_in
from grader.learning.running import quickly
from grader.learning.trial import Trial, changed
from grader.model import Assignment, Interface, Outcome, Submission, Verdict
from grader.sandbox.parent import Sandbox
from grader.source import syntax_faults

OF_FUNCTIONS = frozenset({"mask", "mask_type", "activation", "centred", "affine", "deviation", "causal"})
"""What a function settles for the classes beside it, too: the rest is how a function is called."""
_TORCH = re.compile(r"^\s*(import|from)\s+torch\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Learned:
    """What a solution has taught: a lesson for each part, and the names that are no part of the paper.

    ``broken`` are the lines that do not run here, such as those that read data: the rest is learned without them.
    ``run`` is what of the solution was run.
    """

    submission: Submission
    run: Submission
    lessons: tuple[Lesson, ...]
    unknown: tuple[str, ...]
    torch: bool
    broken: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[Lesson, ...]:
        """The parts that an assignment can ask for."""
        return tuple(lesson for lesson in self.lessons if lesson.judged)

    @property
    def known(self) -> Mapping[str, Definition]:
        """The solution's definitions by name."""
        return definitions(self.submission.modules)

    def assignment(self, id: str, title: str = "") -> Assignment:
        """The assignment that asks for them."""
        interfaces = tuple(lesson.interface for lesson in self.judged)
        return Assignment(id, "1", title or id, interfaces, needs_torch=self.torch)


def learn(
    submission: Submission, sandbox: Sandbox, only: Sequence[str] = (), tell: Callable[[str], None] = lambda _: None
) -> Learned:
    """Learn what a course settles from its own solution; ``only`` these components where some are named.

    ``tell`` is told what is tried, as a line each.
    Raises GraderError where the solution cannot be read or loaded, or holds no part of the paper.
    """
    names = [one.name for part in draft.parts_of(_readable(submission)) for one in part.definitions]
    submission = entry_first(submission, names)
    known = definitions(submission.modules)
    found = _found(submission, known, only)
    torch = uses_torch(submission)
    if torch:
        sandbox.warm_torch()
    with sandbox.session() as session:
        run, broken = quickly(submission, session)
        lessons = _lessons(Trial(run, session), known, found, tell, torch=torch)
    order = catalogue.names()
    lessons.sort(key=lambda lesson: order.index(lesson.component))
    taken = {one.name for part in draft.parts_of(known) for one in part.definitions} if only else set()
    taken |= {lesson.definition.name for lesson in lessons}
    unknown = tuple(
        name for name, one in known.items() if name not in taken and not name.startswith("_") and one.called
    )
    learned = Learned(submission, run, tuple(lessons), unknown, torch, broken)
    tell("all of them are judged as a student's work is")
    return _judged(_in_one_order(_without_unknown(learned, sandbox), sandbox), sandbox)


def _lessons(
    trial: Trial,
    known: Mapping[str, Definition],
    found: Sequence[draft.Found],
    tell: Callable[[str], None],
    *,
    torch: bool,
) -> list[Lesson]:
    """A lesson for each part, of the first of its definitions that can be called; parts before what is made of them."""
    usual: dict[str, Any] = {}
    ready: dict[str, str] = {}
    lessons: list[Lesson] = []
    for at, part in enumerate(sorted(found, key=lambda one: _depth(one.component)), start=1):
        both = {one.definition.name for one in lessons if one.judged and one.component == draft.OF_MASKS[0]}
        if {one.name for one in part.definitions} <= both:
            continue  # what makes both masks makes each of them
        tell(f"{at} of {len(found)}: {part.component} ({', '.join(one.name for one in part.definitions)})")
        tried: list[Lesson] = []
        for one in part.definitions:
            unread = frozenset(lesson.definition.name for lesson in lessons if not lesson.read)
            around = Around(known, usual, ready, unread)
            if one.kind == "class" and "class" in catalogue.forms(part.component):
                lesson = classes.learn(trial, part.component, one, around)
            else:
                lesson = functions.learn(trial, part.component, one, around, torch=torch)
            tried.append(lesson)
            if lesson.judged:
                break
        lesson = next((each for each in tried if each.judged), tried[0])
        left = part.definitions[len(tried) :] if part.component != "transformer" else ()
        others = [
            one.name for one in left if one.kind == lesson.definition.kind and one.name not in lesson.definition.holds
        ]
        asked = [Question(f"{', '.join(others)} could be meant as well.")] if others and lesson.judged else []
        lessons.append(replace(lesson, questions=(*lesson.questions, *asked)))
        if not lesson.judged:
            continue
        said = lesson.interface.conventions
        of_class = said.get("form") == "class"
        usual |= {key: said[key] for key in said if key not in usual and (of_class or key in OF_FUNCTIONS)}
        if said.get("mask") == "additive" and _makes_infinite(lesson):
            usual["mask_hides"] = "infinite"
        ready |= line_of(lesson) if of_class else {}
    return _once(lessons)


def _once(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without what one function is not, where it is another part; told once where it is none."""
    told: dict[str, Lesson] = {}
    for lesson in sorted(lessons, key=lambda one: not one.judged):
        told.setdefault(lesson.definition.name, lesson)
    return [one for one in lessons if one.judged or one is told[one.definition.name]]


def _makes_infinite(lesson: Lesson) -> bool:
    """Whether a function makes masks that hide with -inf."""
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(lesson.definition.node)}
    text = {node.value for node in ast.walk(lesson.definition.node) if isinstance(node, ast.Constant)}
    makes = lesson.component in {"causal_mask", "padding_mask", "attention_masks"}
    return makes and bool(names & {"inf", "NINF"} or text & {"inf", "-inf"})


def uses_torch(submission: Submission) -> bool:
    """Whether a file of the solution imports torch."""
    return any(_TORCH.search(module.source) for module in submission.modules)


def _readable(submission: Submission) -> dict[str, Definition]:
    for fault in syntax_faults(submission.modules):
        at = f"{fault.location.file}:{fault.location.line}"
        raise GraderError(f"is not Python ({fault.message})", at, "Mend the solution first.")
    return definitions(submission.modules)


def _found(submission: Submission, known: Mapping[str, Definition], only: Sequence[str]) -> list[draft.Found]:
    names = catalogue.names()
    for name in only:
        if name not in names:
            raise GraderError(f"there is no component {name!r}", "--components", nearest(name, names))
    found = [part for part in draft.parts_of(known) if not only or part.component in only]
    lacking = [name for name in only if name not in {part.component for part in found}]
    listed = _listed(known, lacking or names)
    if lacking:
        raise GraderError(
            f"nothing is called like {', '.join(lacking)} (it defines {listed})",
            submission.path,
            "Say in assignment.yaml which it is (callable:), give it such a name, or leave it out of --components.",
        )
    if not found:
        cure = f"Call them as the paper does, such as {', '.join(_examples())}; `grader new attention-numpy` shows one."
        why = f"holds no part of the paper that is known by its name (it defines {listed})"
        if other := words.framework("\n".join(module.source for module in submission.modules)):
            why, cure = f"holds no part that can be run here: it is written for {other}", "Write it in numpy or torch."
        raise GraderError(why, submission.path, cure)
    if problem := ambiguous(submission, [one.name for part in found for one in part.definitions]):
        what, _, _ = problem.partition(". ")
        raise GraderError(what, submission.path, "Name the file that counts: --from FILE.")
    return found


MOST_LISTED = 12
"""Names that a message lists at most."""


def _listed(known: Mapping[str, Definition], wanted: Sequence[str]) -> str:
    """What a solution defines, what is called most like the ``wanted`` parts first."""

    def likeness(name: str) -> float:
        return max(difflib.SequenceMatcher(None, words.plain(name), words.plain(one)).ratio() for one in wanted)

    names = sorted(known, key=likeness, reverse=True)
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"{', '.join(names[:MOST_LISTED])}{more}" if names else "no function and no class"


def _examples() -> Iterator[str]:
    yield from ("softmax", "attention", "MultiHeadAttention", "EncoderLayer")


def _depth(component: str) -> int:
    """Parts come before what is made of them."""
    order = (*draft.OF_MASKS, "layer_norm", "feed_forward", "multi_head_attention")
    return order.index(component) if component in order else len(order) + catalogue.names().index(component)


def _in_one_order(learned: Learned, sandbox: Sandbox) -> Learned:
    """The same with positions first in all parts where they are so in one: to some either order is the same."""
    orders = {one.interface.conventions.get("batch") for one in learned.judged} - {None}
    others = [one for one in learned.judged if _of_class(one) and "batch" not in one.interface.conventions]
    if len(orders) != 1 or not others:
        return learned
    order = orders.pop()
    turned = {one.component: changed(one.interface, conventions={"batch": order}) for one in others}
    before = _outcomes(learned, sandbox, [one.interface for one in others])
    after = _outcomes(learned, sandbox, list(turned.values()))
    told: dict[Field, str] = {
        ("conventions", "batch"): f"{conventions.BATCH.meaning(order)}; as its other parts have it"
    }
    lessons = (
        replace(one, interface=turned[one.component], seen={**one.seen, **told})
        if one in others and len(after.get(one.component, ())) <= len(before.get(one.component, ()))
        else one
        for one in learned.lessons
    )
    return replace(learned, lessons=tuple(lessons))


def _of_class(lesson: Lesson) -> bool:
    return lesson.interface.conventions.get("form") == "class"


# ------------------------------------------------------------------------------------- judged as a student's is


def _without_unknown(learned: Learned, sandbox: Sandbox) -> Learned:
    """The same without what no known mistake explains, nor what is made of it, for which nobody need look.

    Of parts that are the paper under no convention those are judged that hold no other, with the functions beside them.
    """
    known = definitions(learned.submission.modules)
    unread = {one.definition.name: one for one in learned.judged if not one.read}
    parts = {name: _made_of(one, known) for name, one in unread.items()}
    inner = [one for name, one in unread.items() if not parts[name] & unread.keys()]
    beside = [one for one in learned.judged if not _of_class(one)]
    outcomes = _outcomes(learned, sandbox, [one.interface for one in (*inner, *beside)] if inner else [])
    lost = {one.definition.name: outcomes.get(one.component, ()) for one in inner}
    unknown = {name for name, checks in lost.items() if checks and not any(one.diagnosis for one in checks)}
    lessons = []
    for one in learned.lessons:
        name = one.definition.name
        made_of = ", ".join(sorted(parts.get(name, set()) & unknown))
        if name in unknown and name in unread:
            lessons.append(_something_else(one, lost[name]))
        elif made_of:
            lessons.append(_left_out(one, f"is made of {made_of}, which is not the paper's as far as is known"))
        else:
            lessons.append(one)
    return replace(learned, lessons=tuple(lessons))


def _made_of(lesson: Lesson, known: Mapping[str, Definition]) -> set[str]:
    """What a class is made of and given, wherever it leads."""
    adapter = lesson.interface.adapter
    given = named_in(adapter.source) if adapter is not None else ()
    every = (lesson.definition, *(known[name] for name in given if name in known))
    return {inner.name for one in every for inner in inside(one, known)} - {lesson.definition.name}


def _judged(learned: Learned, sandbox: Sandbox) -> Learned:
    """The same with what the solution loses under it; how a class is handed in is mended where that is all.

    What is right in one part is not excused in another any more: it is judged until nothing changes.
    """
    outcomes = _outcomes(learned, sandbox, [lesson.interface for lesson in learned.judged])
    lessons = []
    for lesson in learned.lessons:
        lost = outcomes.get(lesson.component, ())
        if lost and not lesson.read and not any(outcome.diagnosis for outcome in lost):
            lessons.append(_something_else(lesson, lost))
        else:
            now = replace(lesson, mistakes=lost)
            now = _settled(learned, sandbox, now) if lost else now
            lessons.append(_unmasked(learned, sandbox, now) if now.mistakes else now)
    known = learned.known
    lessons = [_completed(lesson, lessons, known) for lesson in lessons]
    found = replace(learned, lessons=tuple(lessons))
    before, after = (tuple(one.interface for one in those.judged) for those in (learned, found))
    return found if before == after else _judged(found, sandbox)


def _completed(lesson: Lesson, lessons: Sequence[Lesson], known: Mapping[str, Definition]) -> Lesson:
    """The lesson with what is rare in it and completed by what is made of it: projections that the layer around has."""
    if not lesson.judged:
        return lesson
    read = [one for one in lessons if one.judged and one.read]
    name = lesson.definition.name
    around = [one for one in read if any(inner.name == name for inner in inside(one.definition, known)[1:])]
    now, questions, right = lesson, [], [one for one in around if not one.mistakes]
    for asked in lesson.questions:
        whole = next((one for one in right if not _settles(one, asked.key)), None)
        if not asked.key or whole is None or asked.key in now.interface.conventions:
            questions.append(asked)
            continue
        told = f"{asked.text}; {whole.definition.name}, which is made of it, is right"
        interface = changed(now.interface, conventions={asked.key: asked.value})
        now = replace(now, interface=interface, seen={**now.seen, ("conventions", asked.key): told})
    return replace(now, questions=questions)


def _settles(lesson: Lesson, key: str) -> bool:
    """Whether a convention is declared or asked about in a lesson."""
    return key in lesson.interface.conventions or any(question.key == key for question in lesson.questions)


def _unmasked(learned: Learned, sandbox: Sandbox, lesson: Lesson) -> Lesson:
    """The lesson without its masks, where these act in no known form and all else is right.

    What a known mistake explains is told as that; what has to be given cannot be left out.
    """
    interface, said = lesson.interface, lesson.interface.conventions
    masks = {name for name in interface.parameters if "mask" in name}
    named = any(outcome.diagnosis for outcome in lesson.mistakes)
    if named or not masks or interface.adapter is not None or said.get("mask_required") or "mask_shapes" in said:
        return lesson
    rest = replace(
        interface,
        parameters=tuple(name for name in interface.parameters if name not in masks),
        arguments=tuple(one for one in interface.arguments if one.value not in masks),
    )
    if _outcomes(learned, sandbox, [rest]).get(lesson.component):
        return lesson
    asked = Question(
        f"{', '.join(sorted(masks))} is left out: masks act in no form that is known. Meant, or a mistake?"
    )
    return replace(lesson, interface=rest, mistakes=(), questions=(*lesson.questions, asked))


def _something_else(lesson: Lesson, lost: Sequence[Outcome]) -> Lesson:
    """The lesson of what runs and is not known: gated networks, rotated positions, a model for another task."""
    checks = ", ".join(outcome.check for outcome in lost)
    return _left_out(lesson, f"runs, and computes what no convention and no known mistake explains ({checks})")


def _left_out(lesson: Lesson, why: str) -> Lesson:
    cure = "Mend it if it is meant to be the paper's; else leave it out, or write checks.py."
    return replace(lesson, questions=(Question(f"{why}. {cure}"),), judged=False)


def _settled(learned: Learned, sandbox: Sandbox, lesson: Lesson) -> Lesson:
    """The lesson with what explains a check that is lost, though no answer shows it."""
    now = lesson
    for settled, value in (*_named(lesson), *_silent(lesson)):
        if any(question.key == settled.key for question in now.questions):
            continue
        other = changed(now.interface, conventions={settled.key: value})
        again = _outcomes(learned, sandbox, [other]).get(lesson.component, ())
        before, after = ({outcome.check for outcome in lost} for lost in (now.mistakes, again))
        if not after < before:
            continue
        told = f"{settled.convention.meaning(value)}; with the paper's own {', '.join(sorted(before - after))} fails"
        told_so = settled.key == "dropout_place" and any(one.constant for one in now.interface.arguments)
        if (
            settled.convention.is_rare(value, lesson.definition.name) and not told_so
        ):  # told not to train, nothing drops
            now = replace(now, questions=(*now.questions, Question(told, settled.key, value)))
        else:
            seen = {**now.seen, ("conventions", settled.key): told}
            gone = [one for one in now.mistakes if one.check not in after]
            questions = (*now.questions, *_doubts(settled, value, gone))
            now = replace(now, interface=other, seen=seen, questions=questions, mistakes=again)
    return now


def _doubts(settled: Settled, value: Any, excused: Sequence[Outcome]) -> Iterator[Question]:
    """What is taken as a convention though it has the name of a mistake, which the instructor may have made."""
    titles = {one.diagnosis.title.rstrip(".") for one in excused if one.diagnosis is not None}
    for title in sorted(titles) if value in settled.convention.doubtful else ():
        yield Question(f"{title}: {settled.key} is {value} for that. Meant, or a mistake?")


def _outcomes(learned: Learned, sandbox: Sandbox, interfaces: Sequence[Interface]) -> dict[str, tuple[Outcome, ...]]:
    """The checks that are not passed, by component."""
    if not interfaces:
        return {}
    assignment = Assignment("learned", "1", "learned", tuple(interfaces), needs_torch=learned.torch)
    found = assess(learned.run, assignment, assignment.components, 0, sandbox).outcomes
    lost: dict[str, tuple[Outcome, ...]] = {}
    for outcome in found:
        if outcome.verdict is not Verdict.PASSED:
            lost[outcome.component] = (*lost.get(outcome.component, ()), outcome)
    return lost


def _named(lesson: Lesson) -> Iterator[tuple[Settled, Any]]:
    """What its mistakes are, where these are what other courses settle: values so near that answers did not tell."""
    if not _of_class(lesson):
        return
    names = {name for outcome in lesson.mistakes if outcome.diagnosis for name in outcome.diagnosis.ids}
    for settled in catalogue.block(lesson.component).settled_for(lesson.interface):
        for value in settled.values or settled.convention.values:
            if names & {mistake_id(settled.key, value), *settled.drops.get(value, ())}:
                yield settled, value


def _silent(lesson: Lesson) -> Iterator[tuple[Settled, Any]]:
    """What can be settled of a class and no answer shows: what it refuses, a norm that learns no shift."""
    if not _of_class(lesson):
        return
    asked = {question.key for question in lesson.questions} | lesson.interface.conventions.keys()
    block = catalogue.block(lesson.component)
    compared = {f"{block.name}.{check.name}" for check in block.checks if check.keys}
    if all(outcome.check in compared for outcome in lesson.mistakes):
        return  # answers do show it
    known = [one for one in block.settled_for(lesson.interface) if one in block.settled or one.key == "float64"]
    for settled in known:
        if settled.key not in asked and (settled.key == "affine" or not any(settled.values.values())):
            known_otherwise = (settled.convention.default, "scalar")  # a single number has been seen
            values = settled.values or settled.convention.values
            yield from ((settled, value) for value in values if value not in known_otherwise)
