"""Questions sent to the child as programs, and their replies read as answers."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from grader import exceptions
from grader.component.calls import Answered, Call, Case, Refused, Watched
from grader.component.component import Component
from grader.component.context import Context, replies_to
from grader.judging import adapt
from grader.judging.outcomes import never_entered
from grader.judging.questions import Key, Question, question_of, unwatched
from grader.model.assignment import Interface
from grader.sandbox.plain import Program, Reply


def ask(
    component: Component, context: Context, questions: Sequence[Question], reading: Mapping[str, Any]
) -> Generator[Sequence[Program], Sequence[Reply], dict[tuple[Any, ...], Answered]]:
    """Ask each question once, by keyword where the call is refused by position; return the answers by question.

    Tensors are of float64; where they meet others that the code makes itself, of torch's own float32, so are they.
    ``reading`` are conventions that the student keeps in place of the hand-out's.
    """
    unique = {question.key: question for question in questions}
    watched = _brought_by_watched(component, context, unique)
    ordered = {key: unique[key] for key in (watched.get(key, key) for key in unique)}  # smallest first
    manner = _Manner(repr(context.interface), context.interface)
    replies = yield from replies_to({key: _program(component, manner, one, reading) for key, one in ordered.items()})
    refused = [key for key, reply in replies.items() if never_entered(reply, context.function)]
    if refused:
        by_name = {key: _program(component, manner, ordered[key], reading, by_keyword=True) for key in refused}
        again = yield from replies_to(by_name)
        replies |= {key: reply for key, reply in again.items() if not never_entered(reply, context.function)}
    mixed = [key for key, reply in replies.items() if _mixes_types(reply, context)]
    singly = {**reading, adapt.SINGLE: True}
    if mixed:
        again = yield from replies_to({key: _program(component, manner, ordered[key], singly) for key in mixed})
        replies |= {key: reply for key, reply in again.items() if not _mixes_types(reply, context)}
        mixed = [key for key in mixed if replies[key] is again[key]]
    kept = {key: singly if key in mixed else reading for key in replies}
    found = {key: _answered(component, context, ordered[key], reply, kept[key]) for key, reply in replies.items()}
    return {key: _unwatched(found[watched[key]], unique[key]) if key in watched else found[key] for key in unique}


def _mixes_types(reply: Reply, context: Context) -> bool:
    """Whether a call of tensors ended where two types of floating numbers meet."""
    told = "" if reply.failure is None or reply.status != "error" else reply.failure.message
    torch = context.interface.conventions.get("backend") == "torch"
    return torch and exceptions.kind(told) == "mixed_types"


def _brought_by_watched(component: Component, context: Context, questions: Mapping[Key, Question]) -> dict[Key, Key]:
    """The questions that a watched call of the same inputs answers too, with the keys of those calls."""
    if component.random or context.interface.conventions.get("gradient"):
        return {}
    plain = {unwatched(q): key for key, q in questions.items() if q.call.watch}
    return {key: watching for key, watching in plain.items() if key in questions}


def _unwatched(watched: Answered, question: Question) -> Answered:
    value = watched.value.value if isinstance(watched.value, Watched) else watched.value
    return replace(watched, call=question.call, value=value)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How an assignment asks for a component; equal where it is written alike."""

    written: str
    interface: Interface = field(compare=False)


def _program(
    component: Component, manner: _Manner, question: Question, reading: Mapping[str, Any], *, by_keyword: bool = False
) -> Program:
    if not (question.case.hidden or reading or by_keyword):
        return _shared(component, manner, question)
    steps = adapt.steps_of(question.call, component, manner.interface, reading, by_keyword=by_keyword)
    return Program(steps, component.name)


@lru_cache(maxsize=1024)
def _shared(component: Component, manner: _Manner, question: Question) -> Program:
    """What is asked of everybody, as most of them are asked: by position, in the conventions of the hand-out."""
    return Program(adapt.steps_of(question.call, component, manner.interface, {}), component.name, shared=True)


def ask_calls(
    component: Component, context: Context, calls: Sequence[Call]
) -> Generator[Sequence[Program], Sequence[Reply], list[Answered]]:
    """Ask calls that belong to no case, and return their answers in order."""
    questions = [question_of(Case(call.inputs, "", hidden=True, target=call.target), call) for call in calls]
    answers = yield from ask(component, context, questions, {})
    return list(answers.values())


def _answered(
    component: Component, context: Context, question: Question, reply: Reply, reading: Mapping[str, Any]
) -> Answered:
    value, status, failure = None, reply.status, reply.failure
    if failure is not None and status == "error" and adapt.refused_to_differentiate(question.call, failure.step):
        status, failure = "value", None
    if status == "value":
        value = adapt.answer_of(question.call, reply.values, component, context.interface, reading)
    if status == "error" and failure is not None and question.call.may_raise:
        refused = Refused(failure.type, failure.message)
        return Answered(question.case, question.call, "value", refused)
    returned = reply.values[0] if status == "value" and len(reply.values) == 1 else None
    return Answered(question.case, question.call, status, value, failure, returned)
