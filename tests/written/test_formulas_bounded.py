"""Hostile formulas take a bounded amount of work, counted and not timed; what is not looked at goes to a person."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from grader.written import paper as papers
from grader.written.formula import KINDS, judge_formula
from grader.written.formula.equality import Side, value_of
from grader.written.formula.errors import MOST_WORK, Work
from grader.written.formula.tree import sym
from grader.written.formula.values import MAX_STEPS, Scope
from grader.written.formula.worlds import points
from grader.written.key import StatedKey
from grader.written.paper import Block, FormulasRead, Paper, TooMuchToReadError
from grader.written.stated import MOST_CHARACTERS, MOST_FORMULAS, TOO_MUCH, judge_stated

RIGHT = r"\mathrm{softmax}(QK^T/\sqrt{d_k})V"
WRONG = r"\mathrm{softmax}(QK^T/d_k)V"
SUMS = r"\sum_{j=1}^{64}\sum_{l=1}^{60} j l"
EVERY = (
    r"softmax(Q K^T / \sqrt{d_k}) V = Concat(head_1) W^O = \sin(pos) = \cos(pos) = max(0, x W_1)"
    r" + LN(x + y) \cdot min(warm) Var(x) E + "
)
COSTLY = [
    f"softmax(Q A^T/\\sqrt{{d_k}})B + {SUMS}",  # letters that may be any of the paper's
    f"max(0, x A + c)B + {SUMS}",
    rf"softmax(A B^T/\sqrt{{d_k}})V + \sum_{{j=1}}^{{64}} (Q K^T)(Q K^T)(Q K^T) V + {SUMS}",
    "\n".join(f"Q_{{{at}}} = {SUMS}" for at in range(60)) + "\n" + RIGHT,
    "\n".join(f"mu = {SUMS} x" for _ in range(60)) + r"\nLayerNorm(x + Sublayer(x))",
    " = ".join(f"\\sin(pos/10000^{{2i/d}}) + \\cos(pos/10000) + {at}" for at in range(40)),
    "Var(q \\cdot k) = " + " = ".join(rf"\sum_{{i=1}}^{{64}} \sum_{{j=1}}^{{40}} {at} i j" for at in range(60)),
]
HOSTILE = {
    "letters of any meaning": [f"{COSTLY[0]} + {at}" for at in range(200)],
    "every sign": [EVERY + str(at) for at in range(200)],
    "every sign, too long to read": [EVERY * 20 + str(at) for at in range(200)],
    "rows": [r" \\ ".join(f"{EVERY}{at}{row}" for row in range(25)) for at in range(200)],
    "chains": [" = ".join(rf"\sin(pos/10000^{{2i/d}}) + {row}{at}" for row in range(40)) for at in range(200)],
    "one sign": [rf"\cos(pos) {at}" for at in range(5000)],
    "nonsense": [f"softmax = head_{at} sin / max LN min Var ( ^ {at}" for at in range(200)],
}


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    papers._judged.cache_clear()
    yield
    papers._judged.cache_clear()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many steps of values were really taken."""
    taken = [0]
    tick = Scope.tick

    def counted(scope: Scope) -> None:
        taken[0] += 1
        tick(scope)

    monkeypatch.setattr(Scope, "tick", counted)
    return taken


def paper(formulas: list[str]) -> Paper:
    return Paper(None, {"report.tex": tuple(Block("formula", formula) for formula in formulas)})


def verdicts(report: Paper) -> dict[str, Verdict]:
    return {kind: judge_stated(StatedKey(id=kind, title=kind, kind="stated", formula=kind), report)[0].verdict
            for kind in KINDS}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("source", COSTLY, ids=range(len(COSTLY)))
@pytest.mark.parametrize("kind", KINDS)
def test_no_formula_takes_more_than_its_bound_and_the_count_is_honest(kind: str, source: str, steps: list[int]) -> None:
    found = judge_formula(kind, source)
    keys = found.work  # the key's own steps are counted with each evaluation
    assert steps[0] <= MOST_WORK + MAX_STEPS + keys
    assert found.work <= MOST_WORK + max(MAX_STEPS, 5 * len(source)) + 100
    assert found.verdict == "review" or source.startswith(r"\sin")


def test_a_formula_of_too_much_work_is_never_called_different() -> None:
    found = judge_formula("attention", COSTLY[0])
    assert (found.verdict, found.slip) == ("review", None)
    assert found.reason == "It takes too many steps to judge; a person should look."
    assert found.work > MOST_WORK


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_report_takes_a_bounded_amount_of_work(name: str, steps: list[int]) -> None:
    report = paper(HOSTILE[name])
    found = verdicts(report)
    most = papers.MOST_WORK + MOST_WORK + MAX_STEPS + 5 * 4000
    assert report.read.work <= most
    assert steps[0] <= 2 * most
    assert Verdict.FAILED not in found.values()


@pytest.mark.slow
def test_what_is_beyond_the_bound_goes_to_a_person_and_says_so() -> None:
    report = paper([WRONG, *HOSTILE["letters of any meaning"], RIGHT])
    found, passage = judge_stated(StatedKey(id="a", title="A", kind="stated", formula="attention"), report)
    assert (found.verdict, found.message) == (Verdict.UNDETERMINED, TOO_MUCH)
    assert WRONG in passage


@pytest.mark.parametrize(
    "more",
    [[f"a = {at}" for at in range(MOST_FORMULAS)], ["a = " + "b + " * 900 + str(at) for at in range(30)]],
    ids=["many", "long"],
)
def test_a_right_formula_behind_more_than_is_looked_at_is_not_wrong(more: list[str]) -> None:
    assert sum(map(len, more)) > MOST_CHARACTERS or len(more) >= MOST_FORMULAS
    assert verdicts(paper([RIGHT, *more]))["attention"] is Verdict.PASSED
    assert verdicts(paper([WRONG, *more, RIGHT]))["attention"] is Verdict.UNDETERMINED
    assert verdicts(paper([WRONG, *more[:20]]))["attention"] is Verdict.FAILED


def test_a_long_derivation_is_looked_at_whole() -> None:
    steps = [
        r"s=\mathrm{softmax}(z)",
        r"s_i=\frac{e^{z_i}}{\sum_j e^{z_j}}",
        r"\frac{\partial s_i}{\partial z_j}=s_i(\delta_{ij}-s_j)",
        r"\mathrm{softmax}(z+c)=\mathrm{softmax}(z)",
        "S=QK^T",
        r"A=\mathrm{softmax}(S)",
        r"S=\frac{QK^T}{\sqrt{d_k}}+M",
        r"P=\mathrm{softmax}(S)",
        r"\mathrm{Var}(q\cdot k)=d_k",
        "Q=XW^Q",
        "K=XW^K",
    ]
    report = paper([*steps, WRONG])
    assert verdicts(report)["attention"] is Verdict.FAILED
    assert verdicts(paper([*steps, RIGHT]))["attention"] is Verdict.PASSED
    assert report.read.work < papers.MOST_WORK / 2


@pytest.mark.slow
def test_the_verdicts_of_a_report_are_the_same_whatever_was_judged_before() -> None:
    formulas = [*HOSTILE["every sign"], RIGHT, *HOSTILE["nonsense"]]
    alone = paper(formulas)
    first = verdicts(alone)
    later = paper(formulas)  # now everything is known
    assert verdicts(later) == first
    assert later.read.work == alone.read.work


def test_a_formula_that_was_judged_costs_nothing_again() -> None:
    read = FormulasRead()
    read.judge("attention", RIGHT)
    read.work = once = read.work + papers.MOST_WORK
    assert read.judge("attention", RIGHT).verdict == "equal"
    assert read.work == once
    with pytest.raises(TooMuchToReadError):
        read.judge("attention", WRONG)


def test_work_is_counted_over_all_readings_of_a_formula() -> None:
    work = Work()
    for _ in range(3):
        value_of(Side(sym("Q"), {}, work=work), points("attention")[0][0])
    assert work.done == 3 * (1 + 10)


def graded(text: str) -> dict[str, Outcome]:
    loaded = load_assignment("rederive-report")
    settings = Settings(loaded, load_rubric(rubric_beside("rederive-report"), loaded), components=("formulas",))
    report = grade(Submission("work", "work", documents=(Document("report.tex", text.encode()),)), settings)
    return {outcome.check: outcome for mark in report.marks for outcome in mark.outcomes
            if outcome.component == "formulas"}  # fmt: skip


@pytest.mark.slow
def test_a_hostile_file_waits_for_a_person_in_every_question() -> None:
    rows = "\n".join(f"\\[{formula}\\]" for formula in HOSTILE["every sign"])
    found = graded(f"\\begin{{document}}{rows}\\end{{document}}")
    assert {outcome.verdict for outcome in found.values()} == {Verdict.UNDETERMINED}
    assert found["formulas.attention"].message == TOO_MUCH
