"""What no check looks at is told: options, values beside the answer, methods, weights that are shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.intake.loading import load
from grader.learning.definitions import definitions
from grader.learning.lesson import Lesson
from grader.learning.unasked import unasked
from grader.model.assignment import Interface

MODEL = """
class Sizes:
    width: int = 8
    words: int = 50
    bias: bool = True


class Model:
    def __init__(self, config, deep=False):
        self.table, self.head = Table(config.words, config.width), Linear(config.width, config.words, config.bias)
        self._draw()
        {tie}

    def _draw(self):
        pass

    def forward(self, ids, targets=None):
        logits = self.read(ids)
        loss = None if targets is None else cost(logits, targets)
        return logits, loss

    def read(self, ids):
        return self.head(self.table(ids))

    def generate(self, ids, steps):
        return self.forward(ids)
"""
OF_CONFIG = {"config": {"width": "d_model", "words": "vocab"}, "config_class": "Sizes"}


@pytest.mark.parametrize(
    ("tie", "said", "told"),
    [
        ("self.head.weight = self.table.weight", OF_CONFIG, ["bias", "weights are shared"]),
        ("self.count = ids.count", OF_CONFIG, ["bias"]),
        ("pass", {**OF_CONFIG, "config": {"width": "d_model", "words": "vocab", "bias": True}}, ["bias"]),
        ("pass", {"constructor": ["d_model"]}, ["deep"]),
        ("pass", {"constructor": {"config": "d_model", "deep": True}}, []),
        (
            "pass",
            {"constructor": [{"config": "num_heads"}, {"deep": "num_heads"}]},
            ["deep, with another value than config"],
        ),
    ],
)
def test_what_nothing_asks_is_told(tie: str, said: dict[str, object], told: list[str], tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(MODEL.format(tie=tie))
    known = definitions(load(tmp_path / "work.py").modules)
    interface = Interface("language_model", "Model", parameters=("ids",), conventions={"form": "class", **said})
    found = list(unasked(Lesson(known["Model"], interface), known))
    always = ["targets, which no call is given", "(logits, loss)", "generate()"]
    assert all(any(words in line for line in found) for words in (*always, *told))
    assert len(found) == len(always) + len(told)
    assert "read()" not in " ".join(found)
