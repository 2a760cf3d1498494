"""``grader audit``: which mistakes a rubric catches, which right answers it rejects."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from grader.auditing.audit import Audit, Row, audit, matrix
from grader.catalog import assignment_file
from grader.cli.judging import settings_for
from grader.cli.lines import laid_out
from grader.cli.options import component_option, rubric_option
from grader.errors import Exit
from grader.report.words import counted
from grader.sandbox.parent import Sandbox


@click.command("audit")
@click.argument("assignment")
@rubric_option
@component_option
@click.option(
    "--submissions", metavar="DIR", type=click.Path(path_type=Path), help="Your own correct/ and faulty/ files."
)
@click.option("--matrix", is_flag=True, help="Print the whole matrix, mistake by check.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to print.")
def command(
    assignment: str, rubric: str | None, components: tuple[str, ...], submissions: Path | None, matrix: bool, form: str
) -> int:
    """Run the rubric of ASSIGNMENT against the known mistakes and against right answers in other styles.

    Exit code 1 when a mistake keeps all points or a right answer loses some.
    """
    settings = settings_for(assignment, rubric=rubric, components=components)
    names = components or tuple(interface.component for interface in settings.assignment.interfaces)
    bundled = assignment_file(assignment).parent / "samples"
    folders = [folder for folder in (bundled, submissions) if folder and (folder is submissions or folder.is_dir())]
    with Sandbox(level="auto", torch=settings.assignment.needs_torch) as sandbox:
        found = audit(settings.assignment, settings.rubric, folders, names, sandbox)
    click.echo(_json(found) if form == "json" else _text(found, matrix=matrix))
    return Exit.OK if found.clean else Exit.POINTS_LOST


def _json(found: Audit) -> str:
    def line(row: Row) -> dict[str, object]:
        subject = row.subject
        return {"name": subject.name, "component": subject.component, "earned": round(row.earned, 4),
                "failed": list(row.failed), "named": list(row.named)}  # fmt: skip

    return json.dumps({
        "schema": "grader/audit/v1", "assignment": found.assignment, "clean": found.clean, "subjects": len(found.rows),
        "misses": [line(row) for row in found.misses], "false_alarms": [line(row) for row in found.false_alarms],
        "misnamed": [line(row) for row in found.misnamed], "idle_checks": list(found.idle_checks),
        "double_charges": [list(pair) for pair in found.double_charges], "matrix": matrix(found),
    }, ensure_ascii=False, indent=2)  # fmt: skip


def _text(found: Audit, *, matrix: bool) -> str:
    faulty = [row for row in found.rows if row.subject.faulty]
    right = [row for row in found.rows if not row.subject.faulty]
    named = [row for row in faulty if row.subject.id and row.subject.id in row.named]
    known = [row for row in faulty if row.subject.id]
    checks = counted(len(found.checks), "check")
    lines = [
        f"{found.assignment}: {len(faulty)} faulty and {counted(len(right), 'right subject')}, {checks}",
        f"  caught           {len(faulty) - len(found.misses)} of {len(faulty)}",
        f"  named            {len(named)} of {len(known)} ({len(found.misnamed)} under another name)",
        f"  right, full marks {len(right) - len(found.false_alarms)} of {len(right)}",
    ]
    lines += _section("Slip through (a mistake keeps all points)", [_row(row) for row in found.misses])
    lines += _section("False alarms (a right answer loses points)", [_row(row) for row in found.false_alarms])
    lines += _section("Named otherwise", [_row(row) for row in found.misnamed])
    lines += _section("Checks that no mistake here fails", _by_component(found.idle_checks), len(found.idle_checks))
    pairs = [
        f"{one} and {other.partition('.')[2]} ({counted(count, 'mistake')})"
        for one, other, count in found.double_charges
    ]
    lines += _section("Pairs of checks that fail for the same mistakes", pairs)
    if matrix:
        lines += _section(
            "Mistake by check", [f"{row.subject.component}: {row.subject.name}: {_failed(row)}" for row in faulty]
        )
    return "\n".join(lines)


def _section(title: str, lines: list[str], count: int | None = None) -> list[str]:
    return (
        ["", f"{title}: {count or len(lines)}", *(laid_out(f"  {line}", "      ") for line in lines)] if lines else []
    )


def _by_component(checks: Sequence[str]) -> list[str]:
    names: dict[str, list[str]] = {}
    for check in checks:
        component, _, name = check.partition(".")
        names.setdefault(component, []).append(name)
    return [f"{component}: {', '.join(found)}" for component, found in names.items()]


def _row(row: Row) -> str:
    named = f", named {' or '.join(row.named)}" if row.named else ""
    return f"{row.subject.component}: {row.subject.name} earns {row.earned:.0%}{named}; fails {_failed(row)}"


def _failed(row: Row) -> str:
    return ", ".join(check.partition(".")[2] for check in row.failed) or "nothing"
