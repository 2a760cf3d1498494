"""What stands in for a part is made and called as the hand-out says, and computes what its course settles."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from block_samples import CLASSES
from standing_in import graded, lost, right_with
from test_blocks_numpy import PARTS
from test_blocks_numpy import SAID as OF_ARRAYS
from whole_submission import WHOLE, changed, not_built

from grader.assessing import stand_ins
from grader.assessing.assess import assess
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Limits, Module, Program, Source

pytestmark = pytest.mark.torch

ATTENTIONS = {
    "masks that block": (
        {"mask": "block"},
        [("self.attention(y, y, y, mask)", "self.attention(y, y, y, None if mask is None else ~mask)")],
    ),
    "masks that are added": (
        {"mask": "additive"},
        [("self.attention(y, y, y, mask)", "self.attention(y, y, y, None if mask is None else (~mask) * -1e9)")],
    ),
    "positions first": (
        {"batch": "second"},
        [("self.attention(y, y, y, mask)", "self.attention(*[y.transpose(0, 1)] * 3, mask).transpose(0, 1)")],
    ),
    "its own names, and constants": (
        {"constructor": {"heads": "num_heads", "width": "d_model", "device": "cpu"}},
        [
            (
                "self.attention = MultiHeadAttention(d_model, num_heads)",
                "self.attention = MultiHeadAttention(heads=num_heads, device='cpu', width=d_model)",
            ),
        ],
    ),
    "a config": (
        {"config": {"n_embd": "d_model", "n_head": "num_heads"}},
        [
            (
                "self.attention = MultiHeadAttention(d_model, num_heads)",
                "self.attention = MultiHeadAttention(dict(n_embd=d_model, n_head=num_heads))",
            ),
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("conventions", "edits"), ATTENTIONS.values(), ids=ATTENTIONS)
def test_a_stand_in_is_made_and_called_as_the_hand_out_says(
    sandbox: Sandbox, conventions: dict[str, object], edits: list[tuple[str, str]]
) -> None:
    layer = WHOLE[WHOLE.index("class EncoderLayer") : WHOLE.index("class DecoderLayer")]
    own = changed(*edits, code=layer)
    code = not_built("MultiHeadAttention").replace(layer, own)
    found = graded(sandbox, code, ("multi_head_attention", "encoder_layer"), **conventions)
    assert right_with(found["encoder_layer"], "multi head attention")


SETTLED: dict[str, tuple[str, str, Mapping[str, object]]] = {
    "a deviation by d_model - 1": ("layer_norm", "encoder_layer", {"deviation": "unbiased", "eps_place": "outside"}),
    "a norm by the root mean square": ("layer_norm", "encoder_layer", {"centred": False}),
    "a gain alone": ("layer_norm", "decoder_layer", {"affine": "gain"}),
    "GELU": ("feed_forward", "encoder_layer", {"activation": "gelu"}),
    "GELU by tanh": ("feed_forward", "decoder_layer", {"activation": "gelu_tanh"}),
    "the norm in front": ("encoder_layer", "encoder", {"norm": "pre"}),
}


@pytest.mark.slow
@pytest.mark.parametrize(("part", "block", "said"), SETTLED.values(), ids=SETTLED)
def test_a_stand_in_computes_what_a_course_settles(
    sandbox: Sandbox, part: str, block: str, said: Mapping[str, object]
) -> None:
    of_block = {key: value for key, value in said.items() if key != "eps_place"}
    found = graded(sandbox, not_built(CLASSES[part]), (part, block), {part: said, block: of_block})
    assert right_with(found[block], part.replace("_", " "))


def test_a_block_waits_where_nothing_of_ours_is_what_the_hand_out_asks_of_its_part(sandbox: Sandbox) -> None:
    found = graded(sandbox, not_built("MultiHeadAttention"), ("multi_head_attention", "encoder_layer"), scale="none")
    assert {outcome.verdict for outcome in found["encoder_layer"]} == {Verdict.UNDETERMINED}


@pytest.mark.parametrize(
    ("part", "broken"),
    [
        ("multi_head_attention", "q @ k.swapaxes(-1, -2)|q @ k"),
        ("feed_forward", "self.second(np.maximum(self.first(x), 0))|self.first(x)"),
        ("layer_norm", "self.beta + self.gamma * centred|self.beta[1:] + self.gamma * centred"),
    ],
)
def test_a_layer_of_arrays_is_judged_around_our_part(sandbox: Sandbox, part: str, broken: str) -> None:
    known = {"multi_head_attention": "MultiHeadAttention", "feed_forward": "PositionwiseFeedForward"}
    known |= {"layer_norm": "LayerNorm", "encoder_layer": "EncoderLayer"}
    interfaces = [Interface(one, known[one], conventions={"backend": "numpy", **OF_ARRAYS[one]}) for one in known]
    code = changed(tuple(broken.split("|")), code=PARTS)  # type: ignore[arg-type]
    submission = Submission("s", "s.py", (CodeModule("s", (CodeChunk(code, "s.py"),)),))
    found = assess(submission, Assignment("a", "1", "A", tuple(interfaces)), (part, "encoder_layer"), 3, sandbox)
    by_part = {one: [outcome for outcome in found.outcomes if outcome.component == one] for one in known}
    assert lost(by_part[part])
    assert right_with(by_part["encoder_layer"], part.replace("_", " "))


@pytest.mark.parametrize(
    ("conventions", "shown"),
    [
        ({}, "True False"),
        ({"mask": "block"}, "False True"),
        ({"mask": "additive"}, "0.0 -1000000000.0"),
        ({"mask": "additive", "mask_hides": "infinite"}, "0.0 -inf"),
    ],
)
def test_a_mask_that_ours_makes_is_one_of_the_hand_out(
    sandbox: Sandbox, conventions: dict[str, str], shown: str
) -> None:
    code = (
        "def causal_mask(n):\n    raise NotImplementedError\n\n\ndef row(n):\n    return causal_mask(n)[0].tolist()\n"
    )
    source = Source((Module("student", (Chunk(code, "student.py"),)),))
    assignment = Assignment("a", "1", "A", (Interface("causal_mask", "causal_mask", conventions=conventions),))
    around = stand_ins.in_place(source, {"causal_mask": "causal_mask"}, assignment, [("student", "causal_mask")])
    answers = sandbox.ask(around, (Program(({"do": "call", "target": "row", "args": [2]},)),), Limits())
    assert " ".join(map(str, answers.replies[0].values[-1])) == shown
