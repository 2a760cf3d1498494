"""Beam search: the beam_size best beginnings are kept at each step (section 6.1 decodes with a beam of 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

import reference
from grader.component.calls import Shown
from grader.component.checks import Evidence, Found, Oracle
from grader.component.pictures import DIGITS
from grader.components.beam_search_cases import PLACES, VOCAB, ladder
from grader.components.beam_search_workshop import workshop
from grader.components.greedy_decode import (
    OF_ROOM,
    compare,
    not_tokens,
    runs_on,
    starts_with_bos,
    tokens_of,
    told_room,
    words,
)
from grader.components.syntax_signs import leaves_unread
from grader.judging.function import Function
from grader.model.outcome import Beams, Branch, Picture, Tells
from grader.properties import Comparison

MOST_BRANCHES = 60
"""Beginnings of a drawn search."""


def tree(shown: Shown) -> Picture | None:
    """The search as a tree: what the right search compared and kept, with the sentence that came back."""
    mine = tokens_of(shown.got)
    model, bos, eos, size = (shown.inputs[name] for name in ("step_fn", "bos", "eos", "beam_size"))
    if mine is None or len(mine) > MOST_BRANCHES or any(not 0 <= token < VOCAB for token in mine) or mine[:1] != [bos]:
        return None
    beam: list[tuple[tuple[int, ...], float]] = [((bos,), 0.0)]
    branches = [Branch((bos,), 0.0, kept=True)]
    for _ in range(shown.inputs["max_len"] - 1):
        grown = [
            ((*tokens, token), score + float(step))
            for tokens, score in beam
            if tokens[-1] != eos or len(tokens) == 1
            for token, step in enumerate(model(tokens))
        ]
        ended = [each for each in beam if each[0][-1] == eos and len(each[0]) > 1]
        if not grown:
            break
        beam = sorted([*ended, *grown], key=lambda each: (-each[1], each[0]))[:size]
        kept = {tokens for tokens, _ in beam}
        branches += [
            Branch(tokens, round(score, DIGITS), kept=tokens in kept)
            for tokens, score in grown
            if tokens in kept or tokens == tuple(mine[: len(tokens)])
        ]
    if beam[0][0] != tuple(shown.expected):  # what the course settles is another search
        return None
    known, score = {branch.tokens for branch in branches}, 0.0
    for size in range(1, len(mine)):  # where it went on outside of the beam
        score += float(model(mine[:size])[mine[size]])
        if (tokens := tuple(mine[: size + 1])) not in known:
            branches.append(Branch(tokens, round(score, DIGITS), kept=False))
    if len(branches) > MOST_BRANCHES:
        return None
    return Beams("beams", tuple(branches), tuple(shown.expected), tuple(mine), eos)


component = Function(
    "beam_search",
    {"beam_search": reference.beam_search},
    ladder,
    title="Beam search",
    reread="section 6.1, and the text on beam search in Wu et al. 2016",
    workshop=workshop,
    compare=compare,
    picture=tree,
    only_listed=("alpha",),
)
component.settles(
    "finished",
    PLACES,
    narrows=lambda value: {"finished": value},
    drops={"either": frozenset({"beam-finished-leave-the-beam", "beam-finished-cannot-be-overtaken"})},
)
component.settles("winner")
component.settles("length_penalty")
component.settles("alpha", narrows=lambda alpha: {"alpha": alpha})
component.settles("counted")
component.settles("penalised")
component.settles("room", **OF_ROOM)


def _same_words(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The words are right; how the result begins and ends is another check's business."""
    mine, want = tokens_of(got), oracle(**inputs)
    if mine is None:
        return not_tokens(got)
    right, said = (words(each, inputs["bos"], inputs["eos"]) for each in (want, mine))
    if said == right:
        return None
    room = inputs["max_len"] - 1
    if len(right) == room and len(said) > room and said[:room] == right:
        return None  # one token too many is lost in fits_the_room
    return Comparison(False, f"returned the words {said} where {right} is likelier", want, mine, tells=Tells.DID)


component.check("beam_of_one_is_greedy", "With a beam of one the search is greedy decoding.", on="narrow")(_same_words)
component.check(
    "finds_what_greedy_misses",
    "The sentence with the largest sum of log-probabilities wins, though it starts with a less likely word.",
    on="search",
)(_same_words)
component.check(
    "finished_sentences_keep_their_place",
    "A finished sentence stays in the beam and competes with those that go on.",
    on="finished",
)(_same_words)
component.check("unfinished_sentences_compete", "At the end the best sentence is returned, finished or not.", on="cut")(
    _same_words
)
component.check(
    "wide_beam_finds_the_best_of_all", "A beam that is wide enough finds the likeliest sentence of all.", on="wide"
)(_same_words)
component.check(
    "divides_by_the_length_penalty",
    "The sum is divided by ((5 + |Y|) / 6)^alpha where the best is chosen; |Y| counts its tokens but bos.",
    on="penalty",
)(_same_words)
component.check()(starts_with_bos)


@component.check(on="finished")
def ends_with_eos(got: Any, bos: int, eos: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """A finished sentence keeps its end token, and nothing follows it."""
    mine, want = tokens_of(got), oracle(bos=bos, eos=eos, **inputs)
    if mine is None:
        return not_tokens(got)
    if eos not in want:
        return None
    if eos not in mine:
        ended = words(mine, bos, eos) != words(want, bos, eos)  # another sentence, which did not end
        return None if ended else Comparison(False, f"has no end token ({eos})", want, mine)
    return None if mine.index(eos) == len(mine) - 1 else Comparison(False, "goes on after the end token", want, mine)


@component.check()
def fits_the_room(got: Any, bos: int, max_len: int, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result has at most max_len tokens, the start token counted, and uses the room that it needs."""
    mine = tokens_of(got)
    if mine is None:
        return not_tokens(got)
    length = len(mine) + (mine[:1] != [bos])
    want = oracle(bos=bos, max_len=max_len, **inputs)
    unended = inputs["eos"] not in mine and inputs["eos"] not in want
    if length > max_len or (unended and length < len(want)):
        return Comparison(False, told_room(mine, bos, max_len), want, mine)
    return None


@component.hook
def passes_alpha(asked: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a length penalty is asked for in a call."""
    return any(inputs.get("alpha") for inputs in asked)


@component.hook
def passes_no_alpha(asked: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no length penalty is asked for."""
    return not passes_alpha(asked)


@component.hook
def never_ends(evidence: Evidence) -> bool:
    """The search goes on for ever when no sentence ends."""
    return runs_on(evidence, reference.beam_search)


_WIDTH = 4
"""The place of the width among the parameters."""


@component.hook
def leaves_width_unread(evidence: Evidence) -> bool:
    """Whether the width is not used; where it is, duplicates make the search greedy."""
    return leaves_unread(evidence, _WIDTH)


@component.hook
def reads_width(evidence: Evidence) -> bool:
    """Whether the width is used."""
    return bool(evidence.modules) and not leaves_unread(evidence, _WIDTH)
