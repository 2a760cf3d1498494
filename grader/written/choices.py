"""Choices: one option of several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from grader.model.outcome import Verdict
from grader.written.concepts import concept_list, statements_of
from grader.written.german import in_english, spelt_out
from grader.written.judged import Judged, as_known, for_a_person, quoted, read_by_a_person, right, wrong
from grader.written.key import ChoiceKey, Names
from grader.written.neutral import denies, strange
from grader.written.sheet import Written
from grader.written.short_answer import contradicted
from grader.written.statements import account, folded
from grader.written.word_lists import small_words

_LEAD = re.compile(
    r"^(?:(?:it is|its|it|they are|they|is|are|the|a|an|by|from|comes?|using|use|we|die|der|das|vom)\s+)+(?=\w)"
)


def judge_choice(key: ChoiceKey, answer: Written) -> Judged:
    """Judge a choice.

    An answer that names several options, or none, goes to a person; so does a longer one that holds the words of a
    wrong option somewhere: a person reads what stands beside them.
    """
    found = _by_options(key, answer)
    spelt = {_flat(word) for words in key.options.values() for word in words}
    if found.verdict is Verdict.FAILED or _flat(answer.text) in spelt:  # the key's own words need no other look
        return found
    said = (answer.text, in_english(answer.text) or "")  # the options' words are those of several languages
    if key.held and any(contradicted(concept_list(key.held), text) for text in said):
        return read_by_a_person(answer.text)
    denies = _flat(answer.text).startswith("not ")  # not the order: what is said to be the case is left open
    denies = denies or any(name not in (*key.right, *key.beside) for name in options_in(answer.text, key.options))
    if found.verdict is not Verdict.PASSED and key.held and not denies and _said_rightly(key.held, answer):
        return right()
    return found


def _said_rightly(held: str, answer: Written) -> bool:
    """Say whether an answer in words of its own is made of right statements, which hold all that they are to hold."""
    known = statements_of(held)
    if known is None:
        return False
    told = account(known, folded(answer.text))
    asked = frozenset().union(*(kind.concepts for kinds in known.by_name.values() for kind in kinds))
    return bool(asked) and not told.left and told.concepts >= asked


def _by_options(key: ChoiceKey, answer: Written) -> Judged:
    picked = options_in(answer.text, key.options)
    if len(picked) != 1:  # a remark in brackets may be in the way
        bare = re.sub(r"(?<!\w)\([^()]*\)", " ", answer.text)  # but not what a function is applied to
        picked = (options_in(bare, key.options) if bare.strip() else ()) or picked
    picked = tuple(name for name in picked if name not in key.beside) or picked
    if len(picked) != 1 and not (picked and {*picked} <= {*key.right}):  # of several right ones any may be named
        why = f"It has the words of: {', '.join(picked)}." if picked else "It has the words of no option."
        return replace(read_by_a_person(answer.text), why=why)
    if picked[0] in key.right:
        beside = _beside(key, answer)
        if not beside:
            return right()
        waiting = for_a_person(_more_than(key, picked[0], answer))
        return replace(waiting, why=f"Not known to be right: {', '.join(beside[:5])}.")
    if not _plainly(_flat(answer.text), key.options[picked[0]], picked[0]):
        return for_a_person(_more_than(key, picked[0], answer), 0.0)
    return as_known(key, answer.text, lambda names: picked[0] in names) or wrong(f"You wrote {quoted(answer.text)}.")


def _more_than(key: ChoiceKey, name: str, answer: Written) -> str:
    """Say which words of an option stand in an answer: its name is the key's own affair."""
    said, _ = _taken_out(_flat(answer.text), key.options[name])
    words = next((word for word in key.options[name] if _flat(word) in said), name.replace("_", " "))
    return f"{quoted(answer.text)}: a person reads what stands beside “{words}”."


_RAISED = re.compile(r"\^\s?\{?\s?[\dA-Za-z]|[²³ᵀ⊤]|(?<![\w.,])\d+(?:[.,]\d+)?\s?[*·×]?\s?(?=[A-Za-z](?:[_\W]|$))")
"""What is done to a symbol: d_k squared, V transposed and 2 d_k are neither d_k nor V."""
_SYMBOL = re.compile(r"(?<![\w^.,/*=-])(?:[QKVXW]|\d+)(?![\w^.,/*=-])")
"""A matrix or a figure that stands alone: what is not the question's own may make another thing of an option."""
_HARMLESS = small_words()[1] - frozenset({"not", "no", "nor", "or", "but", "only", "without", "less", "least"})
_AGAINST = re.compile(r"\b(?:avoid|prevent|against|solv|reduc|mitigat|help|problem|gegen|verhinder|vermeid)")
"""What a right option may stand against: of “avoids vanishing” a part says the opposite."""


def _beside(key: ChoiceKey, answer: Written) -> list[str]:
    """Return what an answer adds that neither the question, nor a right option, nor a right statement knows."""
    text = answer.text
    said = _flat(text).split()
    own = [word for one in key.right for word in (one, *key.options[one])]
    raised = [] if any(map(_RAISED.search, own)) else _RAISED.findall(text)
    if any(" ".join(said) == _flat(word) for word in own):
        return raised
    plain = [words for words in map(_flat, own) if not (denies(words) or _AGAINST.search(words))]
    _, rest = _taken_out(_flat(text), {*map(_flat, own)} - {*plain})
    named = " ".join((key.title, key.ask, *key.words, *own))
    raised += [
        one for one in _SYMBOL.findall(text) if not re.search(rf"(?<![^\W_]){one}(?![^\W_])", named, re.IGNORECASE)
    ]
    found = raised + strange(rest, key, *key.words, *plain, but=_HARMLESS)
    known = statements_of(key.held) if found and key.held else None
    return [] if known and not account(known, folded(text)).left else found


def _plainly(flat: str, words: Names, name: str) -> bool:
    """Whether a text is, or starts with, an option's words, and says little else."""
    starts = (_flat(word) for word in (name, *words))
    return any(re.match(rf"{re.escape(start)}\b(?:\s+\w+){{0,6}}$", flat) for start in starts if flat.startswith(start))


def options_in(text: str, options: Mapping[str, Names]) -> tuple[str, ...]:
    """Return the options that ``text`` means: the one it is word for word, else all whose words are in it.

    Words inside another option's longer words do not count. A denial outside an option's own words makes it none.
    """
    flat = _flat(text)
    whole = [name for name, words in options.items() if any(flat == _flat(word) for word in (name, *words))]
    if len(whole) == 1:
        return tuple(whole)
    starts = [name for name, words in options.items() if _plainly(flat, words, name)]
    if len(starts) == 1 and starts[0] in {"yes", "no"}:
        return tuple(starts)
    said, rest = _taken_out(flat, [word for name, words in options.items() for word in (name, *words)])
    found = [name for name, words in options.items() if said & {_flat(word) for word in (name, *words)}]
    return () if denies(rest) else tuple(found)


def _taken_out(flat: str, words: Iterable[str]) -> tuple[set[str], str]:
    """Return which of the words stand in a text, the longest first, and the rest: a denial there turns them round."""
    known = sorted({word for word in map(_flat, words) if word and word in flat}, key=len, reverse=True)
    if not known:
        return set(), flat
    form = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)")
    return set(form.findall(flat)), form.sub(" ", flat)


@lru_cache(maxsize=4096)  # the words of the options come again and again
def _flat(text: str) -> str:
    """Return a text for comparison: lower case, words and signs only, without what leads in."""
    words = " ".join(re.sub(r"[^\w\s+−-]", " ", spelt_out(text).replace("’", "'").replace("'", "")).split())
    return _LEAD.sub("", words)
