"""How texts about masks read where a course's masks mean something else than True = may attend."""

from __future__ import annotations

from collections.abc import Mapping

from grader.component.convention import Knobs

MEANINGS: Mapping[str, Knobs] = {"attend": {}, "block": {}, "additive": {}}
"""What a mask can mean to a function; adapt.py turns it round."""

TAKEN: Mapping[str, Mapping[str, str]] = {
    "block": {
        "(False in the mask)": "(True in the mask)",
        'True means "may attend"': 'True means "blocked"',
        "True = may attend": "True = blocked",
        "True blocks": "True lets through",
        "where(mask, scores, -np.inf)": "where(mask, -np.inf, scores)",
        "scores[~mask]": "scores[mask]",
        "says whether query i may look at key j": "says whether key j is hidden from query i",
    },
    "additive": {
        "(False in the mask)": "(hugely negative in the mask)",
        'True means "may attend"': '0 means "may attend", and a hugely negative number blocks',
        "True = may attend": "0 = may attend, hugely negative = blocked",
        "True blocks": "0 blocks",
        "np.where(mask, scores, -np.inf)": "scores + mask",
    },
}
"""Of masks that are passed."""

MADE: Mapping[str, Mapping[str, str]] = {
    "block": {
        "the diagonal is True": "the diagonal is False",
        "below the diagonal all is True": "below the diagonal all is False",
        "above the diagonal all is False": "above the diagonal all is True",
        'True means "may attend"': 'True means "blocked"',
        "True = may attend": "True = blocked",
        "True should mean may attend": "True should mean blocked",
    },
    "additive": {
        "the diagonal is True": "the diagonal is 0",
        "below the diagonal all is True": "below the diagonal all is 0",
        "above the diagonal all is False": "above the diagonal all is hugely negative",
        'True means "may attend"': '0 means "may attend", and a hugely negative number blocks',
        "True = may attend": "0 = may attend, hugely negative = blocked",
    },
}
"""Of masks that are made."""
