from __future__ import annotations

import numpy as np
import pytest

import reference
from grader import components
from grader.auditing.rehearsal import rehearse
from grader.judging.grounds import without_ground
from grader.model.assignment import Interface
from grader.model.outcome import Diagnosis, Outcome, Verdict

MANNERS = {"repeats_itself"}


def outcome(name: str, verdict: Verdict, named: str = "") -> Outcome:
    found = Diagnosis((named,), named) if named else None
    return Outcome(f"layer_norm.{name}", "layer_norm", name, verdict, 0, 1, diagnosis=found, manner=name in MANNERS)


def test_good_manners_earn_nothing_where_the_values_are_wrong_and_unexplained():
    wrong = [outcome("normalises", Verdict.FAILED), outcome("uses_its_eps", Verdict.FAILED)]
    found = without_ground([*wrong, outcome("repeats_itself", Verdict.PASSED)])
    assert [one.verdict for one in found] == [Verdict.FAILED, Verdict.FAILED, Verdict.SKIPPED]


def test_good_manners_keep_their_points_beside_a_slip_that_has_a_name():
    found = without_ground([outcome("normalises", Verdict.FAILED, "ln-x"), outcome("repeats_itself", Verdict.PASSED)])
    assert found[1].verdict is Verdict.PASSED


def test_good_manners_keep_their_points_where_most_values_are_right():
    values = [outcome("a", Verdict.PASSED), outcome("b", Verdict.PASSED), outcome("c", Verdict.FAILED)]
    assert without_ground([*values, outcome("repeats_itself", Verdict.PASSED)])[3].verdict is Verdict.PASSED


HONEST = Outcome("integrity.keeps_no_state", "integrity", "keeps_no_state", Verdict.PASSED, 1, 1)


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.ERROR, Verdict.MISSING, Verdict.SKIPPED, Verdict.TIMEOUT])
def test_honesty_earns_nothing_where_nothing_else_is_right(verdict):
    found = without_ground([outcome("normalises", verdict), outcome("repeats_itself", Verdict.PASSED), HONEST])
    assert (found[2].verdict, found[2].passed) == (Verdict.SKIPPED, 0)
    assert "nothing else" in found[2].message


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.UNDETERMINED, Verdict.FAULT])
def test_honesty_keeps_its_points_where_something_is_right_or_waits(verdict):
    found = without_ground([outcome("normalises", verdict), outcome("uses_its_eps", Verdict.FAILED), HONEST])
    assert found[2] == HONEST


def test_honesty_asked_alone_keeps_its_points():
    assert without_ground([HONEST]) == (HONEST,)


IDLE = {
    "softmax": lambda x, axis=-1: np.zeros_like(x, dtype=float),
    "scaled_dot_product_attention": lambda Q, K, V, mask=None: (
        np.zeros((*Q.shape[:-1], V.shape[-1])),
        np.full((*Q.shape[:-1], K.shape[-2]), 1 / K.shape[-2]),
    ),
    "noam_lr": lambda step, d_model, warmup: 0.001,
    "token_embedding": lambda ids, table: np.zeros((*ids.shape, table.shape[-1])),
}


@pytest.mark.parametrize("name", sorted(IDLE))
def test_an_answer_that_depends_on_nothing_earns_nothing_unless_it_has_a_name(name):
    component = components.component(name, "function")
    returns = component.returns
    found = rehearse(component, {name: IDLE[name]}, Interface(name, name, returns=returns))
    named = any(one.diagnosis for one in found)
    assert named or all(one.verdict is not Verdict.PASSED for one in found)


@pytest.mark.parametrize("name", sorted(IDLE))
def test_the_oracle_is_never_called_idle(name):
    component = components.component(name, "function")
    found = rehearse(component, {name: getattr(reference, name)}, Interface(name, name, returns=component.returns))
    assert all(one.verdict is Verdict.PASSED for one in found)


def test_a_check_outside_the_rubric_gives_no_ground_and_takes_none():
    right, beside, manner = (
        outcome("normalises", Verdict.PASSED),
        outcome("uses_its_eps", Verdict.FAILED),
        outcome("repeats_itself", Verdict.PASSED),
    )
    asked = {right.check, manner.check}
    assert without_ground([right, beside, manner], asked)[2].verdict is Verdict.PASSED
    assert without_ground([right, beside, manner])[2].verdict is Verdict.SKIPPED


def test_a_value_that_the_hand_out_does_not_want_back_takes_nothing_away():
    interface = Interface(
        "scaled_dot_product_attention", "attend", parameters=("Q", "K", "V", "mask"), returns=("output",)
    )
    component = components.of(interface)

    def attend(Q, K, V, mask=None):
        return reference.scaled_dot_product_attention(Q * Q.shape[-1] ** 0.5, K, V, mask)[0]

    found = rehearse(component, {interface.callable: attend}, interface)
    assert any(one.diagnosis and one.diagnosis.ids == ("sdpa-no-scale",) for one in found)
    assert [one.check for one in found if one.message.startswith("counts nothing")] == []
