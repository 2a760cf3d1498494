"""Which known slip has exactly the values of a formula."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from grader.written.formula.equality import Side, called_layers, same, value_of
from grader.written.formula.errors import FormulaError
from grader.written.formula.functions import scope_of
from grader.written.formula.kinds import Slip, forms
from grader.written.formula.parser import tree_of
from grader.written.formula.tree import mapped, node, num, sym, used_names
from grader.written.formula.values import Value, evaluate
from grader.written.formula.vocabulary import words
from grader.written.formula.worlds import points, square_points


@lru_cache(maxsize=16)
def _fillings(kind: str, count: int) -> tuple[tuple[tuple[Slip, ...], str], ...]:
    """Return every single slip, or every pair that sits in different slots, with its text."""
    form = forms()[kind]
    out: dict[str, tuple[Slip, ...]] = {form.fill(): ()}
    for slips in combinations(form.slips, count):
        slots = [slot for slip in slips for slot in slip.slots]
        if len(set(slots)) == len(slots):
            out.setdefault(form.fill(*slips), slips)
    return tuple((slips, text) for text, slips in out.items() if slips)


@lru_cache(maxsize=8192)
def _slip_value(kind: str, square: bool, number: int, text: str) -> Value | None:
    """Return a slip's value at the first point of a convention, in the plain world; None where it has none."""
    group = (square_points(kind) if square else points(kind))[number]
    try:
        return evaluate(tree_of(kind, text), scope_of(group[0].plain, {}))
    except FormulaError:
        return None


_TELLING = words("telling")
"""What tells two wrong forms apart."""


@lru_cache(maxsize=2048)
def _telling(text: str) -> frozenset[str]:
    return _TELLING & frozenset(re.findall(r"[A-Za-z][A-Za-z_0-9]*", text))


def slip_at(kind: str, side: Side, number: int, *, square: bool = False) -> tuple[Slip, ...]:
    """Return the simplest known slips whose values are the student's in one convention, or none.

    Raises FormulaError and TooMuchWorkError.
    """
    group = (square_points(kind) if square else points(kind))[number]
    names = called_layers(side) if kind == "add_norm" else []
    if len(names) > 1:
        return ()
    name = names[0] if names else "sublayer"
    first = value_of(side, group[0])
    used = used_names(side.trees)
    mine = _telling(" ".join(used))
    for count in (1, 2):
        likely = [
            (slips, text.replace("#", name)) for slips, text in _fillings(kind, count)
            if (count == 1 or (_telling(text) ^ mine) <= {"Q", "K", "V", "softmax_column"})
            # Q in all three places may be the one input of self-attention
            and not ("-from-" in slips[0].id and (used_names([tree_of(kind, text)]) ^ used) & {"Q", "K", "V"})
        ]  # fmt: skip
        side.work.add(len(likely))
        hits = [
            (len(used_names([side.tree]) ^ used_names([tree_of(kind, text)])), at, slips)
            for at, (slips, text) in enumerate(likely)
            if (value := _slip_value(kind, square, number, text)) is not None
            and same(first, value, group[0])
            and all(
                same(value_of(side, setting), evaluate(tree_of(kind, text), scope_of(setting.plain, {})), setting)
                for setting in group[1:]
            )
        ]
        if hits:  # several wrong forms can have one value (a maximum that always picks the same term): the likest
            return min(hits)[2]
    return ()


def shifted(side: Side) -> Side:
    """Return the side with what it counts counted otherwise: pairs of columns from one, steps from zero."""
    table = {sym("i"): node("+", sym("i"), num(1)), sym("step"): node("-", sym("step"), num(1))}
    return replace(side, tree=mapped(side.tree, lambda part: table.get(part, part)))
