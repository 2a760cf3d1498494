"""Components of a course's own: how they are made, asked, refused, and told to students and teachers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.own_course import ASSIGNMENT, CHECKS, RIGHT, RUBRIC

Run = Callable[..., tuple[int, str]]
Graded = Callable[..., str]


def test_a_part_needs_no_name_in_its_file(course: Path, graded: Graded) -> None:
    text = CHECKS.replace("double = part(", "made = [part(").replace('as much",\n)', 'as much",\n)]')
    (course / "checks.py").write_text(text.replace("double.knows", "made[0].knows"))
    assert "10 of 10 points" in graded(RIGHT)


def test_own_parts_of_homework_in_torch_alone_are_given_tensors(course: Path, graded: Graded) -> None:
    text = ASSIGNMENT.replace("softmax:\n", "softmax:\n    conventions: {backend: torch}\n")
    (course / "assignment.yaml").write_text(text + "needs: [torch]\n")
    work = "import torch\n\nsoftmax = lambda x: torch.softmax(x, -1)\ndouble = lambda x: x.add(x)\n"
    assert "10 of 10 points" in graded(work)
    (course / "assignment.yaml").write_text(text + "    conventions: {backend: numpy}\nneeds: [torch]\n")
    assert "10 of 10 points" not in graded(work)


def test_an_oracle_that_answers_otherwise_each_time_is_refused_with_a_cure(course: Path, run: Run) -> None:
    oracle = "lambda x: x + np.random.default_rng().normal(size=x.shape)"
    (course / "checks.py").write_text(CHECKS.replace("oracle=workshop", f"oracle={oracle}"))
    code, said = run("assignment", "validate", course)
    assert (code, "answers otherwise each time" in said, "'double'" in said) == (2, True, True), said


def test_an_unknown_component_is_told_with_all_that_there_are(course: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(RIGHT)
    for name, near in (("duble", "Did you mean 'double'?"), ("words", "")):
        code, said = run("check", tmp_path / "work.py", "-a", course, "--component", name)
        assert code == 2
        assert near in said
        assert "Known: softmax, double." in said


def test_a_solution_that_loses_is_told_where_and_why_at_the_end(course: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(RIGHT.replace("x + x", "3 * x"))
    code, said = run("assignment", "validate", course, "--against", tmp_path / "work.py")
    assert code == 1
    assert said.splitlines()[-1].startswith("! Double: 2 lost: double.gives_the_right_answer")


def test_a_handout_tells_own_parts_worksheet_and_report(course: Path, run: Run) -> None:
    (course / "starter").mkdir()
    (course / "starter" / "work.py").write_text("def softmax(x):\n    raise NotImplementedError\n")
    (course / "assignment.yaml").write_text(ASSIGNMENT + "parts: [code, worksheet, report]\n")
    asked = "{id: heads, title: Heads, kind: number, value: 8}, {id: layers, title: Layers, kind: number, value: 6}"
    key = "schema: grader/key/v1\nsections:\n  - {id: %s, title: %s, questions: [%s]}\n"
    (course / "key.yaml").write_text(key % ("blanks", "Counting", asked))
    asked = "{id: pages, title: A PDF of one page, kind: pages, least: 1, most: 1}"
    (course / "report.yaml").write_text(key % ("document", "The document", asked))
    for points, told in (("blanks.*", "Counting: 2 questions"), ("document.*", "A PDF of one page")):
        (course / "rubric.yaml").write_text(f"{RUBRIC}  - {{id: more, title: More, points: 2, checks: [{points}]}}\n")
        code, said = run("assignment", "handout", course)
        assert code == 0, said
        assert "`double(x)`" in said
        assert told in said
        assert ("## Worksheet" in said, "## Report" in said) == (points == "blanks.*", points != "blanks.*")
