"""The verbs that judge nothing: listing, showing, starting, validating, schemas."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader import __version__
from grader.cli import VERBS

Grader = Callable[..., Any]


def test_version_and_help(grader: Grader) -> None:
    assert grader("--version").out == f"grader, version {__version__}\n"
    said = grader("--help").out
    assert all(verb in said for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(grader: Grader, verb: str) -> None:
    ran = grader(verb, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: grader {verb} ")


def test_list_names_every_assignment(grader: Grader) -> None:
    out = grader("list").out
    folders = (Path(__file__).parents[2] / "assignments").glob("*/assignment.yaml")
    assert [line.split()[0] for line in out.splitlines()] == sorted(path.parent.name for path in folders)


def test_show_says_what_is_asked_and_for_how_many_points(grader: Grader) -> None:
    out = grader("show", "attention-numpy").out
    assert "20 points" in out
    assert "self_attention(Q, K, V) -> output, weights" in out
    assert grader("show", "attention-numpy", "--handout").out.startswith("# Build your own attention\n")


def test_new_copies_hand_out_starter_and_grader_yaml(grader: Grader) -> None:
    ran = grader("new", "attention-numpy", "mine")
    assert ran.code == 0
    assert {path.name for path in Path("mine").iterdir()} == {"attention.py", "handout.md", "grader.yaml"}
    assert Path("mine/grader.yaml").read_text() == "assignment: attention-numpy\npath: attention.py\n"


def test_new_overwrites_nothing(grader: Grader) -> None:
    Path("mine").mkdir()
    Path("mine/attention.py").write_text("precious")
    ran = grader("new", "attention-numpy", "mine")
    assert ran.code == 2
    assert "mine/attention.py: is there already" in ran.err
    assert [path.name for path in Path("mine").iterdir()] == ["attention.py"]
    assert Path("mine/attention.py").read_text() == "precious"


@pytest.mark.parametrize("name", ["report", "assignment", "rubric", "grader"])
def test_schemas_are_schemas(grader: Grader, name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(grader("schema", name).out))


def test_bundled_rubrics_and_assignments_are_valid(grader: Grader) -> None:
    assert grader("rubric", "validate", "attention-numpy").code == 0
    assert grader("assignment", "validate", "attention-numpy").code == 0


def test_a_wrong_rubric_lists_every_complaint_and_exits_2(grader: Grader) -> None:
    Path("mine.yaml").write_text(
        "schema: grader/rubric/v1\nid: mine\nassignment: attention-numpy\nversion: 1\ntitle: Mine\n"
        "criteria:\n  - {id: softmax, title: S, points: ten, checks: [softmax.*]}\n"
    )
    ran = grader("rubric", "validate", "mine.yaml")
    assert ran.code == 2
    assert ran.err.splitlines() == [
        "mine.yaml:4: version: expected text (put it in quotes), found 1",
        "mine.yaml:7: criteria[0].points: expected a number, found 'ten'",
    ]


def test_a_rubric_is_validated_against_the_assignment_beside_it(grader: Grader) -> None:
    root, own = Path(__file__).parents[2], Path("week_5")  # the folder's name is another than the id
    own.mkdir()
    for source, name in (
        ("assignments/attention-numpy/assignment", "assignment"),
        ("rubrics/attention-numpy", "rubric"),
    ):
        text = (root / f"{source}.yaml").read_text(encoding="utf-8")
        (own / f"{name}.yaml").write_text(text.replace("attention-numpy", "mine"), encoding="utf-8")
    assert grader("rubric", "validate", "week_5/rubric.yaml").code == 0
    rubric = own / "rubric.yaml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("assignment: mine", "assignment: other"))
    ran = grader("rubric", "validate", "week_5/rubric.yaml")
    assert ran.code == 2
    assert ran.err == "week_5/rubric.yaml:3: assignment: expected 'mine', found 'other'\n"


def test_shell_completion_is_offered() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from grader.cli import script; script()"],
        env={"_GRADER_COMPLETE": "bash_source", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
        timeout=60,
    )
    assert "_grader_completion" in done.stdout


def test_a_reader_that_stops_early_is_no_error() -> None:
    code = "from grader.cli import main; main(['schema', 'report'])"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_a_formula_is_judged_by_what_it_means(grader: Grader) -> None:
    right = grader("formula", "attention", r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V")
    assert (right.code, right.out.splitlines()[0]) == (0, "equal")
    wrong = grader("formula", "attention", "softmax(QK^T)V", "--format", "json")
    assert wrong.code == 1
    assert {"verdict", "slip", "title", "reason", "reading"} <= set(json.loads(wrong.out))
    assert json.loads(wrong.out)["verdict"] == "different"
    assert grader("formula", "attention", "hello").code == 1


def test_an_unknown_kind_of_formula_is_answered_with_the_nearest(grader: Grader) -> None:
    ran = grader("formula", "atention", "x")
    assert ran.code == 2
    assert "Did you mean 'attention'?" in ran.err


def test_the_kinds_of_formula_are_listed_in_the_help(grader: Grader) -> None:
    from grader.written.formula import KINDS

    said = " ".join(grader("formula", "--help").out.split())
    assert f"Kinds: {', '.join(KINDS)}." in said


def test_a_formula_that_stops_in_a_bracket_is_told_so(grader: Grader) -> None:
    assert "A bracket is not closed." in grader("formula", "attention", "softmax(QK^T/sqrt(d_k)V").out


def test_a_family_of_mistakes_and_a_part_lead_on(grader: Grader) -> None:
    told = " ".join(grader("explain", "enc-norm-before-both").out.split())
    assert "what your hand-out settles otherwise, such as the norm's place, holds instead" in told
    assert "Did you mean sdpa-" in grader("explain", "sdpa").err
    assert "grader explain --component causal_mask" in grader("explain", "causal_mask").err
    wrong = grader("explain", "--component", "softmx")
    assert (wrong.code, wrong.err) == (2, "grader: --component: there is no part 'softmx'. Did you mean 'softmax'?\n")
