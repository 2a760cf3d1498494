"""Answers in German, or with some French, in English words: by rule, beside the lists."""

import pytest

from grader.written.german import in_english, spelt_out


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("kurze Texte sind oft schwer, sondern selten gut", "short texts are often difficult, but rarely well"),
        ("unabhaengig fuer jede Laenge", "independently for any length"),
        ("Eingabesequenz", "sequence"),  # a compound
        ("the order of the mots", "the order of the words"),
        ("sans recurrence or convolution", "without recurrence or convolution"),
    ],
)
def test_foreign_words_are_read_in_english(text: str, english: str) -> None:
    assert english in " ".join((in_english(text) or "").split())


@pytest.mark.parametrize(
    "text",
    ["the score was fast", "also the gradients were small", "100 time units", "the score was large", "a long sentence"],
)
def test_english_that_looks_foreign_stays_as_it_is(text: str) -> None:
    assert in_english(text) is None


def test_umlauts_in_two_letters_are_read_as_those_in_one() -> None:
    assert in_english("größere Längen für jede Schicht") == in_english("groessere Laengen fuer jede Schicht")
    assert spelt_out("Größe") == "groesse"
