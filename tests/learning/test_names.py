"""What a name of a solution can stand for, told by its text alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from grader import components as catalogue
from grader.learning.around import Around, inside
from grader.learning.definitions import definitions, keys_taken
from grader.learning.draft import calls, parts_of
from grader.learning.learn import _lessons, _listed, _of_framework
from grader.learning.lesson import Lesson, Question
from grader.learning.manners import made
from grader.learning.words import argument_of, is_size
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule, Submission


def test_what_holds_a_part_that_is_not_read_is_told_from_what_does_not() -> None:
    code = "class A:\n    pass\nclass B:\n    x = A()\nclass C:\n    x = B()\nclass D:\n    pass\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    around = Around(known, unread=frozenset({"A"}))
    assert {name for name in known if around.holds_unread(known[name], "encoder")} == {"A", "B", "C"}
    taken = "class Stack:\n    def __init__(self, encoder_layer, n): self.n = encoder_layer\n"
    one = definitions([CodeModule("m", (CodeChunk(taken, "m.py"),))])["Stack"]
    given = replace(around, ready={"encoder_layer": "work.A(sizes.d_model)"})
    assert given.holds_unread(one, "encoder")
    assert not replace(given, unread=frozenset({"D"})).holds_unread(one, "encoder")


def test_a_class_may_stand_before_its_parent() -> None:
    last = CodeModule("a", (CodeChunk("class Last(Middle):\n    pass\n", "a.py"),))
    rest = CodeModule("b", (CodeChunk("class Middle(First): pass\nclass First(nn.Module): pass\n", "b.py"),))
    known = definitions([last, rest])
    assert list(known) == ["Last", "Middle", "First"]
    assert known["Last"].of_torch


def test_a_module_of_the_solutions_own_is_none_of_torch() -> None:
    code = "class Module: pass\nclass Norm(Module): pass\nclass Other(Unknown.Module): pass\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    assert [known[name].of_torch for name in ("Norm", "Other")] == [False, True]


@pytest.mark.parametrize(("name", "size"), [
    ("q_k_size", "d_k"), ("v_size", "d_v"), ("f_size", "d_ff"), ("ffn_num_hiddens", "d_ff"),
    ("ffn_num_outputs", "d_model"), ("query_size", "d_model"),
    ("d_query_key_head", "d_k"), ("d_value_head", "d_v"), ("head_dim", "d_k"),
])  # fmt: skip
def test_a_size_is_told_by_its_name(name: str, size: str) -> None:
    assert is_size(name, size)


LAYER = """
class MultiHead:
    def forward(self, x): 1
class Decoder:
    def __init__(self, d_model, heads): self.a = MultiHead()
    def forward(self, x, memory): 1
"""
NAMED = {
    "what tests call comes first": (
        "class LayerNorm:\n    def forward(self, x): 1\ndef run_layernorm(d_model, x): 1\n",
        {"layer_norm": "run_layernorm"},
    ),
    "positions of another paper": ("class RotaryPositionalEmbedding:\n    def forward(self, x): 1\n", {}),
    "a stack of vectors": ("class Transformer:\n    def forward(self, x, mask=None): 1\n", {"encoder": "Transformer"}),
    "a stack that embeds": (
        "class Transformer:\n    def __init__(self): self.e = nn.Embedding(1, 1)\n    def forward(self, x): 1\n",
        {"language_model": "Transformer"},
    ),
    "a layer that is called a stack": (
        LAYER,
        {"multi_head_attention": "MultiHead", "decoder_layer": "Decoder"},
    ),
    "short names": (
        "class EncBlock:\n    def forward(self, x): 1\nclass DecBlock:\n    def forward(self, x, memory): 1\n",
        {"encoder_layer": "EncBlock", "decoder_layer": "DecBlock"},
    ),
    "a schedule of another paper": ("def get_lr_cosine_schedule(step, top): 1\n", {}),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_part_is_told_by_its_name(what: str) -> None:
    code, parts = NAMED[what]
    found = parts_of(definitions([CodeModule("m", (CodeChunk(code, "m.py"),))]))
    assert {one.component: one.definition.name for one in found} == parts


def test_where_a_token_stands_is_no_mask() -> None:
    code = "class Encoder:\n    def forward(self, ids, ids_pos): 1\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Encoder"]
    assert not [*calls(one, ("ids", "mask"))]


def test_the_padding_of_the_target_is_no_mask_of_the_source() -> None:
    taken = "x, enc_output, look_ahead_mask=None, tgt_padding_mask=None, enc_padding_mask=None"
    one = definitions([CodeModule("m", (CodeChunk(f"class A:\n    def forward(self, {taken}): 1\n", "m.py"),))])["A"]
    given = next(calls(one, ["x", "memory", "src_mask", "tgt_mask"]))["parameters"]
    masks = {"look_ahead_mask": "tgt_mask", "enc_padding_mask": "src_mask"}
    assert given == {"x": "x", "enc_output": "memory", **masks}


def test_of_two_masks_the_first_is_that_of_the_target() -> None:
    masks = ["src_mask", "tgt_mask"]
    assert [argument_of(f"{word}_attn_mask", masks) for word in ("first", "second")] == [["tgt_mask"], ["src_mask"]]


PADDED = {
    "src, tgt, src_mask, tgt_mask, src_padding_mask, tgt_padding_mask, memory_key_padding_mask": (
        "None, tgt_mask, src_mask, None, src_mask"
    ),
    "src, tgt, tgt_look_ahead_mask, src_pad_mask, tgt_pad_mask, enc_pad_mask": "tgt_mask, src_mask, None, src_mask",
}


@pytest.mark.parametrize("taken", PADDED)
def test_padding_that_has_masks_of_its_own_is_hidden_wherever_it_is_read(taken: str) -> None:
    code = f"class Transformer(nn.Module):\n    def forward(self, {taken}): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Transformer"]
    called = next(calls(one, ["src", "tgt", "src_mask", "tgt_mask"]))
    assert called["entry"] == f"thing(src, tgt, {PADDED[taken]})"
    assert {*called["parameters"]} == {"src", "tgt", "src_mask", "tgt_mask"}


def test_what_a_class_makes_by_the_name_of_its_file_is_inside_it() -> None:
    made = "class Stack:\n    def __init__(self, d): self.a = layers.Layer(d); self.n = nn.Norm(d)\n"
    layer = CodeModule("model.layers", (CodeChunk("class Layer: ...\nclass Norm: ...\n", "model/layers.py"),))
    known = definitions([CodeModule("model.stack", (CodeChunk(made, "model/stack.py"),)), layer])
    assert [one.name for one in inside(known["Stack"], known)] == ["Stack", "Layer"]


def test_of_two_masks_one_of_queries_is_not_that_of_the_part() -> None:
    code = "class A:\n    def forward(self, query, key, value, q_padding_mask=None, v_padding_mask=None): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["A"]
    given = next(calls(one, ["query", "key", "value", "mask"]))["parameters"]
    assert given["v_padding_mask"] == "mask"
    assert "q_padding_mask" not in given


def test_after_long_no_further_part_is_tried() -> None:
    code = "def softmax(x): ...\nclass Encoder:\n    def __init__(self, d_model): ...\n    def forward(self, x): ...\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    trial: Any = SimpleNamespace(late=lambda: True)
    lessons = _lessons(trial, known, parts_of(known), lambda _: None, torch=True)
    assert len(lessons) == 2
    assert not any(one.judged for one in lessons)
    assert all("was not tried. The time was up" in one.questions[0].text for one in lessons)


@pytest.mark.parametrize("name", ["{}_backward", "{}_grad", "d_{}_gradient", "backprop_{}", "{}Derivative"])
def test_what_computes_gradients_is_no_part_of_the_paper(name: str) -> None:
    names = ("softmax", "layer_norm", "attention", "feed_forward")
    code = "\n".join(f"def {name.format(one)}(x, kept): 1" for one in names)
    assert not parts_of(definitions([CodeModule("m", (CodeChunk(code, "m.py"),))]))


@pytest.mark.parametrize(
    ("called", "component"),
    [
        ("layernorm_forward(x, gamma, beta, settings)", "layer_norm"),
        ("mlp_forward(x, w1, b1, w2, b2)", "feed_forward"),
        ("feedforward(x, w1, b1, w2, b2)", "feed_forward"),
        ("multi_head_attention_forward(x, wq, wk, wv, wo, h)", "multi_head_attention"),
        ("sinusoid_table(n_position, d_hid)", "positional_encoding"),
        ("masked_softmax(scores, valid)", "softmax"),
    ],
)
def test_a_forward_pass_is_called_as_its_part_is(called: str, component: str) -> None:
    found = parts_of(definitions([CodeModule("m", (CodeChunk(f"def {called}: 1", "m.py"),))]))
    assert [one.component for one in found] == [component]


def test_what_a_function_can_do_without_in_a_dict_is_optional() -> None:
    code = """
def step(w, state):
    if "seed" in state: 1
    state.setdefault("t", 0)
    return w - state["lr"] * state.get("decay", 0.5) * state["t"], state
"""
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["step"]
    keys = {taken.name: "needed" if taken.required else taken.default for taken in keys_taken(one, "state")}
    assert keys == {"lr": "needed", "t": 0, "decay": 0.5, "seed": None}
    assert (one.returned, one.beside) == (("_", "state"), frozenset())


def test_a_cache_is_no_array_however_it_is_returned() -> None:
    code = "def f(x):\n    kept = {}\n    return {}\n"
    for kept, values, beside in (
        ("(x, 1)", "x, kept", {1}),
        ("None", "x, (x, kept)", {1}),
        ("{}", "kept, x, None", {0, 2}),
        ("x @ x", "x, kept", set()),
    ):
        one = definitions([CodeModule("m", (CodeChunk(code.format(kept, values), "m.py"),))])["f"]
        assert one.beside == beside


BLOCK = """
class Block(nn.Module):
    def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout, i): 1
    def forward(self, X, state): 1
class Stack(nn.Module):
    def __init__(self, num_hiddens, num_heads, num_blks, i): 1
    def init_state(self, outputs, lengths): 1
    def forward(self, X, state): 1
"""


def test_a_decoder_finds_its_memory_in_a_state_and_nothing_computed_before() -> None:
    known = definitions([CodeModule("m", (CodeChunk(BLOCK, "m.py"),))])
    first = next(made(catalogue.block("decoder_layer"), known["Block"], Around(known))).adapter
    assert first is not None
    assert "Block(sizes.d_model, sizes.d_ff, sizes.num_heads, sizes.dropout, 0)" in first.source
    assert "return thing(x, [memory, None, [None] * 9])[0]" in first.source
    whole = next(made(catalogue.block("decoder"), known["Stack"], Around(known))).adapter
    assert whole is not None
    assert "sizes.num_layers, 0)" in whole.source
    assert "return thing(x, thing.init_state(memory, None))[0]" in whole.source


def test_what_is_called_most_like_a_part_is_listed_first_and_the_rest_is_counted() -> None:
    code = "\n".join(f"def helper_{at}(x): 1" for at in "abcdefghijklmnop") + "\ndef layer_nrm(x, g, b): 1"
    listed = _listed(definitions([CodeModule("m", (CodeChunk(code, "m.py"),))]), ["layer_norm"])
    assert listed.startswith("layer_nrm, ")
    assert listed.endswith(" and 5 more")


def test_what_needs_a_file_of_another_framework_says_so() -> None:
    texts = {"layers": "import tensorflow as tf\nclass Dense:\n    pass\n", "heads": "class Heads:\n    x = Dense()\n"}
    modules = tuple(CodeModule(name, (CodeChunk(text, f"{name}.py"),)) for name, text in texts.items())
    known = definitions(modules)
    lesson = Lesson(known["Heads"], Interface("x", "Heads"), questions=(Question("does not run."),), judged=False)
    told = _of_framework(lesson, Submission("s", "s", modules), known).questions[0].text
    assert told == "does not run. layers.py is written for tensorflow, and only numpy and torch are run here."
    lesson = replace(lesson, definition=definitions(modules[1:])["Heads"])
    assert _of_framework(lesson, Submission("s", "s", modules), {}) == lesson


FLAGS = """
class Layer:
    def forward(self, x, mask=None, pre_norm=False):
        return x


class Stack:
    def forward(self, x, mask, pre_norm):
        return Layer().forward(x, mask, pre_norm)


class Asked:
    def forward(self, x, mask, quiet):
        return x if not quiet else mask


class Said:
    def forward(self, x, mask, shown: bool):
        return x
"""


@pytest.mark.parametrize(("name", "flag"), [("Stack", "pre_norm"), ("Asked", "quiet"), ("Said", "shown")])
def test_what_has_to_be_told_whether_something_holds_is_told_no_and_yes(name: str, flag: str) -> None:
    one = definitions([CodeModule("work", (CodeChunk(FLAGS, "work.py"),))])[name]
    assert list(calls(one, ["x", "mask"])) == [
        {"parameters": ["x", "mask", {flag: False}]}, {"parameters": ["x", "mask", {flag: True}]},
    ]  # fmt: skip
