"""Greedy decoding: the likeliest token at each step, until the end token or the room is used up (section 3.1)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case, StepFn
from grader.component.checks import Evidence, Found, Oracle
from grader.components.greedy_decode_workshop import workshop
from grader.judging.function import Function
from grader.properties import Comparison, as_array, other_kind

BOS, EOS = 1, 2


def logs(*shares: float) -> list[float]:
    """Log-probabilities from shares that need not sum to 1."""
    return [float(value) for value in np.log(np.asarray(shares) / np.sum(shares))]


def favouring(token: int, vocab: int, rng: np.random.Generator | None = None, second: int | None = None) -> list[float]:
    """Log-probabilities with ``token`` on top; drawn around it where there is a generator."""
    shares = np.full(vocab, 0.1) if rng is None else rng.uniform(0.05, 0.5, vocab)
    shares[BOS] = 0.02  # the start token is never a sensible answer
    if second is not None:
        shares[second] = 0.6
    shares[token] = 0.8
    return logs(*shares)


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Models that end first, then models that look back, then models that never end.

    ``domain``: ``stops`` (false: whatever the model says, the room is used up), ``shortest`` (the least max_len).
    """
    for case in roomy(_rungs(rng), domain):
        yield case if domain.get("stops", True) else replace(case, tags=(case.tags - {"ends"}) | {"endless"})


def roomy(cases: Iterable[Case], domain: Mapping[str, Any]) -> Iterable[Case]:
    """Those of the cases whose ``max_len`` is at least what the domain has as ``shortest``."""
    shortest = domain.get("shortest", 1)
    return (case for case in cases if case.inputs["max_len"] >= shortest)


def _rungs(rng: np.random.Generator) -> Iterable[Case]:
    yield _case(StepFn({}, {}, logs(1, 1, 7, 1)), 5, "the model ends at once", "ends", fixed=True)
    short = StepFn({}, {"1": favouring(3, 5), "3": favouring(EOS, 5)}, favouring(4, 5))
    yield _case(short, 6, "one word, then the end", "ends", fixed=True)
    yield _case(short, 3, "the end token takes the last place", "ends", fixed=True)
    path = [3, 0, *(int(token) for token in rng.permutation(np.arange(4, 8))[:2])]
    last = {str(a): favouring(b, 8, rng) for a, b in zip([BOS, *path], [*path, EOS], strict=True)}
    yield _case(StepFn({}, last, favouring(3, 8, rng)), 9, "four words, then the end", "ends")
    yield _case(_remembering([3, 3, 4], 6, None), 8, "the answer depends on all tokens so far", "history", fixed=True)
    yield _case(_remembering([5, 3, 5, 5, 4], 7, rng), 9, "the answer depends on all tokens so far", "history")
    yield _case(StepFn({}, {}, logs(2, 0.1, 1, 4, 4)), 3, "two tokens have the same score", "tie", fixed=True)
    yield _case(StepFn({}, {}, logs(1, 1, 1, 7)), 1, "room for the start token only", "endless", fixed=True)
    yield _case(StepFn({}, {}, logs(1, 1, 1, 7)), 4, "the model never ends", "endless", fixed=True)
    yield _case(short, 2, "the room ends before the sentence", "endless", fixed=True)
    ring = rng.permutation(np.arange(3, 9))
    around = {str(a): favouring(int(b), 9, rng, EOS) for a, b in zip(ring, np.roll(ring, 1), strict=True)}
    yield _case(StepFn({}, around, favouring(int(ring[2]), 9, rng)), 12, "the model goes round and round", "endless")


def _case(model: StepFn, max_len: int, why: str, tag: str, *, fixed: bool = False) -> Case:
    return Case({"step_fn": model, "bos": BOS, "eos": EOS, "max_len": max_len}, why, frozenset({tag}), fixed=fixed)


def _remembering(path: Sequence[int], vocab: int, rng: np.random.Generator | None) -> StepFn:
    """A model that follows ``path`` by the whole prefix; its default goes elsewhere."""
    rows, prefix = {}, [BOS]
    for token in [*path, EOS]:
        rows[",".join(map(str, prefix))] = favouring(token, vocab, rng)
        prefix.append(token)
    return StepFn(rows, {}, favouring(0, vocab, rng))


def compare(got: Any, expected: Any, **_: Any) -> Comparison:
    """Whether two results are the same tokens; a score that comes with them is not compared."""
    if isinstance(expected, tuple):
        return Comparison(any(_plain(part) == _plain(expected[0]) for part in got), "differs", expected, got)
    same = _plain(got) == _plain(expected)
    return Comparison(same, "" if same else "differs", expected, got)


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists, whole numbers as int, so that the container does not matter."""
    inner = getattr(value, "array", value)
    if isinstance(inner, np.ndarray):
        return _plain(inner.tolist())
    if isinstance(inner, list | tuple):
        return [_plain(item) for item in inner]
    return int(inner) if isinstance(inner, float) and inner.is_integer() else inner


def as_said(value: Any, declared: Any, inputs: Mapping[str, Any]) -> Any:
    """Put back the start and the end token that a course leaves out of the result; only where both are missing there.

    A sentence without its end token has ended where it is shorter than the room.
    """
    tokens = tokens_of(value)
    if tokens is None:
        return value
    bos, eos = inputs["bos"], inputs["eos"]
    if declared in {"without_bos", "words"}:
        tokens = [bos, *tokens]
    if declared in {"without_eos", "words"} and len(tokens) < inputs["max_len"]:
        tokens = [*tokens, eos]
    return tokens


OF_ROOM: Mapping[str, Any] = {
    "added": {"new": {"max_len": -1}},
    "narrows": lambda value: {"shortest": 2 if value == "new" else 1},
}
component = Function(
    "greedy_decode",
    {"greedy_decode": reference.greedy_decode},
    ladder,
    title="Greedy decoding",
    reread="section 3.1: the model is auto-regressive",
    workshop=workshop,
    compare=compare,
)
component.settles("ends", narrows=lambda value: {"stops": value == "eos"}, unused={"room": ("eos",)})
component.settles("decoded", reads=as_said)
component.settles("room", **OF_ROOM)


def tokens_of(got: Any) -> list[int] | None:
    """Read a result as a list of token ids: a list, tuple or array of whole numbers; None for anything else."""
    if isinstance(got, list | tuple) and not got:
        return []
    array = as_array(got)
    if array is None or array.ndim != 1 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    if (array != np.floor(array)).any():
        return None
    return [int(token) for token in array]


def words(tokens: Sequence[int], bos: int, eos: int) -> list[int]:
    """What stands between the start token and the first end token."""
    body = list(tokens[1:] if tokens[:1] == [bos] else tokens)
    return body[: body.index(eos)] if eos in body else body


def told_room(tokens: Sequence[int], bos: int, max_len: int) -> str:
    """How many tokens there are and could be, the start token counted on both sides."""
    count = len(tokens) + (list(tokens[:1]) != [bos])
    return f"has {count} tokens with the start token, and there is room for {max_len}"


def not_tokens(got: Any) -> Comparison:
    """The message for a result that is no list of tokens."""
    return other_kind(got, "a list of token ids")


def _same_words(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    want, mine = oracle(**inputs), tokens_of(got)
    if mine is None:
        return not_tokens(got)
    bos, eos = inputs["bos"], inputs["eos"]
    right, said = words(want, bos, eos), words(mine, bos, eos)
    shared = min(len(right), len(said))
    if said[:shared] == right[:shared] and shared >= len(right) - 1 and (shared or not right):
        return None  # how the result begins, ends and how long it is are other checks' business
    place = next((i for i in range(shared) if said[i] != right[i]), shared)
    return Comparison(False, f"token {place + 1} after the start is not the likeliest one", want, mine)


component.check(
    "picks_the_likeliest_token",
    "Each token is the one with the highest score.",
    on=lambda case: not case.tags & {"history", "tie"},
)(_same_words)
component.check(
    "looks_at_the_whole_prefix", "The model is asked with all tokens so far, the start token first.", on="history"
)(_same_words)
component.check("takes_the_lowest_of_equals", "Among equal scores the lowest token is taken.", on="tie")(_same_words)


@component.check()
def starts_with_bos(got: Any, bos: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result starts with the start token, once."""
    mine = tokens_of(got)
    if mine is None:
        return not_tokens(got)
    again = oracle(bos=bos, **inputs)[1:2] == [bos]  # the model may say it, though it hardly does
    right = mine[:1] == [bos] and (again or mine[1:2] != [bos])
    return None if right else Comparison(False, f"does not start with {bos}", got=mine)


@component.check(on="ends")
def stops_at_the_end_token(got: Any, bos: int, eos: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """Nothing follows the end token."""
    mine, want = tokens_of(got), oracle(bos=bos, eos=eos, **inputs)
    if mine is None:
        return not_tokens(got)
    spoken = mine.index(eos) + 1 if eos in mine else len(words(want, bos, eos)) + (mine[:1] == [bos])
    extra = len(mine) - spoken
    return None if extra <= 0 else Comparison(False, f"goes on for {extra} more after the end token", want, mine)


@component.check(on="ends")
def keeps_the_end_token(got: Any, bos: int, eos: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """The end token itself is part of the result."""
    mine, want = tokens_of(got), oracle(bos=bos, eos=eos, **inputs)
    if mine is None:
        return not_tokens(got)
    body, place = mine[mine[:1] == [bos] :], len(words(want, bos, eos))
    found = body[place : place + 1] == [eos]
    return None if found else Comparison(False, f"has no end token ({eos}) where the sentence ends", want, mine)


@component.check(on="endless")
def fills_the_room_and_no_more(got: Any, bos: int, max_len: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """A sentence that does not end has max_len tokens, the start token counted."""
    mine = tokens_of(got)
    if mine is None:
        return not_tokens(got)
    length = len(mine) + (mine[:1] != [bos])
    want = oracle(bos=bos, max_len=max_len, **inputs)
    return None if length == max_len else Comparison(False, told_room(mine, bos, max_len), want, mine)


@component.check(
    ask=lambda **inputs: (Call(inputs, repeat=3),), on=lambda case: case.inputs["max_len"] > 7, most=2, manner=True
)
def gives_the_same_answer_again(answers: list[Any], **_: Any) -> Found:
    """The same model gives the same sentence every time."""
    read = [tokens_of(answer) for answer in answers]
    if read[0] is None:
        return not_tokens(answers[0])
    return None if read[0] == read[1] == read[2] else Comparison(False, "gave different sentences", read[0], read[1])


def runs_on(evidence: Evidence, right: Callable[..., Any]) -> bool:
    """Whether models that end are decoded as is ``right`` and the first one that never ends takes for ever."""
    asked = [answer for answer in evidence.answers if "not asked" not in getattr(answer.failure, "message", "")]
    hung = [answer for answer in asked if answer.status in {"timeout", "memory"}]
    came = [answer for answer in asked if answer.status == "value"]
    done = [answer for answer in came if answer.call.repeat == 1]
    if not (hung and done and len(hung) + len(came) == len(asked)):
        return False
    return all(compare(answer.value, right(**answer.call.inputs)) for answer in done)


@component.hook
def never_ends(evidence: Evidence) -> bool:
    """Decoding goes on for ever when the model never ends."""
    return runs_on(evidence, reference.greedy_decode)


@component.hook
def samples(evidence: Evidence) -> bool:
    """Tokens are drawn at random and not taken greedily."""
    again = [a for a in evidence.answers if a.call.repeat > 1 and a.status == "value"]
    return any(len({str(tokens_of(value)) for value in a.value}) > 1 for a in again)
