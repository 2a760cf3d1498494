"""Whatever a module is or returns, each component gives a verdict that says what was expected and what came."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from block_samples import CLASSES, Judge, Judged
from whole_submission import WHOLE

from grader.model.outcome import Verdict

pytestmark = pytest.mark.torch
MORE = """

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(max_len, d_model))

    def forward(self, x):
        return x + self.rows[: x.shape[1]]


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        return self.table(ids) @ self.table.weight.T
"""
MADE = """    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        {}
"""
RETURNED = """    def forward(self, *args, **kwargs):
        out = super().forward(*args, **kwargs)
        return {}
"""
LARGE = {"decoder_layer", "encoder", "decoder", "transformer"}
COMPONENTS = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else []) for name in CLASSES if name != "copy_task"
]
SOME = ["multi_head_attention", "token_embedding", "encoder_layer", "weight_tying"]


def around(component: str, body: str) -> str:
    """The whole hand-in, with a class around the component's own."""
    name = CLASSES[component]
    return f"{WHOLE}{MORE}\n\nBase = {name}\n\n\nclass {name}(Base):\n{body}"


def first(found: Judged) -> str:
    """The message of the check that is judged first, which looks at values."""
    outcome = found.outcomes[0]
    assert outcome.verdict not in {Verdict.PASSED, Verdict.UNDETERMINED, Verdict.FAULT}
    return outcome.message


def says(*patterns: str) -> Callable[[str], bool]:
    return lambda text: all(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)


@pytest.mark.parametrize("component", COMPONENTS)
def test_another_constructor_is_told_with_that_of_the_hand_out(judged: Judge, component: str) -> None:
    body = "    def __init__(self, a, b, c, d, e, f, g, h, i):\n        super().__init__(a, b)\n"
    found = judged(component, around(component, body))
    text = first(found)
    assert says("TypeError", r"missing \d required positional arguments?")(text)
    assert f"the hand-out asks for {CLASSES[component]}(" in text
    assert all(outcome.verdict is Verdict.ERROR for outcome in found.outcomes)


@pytest.mark.parametrize("component", COMPONENTS)
def test_another_forward_is_told_with_that_of_the_hand_out(judged: Judge, component: str) -> None:
    names = "abcdefg"
    body = f"    def forward(self, {', '.join(names)}):\n        return super().forward(a)\n"
    text = first(judged(component, around(component, body)))
    assert says("TypeError", r"missing \d required positional arguments", r"the hand-out asks for forward\(\w+")(text)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    "body",
    [
        MADE.format("self.cuda()"),
        MADE.format("self.spare = torch.zeros(3, device='cuda')"),
        "    def forward(self, x, *args):\n        return super().forward(x.cuda(), *args)\n",
    ],
    ids=["moved", "made", "called"],
)
def test_needing_a_gpu_is_said_to_be_that(judged: Judge, component: str, body: str) -> None:
    assert "there is no GPU here" in first(judged(component, around(component, body)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    "body",
    [
        MADE.format("self.lock = __import__('threading').Lock()"),
        MADE.format("pass") + "\n    def __deepcopy__(self, memo):\n        raise TypeError('cannot be copied')\n",
        MADE.format("[nn.init.constant_(p, math.nan) for p in self.parameters()]"),
        RETURNED.format("(out, None)"),
        RETURNED.format("[out]"),
        RETURNED.format("{'output': out}"),
        RETURNED.format("out.double()"),
    ],
    ids=["lock", "no_copy", "nan", "tuple", "list", "dict", "float64"],
)
def test_what_is_no_mistake_costs_nothing(judged: Judge, component: str, body: str) -> None:
    assert judged(component, around(component, body)).said == {}


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("make", ["torch.empty", "torch.ones"])
def test_a_model_of_ten_gigabytes_is_stopped_with_the_limit(judged: Judge, component: str, make: str) -> None:
    body = MADE.format(f"self.huge = nn.Parameter({make}(10 * 2**28))")
    found = judged(component, around(component, body))
    assert {outcome.verdict for outcome in found.outcomes} == {Verdict.MEMORY}
    assert says(r"memory", r"\d")(first(found))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    ("value", "came"),
    [
        ("None", "returned None"),
        ("()", "returned a tuple of 0"),
        ("(out, out)", "returned a tuple of 2"),
        ("[out, out]", "returned a list of 2"),
        ("{'a': out, 'b': out}", "returned a dict of 2"),
        ("out.to('meta')", "on the device meta; expected that of the input, cpu"),
        ("out.sum()", r"has shape \(\)"),
        ("out + 0j", "has type complex64; expected real numbers"),
        ("out.half()", "has type float16; expected float32"),
        ("out.bfloat16()", "has type bfloat16; expected float32"),
        ("(10 * out).long()", "has type int64; expected float32"),
        ("out * math.nan", "holds nan, which is not a finite number"),
    ],
)
def test_another_return_says_what_was_expected_and_what_came(
    judged: Judge, component: str, value: str, came: str
) -> None:
    found = judged(component, around(component, RETURNED.format(value)))
    text = first(found)
    assert says(came)(text)
    assert "expected" in text or "not a finite number" in text
    assert found.named <= {"gradient-cut", "tied-table-detached", *(["answer-not-a-number"] if "nan" in value else [])}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("component", SOME)
@pytest.mark.parametrize(("value", "came"), [("{1, 2}", "a set"), ("object()", "an object"), ("'text'", "text")])
def test_what_is_no_array_at_all_is_said_by_its_kind(judged: Judge, component: str, value: str, came: str) -> None:
    assert came in first(judged(component, around(component, RETURNED.format(value))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    "lines",
    [
        "out = super().forward(x, *args, **kwargs)\n        x.mul_(0)\n        return out",
        "x += 1\n        return super().forward(x - 1, *args, **kwargs)",
    ],
    ids=["after", "before"],
)
def test_an_input_changed_in_place_is_told_by_its_name(judged: Judge, component: str, lines: str) -> None:
    found = judged(component, around(component, f"    def forward(self, x, *args, **kwargs):\n        {lines}\n"))
    assert "leaves_inputs_alone" in found.lost
    assert re.fullmatch(r"the argument \w+ was changed by the call", found.lost["leaves_inputs_alone"].message)
    assert found.outcomes[0].verdict is Verdict.PASSED
