"""The cells of a notebook, run as they stand; what lacked a name is run again behind the others, which may have it."""

from collections.abc import Callable, Sequence
from typing import Any

Failure = dict[str, Any]
RAN = "; it was run again behind the other cells, and ran"


def run(
    cells: Sequence[tuple[str, str]],
    namespace: dict[str, Any],
    execute: Callable[[str, str, dict[str, Any]], Failure | None],
    note: Callable[[str, Failure, str], None],
) -> None:
    """Run ``cells``, pairs of code and filename, in the order of the file, and note each that failed at first.

    The order in which a notebook was run is not told by its file. A cell that lacked a name is therefore tried again
    once another has it, as long as one more of them runs. What a cell below it defined under the same name stands.
    """
    bound: dict[str, int] = {}  # names, and the lowest cell that gave them their values

    def result(at: int) -> Failure | None:
        newer = {name: namespace[name] for name, cell in bound.items() if cell > at and name in namespace}
        before = {name: id(value) for name, value in namespace.items()}  # no values: what a cell lets go makes room
        failure = execute(*cells[at], namespace)
        namespace.update(newer)
        bound.update((name, at) for name, value in namespace.items() if before.get(name) != id(value))
        return failure

    first = {at: failure for at in range(len(cells)) if (failure := result(at))}
    last: dict[int, Failure | None] = dict(first)
    lacking = [at for at in first if _lacked(last[at])]
    tries = len(lacking) + 1
    while len(lacking) < tries:
        tries = len(lacking)
        for at in lacking:
            if _lacked(last[at]) in namespace:
                last[at] = result(at)
        lacking = [at for at in lacking if _lacked(last[at])]
    for at, failure in first.items():
        end = last[at]
        note(cells[at][1], end or failure, "" if end else RAN)


def _lacked(failure: Failure | None) -> str:
    """The name that a cell lacked; empty where it ended otherwise."""
    return failure["message"].partition("'")[2].partition("'")[0] if failure and failure["type"] == "NameError" else ""
