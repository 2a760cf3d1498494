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
    """The check, which also looks whether each layer fewer takes a network's matrices away from each stack.

    What the networks hold is counted: values of another depth would have to be matched by names, which may be others
    there. A table that happens to have as many entries is there at any depth, and changes nothing.
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
        if found.verdict is not Verdict.PASSED or _shrinks(subject):
            return found
        text = f"as many layers as asked with num_layers = {subject.sizes.num_layers}, and not one with num_layers = 1"
        return subject.failed(text, "stack-of-another-depth", passed=found.asked, asked=found.asked + 1)

    return replace(check, ask=ask, judge=judge)


def _shrinks(subject: Subject) -> bool:
    """Whether a stack of one layer lacks the networks of the others; where that cannot be told, nobody judges."""
    reply = subject.replies.get("depth")
    repeated = subject.inventory.get("repeated") or (subject.reading is not None and subject.reading.shared)
    if reply is None or reply.status != "value" or repeated:
        return True
    sizes, stacks = subject.sizes, 2 if subject.block.name == "transformer" else 1
    one = sizes.d_model * sizes.d_ff
    whole, alone = (_entries(inventory, one) for inventory in (subject.inventory, reply.values[-1]))
    return whole - alone >= stacks * (sizes.num_layers - 1) * 2 * one or not whole


def _entries(inventory: Mapping[str, Any], one: int) -> int:
    """The entries of what has ``one`` matrix's number of them, or a multiple of it."""
    rows = (*inventory.get("parameters", ()), *inventory.get("hidden", ()))
    return sum(size for row in rows if (size := math.prod(row["shape"])) % one == 0)
