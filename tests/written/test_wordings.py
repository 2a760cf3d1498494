"""Forms, runs and slots say the same as the regular expressions that they stand for, without compiling them."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.written.concepts import ConceptList, Pattern, Slot, slot_of
from grader.written.wording import build_forms, ends, read_run
from tests.written.answers_of import concept_list, concept_names

LETTERS = st.text("ab^-' _", min_size=1, max_size=12)
WORD = st.from_regex(r"[ab^']{1,3}[*~]?", fullmatch=True)
FORM = st.lists(WORD, min_size=1, max_size=2).map(" ".join)


def as_expression(form: str) -> str:
    inner = re.escape(form).replace(r"\*", r"\w*").replace(r"\~", "(?:e|es|ed|ing|s)?").replace(r"\ ", r"[\s-]+")
    return rf"(?<![\w^]){inner}(?![\w^])"


@given(FORM, LETTERS, st.integers(0, 11))
@example("a~", "aing b", 0)
@example("a* b", "ab - b", 0)
def test_a_form_stands_where_its_expression_matches(form: str, text: str, place: int) -> None:
    match = re.compile(as_expression(form)).match(text, place) if place < len(text) else None
    assert build_forms({form: "name"}).at(text, place) == (("name", match.end()) if match else None)


def test_the_form_with_more_words_goes_first_and_an_expression_before_all() -> None:
    forms = build_forms({"dot": "a", "dot product*": "b", "re/dot prod": "c", "*": "times", "n*n": "square"})
    assert forms.at("dot products", 0) == ("c", 8)
    assert forms.at("dots", 0) is None
    assert build_forms({"dot": "a", "dot product*": "b"}).at("a dot-products", 2) == ("b", 14)
    assert forms.at("n * n", 2) == ("times", 3), "a sign that stands alone is no ending"
    assert forms.at("non", 0) is None
    assert forms.at("n*n", 0) == ("square", 3)


NAMES = frozenset("abc")
RUN = st.recursive(
    st.sampled_from("abc"),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        inner.map(lambda part: f"[{part}]"),
        inner.map(lambda part: f"[{part}]+"),
        inner.map(lambda part: f"({part})+"),
    ),
    max_leaves=6,
)
SIGNS = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "]+": ")*", ")+": ")+", "|": "|"}


@given(RUN, st.lists(st.sampled_from(["a", "b", "c"]), max_size=7), st.integers(0, 7))
@example("a [b]+ c", ["a", "b", "c", "a"], 0)
def test_a_run_ends_where_its_expression_does(text: str, words: list[str], start: int) -> None:
    start = min(start, len(words))
    pieces = re.findall(r"[\])]\+|[\[\]()|]|\w+", text)
    expression = re.compile("".join(SIGNS.get(piece, f"{piece} ") for piece in pieces))
    said = ["".join(f"{word} " for word in words[start:end]) for end in range(start, len(words) + 1)]
    expected = {start + number for number, part in enumerate(said) if expression.fullmatch(part)}
    assert ends(read_run(text, NAMES, {}), words, start) == expected


@pytest.mark.parametrize("text", ["a (b", "a)", "[a)", "a d", "{e} a"])
def test_a_statement_that_cannot_be_read_is_told_when_the_list_is_built(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        read_run(text, NAMES, {})


SLOT = st.lists(st.from_regex(r"[ab]{1,2}\*?( [ab]\*?)?", fullmatch=True), min_size=1, max_size=3).map("|".join)
PLAIN_LETTERS = st.text("ab-' _", min_size=1, max_size=12)


@given(SLOT, PLAIN_LETTERS)
def test_a_slot_begins_where_its_expression_does(wording: str, text: str) -> None:
    parts = [re.escape(part).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+") for part in wording.split("|")]
    expressions = [re.compile(rf"(?<![\w-]){part}(?!\w)") for part in parts]
    found = {expression.match(text, at) for expression in expressions for at in range(len(text))} - {None}
    places = slot_of(wording).places(text, 0, len(text))
    assert {(place.start, place.end) for place in places} == {match.span() for match in found if match}
    assert places == sorted(places, key=lambda place: place.start)


def slots_of(known: ConceptList) -> list[Slot]:
    ideas = [*known.concepts, *known.misconceptions]
    patterns: list[Pattern] = [pattern for idea in ideas for pattern in idea.patterns]
    found = [*(slot for pattern in patterns for slot in (*pattern.slots, pattern.without))]
    return [slot for slot in found if slot is not None]


@pytest.mark.parametrize("name", concept_names())
def test_every_expression_of_a_list_can_be_compiled(name: str) -> None:
    found = slots_of(concept_list(name))
    assert found
    for slot in found:
        slot.places("the scores grow with d_k and gradients vanish", 0, 45)
