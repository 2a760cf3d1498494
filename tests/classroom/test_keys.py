"""Whoever has results keeps their key, whatever roster comes later: decisions never move to somebody else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.entry import Entry
from grader.classroom.keys import settled

from .conftest import NO_SCALE, RIGHT, write

Grader = Callable[..., Any]


def entry(key: str, *ids: str, name: str = "") -> Entry:
    return Entry(key, name or key, (), ids)


def row(*ids: str, name: str = "") -> dict[str, Any]:
    return {"name": name, "ids": list(ids)}


@pytest.mark.parametrize(
    ("rows", "entries", "keys"),
    [
        ({}, [entry("ann", "1")], ["ann"]),
        ({"a-70": row("70")}, [entry("ann", "ann@x.edu", "70")], ["a-70"]),
        ({"wei": row("1@x"), "wei-2": row("2@x")}, [entry("wei", "2@x"), entry("wei-2", "1@x")], ["wei-2", "wei"]),
        ({"wei": row("1@x")}, [entry("wei", "2@x")], ["wei-2"]),
        ({"wei": row("1@x")}, [entry("wei", "77")], ["wei"]),
        ({"wei": row("1@x")}, [entry("wei", "2@x"), entry("wei-wei", "1@x")], ["wei-2", "wei"]),
        ({"doe-jane": row(name="Doe, Jané")}, [entry("jane-doe", "j@x", name="Jane Doe")], ["doe-jane"]),
        (
            {"doe-jane": row(name="Doe, Jane"), "j-doe": row(name="Jane Doe")},
            [entry("jane-doe", "j@x", name="Jane Doe")],
            ["jane-doe"],
        ),
        ({"ann": row("ann"), "ann.2": row("ann")}, [entry("ann-lee", "ann"), entry("ann-lee", "ann")], ["ann", "ann"]),
        ({"ann": row("a", "c"), "bob": row("b")}, [entry("x", "a", "b", "c")], ["ann"]),
        ({"ann": row("ann@x.edu")}, [entry("bob", "bob@x.edu")], ["bob"]),
    ],
)
def test_a_student_keeps_the_key_and_nobody_takes_it_over(
    rows: dict[str, Any], entries: list[Entry], keys: list[str]
) -> None:
    assert [found.key for found in settled(entries, rows)] == keys


def test_a_member_of_a_group_who_hands_in_alone_leaves_the_group_its_results() -> None:
    rows = {
        "bees-40": {"name": "bees", "ids": ["71", "72", "40"], "members": ["A", "B"], "member_ids": [["71"], ["72"]]}
    }
    alone = entry("ann", "71", name="A")
    group = replace(entry("the-bees", "72", "71", name="bees"), members=("B", "A"), member_ids=(("72",), ("71",)))
    assert [found.key for found in settled([alone], rows)] == ["ann"]
    assert [found.key for found in settled([alone, group], rows)] == ["ann", "bees-40"]
    assert [found.key for found in settled([entry("x", "40")], rows)] == ["bees-40"]
    before = {"bees-40": row("40", name="bees"), "ann": row("71")}
    later = replace(group, ids=("71", "72", "40"))
    assert [found.key for found in settled([later, alone], before)] == ["bees-40", "ann"]


def points(grader: Grader, folder: str, column: str = "ids") -> dict[str, str]:
    ran = grader("export", folder)
    assert ran.code == 0, ran.err
    return {line[column]: line["score"] for line in csv.DictReader(io.StringIO(ran.out, newline=""))}


@pytest.mark.slow
def test_a_roster_that_comes_later_keeps_results_and_decisions(grader: Grader, tmp_path: Path) -> None:
    write(tmp_path / "hw", {"limei_7001_1_hw.py": RIGHT, "obrienseán_7002_2_hw.py": NO_SCALE})
    Path("roster.csv").write_text("name,id\nSeán O'Brien,7002\nMei Li,7001\n", encoding="utf-8")
    assert grader("grade", "hw", "-a", "attention-numpy", "-o", "r").code == 0
    assert grader("override", "r", "7001", "softmax", "3", "--reason", "seen").code == 0
    ran = grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "roster.csv")
    assert "0 graded" in ran.out, "what somebody is called needs no run"
    assert json.loads(Path("r/reports/limei-7001.json").read_text("utf-8"))["submission"]["submitter"] == "Mei Li"
    again = grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "roster.csv")
    assert "0 graded" in again.out
    index = json.loads(Path("r/index.json").read_text(encoding="utf-8"))["students"]
    assert {key: line["name"] for key, line in index.items()} == {
        "limei-7001": "Mei Li",
        "obrienseán-7002": "Seán O'Brien",
    }
    assert points(grader, "r", "name")["Mei Li"] == "16.00", "7 points of softmax are 3 by decision"


@pytest.mark.slow
@pytest.mark.parametrize("grown", [False, True])
def test_a_roster_in_another_order_or_with_a_namesake_moves_no_decision(
    grader: Grader, tmp_path: Path, grown: bool
) -> None:
    write(tmp_path / "hw", {"wz1/hw.py": RIGHT, "wz2/hw.py": RIGHT})
    first, second = "Wei Zhang,wz1@x.edu\n", "Wei Zhang,wz2@x.edu\n"
    Path("one.csv").write_text("name,email\n" + first + ("" if grown else second), encoding="utf-8")
    Path("two.csv").write_text("name,email\n" + second + first, encoding="utf-8")
    grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "one.csv")
    assert grader("override", "r", "wz1", "softmax", "3", "--reason", "seen").code == 0
    before = points(grader, "r")
    assert sorted(before.values()) == ["16.00", "20.00"]
    grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "two.csv")
    after = points(grader, "r")
    assert {"wz1" in ids: score for ids, score in after.items()} == {True: "16.00", False: "20.00"}
