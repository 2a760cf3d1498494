"""Whether one side has the key's value in some convention, and what a side is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from grader.written.formula.compare import Side, agrees, at, has_numbers, points
from grader.written.formula.kinds import Kind
from grader.written.formula.lines import mapped, renamed, used_names
from grader.written.formula.norms import STATISTICS
from grader.written.formula.tree import Add, Call, FormulaError, Node, Num, ShapeError, Sum, Sym, UnreadableError, walk
from grader.written.formula.values import Definition

ONLY_AS_TOLD = "It is right only for the sizes that are told; a person should look."
_OTHERWISE = 1.37  # how much larger a size is tried that is told
_LARGE = 22.0  # at least, so that an encoding has columns enough
_COLUMNS = 8  # with fewer there is no index that tells i from its square or from one


def trees(side: Side) -> list[Node]:
    """Return the side's own tree and those of all definitions."""
    return [side.tree, *(value.body for value in side.definitions.values())]


def reachable(side: Side) -> list[Node]:
    """Return the trees the side really uses."""
    out, waiting, seen = [], [side.tree], set[str]()
    while waiting:
        tree = waiting.pop()
        out.append(tree)
        for name in used_names([tree]) - seen:
            seen.add(name)
            waiting += [
                value.body for key, value in side.definitions.items() if key.split("/")[0].removesuffix("()") == name
            ]
    return out


def rename(side: Side, table: Mapping[str, str]) -> Side:
    """Return the side with symbols called otherwise, in its definitions too."""
    return Side(
        renamed(side.tree, table),
        {
            key: Definition(tuple(table.get(name, name) for name in value.names), renamed(value.body, table))
            for key, value in side.definitions.items()
        },
        side.sizes,
        side.work,
    )


def _is(part: Node, name: str) -> bool:
    return isinstance(part, Sym) and re.fullmatch(rf"{name}(?:_[A-Za-z]+)?", part.name) is not None


def with_statistics(side: Side) -> Side:
    """Return the side with mu and sigma as mean and deviation of what mu is taken from, where they are not defined."""
    defined = {key.split("/")[0] for key in side.definitions}
    if not any(_is(part, name) for tree in reachable(side) for part in walk(tree) for name in ("mu", "sigma")):
        return side

    def subject(tree: Node) -> Node | None:
        found = {part.left for part in walk(tree) if isinstance(part, Add) and part.minus and _is(part.right, "mu")}
        return found.pop() if len(found) == 1 else None

    subjects = [subject(tree) for tree in reachable(side)]
    anywhere = next((one for one in subjects if one is not None), None)

    def told(tree: Node) -> Node:
        of = subject(tree) or anywhere
        whole = replace(of, index=()) if isinstance(of, Sym) else of  # z_i − μ: the mean of z

        def change(part: Node) -> Node:
            for name, what in (("mu", "mean"), ("sigma", "std")):
                if whole is not None and _is(part, name) and isinstance(part, Sym) and part.name not in defined:
                    return Call(what, (whole,))
            return part

        return mapped(tree, change)

    return replace(
        side,
        tree=told(side.tree),
        definitions={key: replace(value, body=told(value.body)) for key, value in side.definitions.items()},
    )


def spelled_out(side: Side) -> bool:
    """Say whether the side writes LayerNorm out in mean and variance."""
    return any(
        isinstance(part, Call) and part.name in STATISTICS for tree in reachable(side) for part in walk(tree)
    ) or ({"gamma", "beta"} <= used_names(reachable(side)))


def groups(kind: Kind, side: Side) -> Iterator[int]:
    """Yield the numbers of the conventions that concern what the side uses."""
    weights = any(name.startswith("W") for name in used_names(trees(side)))
    written = has_numbers(trees(side))
    numbers = bool(side.sizes) or written
    # A number that is told what it stands for is not to be met by chance in a world of other sizes.
    spelled = kind.opaque and spelled_out(side)
    summed = any(isinstance(part, Sum) for tree in reachable(side) for part in walk(tree))
    told = bool(side.sizes) and written and any(group[0].numbers for group in points(kind.id))
    for number, group in enumerate(points(kind.id)):
        if (
            group[0].spelled != spelled
            or (group[0].entries and not summed)
            or (group[0].weights and not weights)
            or (group[0].numbers and not numbers)
        ):
            continue
        if told and not group[0].numbers:
            continue
        yield number


def is_equal(kind: Kind, side: Side) -> bool:
    """Say whether some convention gives the key's values; raises the first error where none can be evaluated."""
    error: FormulaError | None = None
    evaluated = False
    for number in groups(kind, side):
        try:
            if agrees(kind.id, side, at(points(kind.id)[number], side.sizes)):
                _check_side_of_output(kind, side, number)
                _check_one_source(kind, side, number)
                break
            evaluated = True
        except FormulaError as problem:
            if error is None or (isinstance(problem, ShapeError) and not isinstance(error, ShapeError)):
                error = problem
    else:
        number = -1
    if number >= 0:
        _check_other_sizes(kind, side, number)
        return True
    if not evaluated and error is not None:
        raise error
    return False


def _check_side_of_output(kind: Kind, side: Side, number: int) -> None:
    """W^O to the left is right only for heads in columns: without W_i^Q beside its input nobody can tell."""
    told = any(name in {"W^Q", "W^K", "W^V"} for name in used_names(reachable(side)))
    if kind.id == "multi_head" and points(kind.id)[number][0].turned and not told:
        raise UnreadableError(
            "W^O stands on the left, which is right only where heads are columns; a person should look."
        )


def _check_one_source(kind: Kind, side: Side, number: int) -> None:
    """Only Q in every head is right where queries, keys and values are one input: that has to be meant."""
    whole = {part.name for tree in reachable(side) for part in walk(tree) if isinstance(part, Sym) and not part.index}
    used = {"Q", "K", "V"} & whole  # K_i is what the student says it is
    if kind.id == "multi_head" and points(kind.id)[number][0].own and used:
        raise UnreadableError(
            "It is right only where queries, keys and values come from one input; a person should look."
        )


def _check_other_sizes(kind: Kind, side: Side, number: int) -> None:
    """A size that is written with its name has to be right for all its values, not only for the one that is told.

    Either each size is another by itself, or the head and the model grow together, as in d_model / 8.
    """
    told = dict(side.sizes)
    used = used_names(reachable(side)) & set(told)
    alone = {
        **told,
        **{name: max(told[name] * _OTHERWISE, _LARGE) + place for place, name in enumerate(sorted(used))},
    }
    few = kind.id in {"pe_sin", "pe_cos"} and told.get("d_model", _LARGE) < _COLUMNS and "d_model" not in used
    world = points(kind.id)[number][0].world.symbols
    widths = {name: float(told.get(name, world.get(name, 0.0))) for name in ("d_k", "d_model")}
    together: dict[str, float] = {
        **alone,
        "h": told.get("h", 0.0),
        **{name: value * _OTHERWISE for name, value in widths.items()},
    }
    apart = kind.id != "attention" or widths["d_k"] == widths["d_model"]
    ways = [alone] if apart else [alone, together]
    group = points(kind.id)[number]
    right = not used or any(agrees(kind.id, side, at(group, tuple(sorted(way.items())))) for way in ways)
    if not right or (few and group[0].numbers) or (kind.id == "attention" and _is_width_of_model(side)):
        raise UnreadableError(ONLY_AS_TOLD)


def _is_width_of_model(side: Side) -> bool:
    """Say whether the model's width, given as a number, stands where that number is a head's: hidden = 64."""
    names = used_names(reachable(side))
    return any(
        isinstance(value.body, Num)
        and name in names
        and re.match(r"n?_?(?:hidden|emb|model|d_?(?:emb|hid))", name.lower())
        for name, value in ((key.split("/")[0], value) for key, value in side.definitions.items())
    )


def quietly_equal(kind: Kind, side: Side) -> bool:
    """Say whether the side is equal, taking what cannot be evaluated as not."""
    try:
        return is_equal(kind, side)
    except FormulaError:
        return False
