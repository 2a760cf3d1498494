"""A form's columns of one title are kept apart, however many there are."""

import json
from pathlib import Path

import pytest

from grader.classroom.form import entries
from tests.growth import SQUARE, growth


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


def test_the_time_for_equal_titles_grows_with_their_number(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"

    def read(count: int) -> None:
        path.write_text("Name," + ",".join(["same"] * count) + "\nAda," + ",".join(["1"] * count) + "\n")
        (content,) = rows(path)
        assert len(content) < 40 * count

    assert growth(read, 5000) < SQUARE
