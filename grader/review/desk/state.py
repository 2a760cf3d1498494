"""Who sits at the desk, what is open, who looks at what; every change of it under one lock."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from grader.classroom.results import CHECKS, Results, locked
from grader.model.text import StudentText
from grader.review.alike import groups
from grader.review.queue import Item, decide, take_back, waiting

HELD_S = 600.0
"""Seconds after which what somebody has on the screen is offered to others as well."""
PATIENCE_S = 5.0
"""Seconds that a decision waits for another program that writes to the folder."""


@dataclass(slots=True)
class Seat:
    """One reviewer: name, the secrets of the browser, what was passed over and done, and what is to be said next."""

    by: str
    session: str = ""
    csrf: str = ""
    passed: set[str] = field(default_factory=set)
    done: list[tuple[Item, ...]] = field(default_factory=list)
    said: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one reviewer has on the screen: an answer, those that say the same, and how many are left."""

    item: Item
    alike: tuple[Item, ...]
    left: int


def name_of(item: Item) -> str:
    """A name of an item for a form: it tells nothing of the student."""
    return hashlib.sha256(f"{item.key}\0{item.check}".encode("utf-8", "surrogateescape")).hexdigest()[:20]


class Desk:
    """The queue of one results folder, for all who sit at it."""

    def __init__(
        self, results: Results, names: Sequence[str], only: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.results, self.only, self.clock = results, only, clock
        self.seats = tuple(Seat(by) for by in names)
        self._tokens = {secrets.token_urlsafe(24): seat for seat in self.seats}
        self._lock = threading.RLock()
        self._open: tuple[Item, ...] = ()
        self._state: Any = None
        self._held: dict[str, tuple[Seat, float]] = {}

    @property
    def tokens(self) -> dict[str, str]:
        """The tokens that are still to be used, by the name of who is to use them."""
        return {seat.by: token for token, seat in self._tokens.items()}

    def sit(self, token: str) -> Seat | None:
        """Let a browser in for a token, once; None where there is no such token, or no more."""
        with self._lock:
            known = next((one for one in self._tokens if secrets.compare_digest(one.encode(), token.encode())), None)
            if known is None:
                return None
            seat = self._tokens.pop(known)
            seat.session, seat.csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            return seat

    def seat_of(self, session: str) -> Seat | None:
        """Return whose browser it is; None of a stranger's."""
        given = session.encode()
        return next((s for s in self.seats if s.session and secrets.compare_digest(s.session.encode(), given)), None)

    def open_items(self) -> tuple[Item, ...]:
        """Return what waits, read again where anybody else has decided, graded or taken something back."""
        with self._lock:
            state = self._signature()
            if state != self._state:
                self._open, self._state = waiting(self.results, self.only), state
            return self._open

    def _signature(self) -> Any:
        """What changes when a decision is made or taken back, and when the class is graded again."""
        found = []
        for name in ("overrides.json", "index.json", "journal.jsonl", "reports"):
            try:
                status = (self.results.folder / name).stat()
                found.append((name, status.st_mtime_ns, status.st_size))
            except OSError:
                found.append((name, 0, 0))
        return found

    def next_for(self, seat: Seat) -> Shown | None:
        """Return what ``seat`` should look at now, and keep it for them; None where nothing is left for them."""
        with self._lock:
            found, now = self.open_items(), self.clock()
            self._held = {one: held for one, held in self._held.items() if now - held[1] < HELD_S}
            free = [item for item in found if self._free(item, seat)]
            for group in groups(free):
                members = tuple(item for item in group if name_of(item) not in seat.passed)
                if members:
                    self._held = {one: held for one, held in self._held.items() if held[0] is not seat}
                    self._held |= {name_of(item): (seat, now) for item in members}
                    left = sum(name_of(item) not in seat.passed for item in found)
                    return Shown(members[0], members[1:], left)
            return None

    def _free(self, item: Item, seat: Seat) -> bool:
        holder = self._held.get(name_of(item))
        return holder is None or holder[0] is seat

    def find(self, name: str) -> Item | None:
        """Return the open item of that name."""
        return next((item for item in self.open_items() if name_of(item) == name), None)

    def give(self, seat: Seat, names: Sequence[str], points: Decimal, why: str) -> str:
        """Decide the open ones of the items named; return what is to be said of it. Raises GraderError.

        What somebody else has decided meanwhile stays as they decided it.
        """
        with self._alone():
            items = tuple(item for name in names if (item := self.find(name)) is not None)
            gone = len(names) - len(items)
            if not items:
                return self._taken()
            decide(self.results, items, points, why, seat.by)
            seat.done.append(items)
            self._open = tuple(item for item in self._open if item not in items)
            self._state = self._signature()
            more = f" for {len(items)} answers" if len(items) > 1 else ""
            lost = f" {gone} had been decided by somebody else." if gone else ""
            return f"{points.normalize():f} of {items[0].most.normalize():f} points{more}.{lost}"

    def _taken(self) -> str:
        return "Somebody else has decided this meanwhile; their decision stands."

    def pass_over(self, seat: Seat, names: Sequence[str]) -> None:
        """Leave items for later, or for others."""
        with self._lock:
            seat.passed |= set(names)
            self._held = {one: held for one, held in self._held.items() if one not in names}

    def bring_back(self, seat: Seat) -> None:
        """Offer again what was passed over."""
        seat.passed.clear()

    def undo(self, seat: Seat) -> str:
        """Take back the last decision of ``seat``, unless somebody has changed it since; return what is to be said."""
        with self._alone():
            if not seat.done:
                return "There is nothing to take back."
            items = seat.done.pop()
            mine = tuple(item for item in items if self._is_by(item, seat))
            if not mine:
                return "Somebody has decided this anew or taken it back; nothing is changed."
            take_back(self.results, mine, seat.by)
            seat.passed -= {name_of(item) for item in mine}
            return "Taken back; it waits again."

    def _is_by(self, item: Item, seat: Seat) -> bool:
        kept = self.results.overrides().get(CHECKS, {}).get(item.key, {})
        parts = item.parts or (item,)
        return all(kept.get(part.check, {}).get("by") == seat.by for part in parts)

    def log(self) -> list[dict[str, str]]:
        """Return every decision that stands, the latest first: who gave how much to what, when and why."""
        kept = self.results.overrides().get(CHECKS, {})
        names = {key: row["name"] for key, row in self.results.everybody().items()}
        found = [
            {"student": StudentText(names.get(key) or key), "check": check,
             **{name: StudentText(str(one[name])) for name in ("points", "most", "by", "when", "reason")}}
            for key, checks in kept.items()
            for check, one in checks.items()
        ]  # fmt: skip
        return sorted(found, key=lambda one: one["when"], reverse=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder: nobody else writes to it. Raises GraderError where another program does not let go."""
        with self._lock, locked(self.results, PATIENCE_S):
            yield
