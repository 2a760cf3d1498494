"""Files of an export are read by value, whatever happens to the export meanwhile."""

from __future__ import annotations

import zipfile
from pathlib import Path

from grader.classroom.entry import FileRef


def _export(path: Path, text: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", text)
    return path


def test_an_export_that_was_downloaded_again_is_read_anew(tmp_path: Path) -> None:
    export = _export(tmp_path / "class.zip", "first")
    member = FileRef(export, "a.py", "a.py")
    assert member.read(100) == b"first"
    _export(tmp_path / "new.zip", "second one").replace(export)
    assert member.read(100) == b"second one"


def test_many_files_of_many_exports_are_read_in_any_order(tmp_path: Path) -> None:
    exports = [_export(tmp_path / f"{number}.zip", str(number)) for number in range(5)]
    members = [FileRef(export, "a.py", "a.py") for export in exports] * 2
    assert [member.read(10) for member in members] == [b"0", b"1", b"2", b"3", b"4"] * 2
    assert members[3].read(0) == b"3"  # one byte more than asked for tells that there is more
