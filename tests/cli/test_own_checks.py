"""A course's own checks and components: checks.py beside the assignment, or beside a rubric kept apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.own_course import ASSIGNMENT, CHECKS, RIGHT, RUBRIC

Run = Callable[..., tuple[int, str]]
Graded = Callable[..., str]


def test_own_checks_and_components_are_judged_scored_and_named(graded: Graded) -> None:
    assert "10 of 10 points" in graded(RIGHT)
    wrong = graded(RIGHT.replace("x + x", "3 * x"))
    assert "Everything is three times as large." in wrong
    assert "grader explain" in wrong
    shifted = graded(RIGHT.replace("np.exp(x -", "x[..., :1] * np.exp(x -"))
    assert "Adding one number to all scores changes nothing." in shifted


def test_a_check_of_a_torch_part_is_given_arrays(course: Path, graded: Graded) -> None:
    """The same check as of a numpy part: it adds, compares and indexes what it gets."""
    text = ASSIGNMENT.replace("softmax:\n", "softmax:\n    conventions: {backend: torch}\n")
    (course / "assignment.yaml").write_text(text + "needs: [torch]\n")
    own = "return near(np.isin(moved, got) | (moved[..., :1] + 1.0 > 0), np.ones(got.shape, bool))"
    (course / "checks.py").write_text(CHECKS.replace("return near(moved, got)", own))
    right = RIGHT.replace("import numpy as np", "import torch").replace(
        "e = np.exp(x - x.max(axis=-1, keepdims=True))", ""
    )
    right = right.replace("e / e.sum(axis=-1, keepdims=True)", "torch.softmax(x, -1)")
    told = graded(right)
    assert "10 of 10 points" in told, told
    assert "failed itself" not in told


def test_checks_beside_a_rubric_kept_apart_are_those_that_count(tmp_path: Path, course: Path, graded: Graded) -> None:
    apart = tmp_path / "apart"
    apart.mkdir()
    for name in ("rubric.yaml", "checks.py"):
        (course / name).rename(apart / name)
    assert "10 of 10 points" in graded(RIGHT, "--rubric", apart / "rubric.yaml")


def test_a_repository_that_is_graded_brings_no_code_into_the_grader(
    tmp_path: Path, course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("work.py").write_text(RIGHT)
    ci = ("ci", "--path", "work.py", "--isolation", "standard", "-a", "course")
    Path(".git").mkdir()
    ran = tmp_path / "ran"
    (course / "checks.py").write_text(f"import pathlib\n\npathlib.Path({str(ran)!r}).touch()\n{CHECKS}")
    code, told = run(*ci)
    assert (code, ran.exists()) == (2, False)
    assert "checks.py: lies in the repository that is graded" in told
    (course / ".git").mkdir()  # checked out beside the work, as a repository of its own
    assert run(*ci)[0] == 0


def test_points_that_a_student_can_change_are_told(
    tmp_path: Path, course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("work.py").write_text(RIGHT)
    Path(".git").mkdir()
    (course / "checks.py").unlink()
    (course / "assignment.yaml").write_text(ASSIGNMENT.partition("  double:")[0])
    (course / "rubric.yaml").write_text(
        RUBRIC.partition("  - {id: double")[0].replace(", softmax.knows_its_temperature", "")
    )
    code, told = run("ci", "--path", "work.py", "--isolation", "standard", "-a", "course")
    assert code == 0
    assert "course lies in the repository that is graded: who can push" in told


COUNTED = """
grown = part("grown", oracle=lambda width: width, cases=[Case({"width": 8}, "8"), Case({"width": 12}, "12")])
"""


@pytest.mark.parametrize(("answer", "told"), [("2 * width", "times a number: 2"), ("width + 3", "plus a number: 3")])
def test_a_count_is_told_by_its_answer_and_not_by_its_argument(
    course: Path, graded: Graded, answer: str, told: str
) -> None:
    (course / "checks.py").write_text(CHECKS + COUNTED)
    (course / "assignment.yaml").write_text(ASSIGNMENT + "  grown:\n    parameters: [width]\n")
    (course / "rubric.yaml").write_text(RUBRIC + "  - {id: grown, title: Grown, points: 3, checks: [grown.*]}\n")
    text = graded(RIGHT + f"\n\ndef grown(width):\n    return {answer}\n")
    assert told in text
    assert "width is" not in text


SHAPED = """
swapped = part("swapped", oracle=lambda x: x.T * 2.0, cases=[Case({"x": np.arange(6.0).reshape(2, 3)}, "two rows")])


@swapped.check()
def keeps_the_number_of_entries(got, x):
    \"\"\"As many entries come out as went in.\"\"\"
    return near(np.size(got), x.size)
"""


@pytest.mark.parametrize(
    ("answer", "points"), [("x.T * 2.0", "4 of 4"), ("np.sin(x.T) + x.T ** 2", "0 of 4"), ("x.T * 6.0", "0 of 4")]
)
def test_what_any_answer_of_that_shape_passes_earns_nothing_beside_a_wrong_one(
    course: Path, graded: Graded, answer: str, points: str
) -> None:
    (course / "checks.py").write_text(CHECKS + SHAPED)
    (course / "assignment.yaml").write_text(ASSIGNMENT.partition("  softmax")[0] + "  swapped:\n    parameters: [x]\n")
    rubric = RUBRIC.partition("  - {id: softmax")[0]
    (course / "rubric.yaml").write_text(rubric + "  - {id: swapped, title: Swapped, points: 4, checks: [swapped.*]}\n")
    assert f"{points} points" in graded(f"import numpy as np\n\n\ndef swapped(x):\n    return {answer}\n")


SEVERAL = """
both = part("both", oracle=lambda x: (x * 2.0, x.sum(-1)), cases=[Case({"x": np.arange(6.0).reshape(2, 3)}, "rows")])
turn = part("turn", oracle=lambda x: np.exp(1j * x), cases=[Case({"x": np.arange(3.0)}, "angles")])
wide = part("wide", oracle=lambda x: x * 2.0, cases=[Case({"x": np.arange(16.0).reshape(4, 4)}, "of width 4")])
"""
OF_SEVERAL = """
import numpy as np


def both(x):
    return [x * 2.0, x.sum(-1)]


def turn(x):
    return np.exp(1j * x)


def wide(x):
    return x * 2.0
"""


@pytest.mark.parametrize(
    ("old", "new", "points", "told"),
    [
        ("", "", "15 of 15", "Everything"),
        ("[x * 2.0, x.sum(-1)]", "[x * 2.0, x.sum(0)]", "10 of 15", "Value 2 of 2"),
        ("np.exp(1j * x)", "np.exp(-1j * x)", "10 of 15", "x has the wrong"),
        ("np.exp(1j * x)", "np.cos(x)", "10 of 15", "Differs by up to"),
        ("return x * 2.0\n", "return x @ (2.5 * np.eye(4))\n", "10 of 15", "(of width 4)"),
    ],
)  # fmt: skip
def test_answers_of_several_arrays_complex_ones_and_those_of_one_width_are_compared(
    course: Path, graded: Graded, old: str, new: str, points: str, told: str
) -> None:
    (course / "checks.py").write_text(CHECKS + SEVERAL)
    parts = "".join(f"  {name}:\n    parameters: [x]\n" for name in ("both", "turn", "wide"))
    (course / "assignment.yaml").write_text(ASSIGNMENT.partition("  softmax")[0] + parts)
    criteria = [f"  - {{id: {name}, title: {name.title()}, points: 5, checks: [{name}.gives_the_right_answer]}}\n"
                for name in ("both", "turn", "wide")]  # fmt: skip
    rubric = RUBRIC.partition("  - {id: softmax")[0]
    (course / "rubric.yaml").write_text(rubric + "".join(criteria).replace("[both.gives_the_right_answer]", "[both.*]"))
    text = graded(OF_SEVERAL.replace(old, new))
    assert f"{points} points" in text
    assert told in text


ALONE = """
root = part("root", oracle=lambda n: n ** 0.5, cases=[Case({"n": 16}, "one number")])
"""


@pytest.mark.parametrize(("answer", "told"), [("n / 8", ""), ("n + 1", ""), ("-4", "wrong sign")])
def test_of_a_single_number_no_factor_and_no_summand_is_told(
    course: Path, graded: Graded, answer: str, told: str
) -> None:
    (course / "checks.py").write_text(CHECKS + ALONE)
    (course / "assignment.yaml").write_text(ASSIGNMENT + "  root:\n    parameters: [n]\n")
    (course / "rubric.yaml").write_text(RUBRIC + "  - {id: root, title: Root, points: 3, checks: [root.*]}\n")
    text = graded(RIGHT + f"\n\ndef root(n):\n    return {answer}\n")
    assert told in text
    assert "a number:" not in text


INFINITE = """
inputs = [Case({"x": np.array([[1.0, -1.0], [0.0, 2.0]])}, "numbers of both signs")]
masks = part("masks", oracle=lambda x: (np.where(x > 0, 0.0, -np.inf), x > 0), cases=inputs)
"""
OF_TENSORS = """
import torch


def masks(x):
    return torch.where(torch.as_tensor(x) > 0, 0.0, -torch.inf), torch.as_tensor(x) > 0
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", [pytest.param("tensors", marks=pytest.mark.slow), "arrays"])
def test_answers_that_hold_infinities_or_are_tensors_equal_themselves(course: Path, graded: Graded, work: str) -> None:
    pytest.importorskip("torch")
    (course / "checks.py").write_text(CHECKS + INFINITE)
    needs = "title: Mine\nneeds: [numpy, torch]\n"
    (course / "assignment.yaml").write_text(
        ASSIGNMENT.replace("title: Mine\n", needs) + "  masks:\n    parameters: [x]\n"
    )
    (course / "rubric.yaml").write_text(RUBRIC + "  - {id: masks, title: Masks, points: 3, checks: [masks.*]}\n")
    arrays = OF_TENSORS.replace("torch.as_tensor(x)", "x").replace("import torch", "").replace("torch.", "np.")
    assert "13 of 13 points" in graded(RIGHT + (OF_TENSORS if work == "tensors" else arrays))


PLAIN = """
def noam_lr(step, d_model, warmup):
    return 0.0 if step <= 0 else d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [(0.0, [bos])]
    for _ in range(max_len - 1):
        longer = [one for one in beam if one[1][1:].count(eos)]
        for score, tokens in beam:
            if not tokens[1:].count(eos):
                longer += [(score + float(more), [*tokens, at]) for at, more in enumerate(step_fn(list(tokens)))]
        beam = sorted(longer, key=lambda one: (-one[0], one[1]))[:beam_size]
    return beam[0][1]
"""


def test_what_is_not_the_papers_is_passed_only_where_parameters_list_it(course: Path, graded: Graded) -> None:
    head, _, _ = ASSIGNMENT.partition("components:")
    (course / "assignment.yaml").write_text(f"{head}components:\n  noam_lr: {{}}\n  beam_search: {{}}\n")
    (course / "checks.py").unlink()
    head, _, _ = RUBRIC.partition("  - {id")
    rows = [f"  - {{id: {name}, title: T, points: 5, checks: [{name}.*]}}\n" for name in ("noam_lr", "beam_search")]
    (course / "rubric.yaml").write_text(head + "".join(rows))
    assert "10 of 10 points" in graded(PLAIN)


def test_what_the_file_does_wrong_is_told_with_its_line(course: Path, run: Run) -> None:
    (course / "checks.py").write_text("import numpy as np\n\nnp.no_such_thing\n")
    code, told = run("assignment", "validate", course)
    assert code == 2
    assert "checks.py:3" in told
    (course / "checks.py").write_text('from grader.components.own import part\n\npart("treble")\n')
    assert "there is no component 'treble'" in run("assignment", "validate", course)[1]


def test_a_component_of_the_courses_own_is_known_to_the_validators(course: Path, run: Run) -> None:
    assert run("assignment", "validate", course)[0] == 0
    assert run("rubric", "validate", course / "rubric.yaml", "-a", course)[0] == 0
    text = (course / "assignment.yaml").read_text()
    (course / "assignment.yaml").write_text(
        text.replace("  double:\n    parameters: [x]", "  double: {parameters: [y]}")
    )
    assert "there is no parameter 'y'" in run("assignment", "validate", course)[1]


def test_checks_that_a_students_file_leads_to_never_run(tmp_path: Path, course: Path, run: Run) -> None:
    work = course / "work.py"
    work.write_text(RIGHT)
    mark = tmp_path / "ran"
    (course / "checks.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    (course / "grader.yaml").write_text("assignment: ./assignment.yaml\n")
    code, told = run("check", work)
    assert code == 2
    assert "Name it with -a." in told
    assert not mark.exists()


def test_checks_beside_a_rubric_that_the_work_names_never_run(course: Path, tmp_path: Path, run: Run) -> None:
    mark = tmp_path / "ran"
    (course / "work.py").write_text(RIGHT)
    (course / "checks.py").unlink()
    (course / "mine").mkdir()
    (course / "mine" / "checks.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    (course / "rubric.yaml").rename(course / "mine" / "rubric.yaml")
    (course / "grader.yaml").write_text("assignment: softmax\nrubric: mine/rubric.yaml\npath: work.py\n")
    run("ci", "--config", course / "grader.yaml", "-a", course / "assignment.yaml")
    assert not mark.exists()


def test_nothing_of_a_course_stays_in_the_built_in_component(graded: Graded) -> None:
    from grader import components

    before = [check.name for check in components.component("softmax", "function").checks]
    graded(RIGHT)
    assert [check.name for check in components.component("softmax", "function").checks] == before


def test_an_installed_package_brings_a_component(
    tmp_path: Path, course: Path, graded: Graded, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    listed = packages / "twice-1.0.dist-info"
    listed.mkdir(parents=True)
    (packages / "twice_as_much.py").write_text(CHECKS)
    (listed / "METADATA").write_text("Metadata-Version: 2.1\nName: twice\nVersion: 1.0\n")
    (listed / "entry_points.txt").write_text("[grader.components]\ndouble = twice_as_much:double\n")
    (course / "checks.py").unlink()
    (course / "assignment.yaml").write_text(ASSIGNMENT.replace("  softmax:\n    parameters: [x]\n", ""))
    (course / "rubric.yaml").write_text(RUBRIC.partition("criteria:\n")[0] + "criteria:\n" + RUBRIC.splitlines()[-1])
    assert "double" in graded(RIGHT)  # nobody knows it yet
    assert "points" not in graded(RIGHT)
    monkeypatch.syspath_prepend(packages)
    assert "6 of 6 points" in graded(RIGHT)
    assert "Everything is three times as large." in graded(RIGHT.replace("x + x", "3 * x"))


def test_a_judge_that_raises_costs_its_own_check_alone(course: Path, graded: Graded) -> None:
    (course / "checks.py").write_text(CHECKS.replace("return near(moved, got)", "return near(moved['weights'], got)"))
    said = graded(RIGHT)
    assert "8 of 10 points" in said
    assert said.count("The grader itself failed here") == 1
    assert "returned None in every call" in graded(RIGHT.replace("return e / e.sum(axis=-1, keepdims=True)", "pass"))
