"""What a report offers to paste runs as it is printed, and shows the difference."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader import components as catalogue
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment
from grader.component.calls import Rng, StepFn
from grader.component.component import Component
from grader.judging.snippet import Tried, expression, from_folder, snippet
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule

ASSIGNMENTS = ("transformer-from-scratch", "attention-mechanics", "attention-numpy")
MOST = 10
"""Mistakes of one component that are tried: more say nothing new of how a snippet is written."""

TORCH = SimpleNamespace(tensor=lambda x, **_: np.array(x), float64=None, inf=np.inf, nan=np.nan)
"""Stands for torch where the mistaken function is one of numpy."""


def functions() -> Iterator[tuple[str, Component, Interface]]:
    for name in ASSIGNMENTS:
        for interface in load_assignment(name).interfaces:
            component = catalogue.component(interface.component, str(interface.conventions.get("form", "function")))
            if isinstance(component, Component) and interface.component != "integrity":
                yield f"{name}-{interface.component}", component, interface


ALIKE = {  # what assignments ask for in the same way is tried once
    repr(replace(interface, aliases=(), forbidden=())): (name, component, interface)
    for name, component, interface in functions()
}
FUNCTIONS = {name: (component, interface) for name, component, interface in ALIKE.values()}


def printed(text: str, session: Mapping[str, Any]) -> str:
    """What the lines print in a session that has the function; the exception where one is raised."""
    names = dict(session)
    if "import torch\n" in text:
        names["torch"], text = TORCH, text.replace("import torch\n", "")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
            exec(compile(text, "<pasted>", "exec"), names)  # noqa: S102 - that is what a student does with it
    except Exception as error:  # noqa: BLE001 - mistaken code raises whatever it raises
        return f"{out.getvalue()}{type(error).__name__}: {error}"
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_lines_run_and_show_the_difference(name: str) -> None:
    component, interface = FUNCTIONS[name]
    right = as_submitted(component, interface)
    chosen = component.misconceptions[:: max(1, len(component.misconceptions) // MOST)]
    shown = 0
    for slip in chosen:
        wrong = as_submitted(component, interface, slip.by_target(component.target))
        for outcome in rehearse(component, wrong, interface):
            example = outcome.counterexample
            if example is None or not example.snippet or ".backward()" in example.snippet:
                continue
            shown += 1
            mine, theirs = printed(example.snippet, wrong), printed(example.snippet, right)
            why = f"{slip.id}, {outcome.check}:\n{example.snippet}\n{mine}"
            assert example.expected.startswith("raises") or not re.match(r"\w+Error: ", theirs), why
            assert mine != theirs or component.random, why
            assert "NameError" not in mine, why
            assert "SyntaxError" not in mine, why
    assert shown or component.random or component.name == "beam_search"


def module(filename: str, name: str, cell: int | None = None) -> CodeModule:
    return CodeModule(name, (CodeChunk("def f(x):\n    return x", filename, cell),))


def test_a_notebooks_lines_import_nothing_of_it() -> None:
    text = snippet(Tried("f", module("work.ipynb[cell 3]", "work", 3), ({"x": np.array([1.0])},)))
    assert text == "import numpy as np\nx = np.array([1.])\nprint(f(x))"


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("attention.py", "attention"),
        ("hw-1.py", "hw_1"),
        ("my attention.py", "my_attention"),
        ("class.py", "class_"),
        ("2.py", "_2"),
        ("it's.py", "it_s"),
        ("part/attention.py", "part.attention"),
        (f"{'long' * 14}.py", "long" * 14),
    ],
)
def test_a_files_lines_find_it_whatever_it_is_called(tmp_path: Path, filename: str, name: str) -> None:
    path = tmp_path / filename
    path.parent.mkdir(exist_ok=True)
    path.write_text("def function_under_test(x):\n    return x + 1\n")
    text = snippet(Tried("function_under_test", module(filename, name), ({"x": 41},)))
    ran = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "42\n", ran.stderr


VALUES: dict[str, Any] = {
    "special": np.array([[np.inf, -np.inf, np.nan, 0.0]]),
    "float32": np.array([0.1, 1.5], np.float32),
    "int32": np.array([1, 2], np.int32),
    "bool": np.array([[True, False]]),
    "empty": np.empty((0, 3)),
    "close together": np.array([1.0, 1.0 + 1e-9, 1.0 - 1e-9]),
    "tiny": np.array([1.25e-300, 5e-8]),
    "huge": np.array([123456789.0, -1e30]),
    "scalar": np.float64(0.1),
    "not finite": float("-inf"),
    "number of numpy": np.int64(3),
    "words": {"W": np.array([[1.0]])},
    "nothing": None,
}


@pytest.mark.parametrize("kind", VALUES)
def test_an_expression_reads_back_as_the_value(kind: str) -> None:
    value = VALUES[kind]
    read = eval(expression(value), {"np": np})  # noqa: S307 - our own text
    if isinstance(value, dict):
        value, read = value["W"], read["W"]
    np.testing.assert_array_equal(read, value)
    if isinstance(value, np.ndarray):
        assert read.dtype == value.dtype
        assert read.shape == value.shape


def test_what_is_random_and_what_is_a_model_read_back() -> None:
    names = {"np": np}
    assert eval(expression(Rng(3)), names).random() == np.random.default_rng(3).random()  # noqa: S307
    model = StepFn({"1,2": [0.5, -1.5]}, {"2": [-0.25, -2.0]}, [-3.0, -0.125])
    read: Callable[..., Any] = eval(expression(model), names)  # noqa: S307
    for prefix in ([1, 2], [0, 2], [1]):
        np.testing.assert_allclose(read(prefix), model(prefix))


def test_an_argument_left_out_in_the_middle_is_passed_as_none() -> None:
    text = snippet(Tried("f", None, ({"x": 1, "mask": None, "scale": 2.0},)))
    assert text == "x = 1\nscale = 2.0\nprint(f(x, None, scale))"


def test_a_second_call_states_only_what_is_other() -> None:
    text = snippet(Tried("f", None, ({"x": 1, "y": 2}, {"x": 3, "y": 2})))
    assert text == "x = 1\ny = 2\nprint(f(x, y))\nx = 3\nprint(f(x, y))"


def test_a_gradient_is_printed_where_one_was_judged() -> None:
    given = ({"logits": np.array([[0.5, 1.0]]), "target": np.array([1])},)
    text = snippet(Tried("loss", None, given, torch=True, gradient="logits"))
    assert text.splitlines() == [
        "import torch",
        "logits = torch.tensor([[0.5, 1.]], dtype=torch.float64, requires_grad=True)",
        "target = torch.tensor([1])",
        "loss(logits, target).backward()",
        "print(logits.grad)",
    ]


def test_what_is_too_large_is_not_offered() -> None:
    assert snippet(Tried("f", None, ({"x": np.zeros((7, 7))},))) == ""


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PASTED = sorted(path for path in EXAMPLES.glob("**/*.py") if path.name != "render.py")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("away", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["beside", "above"])
@pytest.mark.parametrize("work", PASTED, ids=lambda path: path.stem)
def test_lines_run_in_a_fresh_interpreter_where_the_command_was_given(
    work: Path, tmp_path: Path, *, away: bool
) -> None:
    import json
    import shutil

    folder = tmp_path / "my class" if away else tmp_path
    folder.mkdir(exist_ok=True)
    shutil.copy(work, folder)
    assignment = "attention-mechanics" if work.stem == "mechanics" else "attention-numpy"
    path = (folder / work.name).relative_to(tmp_path)
    start = [sys.executable, "-c", "from grader.cli import script; script()"]
    ran = subprocess.run([*start, "check", str(path), "-a", assignment, "--format", "json"],
                         cwd=tmp_path, check=False, capture_output=True, text=True)  # fmt: skip
    found = [check["counterexample"] for check in json.loads(ran.stdout)["checks"] if check["counterexample"]]
    snippets = dict.fromkeys((one["snippet"], one["got"]) for one in found if one["snippet"])
    assert ran.returncode in {0, 1}
    for text, got in snippets:
        again = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, check=False, capture_output=True, text=True)
        raised = re.fullmatch(r"raises (\w+)", got)
        assert (raised[1] in again.stderr) if raised else again.returncode == 0, again.stderr


@pytest.mark.parametrize(("lines", "folder", "there"), [
    ("from a import f\nprint(f())", "hw", "import sys\nsys.path.insert(0, 'hw')\nfrom a import f\nprint(f())"),
    ("import numpy as np\nfrom a import f", "x/y",
     "import sys\nimport numpy as np\nsys.path.insert(0, 'x/y')\nfrom a import f"),
    ("from a import f", ".", "from a import f"),
    ("", "hw", ""),
    ("x = 1\nprint(f(x))", "hw", "x = 1\nprint(f(x))"),
])  # fmt: skip
def test_the_folder_of_the_work_is_named_where_it_is_another(lines: str, folder: str, there: str) -> None:
    assert from_folder(lines, Path(folder)) == there


def test_a_file_whose_name_cannot_be_imported_is_run_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "my hw").mkdir()
    lines = "import runpy\nf = runpy.run_path('1 a.py')['f']\nprint(f())"
    assert f"run_path({str(tmp_path / 'my hw' / '1 a.py')!r})" in from_folder(lines, tmp_path / "my hw")
