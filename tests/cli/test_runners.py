"""The runners of GitHub and GitLab, and pre-commit, simulated: our files as their documents say they run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GRADER_COMMAND = str(Path(sys.executable).with_name("grader"))
JUNIT = xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))

TYPED = """import numpy as np


def sofmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = sofmax(Q @ K.T)
    return weights @ V, weights
"""
"""A misspelt name on line 4, a wrong value of what begins on line 9."""

Grader = Callable[..., Any]


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the work in a folder of it, of which the runner knows the root."""
    folder = tmp_path / "homework one"
    folder.mkdir()
    (folder / "attention.py").write_text(TYPED)
    (folder / "grader.yaml").write_text("assignment: attention-numpy\npath: attention.py\nisolation: standard\n")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    return folder


def outputs(path: Path) -> dict[str, str]:
    """What GitHub reads from the file: a name and a value a line."""
    return dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())


def test_annotations_stand_on_the_lines_at_fault(
    grader: Grader, homework: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = grader("ci", "--config", homework / "grader.yaml")
    errors = [line for line in ran.out.splitlines() if line.startswith("::error ")]
    assert [re.search(r"file=(.*?),line=(\d+),title=(\w+)", line).groups() for line in errors] == [
        ("homework one/attention.py", "4", "softmax"),
        ("homework one/attention.py", "9", "The"),
    ]


def test_a_name_that_is_nowhere_is_told_at_the_head_of_the_file(
    grader: Grader, homework: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (homework / "attention.py").write_text("import numpy as np\n\nx = np.zeros(3)\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = grader("ci", "--config", homework / "grader.yaml")
    told = next(line for line in ran.out.splitlines() if line.startswith("::warning "))
    assert told.startswith("::warning file=homework one/attention.py,line=1,title=Not written yet::2 parts")


def test_later_steps_get_points_by_criterion(grader: Grader, homework: Path, tmp_path: Path) -> None:
    grader("ci", "--config", homework / "grader.yaml", "--report", "page.html")
    found = outputs(tmp_path / "output")
    assert set(found) == set(ACTION["outputs"])
    points = json.loads(found["points"])
    assert points["softmax"] == {"points": 0.0, "max": 7.0}
    assert float(found["score"]) == sum(one["points"] for one in points.values())
    assert (found["max-score"], found["passed"]) == ("18", "false")
    assert Path(found["report"]).read_text(encoding="utf-8").startswith("<!")
    assert Path(found["junit"]).is_file()


def test_a_path_of_two_lines_sets_no_other_output(grader: Grader, homework: Path, tmp_path: Path) -> None:
    with (homework / "grader.yaml").open("a") as file:
        file.write('junit: "x\\nscore=18\\npassed=true"\n')
    assert grader("ci", "--config", homework / "grader.yaml").code == 1
    lines = (tmp_path / "output").read_text().splitlines()
    assert [line for line in lines if line.startswith(("score=", "passed="))][-1] == "passed=false"
    assert not any(line == "score=18" for line in lines)


WORKS = {
    "typed": TYPED,
    "starter": (ROOT / "assignments/attention-numpy/starter/attention.py").read_text(),
    "raises": TYPED.replace("sofmax", "softmax").replace("Q @ K.T", "Q @ K"),
    "broken": "def softmax(:\n",
    "nothing": "x = 1\n",
}


@pytest.mark.parametrize("name", WORKS)
def test_the_files_for_the_platform_have_their_documented_form(grader: Grader, homework: Path, name: str) -> None:
    (homework / "attention.py").write_text(WORKS[name])
    grader("ci", "--config", homework / "grader.yaml", "--code-quality", "quality.json")
    text = (homework / "grader-junit.xml").read_text(encoding="utf-8")
    JUNIT.validate(text)
    cases = list(ET.fromstring(text).iter("testcase"))  # noqa: S314 - our own file
    assert cases
    assert {case.get("file") for case in cases} == {"homework one/attention.py"}
    issues = json.loads((homework / "quality.json").read_text(encoding="utf-8"))
    assert issues
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"] == {"path": "homework one/attention.py", "lines": issue["location"]["lines"]}
        assert issue["location"]["lines"]["begin"] >= 1
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_junit_gives_lines_and_the_seconds_that_were_waited(grader: Grader, homework: Path) -> None:
    (homework / "attention.py").write_text(WORKS["raises"])
    grader("ci", "--config", homework / "grader.yaml")
    root = ET.parse(homework / "grader-junit.xml").getroot()  # noqa: S314 - our own file
    cases = list(root.iter("testcase"))
    lines = {case.get("line") for case in cases if case.get("classname") == "attention-numpy.softmax"}
    assert lines == {"4"}
    assert "10" in {case.get("line") for case in cases if case.find("error") is not None}
    suites = {suite.get("name"): float(suite.get("time", "0")) for suite in root}
    assert float(root.get("time", "0")) == pytest.approx(sum(suites.values())) != 0


# ------------------------------------------------------------------------------------------------------ the action


def evaluated(text: str, known: Mapping[str, str]) -> str:
    """A text with the runner's expressions replaced by what they stand for; KeyError for one that there is not."""
    return re.sub(r"\$\{\{ *(.+?) *\}\}", lambda found: known[found[1]], text)


def run_step(step: Mapping[str, Any], known: Mapping[str, str], env: Mapping[str, str], where: Path) -> Any:
    """Run a step of shell as GitHub's runner does; the path that it names is made for it."""
    given = {name: evaluated(str(value), known) for name, value in step.get("env", {}).items()}
    folder = where / evaluated(step.get("working-directory", "."), known)
    words = ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(words, cwd=folder, env={**env, **given}, capture_output=True, text=True, check=False)


def test_the_action_pins_what_it_uses_and_puts_no_input_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        else:
            assert "${{" not in step["run"]
            assert step["shell"] == "bash"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files, after the action's own step has installed the grader there."""
    room = tmp_path_factory.mktemp("runner")
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "install")
    known = {"inputs.extras": "", "github.action_path": str(ROOT), "runner.temp": str(room)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = run_step(step, known, {"PATH": path, "HOME": str(room)}, room)
    assert ran.returncode == 0, ran.stderr
    return room


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("given", "code", "score"),
    [
        ({"assignment": "attention-numpy"}, 1, "0"),
        ({"min-score": "0"}, 0, "0"),
        ({"seed": "4711"}, 1, "0"),
        ({"seed": ""}, 2, None),
        ({"assignment": "attention numpy; exit 0"}, 2, None),
        ({"path": "../outside.py"}, 2, None),
    ],
)
def test_the_action_runs_as_on_a_runner(
    installed: Path, homework: Path, tmp_path: Path, given: Mapping[str, str], code: int, score: str | None
) -> None:
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "grade")
    inputs = {name: str(one["default"]) for name, one in ACTION["inputs"].items()} | {"isolation": "standard"} | given
    (homework / "attention.py").write_text(TYPED.replace("weights @ V, weights", "None"))
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"runner.temp": str(installed)}
    env = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "GITHUB_ACTIONS": "true", "CI": "true",
        "GITHUB_WORKSPACE": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_EVENT_NAME": "push",
    }  # fmt: skip
    known["inputs.working-directory"] = homework.name
    ran = run_step(step, known, env, tmp_path)
    assert ran.returncode == code, ran.stdout + ran.stderr
    if score is None:
        assert ran.stderr.startswith("grader: ")
        return
    found = outputs(tmp_path / "output")
    assert found["score"] == score
    assert (homework / found["report"]).is_file()
    values = [
        re.fullmatch(r"\$\{\{ steps\.grade\.outputs\.([\w-]+) \}\}", o["value"]) for o in ACTION["outputs"].values()
    ]
    assert {value[1] for value in values if value} == set(found)
    assert "4711" not in ran.stdout + (homework / found["report"]).read_text() + (tmp_path / "summary").read_text()


# ------------------------------------------------------------------------------------------------------------ GitLab


def gitlab(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """A job of the template with its inputs put in, as GitLab reads it."""
    text = (ROOT / "templates/grade.yml").read_text(encoding="utf-8")
    head, body = text.split("\n---\n")
    inputs = {key: str(one.get("default", "")) for key, one in yaml.safe_load(head)["spec"]["inputs"].items()} | given
    job = yaml.safe_load(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: json.dumps(inputs[found[1]]), body))[name]
    assert isinstance(job, dict)
    return job


@pytest.mark.parametrize(("needed", "code"), [("0", 0), ("80%", 1)])
def test_the_gitlab_job_leaves_what_it_promises(homework: Path, needed: str, code: int) -> None:
    job = gitlab("grade", {"min_score": needed, "isolation": "standard", "assignment": "attention-numpy"})
    env = {**os.environ, **job["variables"], "GITLAB_CI": "true", "CI": "true"}
    grade = job["script"][-1].replace("/tmp/attention-grader/bin/grader", GRADER_COMMAND)  # noqa: S108
    ran = subprocess.run(
        ["/bin/bash", "-e", "-c", grade], cwd=homework, env=env, capture_output=True, text=True, check=False
    )
    assert ran.returncode == code, ran.stderr
    assert "\x1b[" in ran.stdout
    reports = job["artifacts"]["reports"]
    JUNIT.validate((homework / reports["junit"]).read_text(encoding="utf-8"))
    assert json.loads((homework / reports["codequality"]).read_text())
    assert all((homework / path).is_file() for path in job["artifacts"]["paths"])


# -------------------------------------------------------------------------------------------------------- pre-commit


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_names_a_command_that_there_is(hook: Mapping[str, Any]) -> None:
    words = hook["entry"].split()[1:]
    ran = subprocess.run([GRADER_COMMAND, *words, "--help"], capture_output=True, check=False)
    assert ran.returncode == 0
    assert {"id", "name", "entry", "language"} <= set(hook)


def test_the_hook_for_rubrics_takes_files(grader: Grader) -> None:
    hook = next(hook for hook in HOOKS if hook["id"] == "grader-rubric-validate")
    files = [f"rubrics/{path.name}" for path in (ROOT / "rubrics").glob("*.yaml")]
    assert all(re.search(hook["files"], file) for file in files)
    assert grader(*hook["entry"].split()[1:], *(ROOT / file for file in files)).code == 0
