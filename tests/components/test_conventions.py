"""Every convention that a course can settle, in both directions: what is declared is right, the paper's is a mistake.

Generated from the records of the components: a new convention, or a new value, adds its own tests.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.component import convention
from grader.component.calls import Call
from grader.component.component import Component
from grader.component.convention import mistake_id, replacing
from grader.components.beam_search_cases import PLACES
from grader.judging import promised
from grader.judging.questions import planned
from grader.judging.settling import dropped_under
from grader.model.assignment import Interface
from grader.model.outcome import Outcome, Verdict

EXAMPLE = 0.3
"""A number for conventions that take one."""


def _declarable() -> Iterator[tuple[str, str, Any]]:
    """Component, key and value of every setting of a function that turns a knob."""
    for name in components.names():
        if "function" in components.forms(name):
            for one in components.component(name, "function").conventions:
                values = [value for value in one.values if one.knobs(value)]
                yield from ((name, one.key, value) for value in (*values, *([EXAMPLE] if one.number else [])))


DECLARABLE = list(_declarable())


def _interface(name: str, **conventions: Any) -> Interface:
    known = components.function(name)
    listed = tuple(known.taken()) if known.only_listed else ()
    return Interface(name, name, parameters=listed, conventions={"form": "function", **conventions})


def _component(interface: Interface) -> Component:
    component = components.of(interface, "function")
    assert isinstance(component, Component)
    return component


def _graded(interface: Interface, as_: Interface) -> tuple[Outcome, ...]:
    """The right function of ``as_`` handed in where ``interface`` is set."""
    component = _component(interface)
    return rehearse(component, as_submitted(_component(as_), as_), interface)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_keeps_every_point(name: str, key: str, value: Any) -> None:
    declared = _interface(name, **{key: value})
    assert [one.check for one in _graded(declared, declared) if one.verdict is not Verdict.PASSED] == []


HARMLESS = {("label_smoothing", "scores"), ("attention_masks", "padding_id")}
"""To normalise log-probabilities again changes nothing, nor to be told an id that is always the same."""
TELLING = [one for one in DECLARABLE if one[:2] not in HARMLESS]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "key", "value"), TELLING)
def test_the_paper_is_then_a_mistake_with_a_name(name: str, key: str, value: Any) -> None:
    declared, paper = _interface(name, **{key: value}), _interface(name)
    found = _graded(declared, paper)
    default = next(
        one.convention.default for one in components.component(name, "function").conventions if one.key == key
    )
    named = {one.diagnosis.id for one in found if one.verdict is not Verdict.PASSED and one.diagnosis}
    assert named == {mistake_id(key, default)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_is_a_mistake_without_the_declaration(name: str, key: str, value: Any) -> None:
    declared, paper = _interface(name, **{key: value}), _interface(name)
    assert any(one.verdict in {Verdict.FAILED, Verdict.ERROR} for one in _graded(paper, declared))


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_is_no_mistake_of_any_name(name: str, key: str, value: Any) -> None:
    component = _component(_interface(name, **{key: value}))
    knobs = dict(component.settings)
    assert knobs
    assert not [one.id for one in component.misconceptions if one.knobs and {**knobs, **one.knobs} == knobs]


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_a_mistake_that_no_setting_shows_keeps_its_name(name: str, key: str, value: Any) -> None:
    component = _component(_interface(name, **{key: value}))
    usual = {one.id for one in components.function(name).misconceptions if not one.knobs}
    dropped = dropped_under(component.settled, {key: value})
    assert {one.id for one in component.misconceptions if not one.knobs} >= usual - dropped


def _texts(component: Component) -> str:
    checks = [f"{one.title} {one.detail}" for one in component.checks]
    return " ".join([*checks, *(f"{m.title} {' '.join(m.hints.values())}" for m in component.misconceptions)])


ELSEWHERE = {
    ("causal_mask", "mask_axes"), ("padding_mask", "mask_axes"), ("greedy_decode", "ends"), ("layer_norm", "eps"),
    ("attention_masks", "padding_id"),
    ("multi_head_attention", "matrices"), ("multi_head_attention", "attends_to"),
}  # fmt: skip
"""Conventions that no check's text of the component speaks of: true whatever is declared."""


SHOWN = [(name, key, value) for name, key, value in DECLARABLE if (name, key) not in ELSEWHERE]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "key", "value"), SHOWN)
def test_what_is_declared_shows_in_the_texts_of_the_checks(name: str, key: str, value: object) -> None:
    interface = _interface(name, **{key: value})
    asked = components.of(interface).asked(interface)
    told = {one.title for one in _component(interface).checks if one.name in asked}
    assert told - {one.title for one in components.function(name).checks}


def test_a_sum_of_losses_is_no_mean_over_padding_where_nothing_is_padding() -> None:
    summed = _interface("label_smoothing", padded=False, reduction="sum")
    found = _graded(_interface("label_smoothing", padded=False), summed)
    assert {one.diagnosis.id for one in found if one.diagnosis} == {"ls-sum-not-mean"}


LOST_SHARES = {
    "others_without_pad_column": "ls-eps-over-v-minus-one",
    "replaced_without_pad_column": "ls-right-class-replaced",
    "minus_two": "ls-minus-two-without-pad-zero",
}


@pytest.mark.parametrize("loss", ["cross_entropy", "divergence"])
@pytest.mark.parametrize(("smooth", "mistake"), LOST_SHARES.items())
def test_a_share_that_padding_loses_is_named_where_padding_gets_none(smooth: str, mistake: str, loss: str) -> None:
    said = {"smoothing": "others_without_pad", "loss": loss, "scores": "log_probabilities"}
    declared = _interface("label_smoothing", **said)
    component = _component(declared)
    wrong = {target: component.turned(target, {"smooth": smooth}) for target in component.oracles}
    found = rehearse(component, as_submitted(component, declared, wrong), declared)
    assert {one.diagnosis.id for one in found if one.diagnosis} == {mistake}


def test_a_generator_that_cannot_be_left_out_is_right_where_it_is_always_passed() -> None:
    declared = _interface("dropout", generator="required")
    component = _component(declared)
    needing = {"dropout": component.turned("dropout", {"needs_rng": True})}
    found = rehearse(component, as_submitted(component, declared, needing), declared)
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("alpha", [0, 0.6])
def test_finished_sentences_may_go_to_any_place_where_either_is_right(place: str, alpha: float) -> None:
    declared = _interface("beam_search", finished="either", alpha=alpha)
    found = _graded(declared, _interface("beam_search", finished=place, alpha=alpha))
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []


MASKED = [name for name in components.names() if "function" in components.forms(name)
          and "mask" in {one.key for one in components.component(name, "function").conventions}]  # fmt: skip


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("meaning", ["block", "additive"])
def test_no_text_says_that_true_may_attend_where_it_does_not(name: str, meaning: str) -> None:
    said = _texts(_component(_interface(name, mask=meaning)))
    wrong = ("True = may attend", 'True means "may attend"', "the diagonal is True", "True marks real positions, which",
             "True marks the keys that a query may look at", "True marks the keys that may be read")  # fmt: skip
    assert [phrase for phrase in wrong if phrase in said] == []
    assert any(phrase in _texts(_component(_interface(name))) for phrase in (*wrong, "(False in the mask)"))


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize(
    "said",
    [{"mask": "block"}, {"mask": "additive"}, {"mask_type": "int"}, {"mask_type": "byte"}, {"mask_type": "float"}],
)
def test_masks_of_every_declared_kind_are_judged_as_ours_are(name: str, said: dict[str, str]) -> None:
    declared = _interface(name, **said)
    assert [one.check for one in _graded(declared, declared) if one.verdict is not Verdict.PASSED] == []


@pytest.mark.parametrize("name", [name for name in MASKED if components.component(name, "function").returns_mask])
@pytest.mark.parametrize("meaning", ["block", "additive"])
def test_the_papers_masks_are_a_mistake_where_a_course_makes_others(name: str, meaning: str) -> None:
    found = _graded(_interface(name, mask=meaning), _interface(name))
    assert any(one.verdict is Verdict.FAILED for one in found)


@pytest.mark.parametrize("name", [name for name in MASKED if components.component(name, "function").returns_mask])
@pytest.mark.parametrize("theirs", ["attend", "block"])
def test_booleans_where_numbers_to_add_are_asked_for_are_called_so_and_shown(name: str, theirs: str) -> None:
    lost = [one for one in _graded(_interface(name, mask="additive"), _interface(name, mask=theirs)) if one.diagnosis]
    assert {one.diagnosis.id for one in lost if one.diagnosis} == {"answer-of-true-and-false"}
    assert all(one.counterexample and "e+" not in one.counterexample.got for one in lost)
    assert any(one.counterexample and {"True", "False"} & {*re.findall(r"\w+", one.counterexample.got)} for one in lost)


def test_words_of_returned_values_follow_their_order() -> None:
    swapped = replace(_interface("scaled_dot_product_attention"), returns=("weights", "output"))
    component = _component(swapped)
    assert "the pair (weights, output)" in _texts(component)
    assert "(output, weights)" not in _texts(component)
    assert [one.check for one in _graded(swapped, swapped) if one.verdict is not Verdict.PASSED] == []


@pytest.mark.parametrize("order", [("V", "K", "Q", "mask"), ("mask", "Q", "K", "V")])
def test_a_rehearsal_hands_in_arguments_in_the_hand_outs_order(order: tuple[str, ...]) -> None:
    interface = replace(_interface("scaled_dot_product_attention"), parameters=order)
    assert [one.check for one in _graded(interface, interface) if one.verdict is not Verdict.PASSED] == []


def test_masks_of_the_scores_own_shape_are_asked_alone() -> None:
    interface = replace(_interface("scaled_dot_product_attention"), domain={"masks": "full"})
    component, seen = _component(interface), []
    right = as_submitted(component, interface)["scaled_dot_product_attention"]

    def watching(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
        if mask is not None:
            seen.append(np.shape(mask) == (*np.shape(q)[:-1], np.shape(k)[-2]))
        return right(q, k, v, mask)

    found = rehearse(component, {"scaled_dot_product_attention": watching}, interface)
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []
    assert "masks_broadcast" not in {one.check.partition(".")[2] for one in found}
    assert seen
    assert all(seen)


AXES = {
    "softmax": ([2], [3], [4], [2, 4], [3, 4]),
    "scaled_dot_product_attention": ([2], [3], [4], [2, 4], [3, 4]),
    "layer_norm": ([2], [3], [4], [2, 4], [3, 4]),
    "feed_forward": ([2], [3], [4], [2, 4], [3, 4]),
    "multi_head_attention": ([2], [3], [2, 3]),
}


@pytest.mark.parametrize(("name", "ranks"), [(name, ranks) for name, several in AXES.items() for ranks in several])
def test_only_promised_axes_are_asked(name: str, ranks: list[int]) -> None:
    interface = replace(_interface(name), domain={"ranks": ranks})
    component, seen = _component(interface), set()
    main = component.ranked[0]
    right = as_submitted(component, interface)[name]

    def counting(*args: Any, **kwargs: Any) -> Any:
        seen.add(np.ndim(args[0] if args else kwargs[main]))
        return right(*args, **kwargs)

    found = rehearse(component, {name: counting}, interface)
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []
    assert seen <= set(ranks)
    assert seen


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("softmax", ("x",)), ("layer_norm", ("x", "gain", "shift")), ("scaled_dot_product_attention", ("Q", "K", "V")),
     ("adam", ("params", "grads", "m", "v", "step", "lr"))],
)  # fmt: skip
def test_a_parameter_that_is_left_out_is_never_asked_for(name: str, parameters: tuple[str, ...]) -> None:
    interface = replace(_interface(name), parameters=parameters)
    found = _graded(interface, interface)
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []


@pytest.mark.parametrize("name", ["scaled_dot_product_attention", "multi_head_attention"])
def test_a_required_mask_is_never_none(name: str) -> None:
    interface = _interface(name, mask_required=True)
    component = _component(interface)
    right = as_submitted(component, interface)[name]
    missing = []

    def with_mask(*args: Any, **kwargs: Any) -> Any:
        missing.extend([1] if (kwargs.get("mask") if "mask" in kwargs else args[-1]) is None else [])
        return right(*args, **kwargs)

    found = rehearse(component, {name: with_mask}, interface)
    assert [one.check for one in found if one.verdict is not Verdict.PASSED] == []
    assert not missing
    assert all(isinstance(call.inputs.get("mask"), np.ndarray) for call in _calls(component, interface))


def _calls(component: Component, interface: Interface) -> list[Call]:
    plan = planned(component, interface.domain, 0)
    return [question.call for asked in plan.values() for _, questions in asked for question in questions]


@pytest.mark.parametrize("name", [name for name in components.names() if "function" in components.forms(name)])
def test_tensors_of_whole_numbers_are_asked_only_where_they_are_promised(name: str) -> None:
    if name == "integrity":
        return
    torch = _interface(name, backend="torch")
    component = _component(torch)
    asked = list(promised.cases(component, component.ladder, np.random.default_rng(0), {}))
    assert not [case for case in asked if "integer" in case.tags]
    both = promised.cases(component, component.ladder, np.random.default_rng(0), {"whole_numbers": True})
    plain = component.ladder(np.random.default_rng(0), {})
    assert any("integer" in case.tags for case in both) == any("integer" in case.tags for case in plain)


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in DECLARABLE))
def test_the_papers_own_value_declared_changes_nothing(name: str) -> None:
    component = components.component(name, "function")
    paper = {one.key: one.convention.default for one in component.conventions if one.convention.default in one.values}
    assert components.of(replace(_interface(name), conventions={"form": "function", **paper})).misconceptions == (
        component.misconceptions
    )


@pytest.mark.parametrize("name", ["greedy_decode", "beam_search"])
def test_a_course_may_count_only_the_tokens_after_the_start_token(name: str) -> None:
    all_counted, new_counted = _interface(name), _interface(name, room="new")
    assert {one.verdict for one in _graded(new_counted, new_counted)} == {Verdict.PASSED}
    family = name.partition("_")[0]
    for interface, as_, mistake in (
        (all_counted, new_counted, f"{family}-max-len-off-by-one"),
        (new_counted, all_counted, f"{family}-stops-one-early"),
    ):
        lost = [one for one in _graded(interface, as_) if one.verdict is not Verdict.PASSED]
        assert {one.diagnosis and one.diagnosis.ids for one in lost} == {(mistake,)}


@pytest.mark.parametrize("name", ["greedy_decode", "beam_search"])
def test_no_text_counts_the_start_token_where_the_course_does_not(name: str) -> None:
    texts = _texts(_component(_interface(name, room="new")))
    assert not re.search(r"token counted|token is not counted|bos in it|(max_len|room), bos included", texts)


@pytest.mark.parametrize("decoded", ["without_bos", "without_eos", "words"])
def test_an_example_shows_answers_as_they_are_returned(decoded: str) -> None:
    interface = _interface("greedy_decode", decoded=decoded)
    theirs = as_submitted(_component(interface), interface)
    cut = {name: lambda *given, of=of: of(*given)[:-1] for name, of in theirs.items()}
    shown = [one.counterexample for one in rehearse(_component(interface), cut, interface) if one.counterexample]
    assert shown
    assert all(one.expected.startswith("[1") == (decoded == "without_eos") for one in shown)


def test_columns_of_an_example_are_those_of_the_courses_table() -> None:
    interface = _interface("positional_encoding", layout="halves")
    part = _component(interface)
    slow = as_submitted(part, interface, {part.target: part.turned("", {"base": 1000.0})})
    shown = [one.counterexample.part for one in rehearse(part, slow, interface) if one.counterexample]
    assert {"PE[1:, :d_model // 2]", "PE[1:, d_model // 2:]"} == set(shown) - {""}


def test_a_table_of_another_layout_is_shown_as_it_is_returned() -> None:
    interface = _interface("positional_encoding", layout="halves")
    found = {one.check.partition(".")[2]: one for one in _graded(interface, _interface("positional_encoding"))}
    example = found["columns_alternate"].counterexample
    assert example is not None
    assert example.expected.startswith("[[0., 0., 1., 1.]")
    assert example.got.startswith("[[0., 1., 0., 1.]")


def _tables(found: Mapping[str, Any], under: tuple[str, ...] = ()) -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, value in found.items():
        if all(isinstance(one, str) for one in value.values()):
            yield ".".join((*under, name)), value
        else:
            yield from _tables(value, (*under, name))


def test_words_that_are_put_in_are_never_replaced_again() -> None:
    written = tomllib.loads(Path(convention.__file__).with_name("words.toml").read_text(encoding="utf-8"))
    for table, words in _tables(written):
        for number in (0, 0.5, 3, 100000):
            say = replacing(words, number)
            for text in (*words, " and ".join(words), *(f"({phrase})" for phrase in words)):
                assert say(say(text)) == say(text), (table, text)


def test_every_record_can_be_read_and_some_part_settles_it() -> None:
    settled = [one for _, _, part in components.every() for one in (*part.conventions, *getattr(part, "settled", ()))]
    assert {one.name for one in settled} == {*convention.every()}
    for name, one in convention.every().items():
        assert one.title, name
        assert one.reads is not None or one.values or one.number, name
        assert one.default is None or one.complaint(one.default) == "", name
        assert {*one.settings, *one.called, *one.rare, *one.doubtful} <= {*one.values}, name
