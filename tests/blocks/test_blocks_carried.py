"""A mistake of a part is paid for in the part, and not again in the blocks around it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from block_samples import CLASSES, OWN

from grader.assessing.assess import assess
from grader.assessing.carried import carry_forward
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import By, Diagnosis, Outcome, Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox

TRANSFORMER = (OWN / "transformer_tied.py").read_text()
SOFTMAX = "(s.softmax(-1) @ v).transpose(1, 2).flatten(2)"
PARTS = """

class MultiHeadAttention(Attention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        if d_model % num_heads:
            raise ValueError("indivisible")

    def forward(self, query, key, value, mask=None):
        return self.attend(query, key, value, mask)


class LayerNorm(Norm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.inner = Embed(vocab, d_model, 1, 0.0)

    def forward(self, ids):
        return self.inner.scaled(ids)


class PositionwiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__(nn.Linear(d_model, d_ff), ACTIVATION(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
"""


def whole_submission() -> str:
    """One file in which layers are built from the parts that it also hands in."""
    code = TRANSFORMER.replace(
        "    def forward(self, x, source, mask):\n        q = self.q(x)",
        "    def forward(self, x, source, mask):\n        return self.attend(x, source, source, mask)\n\n"
        "    def attend(self, x, key, value, mask):\n        q = self.q(x)",
    )
    code = code.replace(
        "k, v = self.kv(source).unflatten(-1, (2, self.h, -1)).permute(2, 0, 3, 1, 4)",
        "k = self.kv(key).chunk(2, -1)[0].unflatten(-1, (self.h, -1)).transpose(1, 2)\n"
        "        v = self.kv(value).chunk(2, -1)[1].unflatten(-1, (self.h, -1)).transpose(1, 2)",
    )
    code = code.replace("nn.ReLU()", "ACTIVATION()").replace(
        "class Attention", "ACTIVATION = nn.ReLU\n\n\nclass Attention", 1
    )
    code = code.replace(".relu()).transpose(1, 2)", ").transpose(1, 2)").replace(
        "self.conv[1](self.conv[0](x.transpose(1, 2)))", "self.conv[1](ACTIVATION()(self.conv[0](x.transpose(1, 2))))"
    )
    code = code.replace(
        "        x = self.table(ids) * math.sqrt(self.table.embedding_dim)\n", "        x = self.scaled(ids)\n"
    ).replace(
        "    def forward(self, ids):\n        x = self.scaled",
        "    def scaled(self, ids):\n        return self.table(ids) * math.sqrt(self.table.embedding_dim)\n\n"
        "    def forward(self, ids):\n        x = self.scaled",
    )
    return code.replace("nn.LayerNorm(d_model)", "Norm(d_model)") + PARTS


def graded(sandbox: Sandbox, code: str, components: tuple[str, ...]) -> dict[str, list[Outcome]]:
    interfaces = tuple(Interface(name, CLASSES[name]) for name in components)
    submission = Submission("s", "s.py", (CodeModule("student", (CodeChunk(code, "student.py"),)),))
    found = assess(submission, Assignment("a", "1", "A", interfaces, needs_torch=True), components, 3, sandbox)
    return {name: [outcome for outcome in found.outcomes if outcome.component == name] for name in components}


def lost(outcomes: list[Outcome]) -> set[str]:
    return {outcome.check.partition(".")[2] for outcome in outcomes if outcome.verdict is not Verdict.PASSED}


UPSTREAM = (
    ("multi_head_attention", " / math.sqrt(q.shape[-1])", "", {"attends_to_itself", "attends_to_another"}),
    (
        "multi_head_attention",
        "(s.softmax(-1) @ v).transpose(1, 2).flatten(2)",
        "(s.softmax(-1) @ v).reshape(x.shape)",
        {"attends_to_itself", "attends_to_another"},
    ),
    (
        "multi_head_attention",
        "s.masked_fill(~(",
        "s.masked_fill((",
        {"mask_for_all", "mask_per_sample", "mask_per_head"},
    ),
    (
        "layer_norm",
        "torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + self.eps)",
        "(((x - mean) ** 2).mean(-1, keepdim=True) + self.eps)",
        {"normalises_each_position"},
    ),
    ("feed_forward", "ACTIVATION = nn.ReLU", "ACTIVATION = nn.GELU", {"computes_equation_2"}),
    (
        "token_embedding",
        "return self.table(ids) * math.sqrt(self.table.embedding_dim)",
        "return self.table(ids)",
        {"scales_rows"},
    ),
)


@pytest.mark.torch
def test_the_whole_submission_is_right_to_begin_with(sandbox: Sandbox) -> None:
    components = (
        "multi_head_attention",
        "layer_norm",
        "feed_forward",
        "token_embedding",
        "encoder_layer",
        "decoder_layer",
        "transformer",
    )
    found = graded(sandbox, whole_submission(), components)
    assert {name for name, outcomes in found.items() if lost(outcomes)} == set()


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "old", "new", "paid"), UPSTREAM, ids=[f"{row[0]}-{n}" for n, row in enumerate(UPSTREAM)]
)
def test_an_upstream_mistake_is_paid_for_once(sandbox: Sandbox, part: str, old: str, new: str, paid: set[str]) -> None:
    code = whole_submission()
    assert old in code
    # a causal mask read the other way round leaves the last row nothing to see: the whole model gives NaN
    blocks = (
        ("encoder_layer", "decoder_layer")
        if "masked_fill" in old
        else ("encoder_layer", "decoder_layer", "transformer")
    )
    found = graded(sandbox, code.replace(old, new), (part, *blocks))
    assert lost(found[part]) == paid
    for block in blocks:
        assert lost(found[block]) == set(), block
    notes = [note for block in blocks for outcome in found[block] for note in outcome.notes]
    assert any(note == f"Right, given your {part.replace('_', ' ')}" for note in notes)


@pytest.mark.torch
def test_a_block_graded_alone_pays_itself(sandbox: Sandbox) -> None:
    code = whole_submission().replace(" / math.sqrt(q.shape[-1])", "")
    found = graded(sandbox, code, ("encoder_layer",))
    assert lost(found["encoder_layer"]) == {"computes_the_layer"}


def outcome(component: str, check: str, verdict: Verdict, id: str) -> Outcome:
    each = [Diagnosis((one,), "a title", by=By.ANSWERS) for one in id.split(" + ")]
    diagnosis = replace(each[0], ids=tuple(id.split(" + ")), each=tuple(each)) if len(each) > 1 else each[0]
    return Outcome(f"{component}.{check}", component, "a check", verdict, 0, 1, diagnosis=diagnosis)


def test_two_mistakes_are_carried_only_when_both_parts_paid() -> None:
    both = outcome("transformer", "computes_figure_1", Verdict.FAILED, "sdpa-no-scale + ln-eps-missing")
    one = outcome("multi_head_attention", "attends_to_itself", Verdict.FAILED, "sdpa-no-scale")
    other = outcome("layer_norm", "normalises_each_position", Verdict.FAILED, "ln-eps-missing")
    left = carry_forward([one, both], lambda *_: True)[1]
    assert left.verdict is Verdict.FAILED
    assert left.diagnosis is not None
    assert left.diagnosis.ids == ("ln-eps-missing",)  # what a part pays for is not told of the block as well
    carried = carry_forward([one, other, both], lambda *_: True)[2]
    assert carried.verdict is Verdict.PASSED
    assert carried.notes == ("Right, given your multi head attention and layer norm",)


def test_a_part_that_was_right_carries_nothing() -> None:
    part = Outcome("multi_head_attention.x", "multi_head_attention", "", Verdict.PASSED, 1, 1)
    block = outcome("encoder_layer", "computes_the_layer", Verdict.FAILED, "sdpa-no-scale")
    assert carry_forward([part, block], lambda *_: True)[1] == block


def test_the_decoder_layer_does_not_pay_for_what_the_encoder_layer_paid() -> None:
    first = outcome("encoder_layer", "computes_the_layer", Verdict.FAILED, "enc-missing-residual")
    second = outcome("decoder_layer", "computes_the_layer", Verdict.FAILED, "dec-missing-residual")
    assert carry_forward([first, second], lambda *_: True)[1].verdict is Verdict.PASSED
