"""Collections of formulas that were written before the reader was tried on them, and what they taught it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.written.formula import KINDS
from grader.written.formula.judge import examine
from tests.ledger import entries

HERE = Path(__file__).parent / "formulas"


def collection(name: str) -> Iterator[tuple[str, bool, str]]:
    kind, right = "", False
    for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"\[\w+ (?:right|wrong)\]", line):
            kind, _, label = line.strip("[]").partition(" ")
            right = label == "right"
        elif line and not line.startswith("#"):
            yield kind, right, line.replace(" ⏎ ", "\n")


NAMES = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "notations",
    "programs",
    "typeset",
    "beside",
    "explained",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "spelled",
    "said",
    "said_later",
)
AT_ONCE = 100
"""How many formulas are judged in one test: a test for each costs more than to judge it."""
PIECES = [(name, at) for name in NAMES for at in range(0, len([*collection(name)]), AT_ONCE)]
LEDGER = [json.loads(line) for line in entries.kept("formulas")]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "at"), PIECES)
def test_a_formula_is_judged_as_the_ledger_says(name: str, at: int) -> None:
    kept = [one for one in LEDGER if one["subject"].rpartition(" ")[0] == name]
    assert len(kept) == len([*collection(name)])
    assert [json.loads(line) for line in entries.formulas(name, at, at + AT_ONCE)] == kept[at : at + AT_ONCE]


def test_the_collections_cover_every_kind() -> None:
    all_of_them = {(kind, right, source) for name in NAMES for kind, right, source in collection(name)}
    for wanted in (True, False):
        assert {kind for kind, right, _ in all_of_them if right is wanted} == set(KINDS)
        assert sum(right is wanted for _, right, _ in all_of_them) > 240


def test_what_is_right_is_never_called_wrong() -> None:
    assert [one for one in LEDGER if one.get("right") and one["verdict"] not in {"equal", "review"}] == []


def test_what_is_wrong_is_never_accepted() -> None:
    assert [one for one in LEDGER if not one.get("right") and one["verdict"] not in {"different", "review"}] == []


@pytest.mark.parametrize(
    ("name", "at_most"),
    [
        ("first", 1),
        ("second", 1),
        ("third", 7),
        ("fourth", 2),
        ("fifth", 4),
        ("sixth", 5),
        ("seventh", 16),
        ("eighth", 37),
        ("notations", 55),
        ("programs", 86),
        ("typeset", 21),
        ("beside", 20),
        ("explained", 19),
        ("ninth", 11),
        ("tenth", 33),
        ("eleventh", 4),
        ("twelfth", 9),
        ("thirteenth", 0),
        ("fourteenth", 8),
        ("fifteenth", 6),
        ("spelled", 2),
        ("said", 18),
        ("said_later", 2),
    ],
)
def test_few_right_ones_need_a_person(name: str, at_most: int) -> None:
    mine = [one for one in LEDGER if one["subject"].rpartition(" ")[0] == name]
    waiting = [one["subject"] for one in mine if one.get("right") and one["verdict"] != "equal"]
    assert len(waiting) <= at_most, waiting


@pytest.mark.parametrize(
    ("kind", "source", "slip"),
    [
        ("attention", "softmax(QK^T/8)V where d_k = 8", "attn-no-root"),
        ("attention", "softmax(QK^T/8)V where d_model = 64", None),
        ("attention", "softmax(QK^T/(d_k/2))V", None),
        ("attention", "softmax(QK^T/16)V, d_k = 16", "attn-no-root"),
        ("attention", "softmax(QK^T/sqrt(d))V, d = d_model", "attn-root-d-model"),
        ("attention", r"\sigma(QK^T/d_k)V, where \sigma is the softmax", "attn-no-root"),
        ("pe_sin", "sin(pos/10000^(2i/d)), d = d_k", "pe-d-k"),
        ("ffn", "self.fc2(self.fc1(x))", "ffn-no-relu"),
        ("ffn", r"\sigma(xW_1+b_1)W_2, \text{ where } \sigma \text{ is ReLU}", "ffn-no-bias-2"),
        ("variance", "Var(q·k) = d_k, so std = d_k", None),
        ("ffn", r"\phi(xW_1+b_1)W_2+b_2, where \phi is tanh", "ffn-tanh"),
        (
            "multi_head",
            "MHA(x) = concat(h_1, ..., h_H) W^O, h_i = Attention(x W_i^K, x W_i^K, x W_i^V)",
            "mh-projection-twice",
        ),
        ("attention", "softmax(QK^{}/√d_k)V", "attn-no-transpose"),
        ("pe_sin", "sin(pos / 10000^(2i/d_k)), d_k is the size of the embedding", None),
    ],
)
def test_what_the_closing_words_say_counts(kind: str, source: str, slip: str | None) -> None:
    verdict = examine(kind, source)
    assert verdict.verdict == "review" or (verdict.verdict, verdict.slip) == ("different", slip)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("attention", "softmax(QK^T/4)V where d_k = 16"),
        ("attention", "softmax(QK^T/8)V, d_k = d_model/h = 512/8 = 64"),
        ("attention", "σ(QKᵀ/√d_k)V where σ denotes the softmax function"),
        ("attention", "softmax(QK^T/sqrt(d))V, where d = d_k"),
        ("pe_sin", "sin(pos/10000^(2i/256)), d_model = 256"),
        ("pe_sin", "sin(pos / 10.000^(2i/d_model))"),
        ("noam", "d_model^(-0,5) · min(step^(-0,5), step · warmup^(-1,5))"),
        ("noam", r"d_{model}^{-0{,}5} \cdot \min(step^{-0{,}5}; step \cdot warmup^{-1{,}5})"),
        ("noam", "512^{-0.5}·min(step^-0.5, step·4.000^-1.5)"),
        ("attention", "Att(Q,K,V) = softmax(QK^T/√d_k) V, wobei d_k die Dimension der Schlüssel ist"),
        ("ffn", "nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(0.1), nn.Linear(d_ff, d_model))"),
        ("variance", "Var(q·k) = d_k, so std = √d_k"),
        ("ffn", "FFN(x) = max(0, xW_1 + b_1)W_2 + b_2. d_ff = 2048."),
    ],
)
def test_sizes_and_functions_that_are_told_are_understood(kind: str, source: str) -> None:
    verdict = examine(kind, source)
    assert verdict.verdict in {"equal", "review"}, (verdict.slip, verdict.reason, verdict.reading)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("pe_sin", "PE(p, j) = sin(p / 10000^(2j/d)) for even j"),
        ("ffn", "W_2(relu(W_1(x)))"),
        ("multi_head", "Concat(head_1, ..., head_h)W^O where head_i = Attention(QW_i^Q, QW_i^K, QW_i^V)"),
        ("pe_sin", "sin(pos / 2.048^(2i/d_model))"),
        ("pe_sin", r"p_t^{(2k+1)} = \sin(\omega_k t), \omega_k = 10000^{-2k/d}"),
        ("add_norm", "LN(x + MHA(x)), x + LN(FFN(x))"),
        ("multi_head", "Concat(head_1,...,head_h) W^O where d_k = d_v = d_model*h"),
        ("pe_cos", "PE(pos, i+1) = cos(pos / 10000^(2i/d_model))"),
        ("attention", "softmax(QK^T/√(d_k))V, with √d_k = 64"),
    ],
)
def test_what_may_be_meant_otherwise_goes_to_a_person(kind: str, source: str) -> None:
    assert examine(kind, source).verdict == "review"
