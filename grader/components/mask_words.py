"""How texts about masks read where a course's masks mean something else than True = may attend."""

from __future__ import annotations

from collections.abc import Mapping

from grader.component.convention import Knobs

MEANINGS: Mapping[str, Knobs] = {"attend": {}, "block": {}, "additive": {}}
"""What a mask can mean to a function; adapt.py turns it round."""
ADDED = '0 means "may attend", and a hugely negative number blocks'

TAKEN: Mapping[str, Mapping[str, str]] = {
    "block": {
        "(False in the mask)": "(True in the mask)",
        'True means "may attend"': 'True means "blocked"',
        "True = may attend": "True = blocked",
        "True blocks": "True lets through",
        "a mask of True only": "a mask of False only",
        "where(mask, scores, -np.inf)": "where(mask, -np.inf, scores)",
        "scores[~mask]": "scores[mask]",
        "says whether query i may look at key j": "says whether key j is hidden from query i",
    },
    "additive": {
        "(False in the mask)": "(hugely negative in the mask)",
        'True means "may attend"': ADDED,
        "True = may attend": "0 = may attend, hugely negative = blocked",
        "True blocks": "0 blocks",
        "a mask of True only": "a mask of zeros",
        "np.where(mask, scores, -np.inf)": "scores + mask",
    },
}
"""Of masks that are passed."""

MADE: Mapping[str, Mapping[str, str]] = {
    "block": {
        "the diagonal is True": "the diagonal is False",
        "The diagonal is False": "The diagonal is True",
        "below the diagonal all is True": "below the diagonal all is False",
        "above the diagonal all is False": "above the diagonal all is True",
        "entries below the diagonal are True": "entries below the diagonal are False",
        "the lower triangle with the diagonal": "the upper triangle without the diagonal",
        "mark what to hide, and the upper triangle without its diagonal": (
            "mark what may be read, and the lower triangle with its diagonal"
        ),
        "Some libraries mark what to hide.": "Some libraries mark what may be read.",
        "Some libraries mark what to ignore.": "Some libraries mark what may be read.",
        "i + 1 True": "i + 1 False",
        "How many True": "How many False",
        "one True too": "one False too",
        "end of each row is True": "end of each row is False",
        "A mask of ones hides nothing": "A mask of zeros hides nothing",
        "True marks the keys that a query may look at": "True marks the keys that a query may not look at",
        "True marks the keys that may be read": "True marks the keys that may not be read",
        "True marks what is hidden": "True marks what may be read",
        "True marks real positions, which may be attended to": "True marks padding, which may not be attended to",
        "True marks padding instead of real positions": "True marks real positions instead of padding",
        'True means "may attend", so real positions are True': 'True means "blocked", so padding is True',
        'True means "may attend", so the keys to mark are those that are not pad_id': (
            'True means "blocked", so the keys to mark are those that are pad_id'
        ),
        'True means "may attend"': 'True means "blocked"',
        "True = may attend": "True = blocked",
        "True should mean may attend": "True should mean blocked",
        "that marks what to hide was combined as if it marked what to allow": (
            "that marks what to allow was combined as if it marked what to hide"
        ),
        " Read as booleans they mean the opposite, since 0 is False.": "",
        " Read as booleans they mean the opposite.": "",
    },
    "additive": {
        "The entries are True and False.": "The entries are numbers to add: 0, or hugely negative.",
        "has type int64; expected bool": "holds True and False; expected numbers to add to the scores",
        "the diagonal is True": "the diagonal is 0",
        "The diagonal is False": "The diagonal is hugely negative",
        "below the diagonal all is True": "below the diagonal all is 0",
        "above the diagonal all is False": "above the diagonal all is hugely negative",
        "entries below the diagonal are True": "entries below the diagonal are 0",
        "i + 1 True": "i + 1 zeros",
        "How many True": "How many zeros",
        "one True too": "one 0 too",
        "end of each row is True": "end of each row is 0",
        "A mask of ones hides nothing": "A mask of zeros hides nothing",
        "True marks the keys that a query may look at": "0 marks the keys that a query may look at",
        "True marks the keys that may be read": "0 marks the keys that may be read",
        "True and False are exchanged: True marks what is hidden": "The numbers are exchanged: 0 marks what is hidden",
        "True marks real positions, which may be attended to": "0 marks real positions, which may be attended to",
        "True marks padding instead of real positions": "0 marks padding instead of real positions",
        'True means "may attend", so real positions are True': f"{ADDED}, so real positions are 0",
        'True means "may attend"': ADDED,
        "True = may attend": "0 = may attend, hugely negative = blocked",
        "True and False are exchanged: True should mean may attend": "the two numbers are exchanged",
    },
}
"""Of masks that are made."""

FLOATS = {
    "additive": frozenset(
        f"{maker}-{slip}"
        for maker in ("causal-mask", "padding-mask", "mask-builder")
        for slip in ("additive-float", "not-boolean")
    )
}
"""What is no mistake where masks of numbers are asked for."""

NUMBERS: Mapping[str, Mapping[str, str]] = {
    "int": {"True and False": "1 and 0", "True": "1", "False": "0"},
    "float": {"True and False": "1.0 and 0.0", "True": "1.0", "False": "0.0"},
}
"""Of masks of numbers in the place of booleans."""
