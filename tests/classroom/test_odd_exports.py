"""Exports as they come, each with what is odd in it: layout, names, lateness, attempts and groups come out right."""

from __future__ import annotations

import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from grader.classroom.attempts import choose
from grader.classroom.entry import Entry, read
from grader.classroom.gathering import ClassOptions, gathered
from grader.classroom.roster import match, read_roster
from grader.errors import GraderError
from tests.classroom.exports import collect

from .conftest import RIGHT, write

CODE = "def softmax(x):\n    return x\n"


def packed(folder: Path, files: dict[str, str], name: str) -> Path:
    """A zip of ``files``, as a platform would make it."""
    archive = folder / name
    with zipfile.ZipFile(archive, "w") as out:
        for inside, text in files.items():
            out.writestr(inside, text)
    return archive


def by_name(entries: tuple[Entry, ...]) -> dict[str, Entry]:
    return {entry.name: entry for entry in entries}


def names(entry: Entry) -> list[str]:
    return sorted(file.name for file in entry.files)


def roster(folder: Path, text: str) -> Path:
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_canvas_in_a_folder_of_its_own_with_late_marks_groups_and_odd_file_names(tmp_path: Path) -> None:
    files = {
        "submissions/đặngvăn_LATE_88_9001_hw 1 (final).py": CODE,
        "submissions/team7_4512_9002_attention_2_3.py": CODE,
        "submissions/team7_4512_9003_softmax.py": CODE,
        "submissions/lee_90_9004_part-1.py": "a = 1\n",
        "submissions/lee_90_9005_part-2.py": "b = 2\n",
        "submissions/kim_91_9006_hw-3.py": CODE,
        "submissions/LATE_anon_Zx9_9007_hw.ipynb": "{}",
        "submissions/solo_92_link.html": "<a href='https://x.example'>",
        "__MACOSX/submissions/._lee_90_9004_part-1.py": "x",
    }
    layout, entries = collect(packed(tmp_path, files, "nlp-101-hw1_submissions.zip"))
    assert layout == "canvas"
    found = by_name(entries)
    assert {name: entry.late for name, entry in found.items()} == {
        "đặngvăn": True, "team7": False, "lee": False, "kim": False, "anonymous Zx9": True, "solo": False,
    }  # fmt: skip
    assert names(found["team7"]) == ["attention_2_3.py", "softmax.py"]
    assert names(found["lee"]) == ["part-1.py", "part-2.py"], "two files side by side are no resubmission"
    assert names(found["kim"]) == ["hw.py"]
    assert found["solo"].files == ()
    assert found["solo"].notes == ("a link was handed in",)


def test_canvas_that_was_unpacked_into_a_folder_of_a_folder(tmp_path: Path) -> None:
    files = {"export/hw1/ann_1001_20_hw.py": CODE, "export/hw1/bob_LATE_1002_21_hw.py": CODE}
    layout, entries = collect(write(tmp_path, files) / "export")
    assert (layout, [entry.name for entry in entries]) == ("canvas", ["ann", "bob"])


def test_moodle_blind_with_online_text_teams_and_subfolders(tmp_path: Path) -> None:
    files = {
        "Participant_1_assignsubmission_file_/hw.py": CODE,
        "Participant_2_assignsubmission_file_/hw.py": CODE,
        "O_Neill Seán_3_assignsubmission_file_/src/hw.py": CODE,
        "O_Neill Seán_3_assignsubmission_file_/src/masks.py": "m = 1\n",
        "Iva Nová_4_assignsubmission_onlinetext_/onlinetext.html": "<p>typed</p>",
        "mnovak_Max Novak_5_assignsubmission_file_/hw.py": CODE,
    }
    layout, entries = collect(packed(tmp_path, files, "CS-HW1-42.zip"))
    assert layout == "moodle"
    found = by_name(entries)
    assert sorted(found) == ["Iva Nová", "O Neill Seán", "Participant 1", "Participant 2", "mnovak Max Novak"]
    assert names(found["O Neill Seán"]) == ["src/hw.py", "src/masks.py"]
    assert [file.path for file in read(found["Iva Nová"]).documents] == ["onlinetext.html"]


def test_moodle_worksheet_as_roster_tells_names_and_when(tmp_path: Path) -> None:
    source = write(tmp_path / "m", {
        "Participant_7_assignsubmission_file_/hw.py": CODE, "Participant_8_assignsubmission_file_/hw.py": CODE,
    })  # fmt: skip
    sheet = roster(
        tmp_path,
        "Identifier,Full name,Email address,Status,Last modified (submission)\n"
        'Participant 7,Mary O\'Brien,m@x.edu,Submitted,"Friday, 4 September 2026, 9:00 PM"\n'
        "Participant 8,José Núñez,j@x.edu,Submitted,-\nParticipant 9,Ned,n@x.edu,No submission,-\n",
    )
    found = match(collect(source)[1], read_roster(sheet))
    assert [(entry.name, entry.submitted_at) for entry in found.entries] == [
        ("Mary O'Brien", "Friday, 4 September 2026, 9:00 PM"),
        ("José Núñez", ""),
    ]
    assert [student.name for student in found.missing] == ["Ned"]


def gradescope(folder: Path) -> Path:
    metadata = """\
---
submission_9:
  :submitters: &1
  - !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    :name: Łukasz D'Arcy-Żak
    :sid: '0042'
    :email: lukasz@x.edu
  :created_at: !ruby/object:Time 2026-09-10 02:00:00.123456000 Z
  :score: 8.0
  :results:
    :output: |
      :name: not a key
      submission_9: nor this
submission_10:
  :submitters: *1
  :created_at: 2026-09-11 02:00:00 Z
  :history:
  - :id: 9
submission_11:
  :submitters:
  - :name: Ann
    :email: ann@x.edu
  - :name: Bo
    :sid: '77'
  - :name: Cy
  :created_at: 2026-09-12 02:00:00 -0700
submission_12:
  :submitters: []
  :created_at:
"""
    files = {f"submission_{n}/hw.py": f"{CODE}# {n}\n" for n in (9, 10, 11, 12)}
    return write(folder / "assignment_1_export", {"submission_metadata.yml": metadata, **files})


def test_gradescope_with_rubys_own_tags_attempts_and_groups_of_three(tmp_path: Path) -> None:
    layout, entries = collect(gradescope(tmp_path))
    assert layout == "gradescope"
    assert [(entry.key, entry.name, entry.attempt) for entry in entries] == [
        ("submission_9", "Łukasz D'Arcy-Żak", 1),
        ("submission_9", "Łukasz D'Arcy-Żak", 2),
        ("submission_11", "Ann, Bo, Cy", 1),
        ("submission_12", "submission_12", 1),
    ]
    chosen = choose(entries, "latest")
    assert [(entry.name, entry.ids[-1], entry.attempt) for entry in chosen] == [
        ("Ann, Bo, Cy", "submission_11", 1),
        ("submission_12", "submission_12", 1),
        ("Łukasz D'Arcy-Żak", "submission_10", 2),
    ]
    group = entries[2]
    assert group.member_ids == (("ann@x.edu",), ("77",), ())
    assert [entry.submitted_at for entry in entries][1:] == [
        "2026-09-11T02:00:00+00:00",
        "2026-09-12T02:00:00-07:00",
        "",
    ]


def test_gradescope_documents_are_numbered_by_their_file_names(tmp_path: Path) -> None:
    metadata = (
        "101.pdf:\n  :submitters:\n  - :name: Ann Lee\n    :sid: 'A7'\n102.pdf:\n  :submitters:\n  - :name: Bo Ma\n"
    )
    files = {"submission_metadata.yml": metadata, "101.pdf": "%PDF", "102.pdf": "%PDF"}
    layout, entries = collect(write(tmp_path / "assignment_5_export", files))
    assert layout == "gradescope"
    assert [(entry.name, entry.ids, names(entry)) for entry in entries] == [
        ("Ann Lee", ("A7", "submission_101"), ["101.pdf"]),
        ("Bo Ma", ("submission_102",), ["102.pdf"]),
    ]


def test_a_group_has_all_its_members_handed_in_and_known_by_the_roster(tmp_path: Path) -> None:
    sheet = roster(tmp_path, "name,sid,email\nAnn,1,ann@x.edu\nBo,77,bo@x.edu\nCy,3,cy@x.edu\nDee,4,dee@x.edu\n")
    found = match(choose(collect(gradescope(tmp_path))[1], "latest"), read_roster(sheet))
    group = next(entry for entry in found.entries if entry.members)
    assert group.key == "ann"
    assert group.members == ("Ann", "Bo", "Cy")
    assert group.member_ids == (("1", "ann@x.edu"), ("77", "bo@x.edu"), ("3", "cy@x.edu"))
    assert [student.name for student in found.missing] == ["Dee"]


def test_github_repositories_with_the_table_of_grades_beside_and_as_roster(tmp_path: Path) -> None:
    files = {
        "hw-1-mary-ann/attention.py": CODE,
        "hw-1-mary-ann/README.md": "# hw",
        "hw-1-mary-ann/.github/workflows/ci.yml": "on: push",
        "hw-1-ann/attention.py": CODE,
        "grades.csv": "x",
    }
    source = write(tmp_path / "hw-1-submissions", files)
    layout, entries = collect(source)
    assert (layout, [entry.name for entry in entries]) == ("github", ["ann", "mary-ann"])
    sheet = roster(
        tmp_path,
        "assignment_name,github_username,roster_identifier,student_repository_name,submission_timestamp\n"
        "hw-1,ann,Ann Lee,hw-1-ann,2026-09-01 14:33:11 UTC\n"
        "hw-1,mary-ann,Mary Ann,hw-1-mary-ann,2026-09-03 14:33:11 UTC\n",
    )
    found = match(entries, read_roster(sheet))
    assert [(entry.name, entry.submitted_at) for entry in found.entries] == [
        ("Ann Lee", "2026-09-01 14:33:11 UTC"),
        ("Mary Ann", "2026-09-03 14:33:11 UTC"),
    ]
    assert (found.missing, found.unknown, found.ambiguous) == ((), (), ())


@pytest.mark.parametrize("folder", ["hw-1-submissions", "week3", "submissions"])
def test_repositories_in_a_folder_of_any_name_find_their_students(tmp_path: Path, folder: str) -> None:
    files = {f"hw-1-{user}/attention.py": CODE for user in ("mary-ann", "mary-lou", "jo-ann")}
    sheet = roster(tmp_path, "name,github\nAnn,ann\nMary,mary-ann\nLou,mary-lou\nJo,jo-ann\n")
    found = match(collect(write(tmp_path / folder, files))[1], read_roster(sheet))
    assert sorted(entry.name for entry in found.entries) == ["Jo", "Lou", "Mary"]
    assert [student.name for student in found.missing] == ["Ann"]


def test_only_a_slug_that_the_class_shares_parts_a_user_name_from_a_folder(tmp_path: Path) -> None:
    files = {"mary-ann/hw.py": CODE, "bob/hw.py": CODE, "jo.e-luc@x.edu/hw.py": CODE}
    sheet = roster(tmp_path, "name,github,email\nAnn,ann,a@x.edu\nLuc,luc,luc@x.edu\nBob,bob,b@x.edu\n")
    found = match(collect(write(tmp_path / "class", files))[1], read_roster(sheet))
    assert sorted(entry.name for entry in found.entries) == ["Bob", "jo.e-luc@x.edu", "mary-ann"], "nobody is guessed"


def test_a_team_is_found_by_its_name_on_the_roster(tmp_path: Path) -> None:
    files = {"hw-2-team-rocket/hw.py": CODE, "hw-2-the-bees/hw.py": CODE, "hw-2-zed/hw.py": CODE}
    sheet = roster(
        tmp_path,
        "name,github,group_name\nAnn,ann,Team Rocket\nBob,bob,team-rocket\n"
        "Cy,cy,The Bees\nZed,zed,\nNed,ned,Nobodies\n",
    )
    found = match(collect(write(tmp_path / "hw-2-submissions", files))[1], read_roster(sheet))
    assert {entry.name: entry.members for entry in found.entries} == {
        "team-rocket": ("Ann", "Bob"),
        "the-bees": ("Cy",),
        "Zed": (),
    }
    assert next(entry for entry in found.entries if entry.members).member_ids == (("ann",), ("bob",))
    assert [student.name for student in found.missing] == ["Ned"]


def test_classroom50_says_when_and_for_whom(tmp_path: Path) -> None:
    result = '{"schema":"classroom50/result/v1","usernames":["b-c","dee"],"datetime":"2026-09-01T14:33:11Z"}'
    files = {
        "nlp-hw-1-alice/hw.py": CODE,
        "nlp-hw-1-alice/result.json": "cut off {",
        "nlp-hw-1-b-c/hw.py": CODE,
        "nlp-hw-1-b-c/result.json": result,
        "scores.csv": "username\n",
    }
    wrapped = {f"nlp-hw-1_submissions_2026-09-01T14-32-05Z/{name}": text for name, text in files.items()}
    layout, entries = collect(packed(tmp_path, wrapped, "download.zip"))
    assert layout == "classroom50"
    assert [(entry.name, entry.submitted_at, entry.members) for entry in entries] == [
        ("alice", "", ()),
        ("b-c", "2026-09-01T14:33:11Z", ("b-c", "dee")),
    ]
    assert names(entries[1]) == ["hw.py"]


def test_drive_with_hyphens_copies_and_several_files(tmp_path: Path) -> None:
    files = {
        "Jean-Luc Müller - hw1.py": CODE,
        "Jean-Luc Müller - hw1 (1).py": RIGHT,
        "Jean-Luc Müller - report.pdf": "%PDF",
        "Ana María O'Neil-Žák - hw1.py": CODE,
        "Copy of Bo Li - hw1.ipynb": "{}",
        "scan.py": CODE,
        "roster.csv": "name\n",
    }
    wrapped = {f"HW1/Submissions/{name}": text for name, text in files.items()}
    layout, entries = collect(packed(tmp_path, wrapped, "drive-download-20260910T120000Z-001.zip"))
    assert layout == "drive"
    found = by_name(entries)
    assert sorted(found) == ["Ana María O'Neil-Žák", "Bo Li", "Jean-Luc Müller", "scan.py"]
    assert names(found["Jean-Luc Müller"]) == ["hw1.py", "report.pdf"]
    assert read(found["Jean-Luc Müller"]).modules[0].source == RIGHT, "the newest copy counts"
    assert found["scan.py"].notes == ("the file name does not say whose it is",)


def test_drive_with_the_title_in_front(tmp_path: Path) -> None:
    files = {"Homework 1 - Ana María.py": CODE, "Homework 1 - Jean-Luc.py": CODE, "Homework 1 - Bo.py": CODE}
    layout, entries = collect(write(tmp_path / "d", files))
    assert layout == "drive"
    assert [(entry.name, names(entry)) for entry in entries] == [
        ("Ana María", ["Homework 1.py"]), ("Bo", ["Homework 1.py"]), ("Jean-Luc", ["Homework 1.py"]),
    ]  # fmt: skip


def test_a_plain_folder_with_work_and_text_of_the_same_name_keeps_both(tmp_path: Path) -> None:
    files = {"ann.py": CODE, "ann.pdf": "%PDF", "bob.py": CODE, "README.md": "hand in here", ".github/x.yml": "a: 1"}
    layout, entries = collect(write(tmp_path / "class", files))
    assert layout == "plain"
    assert {entry.name: names(entry) for entry in entries} == {"ann": ["ann.pdf", "ann.py"], "bob": ["bob.py"]}


def doubled(form: str) -> str:
    return "".join(form.format(b, ", ".join([f"*{a}"] * 10)) for a, b in pairwise("abcdefghijklmnop"))


BOMBS = {"lists of lists": "xa: &a [z, z]\n" + doubled("x{0}: &{0} [{1}]\n"), "itself": "xa: &p [*p]\n"}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_gradescope_metadata_that_grows_without_end_is_read_by_its_length(tmp_path: Path, bomb: str) -> None:
    person = "  - :name: *p\n    :sid: *p\n    :email: kim@x.example\n"
    last = bomb.replace("&p", "&q").replace("*p", "*q") + "xz: &p [*p]\n"
    told = f"{last}submission_1:\n  :submitters:\n{person}  :created_at: *p\n"
    files = {"submission_metadata.yml": told, "submission_1/hw.py": CODE}
    layout, entries = collect(packed(tmp_path, files, "assignment_1_export.zip"))
    assert layout == "gradescope"
    assert [(entry.name, entry.ids, entry.submitted_at) for entry in entries] == [
        ("submission_1", ("kim@x.example", "submission_1"), "")
    ]


def test_gradescope_metadata_of_merged_keys_is_refused(tmp_path: Path) -> None:
    told = "xa: &a {z: 1}\n" + doubled("x{0}: &{0} {{<<: [{1}]}}\n")
    files = {"submission_metadata.yml": told, "submission_1/hw.py": CODE}
    with pytest.raises(GraderError, match="no valid YAML"):
        collect(packed(tmp_path, files, "assignment_1_export.zip"))


@pytest.mark.parametrize(
    ("result", "members"),
    [('{"usernames": ["ada", "bob"]}', ("ada", "bob")), ('{"usernames": ["bob", "eve"]}', ()),
     ('{"usernames": [["ada"], {"ada": 1}, 7]}', ()), ("[" * 100_000, ()), ('{"usernames": ' * 5000, ())],
)  # fmt: skip
def test_a_classroom50_result_names_a_group_only_with_the_one_whose_repository_it_lies_in(
    tmp_path: Path, result: str, members: tuple[str, ...]
) -> None:
    files = {"nlp-hw-ada/hw.py": CODE, "nlp-hw-ada/result.json": result, "nlp-hw-bob/hw.py": CODE}
    written = write(tmp_path / "nlp-hw_submissions_2026-09-01T00:00:00", files)
    layout, entries = collect(written)
    assert layout == "classroom50"
    assert {entry.name: entry.members for entry in entries} == {"ada": members, "bob": ()}


@pytest.mark.parametrize(
    "text",
    [
        "name,id\nAnn Lee,0012345\nBen Cole,12346\n",
        "Course CS101,,\nExported in May,,\n\nLast name,First name,Student id\nLee,Ann,12345\nCole,Ben,0012346\n",
        "Kurs 5\nNachname;Vorname;Matrikelnummer\nLee;Ann;12345\nCole;Ben;12346\n",
    ],
    ids=["zeros taken off", "a title above", "a title of another form"],
)
def test_a_roster_may_have_a_title_and_lose_the_zeros_of_its_ids(text: str, tmp_path: Path) -> None:
    archive = packed(tmp_path, {"0012345/hw.py": RIGHT, "0012346/hw.py": RIGHT}, "class.zip")
    told = match(collect(archive)[1], read_roster(roster(tmp_path, text)))
    assert [entry.name for entry in told.entries] == ["Ann Lee", "Ben Cole"]
    assert told.missing == told.unknown == told.ambiguous == ()


def test_a_number_that_is_two_peoples_id_but_for_its_zeros_is_nobodys(tmp_path: Path) -> None:
    archive = packed(tmp_path, {"007/hw.py": RIGHT, "08/hw.py": RIGHT}, "class.zip")
    told = match(collect(archive)[1], read_roster(roster(tmp_path, "name,id\nAnn,7\nBen,07\nCy,8\n")))
    assert [entry.name for entry in told.entries] == ["007", "Cy"]
    assert len(told.ambiguous) == 1


@pytest.mark.parametrize("cut", ["1.01235E+08", "1,01235E+08", "1E+10", "1.0e+9"])
def test_an_id_that_a_spreadsheet_cut_short_is_nobodys_and_said(cut: str, tmp_path: Path) -> None:
    column = f'"{cut}"'
    told = read_roster(roster(tmp_path, f"name,id,email\nAnn,{column},ann@x.org\nAnn,{column},\nBen,1e5,\n"))
    assert [(one.ids, one.lost) for one in told] == [(("ann@x.org",), (cut,)), ((), (cut,)), (("1e5",), ())]
    archive = packed(tmp_path, {"ann@x.org/hw.py": RIGHT, "Ben/hw.py": RIGHT}, "class.zip")
    found = gathered([archive], ClassOptions(tmp_path / "r", roster=tmp_path / "roster.csv"), str)
    assert f"cut these ids on the roster short, so they tell nobody: Ann ({cut})" in found.remarks[0].replace(";", ",")


def test_a_quote_that_is_not_closed_in_a_roster_makes_no_student_of_the_rest(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="over several lines"):
        read_roster(roster(tmp_path, 'name,id\n"Ann Lee,1\nBen Cole,2\n'))
