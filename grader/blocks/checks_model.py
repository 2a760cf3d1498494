"""Checks that only a whole model has: positions, the table that is fixed and moves along, logits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import exceptions
from grader.blocks.checks import equality
from grader.blocks.pairs import about_given_masks
from grader.blocks.programs import Making, Steps, of_torch
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import Outcome, Verdict
from grader.properties import alike, rows_sum_to_one

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def about_scale(knob: str, setting: Any) -> bool:
    """Whether a knob turns the factor of the embedding."""
    return knob == "emb.scale" or (knob.startswith("trf.pe") and setting in {"before_scale", "scaled"})


def about_positions(knob: str, setting: Any) -> bool:
    """Whether a knob turns the positions."""
    return knob.startswith(("pe.", "trf.pe")) and not about_scale(knob, setting)


def about_source_mask(knob: str, setting: Any) -> bool:
    """Whether a knob turns what is done with a source mask, or any mask, that is passed."""
    return about_given_masks(knob, setting) and knob != "trf.tgt_mask"


def about_nothing(knob: str, setting: Any) -> bool:  # noqa: ARG001 - one signature for all
    """No knob: whatever is wrong is left in what is expected."""
    return False


def charged_elsewhere(knob: str, setting: Any) -> bool:
    """Whether another check of the model pays for a knob."""
    elsewhere = knob.startswith(("pe.", "trf.pe", "emb.", "trf.output", "trf.causal"))
    return elsewhere or about_given_masks(knob, setting)


def nothing_to_say(subject: Subject) -> Outcome:
    """Nothing can be said without a reading; the check of the whole says what is to be said.

    What never answers is not in doubt: it fails, and nothing of it waits for a person.
    """
    replies = [reply for case in subject.cases if (reply := subject.replies.get(f"case:{case.key}"))]
    if replies and all(reply.status != "value" for reply in replies):
        return subject.failure(replies[0])
    if subject.complete:
        return replace(PASSED, notes=("Not judged apart: as the model stands, it could not be matched with the paper",))
    return finding(Verdict.UNDETERMINED, "cannot be told while the whole could not be matched with the paper")


def runs(key: str) -> Callable[[Subject], Outcome]:
    """The case ends with a value of the right shape."""

    def judge(subject: Subject) -> Outcome:
        reply = subject.replies[f"case:{key}"]
        return PASSED if reply.status == "value" else subject.failure(reply)

    return judge


def order_matters(subject: Subject) -> Outcome:
    """Without a reading: the output for two orders of the source differs."""
    one, other = (subject.numbers(subject.replies.get("order"), call) for call in (0, 1))
    shape = subject.shape(subject.cases[0])
    if one is None or other is None or one.shape != shape or not np.isfinite(one).all() or not one.any():
        return nothing_to_say(subject)
    if alike(other, one):
        return subject.failed("the source in another order gives the same output", "trf-no-positional-encoding")
    return PASSED


def not_probabilities(subject: Subject) -> Outcome:
    """Without a reading: the rows of the output do not sum to 1."""
    reply, case = subject.replies["case:open"], subject.case("open")
    if reply.status != "value":
        return subject.failure(reply)
    value = subject.output(reply, subject.shape(case))
    if rows_sum_to_one(value):
        return subject.failed("the rows of the output sum to 1: these are probabilities", "trf-returns-probabilities")
    return PASSED


def _fixes_its_table(making: Making) -> bool:
    return of_torch(making) and not making.said.get("learned_positions", False)


def table_is_fixed() -> Check:
    """The table is computed, and training leaves it alone."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        case = subject.cases[0]
        turned = {**case.inputs, "src": case.inputs["src"][:, ::-1]}
        programs = {"order": (*subject.prepared(), subject.making.call(case.inputs), subject.making.call(turned))}
        if subject.material.positions:
            kept = {tensor.name for tensor in subject.material.positions}
            values = {name: array for name, array in subject.values.items() if name not in kept}
            steps = subject.prepared()
            weights = {**steps[-1], "values": values}
            programs["own_table"] = (*steps[:-1], weights, subject.making.call(case.inputs))
        return programs

    def judge(subject: Subject) -> Outcome:
        trained = [tensor for tensor in subject.material.positions if tensor.trained]
        if not trained:
            return PASSED
        one, other = (subject.numbers(subject.replies[key]) for key in (f"case:{subject.cases[0].key}", "own_table"))
        learned = one is not None and other is not None and not alike(one, other, 1e-3)
        return subject.failed(
            f"`{trained[0].name}` is a Parameter that requires a gradient, so that training changes the table",
            "trf-learned-positions" if learned else "trf-pe-is-trained",
        )

    return Check("table_is_fixed", "The table of sines is not trained", ask, judge, needs=_fixes_its_table, manner=True)


def table_is_as_declared() -> Check:
    """Where the course says whether the table of positions is trained, it is so."""

    def judge(subject: Subject) -> Outcome:
        turned = subject.fault.knobs.items() if subject.fault is not None else ()
        trained = [tensor.name for tensor in subject.material.positions if tensor.trained]
        asked = bool(subject.making.said["learned_positions"])
        if bool(trained) is asked or any(about_positions(*one) for one in turned):
            return PASSED  # what is wrong with the positions themselves is paid for already
        found = f"`{trained[0]}` is trained" if trained else "no table of positions is a parameter that is trained"
        return finding(Verdict.FAILED, found)

    return Check(
        "table_is_trained_or_not",
        "The table of positions is not trained",
        lambda _: {},
        judge,
        needs=lambda making: of_torch(making) and isinstance(making.said.get("learned_positions"), bool),
        manner=True,
    )


_NAMED_DEVICE = re.compile(r"self\.device\b|(?<![\w.])(?:device|DEVICE)\b(?!\s*=[^=])")
"""A device that the submission chose itself, rather than that of a tensor (``x.device``)."""


def _of_a_table(subject: Subject, name: str) -> bool:
    """Whether a plain tensor can be the table, or the frequencies that it is made of."""
    shape, d = subject.loose.get(name, ()), subject.sizes.d_model
    return d in shape or (d + 1) // 2 in shape


def table_moves() -> Check:
    """Everything follows the module to another device; the meta device needs no hardware."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        making = subject.making
        cases = (subject.cases[0], *map(subject.case, subject.keys(("open", "src", "tgt"))))
        given = (case.inputs for case in cases)
        inputs = {name: value for one in given for name, value in one.items() if value is not None}
        names = [name for name in making.parameters if inputs.get(name) is not None]
        lets = tuple({"do": "let", "as": f"in_{name}", "value": making.node(inputs[name])} for name in names)
        moves = tuple({"do": "move", "on": f"in_{name}", "device": "meta"} for name in names)
        call = making.call(inputs, stored={name: f"in_{name}" for name in names}, quiet=True)
        return {"meta": (*subject.prepared(), {"do": "move", "on": "module", "device": "meta"}, *lets, *moves, call)}

    def judge(subject: Subject) -> Outcome:
        reply = subject.replies["meta"]
        kind = exceptions.kind(reply.failure.message) if reply.failure is not None else ""
        if reply.status != "error" or kind != "devices" or subject.unregistered:
            return PASSED
        loose = [name for name, _ in subject.uses if _of_a_table(subject, name)]
        others = [name for name, _ in subject.uses if name in subject.loose]
        found = subject.failure(reply)
        if not loose and (others or _NAMED_DEVICE.search(subject.source)):
            reason = f"`{others[0]}` is a plain attribute" if others else "the code names its device"
            return replace(PASSED, notes=(f"The rest does not move to another device by itself: {reason}",))
        words = (
            f"`{loose[0]}` is a plain attribute and stays behind when the module moves"
            if loose
            else f"does not run on another device: {found.raised}"
        )
        return subject.failed(words, "trf-pe-not-a-buffer" if loose else "", location=found.location)

    return Check(
        "table_moves_along",
        "The table follows the module to another device",
        ask,
        judge,
        "Tried on torch's meta device, which needs no hardware.",
        manner=True,
        needs=lambda making: of_torch(making) and not making.constants & {"device"} and making.said.get("moves", True),
    )


def scales_embeddings() -> Check:
    """The factor of the embeddings is right."""
    title = "Embeddings are multiplied by sqrt(d_model) before the positions are added"
    return equality("scales_embeddings", title, ["open"], owns=about_scale, unread=nothing_to_say)


def works_up_to_max_len(needs: Callable[[Making], bool] = lambda _: True) -> Check:
    """A sequence of as many positions as are promised is answered; ``needs`` is what the assignment must promise."""
    title = "Sequences of max_len positions work"
    return equality("works_up_to_max_len", title, ["full"], owns=about_nothing, unread=runs("full"), needs=needs)


def returns_logits() -> Check:
    """What comes back is neither probabilities nor their logarithms."""
    return equality(
        "returns_logits",
        "Returns logits, not probabilities",
        ["open"],
        owns=lambda knob, _: knob == "trf.output",
        unread=not_probabilities,
        manner=True,
    )
