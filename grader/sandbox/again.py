"""The cells of a notebook, run as they stand; what lacked a name is run again behind the others, which may have it."""

from collections.abc import Callable, Sequence
from typing import Any

Cell = tuple[str, str]
Failure = dict[str, Any]
RAN = "; it was run again behind the other cells, and ran"


def run(
    cells: Sequence[Cell],
    namespace: dict[str, Any],
    execute: Callable[[str, str, dict[str, Any]], Failure | None],
    note: Callable[[str, Failure, str], None],
) -> None:
    """Run ``cells``, pairs of code and filename, in the order of the file, and note each that failed at first.

    The order in which a notebook was run is not told by its file. A cell that lacked a name is therefore tried again
    once all have run, as long as one more of them runs. What a cell below it defined under the same name stands.
    """
    first: dict[Cell, Failure] = {}
    then: dict[Cell, dict[str, Any]] = {}
    for cell in cells:
        if failure := execute(*cell, namespace):
            first[cell], then[cell] = failure, dict(namespace)
    last: dict[Cell, Failure | None] = dict(first)
    lacking = [cell for cell in first if _lacks_a_name(last[cell])]
    tries = len(lacking) + 1
    while len(lacking) < tries:
        tries = len(lacking)
        for cell in lacking:
            before = then[cell]
            newer = {key: kept for key, kept in namespace.items() if key not in before or before[key] is not kept}
            last[cell] = execute(*cell, namespace)
            namespace.update(newer)
            then[cell] = {key: kept for key, kept in namespace.items() if key not in newer}
        lacking = [cell for cell in lacking if _lacks_a_name(last[cell])]
    for cell, failure in first.items():
        end = last[cell]
        note(cell[1], end or failure, "" if end else RAN)


def _lacks_a_name(failure: Failure | None) -> bool:
    return failure is not None and failure["type"] == "NameError"
