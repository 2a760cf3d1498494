"""Shapes that a solution writes beside its masks are those that are promised."""

import pytest

from grader.learning.definitions import definitions
from grader.learning.shapes import fitting, written
from grader.model.submission import CodeChunk, CodeModule

WORKED = ("(n, m)", "(b, n, m)", "(b, 1, n, m)", "(1, 1, n, m)", "(b, 1, 1, m)", "(b, m)")
CODE = """class Heads:
    '''Attends.

    {doc}
    '''

    def forward(self, q, k, attn_mask=None):
        # {comment}
        return q.masked_fill(attn_mask.view(1, 1, 4, 4), 0)


# attn_mask: (w, x, y, z, zz)
"""
"""Neither what code does nor what stands elsewhere says anything of its masks."""
BESIDE = [
    ("attn_mask: (S, T)", "", ["(n, m)", "(b, m)"]),
    ("", "attn_mask: [batch, 1, 1, k_len]; 0 is hidden", ["(b, 1, 1, m)"]),
    ("attn_mask (Tensor): of shape (N, 1, 1, S) or (N, 1, L, S)", "", ["(b, 1, n, m)", "(b, 1, 1, m)"]),
    ("attn_mask: (N, L, S), output: (N, 1, L, E)", "", ["(b, n, m)"]),
    ("q: (N, L, E), the mask: (N, 1, 1, S)", "my_attn_mask: (N, 1, 1, S)", list(WORKED)),
    ("attn_mask: (A, B, C, D, E)", "", list(WORKED)),
    ("Self-attention (masked), (a, b)", "", list(WORKED)),
]


@pytest.mark.parametrize(("doc", "comment", "kept"), BESIDE)
def test_shapes_beside_a_mask_choose_among_those_that_work(doc: str, comment: str, kept: list[str]) -> None:
    module = CodeModule("m", (CodeChunk(CODE.format(doc=doc, comment=comment), "m.py"),))
    one = definitions([module])["Heads"]
    assert fitting(WORKED, written(one, "attn_mask", [module])) == kept
