"""What masks can mean where a course's mean something else than True = may attend."""

from __future__ import annotations

from collections.abc import Mapping

from grader.component.convention import Knobs

MEANINGS: Mapping[str, Knobs] = {"attend": {}, "block": {}, "additive": {}}
"""What a mask can mean to a function; adapt.py turns it round."""

FLOATS = {
    "additive": frozenset(
        f"{maker}-{slip}"
        for maker in ("causal-mask", "padding-mask", "mask-builder")
        for slip in ("additive-float", "not-boolean")
    )
}
"""What is no mistake where masks of numbers are asked for."""
