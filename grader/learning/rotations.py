"""Tables of rotations that a call is handed: made for each call by the solution's own function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.learning import draft, words
from grader.learning.definitions import Definition
from grader.learning.passing import written


def calls(one: Definition, parameters: Sequence[str], known: Mapping[str, Definition]) -> Iterator[dict[str, Any]]:
    """The ways to call a class that is handed such a table, or its cosines and sines apart; none for any other class.

    Each has an ``entry``, the call as an adapter writes it, which reads the width of a head of its sizes.
    """
    tables = [taken for taken in one.called if taken.required and words.says(taken.name, "rotations")]
    rest = replace(one, called=tuple(taken for taken in one.called if taken not in tables))
    makers = [made for each in known.values() if (made := _made(each, len(tables)))] if tables else []
    for called in draft.calls(rest, parameters) if makers else ():
        given = called["parameters"]
        named = given if isinstance(given, Mapping) else dict(zip((t.name for t in rest.called), given, strict=False))
        ours = [name for name in named.values() if isinstance(name, str)]
        for made in makers if len(ours) == len(named) and ours else ():
            table = made.format(f"{ours[0]}.shape[1]")
            alone = len(tables) == 1
            texts = {taken.name: table if alone else f"{table}[{at}]" for at, taken in enumerate(tables)}
            yield {
                "parameters": ours,
                "entry": f"{one.thing}({written(one.called, _in_order(one, {**named, **texts}))})",
            }


def _in_order(one: Definition, texts: Mapping[str, str]) -> dict[str, str]:
    return {taken.name: texts[taken.name] for taken in one.called if taken.name in texts}


def _made(one: Definition, values: int) -> str:
    """The call of a function that makes a table of so many ``values``, with a place for its rows; empty for none."""
    if one.kind != "function" or not words.says(one.name, "rotations") or max(1, len(one.returned)) != values:
        return ""
    texts = [_text(taken.name) for taken in one.called if taken.required]
    return f"work.{one.name}({', '.join(texts)})" if {"{}", WIDTH} == {*texts} else ""


WIDTH = "sizes.d_k"


def _text(name: str) -> str:
    """What an argument of such a function is given: the rows, or the width of a head."""
    if words.says(name, "rows"):
        return "{}"
    return WIDTH if words.is_size(name, "d_k") or words.is_size(name, "d_model") else ""
