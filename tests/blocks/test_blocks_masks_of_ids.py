"""A model that makes its masks of ids is judged around ours, where the student's makers of masks are wrong."""

from __future__ import annotations

import pytest
from whole_submission import changed

from grader.assessing.assess import assess
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox

pytestmark = pytest.mark.torch

MASKED = (
    changed(
        ("src, tgt, src_mask=None, tgt_mask=None):\n        if tgt_mask is None:\n    ", "src, tgt):\n    "),
        (
            "        tgt_mask = torch.from_numpy(causal_mask(tgt.shape[1])).to(tgt.device)",
            "    src_mask, tgt_mask = make_src_mask(src), make_tgt_mask(tgt)",
        ),
    )
    + """

def make_src_mask(ids, pad=0):
    return (ids != pad)[:, None, None]


def make_tgt_mask(ids, pad=0):
    past = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool, device=ids.device).tril()
    return (ids != pad)[:, None, None] & past
"""
)
MAKERS = {
    "right": ("ids", "ids", False),
    "inverted": ("(ids != pad)[:, None, None]\n", "(ids == pad)[:, None, None]\n", True),
    "or": ("& past", "| past", True),
    "no padding": ("(ids != pad)[:, None, None] & past", "past.expand(len(ids), 1, -1, -1)", True),
}


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("own", ["", "trf-returns-probabilities"])
def test_a_model_that_makes_its_masks_of_ids_is_judged_around_ours(sandbox: Sandbox, maker: str, own: str) -> None:
    old, new, wrong = MAKERS[maker]
    code = changed((old, new), code=MASKED)
    if own:
        code = changed(
            ("return self.generator(self.decoder(", "return torch.softmax(self.generator(self.decoder("),
            ("src_mask, tgt_mask))\n\n\ndef make", "src_mask, tgt_mask)), -1)\n\n\ndef make"),
            code=code,
        )
    interfaces = (
        Interface("attention_masks", "make_src_mask", conventions={"backend": "torch"}),
        Interface("transformer", "Transformer", parameters=("src", "tgt"), conventions={"pad_id": 0}),
    )
    submission = Submission("s", "s.py", (CodeModule("student", (CodeChunk(code, "student.py"),)),))
    parts = tuple(one.component for one in interfaces)
    found = assess(submission, Assignment("a", "1", "A", interfaces, needs_torch=True), parts, 3, sandbox).outcomes
    named = {part: {one.diagnosis.id for one in found if one.component == part and one.diagnosis} for part in parts}
    lost = {one.component for one in found if one.verdict is not Verdict.PASSED}
    assert not [one for one in found if one.verdict is Verdict.UNDETERMINED]
    assert ("attention_masks" in lost) is wrong
    assert named["transformer"] == ({own} if own else set())
    assert ("transformer" in lost) is bool(own)
