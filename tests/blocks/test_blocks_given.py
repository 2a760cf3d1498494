"""What students hand in besides right and wrong modules: other signatures, other returns, missing hardware."""

from __future__ import annotations

import pytest
from block_samples import OWN, Judge

from grader.model.outcome import Verdict

pytestmark = pytest.mark.torch
MHA = (OWN / "mha_fused_blocks.py").read_text()
FFN = (OWN / "ffn_sequential.py").read_text()
LAST = "return self.out(attend(q, k, v, mask).transpose(1, 2).flatten(2))"


def with_return(text: str) -> str:
    assert LAST in MHA
    return MHA.replace(LAST, text.replace("OUT", LAST.removeprefix("return ")))


@pytest.mark.parametrize(
    "form",
    [
        "return (OUT, None)",
        "return {'output': OUT, 'weights': attend(q, k, q @ k.mT, None) if False else None}",
        "return [OUT]",
    ],
)
def test_a_tuple_list_or_dict_with_one_fitting_tensor_is_unwrapped(judged: Judge, form: str) -> None:
    assert judged("multi_head_attention", with_return(form)).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("return None", "returned None"),
        ("OUT", "returned None"),
        ("return OUT.sum()", "has shape ()"),
        ("return OUT[:, :1]", "has shape (2, 1, 30); expected (2, 4, 30)"),
        ("return OUT.to('meta')", "meta"),
        ("return 'text'", "text"),
    ],
)
def test_another_return_says_what_was_expected_and_what_came(judged: Judge, form: str, words: str) -> None:
    found = judged("multi_head_attention", with_return(form))
    assert found.lost["attends_to_itself"].verdict is not Verdict.PASSED
    assert words in found.lost["attends_to_itself"].message


def test_a_constructor_with_other_parameters_names_the_type_error(judged: Judge) -> None:
    found = judged(
        "multi_head_attention", MHA.replace("def __init__(self, d_model, num_heads)", "def __init__(self, config)")
    )
    assert all(outcome.verdict is Verdict.ERROR for outcome in found.lost.values())
    assert "TypeError" in found.lost["attends_to_itself"].message
    assert len(found.lost) == len(found.outcomes)


def test_needing_a_gpu_is_said_to_be_that(judged: Judge) -> None:
    found = judged(
        "feed_forward", FFN.replace("nn.Linear(d_ff, d_model))", "nn.Linear(d_ff, d_model))\n        self.cuda()")
    )
    assert "there is no GPU here" in found.lost["computes_equation_2"].message


def test_parameters_that_start_as_nan_are_filled_in(judged: Judge) -> None:
    code = MHA.replace("self.heads = num_heads\n", "self.heads = num_heads\n", 1)
    code = code.replace(
        "self.out = nn.Linear(d_model, d_model)",
        "self.out = nn.Linear(d_model, d_model)\n        nn.init.constant_(self.out.weight, float('nan'))",
    )
    assert judged("multi_head_attention", code).said == {}


def test_an_input_changed_in_place_costs_that_check_alone(judged: Judge) -> None:
    code = with_return("out = OUT\n        query.mul_(0)\n        return out")
    assert (
        {"leaves_inputs_alone"}
        <= set(judged("multi_head_attention", code).lost)
        <= {"leaves_inputs_alone", "repeats_itself", "gradient_reaches_parameters"}
    )


def test_a_class_that_is_no_module_gets_a_verdict(judged: Judge) -> None:
    code = (
        "class MultiHeadAttention:\n    def __init__(self, d_model, num_heads):\n        pass\n\n"
        "    def __call__(self, query, key, value, mask=None):\n        return query\n"
    )
    found = judged("multi_head_attention", code)
    assert all(outcome.verdict in {Verdict.ERROR, Verdict.FAILED} for outcome in found.lost.values())
    assert found.lost


def test_float32_outputs_of_half_precision_do_not_matter(judged: Judge) -> None:
    assert judged("multi_head_attention", MHA.replace('float("-inf")', "-1e9")).said == {}
