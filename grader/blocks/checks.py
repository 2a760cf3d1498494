"""Checks that every block has: equality with the paper, masks, dtypes, memory, gradient, registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.blocks.examine import BlockCheck
from grader.blocks.explain import about_masks
from grader.blocks.parts import Knobs
from grader.blocks.programs import Steps
from grader.blocks.subject import PASSED, Case, Finding, Subject, same
from grader.blocks.weights import Array
from grader.model import Diagnosis, Verdict
from grader.properties import Comparison, near, unchanged
from grader.sandbox.parent import Reply

_MATRIX_FUNCTIONS = ("linear", "matmul", "mm", "bmm", "einsum", "embedding", "conv", "dot", "addmm")


def case_steps(subject: Subject, case: Case) -> Steps:
    """Build the module and call it: on the inputs, then with hidden and with shown keys changed."""
    more = [changed[0] for changed in (case.blocked, case.kept) if changed is not None]
    return (*subject.prepared(**case.changes), *(subject.making.call(inputs) for inputs in (case.inputs, *more)))


def _cases(keys: Sequence[str]) -> Callable[[Subject], Mapping[str, Steps]]:
    def ask(subject: Subject) -> Mapping[str, Steps]:
        return {f"case:{key}": case_steps(subject, subject.case(key)) for key in keys}
    return ask


Owns = Callable[[str, Any], bool]


def equality(name: str, title: str, keys: Sequence[str], detail: str = "", *, masks: bool = False, convention: str = "",
             owns: Owns | None = None, unread: Callable[[Subject], Finding] | None = None) -> BlockCheck:
    """The module gives what the paper gives, under the reading that was found.

    A mistake that another check pays for is left in what is expected: ``owns(knob, setting)`` says which this one pays for;
    by default those about masks where ``masks`` is set, and all others where it is not.
    ``unread`` judges where no reading was found.
    """
    mine: Owns = owns or (lambda knob, _: about_masks(knob) == masks)

    def judge(subject: Subject) -> Finding:
        if unread is not None and subject.reading is None:
            return unread(subject)
        findings = [_equal(subject, subject.case(key), name, mine, masks=masks) for key in keys]
        worst = next((found for found in findings if found.verdict is not Verdict.PASSED), PASSED)
        return replace(worst, passed=sum(found.verdict is Verdict.PASSED for found in findings), asked=len(findings))
    return BlockCheck(name, title, _cases(keys), judge, detail, convention)


def _equal(subject: Subject, case: Case, check: str, mine: Owns, *, masks: bool) -> Finding:
    reply = subject.replies[f"case:{case.key}"]
    if reply.status != "value":
        return _paid_elsewhere(subject, check) or subject.failure(reply)
    shape = subject.shape(case)
    got = subject.output(reply, shape)
    if subject.reading is None:
        return _unread(subject, case, got, shape, masks=masks)
    turned = subject.fault.knobs if subject.fault is not None else {}
    kept = {name: setting for name, setting in turned.items() if not mine(name, setting)}
    expected = _computed(subject, case, {**subject.reading.knobs, **kept})
    if expected is None and subject.fault is not None:  # the paper needs weights that this module does not have
        explained = _computed(subject, case, {**subject.reading.knobs, **turned})
        if masks and explained is not None and same(got, explained):
            return PASSED
        return _paid_elsewhere(subject, check) or Finding(Verdict.FAILED, subject.fault.title, diagnosis=_diagnosis(subject))
    result = same(got, expected if expected is not None else np.full(shape, np.nan))
    if result:
        return PASSED
    if subject.fault is None:
        return Finding(Verdict.FAILED, result.message, counterexample=subject.shown(case, result))
    return _paid_elsewhere(subject, check) or Finding(
        Verdict.FAILED, result.message, counterexample=subject.shown(case, result), diagnosis=_diagnosis(subject))


def _computed(subject: Subject, case: Case, knobs: Knobs) -> Array | None:
    """What a computation gives under the reading, or None where the reading has not the weights for it."""
    try:
        return subject.expected(case, knobs)
    except (ValueError, IndexError, KeyError):
        return None


def _diagnosis(subject: Subject) -> Diagnosis | None:
    return None if subject.fault is None else subject.fault.diagnosis("reproduces every answer of this code", subject.family)


def _paid_elsewhere(subject: Subject, check: str) -> Finding | None:
    """Nothing is lost here where one check alone pays for a convention kept the other way round."""
    if subject.fault is None or subject.fault.pays in {"", check}:
        return None
    return replace(PASSED, notes=(f"judged under the convention that you keep ({subject.fault.title.rstrip('.')})",))


def _unread(subject: Subject, case: Case, got: Any, shape: tuple[int, ...], *, masks: bool) -> Finding:
    """No reading reproduces the module: properties decide what can be decided."""
    zeros = np.zeros(shape)
    form = same(got, zeros)
    array = getattr(got, "array", got)
    if form.max_error is None and not form:  # another shape, type or device, or not a number
        return Finding(Verdict.FAILED, form.message, counterexample=subject.shown(case, form))
    if not _steady(subject):
        return Finding(Verdict.FAILED, "two calls with one input give different answers, so it computes no function of its input",
                       diagnosis=random_sign(subject))
    if masks:
        return mask_property(subject, case, array)
    broken = subject.block.broken(subject)
    if broken is not None:
        return broken
    if subject.complete:
        return Finding(Verdict.FAILED, "no way to take your parameters as those of the paper gives your output, and no known "
                       "mistake does", counterexample=subject.shown(case, Comparison(False, "", "another array", array)))
    return Finding(Verdict.UNDETERMINED, "your parameters could not be matched with those of the paper, and what can be checked "
                   "without that is right: a person has to look")


def mask_property(subject: Subject, case: Case, first: Array) -> Finding:
    """What the mask hides does not matter, and what it shows does."""
    reply = subject.replies[f"case:{case.key}"]
    shape, call = subject.shape(case), 0
    for changed, must_move, text in ((case.blocked, False, "changing what the mask hides changes the output"),
                                     (case.kept, True, "changing what the mask shows changes nothing")):
        if changed is None:
            continue
        call, rows = call + 1, changed[1]
        other = subject.output(reply, shape, call)
        array = getattr(other, "array", other)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            return Finding(Verdict.FAILED, "the shape of the output depends on the values of the input")
        moved = float(np.max(np.abs(array[rows] - first[rows]), initial=0.0)) > 1e-4 * max(float(np.abs(first).max()), 1e-3)
        if moved != must_move:
            return Finding(Verdict.FAILED, text, counterexample=subject.shown(case, Comparison(False, text, first, array)),
                           diagnosis=None)
    return PASSED


def random_sign(subject: Subject) -> Any:
    """Which mistake makes answers random in evaluation."""
    whole = 4 * subject.sizes.d_model**2
    used = {t for operation in subject.material.operations if operation.kind == "A" for t in operation.tensors}
    sizes = sum(subject.tensors[name].size for name in used if subject.tensors[name].size >= subject.sizes.d_model * subject.sizes.d_k)
    attends = max(1, sum(operation.kind == "A" for operation in subject.material.operations))
    return subject.block.sign("mha-linear-created-in-forward" if sizes < whole * attends and used else "dropout-active-in-eval")


# -------------------------------------------------------------------------------- what holds whatever it computes


def _first(subject: Subject) -> tuple[Case, Reply]:
    case = subject.cases[0]
    return case, subject.replies[f"case:{case.key}"]


UNREGISTERED = replace(PASSED, notes=("not judged: some of the module's layers are not registered, which another check says",))


def like_before(name: str, title: str, key: str, steps: Callable[[Subject], Steps], detail: str = "") -> BlockCheck:
    """Another way of making the first call gives the same answer as the first call did."""
    def ask(subject: Subject) -> Mapping[str, Steps]:
        return {key: steps(subject), **_cases([subject.cases[0].key])(subject)}

    def judge(subject: Subject) -> Finding:
        case, base = _first(subject)
        reply = subject.replies[key]
        if subject.unregistered and key in {"float64", "rate"}:
            return UNREGISTERED
        if reply.status != "value":
            found = subject.failure(reply)
            return found if _steady(subject) or found.diagnosis else replace(found, diagnosis=random_sign(subject))
        if base.status != "value":
            return subject.failure(base)
        shape = subject.shape(case)
        first = getattr(subject.output(base, shape), "array", None)
        value = reply.values[-1]
        value = subject.output(replace(reply, values=(None,) * subject.preparation + (value,)), shape)
        if first is None or first.dtype.kind != "f":
            return Finding(Verdict.FAILED, same(subject.output(base, shape), np.zeros(shape)).message)
        result = near(value, first.astype(np.float64), dtype=np.dtype(np.float32))
        return PASSED if result else Finding(Verdict.FAILED, result.message, counterexample=subject.shown(case, result),
                                             diagnosis=random_sign(subject) if not _steady(subject) else None)
    return BlockCheck(name, title, ask, judge, detail)


def _steady(subject: Subject) -> bool:
    again = subject.replies.get("again")
    return again is None or again.status != "value" or _repeats(subject, again)


def double_precision() -> BlockCheck:
    """float64 modules and inputs work as float32 ones do."""
    return like_before("works_in_float64", "Works in float64 as in float32", "float64", lambda subject: (
        *subject.prepared(), {"do": "move", "on": "module", "dtype": "float64"},
        subject.making.call(subject.cases[0].inputs, dtype="float64")),
        "Tables, masks and constants made inside the module have to follow the type of its parameters.")


def strided() -> BlockCheck:
    """Inputs whose memory lies in another order work."""
    return like_before("takes_any_memory_order", "Takes inputs that are not contiguous in memory", "strided", lambda subject: (
        *subject.prepared(), subject.making.call(subject.cases[0].inputs, contiguous=False)),
        "A transposed tensor is not contiguous; view() refuses it, reshape() does not.")


def repeatable() -> BlockCheck:
    """Two calls in evaluation mode agree."""
    def ask(subject: Subject) -> Mapping[str, Steps]:
        call = subject.making.call(subject.cases[0].inputs)
        return {"again": (*subject.prepared(), call, call)}

    def judge(subject: Subject) -> Finding:
        reply = subject.replies["again"]
        if reply.status != "value":
            return subject.failure(reply)
        if _repeats(subject, reply):
            return PASSED
        return Finding(Verdict.FAILED, "two calls with one input give different answers in eval mode", diagnosis=random_sign(subject))
    return BlockCheck("repeats_itself", "Gives the same answer twice in evaluation mode", ask, judge)


def _repeats(subject: Subject, reply: Reply) -> bool:
    shape = subject.shape(subject.cases[0])
    one, other = (getattr(subject.output(reply, shape, call), "array", None) for call in (0, 1))
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return True
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True))


def inputs_alone() -> BlockCheck:
    """The caller's tensors are the same after the call."""
    def ask(subject: Subject) -> Mapping[str, Steps]:
        making, case = subject.making, subject.cases[0]
        arrays = [name for name, value in case.inputs.items() if isinstance(value, np.ndarray) and name in making.parameters]
        lets = tuple({"do": "let", "as": f"in_{name}", "value": making.node(case.inputs[name])} for name in arrays)
        call = making.call(case.inputs, stored={name: f"in_{name}" for name in arrays}, quiet=True)
        gets = tuple({"do": "get", "name": f"in_{name}"} for name in arrays)
        return {"watched": (*subject.prepared(), *lets, call, *gets)}

    def judge(subject: Subject) -> Finding:
        reply, case = subject.replies["watched"], subject.cases[0]
        if reply.status != "value":
            return subject.failure(reply)
        arrays = [name for name, value in case.inputs.items() if isinstance(value, np.ndarray) and name in subject.making.parameters]
        for name, after in zip(arrays, reply.values[-len(arrays):], strict=True):
            before = subject.making.node(case.inputs[name])["array"]
            result = unchanged(after, before, name)
            if not result:
                return Finding(Verdict.FAILED, result.message, counterexample=subject.shown(case, result),
                               diagnosis=subject.block.sign("encoder-inplace-residual") if name in {"x", "src", "tgt"} else
                               subject.block.sign("sdpa-scales-query-in-place") if name == "query" else None)
        return PASSED
    return BlockCheck("leaves_inputs_alone", "Leaves the caller's tensors as they were", ask, judge,
                      "An in-place operator such as += on an argument changes the caller's tensor, and may break the backward pass.")


def gradient() -> BlockCheck:
    """A backward pass reaches every parameter that the forward pass uses."""
    def ask(subject: Subject) -> Mapping[str, Steps]:
        case = subject.cases[0]
        shape = subject.shape(case)
        seed = np.random.default_rng(3).normal(size=shape).astype(np.float32)
        if subject.making.sequence_first and len(shape) > 1:
            seed = np.ascontiguousarray(np.swapaxes(seed, 0, 1))
        call = subject.making.call(case.inputs, **{"as": "out", "grad": True})
        return {"gradient": (*subject.prepared(), call, {"do": "gradient", "of": "out", "on": "module", "inputs": [], "seed_array": seed})}

    def judge(subject: Subject) -> Finding:
        reply = subject.replies["gradient"]
        if reply.status != "value":
            return _no_backward(subject, reply)
        found = reply.values[-1]["parameters"]
        used = [name for name in subject.used() if subject.tensors[name].name in found or not subject.tensors[name].trained]
        dead = [name for name in used if found.get(name) is None or not np.isfinite(found[name]).all()
                or (len(subject.tensors[name].shape) > 1 and not np.any(found[name]))]
        if dead and subject.fault is not None and len(dead) < len(used):
            return replace(PASSED, notes=(f"part of what another check says ({subject.fault.title.rstrip('.')})",))
        if dead:
            return Finding(Verdict.FAILED, f"no gradient reaches {', '.join(dead[:4])}{' …' if len(dead) > 4 else ''}",
                           len(used) - len(dead), len(used))
        return PASSED
    return BlockCheck("gradient_reaches_parameters", "A backward pass reaches every parameter in use", ask, judge,
                      "detach(), .data, no_grad() and numpy in between cut the way of the gradient.")


def _no_backward(subject: Subject, reply: Reply) -> Finding:
    text = reply.failure.message if reply.failure is not None else ""
    if "does not require grad" in text:
        return Finding(Verdict.FAILED, "the output does not depend on the parameters in a way that torch can differentiate")
    found = subject.failure(reply)
    if "inplace" in text.replace("-", ""):
        return replace(found, diagnosis=found.diagnosis or subject.block.sign("encoder-inplace-residual"))
    return found


def registered(sign: str = "weights-not-registered") -> BlockCheck:
    """Everything that is learned is a registered parameter."""
    def ask(subject: Subject) -> Mapping[str, Steps]:  # noqa: ARG001 - the inventory is there already
        return {}

    def judge(subject: Subject) -> Finding:
        hidden = {row["name"] for row in subject.inventory.get("hidden", ())}
        lost = [name for name in subject.used() if name in hidden]
        if lost:
            place = subject.inventory["unregistered"][0] if subject.inventory["unregistered"] else lost[0]
            return Finding(Verdict.FAILED, f"{len(lost)} tensors under `{place}` are no parameters of the module: a plain list or dict "
                           "hides modules from parameters(), to() and eval()", diagnosis=subject.block.sign(sign))
        loose = [name for name, function in subject.uses if name in subject.inventory["loose"] and function in _MATRIX_FUNCTIONS]
        if loose:
            return Finding(Verdict.FAILED, f"`{loose[0]}` is a plain tensor and no nn.Parameter: the optimiser will never see it",
                           diagnosis=subject.block.sign("weights-not-registered"))
        frozen = [name for name in subject.used() if not subject.tensors[name].trained and name not in subject.block.may_be_frozen(subject)]
        if frozen:
            return Finding(Verdict.FAILED, f"`{frozen[0]}` does not require a gradient, so it is never learned")
        return PASSED
    return BlockCheck("parameters_are_registered", "Everything learned is a registered parameter", ask, judge)


def own_parameters(title: str, name_of: Callable[[str, str], str]) -> BlockCheck:
    """Each sublayer has parameters of its own; ``name_of`` says which mistake two sharing sublayers are."""
    def judge(subject: Subject) -> Finding:
        shared = subject.reading.shared if subject.reading is not None else ()
        repeated = subject.inventory.get("repeated", ())
        if shared:
            one, other = shared[0]
            return Finding(Verdict.FAILED, f"{_words(one)} and {_words(other)} use the same parameters",
                           diagnosis=subject.block.sign(name_of(one, other), "the parameters are the same objects"))
        if subject.reading is None and any(_layer_like(subject, one) for one, _ in repeated):
            one, other = next(pair for pair in repeated if _layer_like(subject, pair[0]))
            return Finding(Verdict.FAILED, f"`{one}` and `{other}` are one module", diagnosis=subject.block.sign(name_of("layer_1", "layer_2")))
        return PASSED
    return BlockCheck("own_parameters", title, lambda subject: {}, judge)  # noqa: ARG005 - asks nothing of its own


def _layer_like(subject: Subject, path: str) -> bool:
    return any(tensor.owner.startswith(f"{path}.") for tensor in subject.tensors.values())


def _words(prefix: str) -> str:
    return prefix.replace("_", " ").replace(".", ", ")


def bundle(*groups: Sequence[BlockCheck] | BlockCheck) -> tuple[BlockCheck, ...]:
    """Flatten checks and groups of them."""
    return tuple(check for group in groups for check in ([group] if isinstance(group, BlockCheck) else group))
