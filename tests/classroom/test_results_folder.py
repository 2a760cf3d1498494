"""The files of a results folder keep what they were given, whatever text is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.results import open_results, read_json
from grader.errors import GraderError

ODD = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\ud800", "\r", "\n", "\U0001f600"]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_a_reason_comes_back_from_the_history_as_it_was_given(tmp_path: Path, odd: str) -> None:
    results = open_results(tmp_path)
    given = [{"student": f"Zoë{odd}Ångström", "reason": f"one{odd}two", "points": number} for number in range(3)]
    for line in given:
        results.record([line])
    assert results.history() == given


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_a_line_of_the_index_comes_back_from_the_journal_of_a_run_that_was_killed(tmp_path: Path, odd: str) -> None:
    index = open_results(tmp_path).open_index()
    index.begin({"schema": "grader/results/v1", "settings": {}})
    index.put("s1", {"name": f"one{odd}two", "settings": "none"})
    index.put("s2", {"name": "three", "settings": "none"})
    assert index._journal is not None
    index._journal.close()  # and never the index: what is there is the journal alone
    again = open_results(tmp_path).open_index()
    assert again.row("s1") == {"name": f"one{odd}two", "settings": "none"}
    assert again.row("s2") == {"name": "three", "settings": "none"}


def test_a_file_of_the_results_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "comments.json").mkdir()
    with pytest.raises(GraderError) as caught:
        read_json(tmp_path / "comments.json", {})
    assert "cannot be read" in str(caught.value)
    assert read_json(tmp_path / "decisions.json", {"a": 1}) == {"a": 1}
