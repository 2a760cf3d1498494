"""What a module keeps from one call to the next: nothing, neither in its weights nor beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks.programs import Steps, of_torch
from grader.judging.outcomes import finding
from grader.model.outcome import Outcome, Tells, Verdict
from grader.properties import alike

if TYPE_CHECKING:
    from grader.blocks.subject import Subject
    from grader.sandbox.plain import Reply


def asked(subject: Subject) -> Mapping[str, Steps]:
    """The weights after a call, calls with sequences of two lengths, and with and without a mask, either one first."""
    making, found = subject.making, {}
    if subject.block.cost == 1 and of_torch(making):
        call = {**making.call(subject.cases[0].inputs), "quiet": True}
        weights = {"do": "call", "on": "module", "method": "state_dict", "args": []}
        found["weights"] = (*subject.prepared(), call, weights)
    if subject.block.name == "feed_forward":
        x = subject.cases[0].inputs["x"]
        found["turned"] = (*subject.prepared(), making.call({"x": x}), making.call({"x": x[:, ::-1].copy()}))
    longer = {name: None if "mask" in name else value for name, value in subject.cases[0].inputs.items()}
    if shorter := _cut(longer):
        long, short = making.call(longer), making.call(shorter)
        found["shorter"] = (*subject.prepared(), long, short)
        found["longer"] = (*subject.prepared(), short, long)
    masked = next((case for case in subject.cases if _masks(case.inputs) and not case.may_be_refused), None)
    if masked is not None:
        without = making.call({name: None if "mask" in name else value for name, value in masked.inputs.items()})
        with_one = making.call(masked.inputs)
        found["later"] = (*subject.prepared(), without, with_one, without)
        found["sooner"] = (*subject.prepared(), with_one, without)
    return found


def _cut(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs with one position less; empty where they are no sequences of two positions or more."""
    arrays = [value for value in inputs.values() if isinstance(value, np.ndarray)]
    if not arrays or any(array.ndim < 2 or array.shape[1] < 2 for array in arrays):  # noqa: PLR2004 - batch, positions
        return {}
    return {name: value[:, :-1].copy() if isinstance(value, np.ndarray) else value for name, value in inputs.items()}


def _masks(inputs: Mapping[str, object]) -> bool:
    return any("mask" in name and value is not None for name, value in inputs.items())


def moved_weights(subject: Subject) -> str:
    """The name of a weight that a call in evaluation mode has changed; empty where none was."""
    reply = subject.replies.get("weights")
    if reply is None or reply.status != "value" or not isinstance(reply.values[-1], dict):
        return ""
    after = {name: getattr(value, "array", None) for name, value in reply.values[-1].items()}
    for name, before in subject.values.items():
        now = after.get(name)
        if (
            isinstance(now, np.ndarray)
            and now.shape == before.shape
            and not np.array_equal(now, before, equal_nan=True)
        ):
            return name
    return ""


def positions_apart(subject: Subject) -> bool:
    """Whether positions in reverse order gave the answers in reverse order, as far as that was asked."""
    shape = subject.shape(subject.cases[0])
    one, turned = (subject.numbers(subject.replies.get("turned"), call) for call in (0, 1))
    return one is None or turned is None or not one.shape == turned.shape == shape or alike(turned, one[:, ::-1])


def kept(subject: Subject) -> Outcome | None:
    """The finding where something is kept; None where nothing is, or where other checks say why a call fails."""
    if name := moved_weights(subject):
        sign = subject.block.sign("weights-changed-by-the-call")
        return finding(Verdict.FAILED, f"a call in evaluation mode changes `{name}`", diagnosis=sign)
    return _kept_length(subject) or _kept_mask(subject)


def _kept_length(subject: Subject) -> Outcome | None:
    """The finding where sequences of one length are answered otherwise once others have been."""
    asked = [subject.replies.get(key) for key in ("shorter", "longer")]
    sign = subject.block.sign("state-kept-between-calls")
    for reply, word in zip(asked, ("shorter", "longer"), strict=True):
        if reply is not None and reply.failure is not None and reply.failure.step == subject.preparation + 1:
            found = subject.failure(reply)
            text = f"a call with {word} sequences fails after one with others: {found.message}"
            return replace(found, verdict=Verdict.FAILED, message=text, diagnosis=sign, tells=Tells.FOUND)
    if any(reply is None or reply.status != "value" for reply in asked):
        return None
    first, second = (reply for reply in asked if reply is not None)
    for word, late, fresh in (("shorter", first, second), ("longer", second, first)):
        if not _same_answer(subject, (late, 1), (fresh, 0)):
            text = f"{word} sequences are answered otherwise after a call with others"
            return finding(Verdict.FAILED, text, diagnosis=sign)
    return None


def _kept_mask(subject: Subject) -> Outcome | None:
    """The finding where a call with or without masks is another one once the other has been made."""
    later, sooner = (subject.replies.get(key) for key in ("later", "sooner"))
    sign = subject.block.sign("state-kept-between-calls")
    text = "a call without a mask gives another answer once a call with a mask has been made"
    if later is not None and later.status == "error" and later.failure is not None:
        third = later.failure.step == subject.preparation + 2
        return finding(Verdict.FAILED, f"{text}: it fails", diagnosis=sign) if third else None
    if later is None or later.status != "value":
        return None
    if not _same_answer(subject, (later, 0), (later, 2)):
        return finding(Verdict.FAILED, text, diagnosis=sign)
    if sooner is None or sooner.status != "value" or _same_answer(subject, (sooner, 0), (later, 1)):
        return None
    text = "a call with a mask gives another answer once a call without one has been made"
    return finding(Verdict.FAILED, text, diagnosis=sign)


def _same_answer(subject: Subject, *calls: tuple[Reply, int]) -> bool:
    """Whether two calls gave the same numbers, or no numbers to be compared; each is a reply and the call's number."""
    one, other = (subject.numbers(*call) for call in calls)
    return one is None or other is None or not np.isfinite(one).all() or alike(other, one)
