"""Whether a stack has as many layers as its constructor is told, whatever the number: all cases ask for two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.blocks.programs import Steps
from grader.component.checks import Check
from grader.model.outcome import Outcome, Verdict

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def of_its_depth(check: Check) -> Check:
    """The check, which also looks whether a stack of one layer has half of what two layers have.

    What the networks of its layers hold is counted: values of another depth would have to be matched by names, which
    may be others there.
    """

    def ask(subject: Subject) -> Mapping[str, Steps]:
        making = subject.making
        alone: Steps = (
            making.construct(num_layers=1),
            {"do": "mode", "on": "module", "train": False},
            {**making.call(subject.cases[0].inputs), "quiet": True},  # what is lazy has no shapes before
            {"do": "inventory", "on": "module"},
        )
        return {**check.ask(subject), **({"depth": alone} if making.takes("num_layers") else {})}

    def judge(subject: Subject) -> Outcome:
        found: Outcome = check.judge(subject)
        if found.verdict is not Verdict.PASSED or _halved(subject):
            return found
        text = f"as many layers as asked with num_layers = {subject.sizes.num_layers}, and not one with num_layers = 1"
        return subject.failed(text, "stack-of-another-depth", passed=found.asked, asked=found.asked + 1)

    return replace(check, ask=ask, judge=judge)


def _halved(subject: Subject) -> bool:
    """Whether one layer has its share of the entries; where that cannot be told, nobody judges."""
    reply = subject.replies.get("depth")
    repeated = subject.inventory.get("repeated") or (subject.reading is not None and subject.reading.shared)
    if reply is None or reply.status != "value" or repeated:
        return True
    whole, alone = (_of_networks(subject, inventory) for inventory in (subject.inventory, reply.values[-1]))
    return whole == alone * subject.sizes.num_layers or not whole


def _of_networks(subject: Subject, inventory: Mapping[str, Any]) -> int:
    """The entries of the matrices whose size is that of a feed-forward network's, or a multiple of it."""
    one = subject.sizes.d_model * subject.sizes.d_ff
    rows = (*inventory.get("parameters", ()), *inventory.get("hidden", ()))
    return sum(size for row in rows if (size := math.prod(row["shape"])) % one == 0)
