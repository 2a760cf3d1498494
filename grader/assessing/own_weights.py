"""The student's own attention weights for a sentence: what the code makes of it, to be looked at and not judged."""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader import components
from grader.assessing.assess import Asking
from grader.assessing.examination import locate
from grader.assessing.session import payload
from grader.component.calls import Call
from grader.component.pictures import MOST_COLUMNS, grid
from grader.errors import GraderError
from grader.judging import adapt, wording
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Grid
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Loaded, Program

WIDTH = 8
"""Features of a word's vector."""
PART = "weights"
"""The returned value that is drawn."""


def own_weights(submission: Submission, assignment: Assignment, sentence: str, sandbox: Asking) -> Grid:
    """Return the weights that the submission's attention gives the words of ``sentence``, beside the right ones.

    Every word attends to every word; equal words have equal vectors, drawn from the word alone, so that the same
    sentence gives the same weights. Raises GraderError where the assignment asks for no weights, where the sentence
    has no word or too many, and where the code gives none.
    """
    words = tuple(StudentText(word, 16) for word in sentence.split())
    if not 0 < len(words) <= MOST_COLUMNS:
        raise GraderError(f"has {len(words)} words; 1 to {MOST_COLUMNS} can be drawn", "--sentence")
    interface = next((one for one in assignment.interfaces if PART in _returned(one)), None)
    if interface is None:
        raise GraderError("asks for no attention weights", assignment.id, "Nothing can be drawn of it.")
    component = components.function_for(interface).under(interface)
    vectors = np.stack([_vector(word) for word in words])
    call = Call({"Q": vectors, "K": vectors, "V": vectors})
    found: list[str] = []

    def programs(loaded: Loaded) -> tuple[Program, ...]:
        found.append(locate(interface, loaded)[0])
        named = replace(interface, callable=found[0] or interface.callable)
        return (Program(adapt.steps_of(call, component, named, {}), component.name),)

    with sandbox.session() as session:
        answers = session.ask(payload(submission), programs, assignment.limits)
    reply = answers.replies[0] if answers.replies else None
    if reply is None or reply.status != "value":
        status, failure = (
            (answers.loaded.status, answers.loaded.failure) if reply is None else (reply.status, reply.failure)
        )
        told = f"{interface.callable} is not defined" if not any(found) else wording.told(
            status, failure, submission, assignment.limits, loading=reply is None)[0]  # fmt: skip
        raise GraderError(f"gives no weights: {told}", submission.path)
    right = component.oracle()(**call.inputs)
    got = adapt.answer_of(call, reply.values, component, interface, {})
    at = component.returns.index(PART)
    mine = got[at] if isinstance(got, tuple | list) and len(got) == len(component.returns) else None
    drawn = grid("weights", right[at], mine, ("words that look", "words looked at"))
    if drawn is None:
        raise GraderError(f"gives no weights of shape ({len(words)}, {len(words)})", submission.path)
    return replace(drawn, labels=(words, words))


def _returned(interface: Interface) -> Sequence[str]:
    """The names of what a component returns here."""
    return interface.returns or components.of(interface).returns


def _vector(word: str) -> np.ndarray[Any, Any]:
    bare = "".join(letter for letter in word.casefold() if letter.isalnum()) or word
    return np.random.default_rng(zlib.crc32(bare.encode())).normal(size=WIDTH)
