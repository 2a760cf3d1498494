"""``grader schema``: the file formats as JSON Schema."""

import json

import click

from grader.catalog.conventions import table, with_conventions
from grader.catalog.schema import AssignmentFile, ProjectFile, RubricFile
from grader.report.schema import ReportFile
from grader.written.key import KeyFile

NAMES = ("report", "assignment", "rubric", "key", "grader", "conventions")


@click.command("schema")
@click.argument("name", metavar="|".join(NAMES), type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a file format; key is that of written work, grader that of grader.yaml.

    conventions is the table of all that assignment.yaml can settle, in Markdown.
    """
    if name == "conventions":
        click.echo(table(), nl=False)
        return
    from pydantic import BaseModel

    models: dict[str, type[BaseModel]] = {
        "report": ReportFile,
        "assignment": AssignmentFile,
        "rubric": RubricFile,
        "key": KeyFile,
        "grader": ProjectFile,
    }
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **models[name].model_json_schema()}
    if name == "assignment":
        schema = with_conventions(schema)
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
