"""Settle how a module reads: as the paper, or as the paper with a known mistake in it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from grader.blocks import pairs
from grader.blocks.faults import written
from grader.blocks.pairs import about_masks
from grader.blocks.reading import Material
from grader.blocks.regrouping import materials
from grader.blocks.search import Expected, Reading, Search, expected
from grader.blocks.subject import Subject
from grader.component import Case, Misconception, together
from grader.judging.agreement import Raised, attempted, raised_by
from grader.judging.diagnose import MOST_TWINS, singled_out
from grader.paper.sublayers import NONE, Knobs
from grader.paper.weights import Array, Roles
from grader.properties import alike, rows_sum_to_one

PAIR_BUDGET = 1500
FEW, LIKELY = 3, 12
MATRIX_FUNCTIONS = ("linear", "matmul", "mm", "bmm", "einsum", "embedding", "conv", "dot", "addmm")
FAULT_BUDGET = 6000


def settle(subject: Subject) -> None:
    """Fill in ``reading``, ``fault``, ``family`` and ``complete`` of a subject whose cases were answered."""
    if not any(_reply_value(subject, case) for case in subject.cases):
        return
    if not any(numbers(subject, case) for case in subject.cases):
        subject.complete = True  # no way to match parameters makes numbers of what came back
        return
    plain = [case for case in subject.cases if case.plain]
    searches = _searches(subject)
    subject.reading = next((found for search in searches if (found := _right(subject, search, plain))), None)
    if subject.reading is not None:
        if not all(agrees(subject, case, subject.reading, subject.reading.knobs) for case in subject.cases):
            _explain_read(subject, subject.reading)
        return
    subject.complete = _complete(subject, searches[0])
    if not subject.steady:
        return  # no computation explains answers that change
    for search in searches:
        if _explain_unread(subject, search) or (not search.material.by_kind and search.tries > FEW):
            return  # a search that found nothing to try leaves the other one to be made


def first_reading(subject: Subject, free: Sequence[Knobs], most: int, tries: int) -> Reading | None:
    """The first of the settings ``free`` under which the module answers all cases without masks, with its reading.

    ``most`` readings are tried for each, and ``tries`` in all.
    """
    plain = [case for case in subject.cases if case.plain]
    if not any(numbers(subject, case) for case in plain):
        return None
    for search in _searches(subject):
        for settings in free:
            found = next(_agreeing(subject, search, (settings,), NONE, plain, most), None)
            if found is not None or search.tries > tries:
                return found
    return None


def _searches(subject: Subject) -> list[Search]:
    """One search over the order of use, and one over each other way to see what the module is made of."""
    values = {name: array.astype(np.float64) for name, array in subject.values.items()}
    known = re.search(r"class +(Linear|Conv1d)\b", subject.source) is None
    found = materials(subject.material, subject.tensors, subject.sizes)
    return [Search(material, values, subject.sizes, known) for material in found]


def _right(subject: Subject, search: Search, plain: Sequence[Case]) -> Reading | None:
    """The reading under which the module is the paper; of free meanings of a mask the one that it keeps."""
    first = next(_agreeing(subject, search, subject.free, NONE, plain), None)
    if first is None:
        return None
    for settings in subject.free:
        knobs = {**first.knobs, **settings}
        if all(agrees(subject, case, first, knobs) for case in subject.cases):
            return Reading(first.roles, knobs, first.shared)
    return first


def _reply_value(subject: Subject, case: Case) -> bool:
    reply = subject.replies.get(f"case:{case.key}")
    return reply is not None and reply.status == "value"


def numbers(subject: Subject, case: Case) -> bool:
    """Whether an answer is a tensor with numbers in it, of whatever shape; one on the meta device has none."""
    if not _reply_value(subject, case):
        return False
    value = subject.output(subject.replies[f"case:{case.key}"], subject.shape(case))
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or getattr(value, "device", "cpu") != "cpu":
        return False
    return bool(np.isfinite(array).any())


def agrees(subject: Subject, case: Case, reading: Reading, knobs: Knobs) -> bool:
    """Whether a computation under a reading answers a case as the module did, exceptions by their kind."""
    reply = subject.replies[f"case:{case.key}"]
    # What several masks do to a single head hangs on how the shapes meet.
    if (case.may_be_refused and reply.status == "error") or (knobs.get("mha.one_head") and _for_each_head(case)):
        return True
    predicted = _predicted(subject, case, reading, knobs)
    if isinstance(predicted, Raised):
        return raised_by(reply.status, reply.failure) == predicted.kind
    if reply.status != "value":
        return False
    got = subject.output(reply, predicted.shape)
    array = getattr(got, "array", got)
    if not isinstance(array, np.ndarray) or array.shape != predicted.shape or array.dtype.kind != "f":
        return False
    finite = bool(np.isfinite(predicted).all())
    # Where a mistake lets several keys be seen, the weights of huge scores hang on how float32 rounds them.
    rounded = finite and case.key == "steep" and any(about_masks(name) for name in knobs)
    if alike(array, predicted, 1e-2 if rounded else 1e-4):
        return True
    return not finite and _agrees_with_fill(subject, case, reading, knobs, array)


def _for_each_head(case: Case) -> bool:
    """Whether a mask of the case has another pattern for each head."""
    masks = (value for name, value in case.inputs.items() if "mask" in name and isinstance(value, np.ndarray))
    return any(mask.ndim == 4 and mask.shape[1] > 1 for mask in masks)  # noqa: PLR2004 - batch, heads, queries, keys


def _agrees_with_fill(subject: Subject, case: Case, reading: Reading, knobs: Knobs, array: Array) -> bool:
    """The same where blocked scores get a finite number: a softmax over nothing is then uniform, or as if unmasked."""
    if "sdpa.fill" in knobs:
        return False
    fills: tuple[tuple[Knobs, float], ...] = (
        ({"sdpa.fill": -1e9}, 1e-4),
        ({"sdpa.fill": -1e4, "sdpa.mask_time": "lowered"}, 5e-3),  # which float32 rounds to three digits
        ({"sdpa.fill": -1e9, "sdpa.mask_time": "lowered in float32"}, 5e-3),
    )
    close = _partly_alike if case.key == "steep" and not any(about_masks(name) for name in knobs) else alike
    filled = ((_predicted(subject, case, reading, {**fill, **knobs}), tolerance) for fill, tolerance in fills)
    return any(
        not isinstance(value, Raised) and bool(np.isfinite(value).all()) and close(array, value, tolerance)
        for value, tolerance in filled
    )


def _partly_alike(array: Array, predicted: Array, tolerance: float) -> bool:
    """Whether a quarter of the samples are alike, or more: rounding may decide in the others."""
    close = [alike(one, other, max(tolerance, 1e-2)) for one, other in zip(array, predicted, strict=True)]
    return 4 * sum(close) >= len(close)


def _predicted(subject: Subject, case: Case, reading: Reading, knobs: Knobs) -> Any:
    block, roles = subject.block, Roles(reading.roles)
    return attempted(lambda: np.asarray(block.compute(roles, case.inputs, subject.sizes, knobs)))


def _wanted(subject: Subject, knobs: Knobs) -> Expected:
    """What a computation reads, run on the first plain case; most knobs do not change that."""
    turned = {name: setting for name, setting in knobs.items() if any(word in name for word in pairs.STRUCTURAL)}
    key = ("wanted", tuple(sorted((name, str(setting)) for name, setting in turned.items())))
    if key not in subject.cache:
        block = subject.block
        case = next(case for case in subject.cases if case.plain)
        subject.cache[key] = expected(block.compute, block.shapes(subject.sizes), case.inputs, subject.sizes, turned)
    found: Expected = subject.cache[key]
    return found


def _agreeing(
    subject: Subject, search: Search, free: Sequence[Knobs], turned: Knobs, cases: Sequence[Case], most: int = 400
) -> Iterator[Reading]:
    """Yield the readings under which a computation answers all of ``cases`` as the module did."""
    for settings in free:
        knobs = {**settings, **turned}
        wanted = _wanted(subject, knobs)
        for reading in search.readings(wanted, knobs, most):
            search.tries += 1
            if all(agrees(subject, case, reading, knobs) for case in cases):
                yield reading


def _explain_read(subject: Subject, reading: Reading) -> None:
    """The plain cases are right: what is wrong shows only under a mask or the like."""
    faults = [fault for fault in subject.block.faults if fault.knobs]
    singles = (*faults, *written(faults, subject.source))
    matches = [fault for fault in singles if _all_agree(subject, reading, fault)]
    if not matches:
        masked = [fault for fault in faults if any(about_masks(name) for name in fault.knobs)]
        matches = list(
            itertools.islice(
                (pair for pair in pairs.of_masks(masked) if _all_agree(subject, reading, pair)), MOST_TWINS + 1
            )
        )
    _name(subject, matches)


def _all_agree(subject: Subject, reading: Reading, fault: Misconception) -> bool:
    knobs = {**reading.knobs, **fault.knobs}
    ordered = sorted(subject.cases, key=lambda case: case.plain)
    return all(agrees(subject, case, reading, knobs) for case in ordered)


def _explain_unread(subject: Subject, search: Search) -> bool:
    """Try each mistake that reads the weights in the order in which the module does, then two together."""
    faults = [fault for fault in subject.block.faults if fault.knobs]
    # What shows only under a mask does not explain what is wrong without one.
    known = pairs.likeliest_first([fault for fault in faults if not pairs.turns_masks(fault)])
    singles = [*known, *(fault for fault in written(faults, subject.source) if not pairs.turns_masks(fault))]
    matches: list[Misconception] = []
    reading: Reading | None = None
    cost = subject.block.cost
    forms = list({_wanted(subject, knobs): knobs for knobs in reversed(subject.free)}.values())[::-1]
    looser = len(subject.free) > len(forms)
    # Each mistake is tried once under each setting that is right, whatever it costs.
    limit = search.tries + max(FAULT_BUDGET // cost, len(singles) * (5 if looser else 2))
    phases = [(1, forms), (1, subject.free), (FEW, forms), (LIKELY, forms), (10 * LIKELY, forms)]
    for most, free in phases if looser else [phases[0], *phases[2:]]:
        matches, reading = _first_matches(subject, search, singles, limit, most, free)
        if matches:
            break
    causal = [free for free in subject.free if subject.block.causal_alone or any(map(pairs.built_in, free))]
    if causal and not matches:  # one that is causal by itself has a mask where none is given
        masked = [fault for fault in (*faults, *written(faults, subject.source)) if pairs.turns_masks(fault)]
        limit = search.tries + FAULT_BUDGET // cost
        matches, reading = _first_matches(subject, search, masked, limit, FEW, causal)
    if not matches:
        matches, reading = _plain_and_masked(subject, search, faults, forms)
    for common, most in ((True, FEW), (False, 1)):
        if not matches:
            limit = search.tries + PAIR_BUDGET // cost
            found = _two(subject, search, known, common=common)
            matches, reading = _first_matches(subject, search, found, limit, most, forms)
    if reading is None:
        return False
    subject.reading = reading
    _name(subject, matches)
    return bool(matches)


def _two(subject: Subject, search: Search, faults: Sequence[Misconception], *, common: bool) -> Iterator[Misconception]:
    """Two mistakes together that read the weights as the module does."""

    def reads_alike(fault: Misconception) -> bool:
        wanted = _wanted(subject, {**subject.free[0], **fault.knobs})
        return search.material.arranged(wanted.kinds) is not None

    return pairs.of_common(_shown(subject), faults, reads_alike) if common else pairs.of_any(faults, reads_alike)


def _shown(subject: Subject) -> Callable[[Misconception], bool]:
    """What can be seen in an answer whatever else is wrong: rows that sum to 1."""
    case = subject.cases[0]
    array = subject.numbers(subject.replies[f"case:{case.key}"])
    sums = array is not None and array.dtype.kind == "f" and bool(rows_sum_to_one(array))
    return lambda fault: sums and "probabilities" in str(fault.knobs.get("trf.output", ""))


def _plain_and_masked(
    subject: Subject, search: Search, faults: Sequence[Misconception], forms: Sequence[Knobs]
) -> tuple[list[Misconception], Reading | None]:
    """One mistake that explains all that is asked without a mask, and one more that explains the rest."""
    plain = [case for case in subject.cases if case.plain]
    masked = [fault for fault in faults if pairs.turns_masks(fault)]
    for fault in pairs.likeliest_first([fault for fault in faults if fault not in masked]):
        found = next(_agreeing(subject, search, forms, fault.knobs, plain, FEW), None)
        if found is None:
            continue
        reading = _right_beside(subject, found, fault)
        two = (together(fault, other) for other in masked if fault.apart_from(other))
        matches = list(itertools.islice((both for both in two if _all_agree(subject, reading, both)), MOST_TWINS + 1))
        if matches:
            return matches, reading
    return [], None


def _right_beside(subject: Subject, found: Reading, fault: Misconception) -> Reading:
    """The reading with what is right, whatever the mistake makes of it."""
    kept = {name: setting for name, setting in found.knobs.items() if name not in fault.knobs}
    return Reading(found.roles, {**kept, **subject.block.right}, found.shared)


def _first_matches(
    subject: Subject, search: Search, faults: Iterable[Misconception], limit: int, most: int, free: Sequence[Knobs]
) -> tuple[list[Misconception], Reading | None]:
    """Return the first mistake that explains the module, with its twins under the same reading."""
    cases = sorted(subject.cases, key=lambda case: not case.plain)
    rest = iter(faults)
    for fault in rest:
        if search.tries > limit:
            break
        found = next(_agreeing(subject, search, free, fault.knobs, cases, most), None)
        if found is not None:
            reading = _right_beside(subject, found, fault)
            twins = [] if fault.parts else _twins(subject, reading, fault, rest)
            return [fault, *twins], reading
    return [], None


def _twins(
    subject: Subject, reading: Reading, first: Misconception, others: Iterable[Misconception]
) -> list[Misconception]:
    """Other mistakes that read the same weights and give the same answers."""
    wanted = _wanted(subject, {**reading.knobs, **first.knobs})
    alike = (other for other in others if _wanted(subject, {**reading.knobs, **other.knobs}) == wanted)
    return list(itertools.islice((other for other in alike if _all_agree(subject, reading, other)), MOST_TWINS))


def _name(subject: Subject, matches: Sequence[Misconception]) -> None:
    """One mistake is the diagnosis; twins that the source does not tell apart are a family."""
    if found := singled_out(matches, subject.source):
        subject.fault, subject.family = found[0], tuple(fault.ids for fault in found[1:])


def _complete(subject: Subject, search: Search) -> bool:
    """Whether every reading was tried, or none can be right: some weights that the paper needs take no part.

    Not where tensors of an unknown form, or such as are no parameters, take part as weights.
    """
    if any(not function for _, function in subject.uses):
        return False  # the module could not be traced
    material, loose = subject.material, set(subject.loose) - subject.unlearned
    if material.unknown or any(name in loose and function in MATRIX_FUNCTIONS for name, function in subject.uses):
        return False
    if any(material.arranged(_wanted(subject, knobs).kinds) is not None for knobs in subject.free):
        return search.tries > 0 or _too_few(subject, material)
    wanted = [_wanted(subject, knobs).kinds for knobs in subject.free]
    fewer = all(any(material.kinds.count(kind) < kinds.count(kind) for kind in "AFN") for kinds in wanted)
    # Keys of the memory may be projected early; norms and networks follow one another as the data flows.
    return fewer or material.kinds.replace("A", "") not in {kinds.replace("A", "") for kinds in wanted}


def _too_few(subject: Subject, material: Material) -> bool:
    """Whether an attention has fewer than the four matrices of the paper."""
    whole = 4 * subject.sizes.d_model**2
    return any(
        sum(unit.matrix.size for unit in operation.units) < whole
        for operation in material.operations
        if operation.kind == "A"
    )
