"""Greedy decoding as students get it wrong: the oracle with knobs, and what to say about each setting."""

from __future__ import annotations

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
        case "second":
            return int(np.argsort(-scores, kind="stable")[1])
        case "highest_tie":
            return int(len(scores) - 1 - np.argmax(scores[::-1]))
        case "log":
            with np.errstate(all="ignore"):
                return int(np.argmax(np.log(scores)))
        case "skips_zero":
            return int(1 + np.argmax(scores[1:]))
        case _:
            return int(np.argmax(scores))


SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "greedy-ignores-eos",
        """Decoding goes on after the end token.
? When is the sentence finished?
> Leave the loop once the end token has been appended.
= After eos the model has nothing sensible to say. The loop ends at eos or at max_len, whichever comes first.""",
        {"stop": "never"},
    ),
    (
        "greedy-stops-late",
        """Decoding stops one token after the end token.
? Which are the last two tokens of your result?
> Test the token that was just picked, not the one before it.
= When the test looks at the previous token, one more token is drawn before the loop notices the end.""",
        {"stop": "late"},
    ),
    (
        "greedy-max-len-off-by-one",
        """The result may be longer than max_len: the start token is not counted.
? Does max_len count the start token here?
> Count the tokens of your result for a model that never ends: there should be max_len, bos included.
= max_len is the length of the result with bos in it, so at most max_len - 1 tokens are picked.""",
        {"longer": 1},
        {"longer": 2},
    ),
    (
        "greedy-fills-up",
        """The result is filled up to max_len.
? How long should the result be when the model ends at once?
> Stop when the end token has been appended.
= A result has at most max_len tokens: it ends with the end token, and nothing follows.""",
        {"fills": "eos"},
        {"fills": "zero"},
    ),
    (
        "greedy-stops-one-early",
        """The result is one token too short.
? How many tokens has your result when the model never ends?
> max_len tokens have room, bos included.
= The loop goes on while there are fewer than max_len tokens.""",
        {"longer": -1},
    ),
    (
        "greedy-drops-eos",
        """The end token is not part of the result.
? Does the required output include the end token?
> Append the token first, then test whether it is eos.
= A result without eos cannot be told from one that was cut off at max_len.""",
        {"keep_eos": False},
    ),
    (
        "greedy-drops-bos",
        """The start token is not part of the result.
? Which token should the result begin with?
> Return the whole list that you gave to step_fn, bos included.""",
        {"keep_bos": False},
    ),
    (
        "greedy-always-appends-eos",
        """An end token is put at the end of sentences that were cut off.
? Did the model say eos, or did you?
> Only tokens that the model picked belong to the result.
= A sentence that ran out of room has no end token; adding one also makes it longer than max_len.""",
        {"closes": True},
    ),
    (
        "greedy-takes-the-worst",
        """The least likely token is taken.
? Take one row of scores by hand. Which token should be picked?
> Log-probabilities are negative; the largest is the one nearest to zero.
= Greedy decoding takes the argmax of the scores at each step.""",
        {"pick": "min"},
    ),
    (
        "greedy-takes-the-second",
        """The second-best token is taken.
? Take one row of scores by hand. Which token should be picked?
> Check the index into your sorted scores.
= Greedy decoding takes the argmax of the scores at each step.""",
        {"pick": "second"},
    ),
    (
        "greedy-tie-goes-to-the-highest",
        """Among equal scores the highest token is taken.
? Which token wins when two have the same score?
> np.argmax gives the first of equals; a reversed sort, or >= in a loop, the last.
= The hand-out settles ties: the lowest token.""",
        {"pick": "highest_tie"},
    ),
    (
        "greedy-takes-logs-again",
        """The logarithm of log-probabilities is taken.
? What does step_fn return?
> The scores are logarithms already; the log of a negative number is not a number.""",
        {"pick": "log"},
    ),
    (
        "greedy-never-picks-zero",
        """Token 0 is never picked.
? May token 0 be the likeliest one?
> Every token of the vocabulary may be picked.""",
        {"pick": "skips_zero"},
    ),
    (
        "greedy-ignores-history",
        """The model is not asked with all tokens so far.
? What does the model need to know in order to go on?
> Give step_fn the whole list, bos first.
= The model is auto-regressive: each token depends on all tokens before it, bos included.""",
        {"seen": "last"},
        {"seen": "first"},
    ),
    (
        "greedy-wrong-prefix",
        """The model is asked with the wrong prefix.
? What does the model need to know in order to go on?
> Give step_fn the whole list, bos first, in the order in which it grew.
= The model has learnt to read from bos on: without it, or backwards, it reads another sentence.""",
        {"seen": "body"},
        {"seen": "reversed"},
    ),
    (
        "greedy-wrong-stop-token",
        """Decoding stops at another token than eos.
? Which token ends a sentence?
> Compare with the argument eos, and with nothing else.""",
        {"stop": "zero"},
        {"stop": "repeat"},
    ),
    (
        "greedy-wrong-result-form",
        """The result is not one list of tokens.
? Which form should the result have?
> One flat list of token ids, in the order in which they were picked.""",
        {"form": "last"},
        {"form": "reversed"},
        {"form": "pair"},
        {"form": "batch"},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""
