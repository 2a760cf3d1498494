"""Lists in any dress, and items that match their key but not their neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.written.items import named, read_items
from grader.written.key import ListKey

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


def met(*items: str) -> list[bool]:
    key = ListKey(id="x", title="x", kind="list", items=STEPS)
    return [named(item, names, key) for item, names in zip(items, STEPS, strict=True)]


def test_synonyms_count_and_each_place_by_itself_and_slips_of_the_pen_do_not() -> None:
    assert (
        met(*read_items("Multi-Head self attention, skip connections, Layer Normalisation, feed forward")) == [True] * 4
    )
    assert met("the self-attention layer", "a residual connection (x + y)", "norm", "FFN: max(0, xW)") == [True] * 4
    assert met("self-attenton", "residuel", "layer norm", "ffn") == [False, False, True, True]
    assert met("residual", "self-attention", "norm", "FFN") == [False, False, True, True]
    assert met("cross-attention", "no residual", "batch norm", "pooling") == [False] * 4


WORDS = st.lists(st.text(alphabet="abcdefghij", min_size=4, max_size=9), min_size=2, max_size=6, unique=True)


@given(WORDS, st.sampled_from([", ", "; ", "\n", " → ", " -> "]))
def test_what_is_joined_is_read_back(words: list[str], mark: str) -> None:
    assert read_items(mark.join(words)) == tuple(words)


@given(st.text(max_size=200))
def test_random_text_never_raises(text: str) -> None:
    assert len(read_items(text)) <= 40
    assert not named(text, ["qqqq"], ListKey(id="x", title="x", kind="list", items=STEPS))
