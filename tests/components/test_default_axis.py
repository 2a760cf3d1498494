"""A default axis of 0 and an axis of 0 that stands in the body: one function where no axis is ever passed."""

from __future__ import annotations

import inprocess
import numpy as np
import pytest

from grader.auditing import rehearsal
from grader.catalog import load_assignment
from grader.components.softmax import component
from grader.model.assignment import Interface

BODY = """    powers = np.exp(x - x.max(axis={axis}, keepdims=True))
    return powers / powers.sum(axis={axis}, keepdims=True)
"""


@pytest.fixture
def interface() -> Interface:
    """The hand-out that passes the scores alone."""
    found = load_assignment("attention-numpy").interface("softmax")
    assert found.parameters == ("x",)
    return found


def variants(id: str, **knobs: object):
    return [m.variant for m in component.misconceptions if m.id == id and m.variant and dict(m.knobs) == knobs]


@pytest.mark.parametrize("axis", [0, 1])
def test_no_input_of_that_hand_out_tells_them_apart(interface: Interface, axis: int) -> None:
    (default,) = variants("softmax-default-axis", default=axis)
    (fixed,) = variants(f"softmax-hardcoded-axis{axis}", over=axis, vector="")
    for draw in range(20):
        for case in component.ladder(np.random.default_rng(draw), interface.domain):
            if case.inputs["x"].ndim > axis:
                with np.errstate(all="ignore"):
                    np.testing.assert_array_equal(default(**case.inputs), fixed(**case.inputs))


@pytest.mark.parametrize("axis", [0, 1])
def test_without_a_source_they_are_a_family(interface: Interface, axis: int) -> None:
    (default,) = variants("softmax-default-axis", default=axis)
    outcomes = rehearsal.rehearse(
        component, rehearsal.as_submitted(component, interface, {"softmax": default}), interface
    )
    assert set(inprocess.names(outcomes)) == {"softmax-default-axis", f"softmax-hardcoded-axis{axis}"}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("head", "inside", "named"),
    [
        ("def softmax(x, axis={axis}):\n", "axis", "softmax-default-axis"),
        ("def softmax(x, *, axis={axis}):\n", "axis", "softmax-default-axis"),
        ("def softmax(x):\n", "{axis}", "softmax-hardcoded-axis{axis}"),
        ("def softmax(x, axis=-1):\n", "{axis}", "softmax-hardcoded-axis{axis}"),
    ],
)
def test_the_source_decides(interface: Interface, axis: int, head: str, inside: str, named: str) -> None:
    code = "import numpy as np\n\n\n" + (head + BODY.format(axis=inside)).format(axis=axis)
    assert inprocess.names(inprocess.judged(component, interface, code)) == (named.format(axis=axis),)


def test_a_function_that_is_made_elsewhere_stays_a_family(interface: Interface) -> None:
    code = "import numpy as np\nfrom functools import partial\n\n\ndef along(x, axis):\n" + BODY.format(axis="axis")
    code += "\n\nsoftmax = partial(along, axis=0)\n"
    names = inprocess.names(inprocess.judged(component, interface, code))
    assert set(names) == {"softmax-default-axis", "softmax-hardcoded-axis0"}
