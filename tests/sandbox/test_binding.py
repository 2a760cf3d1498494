"""Values given by the hand-out's names reach a function however it spells its parameters."""

from __future__ import annotations

import functools

import pytest
from grader.sandbox.binding import fit, named

VALUES = {"Q": 1, "K": 2, "V": 3, "mask": None}


def everything(*args, **kwargs):
    return args, kwargs


def through_a_decorator(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


class Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *, query, key, value, mask=None):
        return query, key, value, mask


class Built:
    def __new__(cls, *, q, k, v, mask):
        return q, k, v, mask


@pytest.mark.parametrize(
    "function",
    [
        lambda Q, K, V, mask=None: (Q, K, V, mask),
        lambda *, Q, K, V, mask=None: (Q, K, V, mask),
        lambda *, q, k, v: (q, k, v, None),
        lambda *, v, k, q: (q, k, v, None),
        lambda *, query, key, value: (query, key, value, None),
        lambda a, /, b, *, c, attn_mask=None: (a, b, c, attn_mask),
        lambda q, k, v, m: (q, k, v, m),
        lambda q, k, v, *, m: (q, k, v, m),
        lambda x, *rest: (x, *rest, None),
        lambda q, k, **more: (q, k, more["V"], None),
        functools.partial(lambda none, q, k, v: (q, k, v, none), None),
        through_a_decorator(lambda *, q, k, v, mask=None: (q, k, v, mask)),
        Module(),
        Built,
    ],
)
def test_each_value_reaches_its_parameter(function):
    args, kwargs = fit(function, VALUES, ["mask"])
    assert function(*args, **kwargs) == (1, 2, 3, None)


def test_a_default_of_the_students_own_is_left_to_work():
    args, kwargs = fit(lambda x, *, eps=7: (x, eps), {"x": 1, "eps": 5}, ["eps"])
    assert (args, kwargs) == ([1], {})


def test_a_value_after_a_default_goes_by_keyword():
    def dropout(x, *, p, training=True, rng=None):
        return x, p, training, rng

    args, kwargs = fit(dropout, {"x": 1, "p": 0.5, "training": True, "rng": 9}, ["training"])
    assert dropout(*args, **kwargs) == (1, 0.5, True, 9)


@pytest.mark.parametrize("function", [lambda q: q, lambda q, k: (q, k), lambda: None])
def test_a_function_that_takes_too_little_still_refuses(function):
    args, kwargs = fit(function, VALUES, ["mask"])
    with pytest.raises(TypeError, match="positional argument"):
        function(*args, **kwargs)


def test_a_callable_without_a_signature_gets_the_values_in_order():
    assert fit(max, {"a": 1, "b": 2, "key": None}, ["key"]) == ([1, 2], {})


def built(width, *, heads, rate):
    return width, heads, rate


def built_with_defaults(width, heads, rate=0.1):
    return width, heads, rate


@pytest.mark.parametrize(
    ("function", "rate"), [(built, 0.0), (built_with_defaults, 0.1), (lambda width, heads: (width, heads, None), None)]
)
def test_names_of_the_handout_go_by_keyword_and_its_defaults_where_they_are_needed(function, rate):
    args, kwargs = named(function, {"heads": 5, "width": 30, "rate": 0.0}, ["rate"])
    assert function(*args, **kwargs) == (30, 5, rate)
