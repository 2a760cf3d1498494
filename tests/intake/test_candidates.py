from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.intake import ambiguous, entry_first
from grader.model import CodeChunk, CodeModule, Submission

DEF = "def softmax(x):\n    return x\n"


def submission(files: Mapping[str, str]) -> Submission:
    modules = tuple(CodeModule(name.partition(".")[0], (CodeChunk(code, name),)) for name, code in files.items())
    return Submission("hw", "hw", modules)


def test_two_files_that_define_a_required_name_are_ambiguous() -> None:
    found = ambiguous(submission({"a.py": DEF, "b.py": "softmax = lambda x: x"}), ["causal_mask", "softmax"])
    assert found == "softmax is defined in a.py and b.py. Hand in one of them, or name the file to be judged"
    assert "a.py and b.py and 1 more" in str(
        ambiguous(submission({"a.py": DEF, "b.py": DEF, "c.py": DEF}), ["softmax"])
    )


def test_a_notebook_is_named_without_its_cell() -> None:
    work = submission({"a.py": DEF})
    cell = CodeModule("work", (CodeChunk(DEF, "work.ipynb[cell 2]", 2, tolerate=True),))
    assert "a.py and work.ipynb." in str(ambiguous(replace(work, modules=(*work.modules, cell)), ["softmax"]))


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
