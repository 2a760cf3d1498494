from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader import source
from grader.component.calls import NoValue
from grader.exceptions import kind, meaning, meaning_of_line
from grader.intake.loading import load
from grader.judging.wording import failure_text, shown
from grader.model.outcome import Raised
from grader.sandbox.plain import Failure


def raised(action) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever numpy raises
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: np.ones((3, 5)) + np.ones((5, 3)), "shapes (3, 5) and (5, 3)"),
        (lambda: np.ones((2, 4)) @ np.ones((3, 4)), "inner sizes, and here they are 4 and 3"),
        (lambda: np.dot(np.ones((2, 4)), np.ones((3, 4))), "product of (2, 4) and (3, 4)"),
        (lambda: np.ones(24).reshape(2, 5), "24 numbers cannot fill the shape (2, 5)"),
        (lambda: np.ones(1).reshape(1, 2, 0), "1 number cannot fill the shape (1, 2, 0)"),
        (lambda: bool(np.ones(2)), "compare with `is not None`"),
        (lambda: np.ones(3).sum(axis=1), "axis 1 does not exist in an array of 1 axis:"),
        (lambda: np.ones(3)[5], "position 5 was asked of axis 0, which has 3 entries"),
        (lambda: np.ones(1)[5], "position 5 was asked of axis 0, which has 1 entry"),
        (lambda: (lambda a, b: a)(1), "did not give 'b'"),
        (lambda: np.divide(np.ones(2, int), 2, out=np.ones(2, int)), "keep float64 results in an array of int64"),
    ],
)
def test_an_exception_of_numpy_is_explained_with_its_own_shapes(action, words):
    assert words in meaning(raised(action))


@pytest.mark.torch
def test_an_exception_of_torch_is_explained_with_its_own_shapes():
    torch = pytest.importorskip("torch")
    assert "width 12 but its weight takes 20" in meaning(raised(lambda: torch.ones(5, 12) @ torch.ones(20, 3)))
    assert "one tensor has 1 entry there, the other 7" in meaning(
        "The size of tensor a (1) must match the size of tensor b (7) at non-singleton dimension 1"
    )
    assert "axis 1: one tensor has 5 entries there, the other 7" in meaning(
        raised(lambda: torch.ones(2, 5) + torch.ones(2, 7))
    )
    two = torch.ones(2, 2).double()
    assert "tensors of two types meet" in meaning(raised(lambda: torch.bmm(torch.ones(1, 2, 2), two[None])))
    assert "tensors of two types meet" in meaning(raised(lambda: torch.ones(2, 2) @ two))
    assert "use `reshape`" in meaning(raised(lambda: torch.ones(2, 3, 4).transpose(0, 1).view(6, 4)))


def test_an_unknown_message_is_left_alone():
    assert meaning("the cat sat on the mat") == ""


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("NotImplementedError: TODO", "not written yet"),
        ("NameError: name '____' is not defined", "not written yet"),
        ("SystemExit: 0", 'if __name__ == "__main__"'),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data.txt'", "no files"),
        ("OSError: [Errno 30] Read-only file system: 'out.txt'", "no files"),
        ("NobodyAnswers: input() cannot be answered here: nobody sits at the keyboard", "__main__"),
        ("PermissionError: [Errno 1] Operation not permitted", "out of reach"),
        ("SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?", "Python 2"),
        ("TabError: inconsistent use of tabs and spaces in indentation (work.py, line 4)", "tabs into spaces"),
        ("SyntaxError: invalid character '“' (U+201C) (work.py, line 2)", "straight ones"),
        ("SyntaxError: invalid non-printable character U+00A0 (work.py, line 2)", "cannot be seen"),
        ("TypeError: f() takes 1 positional argument but 3 were given", "takes 1 argument and"),
        ("TypeError: f() takes 2 positional arguments but 3 were given", "takes 2 arguments and"),
    ],
)
def test_what_a_file_may_not_do_is_said_with_the_cure(message, words):
    assert words in meaning(message)


@pytest.mark.parametrize(
    ("line", "unfinished"),
    [
        ("scores =  # YOUR CODE", True),
        ("scores =", True),
        ("return Q @", True),
        ("weights = softmax(____ / np.sqrt(d_k)", True),
        ("x = ??? + 1", True),
        ("if x = 3:", False),
        ("if x ==", False),
        ("def softmax(x)", False),
        ("print 'x'", False),
        ("", False),
    ],
)
def test_a_line_left_open_is_told_from_a_slip(line: str, unfinished: bool) -> None:
    assert bool(meaning_of_line("SyntaxError", "invalid syntax", line)) is unfinished
    assert not meaning_of_line("ValueError", "", line)


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", "=======", ">>>>>>> 1f2e softmax"])
def test_the_marks_of_a_merge_are_called_that(line: str) -> None:
    assert "a merge of git" in meaning_of_line("SyntaxError", "invalid syntax", line)
    assert "a merge of git" not in meaning_of_line("SyntaxError", "invalid syntax", f"x {line}")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Tensor on device cpu is not on the expected device meta!", "devices"),
        ("Expected all tensors to be on the same device, but found at least two devices, meta and cpu!", "devices"),
        ("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!", "gpu"),
        ("[Errno 28] No space left on device", ""),
        ("element 0 of tensors does not require grad and does not have a grad_fn", "no_gradient"),
        ("Output 0 of UnbindBackward0 is a view and is being modified inplace.", "in_place_gradient"),
        ("view size is not compatible with input tensor's size and stride", "contiguous"),
    ],
)
def test_what_a_library_says_has_a_name_that_is_compared(message, name):
    assert kind(message) == name


def test_what_refuses_its_arguments_or_lacks_a_name_is_told_by_its_name():
    missing = Raised("TypeError", "Layer.forward() missing 1 required positional argument: 'x'")
    assert missing.refusing == "Layer.forward"
    assert Raised("TypeError", "softmax() got an unexpected keyword argument 'axis'").refusing == "softmax"
    assert Raised("TypeError", "can only concatenate list (not 'int') to list").refusing == ""
    assert Raised("AttributeError", "'Decoder' object has no attribute 'norm'").lacking == "Decoder"
    assert Raised("NameError", "name 'nn' is not defined").undefined == "nn"


def test_a_text_of_the_students_own_is_not_taken_for_an_exception():
    assert shown(NoValue("ValueError")) == "raises ValueError"
    assert shown("(ValueError)") == "'(ValueError)'"


CODE = "def attend(Q, K):\n    wieghts = {}\n    return {}\n\n\ndef softmax(x):\n    return x\n"


@pytest.mark.parametrize(
    ("lines", "function", "line", "said"),
    [
        (("Q @ K", "weights"), "attend", 3, "name 'weights' is not defined ({}): did you mean `wieghts`?"),
        (("sofmax(Q)", "Q"), "attend", 2, "name 'sofmax' is not defined ({}): did you mean `softmax`?"),
        (
            ("np.exp(Q)", "Q"),
            "attend",
            2,
            "name 'np' is not defined ({}): numpy is not imported: write `import numpy as np`",
        ),
        (
            ("F.relu(Q)", "Q"),
            "attend",
            2,
            "name 'F' is not defined ({}): torch is not imported: write `import torch.nn.functional as F`",
        ),
        (("total", "Q"), "attend", 2, "name 'total' is not defined ({})"),
        (("input()", "Q"), "attend", 2, "input() is not answered ({}): a function works with its arguments alone"),
        (
            ("input()", "Q"),
            "<module>",
            2,
            'input() is not answered ({}): put what is not asked for under `if __name__ == "__main__":`',
        ),
    ],
)
def test_a_failure_says_which_name_was_meant_what_is_not_imported_and_what_fits_its_place(
    tmp_path: Path, lines: tuple[str, str], function: str, line: int, said: str
) -> None:
    (tmp_path / "work.py").write_text(CODE.format(*lines))
    submission = load(tmp_path / "work.py")
    kind = "NobodyAnswers" if "input" in said else "NameError"
    failure = Failure(kind, said.partition(" (")[0], (("work.py", line, function),))
    text = failure_text(failure, source.innermost(failure.frames, submission), submission)
    written = CODE.format(*lines).splitlines()[line - 1].strip()
    assert text.removeprefix(f"{kind}: ") == said.format(f"in work.py, line {line}: {written}")
