from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from grader.intake.candidates import ambiguous, entry_first, passed_over
from grader.model.submission import CodeChunk, CodeModule, Submission

DEF = "def softmax(x):\n    return x\n"


def submission(files: Mapping[str, str]) -> Submission:
    modules = tuple(CodeModule(name.partition(".")[0], (CodeChunk(code, name),)) for name, code in files.items())
    return Submission("hw", "hw", modules)


OTHER = DEF.replace("return", "return 2 *")


def test_two_files_that_define_a_required_name_differently_are_ambiguous() -> None:
    found = ambiguous(submission({"a.py": DEF, "b.py": "softmax = lambda x: x"}), ["causal_mask", "softmax"])
    assert found == "softmax is defined in a.py and b.py"
    files = {"a.py": DEF, "b.py": OTHER, "c.py": DEF + "# again\n"}
    assert "a.py and b.py and 1 more" in str(ambiguous(submission(files), ["softmax"]))


def test_two_files_with_one_text_are_one() -> None:
    assert ambiguous(submission({"a.py": DEF, "b.py": f"# a copy\n{DEF}\ndef more(): pass\n"}), ["softmax"]) is None


def test_one_text_that_uses_another_helper_is_another() -> None:
    helped = "def softmax(x):\n    return helper(x)\n"
    files = {"a.py": f"{helped}def helper(x): return x\n", "b.py": f"{helped}def helper(x): return -x\n"}
    assert ambiguous(submission(files), ["softmax"])


@pytest.mark.parametrize("other", ["attention_old.py", "copy of attention.py", "scratch.ipynb", "old/attention.py"])
def test_the_file_that_the_hand_out_names_is_judged_and_the_other_is_told(other: str) -> None:
    work = submission({"attention.py": DEF, other: OTHER})
    assert ambiguous(work, ["softmax"], "attention.py") is None
    assert entry_first(work, ["softmax"], "Attention.py").modules[0].chunks[0].filename == "attention.py"
    assert passed_over(work, ["softmax"], "attention.py") == (
        f"{other} defines softmax too; attention.py is judged, as the hand-out names it.",
    )


def test_capitals_tell_two_files_apart_and_a_notebook_may_have_the_name() -> None:
    for files, judged in (
        ({"Attention.py": OTHER, "attention.py": DEF}, "attention.py"),
        ({"Attention.py": OTHER, "a.py": DEF}, "Attention.py"),
        ({"attention.ipynb": OTHER, "Untitled.ipynb": DEF}, "attention.ipynb"),
        ({"attention.ipynb": OTHER, "old/attention.py": DEF}, "old/attention.py"),
    ):
        work = submission(files)
        assert ambiguous(work, ["softmax"], "attention.py") is None
        assert entry_first(work, ["softmax"], "attention.py").modules[0].chunks[0].filename == judged


def test_of_two_files_of_the_name_that_lie_equally_deep_none_is_picked() -> None:
    work = submission({"Version 1/attention.py": DEF, "Version 2/attention.py": OTHER})
    assert ambiguous(work, ["softmax"], "attention.py")
    assert ambiguous(submission({"a/attention.py": DEF, "b/attention.py": DEF}), ["softmax"], "attention.py") is None


def test_a_name_that_the_named_file_neither_has_nor_imports_stays_ambiguous() -> None:
    work = submission({"attention.py": "def attend(): pass\n", "a.py": DEF, "b.py": OTHER})
    assert ambiguous(work, ["attend", "softmax"], "attention.py")
    imports = submission({"attention.py": "from a import softmax\n", "a.py": DEF, "b.py": OTHER})
    assert ambiguous(imports, ["softmax"], "attention.py") is None
    assert entry_first(imports, ["softmax"], "attention.py").modules[0].name == "attention"


def test_a_notebook_is_named_without_its_cell() -> None:
    work = submission({"a.py": DEF})
    cell = CodeModule("work", (CodeChunk(OTHER, "work.ipynb[cell 2]", 2, tolerate=True),))
    both = replace(work, modules=(*work.modules, cell))
    assert ambiguous(both, ["softmax"]) == "softmax is defined in a.py and work.ipynb"


def test_imports_second_names_and_names_not_required_are_not_ambiguous() -> None:
    others = {
        "b.py": "from a import softmax",
        "c.py": "import a\nsoftmax = a.softmax",
        "d.py": "def helper(): pass",
        "e.py": "def f(:",
    }
    assert ambiguous(submission({"a.py": DEF + "def helper(): pass", **others}), ["softmax"]) is None
    assert ambiguous(submission({"a.py": DEF + DEF}), ["softmax"]) is None


def test_definitions_inside_if_and_try_count() -> None:
    assert ambiguous(
        submission({"a.py": "if 1:\n    def softmax(x): pass", "b.py": "try:\n    x\nexcept E:\n    softmax = f()"}),
        ["softmax"],
    )


def test_the_module_with_most_required_names_goes_first() -> None:
    work = submission({"plot.py": "x = 1", "a.py": DEF, "b.py": "def causal_mask(n): pass\ndef padding_mask(n): pass"})
    required = ["softmax", "causal_mask", "padding_mask"]
    assert [module.name for module in entry_first(work, required).modules] == ["b", "plot", "a"]
    assert entry_first(work, ["nothing"]) == work


LAYER = "from {} import softmax\n\n\ndef layer(x):\n    return softmax(x)\n"


@pytest.mark.parametrize("required", [["layer", "softmax"], ["softmax"]])
@pytest.mark.parametrize("taken", ["fast", "slow"])
def test_of_two_files_the_one_counts_of_which_the_rest_is_made(taken: str, required: list[str]) -> None:
    work = submission({"fast.py": DEF, "layer.py": LAYER.format(f"parts.{taken}"), "slow.py": OTHER})
    assert ambiguous(work, required) is None
    files = [module.chunks[0].file for module in entry_first(work, required).modules]
    other = {"fast": "slow", "slow": "fast"}[taken]
    assert files.index(f"{taken}.py") < files.index(f"{other}.py")
    assert passed_over(work, required, "") == (
        f"{other}.py defines softmax too; {taken}.py is judged, which the rest imports.",
    )


@pytest.mark.parametrize("taken", ["fast", "slow"])
def test_what_a_package_hands_on_counts_as_imported(taken: str) -> None:
    hands_on = {"parts/__init__.py": f"from .{taken} import softmax", "parts/fast.py": DEF, "parts/slow.py": OTHER}
    assert ambiguous(submission({"layer.py": LAYER.format("parts"), **hands_on}), ["layer", "softmax"]) is None
    assert ambiguous(submission(hands_on), ["softmax"])


@pytest.mark.parametrize("user", [
    LAYER.format("fast") + "from slow import softmax\n",
    LAYER.format("fast").replace("import softmax", "import softmax as quick"),
    LAYER.format("fast").replace("def layer", "def test_layer"),
    LAYER.format("fast").replace("def layer(x)", "class TestLayer").replace("return softmax(x)", "right = softmax"),
])  # fmt: skip
def test_of_two_files_none_counts_where_the_rest_does_not_tell(user: str) -> None:
    assert ambiguous(submission({"fast.py": DEF, "layer.py": user, "slow.py": OTHER}), ["layer", "softmax"])
