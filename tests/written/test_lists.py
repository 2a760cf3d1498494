"""Lists in any dress, and items that match their key but not their neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.written.items import alike, known, met_in_any_order, met_in_order, read_items

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
    items = read_items("Multi-Head self attention, skip connections, Layer Normalisation, feed forward")
    assert met_in_order(items, STEPS) == (True, True, True, True)
    assert sum(met_in_order(("self-attenton", "residuel", "layer norm", "ffn"), STEPS)) == 4
    assert met_in_order(("residual", "self-attention", "norm", "FFN"), STEPS) == (False, False, True, True)


def test_a_set_has_no_order_and_counts_no_item_twice() -> None:
    assert met_in_any_order(("norm", "ffn", "attention"), STEPS) == (True, False, True, True)
    assert sum(met_in_any_order(("norm", "norm", "norm"), STEPS)) == 1
    assert known("layer normalisation", STEPS)
    assert not known("pooling", STEPS)


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
    assert not alike(a, b)


WORDS = st.lists(st.text(alphabet="abcdefghij", min_size=4, max_size=9), min_size=2, max_size=6, unique=True)


@given(WORDS, st.sampled_from([", ", "; ", "\n", " → ", " -> "]))
def test_what_is_joined_is_read_back(words: list[str], mark: str) -> None:
    assert read_items(mark.join(words)) == tuple(words)


@given(WORDS)
def test_a_list_meets_itself_as_key(words: list[str]) -> None:
    keys = [(word,) for word in words]
    assert sum(met_in_order(words, keys)) == len(words)
    assert sum(met_in_any_order(words[::-1], keys)) == len(words)


@given(st.text(max_size=200), st.text(max_size=60))
def test_random_text_never_raises(text: str, other: str) -> None:
    assert len(read_items(text)) <= 40
    assert alike(text, other) == alike(other, text)
