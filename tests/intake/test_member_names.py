"""A module whose name has an accent is found, whatever packed or kept it."""

from __future__ import annotations

import io
import tarfile
import unicodedata
import zipfile
from pathlib import Path

import pytest

from grader.intake.loading import load, load_bytes
from grader.model.submission import Submission

FILES = {"Lösung/hälfte.py": "def softmax(x):\n    return x\n", "Lösung/main.py": "from hälfte import softmax\n"}


def zipped(names: dict[str, str], encoding: str) -> bytes:
    """A zip whose names are in ``encoding`` and that does not say so."""

    class Member(zipfile.ZipInfo):
        def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile asks this for the name's bytes
            return self.filename.encode(encoding), self.flag_bits & ~0x800

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in names.items():
            archive.writestr(Member(name), text)
    return out.getvalue()


def modules(found: Submission) -> set[str]:
    return {module.name for module in found.modules}


def apart() -> dict[str, str]:
    return {unicodedata.normalize("NFD", name): text for name, text in FILES.items()}


@pytest.mark.parametrize(
    ("encoding", "accents_apart"), [("utf-8", True), ("utf-8", False), ("cp1252", False), ("cp850", False)]
)
def test_in_a_zip(encoding: str, accents_apart: bool) -> None:
    data = zipped(apart() if accents_apart else FILES, encoding)
    expected = modules(load_bytes("hw.zip", zipped(FILES, "utf-8")))
    assert any("hälfte" in name for name in expected)
    assert modules(load_bytes("hw.zip", data)) == expected


def test_in_a_folder_and_a_tar(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in apart().items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
            path = tmp_path / "hw" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for found in (load(tmp_path / "hw"), load_bytes("hw.tar.gz", out.getvalue())):
        assert any("hälfte" in name for name in modules(found))
