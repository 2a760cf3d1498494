"""Frames between grader and child: a JSON tree and raw little-endian arrays; nothing is ever unpickled.

A frame is ``magic, length of JSON, length of blob`` and the two parts. In the tree, None, bool, int, float, str
and list stand for themselves; every other value is an object with one key: ``{"t": [...]}`` a tuple,
``{"d": {...}}`` a dict, ``{"o": [name, {"d": {...}}]}`` an object of a data class, ``{"a": [dtype, shape, offset]}``
an array, ``{"x": [dtype, shape, offset, device, requires_grad]}`` a tensor. Lengths are checked before anything is
buffered. Both sides use this file, so it imports nothing of ours, and numpy only where an array is met.
"""

from __future__ import annotations

import json
import signal
import struct
import sys
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

TIME_IS_UP = signal.SIGVTALRM
"""What the grader tells a child with when it waits no longer; it is answered with how far the programs are."""
MAGIC = b"AGF1"
HEADER = struct.Struct("<4sII")
MAX_TREE = 2 << 20  # of an answer
MAX_BLOB = 16 << 20
MAX_QUESTION = 64 << 20  # the grader's own trees carry whole submissions
MAX_NODES = 50_000  # lists, tuples, dicts and arrays of one answer: an empty list takes 30 times its text
MAX_BRACKETS = 4 * MAX_NODES
MAX_DEPTH = 32
MAX_AXES = 32
MAX_AXIS = 1 << 40
MAX_NAME = 80
MAX_INT_BITS = 1023  # so that every integer has a float
_LEAVES = frozenset({type(None), bool, int, float, str})
DTYPES = frozenset("|b1 |u1 |i1 <u2 <i2 <u4 <i4 <u8 <i8 <f2 <f4 <f8 <c8 <c16".split())
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_WIDER = {"g": "<f8", "G": "<c16"}  # extended precision differs from machine to machine
_PLAIN: tuple[tuple[type, Any], ...] = (
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (list, lambda value: list(list.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)


class ProtocolError(Exception):
    """The other side sent something that is not a frame of this protocol."""


class Unsendable(Exception):
    """A value that is not plain data; the message says what was met."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorValue:
    """A torch tensor as plain data: its numbers (bfloat16 widened to float32), device and requires_grad."""

    array: np.ndarray[Any, Any]
    device: str
    requires_grad: bool


class Fields(dict[str, Any]):
    """What an object of a data class holds under the names of its fields; ``of`` names the class: "an Output"."""

    of = ""


class Writer:
    """Turns plain values into a tree, and gathers the bytes of the arrays met on the way."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.size = 0
        self.nodes = 0

    def encode(self, value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - a table of kinds
        """Return the tree of ``value``.

        A subclass could lie about itself: a named tuple and the like are read by the methods of the plain type. What is
        no plain data is named in a text where it lies beside other values (the cache of a backward pass). Raises
        Unsendable where it is all that there is, and for too much.
        """
        kind = type(value)
        if value is None or kind in (bool, float):
            return value
        if kind in (int, str):
            return _short(value)
        self._enter(depth)
        if kind is list:
            return [self.encode(item, depth + 1) for item in value]
        if kind is tuple:
            return {"t": [self.encode(item, depth + 1) for item in value]}
        if kind is dict and all(type(key) is str for key in value):
            return {"d": {key: self.encode(item, depth + 1) for key, item in value.items()}}
        if kind is complex:
            return {"a": self._array(value)}
        if kind is TensorValue:
            return {"x": [*self._array(value.array), value.device, value.requires_grad]}
        return self._foreign(value, kind, depth)

    def _enter(self, depth: int) -> None:
        """Count one list, tuple, dict or array. Raises Unsendable for one too many and for one too deep."""
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise Unsendable("returned values nested too deeply")
        if self.nodes > MAX_NODES:
            raise Unsendable("returned too many lists or arrays to send")

    def _foreign(self, value: Any, kind: type, depth: int) -> Any:
        numpy = sys.modules.get("numpy")
        if numpy is not None and issubclass(kind, numpy.ndarray | numpy.generic):
            mixed = numpy.asarray(value)
            return self.encode(mixed.tolist(), depth + 1) if mixed.dtype == object else {"a": self._array(value)}
        torch = sys.modules.get("torch")
        tensor = getattr(torch, "Tensor", None)
        if isinstance(tensor, type) and issubclass(kind, tensor):
            return {"x": self._tensor(value)}
        if kind is dict:
            return _named("a dict whose keys are not all strings", "cannot be sent", depth)
        for base, plain in _PLAIN:
            if issubclass(kind, base):
                return self.encode(plain(value), depth + 1)
        name = str(type.__getattribute__(kind, "__name__"))[:MAX_NAME]
        named = f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
        if is_dataclass(kind) and (held := _fields(value, kind)):
            return {"o": [named, self.encode(held, depth + 1)]}
        return _named(named, "is neither a number, text, list, tuple, dict nor array", depth)

    def _array(self, value: Any) -> list[Any]:
        numpy = sys.modules["numpy"]
        if isinstance(value, numpy.ndarray):
            self._room_for(numpy.ndarray.nbytes.__get__(value))
        plain = numpy.array(value, copy=True, order="C", subok=False)
        if plain.dtype.char in _WIDER:
            plain = plain.astype(_WIDER[plain.dtype.char])
        plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        code = plain.dtype.str
        if code not in DTYPES:
            raise Unsendable(f"returned an array of dtype {plain.dtype}, which cannot be sent")
        if plain.ndim > MAX_AXES or any(size >= MAX_AXIS for size in plain.shape):  # an empty one may claim any length
            raise Unsendable(f"returned an array of {plain.ndim} axes or of an axis too long to be sent")
        self._room_for(plain.nbytes)
        start = self.size
        self.blobs.append(plain.tobytes())
        self.size += plain.nbytes
        return [code, list(plain.shape), start]

    def _room_for(self, size: int) -> None:
        """Raise Unsendable where so many bytes are too many: before a copy, for a view may claim more than there is."""
        if self.size + size > MAX_BLOB:
            raise Unsendable(f"returned arrays of more than {MAX_BLOB >> 20} MiB")

    def _tensor(self, value: Any) -> list[Any]:
        torch = sys.modules["torch"]
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            device, grad = str(value.device)[:20], bool(value.requires_grad)
            plain = torch.Tensor.detach(value)
            if plain.is_sparse or plain.is_quantized:
                raise Unsendable("returned a sparse or quantized tensor, which cannot be sent")
            self._room_for(plain.numel() * plain.element_size())
            if device.startswith("meta"):
                plain = torch.zeros(plain.shape, dtype=plain.dtype)
            if plain.dtype == torch.bfloat16:
                plain = plain.to(torch.float32)
            array = plain.cpu().resolve_conj().resolve_neg().contiguous().numpy()
        return [*self._array(array), device, grad]

    def blob(self) -> bytes:
        """Return the bytes of all arrays met so far."""
        return b"".join(self.blobs)

    def frame(self, tree: Any) -> bytes:
        """Return the frame of an encoded tree and of all arrays met so far."""
        return pack(tree, self.blob())


def _named(named: str, why: str, depth: int) -> str:
    """A text for what is no plain data. Raises Unsendable where nothing is around it."""
    if not depth:
        raise Unsendable(f"returned {named}, which {why}")
    return f"<{named}>"


def _short(value: int | str) -> int | str:
    """Return ``value``. Raises Unsendable where it is too long for a frame."""
    if isinstance(value, str):
        if len(value) > MAX_TREE:
            raise Unsendable(f"returned a text of {len(value)} characters, which is too long to send")
    elif value.bit_length() > MAX_INT_BITS:
        raise Unsendable(f"returned an integer of {value.bit_length()} bits, which is too large to send")
    return value


def _fields(value: Any, kind: type) -> dict[str, Any]:
    """What an object of a data class holds under the names of its fields, by no method of its own."""
    try:
        held = object.__getattribute__(value, "__dict__")
        names = type.__getattribute__(kind, "__dataclass_fields__")
    except AttributeError:
        return {}
    return {name: held[name] for name in names if name in held} if type(held) is type(names) is dict else {}


def pack(tree: Any, blob: bytes = b"") -> bytes:
    """Return the frame of a tree that is encoded already."""
    return frame(text(tree), blob)


def text(tree: Any) -> str:
    """Return the JSON of a tree."""
    return _ENCODER.encode(tree)


def frame(tree: str, blob: bytes) -> bytes:
    """Return the frame of a tree that is JSON already."""
    line = tree.encode()
    return HEADER.pack(MAGIC, len(line), len(blob)) + line + blob


def lengths(header: bytes, most: int = MAX_TREE) -> tuple[int, int]:
    """Return the lengths of tree and blob that a header claims; ``most`` caps the tree.

    Raises ProtocolError for a foreign header and for lengths past the caps.
    """
    magic, tree, blob = HEADER.unpack(header)
    if magic != MAGIC or tree > most or blob > MAX_BLOB:
        raise ProtocolError("bad header")
    return tree, blob


def parse(tree: bytes, brackets: int = 0) -> Any:
    """Return the JSON tree of a frame; ``brackets`` caps how many lists and objects it opens. Raises ProtocolError."""
    if brackets and tree.count(b"[") + tree.count(b"{") > brackets:
        raise ProtocolError("too many parts")
    try:
        return json.loads(tree)
    except (ValueError, RecursionError):
        raise ProtocolError("bad JSON") from None


class Reader:
    """Turns a tree into plain values; all arrays together hold no more bytes than the blob does.

    ``weight`` is about how many bytes the values take beside what their arrays hold.
    """

    def __init__(self, blob: bytes | memoryview) -> None:
        self.blob = blob
        self.left = len(blob)
        self.weight = 0

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """Return the value of a tree. Raises ProtocolError and nothing else."""
        kind = type(tree)
        if kind in _LEAVES:
            if kind is int and tree.bit_length() > MAX_INT_BITS:
                raise ProtocolError("integer too large")
            self.weight += 40 + (len(tree) if kind is str else 0)
            return tree
        self.weight += 160
        if depth > MAX_DEPTH:
            raise ProtocolError("nested too deeply")
        if kind is list:
            return [self.decode(item, depth + 1) for item in tree]
        if kind is not dict or len(tree) != 1:
            raise ProtocolError("bad node")
        ((key, body),) = tree.items()
        return self._object(key, body, depth)

    def _object(self, key: str, body: Any, depth: int) -> Any:
        if key == "a" and type(body) is list and len(body) == 3:
            return self._array(*body)
        if key == "t" and type(body) is list:
            return tuple([self.decode(item, depth + 1) for item in body])
        if key == "d" and type(body) is dict:
            return {name: self.decode(item, depth + 1) for name, item in body.items()}
        if key == "o" and type(body) is list and len(body) == 2:
            return self._fields(body[0], self.decode(body[1], depth + 1))
        if key == "x" and type(body) is list and len(body) == 5:
            *parts, device, grad = body
            if type(device) is not str or len(device) > 20 or type(grad) is not bool:
                raise ProtocolError("bad tensor")
            return TensorValue(self._array(*parts), device, grad)
        raise ProtocolError("bad node")

    def _fields(self, name: Any, held: Any) -> Fields:
        if type(name) is not str or len(name) > MAX_NAME + 3 or type(held) is not dict:
            raise ProtocolError("bad object")
        found = Fields(held)
        found.of = name
        return found

    def _array(self, code: Any, shape: Any, start: Any) -> Any:
        import numpy as np

        if type(code) is not str or code not in DTYPES or type(start) is not int or start < 0:
            raise ProtocolError("bad array")
        if type(shape) is not list or len(shape) > MAX_AXES:
            raise ProtocolError("bad shape")
        count = 1
        for size in shape:
            if type(size) is not int or not 0 <= size < MAX_AXIS:
                raise ProtocolError("bad shape")
            count *= size
        dtype = np.dtype(code)
        nbytes = count * dtype.itemsize
        if start + nbytes > len(self.blob) or nbytes > self.left:
            raise ProtocolError("array outside its blob")
        self.left -= nbytes
        try:
            # A byte other than 0 and 1 inside a bool array compares like nothing else, so bools are made anew.
            if code == "|b1":
                return np.array(np.frombuffer(self.blob, np.uint8, count, start).reshape(shape) != 0)
            return np.frombuffer(self.blob, dtype, count, start).reshape(shape).copy()
        except (ValueError, OverflowError, MemoryError):
            raise ProtocolError("bad array") from None


def trusted(tree: Any, blob: bytes, start: int) -> Any:
    """Return the value of a tree that the grader wrote: nothing is checked. Its arrays lie behind ``start``."""
    kind = type(tree)
    if kind is list:
        return [item if type(item) in _LEAVES else trusted(item, blob, start) for item in tree]
    if kind is not dict:
        return tree
    ((key, body),) = tree.items()
    if key == "a":
        code, shape, offset = body
        return sys.modules["numpy"].ndarray(shape, code, blob, start + offset).copy()
    if key == "t":
        return tuple([item if type(item) in _LEAVES else trusted(item, blob, start) for item in body])
    if key == "d":
        return {name: item if type(item) in _LEAVES else trusted(item, blob, start) for name, item in body.items()}
    raise ProtocolError("bad node")
