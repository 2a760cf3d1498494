"""What is wrong with one hand-in costs that student alone, and is told."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.attempts import choose
from grader.classroom.entry import Entry, FileRef, read
from grader.classroom.gradebook import export
from grader.errors import GraderError, UnreadableError
from tests.classroom.conftest import NO_SCALE, RIGHT, write
from tests.classroom.exports import collect
from tests.growth import SQUARE, growth


def packed(path: Path, files: dict[str, str]) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files.items():
            out.writestr(name, text)
    return path.read_bytes()


def wrong_sum(data: bytes) -> bytes:
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    return data[: at + 16] + b"\0\0\0\0" + data[at + 20 :]


def locked(data: bytes) -> bytes:
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    here = int.from_bytes(data[at + 42 : at + 46], "little")
    found = bytearray(data)
    found[at + 8] |= 1
    found[here + 6] |= 1
    return bytes(found)


def elsewhere(data: bytes) -> bytes:
    """The second member begins where nothing is."""
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    return data[: at + 42] + b"\xff\xff\xff\x7f" + data[at + 46 :]


def unknown_method(data: bytes) -> bytes:
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    return data[: at + 10] + b"\x63\0" + data[at + 12 :]


@pytest.mark.parametrize("damage", [wrong_sum, locked, elsewhere, unknown_method])
@pytest.mark.parametrize("names", [("annsmith_1_11", "bobjones_2_22", "cylee_3_33"), ("ann", "bob", "cy")])
def test_one_bad_member_of_an_export_costs_one_student(
    damage: Callable[[bytes], bytes], names: tuple[str, ...], tmp_path: Path
) -> None:
    end = "_hw.py" if "_" in names[0] else ".py"
    data = packed(tmp_path / "class.zip", {f"{name}{end}": RIGHT for name in names})
    (tmp_path / "class.zip").write_bytes(damage(data))
    entries = collect(tmp_path / "class.zip")[1]
    assert len(entries) == 3
    ann, bob, cy = entries
    assert read(ann).modules
    assert read(cy).modules
    with pytest.raises(UnreadableError):
        read(bob)


SEVEN, RAR = b"7z\xbc\xaf\x27\x1c" + bytes(40), b"Rar!\x1a\x07\x00" + bytes(40)


@pytest.mark.parametrize(
    ("name", "data"), [("class.7z", SEVEN), ("class.rar", RAR), ("class.tar.xz", bytes(40))], ids=["7z", "rar", "xz"]
)
def test_a_class_in_an_archive_that_is_not_read_is_told_as_that(
    grader: Callable[..., Any], name: str, data: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "roster.csv").write_text("name,id\nAnn Smith,11\n")
    found = grader("grade", name, "-a", "attention-numpy", "-o", "r", "--roster", "roster.csv")
    assert found.code == 2
    assert "this kind of archive is not read" in found.out + found.err
    assert "nothing was handed in" not in found.out + found.err


def test_one_students_archive_that_is_not_read_or_leads_out_costs_nobody_else(tmp_path: Path) -> None:
    odd = packed(tmp_path / "odd", {"hw.py": RIGHT, "../x.py": "x = 1\n"})
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as out:
        for name, data in (("ann.7z", SEVEN), ("bob.rar", RAR), ("cy.zip", odd), ("dee.py", RIGHT.encode())):
            out.writestr(name, data)
    ann, bob, cy, dee = collect(tmp_path / "class.zip")[1]
    for one in (ann, bob):
        with pytest.raises(UnreadableError, match="this kind of archive is not read"):
            read(one)
    assert read(dee).modules
    found = read(cy)
    assert found.modules
    assert any("leads out" in note for note in found.notes)


def test_the_class_is_graded_around_it_also_again(grader: Callable[..., Any], tmp_path: Path) -> None:
    data = packed(
        tmp_path / "class.zip", {f"{name}_hw.py": RIGHT for name in ("ann_11_211", "bob_12_212", "cy_13_213")}
    )
    (tmp_path / "class.zip").write_bytes(wrong_sum(data))
    words = ("grade", "class.zip", "-a", "attention-numpy", "-o", "r", "--isolation", "standard", "--jobs", "1")
    first = grader(*words)
    assert first.code == 0
    assert "2 full marks, 1 unreadable" in first.out
    assert "cannot be read: bob" in first.out
    assert "0 graded" in grader(*words).out


@pytest.mark.parametrize("damage", [wrong_sum, locked, elsewhere, unknown_method])
def test_a_single_damaged_archive_is_said_in_one_line(
    damage: Callable[[bytes], bytes], grader: Callable[..., Any], tmp_path: Path
) -> None:
    data = packed(tmp_path / "hw.zip", {"hw/a.py": RIGHT, "hw/b.py": "x = 1\n"})
    (tmp_path / "hw.zip").write_bytes(damage(data))
    ran = grader("grade", "hw.zip", "-a", "attention-numpy", "--isolation", "standard")
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_links_are_told_and_not_followed(grader: Callable[..., Any], tmp_path: Path) -> None:
    folder = write(tmp_path / "class", {"ann/hw.py": RIGHT, "bob/hw.py": NO_SCALE, "cy/notes.md": "x"})
    outside = write(tmp_path / "outside", {"hw.py": RIGHT})
    (folder / "dan.py").symlink_to(outside / "hw.py")
    (folder / "eve").symlink_to(outside)
    (folder / "cy" / "hw.py").symlink_to(outside / "hw.py")
    entries = {entry.key: entry for entry in collect(folder)[1]}
    assert read(entries["cy"]).notes == ("hw.py: a link is not followed.",)
    with pytest.raises(UnreadableError, match="link"):
        read(entries["dan"])
    ran = grader("grade", folder, "-a", "attention-numpy", "-o", "r", "--isolation", "standard", "--jobs", "1")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "cannot be read: cy, dan" in said
    assert "taken for nobody's hand-in: eve;" in said, "a linked folder is not opened, and is told"


def test_a_folder_that_nobody_may_look_into_is_its_students_and_costs_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "class", {"ann/hw.py": RIGHT, "bob/hw.py": RIGHT, "bob/in/x.py": "", "cy/hw.py": RIGHT})
    (folder / ".venv").mkdir()
    look, shut = os.scandir, {str(folder / name) for name in (".venv", "bob/in", "cy")}

    def scandir(path: Any) -> Any:
        if str(path) in shut:
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "listdir", lambda path: [entry.name for entry in scandir(path)])
    ann, bob, cy = collect(folder)[1]
    assert read(ann).notes == ()
    assert read(bob).notes == ("in/*: not read, the file cannot be read (IsADirectoryError).",)
    with pytest.raises(UnreadableError, match="the folder cannot be read"):
        read(cy)
    shut.add(str(folder))
    with pytest.raises(GraderError, match="the folder cannot be read"):
        collect(folder)


def test_what_the_user_may_not_read_is_no_fault_of_ours(
    grader: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    ran = grader("rubric", "validate", "shut/rubric.yaml")
    assert (ran.code, ran.err.partition(". ")[0]) == (2, "grader: shut/rubric.yaml: Permission denied")


def entry(text: str, **more: Any) -> Entry:
    return Entry("ann", "Ann", (FileRef(Path("x"), "hw.py", content=text.encode()),), **more)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {}),
        ({"submitted_at": "3/4/2026 10:00"}, {"submitted_at": "4/3/2026 10:00"}),
        ({"submitted_at": "Sep 1, 2026 9:00 AM"}, {}),
        ({"submitted_at": "Sep 1, 2026 9:00 AM"}, {"submitted_at": "2026-09-01T10:00:00Z"}),
        ({"submitted_at": "Sep 1, 2026 9:00 AM"}, {"submitted_at": "2026-09-01 09:00"}),
        ({"untold": True}, {"untold": True, "attempt": 2}),
    ],
)
def test_nothing_is_picked_where_nobody_can_tell_which_came_last(first: dict[str, Any], second: dict[str, Any]) -> None:
    (chosen,) = choose([entry("1", **first), entry("2", **second)], "latest")
    assert "which came last cannot be told" in chosen.problem
    assert [file.name for file in chosen.files] == ["attempt 1/hw.py", "attempt 2/hw.py"]
    with pytest.raises(UnreadableError, match="--attempt best"):
        read(chosen)
    assert len(choose([entry("1", **first), entry("2", **second)], "best")) == 2
    (same,) = choose([entry("1", **first), entry("1", **second)], "latest")
    assert not same.problem, "the same twice is the same"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Sep 9, 2026 1000 PM", "Sep 10, 2026 900 AM"),
        ("Aug 31, 2026 1000 PM", "Sep 1, 2026 900 AM"),
        ("Sep 1, 2026 1100 AM", "Sep 1, 2026 1000 PM"),
        ("Sep 1, 2026 1201 AM", "Sep 1, 2026 1100 AM"),
        ("2026-09-01-12-05-00", "2026-09-02-00-05-00"),
        ("2 September 2026, 9:00 AM", "11 September 2026, 8:00 AM"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:10:00+01:00"),
        ("2026-09-01 23:00:00 America/New_York", "2026-09-02 05:00:01 Europe/Berlin"),
        ("20260909221005000", "20260910091005000"),
    ],
)
def test_the_later_time_counts_in_the_form_of_every_platform(earlier: str, later: str) -> None:
    for order in ((earlier, later), (later, earlier)):
        (chosen,) = choose([entry(when, submitted_at=when) for when in order], "latest")
        assert (chosen.submitted_at, chosen.problem) == (later, "")


def test_a_later_source_and_a_platforms_count_tell_the_order() -> None:
    (chosen,) = choose([entry("new", source=1), entry("old")], "latest")
    assert chosen.files[0].content == b"new"
    (chosen,) = choose([entry("new", attempt=2), entry("old")], "latest")
    assert chosen.files[0].content == b"new"


def test_several_assignments_of_nbgrader_are_a_question(tmp_path: Path) -> None:
    files = {f"submitted/{who}/{hw}/hw.py": RIGHT for who in ("ann", "bob") for hw in ("ps1", "ps2")}
    folder = write(tmp_path / "course", {**files, "source/ps1/hw.py": RIGHT})
    with pytest.raises(GraderError, match=r"2 assignments: ps1, ps2"):
        collect(folder)
    one = collect(folder, pattern=r"submitted/(?P<user>[^/]+)/ps1/(?P<file>.+)")[1]
    assert [found.name for found in one] == ["ann", "bob"]


@pytest.mark.parametrize(
    ("platform", "ids", "begin", "piece"),
    [
        ("blackboard", "Username", "HW1 [", "9"),
        ("blackboard", "Username", "HW1", " [9"),
        ("brightspace", "OrgDefinedId", "HW1", " Points Grade <MaxPoints:9"),
        ("brightspace", "OrgDefinedId", "HW1 Points Grade <", "MaxPoints:9"),
    ],
)
def test_a_heading_of_any_length_is_read_once(platform: str, ids: str, begin: str, piece: str, tmp_path: Path) -> None:
    def fill(length: int) -> None:
        sheet = tmp_path / "sheet.csv"
        sheet.write_text(f"{ids},{begin}{piece * (length // len(piece))}\nal,\n", encoding="utf-8")
        with pytest.raises(GraderError):
            export(platform, (), title="HW1", sheet=sheet)

    assert growth(fill, 30_000) < SQUARE


@pytest.mark.parametrize(
    ("name", "begin", "piece"),
    [
        ("ann.py", "import numpy", "\n"),
        ("HW_al_attempt_2026-09-01-20-00-00.txt", "Name:", " "),
        ("HW_al_attempt_2026-09-01-20-00-00.txt", "Name:", "(a"),
    ],
)
def test_a_file_of_any_length_is_read_once(name: str, begin: str, piece: str, tmp_path: Path) -> None:
    beside = "bob.py" if name == "ann.py" else name.replace(".txt", "_hw.py")

    def gather(length: int) -> None:
        packed(tmp_path / "class.zip", {name: f"{begin}{piece * length}!", beside: "x = 1\n"})
        assert collect(tmp_path / "class.zip")[1]

    assert growth(gather, 20_000) < SQUARE
