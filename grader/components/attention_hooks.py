"""Scaled dot-product attention: what recognises mistakes where settings alone do not, by the names in the catalogue."""

from collections.abc import Callable, Mapping
from typing import Any

from grader.component.calls import Watched
from grader.component.checks import Evidence, passes, passes_batches
from grader.components.attention_einsum import (
    fitted_letters,
    meets_columns,
    meets_rows,
    mistaken,
    of_no_average,
    transposed,
)
from grader.components.attention_fits import (
    fitted_fill,
    fitted_more,
    fitted_more_in_the_scale,
    fitted_part,
    fitted_power,
    fitted_scale,
    fitted_shown_fill,
    fitted_times,
    seen_or_written,
)
from grader.components.syntax_signs import (
    multiplies_by_mask,
    multiplies_infinity,
    takes_the_smallest,
    writes_infinity,
    writes_nan,
    writes_zero,
)


def returns_three(evidence: Evidence) -> bool:
    """Whatever the third value is: no oracle of ours can know it."""
    values = [answer.value for answer in evidence.answers if answer.status == "value" and answer.call.repeat == 1]
    plain = [value.value if isinstance(value, Watched) else value for value in values]
    return bool(plain) and all(isinstance(value, tuple | list) and len(value) == 3 for value in plain)


def writes_infinity_alone(evidence: Evidence) -> bool:
    """Whether infinity is written and not multiplied by the mask."""
    return writes_infinity(evidence) and not multiplies_infinity(evidence)


def changes_an_argument(evidence: Evidence) -> bool:
    """An argument is overwritten."""
    return evidence.failed == {"leaves_arguments_alone"}


HOOKS: Mapping[str, Callable[..., Any]] = {
    "passes_mask": passes("mask"),
    "passes_batches": passes_batches("Q"),
    "fitted_fill_near_zero": fitted_fill(-1e-3, 1e-3),
    "fitted_low_fill": fitted_fill(-1e6, -1e-3),
    "fitted_high_fill": fitted_fill(1e-3, 1e6),
    "fitted_scores": fitted_letters("product", mistaken),
    "fitted_turned": fitted_letters("product", transposed),
    "fitted_values": fitted_letters("product", meets_columns, transpose="values"),
    "fitted_rows": fitted_letters("product", meets_rows),
    "fitted_output": fitted_letters("retrieve", of_no_average),
    **{hook.__name__: hook for hook in (fitted_shown_fill, fitted_more)},
    **{
        hook.__name__: seen_or_written(hook)
        for hook in (fitted_scale, fitted_times, fitted_part, fitted_power, fitted_more_in_the_scale)
    },
    **{hook.__name__: hook for hook in (takes_the_smallest, writes_zero, multiplies_infinity, multiplies_by_mask)},
    "writes_nan": writes_nan,
    **{hook.__name__: hook for hook in (returns_three, writes_infinity_alone, changes_an_argument)},
}
