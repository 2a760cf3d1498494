"""The results folder: one JSON report per submission, written atomically, with an index; safe to copy and to diff.

::

    results/
      index.json            what was graded under which settings; one line per student
      journal.jsonl         lines that are not in the index yet: there while a run is at work, or after it was killed
      reports/<key>.json    grader/report/v1, everything that staff may see
      overrides.json        decisions of people; survive regrades, as comments.json does
      history.jsonl         every change of a score, with its reason
      rubric.yaml           what the scores were made with; rubric.before.yaml by which they were made before
      policy.yaml           lateness, extensions and caps, where the instructor gave them
      alike.json            which submissions are alike, once `grader similar` has looked
      roster.csv            who is in the class, where the instructor said so
      .lock                 who writes here now
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from grader.errors import GraderError, system_errors

FORMAT = "grader/results/v1"
EXCUSED = "_excused"
"""The place of a person's excuse among decisions; no criterion begins with an underscore."""
CHECKS = "_checks"
"""The place of decisions on single answers; no student's key begins with an underscore."""
AGAIN_S = 0.05
"""Seconds between two tries of who waits for the folder's lock."""


@dataclass(frozen=True, slots=True)
class Results:
    """A results folder on disk."""

    folder: Path

    @property
    def reports(self) -> Path:
        """Where the reports lie."""
        return self.folder / "reports"

    def path_of(self, key: str) -> Path:
        """The report of one submission."""
        return self.reports / f"{key}.json"

    @property
    def rubric(self) -> Path:
        """The rubric by which the scores were made."""
        return self.folder / "rubric.yaml"

    @property
    def policy(self) -> Path:
        """The policy that the instructor gave, where there is one."""
        return self.folder / "policy.yaml"

    @property
    def roster(self) -> Path:
        """The roster that the instructor gave, where there is one."""
        return self.folder / "roster.csv"

    def index(self) -> dict[str, Any]:
        """The index with the lines of the journal, or an empty one. Raises GraderError where it is something else."""
        found = read_json(self.folder / "index.json", {"schema": FORMAT, "settings": {}, "students": {}}, FORMAT)
        for line in _lines(self.folder / "journal.jsonl"):
            if "key" in line:
                found["students"][line["key"]] = line["row"]
            else:
                found["settings"] |= line.get("settings", {})
                found |= {name: value for name, value in line.items() if name != "settings"}
        return found

    def keep_rubric(self, text: str) -> None:
        """Keep the rubric by which the scores are made; another one that was there before stays beside it."""
        before = self.rubric.read_text(encoding="utf-8") if self.rubric.is_file() else text
        if before != text:
            write_atomically(self.folder / "rubric.before.yaml", before)
        write_atomically(self.rubric, text)

    def absent(self) -> dict[str, Any]:
        """Who of the roster handed in nothing, by key, as lines of the index: marked, and with nothing earned."""
        index = self.index()
        held = {known for row in index["students"].values() for known in row["ids"]} | {*index["students"]}
        rows = index["students"].values()
        most: Mapping[str, Any] = max(rows, key=lambda row: Decimal(row.get("max_score", 0)), default={})
        nothing = {
            "members": [], "verdict": "absent", "absent": True, "max_score": most.get("max_score", "0"),
            "criteria": {name: ["0", "0", whole] for name, (_, _, whole) in most.get("criteria", {}).items()},
        }  # fmt: skip
        return {
            one["key"]: {"name": one["name"], "ids": one["ids"], **nothing}
            for one in index.get("absentees", ())
            if not held & {one["key"], *one["ids"]}
        }

    def everybody(self) -> dict[str, Any]:
        """Lines of the index by key, with those of the roster who handed in nothing."""
        return {**self.absent(), **self.index()["students"]}

    def open_index(self) -> Index:
        """The index for a run that writes: small in memory, and every line safe as soon as it is put."""
        found = self.index()
        rows = {key: _line(row) for key, row in found.pop("students").items()}
        return Index(self, found, rows)

    def report(self, key: str) -> dict[str, Any] | None:
        """One report as data; None where there is none or it was cut off."""
        try:  # a key in a file that was changed by hand may be no name of a file
            found = json.loads(self.path_of(key).read_text(encoding="utf-8")) if self.has_report(key) else None
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def has_report(self, key: str) -> bool:
        """Whether there is a report with something in it."""
        try:
            return self.path_of(key).stat().st_size > 0
        except OSError:
            return False

    def all_reports(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All reports by key, in the order of the keys, one at a time."""
        for path in sorted(self.reports.glob("*.json")):
            found = self.report(path.stem)
            if found is not None:
                yield path.stem, found

    def write_report(self, key: str, text: str) -> None:
        """Write one report atomically."""
        write_atomically(self.path_of(key), text)

    def write_whole(self, head: Mapping[str, Any], rows: Mapping[str, str]) -> None:
        """Write the index atomically: one line per student, in the order of the keys."""
        used = {json.loads(row).get("settings") for row in rows.values()}
        kept = {digest: found for digest, found in head.get("settings", {}).items() if digest in used}
        opening = json.dumps({**head, "settings": kept}, indent=1, ensure_ascii=False, sort_keys=True)

        def parts() -> Iterator[str]:
            yield opening[:-2] + ',\n "students": {'
            for number, key in enumerate(sorted(rows)):
                yield f"{',' if number else ''}\n  {json.dumps(key, ensure_ascii=False)}: {rows[key]}"
            yield "\n }\n}\n"

        write_atomically(self.folder / "index.json", parts())

    def overrides(self) -> dict[str, Any]:
        """Decisions of people: {key: {criterion: {points, reason, by, when}}}."""
        return read_json(self.folder / "overrides.json", {})

    def write_overrides(self, overrides: Mapping[str, Any]) -> None:
        """Write the decisions atomically."""
        self.write_json("overrides.json", overrides)

    def write_json(self, name: str, found: Mapping[str, Any]) -> None:
        """Write a file of the folder atomically, keys in order."""
        write_atomically(self.folder / name, json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")

    def alike(self) -> list[dict[str, Any]]:
        """Pairs of submissions that are alike, as `grader similar` last found them: both keys and the likeness."""
        pairs: list[dict[str, Any]] = read_json(self.folder / "alike.json", {"pairs": []})["pairs"]
        return pairs

    def record(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Append to the history; one JSON object a line."""
        text = "".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines)
        if text:
            path = self.folder / "history.jsonl"
            with _said(path), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)

    def history(self) -> list[dict[str, Any]]:
        """All recorded changes; a line that was cut off by a crash is left out."""
        return _lines(self.folder / "history.jsonl")


@dataclass(slots=True)
class Index:
    """The index while it is written: ``head`` about the whole class, one line of JSON per student in ``rows``.

    A line that is put goes to the journal at once; :meth:`close` writes the index in the order of the keys and takes
    the journal away. A run that is killed between the two loses nothing.
    """

    results: Results
    head: dict[str, Any]
    rows: dict[str, str]
    _journal: IO[str] | None = field(default=None)

    def row(self, key: str) -> dict[str, Any] | None:
        """The line of one student; None where there is none."""
        text = self.rows.get(key)
        return None if text is None else dict(json.loads(text))

    def begin(self, head: Mapping[str, Any]) -> None:
        """Say under which settings lines are put from now on. Raises GraderError where nothing can be written."""
        self.head = {**self.head, **head, "settings": {**self.head.get("settings", {}), **head.get("settings", {})}}
        self._append(_line(head))

    def know(self, digest: str, settings: Mapping[str, str]) -> None:
        """Remember settings under which lines were made."""
        if digest not in self.head.setdefault("settings", {}):
            self.begin({"settings": {digest: settings}})

    def put(self, key: str, row: Mapping[str, Any]) -> None:
        """Replace the line of one student. Raises GraderError where it cannot be written."""
        self.rows[key] = _line(row)
        self._append(f'{{"key": {json.dumps(key, ensure_ascii=False)}, "row": {self.rows[key]}}}')

    def _append(self, line: str) -> None:
        path = self.results.folder / "journal.jsonl"
        with _said(path):
            if self._journal is None:
                self._journal = path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n")
                self._journal.write("\n" if path.stat().st_size else "")  # the last line may have been cut off
            self._journal.write(line + "\n")
            self._journal.flush()

    def close(self) -> None:
        """Write the index, atomically, and take the journal away. Raises GraderError; the journal stays then."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self.results.write_whole(self.head, self.rows)
        self.results.folder.joinpath("journal.jsonl").unlink(missing_ok=True)


def open_results(folder: Path) -> Results:
    """Make or open a results folder. Raises GraderError where it cannot be written."""
    try:
        (folder / "reports").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise GraderError(
            f"the results folder cannot be written ({error.strerror})", str(folder), "Choose another folder with -o."
        ) from error
    return Results(folder)


def existing(folder: Path) -> Results:
    """Open a results folder that must be there. Raises GraderError."""
    if not any((folder / name).is_file() for name in ("index.json", "journal.jsonl")):
        raise GraderError(
            "this is no results folder", str(folder), "Make one with `grader grade CLASS -a ID -o RESULTS`."
        )
    return Results(folder)


@contextmanager
def locked(results: Results, patience: float = 0.0) -> Iterator[None]:
    """Hold the folder's lock. Raises GraderError when another run holds it for longer than ``patience`` seconds.

    The system frees the lock of a process that ends, however it ends, so one that a dead run left is simply taken.
    """
    path = results.folder / ".lock"
    with _said(path):
        file = _held(path, time.monotonic() + patience)
    with file:
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        file.flush()
        for half in (*results.folder.glob(".*.part"), *results.reports.glob(".*.part")):
            half.unlink(missing_ok=True)  # a killed run left it; nobody else writes here now
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _held(path: Path, until: float) -> IO[str]:
    """Open and lock the file; again where another run took it away between the two, or may let go of it in time."""
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = _holder(file.read())
            file.close()
            if time.monotonic() < until:
                time.sleep(AGAIN_S)
                continue
            raise GraderError(f"another run{holder} writes here", str(path.parent), "Wait for it to end.") from None
        try:
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        file.close()


def _holder(text: str) -> str:
    try:
        found = json.loads(text)
        return f" (process {found['pid']} on {found['host']})"
    except (ValueError, KeyError, TypeError):
        return ""


def write_atomically(path: Path, text: str | Iterable[str], cure: str = "") -> None:
    """Write the whole file or nothing: beside it first, then renamed over it. Raises GraderError.

    ``text`` may come in parts, so that a large file is never in memory as a whole.
    """
    with _said(path, cure):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.writelines([text] if isinstance(text, str) else text)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _said(path: Path, cure: str = "") -> AbstractContextManager[None]:
    """Turn the system's refusal to write into one line for the instructor."""
    usual = "Is the disk full or the folder read-only?" if path.parent.is_dir() else "Make its folder first."
    return system_errors(path, cure or usual)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, sort_keys=True)


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file to which is only ever added; one that was cut off is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    found = []
    for line in text.split("\n"):  # splitlines would break at U+2028, which JSON leaves as it is
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return [line for line in found if isinstance(line, dict)]


def now() -> str:
    """The time, as decisions and the history have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_json(path: Path, empty: dict[str, Any], schema: str = "") -> dict[str, Any]:
    """Read a file of the folder; ``empty`` where there is none. Raises GraderError."""
    if not path.exists():
        return empty
    try:
        with system_errors(path, "Restore it from a copy.", "read"):
            found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        cure = "Restore it from a copy, or remove it to begin anew."
        raise GraderError("is not valid JSON", str(path), cure) from error
    if not isinstance(found, dict) or (schema and found.get("schema") != schema):
        raise GraderError("is not an index of this grader", str(path), "Choose another folder.")
    return found
