"""Beam search with knobs, every default being the right choice."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np


class Beginning(NamedTuple):
    """A sentence under construction: its tokens, the score it is ranked by, and whether it has ended."""

    tokens: list[int]
    score: float
    ended: bool


def workshop(
    step_fn: Any,
    bos: int,
    eos: int,
    max_len: int,
    beam_size: int,
    alpha: float = 0.0,
    *,
    gain: str = "sum",
    power: float | None = None,
    penalty: str = "wu",
    counts: str = "new",
    normal: str = "end",
    start: str = "one",
    finished: str = "keep",
    until: str = "all",
    choose: str = "best",
    width: str = "given",
    prune: str = "all",
    seen: str = "all",
    longer: int = 0,
    keep_bos: bool = True,
    keep_eos: bool = True,
    closes: bool = False,
    form: str = "list",
) -> Any:
    """The oracle with knobs: how scores add up, who stays in the beam, when it ends, which one is returned."""
    size = {"one": 1, "wider": beam_size + 1, "narrower": max(1, beam_size - 1), "every": 10**4}.get(width, beam_size)
    final = partial(_rank, alpha=alpha if power is None else power, penalty=penalty, counts=counts)
    rank = final if normal == "each" else partial(_rank, alpha=0.0)
    beam = [Beginning([bos], 0.0, ended=False)] * (min(size, beam_size) if start == "copies" else 1)
    done: list[Beginning] = []
    for _ in range(max_len + longer - 1):
        if (all(b.ended for b in beam) and finished != "grow") or (until == "enough" and len(done) >= size):
            break
        if until == "first, next round" and any(b.ended for b in beam):
            choose = "finished"  # what ends in the last round is never looked at alone
            break
        grown = [
            [b]
            if b.ended and finished != "grow"
            else _grow(b, step_fn, eos, gain, seen, 1 if _greedily(prune, b) else None)
            for b in beam
        ]
        room = max(1, size - len(done)) if finished == "shrink" else size
        beam = _kept(grown, rank, room, prune, worst=choose == "worst_kept")
        if finished in {"leave", "aside", "shrink", "vanish", "all leave", "last round"}:
            beam, done = _leave(beam, done, grown, rank, size, finished)
        if until in {"first", "any"} and any(b.ended for b in beam):
            break
    tokens = list(_chosen(beam, done, final, choose, until))
    if not keep_eos and tokens[-1] == eos:
        tokens = tokens[:-1]
    if closes and tokens[-1] != eos:
        tokens.append(eos)
    kept = tokens if keep_bos else tokens[1:]
    return {"list": kept, "pair": (kept, 0.0), "beam": [list(b.tokens) for b in beam]}[form]


def _greedily(prune: str, one: Beginning) -> bool:
    """Whether a beginning goes on with its best token alone."""
    return prune == "best" or (prune == "best after the first" and len(one.tokens) > 1)


def _rank(one: Beginning, alpha: float, penalty: str = "wu", counts: str = "new") -> float:
    length = len(one.tokens) - (counts == "new")
    parts = (5 + length) / 6 if penalty == "wu" else max(length, 1)
    return one.score / parts**alpha if alpha else one.score


def _grow(one: Beginning, step_fn: Any, eos: int, gain: str, seen: str, most: int | None) -> list[Beginning]:
    scores = np.asarray(step_fn(list(one.tokens if seen == "all" else one.tokens[-1:])))
    order = np.argsort(-scores, kind="stable")[:most]
    return [Beginning([*one.tokens, int(t)], _gain(gain, one, float(scores[t])), int(t) == eos) for t in order]


def _gain(gain: str, one: Beginning, log: float) -> float:
    """The score of a beginning with one more token."""
    if gain == "sum":
        return one.score + log
    before = log if len(one.tokens) == 1 else one.score
    found: dict[str, float] = {
        "last": log,
        "shares": one.score + float(np.exp(log)),
        "costs": one.score - log,
        "times": log if len(one.tokens) == 1 else before * log,
        "least": min(before, log),
        "costs_times": log if len(one.tokens) == 1 else -before * log,
        "most": max(before, log),
        "mean": (before + log) / 2,
    }
    return found[gain]


def _kept(grown: list[list[Beginning]], rank: Callable[[Beginning], float], size: int, prune: str, *, worst: bool
          ) -> list[Beginning]:  # fmt: skip
    """The best ``size`` of all candidates; pruned per beginning where the beam does not compare across."""
    sign = 1.0 if worst else -1.0
    if prune == "each":
        share = max(1, size // len(grown))
        return [b for mine in grown for b in sorted(mine, key=lambda b: sign * rank(b))[:share]]
    return sorted((b for mine in grown for b in mine), key=lambda b: (sign * rank(b), b.tokens))[:size]


def _leave(
    beam: list[Beginning],
    done: list[Beginning],
    grown: list[list[Beginning]],
    rank: Callable[[Beginning], float],
    size: int,
    how: str,
) -> tuple[list[Beginning], list[Beginning]]:
    """Finished sentences give up their place: it is filled at once, in the next step, or never."""
    ended = [b for mine in grown for b in mine] if how == "all leave" else beam
    before = [] if how == "last round" else done
    done = before + [b for b in ended if b.ended and how != "vanish"]
    alive = [b for b in beam if not b.ended]
    if how in {"leave", "all leave"}:
        candidates = sorted((b for mine in grown for b in mine if not b.ended), key=lambda b: (-rank(b), b.tokens))
        alive = candidates[:size]
    return alive or (beam[:1] if how == "vanish" else done), done


def _chosen(beam: list[Beginning], done: list[Beginning], rank: Callable[[Beginning], float], choose: str, until: str
            ) -> list[int]:  # fmt: skip
    pool = beam + [b for b in done if not any(b is other for other in beam)]
    longest = max((len(b.tokens) for b in pool), default=0)
    shortest = min((len(b.tokens) for b in pool), default=0)
    narrowed = {
        "finished": [b for b in pool if b.ended],
        "unfinished": [b for b in pool if not b.ended],
        "longest": [b for b in pool if len(b.tokens) == longest],
        "shortest": [b for b in pool if len(b.tokens) == shortest],
    }.get("finished" if until == "first" else choose, pool)
    pool = narrowed or pool
    if choose == "last":
        return pool[-1].tokens
    return (min if choose in {"worst", "worst_kept"} else max)(pool, key=rank).tokens
