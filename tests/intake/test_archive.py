from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import UnreadableError
from grader.intake import caps
from grader.intake.archive import gather

Make = Callable[..., bytes]
CODE = b"def softmax(x): return x\n"


def refused(name: str, data: bytes) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        gather(name, data)
    assert caught.value.where == name
    assert caught.value.cure
    return caught.value


def test_a_zip_gives_its_files_sorted_and_by_value(make_zip: Make) -> None:
    found = gather("hw.zip", make_zip({"b.py": b"2", "a.py": CODE, "notes/report.md": b"#", "data.npy": b"\0"}))
    assert found.files == (("a.py", CODE), ("b.py", b"2"), ("notes/report.md", b"#"))
    assert found.notes == ()


def test_a_tar_gives_the_same_as_a_zip(make_tar: Make, make_zip: Make) -> None:
    files = {"hw/a.py": CODE, "hw/" + "long" * 40 + "/b.md": b"#" * 700, "./c.py": b"1"}
    assert gather("hw.tar.gz", make_tar(files)) == gather("hw.zip", make_zip(files))
    assert gather("hw.tar", make_tar(files, "w")).files == gather("hw.zip", make_zip(files)).files


@pytest.mark.parametrize("form", [0, 1, 2])
def test_long_names_are_read_in_every_form_of_tar(form: int) -> None:
    name = "folder_" * 12 + "/" + "é" * 40 + ".md"
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=form) as archive:
        info = tarfile.TarInfo(name)
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
    assert gather("hw.tar", whole.getvalue()).files == ((name, b"abc"),)


def test_backslashes_are_folders_and_litter_is_left_out(make_zip: Make) -> None:
    litter = [
        "__MACOSX/._a.py", "._a.py", ".DS_Store", "src/__pycache__/a.py", ".git/hook.py", ".ipynb_checkpoints/a.ipynb",
        "venv/lib/x.py", "env3/pyvenv.cfg", "env3/lib/site.py", "lib/site-packages/p.py", "~$report.docx",
    ]  # fmt: skip
    found = gather("hw.zip", make_zip({"src\\a.py": CODE, **dict.fromkeys(litter, "x")}))
    assert found.files == (("src/a.py", CODE),)


@pytest.mark.parametrize(
    "name",
    ["../a.py", "a/../../b.py", "/etc/a.py", "C:\\a.py", "c:a.py", "..\\a.py", "\\a.py", "__MACOSX/../../a.py", "a/.."],
)
def test_paths_that_lead_out_cost_themselves_and_nothing_beside_them(name: str, make_zip: Make, make_tar: Make) -> None:
    for archive, make in (("hw.zip", make_zip), ("hw.tar.gz", make_tar)):
        if name.startswith("__MACOSX") and make is make_tar:
            continue
        found = gather(archive, make({"hw.py": CODE, name: b"", "b.bin": b"x"}))
        assert found.files == (("hw.py", CODE),)
        (note,) = found.notes
        assert "leads out" in note
        assert "leads out" in refused(archive, make({name: b"", "b.bin": b"x"})).what
        beside = gather(archive, make({"hw.py": CODE, name: b"", "../x.py": b"", "/y.py": b"", "D:\\z.py": b""}))
        assert beside.files == (("hw.py", CODE),)
        assert len(beside.notes) == 3 + (name != "../x.py")


@pytest.mark.parametrize("lead", ["../", "../../", "./../", "/home/me/", "/", "C:\\Users\\me\\", "c:", "..\\"])
def test_paths_that_all_lead_out_alike_are_read_behind_that(lead: str, make_zip: Make, make_tar: Make) -> None:
    for archive, make in (("hw.zip", make_zip), ("hw.tar", make_tar)):
        found = gather(archive, make({f"{lead}hw/hw.py": CODE, f"{lead}hw/tools/t.py": CODE}))
        assert [path[path.index("hw/") :] for path, _ in found.files] == ["hw/hw.py", "hw/tools/t.py"]
        assert not any(".." in path or ":" in path or path.startswith("/") for path, _ in found.files)
        assert "are read behind" in found.notes[0]


def test_of_many_paths_that_lead_out_a_few_are_named(make_zip: Make) -> None:
    inside = {f"hw{n}.py": CODE for n in range(10)}
    out = {**{f"../{n}.py": CODE for n in range(9)}, "d/" * 20 + "x.py": b""}
    found = gather("hw.zip", make_zip({**inside, **out}))
    assert dict(found.files) == inside
    assert len(found.notes) == 6
    assert "5 others" in found.notes[-1]
    assert gather("hw.zip", make_zip({"hw.py": CODE, **out})).files == (("hw.py", CODE),)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_links_and_devices_in_a_zip_are_refused(kind: int) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        info = zipfile.ZipInfo("hw.py")
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert refused("hw.zip", whole.getvalue()).what == "it holds a link or device: hw.py"


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"6", b"S"])
def test_links_devices_and_holes_in_a_tar_are_refused(kind: bytes, make_tar: Make) -> None:
    assert "link or device" in refused("hw.tar.gz", make_tar({"hw.py": b""}, type=kind, linkname="/etc/passwd")).what


def test_bombs_are_refused_whatever_the_header_says(make_zip: Make, make_tar: Make) -> None:
    zeros = bytes(30 << 20)
    bomb = make_zip({"hw.py": zeros})
    assert refused("hw.zip", bomb).what == "hw.py has more than 10 MB"
    assert "inflates to more than 200 times" in refused("hw.zip", make_zip({"a.md": zeros[: 20 << 20]})).what
    assert refused("hw.tar.gz", make_tar({"hw.py": bytes(70 << 20)})).what == "it holds more than 64 MB"
    # The directory at the end claims 10 bytes.
    at = bomb.rindex(b"PK\x01\x02")
    lying = bomb[: at + 24] + struct.pack("<L", 10) + bomb[at + 28 :]
    assert refused("hw.zip", lying).what == "the archive is damaged or not an archive"


def test_large_documents_are_left_out_and_large_data_is_not_read(make_zip: Make) -> None:
    found = gather("hw.zip", make_zip({"hw.py": CODE, "data.csv": bytes(26 << 20), "model.pt": bytes(90 << 20)}))
    assert found.files == (("hw.py", CODE),)
    assert found.notes == ("data.csv: left out, more than 25 MB.",)


def test_counts_and_depths_are_capped(make_zip: Make) -> None:
    assert "1000 files" in refused("hw.zip", make_zip({f"{n}.py": b"" for n in range(1001)})).what
    assert "nested too deeply" in refused("hw.zip", make_zip({"a/" * 20 + "b.py": b""})).what
    endless = make_zip({"a.py": b""}) + b"PK\x01\x02" * (caps.ENTRIES + 1)
    assert "entries" in refused("hw.zip", endless).what


def test_archives_inside_are_opened_where_no_code_lies_beside_them(make_zip: Make) -> None:
    inner = make_zip({"b.py": b"x = 1"})
    beside = gather("hw.zip", make_zip({"hw.py": CODE, "inner.zip": inner}))
    assert beside.files == (("hw.py", CODE),)
    assert beside.notes == ("inner.zip: an archive beside code is not opened.",)
    alone = gather("hw.zip", make_zip({"report.pdf": b"%PDF", "src/inner.zip": inner}))
    assert alone.files == (("report.pdf", b"%PDF"), ("src/inner/b.py", b"x = 1"))
    for _ in range(caps.INNER_DEPTH - 1):
        inner = make_zip({"again.zip": inner})
    assert [path for path, _ in gather("hw.zip", make_zip({"i.zip": inner})).files] == ["i/again/b.py"]
    deep = gather("hw.zip", make_zip({"i.zip": make_zip({"j.zip": inner})}))
    assert deep.files == ()
    assert deep.notes == ("again.zip: an archive so deep inside is not opened.",)


def test_a_bad_archive_inside_is_a_remark_and_costs_nothing_else(make_zip: Make) -> None:
    found = gather(
        "hw.zip", make_zip({"notes.md": b"x", "a.rar": b"Rar!", "b.zip": b"PK", "c.zip": make_zip({"c.py": CODE})})
    )
    assert [path for path, _ in found.files] == ["c/c.py", "notes.md"]
    assert found.notes == (
        "a.rar: not read, this kind of archive is not read.",
        "b.zip: not read, the archive is damaged or not an archive.",
    )


def test_two_files_of_one_name_are_refused(make_zip: Make) -> None:
    assert (
        refused("hw.zip", make_zip({"src/a.py": b"1", "src\\a.py": b"2"})).what == "it holds two files named src/a.py"
    )


def test_passwords_and_unusual_methods_are_named(make_zip: Make) -> None:
    plain = make_zip({"hw.py": CODE})
    at, local = plain.rindex(b"PK\x01\x02"), 0
    locked = bytearray(plain)
    locked[at + 8] |= 1
    locked[local + 6] |= 1
    assert refused("hw.zip", bytes(locked)).what == "it is locked with a password"
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("hw.py", CODE)
    assert refused("hw.zip", whole.getvalue()).what == "it is packed with an unusual method"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("hw.zip", b""),
        ("hw.zip", b"PK\x05\x06"),
        ("hw.tar.gz", b"\x1f\x8b\x08junk"),
        ("hw.tar", b"x" * 1024),
        ("hw.tar", b""),
    ],
)
def test_what_is_no_archive_is_called_damaged(name: str, data: bytes) -> None:
    assert refused(name, data).what == "the archive is damaged or not an archive"


def test_other_archives_are_named_with_the_cure(make_zip: Make) -> None:
    assert refused("hw.rar", b"Rar!").what == "this kind of archive is not read"
    assert refused("hw.zip", b"Rar!\x1a\x07").what == "this is no zip, whatever its name says"
    assert "plain zip" in refused("hw.7z", make_zip({})).cure


def _samples() -> list[tuple[str, bytes]]:
    packed, plain = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("src/hw.py", CODE * 5)
        archive.writestr("a.md", "text")
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as other:
        info = tarfile.TarInfo("é" * 80 + ".md")
        info.size = 4
        other.addfile(info, io.BytesIO(b"text"))
    return [
        ("hw.zip", packed.getvalue()),
        ("hw.tar", plain.getvalue()),
        ("hw.tar.gz", gzip.compress(plain.getvalue(), mtime=0)),
    ]


@settings(max_examples=60)
@given(data=st.data())
def test_any_damage_ends_in_files_or_one_error(data: st.DataObject) -> None:
    name, whole = data.draw(st.sampled_from(_samples()))
    mutable = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        mutable[data.draw(st.integers(0, len(mutable) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(mutable)))
    with suppress(UnreadableError):
        gather(name, bytes(mutable[:cut] if cut % 3 == 0 else mutable))


@pytest.mark.parametrize("size", [b"-0000001000\0", b"+0000001000\0", b"0_000001000\0", b"0000000008_\0"])
@pytest.mark.parametrize("kind", [b"0", b"L", b"x", b"g", b"K"])
def test_a_size_that_leads_back_in_a_tar_is_damage_and_no_endless_loop(kind: bytes, size: bytes) -> None:
    head = bytearray(512)
    head[:5], head[124:136], head[156:157], head[257:265] = b"hw.py", size, kind, b"ustar\x0000"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    assert "damaged" in str(refused("work.tar", bytes(head) + bytes(1024)))


def test_many_streams_one_after_the_other_are_refused_at_once() -> None:
    assert "streams" in str(refused("work.tar.gz", gzip.compress(b"") * (caps.STREAMS + 1)))


def test_a_tar_packed_in_two_streams_is_read(make_tar: Make) -> None:
    data = make_tar({"hw.py": b"x = 1\n"})
    plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    packed = gzip.compress(plain[:600]) + gzip.compress(plain[600:])
    assert [name for name, _ in gather("work.tar.gz", packed).files] == ["hw.py"]
