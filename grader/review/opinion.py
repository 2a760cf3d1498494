"""A second opinion as lines beside an item of the queue."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial

from grader.catalog import load_assignment
from grader.classroom.results import Results
from grader.model.assignment import Assignment
from grader.report.words import points as written
from grader.review.endpoint import ask
from grader.review.queue import CENT, Item
from grader.review.second import Asked, Idea, Judge, OpinionError, second_opinion
from grader.written.addressed import orders
from grader.written.concepts import concept_list


def opinions(results: Results, url: str, model: str) -> Callable[[Item], Sequence[str]]:
    """Return what says a model's opinion on an item; raises GraderError where the assignment is not to be found."""
    index = results.index()
    assignment = load_assignment(index.get("assignment_source") or index["assignment"])
    judge = partial(ask, url=url, model=model)
    return lambda item: tuple(lines(judge, assignment, item))


def lines(judge: Judge, assignment: Assignment, item: Item) -> Iterator[str]:
    """Yield what a judge quotes and suggests for ``item``, and whether the answer speaks to a grader."""
    for order in orders(item.answer.text):
        yield f"this answer speaks to whoever grades it: “{order}”"
    asked = question_of(assignment, item)
    if asked is None:
        return
    try:
        found = second_opinion(judge, asked)
    except OpinionError as error:
        yield f"no second opinion: {error}"
        return
    titles = {idea.id: idea.title for idea in asked.ideas}
    for idea, quote in found.quotes.items():
        yield f"second opinion: {titles[idea]}: “{' '.join(quote.split())[:160]}”"
    for idea in found.unsure:
        yield f"second opinion: unsure about {titles[idea]}"
    if found.invented:
        yield f"second opinion: {found.invented} quotes are not in the answer and do not count"
    share = (item.most * Decimal(str(found.share))).quantize(CENT)
    yield f"second opinion: {written(share)} of {written(item.most)} points; you decide"


def question_of(assignment: Assignment, item: Item) -> Asked | None:
    """Return what to ask about an item: its concept list, or what staff are told to look for; None for neither."""
    keys = {f"{section.id}.{q.id}": q.key for section in assignment.sections for q in section.questions}
    key = keys.get(item.check)
    if key is None or not item.answer.text:
        return None
    if getattr(key, "concepts", ""):
        known = concept_list(key.held)
        ideas = tuple(Idea(idea.id, idea.title, idea.weight) for idea in known.concepts)
        return Asked(known.question, ideas, item.answer.text)
    parts = [part.strip() for part in str(getattr(key, "look_for", "")).split(";") if part.strip()]
    if not parts:
        return None
    ideas = tuple(Idea(f"idea_{number}", part, 1 / len(parts)) for number, part in enumerate(parts, 1))
    return Asked(key.ask or key.title, ideas, item.answer.text)
