"""What an instructor is told of a class: lateness that cannot be told, points that outlive work, who is gone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.lateness import days_late
from grader.classroom.likeness import compare
from grader.classroom.policy import Policy, load_policy
from grader.model.submission import CodeChunk, CodeModule, Submission
from tests.classroom.conftest import NO_SCALE, RIGHT, write

Grader = Callable[..., Any]
FLAGS = ("-a", "attention-numpy", "--isolation", "standard", "--jobs", "1")


def said(text: str) -> str:
    return " ".join(text.split())


def policy(folder: Path, due: str) -> Policy:
    (folder / "policy.yaml").write_text(f"due: {due}\nper_day: 10\n", encoding="utf-8")
    return load_policy(folder / "policy.yaml")


@pytest.mark.parametrize("due", ["2026-10-24 20:00 Europe/Berlin", '"2026-10-24T20:00 Europe/Berlin"'])
@pytest.mark.parametrize(
    ("handed_in", "days"),
    [
        ("2026-10-24 20:00", 0),
        ("2026-10-24T18:00:01Z", 1),
        ("2026-10-25 20:00", 1),  # 25 hours later: the clocks are set back that night
        ("2026-10-25T19:00:00Z", 1),
        ("2026-10-25 20:01", 2),
        ("Oct 26, 2026 7:59 PM", 2),
    ],
)
def test_a_deadline_names_its_zone_and_days_are_those_of_its_calendar(
    tmp_path: Path, due: str, handed_in: str, days: int
) -> None:
    found = policy(tmp_path, due).due
    assert found is not None
    assert days_late(handed_in, found, timedelta(0)) == days


@pytest.mark.parametrize("due", ["2026-10-24 20:00", "2026-10-24", "2026-10-24 20:00 Europe/Berlln"])
def test_a_deadline_without_a_zone_that_is_known_says_what_is_expected(grader: Grader, klass: Path, due: str) -> None:
    Path("policy.yaml").write_text(f"due: {due}\n", encoding="utf-8")
    ran = grader("grade", klass, *FLAGS, "-o", "r", "--policy", "policy.yaml")
    assert ran.code == 2
    assert "policy.yaml:1: due: " in ran.err
    assert "2026-09-01 23:59 Europe/Berlin" in said(ran.err)


def test_a_mistyped_key_of_a_policy_is_told_with_the_known_ones(grader: Grader, klass: Path) -> None:
    Path("policy.yaml").write_text("per_dya: 10\nabsent: zero\n", encoding="utf-8")
    ran = grader("grade", klass, *FLAGS, "-o", "r", "--policy", "policy.yaml")
    assert ran.code == 2
    assert "policy.yaml:1: per_dya" in ran.err
    assert "per_day" in ran.err.replace("per_dya", "")


def test_lateness_that_nobody_can_tell_is_said_everywhere(grader: Grader) -> None:
    write(Path("hw"), {"ann.py": RIGHT, "bob.py": NO_SCALE, "cyd.py": RIGHT})
    Path("policy.yaml").write_text("due: 2026-10-24T20:00+02:00\nper_day: 10\n", encoding="utf-8")
    Path("roster.csv").write_text(
        "Name,ID,Submitted At\nAnn,ann,10/11/2026 19:00\nBob,bob,2026-10-25 10:00\nCyd,cyd,\n", encoding="utf-8"
    )
    ran = grader("grade", "hw", *FLAGS, "-o", "r", "--roster", "roster.csv", "--policy", "policy.yaml")
    both = ("for Cyd: the source does not say when", "in two ways or not at all: Ann ('10/11/2026 19:00')")
    for part in both:
        assert part in said(ran.out)
        assert part in said(grader("report", "r").out)
        for form in ("csv", "canvas"):
            assert part in said(grader("export", "r", "--to", form).err)
    book = grader("export", "r").out
    assert "1 day late: −10 % of 20" in book
    assert book.count("lateness not counted") == 2
    # later, with times that can be read: nothing runs again, and the days count
    Path("roster.csv").write_text(
        "Name,ID,Submitted At\nAnn,ann,2026-11-10 19:00\nBob,bob,2026-10-25 10:00\nCyd,cyd,2026-10-20 8:00\n",
        encoding="utf-8",
    )
    again = grader("grade", "hw", *FLAGS, "-o", "r", "--roster", "roster.csv")
    assert "0 graded" in again.out
    assert "lateness" not in again.out
    assert "17 days late" in grader("export", "r").out


@pytest.mark.slow
def test_points_by_hand_that_outlive_new_work_are_said_and_in_the_history(grader: Grader) -> None:
    write(Path("hw"), {"ann.py": NO_SCALE, "bob.py": RIGHT})
    words = ("grade", "hw", *FLAGS, "-o", "r")
    grader(*words)
    assert grader("override", "r", "ann", "scaled_dot_product_attention", "5", "--reason", "oral").code == 0
    assert "by hand" not in grader(*words).out
    write(Path("hw"), {"ann.py": RIGHT})
    ran = grader(*words)
    told = "ann: 5 points for scaled_dot_product_attention by hand (oral) still stand, and other work was handed in"
    assert told in said(ran.out)
    assert told in said(grader("report", "r").out)
    assert told in said(grader("export", "r").err)
    lines = [json.loads(line) for line in Path("r/history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (lines[-1]["student"], float(lines[-1]["before"]), float(lines[-1]["after"])) == ("ann", 15.48, 20)
    assert lines[-1]["kept"] == {"scaled_dot_product_attention": "5"}
    assert grader("override", "r", "ann", "scaled_dot_product_attention", "9", "--reason", "oral, again").code == 0
    assert "still stand" not in grader(*words).out


def test_who_is_gone_from_a_second_export_is_mentioned(grader: Grader) -> None:
    write(Path("hw"), {"ann.py": RIGHT, "bob.py": RIGHT, "cyd.py": RIGHT})
    words = ("grade", "hw", *FLAGS, "-o", "r")
    grader(*words)
    Path("hw/bob.py").unlink()
    assert "not in the source any more, their results stay: bob" in said(grader(*words).out)
    assert "any more" not in grader(*words, "--only", "ann").out


SHARED = """# my own way to write it
import numpy as np


def softmax(x):
    # first I take off the greatest
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
"""


def test_two_files_that_are_the_same_are_found_in_a_class_that_writes_alike() -> None:
    own = {f"s{n:02}": SHARED.replace("my own way to write it", f"the way of {n}") for n in range(22)}
    texts = {**own, "tom": SHARED, "uma": SHARED.replace("\n", "  \r\n") + "\n\n"}
    work = {
        key: Submission(key, key, modules=(CodeModule("hw", (CodeChunk(text, f"{key}.py"),)),))
        for key, text in texts.items()
    }
    first, *others = compare(work)
    assert (first.one, first.other, first.likeness, first.same) == ("tom", "uma", 1.0, True)
    assert not any(pair.same for pair in others)
    assert not any(pair.same for pair in compare(work, starter=[SHARED])), "the starter is everybody's"


def test_a_name_the_other_way_round_and_an_excuse_go_to_gradescope(grader: Grader) -> None:
    write(Path("hw"), {"doejane_7001_1_hw.py": RIGHT, "royrick_7002_2_hw.py": RIGHT})
    Path("roster.csv").write_text(
        'Student,ID,SIS Login ID,Section\n"Doe, Jane",7001,jdoe,A\n"Roy, Rick",7002,rroy,A\n', encoding="utf-8"
    )
    grader("grade", "hw", *FLAGS, "-o", "r", "--roster", "roster.csv")
    grader("override", "r", "rroy", "--excuse", "--reason", "ill")
    jane, rick = csv.DictReader(io.StringIO(grader("export", "r", "--to", "gradescope").out, newline=""))
    assert (jane["First Name"], jane["Last Name"], jane["Total Score"]) == ("Jane", "Doe", "20.00")
    assert (rick["First Name"], rick["Last Name"]) == ("Rick", "Roy")
    assert (rick["Total Score"], rick["Status"]) == ("", "Ungraded"), "an excuse is no score"


def test_the_summary_says_how_many_answers_wait(grader: Grader) -> None:
    sheet = "**[rnn_gpus]** 1\n\n**[why_scale]** It makes the softmax less extreme.\n"
    write(Path("hw"), {"ann/worksheet.md": sheet, "bob/worksheet.md": sheet})
    ran = grader("grade", "hw", "-a", "discovery-worksheet", "-o", "r", "--jobs", "1")
    count = grader("review", "r", "--list").out.splitlines()[-1].split()[0]
    assert int(count) > 0
    assert f"{count} answers wait for a person: grader review r" in ran.out
