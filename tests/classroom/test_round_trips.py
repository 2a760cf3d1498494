"""Every layout's export through the command to every gradebook: whoever handed in has their score where it belongs.

Each class holds the same people: accents, apostrophes, hyphens, several files, a resubmission, somebody late, somebody
without a name or on no roster, a group where the platform has groups, and one who handed in nothing.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import NO_SCALE, RIGHT, write

ATTENTION = RIGHT[RIGHT.index("def self_attention") :]
PARTS = {
    "attention.py": "import numpy as np\nfrom soft import softmax\n" + ATTENTION,
    "soft.py": RIGHT[: -len(ATTENTION)],
}
PEOPLE = {
    "Zoë O'Brien-Smith": ("501", "zoe-ob", "zoe@x.edu"),
    "José Núñez": ("502", "jose", "jose@x.edu"),
    "Đặng Văn": ("503", "dang", "dang@x.edu"),
    "Łucja Żak": ("504", "lucja", "lucja@x.edu"),
    "Ned Nobody": ("505", "ned", "ned@x.edu"),
}
"""By name: the platform's number, the user name and the e-mail address."""
FULL, LATE = "20.00", "18.00"
POLICY = "due: 2026-09-02T00:00+00:00\nper_day: 10\n"


def roster() -> str:
    lines = [f'"{name}",{number},{login},{mail}' for name, (number, login, mail) in PEOPLE.items()]
    return "\n".join(["name,id,github_username,email", *lines]) + "\n"


def canvas() -> tuple[str, dict[str, str]]:
    files = {f"ożobrien_501_9{n}_{name}": text for n, (name, text) in enumerate(PARTS.items())}
    files |= {
        "núñezjosé_502_80_hw.py": "print(\n",
        "núñezjosé_502_81_hw-1.py": RIGHT,
        "vănđặng_LATE_503_82_my hw.py": RIGHT,
        "żakłucja_504_83_hw.py": NO_SCALE,
        "anon_Qq1_84_hw.py": RIGHT,
    }
    return "hw_submissions.zip", files


def moodle() -> tuple[str, dict[str, str]]:
    folders = {f"Zoë O'Brien-Smith_501_assignsubmission_file_/{name}": text for name, text in PARTS.items()}
    return "CS-HW1-7.zip", folders | {
        "José Núñez_502_assignsubmission_file_/hw.py": RIGHT,
        "Đặng Văn_503_assignsubmission_file_/hw.py": RIGHT,
        "Łucja Żak_504_assignsubmission_file_/hw.py": NO_SCALE,
        "Participant_599_assignsubmission_file_/hw.py": RIGHT,
    }


def gradescope() -> tuple[str, dict[str, str]]:
    def about(number: int, *names: str, day: int = 1) -> str:
        people = "".join(
            f"  - :name: {name}\n    :sid: '{PEOPLE[name][0]}'\n    :email: {PEOPLE[name][2]}\n" for name in names
        )
        return f"submission_{number}:\n  :submitters:\n{people}  :created_at: 2026-09-0{day} 12:00:00 Z\n"

    texts = (about(1, "Zoë O'Brien-Smith", "José Núñez"), about(2, "Łucja Żak"), about(3, "Łucja Żak"),
             about(4, "Đặng Văn", day=2))  # fmt: skip
    files = {f"submission_1/{name}": text for name, text in PARTS.items()}
    files |= {"submission_2/hw.py": RIGHT, "submission_3/hw.py": NO_SCALE, "submission_4/hw.py": RIGHT}
    files |= {"submission_9/hw.py": RIGHT, "submission_metadata.yml": "".join(texts)}
    return "assignment_7_export.zip", {f"assignment_7_export/{name}": text for name, text in files.items()}


def repositories(prefix: str) -> dict[str, str]:
    files = {f"{prefix}zoe-ob/{name}": text for name, text in PARTS.items()}
    files |= {f"{prefix}jose/hw.py": RIGHT, f"{prefix}dang/hw.py": RIGHT, f"{prefix}lucja/hw.py": NO_SCALE}
    return files | {f"{prefix}stranger/hw.py": RIGHT}


def github() -> tuple[str, dict[str, str]]:
    return "download.zip", {f"hw-1-submissions/{name}": text for name, text in repositories("hw-1-").items()}


def classroom50() -> tuple[str, dict[str, str]]:
    when = {"jose": "2026-09-01T10:00:00Z", "dang": "2026-09-02T10:00:00Z"}
    files = repositories("nlp-hw-1-") | {
        f"nlp-hw-1-{login}/result.json": json.dumps({"usernames": [login], "datetime": time})
        for login, time in when.items()
    }
    return "d.zip", {f"nlp-hw-1_submissions_2026-09-01T14-32-05Z/{name}": text for name, text in files.items()}


def drive() -> tuple[str, dict[str, str]]:
    files = {f"Zoë O'Brien-Smith - {name}": text for name, text in PARTS.items()}
    return "drive-download-1.zip", files | {
        "José Núñez - hw.py": "print(\n",
        "José Núñez - hw (1).py": RIGHT,
        "Đặng Văn - hw.py": RIGHT,
        "Łucja Żak - hw.py": NO_SCALE,
        "unsigned.py": RIGHT,
    }


EXPORTS: Mapping[str, Callable[[], tuple[str, dict[str, str]]]] = {
    "canvas": canvas, "moodle": moodle, "gradescope": gradescope, "github": github, "classroom50": classroom50,
    "drive": drive,
}  # fmt: skip
TELLS_LATENESS = {"canvas", "gradescope", "classroom50"}
SHEETS = {
    "canvas": "Student,ID,SIS User ID,SIS Login ID,Section,hw (1)\n    Points Possible,,,,,20.00\n"
    + "".join(f'"{name}",{number},,{login},A,\n' for name, (number, login, _) in PEOPLE.items()),
    "moodle": "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    + "".join(f"Participant {n},{name},{mail},Submitted,,20.00,\n" for name, (n, _, mail) in PEOPLE.items()),
}
KEYED = {
    "canvas": ("ID", "hw (1)"), "moodle": ("Identifier", "Grade"), "gradescope": ("SID", "Total Score"),
    "classroom50": ("username", "score"), "google": ("Email", "assignedGrade"),
}  # fmt: skip


def as_known(to: str, name: str) -> str:
    number, login, mail = PEOPLE[name]
    return {"canvas": number, "moodle": f"Participant {number}", "gradescope": number, "classroom50": login}.get(
        to, mail
    )


@pytest.fixture(params=list(EXPORTS))
def graded(
    request: pytest.FixtureRequest, grader: Callable[..., Any], tmp_path: Path, once: Callable[..., None]
) -> str:
    """The layout of an export that was graded into ``results`` with roster and policy."""
    layout = str(request.param)
    once(f"round trips of {layout}", tmp_path, lambda: grade(grader, layout))
    return layout


def grade(grader: Callable[..., Any], layout: str) -> None:
    name, files = EXPORTS[layout]()
    with zipfile.ZipFile(name, "w") as out:
        for inside, text in files.items():
            out.writestr(inside, text)
    write(Path(), {"roster.csv": roster(), "policy.yaml": POLICY})
    ran = grader("grade", name, "-a", "attention-numpy", "--isolation", "standard", "--jobs", "1", "-o", "results",
                 "--roster", "roster.csv", "--policy", "policy.yaml")  # fmt: skip
    assert ran.code == 0, ran.err
    assert f"({layout} layout)" in ran.err
    assert "nothing was handed in by Ned Nobody\n" in ran.out


@pytest.mark.sampled(2)
def test_everybody_has_their_score_in_every_gradebook(graded: str, grader: Callable[..., Any]) -> None:
    book = [json.loads(line) for line in grader("export", "results", "--to", "jsonl").out.splitlines()]
    no_scale = next(f"{row['score']:.2f}" for row in book if "Łucja Żak" in (row["name"], *row["members"]))
    late = LATE if graded in TELLS_LATENESS else FULL
    expected = {"Zoë O'Brien-Smith": FULL, "José Núñez": FULL, "Đặng Văn": late, "Łucja Żak": no_scale}
    assert 0 < float(no_scale) < 20
    assert sum(row["score"] == 20 for row in book) >= 2
    for to, (key, grade) in KEYED.items():
        given: list[object] = []
        if to in SHEETS:
            Path("sheet.csv").write_text(SHEETS[to], encoding="utf-8")
            given = ["--sheet", "sheet.csv"]
        ran = grader("export", "results", "--to", to, "--title", "hw", *given)
        assert ran.code == 0, ran.err
        table = {line[key]: line[grade] for line in csv.DictReader(io.StringIO(ran.out, newline=""))}
        for name, points in expected.items():
            whole = str(round(float(points)))
            assert table[as_known(to, name)] == (whole if to == "classroom50" else points), (to, name)
        assert table.get(as_known(to, "Ned Nobody"), "") == "", "who handed in nothing has no score"


def test_everybody_gets_a_feedback_file_that_the_platform_takes_back(graded: str, grader: Callable[..., Any]) -> None:
    assert grader("export", "results", "--feedback", "back.zip").code == 0
    with zipfile.ZipFile("back.zip") as back:
        names = back.namelist()
        assert len(names) == len(set(names)) == (4 if graded == "gradescope" else 5)
        assert all("not divided by √d" not in back.read(name).decode() for name in names) is False
    if graded == "moodle":
        assert "Zoë O'Brien-Smith_501_assignsubmission_file_/feedback.md" in names
    if graded == "canvas":
        assert "núñezjosé_502_81_feedback.md" in names
