"""Teacher forcing: the decoder reads the right answer, shifted by one position (section 3.1, figure 1)."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Case
from grader.component.checks import Found
from grader.components.any_call import leaves_alone
from grader.judging.function import Function
from grader.model.outcome import Tells
from grader.properties import Array, Comparison, as_array, near, other_kind

BOS, EOS, PAD = 1, 2, 0


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - every ladder's form
    """One short sentence first; then batches of distinct sizes, some padded."""
    yield Case({"target": np.array([[BOS, 7, EOS]])}, "one sentence of one word", fixed=True)
    yield Case({"target": np.array([[BOS, 7, 5, EOS], [BOS, 4, 9, EOS]])}, "two sentences", fixed=True)
    yield Case({"target": _sentences(rng, 3, 5)}, "a batch of three")
    yield Case({"target": _sentences(rng, 5, 5)}, "as many sentences as positions")
    yield Case({"target": _sentences(rng, 2, 7, padded=True)}, "a shorter sentence filled up with padding")


def _sentences(rng: np.random.Generator, batch: int, length: int, *, padded: bool = False) -> Array:
    """Random ids from 3 up between bos and eos, no two neighbours alike."""
    ids = np.stack([rng.permutation(np.arange(3, 3 + 2 * length))[:length] for _ in range(batch)])
    ids[:, 0], ids[:, -1] = BOS, EOS
    if padded:
        ids[-1, -3:] = [EOS, PAD, PAD]
    return ids


_CUTS: Mapping[str, tuple[slice, slice]] = {
    "front": (slice(None), slice(None, -1)),
    "back": (slice(None), slice(1, None)),
    "all": (slice(None), slice(None)),
    "front_two": (slice(None), slice(None, -2)),
    "back_two": (slice(None), slice(2, None)),
    "inner": (slice(None), slice(1, -1)),
    "front_rows": (slice(None, -1), slice(None)),
    "back_rows": (slice(1, None), slice(None)),
    "first_column": (slice(None), slice(None, 1)),
    "last_column": (slice(None), slice(-1, None)),
}


def workshop(target: Array, *, read: str = "front", answer: str = "back", writes: bool = False) -> tuple[Array, Array]:
    """The oracle with knobs: which part of the target the decoder reads, and which it must answer."""
    pair = _part(target, read).copy(), _part(target, answer).copy()
    if writes:
        target[:, -1] = PAD
    return pair


def _part(target: Array, name: str) -> Array:
    if name in _CUTS:
        return target[_CUTS[name]]
    pad = np.zeros_like(target[:, :1])
    made: dict[str, Array] = {
        "back_and_pad": np.concatenate([target[:, 1:], pad], axis=1),
        "pad_and_front": np.concatenate([pad, target[:, :-1]], axis=1),
        "pad_and_all": np.concatenate([pad, target], axis=1),
        "rolled_back": np.roll(target, -1, axis=1),
        "rolled_forth": np.roll(target, 1, axis=1),
        "reversed": target[:, ::-1][:, :-1],
        "last_token": target[:, -1],
        "without_eos": np.where(target == EOS, PAD, target)[:, :-1],
        "flat_back": target[:, 1:].reshape(-1),
        "flat_front": target[:, :-1].reshape(-1),
    }
    return made[name]


component = Function(
    "teacher_forcing",
    {"teacher_forcing_pair": reference.teacher_forcing_pair},
    ladder,
    title="Teacher forcing",
    reread="section 3.1: the output embeddings are offset by one position",
    returns=("decoder_input", "labels"),
    workshop=workshop,
)


def _side(got: Any, target: Array, which: int) -> Found:
    if not isinstance(got, tuple | list) or len(got) != 2:
        return other_kind(got, "a pair (decoder input, labels)")
    want = reference.teacher_forcing_pair(target)[which]
    found = near(got[which], want)
    name = ("the decoder input", "the labels")[which]
    text = f"{name}: {found.message}"
    return found or Comparison(False, text, want, got[which], where=found.where, which=found.which, tells=Tells.NAMED)


@component.check()
def decoder_reads_all_but_the_last(got: Any, target: Array) -> Found:
    """The decoder reads the target without its last position."""
    return _side(got, target, 0)


@component.check()
def labels_are_all_but_the_first(got: Any, target: Array) -> Found:
    """The labels are the target without its first position."""
    return _side(got, target, 1)


@component.check()
def label_is_the_next_token(got: Any, target: Array) -> Found:
    """The label at each position is the token that the decoder reads at the next one."""
    if not isinstance(got, tuple | list) or len(got) != 2:
        return other_kind(got, "a pair (decoder input, labels)")
    read, labels = (as_array(value) for value in got)
    if read is None or labels is None or read.ndim != 2 or labels.shape != read.shape or read.shape[0] != len(target):
        return "the decoder input and the labels must have the same shape, (batch, n - 1)"
    return near(labels[:, :-1], read[:, 1:])


leaves_alone(component, "The caller's array is the same after the call.", most=3)
