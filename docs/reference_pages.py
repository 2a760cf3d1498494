"""The reference pages of the documentation, written from the code: mkdocs calls ``on_files``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(page()) + "\n"))
    return files


def commands() -> Iterator[str]:
    """Every command with its help."""
    from grader.cli import VERBS, app

    yield "# Commands"
    yield ""
    yield "Exit codes: 0 done, or all right; 1 points lost (`check`, `ci`); 2 bad usage, or work that cannot be read;"
    yield "3 the isolation asked for is not to be had; 4 a fault of the grader; 130 interrupted."
    context = click.Context(app, info_name="grader")
    for verb in VERBS:
        command = app.get_command(context, verb)
        if command is not None:
            yield from _command(command, click.Context(command, info_name=verb, parent=context), 2)


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield ""
    yield f"{'#' * level} {context.command_path}"
    yield ""
    yield "```text"
    yield command.get_help(context)
    yield "```"
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _command(inner, click.Context(inner, info_name=name, parent=context), level + 1)


def checks() -> Iterator[str]:
    """Every check of every component."""
    from grader import components

    yield "# Checks"
    yield ""
    yield "A rubric names a check as `component.check`, or all of a component as `component.*`."
    for name in components.names():
        for form in components.forms(name):
            part = components.component(name, form)
            yield ""
            yield f"## {name}, as a {form}"
            yield ""
            yield "| check | what should hold |"
            yield "| --- | --- |"
            for check in part.checks:
                yield f"| `{check.name}` | {_cell(check.title)} |"


def mistakes() -> Iterator[str]:
    """Every known mistake with its explanation."""
    from grader.auditing.explain import entries

    yield "# Mistakes"
    yield ""
    yield "What `grader explain` knows: each is a wrong version of the paper that is run beside the student's code."
    for entry in entries():
        yield ""
        yield f"## {entry.id}"
        yield ""
        yield f"**{_text(entry.title)}** In {', '.join(_text(one) for one in entry.components)}."
        yield ""
        yield _text(entry.explanation)
        if entry.wrong:
            yield ""
            yield "```python"
            yield from ("# wrong", entry.wrong, "# right", entry.right)
            yield "```"
        yield ""
        yield f"*Ask yourself:* {_text(entry.nudge)}"
        yield ""
        yield f"*Look at:* {_text(entry.hint)}"


def conventions() -> Iterator[str]:
    """Every convention with its values."""
    from grader.component import convention

    yield "# Conventions"
    yield ""
    yield "What a course settles: a key below `conventions:` in assignment.yaml, or a keyword of `check`."
    for name, one in convention.every().items():
        part = name.rpartition(".")[0].replace("_", " ")
        yield ""
        yield f"## {one.key} ({part})" if part else f"## {one.key}"
        yield ""
        yield f"{_text(one.title)}."
        yield ""
        for value, meaning in one.values.items():
            paper = " (the paper's)" if value == one.default else ""
            yield f"- `{value}`: {_text(meaning)}{paper}"
        if one.number:
            meaning = one.number.format(0).replace("0", "that", 1)
            yield f"- a number: {_text(meaning)}; the paper's is `{one.default}`"


def formats() -> Iterator[str]:
    """Every file format with its fields."""
    from grader.catalog.schema import AssignmentFile, ProjectFile, RubricFile
    from grader.report.schema import ReportFile

    yield "# File formats"
    yield ""
    yield "`grader schema NAME` prints the JSON Schema of each. Keys of the report are only ever added."
    for title, model in (
        ("assignment.yaml", AssignmentFile),
        ("Rubrics", RubricFile),
        ("grader.yaml", ProjectFile),
        ("The report, grader/report/v1", ReportFile),
    ):
        schema = model.model_json_schema()
        yield ""
        yield f"## {title}"
        yield from _fields(schema)
        for name, part in schema.get("$defs", {}).items():
            if "properties" in part:
                yield ""
                yield f"### {title}: {name.removesuffix('File').removesuffix('Part')}"
                yield from _fields(part)


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    yield ""
    yield _text(" ".join(schema.get("description", "").split()))
    yield ""
    yield "| field | what it is | |"
    yield "| --- | --- | --- |"
    for name, field in schema["properties"].items():
        yield f"| `{name}` | {_cell(_kind(field))} | {'required' if name in required else ''} |"


def _kind(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2].removesuffix("File").removesuffix("Part")
    if "anyOf" in field:
        return " or ".join(_kind(one) for one in field["anyOf"])
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if field.get("type") == "array":
        inner = field.get("items") or (field.get("prefixItems") or [{}])[0]
        return f"list of {_kind(inner)}"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"mapping to {_kind(field['additionalProperties'])}"
    return str(field.get("type", "anything"))


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    """As Markdown that shows the text as it is."""
    for sign in ("\\", "*", "_", "[", "]", "<"):
        text = text.replace(sign, f"\\{sign}")
    return text


PAGES = {
    "commands": commands,
    "checks": checks,
    "mistakes": mistakes,
    "conventions": conventions,
    "formats": formats,
}
