"""Modules in unusual styles: parametrised weights, compiled and scripted code, settings of a session."""

from __future__ import annotations

import numpy as np
import pytest
from grader.sandbox.plain import Program

from questions import QUICK, source

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

STYLES = """
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, spectral_norm, weight_norm

torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)

class Twice(nn.Module):
    def forward(self, w): return 2 * w
    def right_inverse(self, w): return w / 2

class Net(nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.layer = wraps[wrap](nn.Linear(3, 2))
    def forward(self, x): return self.layer(x)

def doubled(layer):
    parametrize.register_parametrization(layer, "weight", Twice())
    return layer

wraps = {"old": weight_norm, "new": parametrizations.weight_norm, "spectral": spectral_norm, "own": doubled}

@torch.compile(backend="eager")
def compiled(x): return x + 1

class Compiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.compile(nn.Linear(3, 2))
        self.compile()
    def forward(self, x): return self.layer(x)

def dtype(): return str(torch.zeros(1).dtype)
def weights_and_output(x): return torch.zeros(4, 4, requires_grad=True) * 1, x * 2
"""


@pytest.mark.parametrize("wrap", ["old", "new", "spectral", "own"])
def test_a_weight_that_is_computed_from_others_can_be_sent_in(torch_sandbox, wrap):
    weight, bias = np.arange(6.0).reshape(2, 3), np.ones(2)
    steps = (
        {"do": "construct", "target": "Net", "args": [wrap], "as": "net"},
        {"do": "mode", "on": "net", "train": False},
        {"do": "weights", "on": "net", "values": {"layer.weight": weight, "layer.bias": bias}},
        {"do": "call", "on": "net", "args": [{"$": "tensor", "array": np.eye(3, dtype=np.float32)}]},
    )
    answers = torch_sandbox.ask(source(STYLES), (Program(steps),), QUICK)
    np.testing.assert_array_equal(answers.replies[0].values[-1].array, weight.T + bias)


def test_what_asks_for_the_compiler_runs_without_it(torch_sandbox):
    x = {"$": "tensor", "array": np.ones((1, 3), dtype=np.float32)}
    plain = Program(({"do": "call", "target": "compiled", "args": [x]},))
    module = Program(({"do": "construct", "target": "Compiled", "as": "m"}, {"do": "call", "on": "m", "args": [x]}))
    replies = torch_sandbox.ask(source(STYLES), (plain, module), QUICK).replies
    assert [reply.status for reply in replies] == ["value", "value"]


def test_a_class_that_is_no_module_is_told_so(torch_sandbox):
    code = "class LayerNorm:\n    def __init__(self):\n        self.gain = 1\n"
    program = Program(
        ({"do": "construct", "target": "LayerNorm", "as": "m"}, {"do": "mode", "on": "m", "train": False})
    )
    failure = torch_sandbox.ask(source(code), (program,), QUICK).replies[0].failure
    assert failure.type == "TypeError"
    assert "LayerNorm is no torch.nn.Module" in failure.message


SCRIPTED = """
import torch
from torch import nn

@torch.jit.script
def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(2, 2)
    def forward(self, x):
        return double(self.w(x))

def Scripted():
    return torch.jit.script(Plain())

def Traced():
    return torch.jit.trace(Plain(), torch.ones(1, 2))
"""


@pytest.mark.parametrize("target", ["Plain", "Scripted", "Traced"])
def test_what_is_scripted_is_looked_at_as_it_was_written(torch_sandbox, target):
    x = {"$": "tensor", "array": np.ones((1, 2), dtype=np.float32)}
    weights = {"w.weight": np.eye(2, dtype=np.float32), "w.bias": np.ones(2, dtype=np.float32)}
    program = Program(
        (
            {"do": "construct", "target": target, "as": "m"},
            {"do": "weights", "on": "m", "values": weights},
            {"do": "trace", "on": "m", "call": {"do": "call", "on": "m", "args": [x]}},
        )
    )
    reply = torch_sandbox.ask(source(SCRIPTED), (program,), QUICK).replies[0]
    assert reply.status == "value", reply.failure
    assert reply.values[-1]["value"].array.tolist() == [[4.0, 4.0]]
    assert [name for name, _ in reply.values[-1]["uses"]] == ["w.weight", "w.bias"]


def test_settings_of_a_files_own_session_are_taken_back(torch_sandbox):
    x = {"$": "tensor", "array": np.ones((1, 3), dtype=np.float32), "grad": True}
    graded = (
        {"do": "let", "as": "x", "value": x},
        {"do": "call", "target": "compiled", "args": [{"$": "ref", "name": "x"}], "as": "y", "grad": True},
        {"do": "gradient", "of": "y", "inputs": ["x"]},
    )
    kind, gradient = torch_sandbox.ask(
        source(STYLES), (Program(({"do": "call", "target": "dtype"},)), Program(graded)), QUICK
    ).replies
    assert kind.values == ("torch.float32",)
    assert gradient.values[-1]["inputs"]["x"].tolist() == [[1, 1, 1]]


def test_the_gradient_is_that_of_the_result_that_the_seed_fits(torch_sandbox):
    steps = (
        {"do": "let", "as": "x", "value": {"$": "tensor", "array": np.ones((1, 3)), "grad": True}},
        {"do": "call", "target": "weights_and_output", "args": [{"$": "ref", "name": "x"}], "as": "y", "grad": True},
        {"do": "gradient", "of": "y", "inputs": ["x"], "seed_array": np.full((1, 3), 5.0)},
    )
    reply = torch_sandbox.ask(source(STYLES), (Program(steps),), QUICK).replies[0]
    assert reply.values[-1]["inputs"]["x"].tolist() == [[10, 10, 10]]


def test_a_module_of_an_absent_trainer_is_a_module(torch_sandbox):
    code = (
        "import pytorch_lightning as pl\nimport torch\nclass Net(pl.LightningModule):\n    def __init__(self):\n"
        "        super().__init__()\n        self.save_hyperparameters()\n        self.up = torch.nn.Linear(2, 3)\n"
    )
    program = Program(({"do": "construct", "target": "Net", "as": "m"}, {"do": "inventory", "on": "m"}))
    reply = torch_sandbox.ask(source(code), (program,), QUICK).replies[0]
    assert [row["name"] for row in reply.values[-1]["parameters"]] == ["up.weight", "up.bias"]
