"""`grader new --from`: what it prints, writes and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from courses import HEAD, MATRICES

from grader.catalog import load_assignment, load_rubric
from grader.cli import main
from grader.intake.loading import load
from grader.learning.running import quickly
from grader.sandbox.parent import Sandbox

ROOT = Path(__file__).resolve().parents[2]

BROKEN = HEAD + "def softmax(x):\n    return x\n\n\nsoftmax = np.no_such_decorator(softmax)\n"
LARGE = (
    HEAD
    + """class FeedForward:
    def __init__(self):
        self.inner, self.outer = np.zeros((1024, 1024)), np.zeros((1024, 1024))

    def forward(self, x):
        return np.maximum(x @ self.inner, 0) @ self.outer
"""
)
OF_VECTORS = """import torch.nn as nn


class Transformer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.inner = nn.Linear(d_model, d_model)

    def forward(self, src, tgt):
        return self.inner(tgt) + self.inner(src).mean()
"""


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(words)
    out, err = capfd.readouterr()
    return int(str(caught.value.code or 0)), out, err


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (None, (), "there is no such file or folder"),
        ("def softmax(x:\n", (), "s.py:1: is not Python"),
        (BROKEN, (), "does not load (AttributeError: module 'numpy' has no attribute 'no_such_decorator')"),
        ("def flatten(x):\n    return x\n", (), "(it defines flatten)"),
        ("from keras import Layer\n\n\nclass LayerNorm(Layer):\n    pass\n", (), "s.py is written for keras, and only"),
        (MATRICES, ("--components", "encoder_layer"), "nothing is called like encoder_layer (it defines softmax)"),
        (MATRICES, ("--components", "softmaxx"), "Did you mean 'softmax'?"),
        (MATRICES, ("--components", "softmax=sofmax"), "Did you mean 'softmax'?"),
        ("def softmax(x, y, z, w):\n    return x\n", (), "takes (x, y, z, w)"),
        ("import far\n\n\ndef softmax(x):\n    return 1 + far.softmax(x)\n", (), "Write it without that package"),
        (OF_VECTORS, (), "takes vectors and no ids"),
        (LARGE, (), "is made with 2,097,152 numbers, whatever it is given"),
    ],
)
def test_what_cannot_be_learned_says_why_and_leaves_nothing(
    code: str | None, words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: Any, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if code is not None:
        Path("s.py").write_text(code)
    before = sorted(tmp_path.rglob("*"))
    exit_code, _, err = run(capfd, "new", "hw", "--from", "s.py", *words)
    assert exit_code == 2
    assert told in err
    assert sorted(tmp_path.rglob("*")) == before


def test_the_draft_of_what_is_not_asked_for_counts_without_its_marks(
    tmp_path: Path, monkeypatch: Any, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + LARGE.removeprefix(HEAD).replace("1024, 1024", "30, 44"))
    run(capfd, "new", "hw", "--from", "s.py")
    listed = [line for line in Path("hw/rubric.yaml").read_text().splitlines() if line.startswith("#")]
    assert any(line.startswith("# softmax.*: ") for line in listed)
    assert max(map(len, listed)) <= 120
    for name in ("assignment.yaml", "rubric.yaml"):
        text = Path("hw", name).read_text()
        kept = [line for line in text.splitlines() if not line.startswith(("# ", "  # ? "))]
        Path("hw", name).write_text(
            "\n".join(f"  {line.removeprefix('  # ')}" if line.startswith("  # ") else line for line in kept)
        )
    assert [one.component for one in load_assignment("hw").interfaces] == ["softmax", "feed_forward"]
    assert len(load_rubric(Path("hw/rubric.yaml"), load_assignment("hw")).criteria) == 2


def test_what_does_not_run_here_is_said_and_the_rest_is_learned(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + "\n\ntext = open('corpus.txt').read()\nprint(softmax(text))\n")
    exit_code, out, _ = run(capfd, "new", "hw", "--from", "s.py")
    assert exit_code == 0
    assert "! s.py:9 does not run here (FileNotFoundError" in out.splitlines()[0]
    assert "hw: 1 part learned." in out


def test_what_takes_long_and_makes_nothing_that_a_part_needs_is_run_once(tmp_path: Path, sandbox: Sandbox) -> None:
    late = "\n\ndef slowly(value, seconds):\n    time.sleep(seconds)\n    return value\n\n\nONE = slowly(1.0, 0.01)\n"
    late += "\n\ndef count():\n    global N\n    N = 3\n\n\ndef begin():\n    count()\n\n\nbegin()\n"
    show = "shown = slowly(softmax(np.ones((2, 2))), 0.8)\nprint(shown)\n"
    (tmp_path / "s.py").write_text("import time\n" + MATRICES.replace("np.exp(", "ONE * np.exp(") + late + show)
    with sandbox.session() as session:
        run, told = quickly(load(tmp_path / "s.py"), session)
    lines = run.modules[0].source.splitlines()
    assert told == ()
    assert {"ONE = slowly(1.0, 0.01)", "begin()"} <= {*lines}
    assert lines[-2:] == ["pass", "pass"]


def test_a_name_that_two_files_define_is_told(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("both").mkdir()
    Path("both/one.py").write_text(MATRICES)
    Path("both/two.py").write_text(MATRICES.replace("x.max(1)", "x.max(-1)"))
    exit_code, _, err = run(capfd, "new", "hw", "--from", "both")
    assert exit_code == 2
    assert "softmax is defined in" in err
    assert not Path("hw").exists()


def test_a_folder_that_is_there_is_left(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    Path("hw").mkdir()
    exit_code, _, err = run(capfd, "new", "hw", "--from", "s.py")
    assert (exit_code, err.startswith("grader: hw: is there already")) == (2, True)
    assert not list(Path("hw").iterdir())


def test_from_solution_to_validated_assignment(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    exit_code, out, err = run(capfd, "new", "hw", "--from", "s.py")
    assert err.splitlines()[0] == "1 of 1: softmax (softmax)"
    assert (exit_code, out.splitlines()[-1]) == (
        0,
        "Read hw/assignment.yaml, then: grader assignment validate hw --against s.py",
    )
    exit_code, out, _ = run(capfd, "assignment", "validate", "hw", "--against", "s.py")
    assert (exit_code, out.splitlines()[-1]) == (0, "s.py: right, 10 of 10 points")
    declared = Path("hw/assignment.yaml").read_text() + "  causal_mask:\n    callable: later\n"
    Path("hw/assignment.yaml").write_text(declared)
    Path("wrong.py").write_text(MATRICES.replace("np.exp(x - x.max(1)[:, None])", "np.exp(x)"))
    exit_code, out, _ = run(capfd, "assignment", "validate", "hw", "--against", "wrong.py")
    assert exit_code == 1
    assert out.splitlines()[-1].startswith("! The rubric gives no points for causal_mask: ")
    assert "softmax-overflow" in out or "not right under this assignment" in out


def test_what_returns_several_values_and_cannot_be_called_is_drafted(
    tmp_path: Path, monkeypatch: Any, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = """
def multi_head_attention(q, k, v, Wq, Wk, Wv, Wo, mask, h):
    batch, length, width = q.shape
    return absent(q, Wq), mask
"""
    Path("s.py").write_text(MATRICES + pair)
    assert run(capfd, "new", "hw", "--from", "s.py")[0] == 0
    assert "#   returns: [output, _]" in Path("hw/assignment.yaml").read_text()


@pytest.mark.slow
def test_a_notebook_gives_a_notebook(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    import json

    monkeypatch.chdir(tmp_path)
    text = MATRICES.replace("softmax(x)", "softmax(width, x)")  # told more than its array: by lines of an adapter
    cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}]
    Path("s.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert run(capfd, "new", "hw", "--from", "s.ipynb")[0] == 0
    assert Path("hw/starter/s.ipynb").is_file()
    assert "file: s.ipynb\n" in Path("hw/assignment.yaml").read_text()
    assert "in `s.ipynb`; the starter" in Path("hw/handout.md").read_text()
    assert "class softmax:" in Path("hw/adapter.py").read_text()
    assert run(capfd, "assignment", "validate", "hw", "--against", "s.ipynb")[0] == 0
    assert run(capfd, "assignment", "handout", "hw")[1].endswith("grader check s.ipynb -a hw\n```\n")


@pytest.mark.slow
def test_what_hangs_is_not_learned(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + "\n\ndef attention(Q, K, V):\n    import os\n    os._exit(3)\n")
    assert run(capfd, "new", "hw", "--from", "s.py")[0] == 0
    text = Path("hw/assignment.yaml").read_text()
    assert "# ? scaled_dot_product_attention: attention takes (Q, K, V), and could not be called" in text


@pytest.mark.slow
def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    page = (ROOT / "docs/instructor.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    solution = (ROOT / "examples/course/solution.py").read_text(encoding="utf-8")
    Path("solution.py").write_text(solution, encoding="utf-8")
    shown = page.split("```text\n")[1].partition("```")[0]
    assert run(capfd, "new", "my-hw", "--from", "solution.py")[:2] == (0, shown)
    listed = page.split("```yaml\n")[1].partition("```")[0]
    assert set(listed.splitlines()) <= set(Path("my-hw/assignment.yaml").read_text(encoding="utf-8").splitlines())
    assert page.split("```python\n")[1].partition("```")[0] in solution
    assert run(capfd, "assignment", "validate", "my-hw", "--against", "solution.py")[0] == 1


def test_a_part_whose_name_says_nothing_is_named(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(f"{MATRICES.replace('softmax', 'turn')}\n\ndef softmax(x):\n    return x\n")
    assert run(capfd, "new", "hw", "--from", "s.py", "--components", "softmax=turn")[0] == 0
    (asked,) = load_assignment("hw").interfaces
    assert (asked.component, asked.callable) == ("softmax", "turn")


def test_the_heart_of_a_part_weighs_as_in_the_bundled_rubrics(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    run(capfd, "new", "hw", "--from", "s.py")
    rubric = load_rubric("hw/rubric.yaml", load_assignment("hw"))
    weights = {check.id: check.weight for criterion in rubric.criteria for check in criterion.checks}
    assert weights["softmax.matches_the_definition"] > weights["softmax.a_constant_changes_nothing"] == 1


OF_TWO_DICTS = """


def adam(params, grads, m, v, step):
    m["w"], v["w"] = 0.9 * m["w"] + 0.1 * grads["w"], 0.999 * v["w"] + 0.001 * grads["w"] ** 2
    return params["w"] - m["w"] / (np.sqrt(v["w"]) + 1e-8)
"""


def test_dicts_with_the_same_keys_are_a_question(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + OF_TWO_DICTS)
    assert run(capfd, "new", "hw", "--from", "s.py")[0] == 0
    assert "# ? adam: adam takes (params, grads, m, v, step)" in Path("hw/assignment.yaml").read_text()
