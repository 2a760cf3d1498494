"""Made-up reports: what a renderer meets, in small."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from grader.model.assignment import Assignment, Audience, Criterion, Interface, Rubric, RubricCheck
from grader.model.outcome import (
    By,
    Counterexample,
    Diagnosis,
    Grid,
    Location,
    Outcome,
    Picture,
    Raised,
    Reason,
    Tells,
    Verdict,
)
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Isolation
from grader.score import score

CODE = """import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    scores = Q @ K.T
    weights = softmax(scores)
    return weights @ V, weights


def causal_mask(n):
    return np.tril(np.ones((n, n + 1)))[n]
"""

NO_SCALE = Diagnosis(
    ("sdpa-no-scale",),
    "The scores are not divided by sqrt(d_k).",
    by=By.ANSWERS,
    hints={
        "nudge": "How large do dot products become when vectors get longer?",
        "hint": "Compare your scores with equation 1: what stands under the fraction bar?",
        "explanation": "A dot product of two d_k-dimensional vectors with unit variance has variance d_k, so without "
        "the division the softmax becomes nearly one-hot and its gradient vanishes.",
    },
    reread="section 3.2.1, equation 1",
)

EXAMPLE = Counterexample(
    inputs={"Q": "np.array([[1., 1., 1., 1.]])", "K": "np.array([[1., 1., 1., 1.], [0., 0., 0., 0.]])",
            "V": "np.array([[1.], [0.]])"},
    expected=StudentText("([[0.8808]], [[0.8808, 0.1192]])"),
    got=StudentText("([[0.982]], [[0.982, 0.018]])"),
    max_error=0.101217,
    where="output[0, 0]",
    snippet="import numpy as np\nfrom attention import self_attention\nQ = np.array([[1., 1., 1., 1.]])\n"
    "K = np.array([[1., 1., 1., 1.], [0., 0., 0., 0.]])\nV = np.array([[1.], [0.]])\nprint(self_attention(Q, K, V))",
    function="self_attention",
    why="two keys whose scores differ by 4 before scaling",
)  # fmt: skip


def criterion(name: str, title: str, points: str, checks: list[str], **fields: object) -> Criterion:
    built = tuple(RubricCheck(f"{name}.{check}") for check in checks)
    return Criterion(name, title, Decimal(points), built, **fields)  # type: ignore[arg-type]


RUBRIC = Rubric(
    "attention-demo",
    "attention-demo",
    "1",
    "Demo",
    (
        criterion("softmax", "Softmax over the last axis", "8", ["shape", "values", "shift"]),
        criterion("attention", "Attention output and weights", "12", ["values", "weights", "large", "keys"]),
        criterion("causal_mask", "Causal mask", "4", ["values", "shape"], requires=()),
    ),
    sha256="b" * 64,
)

ASSIGNMENT = Assignment(
    "attention-demo",
    "1",
    "Build your own attention",
    tuple(Interface(name, name) for name in ("softmax", "attention", "causal_mask")),
    sha256="a" * 64,
)


def outcome(check: str, title: str, verdict: Verdict = Verdict.PASSED, **fields: object) -> Outcome:
    asked = 6
    passed = asked if verdict is Verdict.PASSED else 2
    built = Outcome(check, check.partition(".")[0], title, verdict, passed, asked)
    return replace(built, **fields)  # type: ignore[arg-type]


SOFTMAX = [
    outcome("softmax.shape", "The result has the shape of x."),
    outcome("softmax.values", "exp(x) over its sum along the last axis."),
    outcome("softmax.shift", "Adding a number to every score changes nothing."),
]
MASK = [
    outcome("causal_mask.values", "True on and below the diagonal."),
    outcome("causal_mask.shape", "The mask is (n, n)."),
]
KEYS = outcome("attention.keys", "Reordering the keys together with their values changes no output.")
ATTENTION = [
    outcome("attention.values", "softmax(QK^T / sqrt(d_k)) V and its weights are as in equation 1."),
    outcome("attention.weights", "The weights of each query are non-negative and sum to 1."),
    outcome("attention.large", "Large scores give finite, right values."),
    KEYS,
]


def report(outcomes: list[Outcome], rubric: Rubric = RUBRIC, **fields: object) -> Report:
    work = Submission(
        "s1", "attention.py", (CodeModule("attention", (CodeChunk(CODE, "attention.py"),)),), sha256="c" * 64
    )
    held = Isolation("auto", "strict", ("process", "seccomp"), ())
    built = Report(
        ASSIGNMENT, rubric, work, score(rubric, outcomes), held, 0, "0.1.0", {"python": "3.11.7", "numpy": "2.4.6"}
    )
    return replace(built, **fields)  # type: ignore[arg-type]


def all_right() -> Report:
    return report([*SOFTMAX, *ATTENTION, *MASK])


def no_scale() -> Report:
    """One idea wrong, two checks fail for it."""
    values = replace(
        ATTENTION[0], verdict=Verdict.FAILED, passed=3, message="differs by up to 0.1", diagnosis=NO_SCALE,
        tells=Tells.OFF,
        counterexample=EXAMPLE,
    )  # fmt: skip
    bigger = replace(EXAMPLE, inputs={**EXAMPLE.inputs, "Q": "np.array([[100., 100., 100., 100.]])"})
    large = replace(ATTENTION[2], verdict=Verdict.FAILED, passed=0, diagnosis=NO_SCALE, counterexample=bigger)
    return report([*SOFTMAX, values, ATTENTION[1], large, KEYS, *MASK])


def exception() -> Report:
    said = "IndexError: index 3 is out of bounds for axis 0 with size 3 (in attention.py, line 16)"
    found = [
        replace(
            item, verdict=Verdict.ERROR, passed=0, message=StudentText(said),
            tells=Tells.NAMED, location=Location("attention.py", 16),
            counterexample=Counterexample(
                {"n": "3"}, "[[True, False, False], …]", "(IndexError)", why="three positions",
                snippet="from attention import causal_mask\nprint(causal_mask(3))",
            ),
        )
        for item in MASK
    ]  # fmt: skip
    return report([*SOFTMAX, *ATTENTION, *found])


def of_every_kind() -> Report:
    """Missing, timeout, skipped, undetermined and fault at once."""
    rubric = replace(
        RUBRIC,
        criteria=(
            RUBRIC.criteria[0],
            replace(RUBRIC.criteria[1], requires=("softmax",)),
            RUBRIC.criteria[2],
            criterion("positional", "Positional encoding", "6", ["table", "odd"]),
            criterion("extra", "Extra", "2", ["x"], bonus=True),
        ),
    )
    lost = [
        replace(item, verdict=Verdict.MISSING, passed=0,
                message=StudentText("softmax is not defined (found `soft_max`: is that it?)"), tells=Tells.NAMED)
        for item in SOFTMAX
    ]  # fmt: skip
    slow = outcome("positional.table", "The table is as in section 3.5.", Verdict.TIMEOUT,
                   message="did not come back within 5 s", tells=Tells.DID)  # fmt: skip
    odd = outcome("positional.odd", "An odd d_model has one sine more.", Verdict.UNDETERMINED,
                  message="the layout of the columns could not be read")  # fmt: skip
    fault = replace(MASK[1], verdict=Verdict.FAULT, message="the grader itself failed here",
                    staff_note="Traceback: ZeroDivisionError")  # fmt: skip
    return report([*lost, *ATTENTION, MASK[0], fault, slow, odd, outcome("extra.x", "Something more.")], rubric,
                  notes=("A byte-order mark was removed",))  # fmt: skip


def starter() -> Report:
    """Softmax is wrong, attention is not written, the mask is not defined."""
    wrong = replace(SOFTMAX[1], verdict=Verdict.FAILED, passed=2, message="differs by up to 0.1", tells=Tells.OFF)
    said = "NotImplementedError (in attention.py, line 10: scores = Q @ K.T): this part is not written yet"
    example = replace(EXAMPLE, got=StudentText("raises NotImplementedError"))
    place = Location("attention.py", 10)
    unwritten = [
        replace(
            item,
            verdict=Verdict.ERROR,
            passed=0,
            message=StudentText(said),
            tells=Tells.NAMED,
            location=place,
            counterexample=example,
            reason=Reason.UNWRITTEN,
        )
        for item in ATTENTION[:3]
    ]
    idle = replace(KEYS, verdict=Verdict.SKIPPED, passed=0, message="too little of it is right")
    gone = [
        replace(
            item,
            verdict=Verdict.MISSING,
            passed=0,
            message="causal_mask is not defined",
            tells=Tells.NAMED,
            reason=Reason.UNDEFINED,
        )
        for item in MASK
    ]
    return report([SOFTMAX[0], wrong, SOFTMAX[2], *unwritten, idle, *gone])


def untouched() -> Report:
    """Nothing is written yet."""
    made = starter()
    said = StudentText("NotImplementedError (in attention.py, line 5): this part is not written yet")
    found = [
        replace(
            item,
            verdict=Verdict.ERROR,
            passed=0,
            message=said,
            tells=Tells.NAMED,
            location=Location("attention.py", 5),
            reason=Reason.UNWRITTEN,
        )
        for item in SOFTMAX
    ]
    return report([*found, *made.marks[1].outcomes, *made.marks[2].outcomes])


HOSTILE = (
    "\x1b[31m</script><b>]]>```\n::error::gotcha\n[red]x[/red] @everyone www.evil.com http://evil.com | \u202e\ud800%0A"
)


def hostile() -> Report:
    """Every text a student could have chosen, chosen badly."""
    text = StudentText(HOSTILE)
    diagnosis = replace(NO_SCALE, title=text)
    example = Counterexample({"Q": text}, text, text, 1.0, "[0]", snippet=text, why=text)
    found = replace(
        ATTENTION[0], verdict=Verdict.ERROR, message=text,
        tells=Tells.NAMED, location=Location(text, 3), counterexample=example,
        diagnosis=diagnosis, notes=(text,),
    )  # fmt: skip
    placed = replace(ATTENTION[1], verdict=Verdict.FAILED, message="differs", location=found.location)
    work = Submission("s1", HOSTILE, submitter=HOSTILE)
    return report([*SOFTMAX, found, placed, *ATTENTION[2:], *MASK], submission=work, notes=(HOSTILE,))


def with_hidden() -> Report:
    """A staff check inside a criterion, a staff criterion, and a failure on a secret case."""
    softmax, attention, mask = RUBRIC.criteria
    checks = (*softmax.checks[:2], replace(softmax.checks[2], audience=Audience.STAFF))
    rubric = replace(RUBRIC, criteria=(
        replace(softmax, checks=checks), attention, replace(mask, audience=Audience.STAFF),
    ))  # fmt: skip
    hidden = replace(
        ATTENTION[0], verdict=Verdict.ERROR, message=StudentText("ValueError: SECRET-7"),
        raised=Raised("ValueError", "SECRET-7"), duration_s=1.5,
        counterexample=replace(EXAMPLE, hidden=True, got=StudentText("SECRET-8")), staff_note="SECRET-9",
    )  # fmt: skip
    staff = replace(SOFTMAX[2], verdict=Verdict.FAILED, message="SECRET-10", duration_s=2.5)
    return report([*SOFTMAX[:2], staff, hidden, *ATTENTION[1:], *MASK], rubric, seed=4711)


def unreadable() -> Report:
    return report([], marks=(), unreadable="attention.ipynb is not a notebook: expected JSON, found HTML")


def with_picture(picture: Picture) -> Report:
    """Two checks that fail for reasons of their own, with examples of one picture."""
    example = replace(EXAMPLE, picture=picture)
    wrong = [
        replace(item, verdict=Verdict.FAILED, passed=0, message="differs", tells=Tells.OFF, counterexample=example)
        for item in ATTENTION[:2]
    ]
    return report([*SOFTMAX, *wrong, *ATTENTION[2:], *MASK])


def many_findings(count: int) -> Report:
    """As many checks that fail, each for a reason of its own and with a picture of its own."""
    cells = tuple(tuple(round((i * j) % 7 / 7, 4) for j in range(12)) for i in range(12))
    names = [f"c{number}" for number in range(count)]
    made = [
        outcome(
            f"attention.{name}", f"Property {number} holds.", Verdict.FAILED, passed=0, message="differs",
            tells=Tells.OFF,
            counterexample=replace(
                EXAMPLE, got=str(number), picture=Grid("table", cells, cells, ("rows", "columns"), (number, 0))
            ),
        )
        for number, name in enumerate(names)
    ]  # fmt: skip
    return report(made, replace(RUBRIC, criteria=(criterion("attention", "Attention", "60", names),)))
