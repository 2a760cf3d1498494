"""How late something is: deadlines with their zone, days as the calendar there counts them, and what cannot be told."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

from grader.classroom.moment import moment

NO_TIME = "lateness not counted: when it was handed in is not known"


def _with_zone(value: Any) -> Any:
    """Refuse a date, and a time without its zone: midnight is another moment in each."""
    when = moment(value) if isinstance(value, str) else value
    if not isinstance(when, datetime) or when.tzinfo is None:
        raise ValueError(
            "expected a time with its zone, such as 2026-09-01T23:59+02:00 or 2026-09-01 23:59 Europe/Berlin"
        )
    return when


Due = Annotated[AwareDatetime, BeforeValidator(_with_zone)]
"""A deadline; where it names its zone, summer time is known."""


def untold(row: Mapping[str, Any]) -> str:
    """Say why nobody can tell whether the hand-in of a row is late; empty where it can be told.

    Where the platform marks what is late, no mark says that it is not.
    """
    said = row.get("submitted_at")
    if row.get("absent") or row.get("late") or (not said and row.get("marked")):
        return "" if not said or moment(said) else _unread(said)
    if not said:
        return NO_TIME
    return "" if moment(said) else _unread(said)


def _unread(said: str) -> str:
    return f"lateness not counted: {said!r} is no time that can be read without guessing"


def days_late(handed_in: str, due: datetime, grace: timedelta) -> int:
    """Begun days after the deadline; a time without a zone is one of the deadline's.

    A day is one of the calendar there: on the night when clocks are set back it has 25 hours.
    """
    read = moment(handed_in)
    if read is None:
        return 0
    when = read.astimezone(due.tzinfo) if read.tzinfo else read.replace(tzinfo=due.tzinfo)
    if when.timestamp() <= (due + grace).timestamp():
        return 0
    over = when.replace(tzinfo=None) - (due.replace(tzinfo=None) + grace)
    return max(1, int((Decimal(over.total_seconds()) / 86400).to_integral_value(ROUND_CEILING)))
