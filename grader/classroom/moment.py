"""When something was handed in, as learning platforms write it."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grader.classroom.words import MONTHS, ZONES

_TWO_MEANINGS = frozenset({"CST", "IST", "BST"})
_HALF = r"(?P<half>[AaPp]\.?[Mm]\b\.?)"
_CLOCK = re.compile(rf"(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:[.,]\d+)?)?\s*{_HALF}?")
_RUN_TOGETHER = re.compile(rf"(?<!\d)(?P<hour>\d{{1,2}})[ .h]?(?P<minute>\d{{2}})(?P<second>\d{{2}})?\s*{_HALF}?(?!\d)")
"""A clock in the name of a folder, which may hold no colon: ``900 AM``."""
_HYPHENS = re.compile(r"\s*(\d{4}-\d{2}-\d{2})[-_ T](\d{2})-(\d{2})-(\d{2})\s*(\S*)\s*")
_DIGITS = re.compile(r"\s*(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\d{0,6}\s*")
_WORDS = re.compile(r"(?P<day>\d{1,2})\.?\s+(?:de\s+)?(?P<month>[^\W\d_]{3,10})\.?,?\s+(?:de\s+)?(?P<year>\d{4})")
_WORDS_US = re.compile(r"(?P<month>[^\W\d_]{3,10})\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})")
_NUMBERS = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})")
_TURNED = re.compile(r"(?P<one>\d{1,2})(?P<sign>[/.-])(?P<two>\d{1,2})[/.-](?P<year>\d{4}|\d{2})\b")
_ZONE = re.compile(r"(?:UTC|GMT|Z)?\s*(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?\s*$")


def moment(text: str) -> datetime | None:
    """Return the time that ``text`` says, without a zone where it names none; None where it cannot be told.

    ``3/4/2026`` is April in one country and March in another, and is not guessed.
    """
    text = text.strip()
    if found := _HYPHENS.fullmatch(text):
        text = f"{found[1]} {found[2]}:{found[3]}:{found[4]} {found[5]}".strip()
    elif found := _DIGITS.fullmatch(text):
        text = f"{found[1]}-{found[2]}-{found[3]} {found[4]}:{found[5]}:{found[6]}"
    try:
        return datetime.fromisoformat(re.sub(r"\s+(?:UTC|GMT|Z)$", "+00:00", text))
    except ValueError:
        pass
    return _read(text)


def _read(text: str) -> datetime | None:
    date, rest = _date(text)
    clock = _CLOCK.search(rest) or _RUN_TOGETHER.search(rest)
    if date is None or clock is None:
        return None
    hour = int(clock["hour"])
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower().startswith("p") else 0)
    try:
        zone = _zone(rest[clock.end() :])
        return datetime(*date, hour, int(clock["minute"]), int(clock["second"] or 0), tzinfo=zone)
    except ValueError:
        return None


def zone_called(name: str) -> tzinfo | None:
    """The zone of this name (``Europe/Berlin``); None where there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _date(text: str) -> tuple[tuple[int, int, int] | None, str]:
    """The day, and the text without it."""
    if found := _NUMBERS.search(text):
        return (int(found["year"]), int(found["month"]), int(found["day"])), _without(text, found)
    for found in filter(None, (_WORDS.search(text), _WORDS_US.search(text))):
        month = next((n for n, names in enumerate(MONTHS, 1) if found["month"].lower().startswith(names)), 0)
        if month:
            return (int(found["year"]), month, int(found["day"])), _without(text, found)
    if found := _TURNED.search(text):
        one, two, year = int(found["one"]), int(found["two"]), int(found["year"])
        year += 2000 if len(found["year"]) == 2 else 0  # noqa: PLR2004 - two digits of this century
        rest = _without(text, found)
        if found["sign"] == "." or one > 12:  # noqa: PLR2004 - no month
            return (year, two, one), rest
        return ((year, one, two) if two > 12 or one == two else None), rest  # noqa: PLR2004
    return None, text


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _zone(rest: str) -> tzinfo | None:
    """The zone behind a clock; None where there is none. Raises ValueError where a short name means two."""
    rest = rest.strip().strip("()").strip()
    if found := _ZONE.search(rest):
        away = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
        return timezone(-away if found["sign"] == "-" else away)
    word = re.split(r"[\s,;()]+", rest)[-1] if rest else ""
    if word.upper() in _TWO_MEANINGS:
        raise ValueError(word)
    if word.upper() in ZONES:
        hours = ZONES[word.upper()]
        return timezone(timedelta(hours=hours)) if hours else UTC
    return zone_called(word) if "/" in word else None
