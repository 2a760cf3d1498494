"""A block around a part that does not work is judged with ours in that place, and the part itself never is."""

from __future__ import annotations

import pytest
from block_samples import CLASSES
from standing_in import SAID, graded, lost, notes, right_with
from whole_submission import WHOLE, changed, not_built, without

from grader import components
from grader.assessing import stand_ins
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Verdict
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Module, Source

pytestmark = pytest.mark.torch
OUT = "        return self.o(out.transpose(1, 2).flatten(2))"
LAYERS = ("encoder_layer", "decoder_layer")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "part", "blocks"),
    [
        ("softmax", "softmax", ("scaled_dot_product_attention", "multi_head_attention", "encoder_layer")),
        ("scaled_dot_product_attention", "scaled_dot_product_attention", ("multi_head_attention", "decoder_layer")),
        ("TokenEmbedding", "token_embedding", ("transformer",)),
        ("PositionwiseFeedForward", "feed_forward", LAYERS),
        ("LayerNorm", "layer_norm", ("add_norm", *LAYERS)),
        ("AddNorm", "add_norm", LAYERS),
        *(
            pytest.param(*row, marks=pytest.mark.slow)
            for row in (
                ("causal_mask", "causal_mask", ("transformer",)),
                ("positional_encoding", "positional_encoding", ("transformer",)),
                ("MultiHeadAttention", "multi_head_attention", (*LAYERS, "encoder", "decoder", "transformer")),
                ("EncoderLayer", "encoder_layer", ("encoder", "transformer")),
                ("DecoderLayer", "decoder_layer", ("decoder", "transformer")),
                ("Encoder", "encoder", ("transformer",)),
                ("Decoder", "decoder", ("transformer",)),
            )
        ),
    ],
)
def test_blocks_around_a_part_that_is_not_built_keep_their_points(
    sandbox: Sandbox, name: str, part: str, blocks: tuple[str, ...]
) -> None:
    found = graded(sandbox, not_built(name), (part, *blocks))
    assert len(lost(found[part])) == len(found[part])
    assert not any("Judged with our" in note for note in notes(found[part]))
    for block in blocks:
        assert right_with(found[block], part.replace("_", " ")), [one.message for one in lost(found[block])]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "code",
    [
        without("MultiHeadAttention"),
        changed((OUT, "        return None")),
        changed((OUT, "        pass")),
        changed((OUT, "        return self.o(out.flatten(2))")),
        changed((OUT, f"{OUT}.sin()")),
        changed((OUT, f"        1 / 0\n{OUT}")),
        changed(
            (
                "num_heads):\n        super().__init__()\n        if",
                "num_heads, *, h):\n        super().__init__()\n        if",
            )
        ),
        changed(("query, key, value, mask=None):\n        q, k", "x):\n        q, k")),
    ],
    ids=["missing", "none", "pass", "shapes", "unlisted", "raises", "constructor", "forward"],
)
def test_however_a_part_fails_its_block_is_judged_apart(sandbox: Sandbox, code: str) -> None:
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"))
    assert lost(found["multi_head_attention"])
    assert right_with(found["encoder_layer"], "multi head attention")


def test_a_part_that_is_not_graded_is_stood_in_for_too(sandbox: Sandbox) -> None:
    found = graded(sandbox, not_built("MultiHeadAttention"), ("encoder_layer",))
    assert right_with(found["encoder_layer"], "multi head attention")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "pairs",
    [
        (("MultiHeadAttention(d_model, num_heads)", "MultiHeadAttention(d_model, num_heads, dropout)"),),
        (("MultiHeadAttention(d_model, num_heads)", "MultiHeadAttention(dim=d_model, heads=num_heads)"),),
        (("self.attention(y, y, y, mask)", "self.attention(y, y, y, mask)[0]"),),
        (("self.attention(y, y, y, mask)", "self.attention(q=y, k=y, v=y, mask=mask)"),),
    ],
    ids=["dropout", "keywords", "pair", "named"],
)
def test_a_block_may_use_a_part_as_its_own_would_be_used(sandbox: Sandbox, pairs: tuple[tuple[str, str], ...]) -> None:
    code = changed(*pairs, code=not_built("MultiHeadAttention"))
    found = graded(sandbox, code, ("encoder_layer",))
    assert right_with(found["encoder_layer"], "multi head attention")


ROADS = """import numpy as np


class Maths:
    @classmethod
    def softmax(cls, x, axis=-1):
        y = np.moveaxis(np.asarray(x, float), axis, 0)
        e = np.exp(y - y.max(0))
        return np.moveaxis(e / e.sum(0), axis, 0)

    @classmethod
    def attend(cls, Q, K, V, mask=None):
        s = np.asarray(Q @ np.swapaxes(K, -1, -2), float) / np.sqrt(Q.shape[-1])
        w = weigh(s) if mask is None else cls.softmax(np.where(mask, s, -1e9))
        return w @ V, w


softmax = weigh = Maths.softmax
scaled_dot_product_attention = Maths.attend
"""


@pytest.mark.slow
def test_a_part_is_stood_in_for_on_every_road_that_leads_to_it(sandbox: Sandbox) -> None:
    found = graded(sandbox, ROADS, ("softmax", "scaled_dot_product_attention"))
    assert lost(found["softmax"])
    assert right_with(found["scaled_dot_product_attention"], "softmax")


def test_a_block_in_another_file_gets_the_stand_in(sandbox: Sandbox) -> None:
    stub = not_built("MultiHeadAttention")
    at = stub.index("class EncoderLayer")
    head = "from torch import nn\nfrom parts import MultiHeadAttention, PositionwiseFeedForward, AddNorm\n\n\n"
    files = {"layers": head + stub[at : stub.index("class Transformer")], "parts": stub[:at]}
    found = graded(sandbox, files, ("multi_head_attention", *LAYERS))
    assert len(lost(found["multi_head_attention"])) == len(found["multi_head_attention"])
    assert all(right_with(found[block], "multi head attention") for block in LAYERS)


def test_a_mistake_of_the_block_itself_is_paid_for_and_named(sandbox: Sandbox) -> None:
    code = changed(
        ("return self.second(x, self.network)", "return self.second.norm(self.network(x))"),
        code=not_built("MultiHeadAttention"),
    )
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"))
    (outcome,) = lost(found["encoder_layer"])
    assert outcome.verdict is Verdict.FAILED
    assert outcome.message.startswith(SAID.format("multi head attention"))
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.id == "enc-missing-residual"


def test_an_exception_of_the_block_itself_stays_its_own(sandbox: Sandbox) -> None:
    code = changed(
        ("self.second(x, self.network)", "self.secnd(x, self.network)"), code=not_built("MultiHeadAttention")
    )
    found = graded(sandbox, code, ("encoder_layer",))
    errors = [outcome for outcome in lost(found["encoder_layer"]) if outcome.verdict is Verdict.ERROR]
    assert errors
    assert all("secnd" in outcome.message for outcome in errors)


def test_a_block_that_is_not_built_gets_no_stand_in(sandbox: Sandbox) -> None:
    code = not_built("EncoderLayer", not_built("MultiHeadAttention"))
    found = graded(sandbox, code, ("encoder_layer",))
    assert {outcome.verdict for outcome in lost(found["encoder_layer"])} == {Verdict.ERROR}
    assert len(lost(found["encoder_layer"])) == len(found["encoder_layer"])


def test_a_block_that_inherits_its_part_waits_for_a_person(sandbox: Sandbox) -> None:
    code = changed(
        ("self.attention = MultiHeadAttention(", "self.attention = Mine("),
        ("class EncoderLayer", "class Mine(MultiHeadAttention):\n    pass\n\n\nclass EncoderLayer"),
        code=not_built("MultiHeadAttention"),
    )
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"))
    assert {outcome.verdict for outcome in found["encoder_layer"]} == {Verdict.UNDETERMINED}
    assert "cannot be judged while your multi head attention does not work" in found["encoder_layer"][0].message


def test_an_exception_inside_a_stand_in_is_for_staff_alone(sandbox: Sandbox) -> None:
    code = changed(("self.attention(y, y, y, mask)", "self.attention(y, y, y, torch.ones(7, 7))"))
    code = changed((OUT, "        raise ValueError('mine')"), code=code)
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"))
    waiting = [one for one in found["encoder_layer"] if one.verdict is Verdict.UNDETERMINED]
    assert waiting
    assert all("boolean" in one.staff_note for one in waiting)
    assert not any("boolean" in text for one in waiting for text in (one.message, *one.notes))


def test_peeping_at_the_stand_ins_earns_nothing(sandbox: Sandbox) -> None:
    peep = (
        "def peep():\n    import stand_in_torch\n    return stand_in_torch.MultiHeadAttention\n\n\n"
        "class MultiHeadAttention(nn.Module):\n    def __init__(self, d_model, num_heads):\n"
        "        super().__init__()\n        self.inner = peep()(d_model, num_heads)\n\n"
        "    def forward(self, *args):\n        return self.inner(*args)\n\n\nclass EncoderLayer"
    )
    code = changed(("class EncoderLayer", peep), code=without("MultiHeadAttention"))
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"))
    assert len(lost(found["multi_head_attention"])) == len(found["multi_head_attention"])


@pytest.mark.parametrize("part", sorted(stand_ins.CLASSES))
def test_what_is_sent_for_a_part_defines_no_block_around_it(part: str) -> None:
    source = Source((Module("student", (Chunk("", "student.py"),)),))
    name = components.block(part).target
    sent = stand_ins.in_place(source, {part: name}, Assignment("a", "1", "A", (Interface(part, name),)), [])
    text = "\n".join(chunk.code for module in sent.modules[1:] for chunk in module.chunks)
    order = ["multi_head_attention", "add_norm", "encoder_layer", "decoder_layer", "encoder", "decoder"]
    above = order[order.index(part) + 1 :] if part in order else order
    allowed = {"decoder": {"decoder_layer"}, "encoder": set()}.get(part, set())
    for other in above:
        if other not in allowed:
            assert f"class {components.block(other).target}(" not in text
    assert "class Transformer(" not in text


def test_a_right_hand_in_is_never_asked_again(sandbox: Sandbox) -> None:
    found = graded(sandbox, WHOLE, ("multi_head_attention", "encoder_layer"))
    assert not any(lost(outcomes) or notes(outcomes) for outcomes in found.values())


def test_a_library_function_of_the_same_name_is_no_part_of_the_submission(sandbox: Sandbox) -> None:
    code = (
        "import torch\nfrom torch import nn\n\n\nclass MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_model, num_heads):\n        super().__init__()\n"
        "        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))\n\n"
        "    def forward(self, query, key, value, mask=None):\n"
        "        return self.o(torch.softmax(query @ key, -1) @ self.v(value))\n"
    )
    found = graded(sandbox, code, ("multi_head_attention",))["multi_head_attention"]
    assert Verdict.ERROR in {one.verdict for one in lost(found)}
    assert not any("your softmax" in one.message for one in found)


@pytest.mark.parametrize("name", ["EncoderLayer", "DecoderLayer", "MultiHeadAttention"])
def test_a_block_that_does_not_take_its_arguments_is_its_own_error(sandbox: Sandbox, name: str) -> None:
    component = next(component for component, known in CLASSES.items() if known == name)
    more = "def _more(self, extra, another, dropout, one, more, last):\n    pass\n\n\n"
    code = f"{WHOLE}\n\n{more}_more.__qualname__ = '{name}.__init__'\n{name}.__init__ = _more\n"
    found = graded(sandbox, code, ("feed_forward", component))[component]
    assert {outcome.verdict for outcome in found} == {Verdict.ERROR}
    assert all(f"TypeError: {name}.__init__()" in outcome.message for outcome in found)
