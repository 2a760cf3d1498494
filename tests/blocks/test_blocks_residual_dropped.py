"""Dropout that reaches the residual path is told by where it stands."""

from __future__ import annotations

import pytest
from block_samples import Judge
from whole_submission import changed

pytestmark = pytest.mark.torch
WRAPPED = "self.norm(x + self.drop(sublayer(x)))"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", ["encoder_layer", "decoder_layer", "encoder", "decoder"])
@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("self.norm(self.drop(x + sublayer(x)))", "enc-residual-dropped"),
        ("self.norm(self.drop(x) + sublayer(x))", "enc-residual-dropped"),
        ("self.drop(self.norm(x + sublayer(x)))", "enc-dropout-after-norm"),
    ],
)
def test_dropout_on_the_residual_path_is_named(judged: Judge, component: str, way: str, name: str) -> None:
    found = judged(component, changed((WRAPPED, way)))
    assert set(found.lost) == {"dropout_in_training"}
    assert found.named == {name}
