"""``grader/report/v1`` keeps its promise: keys are only ever added, and older reports stay readable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from grader import __version__
from grader.classroom.regrade import outcome_of
from grader.report.schema import ReportFile

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("report-v1")


def parts(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", schema
    yield from ((name, part) for name, part in schema["$defs"].items() if "properties" in part)


def test_every_key_that_was_there_is_there_with_the_same_type() -> None:
    before = json.loads((KEPT / "schema.json").read_text(encoding="utf-8"))
    now = dict(parts(ReportFile.model_json_schema()))
    for name, part in parts(before):
        for key, field in part["properties"].items():
            kept = now[name]["properties"].get(key)
            assert kept is not None, f"{name}.{key} is gone"
            same = {word: value for word, value in field.items() if word not in {"title", "description", "default"}}
            assert same.items() <= kept.items(), f"{name}.{key} has changed"
        added = set(now[name]["properties"]) - set(part["properties"])
        assert not added & set(now[name].get("required", ())), f"{name}: a new key is required"


@pytest.mark.parametrize("file", sorted(KEPT.glob("report-*.json")), ids=lambda path: path.stem)
def test_a_report_of_before_is_valid_and_can_be_scored_again(file: Path) -> None:
    report = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(report, ReportFile.model_json_schema())
    outcomes = [outcome_of(check) for check in report["checks"]]
    assert [outcome.check for outcome in outcomes] == [check["id"] for check in report["checks"]]


def test_there_are_reports_of_before() -> None:
    assert len(list(KEPT.glob("report-*.json"))) >= 2


def test_the_version_is_said_once() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
