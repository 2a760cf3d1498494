"""What a class of a solution is made with and called with, told by its text alone."""

from __future__ import annotations

import pytest

from grader import components as catalogue
from grader.learning.around import Around
from grader.learning.construction import makings
from grader.learning.definitions import Definition, definitions
from grader.learning.draft import calls, parts_of
from grader.learning.lesson import Lesson
from grader.learning.manners import made
from grader.learning.trial import changed
from grader.learning.unasked import never_passed
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule


@pytest.mark.parametrize(("base", "called"), [("(nn.Module)", "thing"), ("", "thing.forward")])
def test_what_a_call_is_told_beside_stands_in_an_adapters_lines(base: str, called: str) -> None:
    code = f"class Layer{base}:\n    def __init__(self, norm): 1\n    def forward(self, x, training): 1\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Layer"]
    interface = next(made(catalogue.block("encoder_layer"), one, Around({"Layer": one}, ready=READY)))
    assert interface.adapter is not None
    assert f"def call(thing, x):\n        return {called}(x, False)" in interface.adapter.source


@pytest.mark.parametrize(("last", "made"), [
    ("ff_mult=4", ["d_model", "num_heads"]), ("mlp_ratio", ["d_model", "num_heads", {"mlp_ratio": 4}]),
    ("expansion_dim", ["d_model", "num_heads", "d_ff"]), ("expand_dim", ["d_model", "num_heads", "d_ff"]),
    ("proj_dim", ["d_model", "num_heads", "d_ff"]),
])  # fmt: skip
def test_the_inner_layer_is_told_by_its_width_or_as_a_multiple(last: str, made: list[object]) -> None:
    code = f"class Block:\n    def __init__(self, d_model, heads, {last}): ...\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Block"]
    ways = list(makings(one, "encoder_layer", ("d_model", "num_heads", "d_ff"), Around({"Block": one})))
    assert made in [way["constructor"] for way in ways[:2]]


READY = {
    "multi_head_attention": "work.Heads(sizes.d_model)",
    "layer_norm": "work.Norm(sizes.d_model)",
    "encoder_layer": "work.Layer(sizes.d_model)",
}
NN = "(nn.Module)"
GIVEN = {
    "classes by name": ("", "d_model, attention_cls, norm_cls", "", "sizes.d_model, work.Heads, work.Norm"),
    "a class that is called": ("", "d_model, mixer", "mixer(d_model)", "sizes.d_model, work.Heads"),
    "a class that is handed on": (
        "",
        "attention, norm",
        "attention(norm)",
        "work.Heads, work.Norm",
    ),
    "a module by its class": ("", "mixer: MultiHeadAttention", "", "work.Heads(sizes.d_model)"),
    "a module by a longer name": ("", "masked_multi_head_attention", "", "work.Heads(sizes.d_model)"),
    "a size whose name holds that of a part": ("", "d_model, attention_heads", "", "sizes.d_model, sizes.num_heads"),
    "a size that a part of torch is called by, too": (NN, "d_model, head", "", "sizes.d_model, sizes.num_heads"),
    "an embedding of torch": (NN, "emb: nn.Embedding", "", "torch.nn.Embedding(sizes.vocab, sizes.d_model)"),
    "a config beside another argument": (
        "",
        "model_config, layer_idx",
        "self.d = model_config.width",
        "types.SimpleNamespace(width=sizes.d_model), 0",
    ),
    "a config in parts": (
        "",
        "conf",
        "self.d, self.h = conf.model.width, conf.model.heads",
        "types.SimpleNamespace(model=types.SimpleNamespace(width=sizes.d_model, heads=sizes.num_heads))",
    ),
    "a dict beside another argument": (
        "",
        "cfg, layer_idx",
        "self.d = cfg['width']",
        "{'width': sizes.d_model}, 0",
    ),
    "a list": ("", "layers", "", "[work.Layer(sizes.d_model) for _ in range(sizes.num_layers)]"),
}


@pytest.mark.parametrize("what", GIVEN)
def test_a_part_that_is_given_ready_made_is_given_as_it_is_taken(what: str) -> None:
    parent, taken, body, passed = GIVEN[what]
    made = f"def __init__(self, {taken}): {body or '...'}"
    code = f"class Stack{parent}:\n    {made}\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Stack"]
    how = next(makings(one, "encoder", ("d_model", "num_heads"), Around({"Stack": one}, ready=READY)))
    if "adapter" in how:
        assert how["adapter"] == f"work.Stack({passed})"
    else:
        assert how == {"constructor": [text.removeprefix("sizes.") for text in passed.split(", ")]}


def only(code: str, name: str) -> Definition:
    return definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])[name]


def test_what_may_be_none_and_is_no_part_of_the_paper_is_none() -> None:
    for said in ("Optional[Tensor]", "typing.Optional[Tensor]", "Tensor | None"):
        one = only(f"class A:\n    def forward(self, x: Tensor, past_state: {said}): 1\n", "A")
        assert [way["parameters"] for way in calls(one, ["x"])] == [["x", {"past_state": None}]]
        one = only(f"class A:\n    def forward(self, x, mask: {said}): 1\n", "A")
        assert next(calls(one, ["x", "mask"]))["parameters"] == ["x", "mask"]


def test_an_argument_is_given_by_name_where_an_inherited_call_hands_it_on_so() -> None:
    base = "class Base:\n    def __call__(self, x, {}): 1\n"
    code = "class A(Base):\n    def forward(self, x, memory): 1\n"
    ways = [
        next(calls(only(base.format(rest) + code, "A"), ["x", "memory"]))["parameters"]
        for rest in ("**others", "*rest, **others", "memory")
    ]
    assert ways == [{"x": "x", "memory": "memory"}, ["x", "memory"], ["x", "memory"]]


def test_a_class_that_leaves_its_call_to_torch_takes_one_input() -> None:
    code = "class FFN(nn.Sequential):\n    def __init__(self, d): 1\nclass Embedding(torch.nn.Embedding): pass\n"
    found = parts_of(definitions([CodeModule("m", (CodeChunk(code, "m.py"),))]))
    assert {one.component for one in found} == {"feed_forward", "token_embedding"}


def test_of_a_name_for_two_sizes_that_of_a_head_is_likelier() -> None:
    one = only("class A:\n    def __init__(self, width, head_size, heads): 1\n    def forward(self, x): 1\n", "A")
    made = next(makings(one, "multi_head_attention", ("d_model", "num_heads"), Around({"A": one})))
    assert made == {"constructor": ["d_model", "d_k", "num_heads"]}


@pytest.mark.parametrize(("value", "set_so"), [
    ("30", True), ("4 * 8", True), ("-1e9", False), ("1e9", False), ("'value'", False), ("None", False),
    ("True", False),
])  # fmt: skip
def test_a_constant_of_the_file_is_a_size_where_it_can_be_one(value: str, set_so: bool) -> None:
    code = f"V_VALUE = {value}\nclass A:\n    def __init__(self, d_model): ...\n    def forward(self, x): x + V_VALUE\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    made = next(makings(known["A"], "multi_head_attention", ("d_model", "d_v"), Around(known)))
    assert made.get("constants", []) == ["work.V_VALUE = sizes.d_v"] * set_so


def test_widths_of_the_model_are_given_alike_where_none_is_the_inner_layers() -> None:
    code = "class A:\n    def __init__(self, vocab, d_model=512, d_word_vec=512): ...\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["A"]
    made = next(makings(one, "encoder", ("vocab", "d_model"), Around({})))
    assert made == {"constructor": ["vocab", {"d_model": "d_model"}, {"d_word_vec": "d_model"}]}


def test_a_part_of_a_config_is_told_by_what_the_class_reads_that_it_is_handed_to() -> None:
    code = "class Heads:\n    def __init__(self, d, opt): opt['num_heads'], opt['d_k'], opt['d_v']\n"
    code += "class Layer:\n    def __init__(self, d, args):\n        self.heads = Heads(d, opt=args['attention'])\n"
    code += "        args['dropout']\n    def forward(self, x): ...\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    made = next(makings(known["Layer"], "encoder_layer", ("d_model", "num_heads"), Around(known)))["adapter"]
    sizes = "'num_heads': sizes.num_heads, 'd_k': sizes.d_k, 'd_v': sizes.d_v"
    assert made == f"work.Layer(sizes.d_model, {{'dropout': sizes.dropout, 'attention': {{{sizes}}}}})"


def test_the_words_of_a_vocabulary_are_no_fields_of_a_config() -> None:
    code = "class Model:\n    def __init__(self, words, d_model): self.pad = words['<pad>'] + len(words)\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Model"]
    assert next(makings(one, "transformer", ("d_model",), Around({"Model": one}))).keys() == {"constructor"}


def test_a_vocabulary_that_is_asked_for_its_length_has_one() -> None:
    code = "class A:\n    def __init__(self, src_vocab, *, hid_dim=512):\n        self.n = len(src_vocab)\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["A"]
    made = next(makings(one, "transformer", ("src_vocab", "d_model"), Around({"A": one})))["adapter"]
    assert made == "work.A(src_vocab=range(sizes.src_vocab), hid_dim=sizes.d_model)"


def test_a_cpu_stands_in_for_the_gpu_that_is_asked_for_anywhere_inside() -> None:
    code = "class B:\n    def __init__(self, d): self.t = torch.ones(d).cuda()\n"
    code += "class A:\n    def __init__(self, d): self.b = B(d)\n    def forward(self, x): 1\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    made = next(makings(known["A"], "encoder", ("d_model",), Around(known)))
    assert "torch.Tensor.cuda = " in made["constants"][0]
    looks = definitions([CodeModule("m", (CodeChunk(code.replace(".cuda()", ".cuda() if d.is_cuda else d"), "m.py"),))])
    assert "constants" not in next(makings(looks["A"], "encoder", ("d_model",), Around(looks)))
    assert "constants" not in next(makings(known["A"], "encoder", ("d_model",), Around({})))


def test_a_class_that_asks_for_a_gpu_by_itself_is_made_without() -> None:
    code = "class Stack:\n    def __init__(self, d_model, device='cuda:0'): ...\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Stack"]
    assert next(makings(one, "encoder", ("d_model",), Around({}))) == {"constructor": ["d_model", {"device": "cpu"}]}


def test_an_argument_that_no_call_is_given_is_told() -> None:
    one = only("def attend(q, k, v, valid=None, scale=True): 1\n", "attend")
    for parameters, left in ((["Q", "K", "V"], ["valid", "scale"]), (["Q", "K", "V", {"scale": True}], ["valid"])):
        interface = changed(Interface("scaled_dot_product_attention", "attend"), parameters=parameters)
        assert never_passed(Lesson(one, interface)) == left


def test_a_field_of_a_config_means_in_every_class_what_it_means_in_one() -> None:
    fields = ("words", "hidden_dim", "inner_dim", "layers", "heads")
    one = only(
        f"class Stack:\n    def __init__(self, c):\n        self.all = [{', '.join(f'c.{f}' for f in fields)}]\n",
        "Stack",
    )
    settled = {"hidden_dim": "d_model", "inner_dim": "d_ff"}
    sizes = ("vocab", "d_model", "d_ff", "num_layers", "num_heads")
    made = next(makings(one, "encoder", sizes, Around({"Stack": one}, {"config": settled})))["config"]
    assert {**made, **settled} == made
