"""How a module reads, by a search over its weights: as the paper, or as the paper with a known mistake in it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.blocks import pairs
from grader.blocks.faults import written
from grader.blocks.pairs import about_masks
from grader.blocks.reading import MATRIX_FUNCTIONS, Material
from grader.blocks.regrouping import materials
from grader.blocks.search import Expected, Reading, Search, expected
from grader.blocks.subject import Subject
from grader.component.calls import Case
from grader.component.checks import Misconception, together
from grader.judging.diagnose import MOST_TWINS, Explained
from grader.judging.prediction import by_value, lasting
from grader.paper.sublayers import NONE, Knobs
from grader.properties import rows_sum_to_one

PAIR_BUDGET = 1500
FEW, LIKELY = 3, 12
FAULT_BUDGET = 6000


def read(subject: Subject) -> Weighed:
    """Find the weights under which a module is the paper: ``reading`` and ``complete`` of a subject that was asked."""
    found = Weighed(subject)
    if not any(map(subject.answered, subject.cases)):
        return found
    if not any(map(subject.has_numbers, subject.cases)):
        subject.complete = True  # no way to match parameters makes numbers of what came back
        return found
    plain = [case for case in subject.cases if case.plain]
    found.searches = _searches(subject)
    subject.reading = next((read for search in found.searches if (read := _right(subject, search, plain))), None)
    subject.complete = subject.reading is None and _complete(subject, found.searches[0])
    return found


@dataclass(slots=True)
class Weighed(Explained):
    """How a module answers a mistake: under weights that are found for it, or those of the paper."""

    subject: Subject
    searches: Sequence[Search] = ()

    @property
    def source(self) -> str:
        """The submission's code as one text."""
        return self.subject.source

    def stages(self) -> Iterator[list[Misconception]]:
        """What reproduces the answers; a mistake that reads other weights than the paper brings its reading."""
        subject = self.subject
        if subject.reading is not None:
            if not all(subject.agrees(case, subject.reading, subject.reading.knobs) for case in subject.cases):
                yield from _of_masks(subject, subject.reading)
            return
        for search in self.searches if subject.steady else ():  # no computation explains answers that change
            for matches, reading in _unread(subject, search):
                if matches:
                    subject.reading = reading
                    yield matches
                    return
            if not search.material.by_kind and search.tries > FEW and _reads_as_the_paper(subject, search):
                return  # a search that found nothing to try, or another order, leaves the other one to be made


def first_reading(subject: Subject, free: Sequence[Knobs], most: int, tries: int) -> Reading | None:
    """The first of the settings ``free`` under which the module answers all cases without masks, with its reading.

    ``most`` readings are tried for each, and ``tries`` in all. Their answers have the shape of the module's.
    """
    plain = [case for case in subject.cases if case.plain]
    if not any(subject.has_numbers(case, free[0]) for case in plain):
        return None
    for search in _searches(subject):
        for settings in free:
            found = next(_read_so(subject, search, settings, plain, most), None)
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
        if all(subject.agrees(case, first, knobs) for case in subject.cases):
            return Reading(first.roles, knobs, first.shared)
    return first


def _wanted(subject: Subject, knobs: Knobs) -> Expected:
    """What a computation reads, run on the first plain case; most knobs do not change that."""
    turned = {name: setting for name, setting in knobs.items() if pairs.is_structural(name)}
    key = ("wanted", tuple(sorted((name, str(setting)) for name, setting in turned.items())))
    if key not in subject.cache:
        block = subject.block
        case = next(case for case in subject.cases if case.plain)
        sizes, shapes = subject.sizes, block.shapes(subject.sizes)
        subject.cache[key] = by_value(
            lambda: expected(block.compute, shapes, case.inputs, sizes, turned),
            *("wanted", block.compute, shapes, lasting(case.inputs), sizes, turned),
        )
    found: Expected = subject.cache[key]
    return found


def _agreeing(
    subject: Subject, search: Search, free: Sequence[Knobs], turned: Knobs, cases: Sequence[Case], most: int = 400
) -> Iterator[Reading]:
    """Yield the readings under which a computation answers all of ``cases`` as the module did."""
    for settings in free:
        knobs = {**settings, **turned}
        if not subject.shaped(cases[0], knobs):
            search.tries += 1
            continue
        yield from _read_so(subject, search, knobs, cases, most)


def _read_so(subject: Subject, search: Search, knobs: Knobs, cases: Sequence[Case], most: int) -> Iterator[Reading]:
    """Yield the readings under which a computation with these knobs answers all of ``cases`` as the module did."""
    wanted = _wanted(subject, knobs)
    for reading in search.readings(wanted, knobs, most):
        search.tries += 1
        if all(subject.agrees(case, reading, knobs) for case in cases):
            yield reading


def _of_masks(subject: Subject, reading: Reading) -> Iterator[list[Misconception]]:
    """The plain cases are right: what is wrong shows only under a mask or the like."""
    faults = [fault for fault in subject.block.faults if fault.knobs]
    singles = (*faults, *written(faults, subject.source))
    readings = [replace(reading, knobs=knobs) for knobs in pairs.with_built_in(reading.knobs)]
    for subject.reading in readings:
        yield [fault for fault in singles if _all_agree(subject, subject.reading, fault)]
    for subject.reading in readings:
        masked = pairs.of_masks([fault for fault in faults if any(map(about_masks, fault.knobs))])
        both = (pair for pair in masked if _all_agree(subject, subject.reading, pair))
        yield list(itertools.islice(both, MOST_TWINS + 1))
    subject.reading = reading


def _all_agree(subject: Subject, reading: Reading, fault: Misconception, *, over_nothing: bool = True) -> bool:
    knobs = {**reading.knobs, **fault.knobs}
    ordered = sorted(subject.cases, key=lambda case: case.plain)
    return all(subject.agrees(case, reading, knobs, over_nothing=over_nothing) for case in ordered)


def _unread(subject: Subject, search: Search) -> Iterator[tuple[list[Misconception], Reading | None]]:
    """Try each mistake that reads the weights in the order in which the module does, then two together."""
    faults = [fault for fault in subject.block.faults if fault.knobs]
    # What shows only under a mask does not explain what is wrong without one.
    known = pairs.likeliest_first([fault for fault in faults if not pairs.turns_masks(fault)])
    singles = [*known, *(fault for fault in written(faults, subject.source) if not pairs.turns_masks(fault))]
    cost = subject.block.cost
    forms = list({_wanted(subject, knobs): knobs for knobs in reversed(subject.free)}.values())[::-1]
    looser = len(subject.free) > len(forms)
    # Each mistake is tried once under each setting that is right, whatever it costs.
    limit = search.tries + max(FAULT_BUDGET // cost, len(singles) * (5 if looser else 2))
    phases = [(1, forms), (1, subject.free), (FEW, forms), (LIKELY, forms), (10 * LIKELY, forms)]
    for most, free in phases if looser else [phases[0], *phases[2:]]:
        yield _first_matches(subject, search, singles, limit, most, free)
    causal = [free for free in subject.free if subject.block.causal_alone or any(map(pairs.built_in, free))]
    if causal:  # one that is causal by itself has a mask where none is given
        masked = [fault for fault in (*faults, *written(faults, subject.source)) if pairs.turns_masks(fault)]
        yield _first_matches(subject, search, masked, search.tries + FAULT_BUDGET // cost, FEW, causal)
    yield _plain_and_masked(subject, search, faults, forms)
    for common, most in ((True, FEW), (False, 1)):
        found = _two(subject, search, known, common=common)
        yield _first_matches(subject, search, found, search.tries + PAIR_BUDGET // cost, most, forms)


def _two(subject: Subject, search: Search, faults: Sequence[Misconception], *, common: bool) -> Iterator[Misconception]:
    """Two mistakes together that read the weights as the module does."""

    def reads_alike(fault: Misconception) -> bool:
        wanted = _wanted(subject, {**subject.free[0], **fault.knobs})
        return search.material.arranged(wanted.kinds) is not None

    return (pairs.of_common if common else pairs.of_any)(_shown(subject), faults, reads_alike)


def _shown(subject: Subject) -> Callable[[Misconception], bool]:
    """What can be seen whatever else is wrong: rows of an answer that sum to 1, matrices as wide as one head."""
    case = subject.cases[0]
    array = subject.numbers(subject.replies[f"case:{case.key}"])
    sums = array is not None and array.dtype.kind == "f" and bool(rows_sum_to_one(array))
    head = any(subject.tensors[name].shape == (subject.sizes.d_k,) * 2 for name in subject.used())
    return lambda fault: (
        (sums and "probabilities" in str(fault.knobs.get("trf.output", "")))
        or (head and fault.knobs.get("mha.one_for_all", False))
    )


def _plain_and_masked(
    subject: Subject, search: Search, faults: Sequence[Misconception], forms: Sequence[Knobs]
) -> tuple[list[Misconception], Reading | None]:
    """One mistake that explains all that is asked without a mask, and where needed one more that explains the rest."""
    plain = [case for case in subject.cases if case.plain]
    masked = [fault for fault in faults if pairs.turns_masks(fault)]
    limit = search.tries + max(FAULT_BUDGET // subject.block.cost, len(faults) * len(forms))
    for fault in pairs.likeliest_first([fault for fault in faults if fault not in masked]):
        if search.tries > limit:
            break
        found = next(_agreeing(subject, search, forms, fault.knobs, plain, FEW), None)
        if found is None:
            continue
        reading = _right_beside(subject, found, fault)
        if _all_agree(subject, reading, fault):
            return [fault], reading
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
    """Other mistakes that read the same weights and give the same answers, and not by a softmax over nothing alone."""
    over_nothing = not _all_agree(subject, reading, first, over_nothing=False)
    wanted = _wanted(subject, {**reading.knobs, **first.knobs})
    alike = (other for other in others if _wanted(subject, {**reading.knobs, **other.knobs}) == wanted)
    twins = (other for other in alike if _all_agree(subject, reading, other, over_nothing=over_nothing))
    return list(itertools.islice(twins, MOST_TWINS))


def _reads_as_the_paper(subject: Subject, search: Search) -> bool:
    """Whether what a search sees the module made of is what the paper reads, in its order."""
    return any(search.material.arranged(_wanted(subject, knobs).kinds) is not None for knobs in subject.free)


def _complete(subject: Subject, search: Search) -> bool:
    """Whether every reading was tried, or none can be right: some weights that the paper needs take no part.

    Not where tensors of an unknown form, or such as are no parameters, take part as weights.
    """
    if any(not function for _, function in subject.uses):
        return False  # the module could not be traced
    material, loose = subject.material, set(subject.loose) - subject.unlearned
    if material.unknown or any(name in loose and function in MATRIX_FUNCTIONS for name, function in subject.uses):
        return False
    if _reads_as_the_paper(subject, search):
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
