"""Greedy decoding with knobs, every default being the right choice."""

from typing import Any

import numpy as np


def workshop(
    step_fn: Any,
    bos: int,
    eos: int,
    max_len: int,
    *,
    pick: str = "max",
    seen: str = "all",
    stop: str = "eos",
    keep_bos: bool = True,
    keep_eos: bool = True,
    longer: int = 0,
    closes: bool = False,
    fills: str = "",
    form: str = "list",
) -> Any:
    """The oracle with knobs: what is picked, what the model sees, when it stops, what the result holds."""
    tokens = [bos]
    while len(tokens) < max_len + longer:
        scores = np.asarray(step_fn(_seen(tokens, seen)))
        token = _pick(scores, pick)
        if token == eos and stop == "eos" and not keep_eos:
            break
        ending = tokens[-1] == eos if stop == "late" else token == {"zero": 0}.get(stop, eos)
        repeated = stop == "repeat" and token == tokens[-1]
        tokens.append(token)
        if (ending and stop != "never") or repeated:
            break
    if closes and tokens[-1] != eos:
        tokens.append(eos)
    if fills:
        tokens += [{"eos": eos, "zero": 0}[fills]] * (max_len - len(tokens))
    kept = tokens if keep_bos else tokens[1:]
    return {"list": kept, "last": kept[-1:], "reversed": kept[::-1], "pair": (kept, 0.0), "batch": [kept]}[form]


def _seen(tokens: list[int], seen: str) -> list[int]:
    views = {"all": tokens, "last": tokens[-1:], "first": tokens[:1], "body": tokens[1:], "reversed": tokens[::-1]}
    return list(views[seen])


def _pick(scores: np.ndarray[Any, Any], pick: str) -> int:
    match pick:
        case "min":
            return int(np.argmin(scores))
        case "second" | "second_of_ties":
            ranked = np.argsort(-scores, kind="stable")[1:2] if pick == "second" else np.argsort(scores)[-2:-1]
            return int(ranked[0])
        case "highest_tie":
            return int(len(scores) - 1 - np.argmax(scores[::-1]))
        case "log":
            with np.errstate(all="ignore"):
                return int(np.argmax(np.log(scores)))
        case "skips_zero":
            return int(1 + np.argmax(scores[1:]))
        case _:
            return int(np.argmax(scores))
