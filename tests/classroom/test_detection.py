"""One student's work is told from a class, whatever wraps it; where that is doubtful, it is said with the way out."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.layouts import detect, entries_in, ignored_in
from grader.errors import GraderError

from .conftest import NO_SCALE, RIGHT, write

SOFTMAX = RIGHT[: RIGHT.index("def self_attention")]
ATTENTION = "import numpy as np\n\n\n" + RIGHT[RIGHT.index("def self_attention") :]
MASKS = "import numpy as np\n\n\ndef causal_mask(n):\n    return np.tri(n, dtype=bool)\n"
BOOK = '{"cells": [{"cell_type": "code", "source": ["def softmax(x):\\n", "    return x\\n"]}]}'
BROKEN = "def softmax(x:\n    return x\n"

ONE = {
    "three files that define different things": {"softmax.py": SOFTMAX, "attention.py": ATTENTION, "masks.py": MASKS},
    "files that import each other": {"softmax.py": SOFTMAX, "attention.py": "from softmax import softmax\n" + RIGHT},
    "a project": {"src/attention.py": RIGHT, "tests/test_attention.py": "def test_x(): pass\n", "README.md": "mine"},
    "two parts in folders": {"part1/softmax.py": SOFTMAX, "part2/masks.py": MASKS},
    "a module and its notebook": {"hw.py": RIGHT, "hw.ipynb": BOOK, "figures/a.png": "x"},
    "work with report and worksheet": {"attention.py": RIGHT, "report.pdf": "%PDF", "worksheet.yaml": "a: 1"},
    "written parts alone": {"worksheet.md": "a", "report.pdf": "%PDF", "answers.yaml": "a: 1", "figure-2.svg": "x"},
    "a repository": {"attention.py": RIGHT, ".github/workflows/ci.yml": "a: 1", "data/x.json": "{}", "LICENSE.md": "x"},
    "a package": {"hw/__init__.py": "", "hw/softmax.py": SOFTMAX, "hw/masks.py": MASKS, "setup.py": "x = 1\n"},
    "one file": {"attention.py": RIGHT},
    "a name by chance as Canvas's": {"hw_1_2_attention.py": RIGHT},
    "work with the starter beside it": {"attention.py": RIGHT, "starter/attention.py": RIGHT},
}
SHEET = json.dumps({"cells": [{"cell_type": "markdown", "metadata": {"tags": ["scale"]}, "source": "d_k"}]})
CLASS = {
    "sheets and a notebook with answers": {
        "ann.md": "x",
        "bob.yaml": "a: 1",
        "cyd.json": "{}",
        "dan.docx": "PK",
        "eve.pdf": "%PDF",
        "fay.ipynb": SHEET,
    },
    "files of several": {"ann.py": RIGHT, "bob.py": NO_SCALE, "cyd.py": BROKEN},
    "files of several with broken ones": {"ann.py": RIGHT, "bob.py": NO_SCALE, "cyd.py": "???", "dan.py": ""},
    "folders of several": {"ann/softmax.py": SOFTMAX, "ann/masks.py": MASKS, "bob/all.py": RIGHT, "cyd/x.py": RIGHT},
    "folders with a note on top": {"README.md": "HW1", "ann/hw.py": RIGHT, "bob/hw.py": RIGHT},
    "folders and files": {"ann/hw.py": RIGHT, "bob.py": RIGHT, "cyd.ipynb": BOOK},
    "archives": {"ann.zip": "PK", "bob.zip": "PK"},
    "one called as a library": {"numpy.py": RIGHT, "ann.py": RIGHT, "math.py": NO_SCALE, "bob.py": RIGHT},
    "documents of several": {"ann lee.pdf": "%PDF", "bob.pdf": "%PDF", "zoë.md": "x", "dan.docx": "x", "eve.pdf": "x"},
    "documents of every kind": {f"s{n}{end}": "x" for n, end in enumerate([".odt", ".html", ".dot", ".mmd", ".htm"])},
    "folders of documents and an archive": {**{f"s{n}/report.pdf": "%PDF" for n in range(5)}, "bob.zip": "PK"},
    "code and text of each": {"ann.py": RIGHT, "ann.pdf": "%PDF", "bob.py": RIGHT, "bob.pdf": "%PDF"},
    "a class with a table beside it": {"roster.csv": "name\n", "ann.py": RIGHT, "bob.py": NO_SCALE, "cyd.py": RIGHT},
}


@pytest.fixture(params=["folder", "zip", "wrapped zip", "wrapped folder"])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Lay files out as a folder or a zip, with or without one more folder around everything."""

    def pack(files: dict[str, str]) -> Path:
        inside = {f"outer/{name}": text for name, text in files.items()} if "wrapped" in request.param else files
        if "zip" not in request.param:
            return write(tmp_path / "source", inside)
        with zipfile.ZipFile(tmp_path / "source.zip", "w") as out:
            for name, text in inside.items():
                out.writestr(name, text)
        return tmp_path / "source.zip"

    return pack


@pytest.mark.parametrize("kind", ONE)
def test_work_of_one_student_is_no_class(packed: Callable[[dict[str, str]], Path], kind: str) -> None:
    assert detect(packed(ONE[kind])).layout == "single"


@pytest.mark.parametrize("kind", CLASS)
def test_a_class_is_a_class(packed: Callable[[dict[str, str]], Path], kind: str) -> None:
    found = detect(packed(CLASS[kind]))
    assert found.is_class
    assert found.layout == "plain"


def test_a_notebook_without_definitions_beside_a_report_is_one_students_work(tmp_path: Path) -> None:
    assert detect(write(tmp_path / "c", {"analysis.ipynb": SHEET, "summary.pdf": "%PDF"})).layout == "single"


@pytest.mark.slow
def test_files_that_are_nobodys_hand_in_are_named(grader: Callable[..., Any], tmp_path: Path) -> None:
    sheets = {f"s{n}.md": "**[rnn_gpus]** 1" for n in range(5)}
    others = {"eve.txt": "rnn_gpus: 1", "fay.jpg": "x", "gus.pages": "x", "README.txt": "x", "roster.csv": "name\n"}
    source = write(tmp_path / "c", {**sheets, **others})
    (source / "hal" / "homework").mkdir(parents=True)
    ran = grader("grade", source, "-a", "discovery-worksheet", "-o", "r", "--jobs", "1")
    assert f"{source}: 5 hand-ins (plain layout)." in ran.err
    said = " ".join(ran.out.split())
    assert "ignored, taken for nobody's hand-in: eve.txt, fay.jpg, gus.pages; put what is somebody's into a" in said
    assert "an empty folder, in which nothing was handed in: hal" in said
    for name in others:
        (source / name).unlink()
    shutil.rmtree(source / "hal")
    again = grader("grade", source, "-a", "discovery-worksheet", "-o", "r2", "--jobs", "1").out
    assert "handed in" not in again


def test_an_empty_folder_in_a_zip_is_somebodys_who_handed_in_nothing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for name in ("c/", "c/ann/", "c/ann/hw.py", "c/ann/data/", "c/bob/", "c/cy/hw.py", "c/__MACOSX/"):
            archive.writestr(name, RIGHT if name.endswith(".py") else "")
    found = detect(tmp_path / "c.zip")
    assert ignored_in(found, entries_in(tmp_path / "c.zip", found)) == ("bob/",)


def test_an_empty_folder_deep_in_a_course_tree_is_somebodys_too(tmp_path: Path) -> None:
    files = {f"submitted/{who}/hw1/{name}": "" for who in ("ann", "bob") for name in ("hw.ipynb", "timestamp.txt")}
    source = write(tmp_path / "course", {**files, "source/hw1/hw.ipynb": ""})
    for empty in ("submitted/cyd/hw1", "submitted/ann/hw1/data", "feedback", "dan"):
        (source / empty).mkdir(parents=True)
    found = detect(source)
    assert ignored_in(found, entries_in(source, found)) == ("dan/", "submitted/cyd/")


def test_a_class_of_many_that_define_nothing_alike_is_still_one(tmp_path: Path) -> None:
    files = {f"s{n}.py": f"def f{n}(): pass\n" for n in range(30)}
    found = detect(write(tmp_path / "c", files))
    assert found.is_class
    assert found.doubt == "30 hand-ins, and few of them define the same names"


@pytest.mark.slow
def test_what_is_doubtful_says_so_and_names_the_way_out(grader: Callable[..., Any], tmp_path: Path) -> None:
    one = write(tmp_path / "one", ONE["three files that define different things"])
    asked = ("-a", "attention-numpy", "--isolation", "standard", "--jobs", "1")
    said = grader("grade", one, *asked)
    assert said.err.splitlines()[0] == (
        f"{one}: taken as one student's work: 3 files or folders that define different names. "
        "A class? Say --layout plain."
    )
    assert said.code == 0
    forced = grader("grade", one, *asked, "--layout", "plain", "-o", "results")
    assert "3 hand-ins (plain layout)" in forced.err
    pair = write(tmp_path / "pair", {"ann.py": RIGHT, "bob.py": NO_SCALE})
    assert "2 hand-ins that answer the same" in grader("grade", pair, *asked, "-o", "r2").err
    refused = grader("grade", pair, *asked)
    assert "Add -o results. Is it one student's work? Say so with --layout single." in refused.err
    assert "layout" not in grader("grade", tmp_path / "one/softmax.py", *asked).err


def test_several_sources_without_a_folder_for_results_name_the_cure(grader: Callable[..., Any], klass: Path) -> None:
    said = grader("grade", klass / "ann.py", klass / "bob.py", "-a", "attention-numpy")
    assert said.code == 2
    assert said.err == (
        f"grader: {klass / 'ann.py'} and {klass / 'bob.py'}: 2 sources are graded as a class, and its results need a "
        "folder. Add -o results. Are they one student's files? Put them into one folder, and give that folder with "
        "--layout single.\n"
    )


def test_a_layout_for_a_single_file_is_refused_and_single_is_not(tmp_path: Path) -> None:
    file = write(tmp_path, {"a.py": RIGHT}) / "a.py"
    assert detect(file, "single").layout == "single"
    with pytest.raises(GraderError, match="is one file, not the export of a class"):
        detect(file, "canvas")
    with pytest.raises(GraderError, match="there is no layout 'canvs'"):
        detect(file, "canvs")


def test_a_later_source_with_one_student_is_of_the_class(grader: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "first", {"ann/hw.py": NO_SCALE, "bob/hw.py": RIGHT, "cy/hw.py": RIGHT})
    write(tmp_path / "late", {"ann/hw.py": RIGHT})
    words = ("-a", "attention-numpy", "-o", "r", "--isolation", "standard", "--jobs", "1")
    assert "3 graded: 3 full marks" in _plain(grader("grade", "first", "late", *words))
    words = (*words[:3], "again", *words[4:])
    assert "2 full marks, 1 lost points" in _plain(grader("grade", "first", *words))
    assert "1 graded: 1 full marks" in _plain(grader("grade", "late", *words)), "known from the results"


@pytest.mark.parametrize("place", [".", "around"])
def test_a_roster_tells_a_class_whatever_its_people_are_called(
    place: str, grader: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path / "hw" / place, {f"{name}/hw.py": RIGHT for name in ("src", "data", "test", "ann")})
    (tmp_path / "r.csv").write_text("Name,Username\nSir C,src\nDan A,data\nTess T,test\nAnn L,ann\n", encoding="utf-8")
    words = ("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "r.csv", "--isolation", "standard")
    assert "4 graded: 4 full marks" in _plain(grader(*words))


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tgz"])
def test_a_class_in_a_tar_is_a_class(ending: str, grader: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "hw", {"ann/hw.py": NO_SCALE, "bob/hw.py": RIGHT, "cy/hw.py": RIGHT})
    write(tmp_path / "one", {"softmax.py": SOFTMAX, "attention.py": "from softmax import softmax\n" + RIGHT})
    for name in ("hw", "one"):
        with tarfile.open(tmp_path / f"{name}.{ending}", "w:gz" if "gz" in ending else "w") as out:
            out.add(tmp_path / name, ".")
    words = ("-a", "attention-numpy", "-o", "r", "--isolation", "standard", "--jobs", "1")
    assert "3 graded: 2 full marks, 1 lost points" in _plain(grader("grade", f"hw.{ending}", *words))
    assert detect(tmp_path / f"one.{ending}").layout == "single"


def _plain(ran: Any) -> str:
    return re.sub(r" in [\d.]+ s", "", " ".join(ran.out.split()))
