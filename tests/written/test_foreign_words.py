"""Answers in German, or with some French, in English words: by rule, beside the lists."""

import pytest

from grader.written.german import in_english, respelled


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Rekurrenz und Faltung fallen weg", "recurrence and convolution falls away"),  # a verb apart from its prefix
        ("das Modell setzt sich aus Schichten zusammen, die lernen", "the model"),
        ("kurze Texte sind oft schwer, sondern selten gut", "short texts are often difficult, but rarely well"),
        ("lineare Transformationen", "linear transformation"),  # an English word with a German ending
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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("unabhaengig fuer jede Laenge", "unabhängig für jede länge"),
        ("groesser, muss, Saetze", "größer, muss, sätze"),  # which is right with two letters stays
        ("the queries reuse less values", "the queries reuse less values"),
        ("V und Q_k", "V und Q_k"),
    ],
)
def test_umlauts_in_two_letters_are_read_where_a_word_is_known_only_so(text: str, meant: str) -> None:
    assert respelled(text) == meant
