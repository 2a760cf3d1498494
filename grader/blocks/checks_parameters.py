"""Checks of a module's parameters: gradient, registration, and that no two sublayers share theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from grader import exceptions, source
from grader.blocks import checks_slope
from grader.blocks.programs import Steps, of_torch
from grader.blocks.reading import MATRIX_FUNCTIONS
from grader.component.checks import Check, Misconception
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import By, Location, Outcome, Verdict
from grader.paper.weights import Array
from grader.sandbox.plain import Reply

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

_SHOWN = 4
_CUTS = re.compile(
    r"detach|\.data\b|no_grad|inference_mode|set_grad|requires_grad|numpy|\bnp\.|item\(|tolist|tensor\(|as_tensor"
    r"|\b(round|floor|sign)_?\(|argmax|one_hot|\.(int|long|bool)\(|autograd"
)
"""What takes a tensor out of the graph; without any of it a part is merely not used, which is another mistake."""
_STEPS = re.compile(r"\b(round|floor|ceil|sign)_?\(")
"""What lets a gradient of 0 through."""
_UNLEARNED: Mapping[str, tuple[str, list[str]]] = {
    "ln-missing-affine": ("gain and shift", ["gain", "shift"]),
    "ln-missing-gain": ("gain", ["gain"]),
    "ln-missing-shift": ("shift", ["shift"]),
}


def gradient() -> Check:
    """A backward pass reaches every parameter that the forward pass uses."""
    return Check(
        "gradient_reaches_parameters",
        "A backward pass reaches every parameter in use",
        lambda subject: {**_backward_from_noise(subject), **checks_slope.asked(subject)},
        _judged,
        "detach(), .data, no_grad() and numpy in between cut the way of the gradient.",
        needs=of_torch,
        manner=True,
    )


def backward(subject: Subject, seed: Array) -> Steps:
    """Run the first case forwards, and backwards from ``seed``, which has the shape of the module's output."""
    call = {**subject.making.call(subject.cases[0].inputs), "as": "out", "grad": True}
    seed = seed.reshape(-1, seed.shape[-1]) if subject.making.said.get("flat") else seed
    return (
        *subject.prepared(),
        call,
        {"do": "gradient", "of": "out", "on": "module", "inputs": [], "seed_array": seed},
    )


def _backward_from_noise(subject: Subject) -> Mapping[str, Steps]:
    shape = subject.shape(subject.cases[0])
    seed = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    if subject.making.sequence_first and len(shape) > 1:
        seed = np.ascontiguousarray(np.swapaxes(seed, 0, 1))
    return {"gradient": backward(subject, seed)}


def _judged(subject: Subject) -> Outcome:
    """Whether the gradient reaches what is learned, and is that of the answer."""
    found = _all_reached(subject)
    return found if found.verdict is not Verdict.PASSED or found.notes else checks_slope.another(subject) or found


def _all_reached(subject: Subject) -> Outcome:
    """Whether each parameter in use got a gradient that is finite and, for a matrix, not all zero."""
    reply = subject.replies["gradient"]
    if reply.status != "value":
        return _no_backward(subject, reply)
    found = reply.values[-1]["parameters"]
    fixed = subject.may_be_frozen
    used = [
        name
        for name in subject.used()
        if name not in fixed | subject.unlearned and (name in found or not subject.tensors[name].trained)
    ]
    dead = [
        name
        for name in used
        if found.get(name) is None
        or not np.isfinite(found[name]).all()
        or (len(subject.tensors[name].shape) > 1 and not np.any(found[name]))
    ]
    if dead and any(array is not None and not np.isfinite(array).all() for array in found.values()):
        return replace(PASSED, notes=("Not judged: answers are not finite, which another check says",))
    if dead and subject.fault is not None and len(dead) < len(used):
        return replace(PASSED, notes=(_said_by(subject.fault),))
    if dead:
        flat = all(found.get(name) is not None for name in dead)
        return subject.failed(
            f"no gradient reaches {', '.join(dead[:_SHOWN])}{' …' if len(dead) > _SHOWN else ''}",
            "gradient-cut" if _may_cut(subject.source, flat=flat) else "",
            passed=len(used) - len(dead),
            asked=len(used),
        )
    return _some_idle(subject, found) or PASSED


def _said_by(fault: Misconception) -> str:
    """The note that a check loses nothing for what a mistake does that another one names."""
    return f"Part of what another check says ({fault.title.rstrip('.')})"


def _some_idle(subject: Subject, found: Mapping[str, Array | None]) -> Outcome | None:
    """The finding where a part of what is learned takes no part."""
    if row := _row_left_out(subject, found):
        return subject.failed(f"no gradient reaches {row}, although its position is used", "table-row-never-learned")
    if idle := _lost_bias(subject):
        used = len(subject.used())
        return finding(Verdict.FAILED, f"`{idle}` is a parameter and takes no part in the answer", used, used + 1)
    return None


def _row_left_out(subject: Subject, gradients: Mapping[str, Array | None]) -> str:
    """A row of a learned table of positions that is used and gets no gradient; empty where there is none."""
    if subject.block.name != "learned_positional_encoding" or subject.fault is not None or subject.reading is None:
        return ""
    sizes = subject.sizes
    length = subject.shape(subject.cases[0])[1]
    for name in subject.used():
        gradient = gradients.get(name)
        rows = None if gradient is None else gradient.reshape(-1, gradient.shape[-1])
        if rows is not None and rows.shape == (sizes.max_len, sizes.d_model):
            empty = np.flatnonzero(~rows[:length].any(axis=-1))
            if empty.size:
                return f"row {empty[0]} of `{name}`"
    return ""


def _may_cut(source: str, *, flat: bool) -> bool:
    """Whether the source holds anything that cuts; without a source nobody knows.

    A gradient that is there and 0 everywhere, which is ``flat``, comes through steps alone, or from a weight that makes
    no difference, such as a softmax over a single key.
    """
    return not source or (_STEPS if flat else _CUTS).search(source) is not None


def _lost_bias(subject: Subject) -> str:
    """A vector that is declared and not used, where the paper's equation has a bias that the module lacks.

    A norm that is declared and not used holds vectors of that size, too: a bias stands beside what is used.
    """
    if subject.reading is None or subject.fault is not None:
        return ""
    roles, shapes = subject.reading.roles, subject.block.shapes(subject.sizes)
    lacking = [
        shape[0]
        for role, shape in shapes.items()
        if role not in roles and role.rpartition(".")[2].startswith("b_") and _matrix_of(role) in roles
    ]
    return next(
        (
            name
            for name, tensor in subject.tensors.items()
            if name not in subject.used() and tensor.trained and tensor.shape in {(size,) for size in lacking}
            if any(used.startswith(name[: name.rfind(".") + 1]) for used in subject.used())
        ),
        "",
    )


def _matrix_of(bias: str) -> str:
    path, _, leaf = bias.rpartition(".")
    return f"{path}.{leaf.replace('b_', 'w_', 1)}" if path else leaf.replace("b_", "w_", 1)


def _no_backward(subject: Subject, reply: Reply) -> Outcome:
    kind = exceptions.kind(reply.failure.message) if reply.failure is not None else ""
    if kind == "no_gradient" and subject.unlearned:
        return replace(PASSED, notes=("Not judged: the weights are no parameters, which another check says",))
    if kind == "no_gradient" and subject.fault is not None and not subject.used():
        return replace(PASSED, notes=(_said_by(subject.fault),))
    if kind == "no_gradient":
        return finding(
            Verdict.FAILED, "the output does not depend on the parameters in a way that torch can differentiate"
        )
    found = subject.failure(reply)
    if kind in {"in_place_gradient", "in_place_leaf"}:
        return replace(found, diagnosis=found.diagnosis or subject.block.sign("encoder-inplace-residual"))
    return found


def registered(sign: str = "weights-not-registered", *, norms: bool = False) -> Check:
    """Everything that is learned is a registered parameter; with ``norms``, a gain and a shift of each norm too."""

    def ask(subject: Subject) -> Mapping[str, Steps]:  # noqa: ARG001 - the inventory is there already
        return {}

    def judge(subject: Subject) -> Outcome:
        hidden = {row["name"] for row in subject.inventory.get("hidden", ())}
        lost = [name for name in subject.used() if name in hidden]
        if lost:
            place = subject.inventory["unregistered"][0] if subject.inventory["unregistered"] else lost[0]
            return subject.failed(
                f"{len(lost)} tensors under `{place}` are no parameters of the module: a plain list or dict "
                "hides modules from parameters(), to() and eval()",
                sign,
                location=_made_at(subject, place),
            )
        loose = [name for name, function in subject.uses if name in subject.loose and function in MATRIX_FUNCTIONS]
        loose += [name for name in subject.used() if name in subject.unlearned]
        if loose:
            kept = "plain tensor" if loose[0] in subject.loose else "buffer"
            return finding(
                Verdict.FAILED,
                f"`{loose[0]}` is a {kept} and no nn.Parameter: the optimiser will never see it",
                location=_made_at(subject, loose[0]),
                diagnosis=(subject.block.sign("lpe-fixed-table") if kept == "buffer" else None)
                or subject.block.sign("weights-not-registered"),
            )
        frozen = [
            name for name in subject.used() if not subject.tensors[name].trained and name not in subject.may_be_frozen
        ]
        if frozen:
            text = f"`{frozen[0]}` does not require a gradient, so it is never learned"
            return finding(Verdict.FAILED, text, location=_made_at(subject, frozen[0]))
        return _norms_learn(subject) if norms else PASSED

    title = "Everything learned is a registered parameter"
    return Check("parameters_are_registered", title, ask, judge, needs=of_torch, manner=True)


def _made_at(subject: Subject, path: str) -> Location | None:
    """The line that makes the attribute, where there is one such line."""
    return source.attribute_of_class(subject.context.submission.modules, subject.making.target, path)


def _norms_learn(subject: Subject) -> Outcome:
    """The hand-out's LayerNorm learns a gain and a shift, inside a layer and a stack too."""
    if subject.reading is None or "ln.affine" in subject.block.right:
        return PASSED
    norms = _norms(subject)
    named = [] if subject.fault is None else [name for name in subject.fault.ids if name in _UNLEARNED]
    if subject.fault is None:
        missing = [
            leaf
            for leaf in ("gain", "shift")
            if any(np.size(subject.reading.roles.get(f"{norm}.{leaf}", ())) < subject.sizes.d_model for norm in norms)
        ]
        named = [name for name, (_, leaves) in _UNLEARNED.items() if missing and leaves == missing]
    if not named:
        return PASSED
    text = f"a LayerNorm in here has no learned {_UNLEARNED[named[0]][0]} for each feature, as the hand-out's has"
    return subject.failed(text, named[0])


def _norms(subject: Subject) -> list[str]:
    """The norms of every Add & Norm; what stands before or after a stack is free."""
    spare = f"layer_{subject.sizes.num_layers + 1}"
    paths = (role.split(".")[:-1] for role in subject.block.shapes(subject.sizes) if role.endswith(".gain"))
    return [".".join(path) for path in paths if path[-1] not in {"norm", "norm_first"} and spare not in path]


def own_parameters(title: str, name_of: Callable[[str, str], str]) -> Check:
    """Each sublayer has parameters of its own; ``name_of`` says which mistake two sharing sublayers are."""

    def judge(subject: Subject) -> Outcome:
        pairs = subject.reading.shared if subject.reading is not None else ()
        shared = [pair for pair in pairs if name_of(*pair)]
        repeated = subject.inventory.get("repeated", ())
        if shared:
            one, other = shared[0]
            name = name_of(one, other)
            if name == "trf-layers-share-weights" and _others_idle(subject):
                name = "trf-one-layer-called-again"
            return finding(
                Verdict.FAILED,
                f"{_words(one)} and {_words(other)} use the same parameters",
                diagnosis=subject.block.sign(name, By.SHARED),
            )
        if subject.reading is None and any(_matrices(subject, one) for one, _ in repeated):
            one, other = max(repeated, key=lambda pair: len(_matrices(subject, pair[0])))
            layers = _are_layers(subject, one, other)
            return subject.failed(f"`{one}` and `{other}` are one module", "trf-layers-share-weights" if layers else "")
        return PASSED

    return Check("own_parameters", title, lambda subject: {}, judge, manner=True)  # noqa: ARG005 - asks nothing of its own


def _others_idle(subject: Subject) -> bool:
    """Whether a place of a list whose weights take no part stands beside one whose weights do."""
    used = set(subject.used())
    idle = [name for name, tensor in subject.tensors.items() if name not in used and len(tensor.shape) > 1]
    return any(_numbered_alike(name, other) for name in idle for other in used)


def _matrices(subject: Subject, path: str) -> list[int]:
    """The sizes of the matrices below a module."""
    return [
        tensor.size
        for tensor in subject.tensors.values()
        if len(tensor.shape) > 1 and f"{tensor.owner}.".startswith(f"{path}.")
    ]


def _are_layers(subject: Subject, one: str, other: str) -> bool:
    """Whether two paths are places of one list, and what stands there has a network and other matrices."""
    network = subject.sizes.d_model * subject.sizes.d_ff
    return _numbered_alike(one, other) and len({size == network for size in _matrices(subject, one)}) > 1


def _numbered_alike(one: str, other: str) -> bool:
    """Whether two paths differ in one number: the places of a list."""
    pairs = [pair for pair in zip(one.split("."), other.split("."), strict=False) if pair[0] != pair[1]]
    return one.count(".") == other.count(".") and len(pairs) == 1 and all(part.isdigit() for part in pairs[0])


def _words(prefix: str) -> str:
    return prefix.replace("_", " ").replace(".", ", ")
