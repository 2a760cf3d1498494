"""Every reader of the grader's own process takes damaged files: refused in words, soon, and in little memory."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.catalog.places import data_root
from grader.classroom.attempts import choose
from grader.classroom.entry import distinct, read
from grader.classroom.gradebook import export
from grader.classroom.layouts import detect, entries_in, ignored_in
from grader.classroom.policy import load_policy
from grader.classroom.roster import match, read_roster
from grader.classroom.standing import digest_of
from grader.cli import main
from grader.errors import GraderError
from grader.intake.loading import load
from tests.classroom.conftest import NO_SCALE, RIGHT, write
from tests.classroom.test_class_of_25 import FORMS, zip_of
from tests.fuzz.children import Reader, faults

MANY, FEW = 2000, 20
ROSTER = (
    'Name,ID,Email,Group,Submitted At\n"Lee, Ann",1,a@x.edu,Team 1,2026-09-01 10:00\n'
    'Bob Ray,2,b@x.edu,,"3/4/2026 9:00 PM"\n'
)
POLICY = """due: 2026-10-24 20:00 Europe/Berlin
grace_minutes: 10
per_day: 10
cut_off_days: 5
groups:
  - {criteria: [softmax, scaled_dot_product_attention], rule: min}
students:
  ann: {due: 2026-11-08T23:59:00+02:00, tokens: 1}
  "bob": {excused: true}
"""
FORM = "Timestamp,Email Address,Name,[rnn_gpus] GPUs,why_scale\n2026-09-01 10:00,a@x.edu,Ann,8,less extreme\n"
SHEETS = {
    "canvas": 'Student,ID,SIS Login ID,Section,HW1 (4711)\n    Points Possible,,,,20\n"Lee, Ann",1,al,A,\n',
    "moodle": "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments\nParticipant 1,Ann,a@x,,20,\n",
    "blackboard": "Last Name\tFirst Name\tUsername\tHW1 [Total Pts: 20 Score] |7\nLee\tAnn\tal\t\n",
    "brightspace": "OrgDefinedId,Username,HW1 Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\n#1,#al,,#\n",
}
NOTEBOOK = json.dumps({
    "cells": [{"cell_type": "code", "metadata": {}, "source": RIGHT.splitlines(keepends=True), "outputs": []},
              {"cell_type": "markdown", "metadata": {}, "source": "# why"}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
})  # fmt: skip


def tar_of(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as out:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return whole.getvalue()


def whole_class(path: Path) -> None:
    found = detect(path)
    entries = distinct(entries_in(path, found))
    ignored_in(found, entries)
    for entry in choose(entries, "latest"):
        digest_of(entry)
        try:
            read(entry)
        except GraderError:
            continue


def roster(path: Path) -> None:
    match((), read_roster(path))


def form(path: Path) -> None:
    whole_class(path)


def sheet_of(platform: str) -> Reader:
    return lambda path: export(platform, (), title="HW1", sheet=path)


def command(*words: str) -> Reader:
    def run(path: Path) -> None:
        main([str(path) if word == "FILE" else word for word in words])

    return run


def rubric(path: Path) -> None:
    load_rubric(path, load_assignment("attention-numpy"))


def assignment(path: Path) -> None:
    load_assignment(str(path))


ASSIGNMENT = data_root() / "assignments" / "attention-numpy" / "assignment.yaml"
RUBRIC = data_root() / "rubrics" / "attention-numpy.yaml"
META = b"".join(data for name, data in FORMS["gradescope"]().items() if name.endswith(".yml"))
READERS: dict[str, tuple[str, Callable[[], bytes], Reader]] = {
    **{form: (f"{'hw-5-submissions' if form == 'github' else form}.zip", lambda form=form: zip_of(FORMS[form]()),
              whole_class) for form in FORMS},
    "metadata": ("class.zip", lambda: zip_of({"submission_metadata.yml": META, "submission_101/hw.py": b"x = 1"}),
                 whole_class),
    "form": ("form.csv", FORM.encode, form),
    "roster": ("roster.csv", ROSTER.encode, roster),
    "policy": ("policy.yaml", POLICY.encode, load_policy),
    **{f"sheet of {name}": ("sheet.csv", text.encode, sheet_of(name)) for name, text in SHEETS.items()},
    "python": ("hw.py", RIGHT.encode, load),
    "notebook": ("hw.ipynb", NOTEBOOK.encode, load),
    "zip": ("hw.zip", lambda: zip_of({"hw/a.py": RIGHT.encode(), "hw/nb.ipynb": NOTEBOOK.encode()}), load),
    "zip in zip": ("hw.zip", lambda: zip_of({"r.pdf": b"%PDF", "in.zip": zip_of({"a.py": b"x = 1"})}), load),
    "tar": ("hw.tar.gz", lambda: tar_of({"hw/a.py": RIGHT.encode(), "hw/b.py": b"x = 1\n"}), load),
    "rubric": ("rubric.yaml", RUBRIC.read_bytes, rubric),
    "assignment": ("assignment.yaml", ASSIGNMENT.read_bytes, assignment),
}  # fmt: skip


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.timeout(1800)
def test_a_damaged_file_is_refused_in_words_soon_and_in_little_memory(reader: str, count: int, tmp_path: Path) -> None:
    name, make, reads = READERS[reader]
    assert faults(make(), name, reads, tmp_path, range(count)) == []


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    source = write(folder / "hw", {"ann.py": RIGHT, "bob.py": NO_SCALE})
    (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    words = ["grade", source, "-a", "attention-numpy", "-o", folder / "r", "--isolation", "standard", "--jobs", "1"]
    words += ["--roster", folder / "roster.csv", "--policy", folder / "policy.yaml", "--seed", "1"]
    for line in (words, ["override", folder / "r", "ann", "softmax", "3", "--reason", "oral"],
                 ["override", folder / "r", "bob", "--comment", "well done"]):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in line])
        assert ended.value.code == 0
    return folder / "r"


KEPT = ("index.json", "overrides.json", "comments.json", "history.jsonl", "policy.yaml", "roster.csv", "rubric.yaml",
        "reports/lee-ann.json")  # fmt: skip


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.timeout(1800)
def test_results_that_were_damaged_by_hand_are_told(
    kept: str, count: int, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    folder = Path(shutil.copytree(results, tmp_path / "r"))
    monkeypatch.chdir(tmp_path)

    def all_commands(_: Path) -> None:
        for words in (("report", "r"), ("export", "r"), ("review", "r", "--list"),
                      ("export", "r", "--to", "gradescope", "--feedback", "f.zip")):  # fmt: skip
            try:
                main(words)
            except SystemExit as end:
                if end.code not in {0, 1, 2}:
                    raise

    assert faults((results / kept).read_bytes(), kept, all_commands, folder, range(count)) == []
