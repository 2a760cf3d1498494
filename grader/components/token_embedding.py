"""Token embedding as a function: table rows times sqrt(d_model) (section 3.4). Checks and misconceptions."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case
from grader.component.checks import Evidence, Found, Oracle
from grader.components.any_call import answers_twice, leaves_alone
from grader.judging.function import Function
from grader.paper.embedding import factor_of
from grader.properties import COARSE, Array, Comparison, as_array, near


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one token to batches. ``domain``: ``ranks`` (1 to 3) of the ids."""
    ranks = set(domain.get("ranks", (1, 2, 3)))
    rows = frozenset({"rows"})

    def draw(vocab: int, d_model: int, *shape: int) -> dict[str, Any]:
        return {"ids": rng.integers(0, vocab, size=shape), "table": rng.normal(size=(vocab, d_model))}

    first = np.array([[1.0, 2.0, 2.0, 1.0], [3.0, 0.0, 1.0, -2.0]])
    tag = rows if 1 in ranks else frozenset({"rank"})
    if 1 in ranks:
        yield Case(
            {"ids": np.array([1]), "table": first},
            "one token, d_model = 4: the row times 2",
            rows | {"scale"},
            fixed=True,
        )
        yield Case({"ids": np.array([2, 0, 2]), "table": rng.normal(size=(3, 9))}, "the same token twice", tag)
        yield Case(draw(7, 5, 3), "three tokens", tag)
    yield Case(
        draw(7, 3, 2, 5), "two sentences of five tokens", rows if 2 in ranks and 1 not in ranks else frozenset({"rank"})
    )
    if 3 in ranks:
        yield Case(draw(5, 2, 2, 3, 4), "three axes of ids", frozenset({"rank"}))
    yield Case(
        {"ids": np.array([[0, 1], [1, 1]]), "table": np.array([[1, 2, 3], [4, 5, 6]])},
        "a table of whole numbers",
        frozenset({"integer"}),
        fixed=True,
    )


def workshop(
    ids: Any,
    table: Any,
    *,
    scale: Any = "sqrt d",
    off: int = 0,
    in_place: str = "",
    added: bool = False,
    transposed: bool = False,
    columns: bool = False,
    joined: str = "",
    result: str = "float",
    unit: str = "",
) -> Any:
    """The oracle with knobs; every default is the paper's choice."""
    tokens, rows = np.asarray(ids), np.asarray(table)
    factor = factor_of(scale, tokens, rows)
    if in_place == "table" or (in_place == "float table" and rows.dtype.kind == "f"):
        table *= factor
        return table[tokens]
    if in_place == "rows":
        for token in tokens.reshape(-1):
            table[token] *= factor
        return table[tokens]
    if columns:
        return rows[:, tokens] * factor
    found = rows.T[tokens] if transposed else rows[(tokens + off) % len(rows)]
    found = _UNITS[unit](found) if unit else found
    embedded = found + factor if added else found * factor
    if joined:
        embedded = {"mean": embedded.mean, "sum": embedded.sum}[joined](axis=-2)
    return embedded.astype(rows.dtype) if result == "input" else embedded


_UNITS: dict[str, Callable[[Array], Array]] = {
    "length": lambda rows: np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True)),
    "spread": lambda rows: np.asarray((rows - rows.mean(-1, keepdims=True)) / rows.std(-1, keepdims=True)),
}
"""Ways to bring every row to one size."""


component = Function(
    "token_embedding",
    {"token_embedding": reference.token_embedding},
    ladder,
    title="Token embedding",
    reread="section 3.4",
    workshop=workshop,
)
component.settles("embedding_scale")


def _shaped(got: Any, ids: Array, table: Array, oracle: Oracle) -> Array | Comparison:
    array = as_array(got)
    if array is None or array.shape != (*ids.shape, table.shape[1]) or array.dtype.kind not in "fiu":
        return near(got, oracle(ids=ids, table=table), dtype=COARSE)
    return array


@component.check(on="rows")
def looks_up_the_rows(got: Any, ids: Array, table: Array, *, oracle: Oracle) -> Found:
    """Each token gets its own row of the table, up to one factor for all."""
    array = _shaped(got, ids, table, oracle)
    if isinstance(array, Comparison):
        return array
    rows = table[ids]
    factor = float((array * rows).sum() / (rows * rows).sum())
    found = near(array, rows * factor, dtype=COARSE)
    return found if factor > 0 else Comparison(False, "is not a positive multiple of the rows asked for", rows, array)


@component.check(on="rows")
def scales_by_the_root_of_d_model(got: Any, ids: Array, table: Array, *, oracle: Oracle) -> Found:
    """The rows are multiplied by the square root of d_model."""
    array = _shaped(got, ids, table, oracle)
    if isinstance(array, Comparison):
        return array
    lengths = np.linalg.norm(array, axis=-1), np.linalg.norm(oracle(ids=ids, table=table), axis=-1)
    return (
        near(array, oracle(ids=ids, table=table), dtype=COARSE)
        if not near(lengths[0], lengths[1], dtype=COARSE)
        else None
    )


def _one_by_one(ids: Array, table: Array) -> tuple[Call, ...]:
    return (
        Call({"ids": ids, "table": table}),
        *(Call({"ids": row, "table": table}) for row in ids.reshape(-1, ids.shape[-1])),
    )


@component.check(ask=_one_by_one, on="rank")
def takes_batches(got: Any, *rows: Any, ids: Array, table: Array, oracle: Oracle) -> Found:
    """Ids of any shape give that shape with d_model behind it, each sentence as it is alone."""
    array = _shaped(got, ids, table, oracle)
    if isinstance(array, Comparison):
        return array
    alone = [as_array(row) for row in rows]
    if any(row is None or row.shape != (ids.shape[-1], table.shape[1]) for row in alone):
        return near(array, oracle(ids=ids, table=table), dtype=COARSE)
    return near(array, np.stack([row for row in alone if row is not None]).reshape(array.shape), dtype=COARSE)


@component.check(on="integer", manner=True)
def whole_numbers_give_fractions(got: Any, ids: Array, table: Array, *, oracle: Oracle) -> Found:
    """A table of whole numbers gives floating rows, since √d_model seldom is whole."""
    array = as_array(got)
    if array is None or (array.dtype.kind != "f" and not np.array_equal(array, oracle(ids=ids, table=table))):
        return near(got, oracle(ids=ids, table=table), dtype=COARSE)
    return None


leaves_alone(component, "The ids and the table are the same after the call.", on=("rows", "integer"))
answers_twice(component, on="rows", most=2)


@component.hook
def _fitted_scale(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The factor of the first row asked for (d_model = 4, so the right one is 2)."""
    for answer in evidence.answers:
        array = as_array(answer.value) if "scale" in answer.case.tags and answer.status == "value" else None
        if array is not None and array.shape == (1, 4):
            factor = float(array[0, 0] / 3.0)
            if min(abs(factor - 2.0), abs(factor - 1.0)) > 1e-6:
                yield from ({"scale": number} for number in (float(f"{factor:.6g}"), factor))
