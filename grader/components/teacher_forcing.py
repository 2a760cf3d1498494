"""Teacher forcing: the decoder reads the right answer, shifted by one position (section 3.1, figure 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Case, Found, Watched, watched
from grader.judging.function import Function
from grader.properties import Array, Comparison, as_array, describe, near, unchanged

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
        return Comparison(False, f"returned {describe(got)}; expected a pair (decoder input, labels)", None, got)
    want = reference.teacher_forcing_pair(target)[which]
    found = near(got[which], want)
    name = ("the decoder input", "the labels")[which]
    return found or Comparison(False, f"{name}: {found.message}", want, got[which], where=found.where)


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
        return Comparison(False, f"returned {describe(got)}; expected a pair (decoder input, labels)", None, got)
    read, labels = (as_array(value) for value in got)
    if read is None or labels is None or read.ndim != 2 or labels.shape != read.shape or read.shape[0] != len(target):
        return "the decoder input and the labels must have the same shape, (batch, n - 1)"
    return near(labels[:, :-1], read[:, 1:])


@component.check(ask=watched(), most=3)
def leaves_arguments_alone(seen: Watched, target: Array) -> Found:
    """The caller's array is the same after the call."""
    return unchanged(seen.after["target"], target, "target")


_SHIFT = "What the decoder reads at position i ends with token i, and what it must answer there is token i + 1."

for _both in ("front", "back", "all"):
    component.fault(
        "tf-no-shift",
        "The decoder is fed the very tokens that it must predict.",
        read=_both,
        answer=_both,
        nudge="At position 0 the decoder sees bos. What should it answer?",
        hint="The decoder input and the labels are two different cuts of the target.",
        explanation="With equal input and labels the model learns to copy its input: the loss falls to zero and the "
        "generation fails, because the answer is not there to be copied.",
    )
for _read, _answer in (("back", "front"), ("rolled_back", "all"), ("back_and_pad", "all")):
    component.fault(
        "tf-shifted-backwards",
        "The shift goes the wrong way: the decoder reads the token after the one that it must answer.",
        read=_read,
        answer=_answer,
        nudge="Which of the two sequences should begin with bos?",
        hint="The decoder input begins with bos, the labels end with eos.",
        explanation="The decoder must answer with the token that follows what it has read. Here it reads the future "
        "and answers with the past.",
    )
for _read, _answer in (("front_two", "back_two"), ("front", "back_two"), ("front_two", "back"), ("inner", "back_two")):
    component.fault(
        "tf-shifted-by-two",
        "The pair is cut by two positions.",
        read=_read,
        answer=_answer,
        nudge="How many positions lie between what is read and what is answered?",
        hint="One position is cut from the end of the input, and one from the front of the labels.",
        explanation=_SHIFT,
    )
for _read, _answer in (("front_rows", "back_rows"), ("back_rows", "front_rows")):
    component.fault(
        "tf-shifts-the-batch",
        "The cut is made along the batch and not along the positions.",
        read=_read,
        answer=_answer,
        nudge="Which axis of the target holds the positions?",
        hint="target[:-1] drops the last sentence; the positions are the second axis.",
        explanation="The target is (batch, n). A single slice acts on the first axis, so whole sentences are dropped "
        "and each is paired with another one.",
    )
for _read, _answer in (("all", "back"), ("front", "all")):
    component.fault(
        "tf-one-side-uncut",
        "One side of the pair is not cut.",
        read=_read,
        answer=_answer,
        nudge="Do the decoder input and the labels have the same length?",
        hint="The last token is never read, and the first one never answered.",
        explanation="Both sides have n - 1 positions: nothing follows the last token, and nothing asks for the first.",
    )
for _read, _answer in (("all", "back_and_pad"), ("pad_and_front", "all"), ("pad_and_all", "all")):
    component.fault(
        "tf-fills-with-padding",
        "A padding token is put where the sequence was shifted.",
        read=_read,
        answer=_answer,
        nudge="How long are your two sequences, and how long is the target?",
        hint="Cut one position off each side; nothing has to be filled in.",
        explanation="The target holds bos and eos already, so the shift needs no new token: both are one shorter.",
    )
for _read, _answer in (("all", "rolled_back"), ("rolled_forth", "all")):
    component.fault(
        "tf-rolls-around",
        "The sequence is rolled around: one end comes back at the other.",
        read=_read,
        answer=_answer,
        nudge="What does the decoder have to answer at its last position?",
        hint="np.roll brings the first token back at the end; a slice drops it.",
        explanation="After eos nothing follows. Rolled around, the model would learn to say bos there.",
    )
for _read, _answer in (("inner", "back"), ("front", "inner"), ("inner", "inner")):
    component.fault(
        "tf-drops-both-ends",
        "One side loses both bos and eos.",
        read=_read,
        answer=_answer,
        nudge="Does the decoder get to see bos, and does it learn to say eos?",
        hint="The decoder input keeps bos, the labels keep eos.",
        explanation="Without bos the model cannot begin, and without eos among the labels it never learns to stop.",
    )
component.fault(
    "tf-removes-eos-by-value",
    "The end tokens are blanked out and not only the last position cut.",
    read="without_eos",
    nudge="Is the decoder input a plain slice of the target?",
    hint="Cut by position: what stands in the last column is dropped, whatever it is.",
)
component.fault(
    "tf-reversed-input",
    "The decoder reads the sentence backwards.",
    read="reversed",
    nudge="In which order should the decoder read?",
    hint="Only the last position is cut; the order stays.",
)
for _answer in ("last_column", "last_token"):
    component.fault(
        "tf-last-token-only",
        "Only the last token is a label.",
        answer=_answer,
        nudge="How many predictions does the decoder make in one pass?",
        hint="Every position has a label, not only the last one.",
        explanation="With the causal mask one pass trains every position at once: n - 1 inputs, n - 1 labels.",
    )
for _read, _answer in (("flat_front", "flat_back"), ("front", "flat_back")):
    component.fault(
        "tf-flattened",
        "The batch is flattened into one long sequence.",
        read=_read,
        answer=_answer,
        nudge="Which shape should the two results have?",
        hint="Both are (batch, n - 1); flattening belongs to the loss.",
    )


component.fault(
    "tf-changes-target",
    "The target is changed in place.",
    writes=True,
    nudge="Is the target the same before and after the call?",
    hint="Assigning into target changes the caller's array; take a copy or a slice.",
)
