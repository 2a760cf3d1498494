"""The results folder: one JSON report per submission, written atomically, with an index; safe to copy and to diff.

::

    results/
      index.json            what was graded under which settings; one line per student
      reports/<key>.json    grader/report/v1, everything that staff may see
      overrides.json        decisions of people; survive regrades
      history.jsonl         every change of a score, with its reason
      .lock                 who writes here now
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import GraderError

FORMAT = "grader/results/v1"


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

    def index(self) -> dict[str, Any]:
        """The index, or an empty one. Raises GraderError where the folder holds something else."""
        return _read(self.folder / "index.json", {"schema": FORMAT, "students": {}}, FORMAT)

    def report(self, key: str) -> dict[str, Any] | None:
        """One report as data; None where there is none or it was cut off."""
        try:
            found = json.loads(self.path_of(key).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
            return None
        return found if isinstance(found, dict) else None

    def all_reports(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All reports by key, in the order of the keys, one at a time."""
        for path in sorted(self.reports.glob("*.json")):
            found = self.report(path.stem)
            if found is not None:
                yield path.stem, found

    def write_report(self, key: str, text: str) -> None:
        """Write one report atomically."""
        write_atomically(self.path_of(key), text)

    def write_index(self, index: Mapping[str, Any]) -> None:
        """Write the index atomically, keys in order."""
        write_atomically(
            self.folder / "index.json", json.dumps(index, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        )

    def overrides(self) -> dict[str, Any]:
        """Decisions of people: {key: {criterion: {points, reason, by, when}}}."""
        return _read(self.folder / "overrides.json", {}, None)

    def write_overrides(self, overrides: Mapping[str, Any]) -> None:
        """Write the decisions atomically."""
        write_atomically(
            self.folder / "overrides.json", json.dumps(overrides, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        )

    def record(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Append to the history; one JSON object a line."""
        text = "".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines)
        if text:
            with self.folder.joinpath("history.jsonl").open("a", encoding="utf-8") as file:
                file.write(text)

    def history(self) -> list[dict[str, Any]]:
        """All recorded changes; a line that was cut off by a crash is left out."""
        try:
            text = self.folder.joinpath("history.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        found = []
        for line in text.splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return found


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
    if not (folder / "index.json").is_file():
        raise GraderError(
            "this is no results folder", str(folder), "Make one with `grader grade CLASS -a ID -o RESULTS`."
        )
    return Results(folder)


@contextmanager
def locked(results: Results) -> Iterator[None]:
    """Hold the folder's lock, taking over one left by a dead run. Raises GraderError when another run is at work."""
    path = results.folder / ".lock"
    mine = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": _started(os.getpid())})
    for _ in range(2):
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            _refuse_if_alive(path)
            path.unlink(missing_ok=True)
            continue
        with os.fdopen(handle, "w") as file:
            file.write(mine)
        break
    else:
        raise GraderError("another run writes here", str(results.folder), "Wait for it to end.")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _refuse_if_alive(path: Path) -> None:
    try:
        holder = json.loads(path.read_text())
        pid, host, started = int(holder["pid"]), str(holder["host"]), holder["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # cut off while it was written: its writer is dead
    if host != socket.gethostname():
        raise GraderError(
            f"another run on {host} writes here",
            str(path.parent),
            f"If that run is dead, remove {path.name} and start again.",
        )
    if _started(pid) == started and started is not None:
        raise GraderError(f"another run (process {pid}) writes here", str(path.parent), "Wait for it to end.")


def _started(pid: int) -> str | None:
    """When a process started, in the system's own words; None where it does not run (or cannot be told)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return None
    return "running"


def write_atomically(path: Path, text: str) -> None:
    """Write the whole file or nothing: beside it first, then renamed over it. Raises GraderError."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        what, cure = f"cannot be written ({error.strerror})", "Is the disk full or the folder read-only?"
        raise GraderError(what, str(path), cure) from error


def _read(path: Path, empty: dict[str, Any], schema: str | None) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return empty
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise GraderError(
            "is not valid JSON", str(path), "Restore it from a copy, or remove it to begin anew."
        ) from error
    if not isinstance(found, dict) or (schema and found.get("schema") != schema):
        raise GraderError("is not an index of this grader", str(path), "Choose another folder.")
    return found
