"""A form's columns of one title are kept apart, however many there are."""

import json
import time
from pathlib import Path

import pytest

from grader.classroom.form import entries


def rows(path: Path) -> list[bytes]:
    return [file.content or b"" for entry in entries(path) for file in entry.files]


@pytest.mark.parametrize("count", [2, 3, 17, 300])
def test_equal_titles_are_different_answers(tmp_path: Path, count: int) -> None:
    path = tmp_path / "form.csv"
    path.write_text(
        "Name," + ",".join(["rnn_gpus"] * count) + "\nAda," + ",".join(map(str, range(1, count + 1))) + "\n"
    )
    (content,) = rows(path)
    answers = json.loads(content)
    assert sorted(map(int, answers.values())) == list(range(1, count + 1))
    assert {title.strip() for title in answers} == {"rnn_gpus"}


def test_thousands_of_equal_titles_take_no_time(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    count = 20_000
    path.write_text("Name," + ",".join(["same"] * count) + "\nAda," + ",".join(["1"] * count) + "\n")
    start = time.process_time()
    (content,) = rows(path)
    assert time.process_time() - start < 2
    assert len(content) < 40 * count
