"""The check of equality with the paper, and what is judged where no reading of the module was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks.checks_state import moved_weights, positions_apart
from grader.blocks.pairs import about_padding, shown_by_masks
from grader.blocks.pictures import seen
from grader.blocks.programs import Making, Steps
from grader.blocks.returned import of_other_type, same
from grader.blocks.told_by_weights import sign_of, sign_of_form
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import By, Diagnosis, Outcome, Tells, Verdict
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array
from grader.properties import Comparison, alike

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def case_steps(subject: Subject, case: Case) -> Steps:
    """Build the module and call it: on the inputs, then with hidden and with shown keys changed."""
    more = [changed[0] for changed in (case.blocked, case.kept) if changed is not None]
    return (*subject.prepared(**case.changes), *(subject.making.call(inputs) for inputs in (case.inputs, *more)))


def asks_cases(keys: Sequence[str]) -> Callable[[Subject], Mapping[str, Steps]]:
    """Ask the cases of those keys, as far as there are such."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        return {f"case:{key}": case_steps(subject, subject.case(key)) for key in subject.keys(keys)}

    return ask


Owns = Callable[[str, Any], bool]


def equality(
    name: str,
    title: str,
    keys: Sequence[str],
    *,
    masks: bool = False,
    owns: Owns | None = None,
    padding: bool = False,
    unread: Callable[[Subject], Outcome] | None = None,
    needs: Callable[[Making], bool] = lambda _: True,
    manner: bool = False,
) -> Check:
    """The module gives what the paper gives, under the reading that was found.

    A mistake that another check pays for is left in what is expected: ``owns(knob, setting)`` says which this one pays
    for; by default those about masks where ``masks`` is set, and all others where it is not. Of a part that says so,
    the one check with ``padding`` pays for what is hidden unasked. What no check pays for that is asked, as a mask that
    is built in where none is passed, is paid for by the first.
    ``unread`` judges where no reading was found; ``needs`` is what the assignment must promise.
    """

    def mine(knob: str, setting: Any) -> bool:
        if owns is None:
            return shown_by_masks(knob, setting) == masks
        return padding if about_padding(knob) else owns(knob, setting)

    def judge(subject: Subject) -> Outcome:
        if unread is not None and subject.reading is None:
            return unread(subject)
        pays = _heir_of(subject, mine)
        findings = [_equal(subject, subject.case(key), pays, masks=masks) for key in subject.keys(keys)]
        worst = next((found for found in findings if found.verdict is not Verdict.PASSED), PASSED)
        notes = tuple(dict.fromkeys(note for found in findings for note in found.notes))
        worst = replace(worst, notes=notes) if worst.verdict is Verdict.PASSED else worst
        return replace(worst, passed=sum(found.verdict is Verdict.PASSED for found in findings), asked=len(findings))

    return Check(name, title, asks_cases(keys), judge, keys=tuple(keys), needs=needs, manner=manner, owns=mine)


def _heir_of(subject: Subject, mine: Owns) -> Owns:
    """What a check pays for: its own, and where it is the first that is asked, what no other one does."""
    paying = [check.owns for check in subject.asked if check.owns is not None]
    if not paying or paying[0] is not mine:
        return mine
    return lambda knob, setting: mine(knob, setting) or not any(owns(knob, setting) for owns in paying)


def _equal(subject: Subject, case: Case, mine: Owns, *, masks: bool) -> Outcome:
    reply = subject.replies[f"case:{case.key}"]
    if reply.status != "value":
        return _raised_elsewhere(subject, case, mine) or subject.failure(reply)
    shape = subject.shape(case)
    got = subject.output(reply, shape)
    if subject.reading is None:
        return _unread(subject, case, got, shape, masks=masks)
    turned = subject.fault.knobs if subject.fault is not None else {}
    kept = {name: setting for name, setting in turned.items() if not mine(name, setting)}
    expected = _computed(subject, case, {**subject.reading.knobs, **kept})
    if expected is None and subject.fault is not None:  # the paper needs weights that this module does not have
        explained = _computed(subject, case, {**subject.reading.knobs, **turned})
        if masks and explained is not None and same(got, explained):
            return PASSED
        return finding(Verdict.FAILED, subject.fault.title, diagnosis=_diagnosis(subject))
    undefined = expected is not None and not np.isfinite(expected).all()
    if undefined and subject.agrees(case, subject.reading, {**subject.reading.knobs, **kept}):
        return PASSED  # a softmax over nothing: the fill decides, and nobody judges
    result = same(got, expected if expected is not None else np.full(shape, np.nan))
    return PASSED if result else _differs(subject, case, result)


def _differs(subject: Subject, case: Case, result: Comparison) -> Outcome:
    """The finding for an answer that is not the expected one."""
    example = replace(subject.shown(case, result), picture=seen(subject, case))
    found = finding(Verdict.FAILED, result.message, counterexample=example, tells=result.tells)
    return found if subject.fault is None else replace(found, diagnosis=_diagnosis(subject))


def _computed(subject: Subject, case: Case, knobs: Knobs) -> Array | None:
    """What a computation gives under the reading, or None where the reading has not the weights for it."""
    try:
        return subject.expected(case, knobs)
    except (ValueError, IndexError, KeyError):
        return None


def sees_nothing(subject: Subject, case: Case) -> bool:
    """Whether the mistake that was found leaves a softmax over nothing, where rounding makes the answer."""
    if subject.reading is None or subject.fault is None:
        return False
    knobs = {**subject.reading.knobs, **subject.fault.knobs, "sdpa.fill": -np.inf}
    predicted = _computed(subject, case, knobs)
    return predicted is not None and not np.isfinite(predicted).all()


def _diagnosis(subject: Subject) -> Diagnosis | None:
    return None if subject.fault is None else subject.fault.diagnosis(By.ANSWERS, subject.family)


RANDOM = replace(PASSED, notes=("Not judged: answers change from call to call, which another check says",))


def _raised_elsewhere(subject: Subject, case: Case, mine: Owns) -> Outcome | None:
    """Nothing is lost here for an exception that the mistake predicts, where another check pays for the mistake."""
    fault, reading = subject.fault, subject.reading
    if case.may_be_refused and subject.replies[f"case:{case.key}"].status == "error":
        return replace(PASSED, notes=(f"{case.why} is refused, which the hand-out leaves open",))
    if fault is None or reading is None or any(mine(name, setting) for name, setting in fault.knobs.items()):
        return None
    if not subject.agrees(case, reading, {**reading.knobs, **fault.knobs}):
        return None
    return replace(PASSED, notes=(f"It raises here for what another check says ({fault.title.rstrip('.')})",))


def _unread(subject: Subject, case: Case, got: Any, shape: tuple[int, ...], *, masks: bool) -> Outcome:
    """No reading reproduces the module: properties decide what can be decided."""
    zeros = np.zeros(shape)
    form = same(got, zeros)
    array = getattr(got, "array", got)
    unfit = form.max_error is None and not form  # another shape, type or device, or not a number
    if unfit or (not masks and of_other_type(got)):
        text, tells = (form.message, form.tells) if unfit else (of_other_type(got), Tells.FOUND)
        told = sign_of_form(subject, array, shape) if unfit else None
        if case.plain and told is None and _lacks_numbers(array, shape):
            told = subject.block.sign("answer-not-a-number")
        return finding(Verdict.FAILED, text, counterexample=subject.shown(case, form), diagnosis=told, tells=tells)
    if not subject.steady:
        return (
            RANDOM
            if masks
            else finding(
                Verdict.FAILED,
                "two calls with one input give different answers, so it computes no function of its input",
                diagnosis=random_sign(subject),
            )
        )
    if masks:
        return mask_property(subject, case, array)
    return _meeting(subject) or _unexplained(subject)


def _lacks_numbers(array: object, shape: tuple[int, ...]) -> bool:
    """Whether an answer has the right form, and NaN or infinity in it."""
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype.kind != "f":
        return False
    return not np.isfinite(array).all()


def _meeting(subject: Subject) -> Outcome | None:
    """The finding where samples, or positions that never should, affect one another."""
    if not samples_apart(subject):
        return finding(
            Verdict.FAILED, "the samples of a batch affect one another: in reverse order they give other answers"
        )
    if positions_apart(subject):
        return None
    return subject.failed(
        "the positions affect one another: in reverse order they give other answers", "ffn-positions-meet"
    )


def _unexplained(subject: Subject) -> Outcome:
    if subject.complete:
        return finding(
            Verdict.FAILED,
            "the output is another, whichever way your parameters are matched; no known mistake explains it",
            diagnosis=sign_of(subject),
        )
    return finding(
        Verdict.UNDETERMINED,
        "your parameters could not be matched with those of the paper, and what can be checked "
        "without that is right: a person has to look",
    )


def mask_property(subject: Subject, case: Case, first: Array) -> Outcome:
    """What the mask hides does not matter, and what it shows does."""
    reply = subject.replies[f"case:{case.key}"]
    shape, call = subject.shape(case), 0
    for changed, must_move, text in (
        (case.blocked, False, "changing what the mask hides changes the output"),
        (case.kept, True, "changing what the mask shows changes nothing"),
    ):
        if changed is None:
            continue
        call, rows = call + 1, changed[1]
        other = subject.output(reply, shape, call)
        array = getattr(other, "array", other)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            return finding(Verdict.FAILED, "the shape of the output depends on the values of the input")
        there = np.broadcast_to(np.expand_dims(rows, -1), shape)
        if alike(np.where(there, array, first), first) == must_move:
            return finding(
                Verdict.FAILED,
                text,
                counterexample=subject.shown(case, Comparison(False, text, first, array)),
                diagnosis=None,
            )
    return PASSED


def random_sign(subject: Subject) -> Any:
    """Which mistake makes answers random in evaluation: weights that no parameter holds are drawn in every call."""
    if moved_weights(subject):
        return subject.block.sign("weights-changed-by-the-call")
    sizes = subject.sizes
    lacking = {
        "mha-linear-created-in-forward": _weights_in_use(subject, "A")
        < _sublayers(subject, "w_q") * 4 * sizes.d_model**2,
        "ffn-linear-created-in-forward": _weights_in_use(subject, "F")
        < _sublayers(subject, "w_1") * 2 * sizes.d_model * sizes.d_ff,
    }
    return next(
        (found for sign, lacks in lacking.items() if lacks and (found := subject.block.sign(sign))),
        subject.block.sign("dropout-active-in-eval"),
    )


def _weights_in_use(subject: Subject, kind: str) -> int:
    """Entries of the matrices of one kind that take part in a call."""
    found = {t for operation in subject.material.operations if operation.kind == kind for t in operation.tensors}
    return sum(tensor.size for name in found if len((tensor := subject.tensors[name]).shape) > 1)


def _sublayers(subject: Subject, matrix: str) -> int:
    """How many sublayers of the paper's block have a matrix of that name."""
    spare = f"layer_{subject.sizes.num_layers + 1}."  # the shapes of stacks hold one layer too many
    roles = subject.block.shapes(subject.sizes)
    return sum(role.rpartition(".")[2] == matrix and spare not in role for role in roles)


def samples_apart(subject: Subject) -> bool:
    """Whether the batch in reverse order gave the answers in reverse order, as far as that was asked."""
    one, turned = (subject.numbers(subject.replies.get("again"), call) for call in (0, 2))
    return one is None or turned is None or one.shape != turned.shape or alike(turned, one[::-1])


def bundle(*groups: Sequence[Check] | Check) -> tuple[Check, ...]:
    """Flatten checks and groups of them."""
    return tuple(check for group in groups for check in ([group] if isinstance(group, Check) else group))
