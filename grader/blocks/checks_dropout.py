"""Checks of dropout inside a block (section 5.4): off in evaluation, rescaled in training, residual path kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks.checks import samples_apart
from grader.blocks.checks_calls import UNREGISTERED, active_in_evaluation, like_before
from grader.blocks.programs import Making, Step, Steps, Sublayer, prepared
from grader.blocks.reading import kind_of
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import Outcome, Verdict
from grader.paper.weights import Array
from grader.properties import alike

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

RATE = 0.5
COPIES, FEW_COPIES = 160, 24
IGNORED = 0.75
"""Where the draws move the output by more than this share of what they move it by at the rate, it is not the rate's."""
SMALL = 0.3
SURVIVORS = 1.4
"""What is dropped last keeps entries 1 / (1 - rate) = 2 times as large; where they are not scaled up, 1 times."""

OTHER_WEIGHTS = replace(PASSED, notes=("Not judged: the weights are others already, which another check says",))


def _takes_a_rate(making: Making) -> bool:
    """Whether the assignment gives the constructor a rate: without one there is nothing to drop."""
    return making.takes("dropout")


def _drops(making: Making) -> bool:
    """Whether the hand-out promises dropout in training."""
    # Where a stack embeds ids itself, their sum with the positions may be dropped, too (section 5.4).
    return _takes_a_rate(making) and making.said.get("dropout_place") != "none" and not making.passes("ids")


def _said_elsewhere(subject: Subject) -> Outcome | None:
    """What makes training mode no matter of dropout."""
    if subject.unregistered:
        return UNREGISTERED
    if subject.replies["train"].status == "value" and not subject.has_numbers(subject.cases[0]):
        return replace(PASSED, notes=("Not judged: no numbers came back, which another check says",))
    if active_in_evaluation(subject):
        return replace(PASSED, notes=("Not judged: dropout acts in evaluation mode, which another check says",))
    return None


def off_in_evaluation() -> Check:
    """With a rate, evaluation mode is as without one."""
    return like_before(
        "dropout_off_in_evaluation",
        "Dropout does nothing in evaluation mode",
        "rate",
        lambda subject: (*subject.prepared(dropout=RATE), *2 * [subject.making.call(subject.cases[0].inputs)]),
        sign=_drawn_or_scaled,
        needs=_takes_a_rate,
    )


def _drawn_or_scaled(subject: Subject) -> str:
    """What a rate does in evaluation mode: two answers that are the same are scaled and not drawn."""
    one, other = (subject.numbers(subject.replies["rate"], call) for call in (0, 1))
    same = one is not None and other is not None and alike(one, other)
    return "dropout-scales-in-evaluation" if same else "dropout-active-in-eval"


def not_on_scores() -> Check:
    """Attention drops weights, not scores: a single key has the weight 1, and keys that are equal have one weight.

    Where weights are dropped too, it shows in keys that are equal: without biases the output grows with the input, draw
    by draw, unless the draws decide between the keys, and more so the larger their scores are.
    """
    asked = ("train", "single", "equal", "larger", "equal, again", "calm", "calm, larger")

    def ask(subject: Subject) -> Mapping[str, Steps]:
        def called(copies: int, n: int | None, factor: float = 1.0, *, train: bool = True) -> Steps:
            given = {name: _of_first(value, factor, n) for name, value in _inputs(subject, 1.0, copies).items()}
            return (*_with(subject, 1.0, train=train), subject.making.call(given))

        drawn = _inputs(subject, 1.0, FEW_COPIES)
        programs = (
            (*_with(subject, 1.0, train=True), subject.making.call(drawn)),
            called(COPIES, 1),
            *(called(FEW_COPIES, None, factor) for factor in (1.0, 2.0, 1.0)),
            *(called(1, None, factor, train=False) for factor in (1.0, 2.0)),
        )
        return dict(zip(asked, programs, strict=True))

    def judge(subject: Subject) -> Outcome:
        if (said := _said_elsewhere(subject) or _weighs_otherwise(subject)) is not None:
            return said
        if any(subject.replies[key].status != "value" for key in asked):
            return replace(PASSED, notes=("Not judged: training mode raises",))
        samples, n, width = subject.shape(subject.cases[0])
        many, single = (
            _array(subject, key, (samples * copies, length, width))
            for key, copies, length in (("train", FEW_COPIES, n), ("single", COPIES, 1))
        )
        if many is None or single is None or not single.any():
            return PASSED
        alone = single.reshape(COPIES, -1)
        if _quiet(alone):
            dropped = not _quiet(many.reshape(FEW_COPIES, -1))
        elif subject.making.said.get("rotary", "none") != "none":  # turned by their positions no keys are equal
            dropped = False
        else:
            # More values for a single key: queries and keys are dropped, before there is any score. Draws of a
            # generator of its own, which nobody seeds, are others in each call and tell nothing.
            dropped = (
                _of_whole_heads(alone, subject.sizes.num_heads)
                and _grows(subject, ("calm", "calm, larger"), (samples, n, width))
                and _grows(subject, ("equal", "equal, again"), (samples * FEW_COPIES, n, width), 1)
                and not _grows(subject, ("equal", "larger"), (samples * FEW_COPIES, n, width))
            )
        if not dropped:
            return PASSED
        return subject.failed(
            "in training mode the draws change the weights of the keys before the softmax: scores are dropped",
            "dropout-on-scores",
        )

    return Check(
        "drops_no_scores",
        "Where attention drops anything in training, it is not its scores",
        ask,
        judge,
        "A score of 0 is a score like any other: its key is read all the same. Dropout belongs behind the softmax.",
        needs=_drops,
        manner=True,
    )


def _weighs_otherwise(subject: Subject) -> Outcome | None:
    """What makes other weights of the scores, or of the keys, than a softmax: equal keys may weigh otherwise then."""
    fault, reading = subject.fault, subject.reading
    if fault is not None:
        others = any(name.startswith("sdpa.") and not name.startswith("sdpa.scale") for name in fault.knobs)
    else:
        others = reading is None or not all(subject.agrees(case, reading, reading.knobs) for case in subject.cases)
    return OTHER_WEIGHTS if others else None


def _of_first(value: Any, factor: float, n: int | None) -> Any:
    """``n`` positions (None: as many as there are) that are all the first one, times ``factor``."""
    if not isinstance(value, np.ndarray):
        return value
    first = factor * value[:, :1]
    return first if n == 1 else np.repeat(first, value.shape[1], axis=1)


def _grows(subject: Subject, keys: tuple[str, str], shape: tuple[int, ...], times: float = 2) -> bool:
    """Whether the second answer is so many ``times`` the first."""
    one, other = (_array(subject, key, shape) for key in keys)
    return one is None or other is None or alike(times * one, other, 1e-4)


def _of_whole_heads(copies: Array, heads: int) -> bool:
    """Whether each number takes no more values, beside 0, than heads that are there or not can make of it."""
    return all(len(np.unique(np.round(column[column != 0], 4))) <= 2**heads for column in copies.T)


def on_in_training(title: str, after_norm: str = "", *, small: float = SMALL, optional: bool = False) -> Check:
    """In training dropout acts, survivors are scaled up, and the residual path is not dropped.

    All sublayers are made small, so that the block is nearly linear in them: then the mean over many copies must move
    as far from the block without sublayers as evaluation does. With ``optional`` a block without dropout is right.
    """

    def ask(subject: Subject) -> Mapping[str, Steps]:
        making = subject.making
        return {
            "train": (*_with(subject, small, train=True), making.call(_inputs(subject, small, COPIES))),
            "small": (*_with(subject, small), making.call(_inputs(subject, small))),
            "empty": (*_with(subject, 0.0), making.call(_inputs(subject, 0.0))),
            "still": (*_with(subject, small, train=True, rate=0.0), making.call(_inputs(subject, small, FEW_COPIES))),
            **_constant(subject),
        }

    def judge(subject: Subject) -> Outcome:
        if (said := _said_elsewhere(subject)) is not None:
            return said
        for key in ("train", "small", "empty"):
            if subject.replies[key].status != "value":
                return subject.failure(subject.replies[key])
        shape = subject.shape(subject.cases[0])
        many = _array(subject, "train", (shape[0] * COPIES, *shape[1:]))
        weak, empty = (_array(subject, key, shape) for key in ("small", "empty"))
        if many is None or weak is None or empty is None:
            return finding(Verdict.FAILED, "returns something else in training mode than in evaluation mode")
        many = many.reshape(COPIES, *shape)
        if optional and _quiet(many):
            return replace(PASSED, notes=("The rate is taken and nothing is dropped",))
        if subject.making.said.get("dropout_place") == "free" and not _quiet(many):
            return _unscaled(subject, many, weak) or _ignored(subject, many) or PASSED
        found = _trained(subject, many, weak, empty, after_norm)
        return found if found.verdict is not Verdict.PASSED else _misplaced(subject, many) or found

    return Check(
        "dropout_in_training",
        title,
        ask,
        judge,
        "nn.Dropout and F.dropout(…, training=self.training) scale the survivors by 1 / (1 - p).",
        needs=_drops,
        manner=True,
    )


def _trained(subject: Subject, many: Array, small: Array, empty: Array, after_norm: str) -> Outcome:
    if _quiet(many):
        return subject.failed(f"with a rate of {RATE} nothing is dropped in training mode", "dropout-never-applied")
    if after_norm and not _no_residual(subject) and (message := _sum_dropped(subject, many, small, empty)):
        after = bool((many == 0).mean() > RATE / 3)
        # Beside another mistake the draws may move the output for its sake.
        named = after_norm if after else "enc-residual-dropped" if subject.fault is None else ""
        return subject.failed(message, named)
    around = {"encoder_layer", "decoder_layer", "add_norm", "layer_norm"}
    # Copies are draws of one sample where samples are apart, and of what is nearly linear in its sublayers.
    if (
        _mixes_samples(subject)
        or subject.reading is None
        or (subject.fault is not None and around & {part.component for part in subject.fault.parts or (subject.fault,)})
    ):
        return PASSED
    step, moved = small - empty, many.mean(axis=0) - empty
    length = float((step * step).sum())
    if length < 1e-10:  # noqa: PLR2004 - nothing moves, nothing can be said
        return PASSED
    ratio = float((moved * step).sum()) / length
    if abs(ratio - 1) > 0.25:  # noqa: PLR2004 - without rescaling it is 1 - rate = 0.5, or less
        return subject.failed(
            f"on average dropout changes the sublayers' share to {ratio:.2f} of its size; expected 1",
            "dropout-no-rescaling",
        )
    return PASSED


def _mixes_samples(subject: Subject) -> bool:
    """Whether samples affect one another; where a softmax runs over the batch, their order does not show it."""
    knobs = {} if subject.fault is None else subject.fault.knobs
    return knobs.get("sdpa.axis") in {0, "everything"} or not samples_apart(subject)


def _no_residual(subject: Subject) -> bool:
    """Whether another check says that the residual path is wrong: its draws then show in all that comes out."""
    return subject.fault is not None and any(".residual." in name for name in subject.fault.knobs)


def _constant(subject: Subject) -> Mapping[str, Steps]:
    """Ask in training with a sublayer among the arguments that gives the same whatever it gets."""
    given = _inputs(subject, 1.0, FEW_COPIES)
    for name, value in given.items():
        if isinstance(value, Sublayer):
            constant = {**given, name: Sublayer(0 * value.weight, np.ones_like(value.bias) + value.bias)}
            return {"constant": (*_with(subject, 1.0, train=True), subject.making.call(constant))}
    return {}


def _misplaced(subject: Subject, many: Array) -> Outcome | None:
    """The finding where dropout acts, and acts elsewhere or by another rate; None where nothing says so."""
    shape = subject.shape(subject.cases[0])
    few = (shape[0] * FEW_COPIES, *shape[1:])
    if "constant" in subject.replies and subject.replies["constant"].status == "value":
        constant = _array(subject, "constant", few)
        if constant is not None and _quiet(constant.reshape(FEW_COPIES, *shape)):
            return subject.failed(
                "with a sublayer that gives the same whatever it gets, nothing is dropped in training mode",
                "dropout-on-the-sublayers-input",
            )
    return _ignored(subject, many)


def _unscaled(subject: Subject, many: Array, small: Array) -> Outcome | None:
    """The finding where the output itself is dropped, and what is kept of it is no larger than without dropout."""
    kept = many[many != 0]
    size = float(np.sqrt((kept**2).mean() / (small**2).mean()))
    if (many == 0).mean() < RATE / 3 or size > SURVIVORS:
        return None
    return subject.failed(
        f"what dropout keeps of the output is {size:.2f} times as large as in evaluation mode; expected {1 / RATE:.0f}",
        "dropout-no-rescaling",
    )


def _ignored(subject: Subject, many: Array) -> Outcome | None:
    """The finding where dropout acts by another rate; None where nothing says so."""
    shape = subject.shape(subject.cases[0])
    few = (shape[0] * FEW_COPIES, *shape[1:])
    still = _array(subject, "still", few) if subject.replies["still"].status == "value" else None
    if still is None or not subject.steady:
        return None
    moved, anyway = (float(copies.std(axis=0).mean()) for copies in (many, still.reshape(FEW_COPIES, *shape)))
    if anyway > IGNORED * moved:
        return subject.failed(
            f"in training mode the draws change the output as much without a rate as with a rate of {RATE}",
            "dropout-rate-ignored",
        )
    return None


def _sum_dropped(subject: Subject, many: Array, small: Array, empty: Array) -> str:
    """Say how the residual path is dropped with the sublayer; empty where it is not.

    Where only a small sublayer is dropped, the draws move the output about as far as the whole of it does (1.4 times
    over the samples); where the sum is, they move it by the input as well (6 times).
    """
    if float((many == 0).mean()) > RATE / 3:
        return (
            f"{(many == 0).mean():.0%} of the output's entries are exactly 0 in training mode: "
            "the sum of residual and sublayer is dropped, not the sublayer alone"
        )
    step = float(np.sqrt(((small - empty) ** 2).mean()))
    moved = float(np.sqrt(((many - empty) ** 2).mean()))
    if subject.reading is not None and moved > 4 * max(step, SMALL / 1000):
        return "with a small sublayer the draws still change the whole output: the residual path is dropped as well"
    return ""


def _quiet(many: Array) -> bool:
    """Whether all copies came out alike."""
    return alike(many, np.broadcast_to(many[:1], many.shape), 1e-5)


def _array(subject: Subject, key: str, shape: tuple[int, ...]) -> Array | None:
    array = getattr(subject.read(subject.replies[key].values[-1], shape), "array", None)
    return array.astype(np.float64) if isinstance(array, np.ndarray) and array.shape == shape else None


def _with(subject: Subject, factor: float, *, train: bool = False, rate: float = RATE) -> Steps:
    """Build with the matrices of the sublayers made small and without their biases; norms keep theirs."""
    norms = {name for operation in subject.material.operations if operation.kind == "N" for name in operation.tensors}
    values: dict[str, Any] = {}
    for name, array in subject.values.items():
        kind = kind_of(subject.tensors[name], subject.sizes)
        scaled = array * np.float32(0.0 if kind == "v" else factor)
        values[name] = array if name in norms or kind not in "AFv" else scaled.astype(np.float32)
    steps = prepared(subject.making, values, lazy=subject.lazy, train=train, dropout=rate)
    seed: Step = {"do": "seed", "value": 11}
    return (*steps, seed) if train else steps


def _inputs(subject: Subject, factor: float, copies: int = 1) -> Mapping[str, Any]:
    """The first case with its samples repeated, and a sublayer among the arguments made small."""
    given: dict[str, Any] = {}
    for name, value in subject.cases[0].inputs.items():
        if isinstance(value, Sublayer):
            scale = np.float32(factor / 3)
            given[name] = Sublayer(value.weight * scale, value.bias * scale)
        elif isinstance(value, np.ndarray) and "mask" not in name:
            made = value * (factor / 3) if name == "update" else value  # what a sublayer has made of x
            given[name] = np.tile(made, (copies, *[1] * (value.ndim - 1)))
        else:
            given[name] = None  # a mask that is asked for always is made for as many samples as there are
    return given


def both(title: str, after_norm: str = "", *, small: float = SMALL, optional: bool = False) -> tuple[Check, Check]:
    """The two checks of a block that takes a rate."""
    return off_in_evaluation(), on_in_training(title, after_norm, small=small, optional=optional)


def on_sublayers(*, optional: bool = False) -> tuple[Check, Check]:
    """The two checks of a layer or stack: what each sublayer gives is dropped before it is added (section 5.4)."""
    title = "Dropout acts on the sublayers' outputs in training, and leaves the residual path alone"
    return both(title, "enc-dropout-after-norm", optional=optional)
