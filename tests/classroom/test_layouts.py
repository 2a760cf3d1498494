from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grader.classroom.entry import read
from grader.classroom.layouts import detect, entries_in, ignored_in
from grader.errors import GraderError
from tests.classroom.exports import collect

CODE = "def softmax(x):\n    return x\n"


def make(folder: Path, names: dict[str, str]) -> Path:
    for name, text in names.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def zipped(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                out.write(path, path.relative_to(folder).as_posix())
    return archive


CANVAS = {
    "obriensmithmaryann_LATE_12345_98765_hw1.py": CODE,
    "josé_12346_98770_my_file_2.py": CODE,
    "josé_12346_98771_extra-1.py": "x = 1\n",
    "anon_aB3xY_98766_hw1.py": CODE,
    "zoë_777_98772_hw1.py": "old = 1\n",
    "zoë_777_98799_hw1-1.py": CODE,
    "blank_778_text.html": "<p>I could not upload</p>",
}


@pytest.mark.parametrize("packed", [False, True])
def test_canvas_names_late_marks_anonymous_and_resubmissions_are_read(tmp_path: Path, packed: bool) -> None:
    folder = make(tmp_path / "export", CANVAS)
    source = zipped(folder, tmp_path / "nlp-hw1_submissions.zip") if packed else folder
    layout, entries = collect(source)
    assert layout == "canvas"
    by_name = {entry.name: entry for entry in entries}
    assert by_name["obriensmithmaryann"].late
    assert not by_name["josé"].late
    assert by_name["josé"].ids == ("12346",)
    assert [file.name for file in by_name["josé"].files] == ["extra.py", "my_file_2.py"]
    assert by_name["anonymous aB3xY"].key == "anon-ab3xy"
    assert read(by_name["zoë"]).modules[0].source == CODE, "the resubmission replaces the first file"
    (typed,) = read(by_name["blank"]).documents
    assert typed.path.endswith("text.html"), "what was typed in is not lost"
    assert by_name["blank"].notes == ("a text entry was handed in",)


def test_canvas_groups_may_be_numbered(tmp_path: Path) -> None:
    names = ("team_3_10002_90002_hw.py", "team_12_LATE_10003_90003_1_hw.py", "ann_10004_90004_98765_hw.py")
    layout, entries = collect(make(tmp_path / "export", dict.fromkeys(names, CODE)))
    assert layout == "canvas"
    found = {entry.name: (entry.ids, entry.late, entry.files[0].name) for entry in entries}
    assert found == {
        "team_3": (("10002",), False, "hw.py"),
        "team_12": (("10003",), True, "1_hw.py"),
        "ann": (("10004",), False, "98765_hw.py"),
    }


def test_canvas_of_small_numbers_keeps_numbers_in_file_names(tmp_path: Path) -> None:
    _, entries = collect(make(tmp_path / "export", {"ann_7_1234_200_hw.py": CODE, "bob_8_1235_hw.py": CODE}))
    found = {entry.name: (entry.ids, entry.files[0].name) for entry in entries}
    assert found == {"ann": (("7",), "200_hw.py"), "bob": (("8",), "hw.py")}


MOODLE = {
    "Mary Ann O'Brien_657737_assignsubmission_file_/hw1.py": CODE,
    "Mary Ann O'Brien_657737_assignsubmission_onlinetext_/onlinetext.html": "<p>hello</p>",
    "Jean-Luc Müller_657738_assignsubmission_file/src/hw1.py": CODE,
    "Participant_657739_assignsubmission_file_/hw1.py": CODE,
}


def test_moodle_folders_of_both_ages_are_read_and_an_online_text_is_noted(tmp_path: Path) -> None:
    layout, entries = collect(make(tmp_path / "HW1", MOODLE))
    assert layout == "moodle"
    by_name = {entry.name: entry for entry in entries}
    assert set(by_name) == {"Mary Ann O'Brien", "Jean-Luc Müller", "Participant 657739"}
    assert by_name["Mary Ann O'Brien"].notes == ("a text was written online beside the files",)
    assert by_name["Mary Ann O'Brien"].key == "mary-ann-obrien-657737"
    assert [file.name for file in by_name["Jean-Luc Müller"].files] == ["src/hw1.py"]
    assert by_name["Participant 657739"].key == "participant-657739"
    assert by_name["Participant 657739"].ids == ("657739", "Participant 657739")


def test_flat_moodle_files_are_read(tmp_path: Path) -> None:
    layout, entries = collect(
        make(
            tmp_path / "HW1", {"A B_12_assignsubmission_file_hw1.py": CODE, "C D_13_assignsubmission_file_my.py": CODE}
        )
    )
    assert layout == "moodle"
    assert [(entry.name, entry.files[0].name) for entry in entries] == [("A B", "hw1.py"), ("C D", "my.py")]


GRADESCOPE = """\
submission_101:
  :submitters:
  - :name: Solo Student
    :sid: '100'
    :email: solo@example.edu
  :created_at: 2026-09-10 02:00:00 Z
  :score: 8.0
  :history: []
submission_102:
  :submitters:
  - :name: First Partner
    :email: first@example.edu
  - :name: Second Partner
    :sid: '103'
  :created_at: 2026-09-11 02:00:00 Z
"""


def test_gradescope_metadata_gives_names_groups_and_times(tmp_path: Path) -> None:
    files = {
        "submission_metadata.yml": GRADESCOPE,
        "submission_101/hw.py": CODE,
        "submission_102/hw.py": CODE,
        "submission_104/hw.py": CODE,
    }
    layout, entries = collect(make(tmp_path / "assignment_9100_export", files))
    assert layout == "gradescope"
    solo, group, unknown = entries
    assert (solo.name, solo.ids, solo.submitted_at) == (
        "Solo Student",
        ("100", "solo@example.edu", "submission_101"),
        "2026-09-10T02:00:00+00:00",
    )
    assert group.members == ("First Partner", "Second Partner")
    assert unknown.notes == ("not in the metadata",)


def test_github_user_names_with_hyphens_are_kept_whole(tmp_path: Path) -> None:
    files = {"hw-1-mary-ann/hw.py": CODE, "hw-1-mary-lou/hw.py": CODE, "hw-1-zed/hw.py": CODE}
    layout, entries = collect(make(tmp_path / "hw-1-submissions", files))
    assert layout == "github"
    assert [entry.name for entry in entries] == ["mary-ann", "mary-lou", "zed"]


def test_classroom50_results_of_an_earlier_run_are_no_part_of_the_hand_in(tmp_path: Path) -> None:
    files = {
        "nlp-hw1-alice/hw.py": CODE,
        "nlp-hw1-alice/result.json": "{}",
        "nlp-hw1-b-c/hw.py": CODE,
        "scores.csv": "a,b\n",
    }
    layout, entries = collect(make(tmp_path / "nlp-hw1_submissions_2026-09-01T14-32-05Z", files))
    assert layout == "classroom50"
    assert [(entry.name, [file.name for file in entry.files]) for entry in entries] == [
        ("alice", ["hw.py"]),
        ("b-c", ["hw.py"]),
    ]


def test_drive_files_are_read_by_the_name_in_front(tmp_path: Path) -> None:
    files = {"Ana María - hw1.py": CODE, "Bo Li - hw1.py": CODE, "Copy of Bo Li - notes (1).md": "x"}
    layout, entries = collect(make(tmp_path / "Drive", files))
    assert layout == "drive"
    assert [(entry.name, sorted(file.name for file in entry.files)) for entry in entries] == [
        ("Ana María", ["hw1.py"]),
        ("Bo Li", ["hw1.py", "notes.md"]),
    ]


def test_a_plain_folder_takes_subfolders_archives_and_files(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "class", {"ann/hw.py": CODE, "bob/hw.py": CODE, "bob/__pycache__/hw.pyc": "x", "__MACOSX/._x": "x"}
    )
    layout, entries = collect(folder)
    assert layout == "plain"
    assert [(entry.key, [file.name for file in entry.files]) for entry in entries] == [
        ("ann", ["hw.py"]),
        ("bob", ["hw.py"]),
    ]
    assert detect(folder).is_class


def test_files_that_import_each_other_are_one_submission(tmp_path: Path) -> None:
    one = make(tmp_path / "work", {"attention.py": "from masks import m\n", "masks.py": "m = 1\n"})
    assert not detect(one).is_class
    assert detect(make(tmp_path / "class", {"ann.py": CODE, "bob.py": CODE})).is_class


@pytest.mark.parametrize("beside", ["test_mine.py", "attention_test.py", "conftest.py"])
def test_work_with_its_own_tests_beside_it_is_one_submission(tmp_path: Path, beside: str) -> None:
    assert not detect(make(tmp_path / "work", {"attention.py": CODE, beside: "print(1)\n"})).is_class


def test_people_with_the_same_name_get_keys_of_their_own(tmp_path: Path) -> None:
    _, entries = collect(
        make(tmp_path / "m", {"Al B_1_assignsubmission_file_/h.py": CODE, "Al B_2_assignsubmission_file_/h.py": CODE})
    )
    assert [entry.key for entry in entries] == ["al-b-1", "al-b-2"]


def test_an_own_pattern_names_people(tmp_path: Path) -> None:
    folder = make(tmp_path / "x", {"hw1__s123__late.py": CODE, "hw1__s124.py": CODE})
    layout, entries = collect(folder, pattern=r"__(?P<user>s\d+)(?P<late>__late)?")
    assert layout == "own"
    assert [(entry.name, entry.late) for entry in entries] == [("s123", True), ("s124", False)]
    with pytest.raises(GraderError, match="names nobody"):
        collect(folder, pattern=r"hw")


def test_an_own_pattern_parts_attempts_by_time_or_number(tmp_path: Path) -> None:
    files = {"2026-09-05_LATE_zhang_hw.py": CODE, "2026-09-03_zhang_hw.py": CODE, "2026-09-03_zhang_soft.py": CODE}
    folder = make(tmp_path / "x", files)
    pattern = r"(?P<when>[\d-]+)_(?P<late>LATE_)?(?P<name>[a-z]+)_(?P<file>.+)"
    assert [
        (entry.key, entry.submitted_at, entry.late, entry.attempt, sorted(file.name for file in entry.files))
        for entry in collect(folder, pattern=pattern)[1]
    ] == [("zhang", "2026-09-03", False, 1, ["hw.py", "soft.py"]), ("zhang", "2026-09-05", True, 2, ["hw.py"])]
    folder = make(tmp_path / "y", {f"bo_try{n}.py": CODE for n in (2, 10, 1)})
    tries = collect(folder, pattern=r"(?P<name>[a-z]+)_try(?P<attempt>\d+)")[1]
    assert [(entry.attempt, entry.files[0].name) for entry in tries] == [
        (1, "bo_try1.py"), (2, "bo_try2.py"), (3, "bo_try10.py"),
    ]  # fmt: skip


def test_a_path_that_climbs_out_of_a_zip_costs_nobody_else_and_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as out:
        out.writestr("../evil.py", CODE)
        out.writestr("ok_1001_2002_hw.py", CODE)
    found = detect(tmp_path / "bad.zip")
    entries = entries_in(tmp_path / "bad.zip", found)
    assert [entry.name for entry in entries] == ["ok"]
    assert ignored_in(found, entries) == ("../evil.py",)
