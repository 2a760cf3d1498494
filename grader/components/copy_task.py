"""The copy task: the student's Transformer is trained with the grader's own loop and has to copy unseen sequences.

It copies into another language: each word of the source stands for one word of the target, by a dictionary that is
drawn for each submission. A model that hands its source through has learned nothing of it, and what was learned is
measured here, from scores and decodings, and not by what the training says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from grader.blocks import checks_state, faults, settled
from grader.blocks.checks import bundle, case_steps
from grader.blocks.examine import Block
from grader.blocks.programs import Making, Step, Steps
from grader.blocks.reading import kind_of
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check
from grader.components.transformer import component as whole
from grader.components.transformer import shapes
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import By, Diagnosis, Outcome, Verdict
from grader.paper.softmax import softmax
from grader.paper.weights import Array
from grader.sandbox.plain import LESSON, Reply

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

SIZES = Sizes(d_model=32, num_heads=8, d_ff=72, num_layers=1, src_vocab=11, tgt_vocab=12, max_len=14)
LENGTH, BATCH, STEPS, WARMUP, FACTOR = 5, 32, 400, 60, 0.6
LEAST, DONE = 100, 0.01
"""Training ends after so many steps once the loss is so small; right models take about 200."""
UNSEEN = 40
ENOUGH = 0.8
"""Share of unseen sequences to be copied exactly; right models copy nearly all, one that guesses none."""
_BOS, _EOS, _FIRST_WORD = 1, 2, 3


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """One call, by which the model is known for a Transformer."""
    sizes = making.sizes
    src, tgt = (
        rng.integers(0, vocab, size=(sizes.batch, n))
        for vocab, n in ((sizes.src_vocab, sizes.m), (sizes.tgt_vocab, sizes.n))
    )
    return (Case({"src": src, "tgt": tgt, "src_mask": None, "tgt_mask": None}, "no masks", key="open"),)


def _lesson(subject: Subject) -> Mapping[str, Steps]:
    """Construct, give small weights, train, decode; beside it the call by which the model is known."""
    rng = np.random.default_rng([subject.context.seed, 23])
    words = _dictionary(rng)
    sources = rng.integers(_FIRST_WORD, SIZES.src_vocab, size=(UNSEEN, LENGTH))
    subject.cache["sources"], subject.cache["targets"] = sources, _written(words[sources])
    lessons = np.random.default_rng(7).integers(_FIRST_WORD, SIZES.src_vocab, size=(STEPS, BATCH, LENGTH))
    train: Step = {
        "do": "train_copy",
        "on": "module",
        "sources": lessons.astype(np.uint8),
        "targets": _written(words[lessons]).astype(np.uint8),
        "d_model": SIZES.d_model,
        "warmup": WARMUP,
        "factor": FACTOR,
        "seed": 7,
        "least": LEAST,
        "enough": DONE,
    }
    scores: Step = {"do": "copy_scores", "on": "module", "sources": sources, "targets": subject.cache["targets"]}
    decode: Step = {"do": "decode_copies", "on": "module", "sources": sources, "max_len": LENGTH + 2}
    *before, weights = subject.prepared()
    return {
        "lesson": (*before, {**weights, "values": _small(subject, rng)}, scores, train, scores, decode),
        "case:open": case_steps(subject, subject.cases[0]),
        **checks_state.asked(subject),
    }


def _dictionary(rng: np.random.Generator) -> Array:
    """For each word of the source vocabulary one of the target's, none its own number; the special tokens stay."""
    words = np.arange(SIZES.src_vocab)
    while True:
        drawn = rng.permutation(np.arange(_FIRST_WORD, SIZES.tgt_vocab))[: SIZES.src_vocab - _FIRST_WORD]
        if (drawn != words[_FIRST_WORD:]).all():
            return np.concatenate((words[:_FIRST_WORD], drawn))


def _written(words: Array) -> Array:
    """Sequences between bos and eos."""
    ends = np.ones((*words.shape[:-1], 1), dtype=words.dtype)
    return np.concatenate((_BOS * ends, words, _EOS * ends), axis=-1)


def _small(subject: Subject, rng: np.random.Generator) -> Mapping[str, Array]:
    """Seeded weights to start from: gains 1, biases 0, small matrices; a table of positions keeps its own values."""
    gains = {
        operation.gain.name
        for operation in subject.material.operations
        if operation.kind == "N" and operation.gain is not None and not operation.gain_beyond_one
    }
    values: dict[str, Array] = {}
    for name, tensor in subject.tensors.items():
        kind = kind_of(tensor, subject.sizes)
        if kind == "v":
            values[name] = np.full(tensor.full_shape, 1.0 if name in gains else 0.0, dtype=np.float32)
            if name in gains and len(tensor.shape) > 1:  # a gain with the shift below it
                values[name].reshape(tensor.shape)[1] = 0.0
        elif kind in "AFT":
            values[name] = (rng.normal(size=tensor.full_shape) * SIZES.d_model**-0.5).astype(np.float32)
    return values


def _reply(subject: Subject) -> tuple[Reply, Outcome | None]:
    reply = subject.replies["lesson"]
    failed = None if reply.status == "value" else replace(subject.failure(reply, LESSON), diagnosis=_kept(subject))
    return reply, failed


def _why(subject: Subject) -> Diagnosis | None:
    """The mistake that the model is known to have, as the likely reason."""
    if subject.fault is not None:
        return subject.fault.diagnosis(By.MODEL, subject.family)
    return subject.block.sign("trf-layers-in-plain-list") if subject.unregistered else _kept(subject)


def _kept(subject: Subject) -> Diagnosis | None:
    """What is kept from one call to the next: a lesson has sequences of many lengths."""
    found = checks_state.kept(subject)
    return None if found is None else found.diagnosis


def _loss(scores: object, targets: Array) -> float:
    """Mean cross-entropy of what follows each token; infinite where the scores have another shape."""
    array = getattr(scores, "array", scores)
    if not isinstance(array, np.ndarray) or array.shape != (*targets[:, 1:].shape, SIZES.tgt_vocab):
        return np.inf
    with np.errstate(all="ignore"):
        logs = softmax(array.astype(np.float64), logs="exact")
    return float(-np.take_along_axis(logs, targets[:, 1:, None], axis=-1).mean())


def _losses(subject: Subject, reply: Reply) -> tuple[float, float]:
    """The loss on unseen sequences before and after training."""
    targets = subject.cache["targets"]
    return _loss(reply.values[-4], targets), _loss(reply.values[-2], targets)


def _judge_loss(subject: Subject) -> Outcome:
    reply, failed = _reply(subject)
    if failed is not None:
        return failed
    first, last = _losses(subject, reply)
    if last < 0.5 * first and np.isfinite(first):
        return PASSED
    text = f"after training the loss on unseen sequences is {last:.2f}, having begun at {first:.2f}"
    if not np.isfinite(first):
        text = "the scores of the target's words are no finite numbers of shape (batch, n_tgt, tgt_vocab)"
    return finding(Verdict.FAILED, text, diagnosis=_why(subject))


def _judge_copies(subject: Subject) -> Outcome:
    reply, failed = _reply(subject)
    if failed is not None:
        return failed
    wanted = subject.cache["targets"].tolist()
    right = [got == want for got, want in zip(reply.values[-1], wanted, strict=True)]
    share = sum(right) / len(right)
    if share < ENOUGH:
        miss = right.index(False)
        text = (
            f"{sum(right)} of {len(right)} unseen sequences are copied; where the dictionary gives "
            f"{wanted[miss][1:-1]}, greedy decoding made {reply.values[-1][miss][1:]} (2 is the end)"
        )
        return finding(Verdict.FAILED, text, sum(right), len(right), diagnosis=_why(subject))
    if subject.reading is None:
        return _stranger(subject)
    return PASSED


def _stranger(subject: Subject) -> Outcome:
    """It copies, and computes what no Transformer computes."""
    attends = any(operation.kind == "A" for operation in subject.material.operations)
    text = "it copies, but what it computes is not what a Transformer computes from its weights"
    return finding(Verdict.UNDETERMINED if attends and not subject.complete else Verdict.FAILED, text)


def _takes_batches(making: Making) -> bool:
    """Whether it is trained as the lesson trains: on batches, which stand first."""
    return making.batch == "first"


component = Block(
    "copy_task",
    "Learns to copy",
    "sections 3 and 5.3",
    "Transformer",
    ("src_vocab", "tgt_vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
    ("src", "tgt", "src_mask", "tgt_mask"),
    whole.compute,
    shapes,
    cases,
    bundle(
        Check(
            "learns",
            "The loss falls when the model is trained to copy its source word by word",
            _lesson,
            _judge_loss,
            f"About 200 steps of Adam with the paper's schedule, at d_model {SIZES.d_model}; each word of the source "
            "stands for one of the target.",
            needs=_takes_batches,
        ),
        Check(
            "repeats_unseen_sequences",
            "After training, greedy decoding copies sequences that it has not seen",
            _lesson,
            _judge_copies,
            needs=_takes_batches,
        ),
    ),
    whole.faults,
    (*faults.OF_MODELS, *faults.OF_LAYERS, "state-kept-between-calls", "weights-changed-by-the-call"),
    free=whole.free,
    cost=4,
    fixed_positions=True,
    sizes=SIZES,
    settled=settled.MODEL,
    trained=True,
)
