"""``grader show``: what an assignment asks for, and for how many points."""

from collections.abc import Mapping
from decimal import Decimal

import click

from grader import components
from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.cli.lines import laid_out
from grader.cli.options import assignments
from grader.intake.text import characters
from grader.learning.definitions import Definition
from grader.learning.given import definitions_given
from grader.learning.handout import signature
from grader.model.assignment import Audience, Interface
from grader.report.words import counted, points


@click.command("show")
@click.argument("assignment", shell_complete=assignments)
@click.option("--handout", is_flag=True, help="Print the hand-out instead.")
def command(assignment: str, handout: bool) -> None:
    """Show what ASSIGNMENT asks for: its functions and classes, and the points for each criterion."""
    text = assignment_file(assignment).parent / "handout.md"
    if handout and text.is_file():
        click.echo(characters(text.read_bytes())[0], nl=False)
        return
    loaded = load_assignment(assignment)
    rubric = load_rubric(rubric_beside(assignment), loaded)
    shown = [criterion for criterion in rubric.criteria if criterion.audience is Audience.STUDENT]
    most = sum((criterion.points for criterion in rubric.criteria if not criterion.bonus), Decimal(0))
    visible = sum((criterion.points for criterion in shown if not criterion.bonus), Decimal(0))
    extra = f", {points(visible)} of them for what is listed here" if most != visible else ""
    head = f"{loaded.title} ({loaded.id}, version {loaded.version}), {points(most)} points{extra}"
    click.echo(laid_out(head) + "\n")
    given = definitions_given(assignment) if loaded.interfaces else {}
    for interface in loaded.interfaces:
        if asked := _signature(interface, given):
            click.echo(laid_out(f"  {asked}", "      "))
    for section in loaded.sections:
        click.echo(f"  {section.title}: {counted(len(section.questions), 'question')}")
    click.echo()
    width = max(len(points(criterion.points)) for criterion in shown)
    for criterion in shown:
        bonus = " (bonus)" if criterion.bonus else ""
        click.echo(f"  {points(criterion.points):>{width}}  {criterion.title}{bonus}")
    click.echo()
    click.echo(laid_out(f"The hand-out: grader show {assignment} --handout. Start: grader new {assignment}."))


def _signature(interface: Interface, given: Mapping[str, Definition]) -> str:
    """Return how the component is called, as students are ``given`` it; empty for one without a name of its own."""
    one = given.get(interface.callable)
    if one is None:
        return components.of(interface).signature(interface)
    given_so = (signature(one.called), signature(one.made), one.method)
    return components.of(interface, one.kind).signature(interface, given_so)
