"""Lists in any dress, and items that match their key but not their neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.written.lists import CLOSE, best, likeness, match_ordered, match_set, read_items

STEPS = (
    ("self-attention", "multi-head attention", "multi-head self-attention", "attention"),
    ("residual", "skip connection", "residual connection", "add"),
    ("LayerNorm", "layer normalization", "norm"),
    ("FFN", "feed-forward network", "feed-forward"),
)


@pytest.mark.parametrize(
    "text",
    [
        "self-attention, residual, LayerNorm, FFN",
        "1. self-attention 2. residual 3. LayerNorm 4. FFN",
        "1) self-attention\n2) residual\n3) LayerNorm\n4) FFN",
        "self-attention → residual → LayerNorm → FFN",
        "- self-attention\n- residual\n- LayerNorm\n- FFN",
        "self-attention; residual; LayerNorm; FFN",
        "self-attention, residual, LayerNorm and FFN",
        "self-attention then residual then LayerNorm then FFN",
        "[self-attention, residual, LayerNorm, FFN]",
    ],
)
def test_a_list_is_read_in_any_dress(text: str) -> None:
    assert read_items(text) == ("self-attention", "residual", "LayerNorm", "FFN")


def test_synonyms_and_slips_of_the_pen_count_and_each_place_by_itself() -> None:
    matched = match_ordered(
        read_items("Multi-Head self attention, skip connections, Layer Normalisation, feed forward"), STEPS
    )
    assert matched.met == (True, True, True, True)
    assert match_ordered(("self-attenton", "residuel", "layer norm", "ffn"), STEPS).count == 4
    swapped = match_ordered(("residual", "self-attention", "norm", "FFN"), STEPS)
    assert swapped.met == (False, False, True, True)
    assert swapped.strange == ()


def test_a_set_has_no_order_and_counts_no_item_twice() -> None:
    assert match_set(("norm", "ffn", "attention"), STEPS).met == (True, False, True, True)
    assert match_set(("norm", "norm", "norm"), STEPS).count == 1
    assert match_set(("pooling", "norm"), STEPS).strange == ("pooling",)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("encoder", "decoder"),
        ("sine", "cosine"),
        ("query", "key"),
        ("self-attention", "cross-attention"),
        ("add", "norm"),
    ],
)
def test_neighbouring_words_are_not_taken_for_each_other(a: str, b: str) -> None:
    assert likeness(a, b) < CLOSE


def test_the_best_key_is_found_or_none() -> None:
    assert best("layer normalisation", STEPS) == 2
    assert best("pooling", STEPS) is None


WORDS = st.lists(st.text(alphabet="abcdefghij", min_size=4, max_size=9), min_size=2, max_size=6, unique=True)


@given(WORDS, st.sampled_from([", ", "; ", "\n", " → ", " -> "]))
def test_what_is_joined_is_read_back(words: list[str], mark: str) -> None:
    assert read_items(mark.join(words)) == tuple(words)


@given(WORDS)
def test_a_list_meets_itself_as_key(words: list[str]) -> None:
    keys = [(word,) for word in words]
    assert match_ordered(words, keys).count == len(words)
    assert match_set(words[::-1], keys).count == len(words)


@given(st.text(max_size=200), st.text(max_size=60))
def test_random_text_never_raises(text: str, other: str) -> None:
    assert len(read_items(text)) <= 40
    assert 0.0 <= likeness(text, other) <= 100.0
    assert likeness(text, other) == likeness(other, text)
