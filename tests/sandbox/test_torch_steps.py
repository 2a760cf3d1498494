from __future__ import annotations

import numpy as np
import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Program
from grader.sandbox.wire import TensorValue

from questions import QUICK, source

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

CODE = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, d, dropout=0.5):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.packed = nn.Linear(d, 2 * d, bias=False)
        self.again = self.q
        self.layers = [nn.Linear(d, d) for _ in range(2)]
        self.table = torch.ones(d)
        self.register_buffer("mask", torch.zeros(2), persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        keys, values = (x @ self.packed.weight.T).chunk(2, dim=-1)
        return self.drop(torch.relu(self.q(x)) + keys * values) + self.table[:1]

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2, 3))
    def forward(self, x):
        k, v = self.w.T.chunk(2, dim=1)
        return x @ v + x @ k

class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(8, 8))
        self.last = None
    def forward(self, x):
        self.last = torch.softmax(x @ self.w, -1)
        for _ in range(20):  # memory that is free again is used again
            x = torch.matmul(x, torch.ones(8, 8))
        return x

class Mapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.Parameter(torch.ones(2, 3, 3))
    def forward(self, x):
        return torch.vmap(lambda w: torch.vmap(lambda row: row @ w)(x))(self.heads)

class Cut(nn.Module):
    def __init__(self):
        super().__init__()
        first, second = torch.ones(6, 3).chunk(2)
        self.first, self.second = nn.Parameter(first), nn.Parameter(second)
    def forward(self, x):
        return x @ self.first.T @ self.second

class Turned(nn.Module):
    def __init__(self, kept):
        super().__init__()
        table = torch.polar(torch.ones(3), torch.arange(3.0))
        self.register_buffer("table", table) if kept else setattr(self, "table", table)
    def forward(self, x):
        return torch.view_as_real(x * self.table) + x.sum()

def half(x): return x.to(torch.bfloat16)
def grads(): return torch.is_grad_enabled()
def seen(x): return [x.is_contiguous(), x.requires_grad, x.dtype == torch.float64]
def apply(f, x): return f(x)
def drawn(seed=None):
    if seed is not None: torch.manual_seed(seed)
    return torch.rand(3)
def sparse(): return torch.eye(3).to_sparse()
def big(): return torch.zeros(100 << 30, dtype=torch.uint8)
def train(n):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    opt = torch.optim.Adam(net.parameters())
    for _ in range(n):
        opt.zero_grad(); loss = net(torch.ones(3, 4)).square().sum(); loss.backward(); opt.step()
    return loss.detach()
"""


@pytest.fixture
def steps(torch_sandbox):
    def ask(*steps, values=True):
        reply = torch_sandbox.ask(source(CODE), (Program(steps),), QUICK).replies[0]
        if values:
            assert reply.status == "value", reply.failure
            return reply.values
        return reply

    return ask


def block(**kwargs):
    return {"do": "construct", "target": "Block", "args": [3], "kwargs": kwargs, "as": "m", "seed": 1}


def tensor(array, **kwargs):
    return {"$": "tensor", "array": np.asarray(array), **kwargs}


def on(*args, **kwargs):
    return {"do": "call", "on": "m", "args": list(args), **kwargs}


def test_an_inventory_tells_what_a_module_holds_and_what_torch_does_not_see(steps):
    held = steps(block(), {"do": "inventory", "on": "m"})[1]
    names = [row["name"] for row in held["parameters"]]
    assert names == ["q.weight", "q.bias", "packed.weight", "again.weight", "again.bias"]
    assert held["parameters"][0] == {
        "name": "q.weight",
        "shape": [3, 3],
        "requires_grad": True,
        "owner_class": "Linear",
        "same_as": None,
        "apart": False,
    }
    assert held["parameters"][3]["same_as"] == "q.weight"
    assert [row["name"] for row in held["loose"]] == ["table"]
    assert held["unregistered"] == ["layers"]
    assert [row["name"] for row in held["hidden"]][:2] == ["layers[0].weight", "layers[0].bias"]
    assert held["repeated"] == [["q", "again"]]


@pytest.mark.parametrize("kept", [True, False])
def test_a_table_of_complex_numbers_stays_one_in_float64_and_is_no_weight(steps, kept):
    made = {"do": "construct", "target": "Turned", "args": [kept], "as": "m", "seed": 1}
    call = {"do": "call", "on": "m", "args": [tensor(np.ones(3, np.float32))]}
    held, single = steps(made, {"do": "inventory", "on": "m"}, call)[-2:]
    assert not held["loose"]
    fine = steps(made, {"do": "move", "on": "m", "dtype": "float64"}, call | {"args": [tensor(np.ones(3))]})[-1]
    assert fine.array.dtype == np.float64
    np.testing.assert_allclose(fine.array, single.array, rtol=1e-6, atol=1e-6)


def test_weights_are_copied_in_and_keep_the_parameters_dtype(steps):
    eye = np.eye(3)
    values = steps(
        block(),
        {"do": "weights", "on": "m", "values": {"q.weight": eye, "q.bias": np.zeros(3), "table": np.zeros(3)}},
        {"do": "weights", "on": "m", "values": {"packed.weight": np.zeros((6, 3)), "layers[1].weight": eye}},
        {"do": "mode", "on": "m", "train": False},
        on(tensor([[1.0, -2.0, 3.0]]).copy() | {"array": np.float32([[1, -2, 3]])}),
    )
    assert isinstance(values[4], TensorValue)
    assert values[4].array.tolist() == [[1.0, 0.0, 3.0]]
    assert values[4].array.dtype == np.float32


@pytest.mark.parametrize(
    ("values", "words"), [({"nope": np.zeros(1)}, "no parameter is called nope"), ({"q.bias": np.zeros(4)}, "shape")]
)
def test_weights_that_do_not_fit_are_an_error(steps, values, words):
    reply = steps(block(), {"do": "weights", "on": "m", "values": values}, values=False)
    assert reply.status == "error"
    assert words in reply.failure.message


def test_modes_are_switched(steps):
    x = tensor(np.ones((4, 3), np.float32))
    values = steps(
        block(dropout=0.0),
        {"do": "mode", "on": "m", "train": True},
        on(x),
        {"do": "mode", "on": "m", "train": False},
        on(x),
    )
    np.testing.assert_array_equal(values[2].array, values[4].array)


def test_construction_is_seeded(steps):
    first, second = (
        steps(block(), {"do": "mode", "on": "m", "train": False}, on(tensor(np.float32([[1, 2, 3]]))))[2] for _ in "ab"
    )
    np.testing.assert_array_equal(first.array, second.array)


def test_a_trace_follows_parameters_through_views(steps):
    values = steps(
        block(dropout=0.0),
        {"do": "trace", "on": "m", "call": on(tensor(np.ones((1, 3), np.float32)))},
        {"do": "construct", "target": "Plain", "as": "p"},
        {"do": "trace", "on": "p", "call": {"do": "call", "on": "p", "args": [tensor(np.ones((1, 3), np.float32))]}},
    )
    assert values[1]["uses"] == [
        ["packed.weight", "matmul"],
        ["q.weight", "linear"],
        ["q.bias", "linear"],
        ["table", "add"],
    ]
    assert values[1]["value"].array.shape == (1, 3)
    assert values[3]["uses"] == [["w", "matmul"], ["w", "matmul"]]


def test_a_trace_tells_parameters_apart_that_are_parts_of_one_memory(steps):
    call = on(tensor(np.ones((1, 3), np.float32)))
    reply = steps({"do": "construct", "target": "Cut", "as": "m", "seed": 1}, {"do": "trace", "on": "m", "call": call})
    assert reply[-1]["uses"] == [["first", "matmul"], ["second", "matmul"]]


def test_a_trace_looks_into_vmap(steps):
    reply = steps(
        {"do": "construct", "target": "Mapped", "as": "m", "seed": 1},
        {"do": "trace", "on": "m", "call": on(tensor(np.ones((2, 3), np.float32)))},
    )[-1]
    assert reply["value"].array.tolist() == np.full((2, 2, 3), 3.0).tolist()
    assert {name for name, _ in reply["uses"]} == {"heads"}


def test_a_tensor_that_the_call_replaces_is_not_taken_for_another(steps):
    rows = {"do": "trace", "on": "m", "call": on(tensor(np.ones((8, 8), np.float32)))}
    first = {**on(tensor(np.ones((8, 8), np.float32))), "quiet": True}
    reply = steps({"do": "construct", "target": "Keeps", "as": "m", "seed": 1}, first, rows)[-1]
    assert reply["uses"] == [["w", "matmul"]]


def test_gradients_come_by_parameter_and_by_input(steps):
    x = np.float64([[1.0, 2.0, 3.0]])
    values = steps(
        {"do": "construct", "target": "Plain", "as": "m"},
        {"do": "move", "on": "m", "dtype": "float64"},
        {"do": "let", "as": "x", "value": tensor(x, grad=True)},
        on({"$": "ref", "name": "x"}, grad=True, **{"as": "y"}),
        {"do": "gradient", "of": "y", "on": "m", "inputs": ["x"], "seed_array": np.array([[2.0]])},
    )
    np.testing.assert_array_equal(values[4]["parameters"]["w"], [[2.0, 4.0, 6.0]] * 2)
    np.testing.assert_array_equal(values[4]["inputs"]["x"], [[0.0, 0.0, 0.0]])


def test_calls_run_without_gradients_unless_asked(steps):
    call = {"do": "call", "target": "grads"}
    assert steps(call, call | {"grad": True}) == (False, True)


def test_tensors_are_built_as_asked(steps):
    x = np.arange(6.0).reshape(2, 3)
    seen = {"do": "call", "target": "seen"}
    values = steps(
        seen | {"args": [tensor(x)]},
        seen | {"args": [tensor(x, contiguous=False)]},
        seen | {"args": [tensor(x, grad=True)]},
    )
    assert values == ([True, False, True], [False, False, True], [True, True, True])


def test_a_sublayer_is_linear(steps):
    weight, bias = np.arange(6.0).reshape(2, 3), np.ones(3)
    node = {"$": "sublayer", "kind": "linear", "weight": weight, "bias": bias}
    values = steps({"do": "call", "target": "apply", "args": [node, tensor([[1.0, 2.0]])]})
    np.testing.assert_array_equal(values[0].array, np.array([[1.0, 2.0]]) @ weight + bias)


def test_bfloat16_arrives_as_float32(steps):
    value = steps({"do": "call", "target": "half", "args": [tensor([1.0, 2.0])]})[0]
    assert (value.array.dtype, value.array.tolist(), value.device) == (np.float32, [1.0, 2.0], "cpu")


def test_on_the_meta_device_shapes_are_asked_without_numbers(steps):
    values = steps(block(), {"do": "move", "on": "m", "device": "meta"}, {"do": "inventory", "on": "m"})
    assert values[2]["parameters"][0]["shape"] == [3, 3]


def test_torchs_lack_of_memory_is_memory(steps):
    assert steps({"do": "call", "target": "big"}, values=False).status == "memory"


def test_a_sparse_tensor_is_refused_by_name(steps):
    assert "sparse" in steps({"do": "call", "target": "sparse"}, values=False).failure.message


def test_training_in_the_child_is_the_same_each_time(steps):
    train = {"do": "call", "target": "train", "args": [20], "grad": True}
    assert steps(train)[0].array == steps(train)[0].array


def test_the_random_state_sees_torchs_generator(steps):
    state = {"do": "random_state"}
    before, _, after, _, again = steps(state, {"do": "call", "target": "train", "args": [0 + 1], "grad": True}, state,
                                       {"do": "seed", "value": 1}, state)  # fmt: skip
    assert len({before, after, again}) == 3


@pytest.mark.slow
def test_torch_is_warmed_on_demand_and_absent_before():
    code = "import torch\ndef f(x): return float(torch.as_tensor(x).sum())\n"
    ask = Program(({"do": "call", "target": "f", "args": [np.ones(3)]},))
    with Sandbox("standard") as sandbox:
        assert "needs torch" in sandbox.ask(source(code), (ask,), QUICK).replies[0].failure.message
        sandbox.warm_torch()
        assert sandbox.ask(source(code), (ask,), QUICK).replies[0].values == (3.0,)


def test_a_seed_gives_the_numbers_that_manual_seed_gives(steps):
    seeded = steps({"do": "seed", "value": 7}, {"do": "call", "target": "drawn"})[1]
    own, other = (steps({"do": "call", "target": "drawn", "args": [seed]})[0] for seed in (7, 8))
    np.testing.assert_array_equal(seeded.array, own.array)
    assert not np.array_equal(seeded.array, other.array)
