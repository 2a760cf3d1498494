"""Beam search as students get it wrong: the oracle with knobs, and what to say about each setting."""

from __future__ import annotations

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
    *,
    gain: str = "sum",
    alpha: float = 0.0,
    counts: str = "all",
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
    rank = partial(_rank, alpha=alpha if normal == "each" else 0.0, counts=counts)
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
        if finished in {"leave", "shrink", "vanish", "all leave", "last round"}:
            beam, done = _leave(beam, done, grown, rank, size, finished)
        if until in {"first", "any"} and any(b.ended for b in beam):
            break
    final = partial(_rank, alpha=alpha, counts=counts)
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


def _rank(one: Beginning, alpha: float, counts: str) -> float:
    length = len(one.tokens) - (counts == "new")
    parts = (5 + length) / 6 if counts == "gnmt" else max(length, 1)
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
    """Finished sentences give up their place: the beam is filled from behind, or shrinks."""
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


SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "beam-last-step-score-only",
        """Sentences are ranked by their newest token and not by the running sum.
? After three tokens, which three numbers should the score contain?
> Look at what is added to the old score when a token is appended.
= The score of a sentence is the sum of the log-probabilities of all its tokens. With the last one alone, one confident
token makes up for any bad start.""",
        {"gain": "last"},
    ),
    (
        "beam-sums-probabilities",
        """Probabilities are added instead of log-probabilities.
? How do probabilities of independent choices combine?
> step_fn returns logarithms: add them as they are, without exp.
= The probability of a sentence is a product, so its logarithm is a sum of logarithms. A sum of probabilities grows with
length, and one nearly impossible token does no harm in it.""",
        {"gain": "shares"},
    ),
    (
        "beam-multiplies-logs",
        """Log-probabilities are multiplied.
? What is the sign of a product of two log-probabilities?
> Logarithms are added where probabilities are multiplied.
= The product of two negative numbers is positive, so unlikely tokens would help.""",
        {"gain": "times"},
        {"gain": "costs_times"},
    ),
    (
        "beam-keeps-the-worst",
        """The least likely candidates are kept.
? In which order does sorted put negative numbers?
> Sort from the largest sum down, or negate the score.
= Log-probabilities are negative, and the best sum is the one nearest to zero.""",
        {"choose": "worst_kept"},
        {"gain": "costs"},
    ),
    (
        "beam-score-is-not-the-sum",
        """The score is not the sum over all tokens.
? What is the score of a sentence of three tokens?
> Each token adds its log-probability, once.
= The score is the plain sum: neither the smallest, nor the largest, nor a running average.""",
        {"gain": "least"},
        {"gain": "most"},
        {"gain": "mean"},
    ),
    (
        "beam-normalises-by-length",
        """Scores are divided by the length of the sentence.
? Does the hand-out ask for a length penalty?
> Compare the sums as they are.
= Dividing by the length, or a power of it, favours longer sentences. It is common in practice, but here the score is
the plain sum.""",
        {"alpha": 1.0},
        {"alpha": 1.0, "counts": "new"},
        {"alpha": 0.6},
        {"alpha": 0.7},
        {"alpha": 1.0, "normal": "each"},
        *({"alpha": a, "counts": "gnmt", "normal": n} for a in (0.6, 0.7, 1.0) for n in ("each", "end")),
        {"alpha": 1.0, "counts": "new", "normal": "each"},
        {"alpha": 0.6, "normal": "each"},
    ),
    (
        "beam-stops-at-first-finished",
        """The search ends as soon as one sentence is finished.
? Could an unfinished sentence still beat the finished one?
> Go on until every sentence in the beam has ended, or the room is used up.
= The first sentence to end is often short, and a longer one in the beam may have the larger sum.""",
        {"until": "first"},
        {"until": "first, next round"},
        {"until": "any"},
    ),
    (
        "beam-prefers-finished",
        """A finished sentence is returned even where an unfinished one scores higher.
? At max_len, which of the sentences in the beam has the largest sum?
> Compare finished and unfinished sentences in one list.
= The best of finished and unfinished is returned; being finished is no merit of its own here.""",
        {"choose": "finished"},
    ),
    (
        "beam-prefers-unfinished",
        """An unfinished sentence is returned even where a finished one scores higher.
? Where do your finished sentences go?
> Compare finished and unfinished sentences in one list.
= Sentences that have ended must stay in the comparison until the end.""",
        {"choose": "unfinished"},
    ),
    (
        "beam-starts-with-duplicates",
        """The beam starts with copies of the start token, whose continuations tie.
? Print your beam after one step. How many different sentences are in it?
> Start with a single beginning, or let the copies start at minus infinity.
= The copies have equal continuations with equal scores, so the best one fills the beam and the search is greedy.""",
        {"start": "copies"},
    ),
    (
        "beam-follows-one-continuation",
        """Each sentence in the beam is continued with its best token only.
? How many candidates does a beam of two have before it is cut?
> Every beginning is continued with every token, and then the best are kept.
= With one continuation for each beginning nothing new enters the beam, and the search is greedy.""",
        {"prune": "best"},
        {"prune": "best after the first"},
    ),
    (
        "beam-prunes-within-each-beginning",
        """The best continuations are chosen for each beginning by itself.
? May two sentences in the beam share all tokens but the last?
> Put the candidates of all beginnings in one list and keep the best of that.
= The beam is global: a good beginning may fill it alone, and a bad one may lose its place.""",
        {"prune": "each"},
    ),
    (
        "beam-ignores-the-end",
        """Finished sentences are continued.
? What should happen to a sentence that has reached the end token?
> A beginning that ends with eos is carried over as it is.
= After eos nothing follows. A finished sentence keeps its score and its place in the beam.""",
        {"finished": "grow"},
    ),
    (
        "beam-finished-leave-the-beam",
        """Finished sentences give up their place in the beam.
? How many places has your beam left once a sentence has ended?
> Keep finished sentences in the same list as the others when you cut it to beam_size.
= Here a finished sentence keeps its place. Taken out of the beam it frees a place for another, which changes what is
found.""",
        {"finished": "leave"},
        {"finished": "leave", "until": "enough"},
        {"finished": "all leave"},
        {"finished": "all leave", "until": "enough"},
    ),
    (
        "beam-finished-cannot-be-overtaken",
        """Finished sentences are set aside, and the beam gets narrower for good.
? Can a finished sentence be pushed out of your beam by better ones?
> Keep finished sentences in the same list as the others when you cut it to beam_size.
= A finished sentence keeps its place as long as it is among the best, and no longer.""",
        {"finished": "shrink"},
    ),
    (
        "beam-finished-are-lost",
        """Finished sentences are thrown away.
? Where do sentences go that have reached the end token?
> Carry them over to the next step.
= The best sentence may well be a finished one.""",
        {"finished": "vanish"},
        {"finished": "last round"},
    ),
    (
        "beam-size-ignored",
        """The beam has another width than beam_size.
? How many sentences does your beam hold after each step?
> Cut the candidates to beam_size, once a step.
= A beam of one is greedy decoding, and a beam without a limit is an exhaustive search: the width decides what is
found.""",
        {"width": "one"},
        {"width": "every"},
        {"width": "wider"},
        {"width": "narrower"},
    ),
    (
        "beam-returns-the-wrong-one",
        """The sentence returned is not the best of the beam.
? By what do you choose the sentence that is returned?
> Take the one with the largest sum; a beam need not be sorted.
= At the end the beam holds several sentences, and the one with the largest sum is the answer.""",
        {"choose": "worst"},
        {"choose": "last"},
        {"choose": "longest"},
        {"choose": "shortest"},
    ),
    (
        "beam-ignores-history",
        """The model is asked with the last token only.
? What does the model need to know in order to go on?
> Give step_fn the whole list, bos first.
= Each token depends on all tokens before it.""",
        {"seen": "last"},
    ),
    (
        "beam-max-len-off-by-one",
        """The result may be one token too long: the start token is not counted.
? Does max_len count the start token here?
> Count the tokens of your result for a model that never ends.
= max_len is the length of the result with bos in it, so at most max_len - 1 tokens are added.""",
        {"longer": 1},
    ),
    (
        "beam-stops-one-early",
        """The search ends one step too early.
? How many tokens has your result when the model never ends?
> max_len tokens have room, bos included.
= There are max_len - 1 steps, one for each token after bos.""",
        {"longer": -1},
    ),
    (
        "beam-drops-eos",
        """The end token is not part of the result.
? Does the required output include the end token?
> Return the whole sentence.
= A result without eos cannot be told from one that was cut off at max_len.""",
        {"keep_eos": False},
    ),
    (
        "beam-drops-bos",
        """The start token is not part of the result.
? Which token should the result begin with?
> Return the whole list that you gave to step_fn.
= The result starts with bos, as it does in greedy decoding.""",
        {"keep_bos": False},
    ),
    (
        "beam-always-appends-eos",
        """An end token is put at the end of sentences that were cut off.
? Did the model say eos, or did you?
> Only tokens that the model gave belong to the result.
= A sentence that ran out of room has no end token; adding one also makes it longer than max_len.""",
        {"closes": True},
    ),
    (
        "beam-wrong-result-form",
        """The result is not one list of tokens.
? Which form should the result have?
> Return one flat list of token ids: neither its score nor the whole beam.
= The answer is the best sentence alone.""",
        {"form": "pair"},
        {"form": "beam"},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""
