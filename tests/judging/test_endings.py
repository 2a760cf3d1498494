"""A call that brings nothing back is told with the limit that it met, or with how it ended."""

from __future__ import annotations

import pytest

from grader.judging.wording import ended, told
from grader.model.outcome import Location, Tells
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.plain import Failure, Limits

LIMITS = Limits(load_s=10.0, call_s=2.5, total_s=120.0, memory_bytes=512 << 20)


@pytest.mark.parametrize(
    ("status", "kind", "note", "said"),
    [
        ("timeout", "TimeLimit", "no answer within the time limit", "did not come back within 2.5 s"),
        (
            "timeout",
            "ProcessorTime",
            "used 60 s of processor time",
            "used 60 s of processor time, more than is allowed",
        ),
        (
            "timeout",
            "TotalTime",
            "the 120 s for all were used up",
            "was not run: the 120 s for everything were used up",
        ),
        (
            "timeout",
            "NotAsked",
            "not asked: two others of its group ran out of time",
            "was not run: two calls of this part did not come back",
        ),
        ("memory", "MemoryLimit", "killed by the system", "needed more memory than the 512 MiB allowed"),
        (
            "crashed",
            "Exit",
            "exit status 3",
            "ended the process instead of returning (exit status 3)",
        ),
        (
            "crashed",
            "Signal",
            "SIGSEGV",
            "ended the process instead of returning (SIGSEGV)",
        ),
        ("protocol", "Protocol", "anything", "disturbed the grading protocol"),
    ],
)
def test_a_call_without_an_answer_names_its_limit(status: str, kind: str, note: str, said: str) -> None:
    assert ended(status, Failure(kind, note), LIMITS) == said


def test_a_file_that_does_not_load_names_its_limit_and_the_usual_reason() -> None:
    work = Submission("w", "w.py", (CodeModule("w", ()),))
    said, *_ = told("timeout", Failure("TimeLimit", "no answer within the time limit"), work, LIMITS, loading=True)
    assert said.startswith("running the file from top to bottom did not end within 10 s: a loop without an end")
    assert "__main__" in said
    assert ended("memory", None, Limits(), loading=True).startswith(
        "running the file from top to bottom needed more memory than the 2 GiB allowed"
    )


def test_memory_that_ran_out_on_a_known_line_is_told_with_the_line_and_the_limit() -> None:
    code = "import numpy as np\nx = np.ones(10**12)\n"
    work = Submission("w", "w.py", (CodeModule("w", (CodeChunk(code, "w.py"),)),))
    failure = Failure("MemoryError", "Unable to allocate 7.28 TiB", (("w.py", 2, "<module>"),))
    text, place, _ = told("memory", failure, work, LIMITS, loading=True)
    assert text == (
        "MemoryError: Unable to allocate 7.28 TiB (in w.py, line 2: x = np.ones(10**12)); 512 MiB are allowed"
    )
    assert place == Location("w.py", 2)


def test_a_value_that_cannot_be_sent_is_no_exception_of_the_students() -> None:
    failure = Failure(
        "Unsendable", "returned a dict_keys, which is neither a number, text, list, tuple, dict nor array"
    )
    text, _, tells = told("error", failure, Submission("w", "w.py"), LIMITS)
    assert (text, tells) == (failure.message, Tells.DID)
