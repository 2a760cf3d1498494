"""Every command that the documents print exists, with the options that they give it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from grader.cli import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"(?:^|&& |run: )(grader [a-z].*?)(?= && |$)", block, re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`]+)`", prose):
        one = " ".join(code.split())
        if re.match(r"grader [a-z]", one):
            yield one


PRINTED = [(page.name, command) for page in PAGES for command in commands(page)]


@pytest.mark.parametrize(("page", "printed"), PRINTED)
def test_a_printed_command_exists_with_its_options(page: str, printed: str) -> None:
    words = shlex.split(printed, comments=True)[1:]
    context, command = click.Context(app), app
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found, f"{page}: {printed}: no command {name}"
        command = found
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    given = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert given <= known, f"{page}: {printed}: no {given - known}"


def test_the_documents_print_commands() -> None:
    assert len(PRINTED) > 40
    assert {page for page, _ in PRINTED} >= {"README.md", "student.md", "instructor.md", "ci.md", "written.md"}
