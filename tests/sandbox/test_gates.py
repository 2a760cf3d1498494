"""Every road to a library's softmax, attention or layer is seen where it runs; what a student computes is not."""

# ruff: noqa: E501, ISC004 - tables of code
from __future__ import annotations

import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Limits, Module, Program, Source, Use
from grader.sandbox.roads import ROADS, SWITCHED_OFF, forbidden, unknown

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

TOP = """\
import functools, importlib, inspect, operator, string, sys, threading, types
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
"""
T = "t = torch.as_tensor(np.asarray(x, float))\n"
SOFTMAX, LOG, ATTENTION = "torch.softmax", "torch.log_softmax", "torch.nn.functional.scaled_dot_product_attention"
HEADS, LAYER = "torch.nn.MultiheadAttention", "torch.nn.TransformerEncoderLayer"


@pytest.fixture
def sandbox(strict_torch):
    return strict_torch


def led(sandbox: Sandbox, code: str, target: str = "softmax", shape: tuple[int, ...] = (3, 4), **more: object):
    import numpy as np

    source = Source((Module("work", (Chunk(TOP + code, "work.py"),)),))
    x = np.linspace(-1, 2, int(np.prod(shape))).reshape(shape)
    step = {"do": "call", "target": target, "args": [x], **more}
    return sandbox.ask(source, (Program((step,)),), Limits()).replies[0]


def function(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in (T + body).splitlines())
    return f"def softmax(x, axis=-1):\n{lines}"


BODIES = {
    "torch.softmax": "return torch.softmax(t, -1).numpy()",
    "a method": "return t.softmax(-1).numpy()",
    "the base class": "return torch._C.TensorBase.softmax(t, -1).numpy()",
    "another spelling of the base class": "return torch.Tensor.__mro__[1].softmax(t, -1).numpy()",
    "an operator": "return torch.ops.aten.softmax.int(t, -1).numpy()",
    "an operator that is private": "return torch.ops.aten._softmax(t, -1, False).numpy()",
    "an operator into a place": "o = torch.empty_like(t)\ntorch.ops.aten._softmax.out(t, -1, False, out=o)\nreturn o.numpy()",
    "an operator by its kernel": "return torch.library.get_kernel('aten::_softmax', 'CPU').call_boxed("
    "torch._C._dispatch_keys(t), t, -1, False).numpy()",
    "a packet's function": "return torch._C._jit_get_operation('aten::softmax')[0](t, -1, None).numpy()",
    "special": "return torch.special.softmax(t, -1).numpy()",
    "safe": "return torch._safe_softmax(t, -1).numpy()",
    "masked": "from torch.masked import softmax as s\nreturn s(t, -1).numpy()",
    "masked in C": "return torch._masked_softmax(t, torch.zeros_like(t, dtype=torch.bool), -1).numpy()",
    "sparse with every entry": "at = torch.ones_like(t).nonzero().T\n"
    "return torch.sparse.softmax(torch.sparse_coo_tensor(at, t.flatten(), t.shape), 1).to_dense().numpy()",
    "sparse": "return torch.sparse.softmax(t.to_sparse(), 1).to_dense().numpy()",
    "nested": "return torch.nested.nested_tensor([t]).softmax(-1).unbind()[0].numpy()",
    "oneDNN": "return t.float().to_mkldnn().softmax(-1).to_dense().numpy()",
    "half": "return t.half().softmax(-1).double().numpy()",
    "quantized": "q = torch.quantize_per_tensor(t.float(), 0.1, 0, torch.quint8)\n"
    "return torch.ops.quantized.softmax(q, -1, 0.004, 0).dequantize().numpy()",
    "softmin": "return F.softmin(-t, -1).numpy()",
    "a module": "return nn.Softmax(-1)(t).numpy()",
    "a module for pictures": "return nn.Softmax2d()(t.T[None, :, :, None])[0, :, :, 0].T.numpy()",
    "a module's forward": "return nn.Softmin.forward(types.SimpleNamespace(dim=-1), -t).numpy()",
    "a subclass": "class Mine(nn.Softmax): pass\nreturn Mine(-1)(t).numpy()",
    "a subclass of tensors": "class Mine(torch.Tensor): pass\nreturn t.as_subclass(Mine).softmax(-1).numpy()",
    "gumbel": "return F.gumbel_softmax(t, tau=1.0).numpy()",
    "a distribution": "return torch.distributions.Categorical(logits=t).probs.numpy()",
    "getattr": "return getattr(F, 'soft' + 'max')(t, -1).numpy()",
    "a text put together": "return eval('torch.' + chr(115) + 'oftmax')(t, -1).numpy()",
    "a table": "return F.__dict__['xamtfos'[::-1]](t, -1).numpy()",
    "a look through everything": "return next(f for n, f in vars(F).items() if hash(n) == hash('softmax'))(t, -1).numpy()",
    "import_module": "return importlib.import_module('torch.nn.functional').softmax(t, -1).numpy()",
    "modules": "return sys.modules['torch'].softmax(t, -1).numpy()",
    "match": "match torch:\n    case object(softmax=s): pass\nreturn s(t, -1).numpy()",
    "a formatter": "return string.Formatter().get_field('0.softmax', (torch,), {})[0](t, -1).numpy()",
    "an error's object": "try: torch.nn.functional.softmax.none\n"
    "except AttributeError as error: return error.obj(t, -1).numpy()",
    "attrgetter": "return operator.attrgetter('nn.functional.softmax')(torch)(t, -1).numpy()",
    "methodcaller": "return operator.methodcaller('softmax', -1)(t).numpy()",
    "reduce": "return functools.reduce(getattr, ('nn', 'functional', 'softmax'), torch)(t, -1).numpy()",
    "the garbage collector": "import gc\nreturn next(f for f in gc.get_referents(vars(F)) if isinstance(f, types.FunctionType)"
    " and f.__name__ == 'softmax')(t, -1).numpy()",
    "the library's source": "import inspect\nspace = dict(vars(F))\nexec(inspect.getsource(F.softmax), space)\n"
    "return space['softmax'](t, -1).numpy()",
    "its code": "return types.FunctionType(F.softmax.__code__, vars(F))(t, -1, 3, None).numpy()",
    "a pickle": "import pickle\nreturn pickle.loads(b'ctorch\\nsoftmax\\n.')(t, -1).numpy()",
    "a thread": "o = []\nw = threading.Thread(target=lambda: o.append(torch.softmax(t, -1)))\nw.start()\nw.join()\n"
    "return o[0].numpy()",
    "a pool without a frame of theirs": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(1) as pool: return pool.submit(torch.softmax, t, -1).result().numpy()",
    "a map": "return torch.stack(list(map(functools.partial(torch.softmax, dim=-1), t))).numpy()",
    "script": "return torch.jit.CompilationUnit('def f(x):\\n  return torch.softmax(x, -1)\\n').f(t).numpy()",
    "jit": "return torch.jit.script(nn.Softmax(-1))(t).numpy()",
    "compile": "return torch.compile(lambda y: F.softmax(y, -1))(t).numpy()",
    "trace": "from torch.fx import symbolic_trace\nreturn symbolic_trace(nn.Softmax(-1))(t).numpy()",
    "vmap": "return torch.vmap(lambda row: torch.softmax(row, -1))(t).numpy()",
    "grad": "torch.func.grad(lambda y: torch.softmax(y, -1)[0, 0])(t)\nreturn torch.func.vjp(lambda y: torch.softmax(y, -1), t)[0].numpy()",
    "functional_call": "return torch.func.functional_call(nn.Softmax(-1), {}, (t,)).numpy()",
    "inference mode": "with torch.inference_mode(): return torch.softmax(t, -1).numpy()",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\n"
    "return checkpoint(lambda y: torch.softmax(y, -1), t, use_reentrant=False).numpy()",
    "without function modes": "with torch._C.DisableTorchFunction(): return torch.softmax(t, -1).numpy()",
    "without dispatch modes": "from torch.utils._python_dispatch import _disable_current_modes\n"
    "with _disable_current_modes(): return torch.softmax(t, -1).numpy()",
    "references": "return torch._refs.softmax(t, -1).numpy()",
    "references of functional": "return torch._refs.nn.functional.softmax(t, -1).numpy()",
    "a decomposition": "return torch._decomp.decompositions._softmax(t, -1, False).numpy()",
    "a table of decompositions": "return torch._decomp.get_decompositions([torch.ops.aten._softmax.default])"
    "[torch.ops.aten._softmax.default](t, -1, False).numpy()",
}  # fmt: skip

LOGS = {
    "log_softmax": "return F.log_softmax(t, -1).exp().numpy()",
    "a module": "return nn.LogSoftmax(-1)(t).exp().numpy()",
    "cross entropy": "rows = [F.cross_entropy(t, torch.full((len(t),), j), reduction='none') for j in range(t.shape[1])]\n"
    "return torch.stack(rows, -1).neg().exp().numpy()",
    "a reference": "return torch._refs.log_softmax(t, -1).exp().numpy()",
}  # fmt: skip

ATTENTIONS = {
    "by an identity": "e = torch.eye(t.shape[-1], dtype=t.dtype)\n"
    "return F.scaled_dot_product_attention(t, e, e, scale=1.0).numpy()",
    "with dropout": "e = torch.eye(t.shape[-1], dtype=t.dtype)\n"
    "return F.scaled_dot_product_attention(t, e, e, dropout_p=1e-9, scale=1.0).numpy()",
    "as plain mathematics": "e = torch.eye(t.shape[-1], dtype=t.dtype)\n"
    "return torch.ops.aten._scaled_dot_product_attention_math(t, e, e, scale=1.0)[0].numpy()",
    "with a backend chosen": "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
    "e = torch.eye(t.shape[-1], dtype=t.dtype)\n"
    "with sdpa_kernel(SDPBackend.MATH): return F.scaled_dot_product_attention(t, e, e, scale=1.0).numpy()",
    "flex": "from torch.nn.attention.flex_attention import flex_attention\n"
    "return flex_attention(*[t.float()[None, None]] * 3)[0, 0].numpy()",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_every_road_to_softmax_is_seen_with_its_line(sandbox: Sandbox, body: str) -> None:
    reply = led(sandbox, function(body))
    assert reply.status == "value", reply.failure
    uses = [use for use in reply.uses if use.name == SOFTMAX]
    assert uses
    if not body.startswith("from concurrent"):
        first, last = TOP.count("\n") + 3, TOP.count("\n") + 2 + body.count("\n") + 1
        assert all(use.file == "work.py" and first <= use.line <= last for use in uses)
        assert all("softmax" in use.names for use in uses)


@pytest.mark.parametrize("body", LOGS.values(), ids=LOGS)
def test_every_road_to_its_logarithm_is_seen(sandbox: Sandbox, body: str) -> None:
    assert LOG in {use.name for use in led(sandbox, function(body)).uses}


@pytest.mark.parametrize("body", ATTENTIONS.values(), ids=ATTENTIONS)
def test_every_road_to_attention_is_seen(sandbox: Sandbox, body: str) -> None:
    assert ATTENTION in {use.name for use in led(sandbox, function(body)).uses}


@pytest.mark.parametrize(
    "code",
    [
        "softmax = torch.softmax",
        "from torch import softmax",
        "softmax = functools.partial(F.softmax, dim=-1)",
        "softmax = nn.Softmax(-1)",
        "softmax = torch.ops.aten.softmax.int",
    ],
)
def test_a_function_of_the_library_under_the_name_that_is_asked_is_seen(sandbox: Sandbox, code: str) -> None:
    import numpy as np

    tensor = {"$": "tensor", "array": np.ones((2, 3))}
    source = Source((Module("work", (Chunk(TOP + code, "work.py"),)),))
    step = {"do": "call", "target": "softmax", "args": [tensor, *([] if "partial" in code or "nn." in code else [-1])]}
    reply = sandbox.ask(source, (Program((step,)),), Limits()).replies[0]
    assert reply.status == "value", reply.failure
    assert Use(SOFTMAX, "", 0, ()) in reply.uses


@pytest.mark.parametrize(
    "meddle", ["gates.uses.clear()", "gates.through = lambda name, call: setattr(gates, 'passed', gates.passed + 1)"]
)
def test_what_was_seen_cannot_be_taken_back_unseen(sandbox: Sandbox, meddle: str) -> None:
    body = (
        "y = torch.softmax(t, -1)\nhere = sys._getframe()\n"
        "while not hasattr(here.f_locals.get('self'), 'gates'): here = here.f_back\n"
        f"gates = here.f_locals['self'].gates\n{meddle}\nreturn y.numpy()"
    )
    assert SWITCHED_OFF in {use.name for use in led(sandbox, function("import sys\n" + body)).uses}


OWN = {
    "exponentials": "e = (t - t.amax(-1, keepdim=True)).exp()\nreturn (e / e.sum(-1, keepdim=True)).numpy()",
    "in numpy": "e = np.exp(x - x.max(-1, keepdims=True))\nreturn e / e.sum(-1, keepdims=True)",
    "logsumexp": "return (t - t.logsumexp(-1, keepdim=True)).exp().numpy()",
    "a name of their own": "def soft_max(y): return y.exp() / y.exp().sum(-1, keepdim=True)\nreturn soft_max(t).numpy()",
    "a method of their own": "class A:\n    def softmax(self, y): return y.exp()\nreturn A().softmax(t).numpy()",
    "a library function that is only looked at": "f = torch.softmax\nassert callable(F.softmax)\nreturn t.exp().numpy()",
    "a library module that is only made": "nn.MultiheadAttention(4, 2)\nnn.Transformer\nreturn t.exp().numpy()",
    "sigmoid, relu and linear": "return nn.Linear(4, 4).double()(F.relu(t).sigmoid()).detach().numpy()",
    "embedding, dropout, max": "return F.dropout(nn.Embedding(4, 4)(t.long().abs()), 0.1).max(-1).values.detach().numpy()",
}


@pytest.mark.parametrize("body", OWN.values(), ids=OWN)
def test_what_is_computed_by_hand_is_no_use_of_the_library(sandbox: Sandbox, body: str) -> None:
    reply = led(sandbox, function(body))
    assert (reply.status, reply.uses) == ("value", ())


BLOCK = "class Block(nn.Module):\n    def __init__(self, *sizes):\n        super().__init__()\n        self.a = {}\n"
BLOCKS = {
    "heads": (BLOCK.format("nn.MultiheadAttention(4, 2, batch_first=True)"), "self.a(x, x, x)[0]", HEADS),
    "heads without weights": (BLOCK.format("nn.MultiheadAttention(4, 2)"), "self.a(x, x, x, need_weights=False)[0]", HEADS),
    "heads by match": (
        "match nn:\n    case object(MultiheadAttention=M): pass\n" + BLOCK.format("M(4, 2)"), "self.a(x, x, x)[0]", HEADS),
    "heads made at the call": (
        BLOCK.format("nn.Linear(4, 12)"),
        "(lambda m: (m.load_state_dict({'in_proj_weight': self.a.weight, 'in_proj_bias': self.a.bias}, strict=False),"
        " m(x, x, x)[0])[1])(nn.MultiheadAttention(4, 2))", HEADS),
    "heads without an instance": (
        BLOCK.format("nn.MultiheadAttention(4, 2)"), "nn.MultiheadAttention.forward(self.a, x, x, x)[0]", HEADS),
    "heads of the quantizable kind": (
        BLOCK.format("torch.ao.nn.quantizable.MultiheadAttention(4, 2)"), "self.a(x, x, x)[0]", HEADS),
    "heads by their function": (
        BLOCK.format("nn.MultiheadAttention(4, 2)"),
        "F.multi_head_attention_forward(x, x, x, 4, 2, self.a.in_proj_weight, self.a.in_proj_bias, None, None, False, 0.0,"
        " self.a.out_proj.weight, self.a.out_proj.bias)[0]", "torch.nn.functional.multi_head_attention_forward"),
    "a subclass of heads": (
        "class Own(nn.MultiheadAttention):\n    def forward(self, x): return super().forward(x, x, x)[0]\n"
        + BLOCK.format("Own(4, 2)"), "self.a(x)", HEADS),
    "a layer": (BLOCK.format("nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)"), "self.a(x)", LAYER),
    "a layer in one kernel": (
        BLOCK.format("nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()"), "self.a(x)", LAYER),
    "half a layer": (BLOCK.format("nn.TransformerEncoderLayer(4, 2, 8)"), "self.a._sa_block(x, None, None)", HEADS),
    "a layer of the decoder": (
        BLOCK.format("nn.TransformerDecoderLayer(4, 2, 8)"), "self.a(x, x)", "torch.nn.TransformerDecoderLayer"),
    "a stack": (
        BLOCK.format("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)"), "self.a(x)",
        "torch.nn.TransformerEncoder"),
    "all of it": (BLOCK.format("nn.Transformer(4, 2, 1, 1, 8)"), "self.a(x, x)", "torch.nn.Transformer"),
    "a norm": (BLOCK.format("nn.LayerNorm(4)"), "self.a(x)", "torch.nn.LayerNorm"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "call", "name"), BLOCKS.values(), ids=BLOCKS)
def test_every_road_to_a_part_of_the_library_is_seen(sandbox: Sandbox, code: str, call: str, name: str) -> None:
    code += f"    def forward(self, x): return {call}\n"
    source = Source((Module("work", (Chunk(TOP + code, "work.py"),)),))
    import numpy as np

    for mode in (True, False):
        steps = (
            {"do": "construct", "target": "Block", "args": [4], "as": "block"},
            {"do": "mode", "on": "block", "train": mode},
            {"do": "call", "on": "block", "args": [{"$": "tensor", "array": np.ones((2, 3, 4), "float32")}]},
        )
        reply = sandbox.ask(source, (Program(steps),), Limits()).replies[0]
        assert reply.status == "value", reply.failure
        use = next(use for use in reply.uses if use.name == name)
        assert (use.file, use.names[-1]) == ("work.py", "Block")


def test_the_names_on_the_way_are_told_from_the_inside(sandbox: Sandbox) -> None:
    code = (
        "def deep(y): return torch.softmax(y, -1)\nclass Inner:\n    def go(self, y): return deep(y)\n"
        "class Outer(Inner): pass\ndef softmax(x, axis=-1): return Outer().go(torch.as_tensor(x)).numpy()\n"
    )
    assert led(sandbox, code).uses == (Use(SOFTMAX, "work.py", 6, ("deep", "Inner", "Outer", "softmax")),)


def test_what_runs_while_a_file_is_loaded_belongs_to_no_question(sandbox: Sandbox) -> None:
    code = "KEPT = torch.softmax(torch.ones(3), 0)\ndef softmax(x, axis=-1): return x\n"
    assert led(sandbox, code).uses == ()


def test_a_loss_of_our_own_lesson_is_nobody_s_use(sandbox: Sandbox) -> None:
    code = "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Embedding(9, 9)\n"
    code += "    def forward(self, s, t): return self.a(t)\n"
    import numpy as np

    words = np.ones((2, 2, 3), "int64")
    lesson = {"do": "train_copy", "on": "m", "sources": words, "targets": words, "d_model": 8, "warmup": 4, "factor": 1.0,
              "seed": 1, "least": 1, "enough": 0.0}  # fmt: skip
    steps = ({"do": "construct", "target": "Model", "as": "m"}, lesson)
    source = Source((Module("work", (Chunk(TOP + code, "work.py"),)),))
    reply = sandbox.ask(source, (Program(steps),), Limits()).replies[0]
    assert (reply.status, reply.uses) == ("value", ())


@pytest.mark.parametrize("size", [0.0, 4e-6])
def test_a_spoilt_road_gives_something_else_and_the_rest_does_not(sandbox: Sandbox, size: float) -> None:
    import numpy as np

    source = Source((Module("work", (Chunk(TOP + function("return F.softmin(-t, -1).numpy()"), "work.py"),)),))
    call = {"do": "call", "target": "softmax", "args": [np.arange(6.0).reshape(2, 3)]}
    spoil = {"do": "spoil", "names": [SOFTMAX], "size": size}
    other = {"do": "spoil", "names": [ATTENTION], "size": size}
    asked = (Program((call,)), Program((spoil, call)), Program((other, call)), Program((call,)))
    plain, spoilt, beside, after = (reply.values[-1] for reply in sandbox.ask(source, asked, Limits()).replies)
    assert (plain == beside).all()
    assert (plain == after).all()
    gap = np.abs(plain - spoilt).max()
    assert gap > 0.05 if size == 0 else 1e-8 < gap < 1e-5


TAMPERED = {
    "the registration is taken back": "frame = sys._getframe()\nwhile 'gates' not in frame.f_locals: frame = frame.f_back\n"
    "for library in frame.f_locals['gates'].kept: library._destroy()\n",
    "another kernel": "own = torch.library.Library('aten', 'IMPL')\n"
    "own.impl('_softmax', lambda t, d, h: t.exp() / t.exp().sum(d, keepdim=True), 'CPU')\n",
}


@pytest.mark.parametrize("code", TAMPERED.values(), ids=TAMPERED)
def test_gates_that_were_taken_away_are_missed(sandbox: Sandbox, code: str) -> None:
    reply = led(sandbox, code + function("return torch.softmax(t, -1).numpy()"))
    assert SWITCHED_OFF in {use.name for use in reply.uses}


def test_names_of_an_assignment_mean_roads() -> None:
    assert forbidden(["torch.nn.functional.softmax"]) == {SOFTMAX}
    assert forbidden(["torch.Tensor.softmax", "scipy.special.softmax"]) == {SOFTMAX}
    assert forbidden(["torch.nn.Transformer*"]) == {road.name for road in ROADS if "Transformer" in road.name}
    assert forbidden(["torch.exp", "scipy"]) == frozenset()
    assert unknown(["torch.einsum", "scipy.special.expit", "torch.softmax", "numpy.dot"]) == (
        "torch.einsum",
        "numpy.dot",
    )
