from __future__ import annotations

import enum
import json
import math
import random
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from grader.sandbox import wire

PLAIN = [
    None, True, False, 0, -7, 2**70, 1.5, -0.0, math.inf, "text", "\ud800", "", [], [1, [2.5, "x"]], (), (1, (2,)),
    {}, {"a": None, "t": [1], "a b": {"x": (1,)}},
]  # fmt: skip
ARRAYS = [
    np.arange(6.0).reshape(2, 3), np.float32(3.5), np.zeros((0, 4)), np.array([True, False]), np.arange(4, dtype=">i4"),
    np.arange(12).reshape(3, 4)[:, ::-2], np.array(2 + 3j), np.float16([1, 2]), np.array(7, dtype=np.uint8),
]  # fmt: skip


def parts(frame: bytes) -> tuple[bytes, bytes]:
    size, blob = wire.lengths(frame[: wire.HEADER.size])
    body = frame[wire.HEADER.size :]
    assert len(body) == size + blob
    return body[:size], body[size:]


def encoded(value):
    writer = wire.Writer()
    return writer.frame(writer.encode(value))


def decoded(tree, blob):
    return wire.Reader(blob).decode(wire.parse(tree))


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_come_back_equal_and_of_the_same_type(value):
    back = decoded(*parts(encoded(value)))
    assert back == value
    assert type(back) is type(value)


@dataclass
class Held:
    output: list[float]
    weights: list[float]

    def __getattribute__(self, name):
        raise RuntimeError(name)


def test_an_object_of_a_data_class_comes_back_as_its_fields_by_no_method_of_its_own():
    assert decoded(*parts(encoded(Held([1.0], [2.0])))) == {"output": [1.0], "weights": [2.0]}


def test_nan_comes_back_as_nan():
    assert math.isnan(decoded(*parts(encoded(math.nan))))


@pytest.mark.parametrize("array", ARRAYS, ids=repr)
def test_arrays_come_back_with_shape_and_dtype_writable_and_plain(array):
    back = decoded(*parts(encoded(array)))
    assert type(back) is np.ndarray
    assert back.shape == np.shape(array)
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.flags.writeable
    np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (object(), "an object"),
        ({1: 2}, "keys are not all strings"),
        ({}.keys(), "dict_keys"),
        (np.array(["a"]), "dtype <U1"),
        (1 << 5000, "5001 bits"),
        (np.zeros(3 << 20), "more than 16 MiB"),
        (np.broadcast_to(np.zeros(1), (1 << 40,)), "more than 16 MiB"),
        (np.lib.stride_tricks.as_strided(np.zeros(4).view(np.recarray), (1 << 30,), (0,)), "more than 16 MiB"),
        (np.zeros((1,) * (wire.MAX_AXES + 1)), "33 axes"),
        (np.zeros((0, wire.MAX_AXIS)), "an axis too long"),
        (lambda: 1, "a function"),
    ],
)
def test_anything_else_is_refused_by_name(value, words):
    with pytest.raises(wire.Unsendable, match=words.replace("(", ".")):
        encoded(value)


@pytest.mark.parametrize(
    ("value", "named"),
    [(lambda: 1, "<a function>"), (object(), "<an object>"), ({1: 2}, "<a dict whose keys are not all strings>")],
)
def test_what_lies_beside_other_values_is_named_by_a_text(value, named):
    for around in ((1.5, value), [1.5, value], {"a": value}, (1, {"cache": [value]}), np.array([1.5, value])):
        assert str(decoded(*parts(encoded(around)))).count(named) == 1


class Lying(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter([9])


class Kind(enum.IntEnum):
    ONE = 1


class Pair(NamedTuple):
    output: int
    weights: list


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Pair(1, [2.5]), (1, [2.5])),
        (Lying((1, 2)), (1, 2)),
        (Kind.ONE, 1),
        (type("Text", (str,), {"__str__": lambda _: "other"})("x"), "x"),
        (type("Real", (float,), {})(0.5), 0.5),
        (OrderedDict(a=1), {"a": 1}),
        (np.array([True, None], dtype=object), [True, None]),
        (np.array([[1, 2.5]], dtype=object), [[1, 2.5]]),
    ],
)
def test_a_subclass_arrives_as_its_plain_base(value, plain):
    back = decoded(*parts(encoded(value)))
    assert back == plain
    assert type(back) is type(plain)


@pytest.mark.parametrize(("wide", "sent"), [(np.longdouble, np.float64), (np.clongdouble, np.complex128)])
def test_extended_precision_arrives_in_double(wide, sent):
    back = decoded(*parts(encoded(np.array([0.5, 2], dtype=wide))))
    assert back.dtype == sent
    assert back.tolist() == [0.5, 2]


def test_a_nest_without_bottom_is_refused():
    nest: list = []
    nest.append(nest)
    with pytest.raises(wire.Unsendable, match="deeply"):
        encoded(nest)


def test_a_subclass_of_ndarray_arrives_as_its_plain_numbers():
    class Liar(np.ndarray):
        def __array_ufunc__(self, *args, **kwargs):
            return True

        def __array__(self, *args, **kwargs):
            return np.ones(99)

    back = decoded(*parts(encoded(np.zeros(3).view(Liar))))
    assert type(back) is np.ndarray
    assert back.tolist() == [0.0, 0.0, 0.0]


def test_the_encoding_is_a_copy():
    array = np.zeros(2)
    writer = wire.Writer()
    tree = writer.encode(array)
    array[:] = 9
    assert decoded(*parts(writer.frame(tree))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "tree",
    [
        {"a": ["|O", [1], 0]}, {"a": ["<f8", [3], 0]}, {"a": ["<f8", [1], 9]}, {"a": ["<f8", [-1], 0]},
        {"a": ["<f8", [1 << 39, 1 << 39, 0], 0]}, {"a": ["<f8", [1], -8]}, {"a": ["<f8", [True], 0]},
        {"a": ["<f8", [1] * 70, 0]}, {"a": ["<f8", "1", 0]}, {"a": [["<f8"], [1], 0]}, {"a": []}, {"z": 1}, {},
        {"t": 1}, {"d": []}, {"x": ["<f8", [1], 0, "c" * 30, True]}, {"x": ["<f8", [1], 0, "cpu", 1]},
        {"t": [], "d": {}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_malformed_trees_are_protocol_errors(tree):
    with pytest.raises(wire.ProtocolError):
        wire.Reader(bytes(16)).decode(tree)


def test_arrays_that_overlap_cannot_multiply_memory():
    whole = {"a": ["|u1", [1000], 0]}
    with pytest.raises(wire.ProtocolError):
        wire.Reader(bytes(1000)).decode([whole, whole])


def test_a_bool_array_holds_nothing_but_true_and_false():
    back = wire.Reader(b"\x00\x01\x07").decode({"a": ["|b1", [3], 0]})
    assert back.view(np.uint8).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "header",
    [
        wire.HEADER.pack(b"AGF0", 1, 1),
        wire.HEADER.pack(b"AGF1", 0xFFFFFFFF, 0),
        wire.HEADER.pack(b"AGF1", 1, wire.MAX_BLOB + 1),
    ],
)
def test_a_header_is_refused_before_anything_is_buffered(header):
    with pytest.raises(wire.ProtocolError):
        wire.lengths(header)


def is_plain(value: object) -> bool:
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(type(key) is str and is_plain(item) for key, item in value.items())
    if type(value) is wire.TensorValue:
        return type(value.array) is np.ndarray
    return value is None or type(value) in (bool, int, float, str, np.ndarray)


def read(frame: bytes) -> None:
    """What the grader does with bytes from a child."""
    if len(frame) < wire.HEADER.size:
        return
    size, blob = wire.lengths(frame[: wire.HEADER.size])
    body = frame[wire.HEADER.size :]
    assert is_plain(decoded(body[:size], body[size : size + blob]))


def random_tree(rng: random.Random, depth: int = 0) -> object:
    kind = rng.randrange(12 if depth < 4 else 6)
    if kind < 6:
        return rng.choice([None, True, 0, -1, 1 << 60, 1e308, "<f8", "cpu", [], {}, "x" * 25, float("nan")])
    if kind < 8:
        return [random_tree(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 10:
        code = rng.choice([*sorted(wire.DTYPES), "|O", "<M8[s]", "<U4", 5])
        shape = [rng.choice([0, 1, 2, 3, -1, 1 << 45, True]) for _ in range(rng.randrange(4))]
        body = [code, shape, rng.choice([0, 1, 8, -1, 1 << 70])]
        return {"a": body} if rng.random() < 0.7 else {"x": [*body, rng.choice(["cpu", 3]), rng.choice([True, 1])]}
    return {rng.choice(["t", "d", "a", "x", "q"]): random_tree(rng, depth + 1) for _ in range(rng.randrange(1, 3))}


def mutated(rng: random.Random, frame: bytes) -> bytes:
    out = bytearray(frame)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(out)) if out else 0
        match rng.randrange(4):
            case 0 if out:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                del out[at : at + rng.randrange(1, 9)]
            case 2:
                out[at:at] = rng.randbytes(rng.randrange(1, 9))
            case _ if out:
                out[at] = rng.choice(b'[]{}",:0123456789eatxd\\')
    return bytes(out)


@pytest.mark.parametrize("part", range(5))
def test_a_hundred_thousand_frames_give_plain_values_or_protocol_errors(part):
    rng = random.Random(part)
    whole = [encoded({"v": value}) for value in [*PLAIN, *ARRAYS]]
    refused = 0
    for turn in range(20_000):
        if turn % 2:
            frame = mutated(rng, rng.choice(whole))
        else:
            frame = wire.pack(random_tree(rng), rng.randbytes(rng.randrange(32)))
        try:
            read(frame)
        except wire.ProtocolError:
            refused += 1
    assert 5_000 < refused < 20_000


def test_the_deepest_value_that_is_sent_is_also_read():
    nest: list = []
    for _ in range(wire.MAX_DEPTH):
        nest = [nest]
    assert decoded(*parts(encoded(nest))) == nest
    with pytest.raises(wire.Unsendable):
        encoded([nest])


def test_an_array_of_the_most_axes_and_of_the_longest_is_also_read():
    for shape in [(1,) * wire.MAX_AXES, (0, wire.MAX_AXIS - 1)]:
        assert decoded(*parts(encoded(np.zeros(shape)))).shape == shape


def test_an_answer_of_too_many_lists_is_not_sent():
    with pytest.raises(wire.Unsendable, match="too many"):
        encoded([[]] * (wire.MAX_NODES + 1))


def test_an_answer_of_too_many_lists_is_not_read():
    text = b"[" + b",".join([b"[]"] * wire.MAX_BRACKETS) + b"]"
    with pytest.raises(wire.ProtocolError):
        wire.parse(text, wire.MAX_BRACKETS)
    assert len(wire.parse(text)) == wire.MAX_BRACKETS


def test_the_weight_of_an_answer_counts_what_holds_no_bytes():
    reader = wire.Reader(b"\0" * 8)
    reader.decode([[], {"t": []}, "abc", {"a": ["|u1", [8], 0]}])
    assert reader.weight >= 4 * 64


def test_every_integer_that_is_read_has_a_float():
    assert float(decoded(b"%d" % (2**1023 - 1), b"")) > 1e307
    with pytest.raises(wire.ProtocolError):
        decoded(b"%d" % 2**1023, b"")
    with pytest.raises(wire.Unsendable, match="1024 bits"):
        encoded(2**1023)
