"""Number words: forty-eight, one hundred and twenty, three quarters, a dozen."""

from __future__ import annotations

import re

_UNITS = {
    name: value
    for value, name in enumerate(
        re.split(
            " ",
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen",
        ),
    )
} | {"dozen": 12, "once": 1, "twice": 2}
_TENS = {
    name: 10 * place
    for place, name in enumerate(re.split(" ", "twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
} | {"fourty": 40}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fifth": 5,
          "fifths": 5, "tenth": 10, "tenths": 10}  # fmt: skip


def words_to_figures(text: str) -> str:
    """Replace number words by figures: forty-eight, one hundred and twenty, three quarters, a hundred."""
    words = re.split(r"(\s+|(?<=[a-z])-(?=[a-z]))", text)
    out: list[str] = []
    at = 0
    while at < len(words):
        value, used = _spoken(words[at::2]) if at % 2 == 0 else (None, 0)
        if value is None:
            out.append(words[at])
            at += 1
        else:
            out.append(f"{value:.15g}")
            at += 2 * used - 1
    return "".join(out)


def _spoken(words: list[str]) -> tuple[float | None, int]:  # noqa: C901 - one kind of word a branch
    """Read number words from the beginning of a list; return the value and how many words it took."""
    total, current, used, seen = 0.0, 0.0, 0, False
    if words and words[0] in {"a", "an"} and len(words) > 1 and (words[1] in _SCALES or words[1] in {"dozen", *_PARTS}):
        current, used, seen = 1.0, 1, True
    for word in words[used:]:
        if word in _UNITS and word != "dozen":
            current += _UNITS[word]
        elif word == "dozen":
            current = max(current, 1.0) * 12
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1.0) * 100
        elif word in _SCALES and seen:
            total, current = total + max(current, 1.0) * _SCALES[word], 0.0
        elif (
            word == "and"
            and seen
            and len(words) > used + 1
            and (words[used + 1] in _UNITS or words[used + 1] in _TENS)
            and (
                total or current >= 100  # noqa: PLR2004 - "one hundred and twenty", not "two and three"
            )
        ):
            used += 1
            continue
        elif word in _PARTS and seen:
            return (total + max(current, 1.0)) / _PARTS[word], used + 1
        elif word in {"half", "halves"}:
            return 0.5, used + 1
        else:
            break
        seen = True
        used += 1
    return (total + current, used) if seen and used else (None, 0)
