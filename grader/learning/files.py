"""What was learned as the files of an assignment: every line of it with what was seen behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from grader import components as catalogue
from grader.catalog import list_assignments, load_assignment, load_rubric, rubric_beside
from grader.learning.definitions import Definition
from grader.learning.handout import handout
from grader.learning.lesson import Lesson
from grader.learning.notebook import as_notebook, own_notebook
from grader.learning.starter import YOURS, starter
from grader.learning.unasked import unasked
from grader.model.assignment import Interface, Rubric
from grader.model.outcome import Outcome
from grader.report.words import counted

if TYPE_CHECKING:
    from grader.learning.lesson import Learned

POINTS = 10
HEART, FURTHER = Decimal(8), Decimal(2)
"""What the first check that compares a class with the paper weighs, and each further one."""
OF_WEIGHTS = frozenset({"own_parameters", "parameters_are_registered"})
"""These weigh as the further ones: a model whose layers share their weights, or do not train, is another model."""
WIDE = 64
"""Where comments begin."""
WIDEST = 120
"""Where comments that stand alone end."""
HEAD = """\
# Learned from {source} by `{command}`.
# The comment behind a line says what was seen. Lines that begin with "# ?" are questions: what stands there does not
# count until you take the mark away. Below a part that is not asked for yet stands a draft of its lines, to be mended,
# and that of its points in rubric.yaml. Then: grader assignment validate {folder} --against {source}
"""


def files(learned: Learned, id: str, *, folder: str, source: str, command: str, cells: bool = False) -> dict[str, str]:
    """The files of the assignment ``id`` by name: assignment.yaml, rubric.yaml, handout.md, those of the starter.

    With ``cells`` the starter's are notebooks: the teacher's own without the solution, where she has one.
    """
    title = title_of(id)
    emptied = starter(learned.submission, id, cells=cells)
    shown = {
        name: own_notebook(learned.submission, learned.asked) or as_notebook(text, title, learned.asked)
        for name, text in (emptied.items() if cells else ())
    }
    head = HEAD.format(source=source, command=command, folder=folder)
    lines = adapter(learned)
    parts = [(lesson.interface, lesson.definition) for lesson in learned.judged]
    return {
        **({"adapter.py": lines} if lines else {}),
        "assignment.yaml": head + "\n".join(_assignment(learned, id, title, list(emptied))) + "\n",
        "rubric.yaml": "\n".join(_rubric(learned, id, title)) + "\n",
        "handout.md": handout(parts, id, title, written(emptied), torch=learned.torch),
        **{f"starter/{name}": text for name, text in {**emptied, **shown}.items()},
    }


def title_of(id: str) -> str:
    """The assignment's title until a person writes a better one."""
    return id.replace("-", " ").replace("_", " ").capitalize()


def written(starter: Mapping[str, str]) -> list[str]:
    """The files of a starter that are the student's to write."""
    return [name for name, text in starter.items() if YOURS in text]


def adapter(learned: Learned) -> str:
    """adapter.py for what no table can make or call; empty where nothing is."""
    found = [one.interface.adapter.source for one in learned.judged if one.interface.adapter is not None]
    return (
        "\n\n".join(['"""How parts that are made of others are put together and called."""\n', *found]) if found else ""
    )


# ------------------------------------------------------------------------------------------- assignment.yaml


def _assignment(learned: Learned, id: str, title: str, names: Sequence[str]) -> Iterator[str]:
    yield "schema: grader/assignment/v1"
    yield f"id: {id}"
    yield 'version: "1"'
    yield f"title: {title}"
    if len(names) == 1:
        yield f"file: {names[0]}"
    yield f"needs: [{'numpy, torch' if learned.torch else 'numpy'}]"
    yield "components:"
    for lesson in learned.judged:
        yield from _component(lesson, learned.known)
    for lesson in learned.lessons:
        if not lesson.judged:
            yield f"  # ? {lesson.component}: {lesson.definition.name} {lesson.questions[0].text}"
            yield from _marked(_component(replace(lesson, questions=()), learned.known))
            yield from _marked(_lines_of_adapter(lesson))
    if learned.unknown:
        yield f"# No part of the paper by its name, so not asked for: {', '.join(learned.unknown)}."


def _lines_of_adapter(lesson: Lesson) -> Iterator[str]:
    if (made := lesson.interface.adapter) is not None:
        yield "  # and in adapter.py:"
        yield from (f"  # {line}" for line in made.source.splitlines())


def _marked(lines: Iterable[str]) -> Iterator[str]:
    """A draft of what is not asked for yet, as comments: it counts where they are taken away."""
    return (f"{line[:2]}# {line[2:]}".rstrip() for line in lines)


def _component(lesson: Lesson, known: Mapping[str, Definition]) -> Iterator[str]:
    interface, one = lesson.interface, lesson.definition
    yield f"  {interface.component}:"
    for mistake in mistakes(lesson):
        yield f"    # ! A likely mistake of the solution: {mistake}"
    for question in lesson.questions:
        if not question.key:
            yield f"    # ? {question.text}"
    yield _line(4, "callable", one.name, f"the {one.kind} in {one.file}, line {one.node.lineno}")
    yield _line(4, "parameters", parameters(interface), lesson.seen.get(("parameters",), _NAMES))
    yield from (f"    # not asked: {what}" for what in unasked(lesson, known))
    if interface.returns:
        yield _line(4, "returns", list(interface.returns), lesson.seen.get(("returns",), "as it returns them"))
    if interface.domain:
        told = "; ".join(lesson.seen["domain", key] for key in interface.domain)
        yield _line(4, "domain", dict(interface.domain), told)
    yield from _conventions(lesson)


def _conventions(lesson: Lesson) -> Iterator[str]:
    interface = lesson.interface
    if interface.conventions:
        yield "    conventions:"
    for key, value in interface.conventions.items():
        if key == "constructor" and interface.adapter is not None:
            yield "      # made and called by adapter.py: by parts that are made before it, or constants that are set"
            continue
        yield _line(6, key, value, lesson.seen.get(("conventions", key), _FORM if key == "form" else ""))
    for question in lesson.questions:
        key, value, indent = question.key, question.value, 6
        if key == "domain":
            indent = 4
        elif not interface.conventions:
            key, value, indent = "conventions", {key: value}, 4
        if question.key:
            yield _line(indent, f"# ? {key}", value, f"{question.text}. Meant, or a mistake?")


_NAMES = "our names, in the order of the solution"
_FORM = "as it is handed in"


def mistakes(lesson: Lesson) -> Iterator[str]:
    """What the solution loses points for, each mistake once: what it is called, and the input that shows it."""
    told: dict[str, list[Outcome]] = {}
    for outcome in lesson.mistakes:
        told.setdefault(outcome.diagnosis.id if outcome.diagnosis is not None else outcome.check, []).append(outcome)
    for same in told.values():
        more = f"; {counted(len(same) - 1, 'more check')} for it" if len(same) > 1 else ""
        yield f"{_likely(same[0])}{more}"


def _likely(outcome: Outcome) -> str:
    """What a check says of the solution, with the name of the mistake and the input that shows it."""
    name = f" ({outcome.diagnosis.id}: {outcome.diagnosis.title.rstrip('.')})" if outcome.diagnosis is not None else ""
    example = outcome.counterexample
    given = ", ".join(f"{key} = {' '.join(text.split())}" for key, text in example.inputs.items()) if example else ""
    shown = given if len(given) < 160 else example.why if example else ""  # noqa: PLR2004 - what fits a line
    message = " ".join(outcome.message.split())
    return f"{outcome.check}{name}: {message}" + (f"; shown by {shown}" if shown else "")


def parameters(interface: Interface) -> Any:
    """The parameters as assignment.yaml has them."""
    if not interface.arguments:
        return list(interface.parameters)
    if interface.by_keyword:
        return {one.name: one.value for one in interface.arguments}
    return [{one.name: one.value} if one.name else one.value for one in interface.arguments]


def _line(indent: int, key: str, value: Any, comment: str) -> str:
    text = f"{' ' * indent}{key}: {flow(value)}"
    return f"{text:{WIDE}}  # {comment}" if comment else text


def flow(value: Any) -> str:
    """A value as YAML has it, in one line."""
    import yaml

    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True)
    return text.removesuffix("...\n").strip()


# --------------------------------------------------------------------------------------------------- rubric.yaml


def _rubric(learned: Learned, id: str, title: str) -> Iterator[str]:
    yield "# One criterion a part, each worth the same: change it as you like; a check that is left out earns nothing."
    yield f'schema: grader/rubric/v1\nid: {id}\nassignment: {id}\nversion: "1"\ntitle: {title}\ncriteria:'
    bundled = [load_rubric(rubric_beside(one.id), one) for one in map(load_assignment, list_assignments())]
    for lesson in learned.judged:
        yield from _criterion(lesson, bundled)
    for lesson in learned.lessons:
        if not lesson.judged:
            yield from _marked(_criterion(lesson, bundled))


def _criterion(lesson: Lesson, bundled: Sequence[Rubric]) -> Iterator[str]:
    interface = lesson.interface
    part = catalogue.of(interface)
    always = [f"{part.name}.{name}" for name in part.asked(interface).intersection(*map(part.asked, lesson.answered))]
    asked = part.asked(interface)
    ids = ", ".join(one.name for one in part.checks if one.name in asked)
    yield from wrap(f"# {interface.component}.*: {ids}", WIDEST, subsequent_indent="#   ")
    yield f"  - id: {interface.component}"
    yield f"    title: {part.title}"
    yield f"    points: {POINTS}"
    yield "    checks:"
    yield from (f"      - {{id: {at}, weight: {weight}}}" for at, weight in weights(interface, bundled) if at in always)
    yield f"      - {interface.component}.*"


def weights(interface: Interface, bundled: Sequence[Rubric]) -> list[tuple[str, Decimal]]:
    """The checks of a part that count for more than one, as a bundled rubric weighs them: the heart of it first.

    Where none does, what compares with the paper counts more than what holds of any module.
    """
    part = catalogue.of(interface)
    asked = {f"{interface.component}.{name}" for name in part.asked(interface)}
    weighed = (
        [
            (check.id, check.weight)
            for criterion in rubric.criteria
            for check in criterion.checks
            if check.id in asked and check.weight != 1
        ]
        for rubric in bundled
    )
    found = max(weighed, key=len, default=[])
    computing = [f"{part.name}.{one.name}" for one in part.checks if one.owns or one.name in OF_WEIGHTS]
    hearts = [at for at in computing if at in asked]
    return found or [(at, FURTHER if place else HEART) for place, at in enumerate(hearts)]
