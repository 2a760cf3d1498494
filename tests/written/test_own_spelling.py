"""Shapes, expressions and lists in a student's own words."""

# ruff: noqa: E501 - an answer, a line

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.sheet import Written

KEYS = {
    q.id: q.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for q in section.questions
}


def verdict(question: str, text: str) -> Verdict:
    return judge_answer(KEYS[question], Written(text)).verdict


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("connections", "n²"),
        ("connections", "n × n = n^2 connections"),
        ("connections", "If every word is connected with every word including itself we need n × n = n^2 connections."),
        ("connections", "A sentence with n words needs n² connections"),
        ("connections", "n^2 (or n(n-1) without self-connections)"),
        ("connections", "n^2, so 9 for three words"),
        ("connections", "n squared"),
        ("connections", "each of the n words connects to n words: n*n"),
        ("connections", "O(n²)"),
        ("connections", "$n^2$ arrows"),
        ("connections", "n·(n−1) without self loops, n² with"),
        ("connections", "n to the power of 2"),
        ("connections", "3² = 9, in general n²"),
        ("connections", "quadratic, n^2"),
        ("head_width", "dmodel / number of heads"),
        ("head_width", "d_k = d_v = d_model / h"),
        ("head_width", "d_model divided by h"),
        ("head_width", "d_model/h = 64"),
        ("head_width", "$\\frac{d_{model}}{h}$"),
        ("head_width", "$d_k = d_v = d_{\\text{model}}/h$"),
        ("head_width", "dmodel/h"),
        ("head_width", "d_model/num_heads"),
        ("head_width", "The model dimension divided by the number of heads"),
        ("head_width", "d_model over h"),
        ("head_width", "d_model/h (i.e. 64 in the base model)"),
        ("head_width", "each head has dimension d_model/h"),
        ("shape_k", "K also has the shape (T, d_k)"),
        ("shape_v", "V is a matrix with T rows and d_v columns"),
        ("shape_v", "(T rows, d_v columns)"),
        ("shape_q", "T by d_k matrix"),
        ("shape_q", "T rows, d_k columns"),
        ("shape_q", "$\\mathbb{R}^{T \\times d_k}$"),
        ("shape_q", "T x dk"),
        ("shape_q", "a T × d_k matrix"),
        ("shape_q", "[T x d_k]"),
        ("shape_q", "Q: (T, d_k)"),
        ("shape_q", "shape (T, d_k), one row per input"),
        ("shape_q", "T×d_k (seq_len × key dim)"),
        ("shape_q", "(T,d_k)"),
        ("shape_q", "$T \\times d_k$, because W_Q is d_model x d_k"),
        ("shape_q", "Q ∈ R^{T×d_k}"),
        ("shape_q", "T-by-d_k"),
        (
            "layer_steps",
            "1. Multi-head self-attention computes attention\n2. A residual (skip) connection adds the input\n3. Layer normalization\n4. The position-wise feed forward network\n5. Another residual connection\n6. Layer normalization again",
        ),
        (
            "layer_steps",
            "1 self-attention computes attention, 2 residual adds a shortcut, 3 layer norm normalises, 4 FFN processes each position, 5 residual another shortcut, 6 layer norm normalises again.",
        ),
        ("layer_steps", "1. Multi-Head Attention\n2. Add\n3. Norm\n4. Feed Forward\n5. Add\n6. Norm"),
        ("layer_steps", "self-attention -> add & norm -> FFN -> add & norm"),
        ("layer_steps", "Attention, Add & Norm, FFN, Add & Norm"),
        (
            "layer_steps",
            "1. self-attention\n2. residual connection (x + attention(x))\n3. LayerNorm\n4. FFN: max(0, xW1+b1)W2+b2\n5. residual connection (x + FFN(x))\n6. LayerNorm",
        ),
        (
            "layer_steps",
            "1. MHA\n2. skip connection around it\n3. layer norm\n4. two-layer MLP\n5. skip connection around it\n6. layer norm",
        ),
        ("layer_steps", "1) Multi-head attention 2) Residual 3) LayerNorm 4) Feed-forward 5) Residual 6) LayerNorm"),
        (
            "layer_steps",
            "1. Multi-head self-attention layer\n2. residual addition\n3. layer normalisation\n4. pointwise feed-forward\n5. second residual\n6. second layer norm",
        ),
        (
            "layer_steps",
            "First self-attention, then a residual connection, then layer normalization, then the feed-forward network, then another residual connection and finally layer normalization.",
        ),
        ("tested_on", "EN→DE, EN→FR"),
        ("tested_on", "WMT14 En-De and WMT14 En-Fr"),
        ("tested_on", "English-German and English-French translation"),
        ("tested_on", "1. newstest2014 English-German\n2. newstest2014 English-French"),
        ("tested_on", "English→German (4.5M pairs), English→French (36M)"),
        ("tested_on", "WMT 2014: German and French"),
        ("tested_on", "Machine translation En-De, English constituency parsing"),
        ("tested_on", "Englisch-Deutsch und Englisch-Französisch"),
        ("task", "sequence-to-sequence"),
        ("task", "It was created to solve sequence-to-sequence tasks such as machine translation."),
        ("task", "machine translation (seq2seq)"),
        ("task", "Neural machine translation"),
        ("task", "translating sentences from one language into another"),
        ("task", "transduction of sequences, e.g. translation"),
    ],
)
def test_a_right_answer_in_other_words_is_right(question: str, text: str) -> None:
    assert verdict(question, text) is Verdict.PASSED


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("connections", "2n"),
        ("connections", "n"),
        ("connections", "n^3"),
        ("connections", "A sentence with n words needs n connections"),
        ("connections", "9"),
        ("connections", "n log n"),
        ("head_width", "d_model"),
        ("head_width", "d_model*h"),
        ("head_width", "h/d_model"),
        ("head_width", "d_model/2"),
        ("head_width", "512"),
        ("shape_q", "d_k x T"),
        ("shape_q", "T x d_model"),
        ("shape_q", "T x d_v"),
        ("shape_q", "(T, T)"),
        ("shape_q", "T columns and d_k rows"),
        ("shape_q", "d_k rows and T columns"),
        ("shape_q", "T"),
        ("layer_steps", "1. FFN\n2. Add\n3. Norm\n4. Attention\n5. Add\n6. Norm"),
        ("layer_steps", "1. attention\n2. norm\n3. add\n4. FFN\n5. norm\n6. add"),
        ("layer_steps", "1. attention\n2. softmax\n3. norm\n4. FFN\n5. add\n6. norm"),
        (
            "layer_steps",
            "1. Feed-forward computes attention\n2. residual\n3. norm\n4. self-attention processes each position\n5. residual\n6. norm",
        ),
        ("tested_on", "- ImageNet\n- CIFAR-10"),
        ("tested_on", "English-German"),
        ("shape_q", "not T x d_k"),
        ("shape_q", "T x d_k transposed"),
        ("shape_q", "Q is T x d_k but K is d_k x T, so d_k x T"),
        ("connections", "not n^2"),
        ("connections", "n^2 log n"),
        ("connections", "half of n^2"),
        ("connections", "n^2 + n"),
        ("connections", "n words need 2n arrows"),
        ("head_width", "d_model times the number of heads"),
        ("head_width", "h over d_model"),
        ("head_width", "not d_model/h"),
        ("layer_steps", "cross-attention, add, norm, FFN, add, norm"),
        ("layer_steps", "1. attention\n2. no residual\n3. norm\n4. FFN\n5. add\n6. norm"),
        ("layer_steps", "attention, norm & add, FFN, norm & add"),
        ("layer_steps", "1. attention\n2. add\n3. batch norm\n4. FFN\n5. add\n6. batch norm"),
        ("layer_steps", "norm before attention, add, norm, FFN, add, norm"),
        ("connections", "more than n^2"),
        ("connections", "less than n^2"),
        ("connections", "n^2/2"),
        ("connections", "from n to n^2"),
        ("shape_q", "T x d_k x h"),
        ("shape_q", "T x T x d_k"),
        ("shape_q", "d_k x d_k, T rows"),
        ("shape_q", "T rows and T columns"),
        ("head_width", "d_model/h/2"),
        ("head_width", "d_model^h"),
        ("head_width", "2*d_model/h"),
        ("layer_steps", "1. attention computes each position\n2. FFN\n3. norm\n4. residual\n5. attention\n6. norm"),
        ("layer_steps", "self-attention, norm, residual, FFN, norm, residual"),
        ("tested_on", "German and Spanish"),
        ("metric", "not BLEU"),
        ("task", "not translation"),
        ("scale", "not d_k"),
        ("one_pattern", "No – it can, with enough heads"),
        ("one_pattern", "No: it can't do otherwise than capture all of them"),
    ],
)
def test_a_wrong_answer_in_other_words_does_not_pass(question: str, text: str) -> None:
    assert verdict(question, text) is not Verdict.PASSED


@pytest.mark.parametrize(
    "text", ["d_k rows and T columns", "T columns and d_k rows", "a d_k × T matrix", "(d_k, T) each"]
)
def test_a_shape_told_the_wrong_way_round_is_wrong(text: str) -> None:
    assert verdict("shape_q", text) is Verdict.FAILED
