"""``grader/report/v1`` keeps its promise: keys are only ever added, and older reports stay readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from grader import __version__
from grader.report.schema import ReportFile
from grader.report.stored import outcome_of

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("report-v1")


def resolved(node: Any, named: dict[str, Any]) -> Any:
    """A schema with what its references stand for, without what describes: what a part is called is no promise."""
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return resolved(named[node["$ref"].rpartition("/")[2]], named)
    found = {word: resolved(value, named) for word, value in node.items() if word not in NO_PROMISE}
    if "properties" in node:
        found["properties"] = {key: resolved(field, named) for key, field in node["properties"].items()}
    if choices := [resolved(item, named) for item in (*node.get("anyOf", ()), *node.get("oneOf", ()))]:
        found["anyOf"] = [one for choice in choices for one in choice.get("anyOf", [choice])]
    if "prefixItems" in node:
        found["prefixItems"] = [resolved(item, named) for item in node["prefixItems"]]
    return found


NO_PROMISE = frozenset({"title", "description", "default", "discriminator", "oneOf", "$defs"})


def require_kept(before: Any, now: Any, place: str) -> None:
    """Whatever was promised is there, of the same type; keys may be new where they are not required."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        assert before == now, f"{place} has changed"
        return
    for word, value in before.items():
        if word == "properties":
            for key, field in value.items():
                assert key in now[word], f"{place}.{key} is gone"
                require_kept(field, now[word][key], f"{place}.{key}")
        elif word == "required":
            assert set(now.get(word, ())) <= set(value), f"{place}: a new key is required"
        elif word == "anyOf":
            assert len(value) == len(now[word]), f"{place} has changed"
            for number, (one, other) in enumerate(zip(value, now[word], strict=True)):
                require_kept(one, other, f"{place}|{number}")
        else:
            require_kept(value, now.get(word), place)


def test_every_key_that_was_there_is_there_with_the_same_type() -> None:
    before, now = json.loads((KEPT / "schema.json").read_text(encoding="utf-8")), ReportFile.model_json_schema()
    require_kept(*(resolved(schema, schema["$defs"]) for schema in (before, now)), "report")


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
