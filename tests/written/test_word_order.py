"""Words thrown together are no answer, however right each of them is."""

import json
from pathlib import Path

import numpy as np
import pytest

from grader.written.short_answer import judge_short
from grader.written.word_order import in_no_order
from tests.written.answers_of import concept_list, concept_names

ANSWERS = Path(__file__).parent / "answers"


def right_answers() -> list[tuple[str, str]]:
    rows = [
        json.loads(line) for path in sorted(ANSWERS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    return [(row["qid"], row["answer"]) for row in rows if row.get("label") == 1 and row["qid"] in concept_names()]


def test_right_answers_stand_in_order() -> None:
    assert len(right_answers()) > 400
    assert [answer for _, answer in right_answers() if in_no_order(answer.lower())] == []


@pytest.mark.parametrize(
    "text",
    ["the is score large", "it keeps a of the words", "weights are of is", "so that every.", "heads look at the",
     "positions and or words", "the scores a the", "weight a is of is",
     "keeps a is", "the order is lost because", "can could be computed in parallel", "than and rnns"],
)  # fmt: skip
def test_what_stands_in_no_sentence_is_found(text: str) -> None:
    assert in_no_order(text)


@pytest.mark.parametrize(
    "text",
    ["which it depends on.", "because of the mask", "and because of this", "no matter how far apart they are.",
     "the number of heads is h", "what is read out and where it comes from.", "a first step, then the second",
     "it holds if and only if the variance is 1", "what flows into and out of the block", "they are of one length",
     "the scores are of large magnitude", "for a and b of unit variance", "the weight a is large",
     "where a is the attention weight", "the entries of a are positive", "let a be a score", "the matrix a of weights"],
)  # fmt: skip
def test_what_stands_in_sentences_is_not(text: str) -> None:
    assert not in_no_order(text)


def test_shuffled_right_answers_are_not_full() -> None:
    rng = np.random.default_rng(5)
    full = tried = 0
    for name, answer in right_answers():
        if judge_short(concept_list(name), answer).verdict == "full":
            words = answer.split()
            rng.shuffle(words)
            tried += 1
            full += judge_short(concept_list(name), " ".join(words)).verdict == "full"
    assert tried > 300
    assert full <= 0.03 * tried, f"{full} of {tried}"
