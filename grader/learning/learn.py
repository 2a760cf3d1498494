"""From an instructor's solution to what its course settles: each part is found, tried, and judged as a student's."""

import ast
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader import components as catalogue
from grader.errors import GraderError, nearest
from grader.intake.candidates import ambiguous, entry_first
from grader.learning import classes, draft, functions, masks, words
from grader.learning.around import Around, inside
from grader.learning.definitions import Definition, definitions
from grader.learning.judged import in_one_order, judged, without_unknown
from grader.learning.judging import Judging
from grader.learning.lesson import CUT_SHORT, Learned, Lesson, Question
from grader.learning.manners import line_of
from grader.learning.running import quickly
from grader.learning.trial import Trial
from grader.model.assignment import Interface
from grader.model.outcome import Verdict
from grader.model.submission import CodeModule, Submission
from grader.sandbox.parent import Sandbox
from grader.source import syntax_faults

OF_FUNCTIONS = frozenset({"mask", "mask_type", "activation", "centred", "affine", "deviation", "causal"})
"""What a function settles for the classes beside it, too: the rest is how a function is called."""
LEARNERS = {"class": classes.learn, "function": functions.learn}
"""What tries a part, by the form in which it is handed in."""
_TORCH = re.compile(r"^\s*(import|from)\s+torch\b", re.MULTILINE)


def learn(
    submission: Submission, sandbox: Sandbox, only: Sequence[str] = (), tell: Callable[[str], None] = lambda _: None
) -> Learned:
    """Learn what a course settles from its own solution; ``only`` these components where some are named.

    A component may be followed by what it is in the solution: ``encoder_layer=EncBlock``.
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
        trial = Trial(run, session)
        lessons = _lessons(trial, known, found, tell, torch=torch)
    order = catalogue.names()
    lessons.sort(key=lambda lesson: order.index(lesson.component))
    tried = {one.name for part in (draft.parts_of(known) if only else found) for one in part.definitions}
    taken = {name for name in tried if only or name.startswith(draft.ASKED)}
    taken |= {lesson.definition.name for lesson in lessons}
    unknown = tuple(
        name for name, one in known.items() if name not in taken and not name.startswith("_") and one.called
    )
    lessons = [one if one.judged else _of_framework(one, submission, known) for one in lessons]
    learned = Learned(submission, run, tuple(lessons), unknown, torch, broken)
    _require_one_of_each(submission, [lesson.definition.name for lesson in learned.judged])
    tell("all of them are judged as a student's work is")
    judging = Judging(run, sandbox, torch, trial.late)
    return judged(in_one_order(without_unknown(learned, judging), judging), judging)


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
        if trial.late():
            lessons.append(_untried(part))
            continue
        tried: list[Lesson] = []
        for one in part.definitions:
            unread = frozenset(lesson.definition.name for lesson in lessons if not lesson.read)
            learner = LEARNERS[catalogue.handed_in_as(part.component, one.kind)]
            lesson = learner(trial, part.component, one, Around(known, usual, ready, unread, torch))
            tried.append(lesson)
            if lesson.judged and _is_near(trial, lesson):
                break
        called = [each for each in tried if each.judged]
        lesson = next((each for each in called if _is_near(trial, each)), (called or tried)[0])
        left = part.definitions[len(tried) :] if part.component != "transformer" else ()
        others = [
            one.name for one in left if one.kind == lesson.definition.kind and one.name not in lesson.definition.holds
        ]
        asked = [Question(f"{', '.join(others)} could be meant as well.")] if others and lesson.judged else []
        failed = [each for each in tried if each.definition.name.startswith(draft.ASKED) and not each.judged]
        asked += [Question(f"{each.definition.name} {each.questions[0].text}") for each in failed if each is not lesson]
        asked += [Question(CUT_SHORT.format(part.component))] if trial.late() and lesson.judged else []
        lessons.append(replace(lesson, questions=(*lesson.questions, *asked)))
        if not lesson.judged:
            continue
        usual |= _kept(trial, lesson, usual)
        ready |= line_of(lesson) if lesson.of_class else {}
    return _once(lessons)


def _is_near(trial: Trial, lesson: Lesson) -> bool:
    """Whether a part is the paper but for a slip: else another definition may be the one that is meant."""
    if lesson.of_class:
        return lesson.read
    outcomes = trial.outcomes(lesson.interface, lesson.definition.module)
    return 2 * sum(outcome.verdict is not Verdict.PASSED for outcome in outcomes) < len(outcomes)


def _kept(trial: Trial, lesson: Lesson, usual: Mapping[str, Any]) -> dict[str, Any]:
    """What a part keeps beyond what is ``usual`` already, for those that are made of it or given its masks."""
    said = lesson.interface.conventions
    kept = {key: said[key] for key in said if key not in usual and (lesson.of_class or key in OF_FUNCTIONS)}
    if said.get("mask") == "additive" and _makes_infinite(lesson):
        kept["mask_hides"] = "infinite"
    if "config" in said:
        kept["config"] = {**usual.get("config", {}), **said["config"]}
    own = masks.told(lesson, trial.submission.modules) if lesson.of_class else masks.made(lesson.interface)
    return {**kept, "shapes_made": (*usual.get("shapes_made", ()), *own)}


def _once(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without what one function is not, where it is another part; told once where it is none."""
    told: dict[str, Lesson] = {}
    for lesson in sorted(lessons, key=lambda one: not one.judged):
        told.setdefault(lesson.definition.name, lesson)
    return [one for one in lessons if one.judged or one is told[one.definition.name]]


def _untried(part: draft.Found) -> Lesson:
    """The lesson of a part for which no time was left: an answer with the others is worth more than a long wait."""
    one = part.definitions[0]
    question = Question(f"was not tried. {CUT_SHORT.format(part.component)}")
    return Lesson(one, Interface(part.component, one.name), {}, (question,), judged=False)


def _makes_infinite(lesson: Lesson) -> bool:
    """Whether a function makes masks that hide with -inf."""
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(lesson.definition.node)}
    text = {node.value for node in ast.walk(lesson.definition.node) if isinstance(node, ast.Constant)}
    makes = lesson.component in {"causal_mask", "padding_mask", "attention_masks"}
    return makes and bool(names & {"inf", "NINF"} or text & {"inf", "-inf"})


def _written_for(modules: Iterable[CodeModule]) -> str:
    """The first file that is written for what is not run here, and what that is; empty for none."""
    found = ((module.chunks[0].file, words.framework(module.source)) for module in modules)
    file, other = next((one for one in found if one[1]), ("", ""))
    return f"{file} is written for {other}, and only numpy and torch are run here" if other else ""


def _of_framework(lesson: Lesson, submission: Submission, known: Mapping[str, Definition]) -> Lesson:
    """The lesson of what does not run, with the file that it needs and that is not run here."""
    needed = {one.module for one in inside(lesson.definition, known)}
    written = _written_for(module for module in submission.modules if module.name in needed)
    first, *rest = lesson.questions
    return replace(lesson, questions=(Question(f"{first.text} {written}."), *rest)) if written else lesson


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
    said = {name: own for name, _, own in (one.partition("=") for one in only)}
    for name, own in said.items():
        if name not in names:
            raise GraderError(f"there is no component {name!r}", "--components", nearest(name, names))
        if own and own not in known:
            raise GraderError(f"defines no {own!r}", submission.path, nearest(own, tuple(known)))
    found = [part for part in draft.parts_of(known) if not said or said.get(part.component) == ""]
    found += [draft.named(name, known[own], known) for name, own in said.items() if own]
    lacking = [name for name in said if name not in {part.component for part in found}]
    listed = _listed(known, lacking or names)
    if lacking:
        raise GraderError(
            f"nothing is called like {', '.join(lacking)} (it defines {listed})",
            submission.path,
            f"Say which it is: --components {lacking[0]}=NAME, or leave it out.",
        )
    if not found:
        cure = f"Call them as the paper does, such as {', '.join(_examples())}; `grader new attention-numpy` shows one."
        why = f"holds no part of the paper that is known by its name (it defines {listed})"
        if written := _written_for(submission.modules):
            why, cure = f"holds no part that can be run here: {written}", "Write it in numpy or torch."
        raise GraderError(why, submission.path, cure)
    _require_one_of_each(submission, [one.name for part in found for one in part.definitions])
    return found


def _require_one_of_each(submission: Submission, names: Sequence[str]) -> None:
    """Raise GraderError where two files define one of ``names``, and none of the others is made of it."""
    if problem := ambiguous(submission, names):
        raise GraderError(problem, submission.path, "Name the file that counts: --from FILE.")


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
