"""Known mistakes inside attention (section 3.2.1)."""

from __future__ import annotations

import re

from grader.blocks.faults import Fault, family


def applies_a_mask(text: str) -> bool:
    """Whether the source does anything with a mask beyond handing it on."""
    return bool(
        re.search(
            r"masked_fill|where\(|mask\w*\s*[=!]=\s*[01FT]|~\s*\w*mask|logical_not|\*\s*\w*mask|\w*mask\w*\s*[*+]", text
        )
    )


_sdpa = family("scaled_dot_product_attention", "section 3.2.1, equation 1")

SCALE = (
    "How large do dot products become when vectors get longer?",
    "Compare your scores with equation 1: what stands under the fraction bar?",
    "Dot products of d_k entries of variance 1 have variance d_k; dividing by sqrt(d_k) brings it back to 1.",
)
_MASK = (
    "Which number has to come out of the softmax for a key that may not be seen?",
    "Look at the line where the mask meets the scores: what is put there, when, and where?",
    "Blocked scores become minus infinity before the softmax: their weights are then 0, and the others sum to 1.",
)
_AXIS = (
    "Which numbers should sum to 1: those of one query, or those of one key?",
    "Look at the axis of your softmax.",
    "Each query spreads a weight of 1 over the keys, which are the last axis of the scores.",
)

ATTENTION: tuple[Fault, ...] = (
    _sdpa("sdpa-no-scale", "The scores are not divided by sqrt(d_k).", *SCALE, sdpa__scale="none"),
    _sdpa(
        "sdpa-scale-inverted",
        "The scores are multiplied by sqrt(d_k) instead of divided.",
        *SCALE,
        sdpa__scale="times",
    ),
    _sdpa("sdpa-scale-by-dk", "The scores are divided by d_k, without the root.", *SCALE, sdpa__scale="dk"),
    _sdpa(
        "sdpa-scale-by-length", "The scores are divided by the root of the number of keys.", *SCALE, sdpa__scale="keys"
    ),
    _sdpa(
        "sdpa-scale-by-length",
        "The scores are divided by the root of the number of queries.",
        *SCALE,
        sdpa__scale="queries",
    ),
    _sdpa(
        "sdpa-scale-inverted",
        "The scores are multiplied by d_k instead of divided by its root.",
        *SCALE,
        sdpa__scale="times_dk",
    ),
    _sdpa("sdpa-scale-wrong-power", "The scores are divided by the fourth root of d_k.", *SCALE, sdpa__scale="root_4"),
    _sdpa("sdpa-scale-by-batch", "The scores are divided by the root of the batch size.", *SCALE, sdpa__scale="batch"),
    _sdpa(
        "sdpa-scale-misplaced",
        "The division by sqrt(d_k) comes after the softmax.",
        *SCALE,
        sdpa__scale="none",
        sdpa__weights_times="sqrt_dk",
    ),
    _sdpa(
        "sdpa-scale-misplaced",
        "The weights are divided by sqrt(d_k) after the softmax as well.",
        *SCALE,
        sdpa__weights_times="sqrt_dk",
    ),
    _sdpa(
        "sdpa-softmax-over-query-axis", "The softmax runs over the queries instead of the keys.", *_AXIS, sdpa__axis=-2
    ),
    _sdpa("sdpa-softmax-over-batch-axis", "The softmax runs over the batch.", *_AXIS, sdpa__axis=0),
    _sdpa("sdpa-softmax-over-head-axis", "The softmax runs over the heads.", *_AXIS, sdpa__axis=1),
    _sdpa("sdpa-softmax-over-everything", "The softmax runs over all scores at once.", *_AXIS, sdpa__axis="all"),
    _sdpa(
        "sdpa-softmax-over-everything", "The softmax runs over queries and keys at once.", *_AXIS, sdpa__axis="matrix"
    ),
    _sdpa("sdpa-no-softmax", "The scores are used as weights, without a softmax.", *_AXIS, sdpa__normalise="none"),
    _sdpa("sdpa-softmax-applied-twice", "The softmax is applied twice.", *_AXIS, sdpa__normalise="twice"),
    _sdpa(
        "sdpa-wrong-normaliser",
        "The scores are divided by their sum instead of going through a softmax.",
        *_AXIS,
        sdpa__normalise="sum",
    ),
    _sdpa("sdpa-wrong-normaliser", "The logarithms of the weights are used.", *_AXIS, sdpa__normalise="log"),
    _sdpa("sdpa-wrong-normaliser", "A sigmoid stands in for the softmax.", *_AXIS, sdpa__normalise="sigmoid"),
    _sdpa(
        "sdpa-mask-after-softmax",
        "The mask is applied to the weights after the softmax, so they no longer sum to 1.",
        *_MASK,
        sdpa__mask_time="after",
    ),
    _sdpa(
        "sdpa-mask-after-softmax",
        "Blocked weights are filled after the softmax.",
        *_MASK,
        sdpa__mask_time="filled_after",
    ),
    _sdpa(
        "sdpa-mask-multiplied-before-softmax",
        "Blocked scores are multiplied by 0, which leaves them a weight.",
        *_MASK,
        twin_told=lambda text: (
            bool(re.search(r"\*=?\s*(mask|m\b)|mul\w*\(\s*mask", text)) and not re.search(r"1e-\d", text)
        ),
        sdpa__mask_time="multiplied",
    ),
    _sdpa(
        "sdpa-fill-tiny-positive",
        "Blocked scores are filled with a number near 0, such as 1e-9 where -1e9 is meant.",
        *_MASK,
        twin_told=lambda text: (
            (bool(re.search(r"(?<![-\d.])1e-\d", text)) and "masked_fill" in text)
            or ("where" in text and "1e-9" in text)
            or bool(re.search(r"\.(tiny|smallest_normal)\b", text))
        ),
        sdpa__fill=1e-9,
    ),
    _sdpa(
        "sdpa-fill-not-low-enough",
        "Blocked scores are filled with a number that is not low enough.",
        *_MASK,
        sdpa__fill=-1.0,
    ),
    _sdpa(
        "sdpa-fill-not-low-enough",
        "Blocked scores are filled with -10, which leaves them a weight.",
        *_MASK,
        sdpa__fill=-10.0,
    ),
    _sdpa(
        "sdpa-fill-not-low-enough",
        "Blocked scores are filled with -5, which leaves them a weight.",
        *_MASK,
        sdpa__fill=-5.0,
    ),
    *(
        _sdpa(
            "sdpa-fill-not-low-enough",
            f"Blocked scores are filled with {fill:g}, which other scores can reach.",
            *_MASK,
            sdpa__fill=fill,
        )
        for fill in (-50.0, -100.0, -999.0, -1000.0)
    ),
    *(
        _sdpa(
            "sdpa-fill-not-low-enough",
            f"{fill:g} is added to blocked scores, which leaves some of them above others.",
            *_MASK,
            sdpa__fill_added=fill,
        )
        for fill in (-1.0, -5.0, -10.0, -50.0, -100.0, -1000.0)
    ),
    *(
        _sdpa(
            "sdpa-fill-not-low-enough",
            f"Blocked scores are filled with {fill:g} before they are divided, which other scores can reach.",
            *_MASK,
            sdpa__fill=fill,
            sdpa__fill_scaled=True,
        )
        for fill in (-1.0, -10.0, -50.0, -100.0, -1000.0)
    ),
    _sdpa(
        "sdpa-always-causal",
        "Queries never see later keys, although no mask forbids it.",
        "Which keys may a query look at where there is no mask?",
        "Look for a triangle inside attention.",
        "A causal mask belongs to the decoder, which passes it as the mask; attention itself hides nothing.",
        sdpa__triangle=True,
    ),
    _sdpa("sdpa-fill-positive", "Blocked scores are filled with a large positive number.", *_MASK, sdpa__fill=1e9),
    _sdpa("sdpa-mask-added", "The boolean mask is added to the scores, as 0 and 1.", *_MASK, sdpa__mask_time="added"),
    _sdpa(
        "sdpa-mask-polarity-inverted",
        "The mask is read the other way round: True blocks.",
        "What does True mean in the hand-out's mask?",
        "Look for a missing or doubled negation where the mask meets the scores.",
        "True means that the query may attend to the key; the scores to be filled are those where the mask is False.",
        sdpa__mask_inverted=True,
    ),
    _sdpa(
        "sdpa-ignores-mask",
        "Attention takes a mask and does not use it.",
        *_MASK,
        twin_told=lambda text: not applies_a_mask(text),
        sdpa__mask_time="ignored",
    ),
    _sdpa(
        "sdpa-keys-used-as-values",
        "The weights are applied to the keys instead of the values.",
        "What is looked up once the weights are known?",
        "Look at the last product inside attention.",
        "Queries and keys decide how much of each value is read; the values are what is read.",
        sdpa__retrieve="keys",
    ),
    _sdpa(
        "sdpa-elementwise-instead-of-matmul",
        "Queries and keys are multiplied entry by entry instead of as matrices.",
        "How many scores are there for n queries and m keys?",
        "Look at the operator between Q and K.",
        "Every query meets every key: a matrix product, (n, d_k) times (d_k, m).",
        sdpa__elementwise=True,
    ),
)
