"""Choices: one option of several, once or a row at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from grader.model.outcome import Verdict
from grader.written.concepts import concept_list, statements_of
from grader.written.german import in_english
from grader.written.judged import Judged, as_known, for_a_person, quoted, read_by_a_person, right, wrong
from grader.written.key import ChoiceKey, Names, RowsKey
from grader.written.labelled import pieces, table_lines
from grader.written.neutral import strange
from grader.written.question_names import by_label
from grader.written.sheet import Written
from grader.written.short_answer import contradicted
from grader.written.statements import account, folded
from grader.written.word_lists import small_words

MOST_ROWS = 4
"""Rows that are told about."""
LONGEST_CELL = 1
"""Words: a cell that holds more may speak of other rows too."""

_NUMBERS = re.compile(r"\d+")
_DENIAL = re.compile(
    r"\b(?:not|no|none|nothing|isnt|arent|doesnt|dont|cannot|cant|never|neither|nor|without|less|loses?|lost"
    r"|nicht|ohne|nie|kein\w*)\b"
)
_LEAD = re.compile(
    r"^(?:(?:it is|its|it|they are|they|is|are|the|a|an|by|from|comes?|using|use|we|die|der|das|vom)\s+)+(?=\w)"
)


def judge_choice(key: ChoiceKey, answer: Written) -> Judged:
    """Judge a choice.

    An answer that names several options, or none, goes to a person; so does a longer one that holds the words of a
    wrong option somewhere: a person reads what stands beside them.
    """
    found = _by_options(key, answer)
    if found.verdict is Verdict.FAILED:
        return found
    said = (answer.text, in_english(answer.text) or "")  # the options' words are those of several languages
    if key.held and any(contradicted(concept_list(key.held), text) for text in said):
        return read_by_a_person(answer.text)
    denies = _flat(answer.text).startswith("not ")  # not the order: what is said to be the case is left open
    denies = denies or any(name not in (*key.right, *key.beside) for name in options_in(answer.text, key.options))
    if found.verdict is not Verdict.PASSED and key.held and not denies and _said_rightly(key.held, answer):
        return right()
    return found


_CONTRAST = re.compile(r"[,;(–—]\s*(?:and\s+)?(?:not|nicht)\s+(?P<denied>[^,;.()]{1,60}?)\)?\s*\.?\s*$", re.IGNORECASE)
"""Not another option, said behind the one that is meant."""


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
    if not picked and (other := _CONTRAST.search(answer.text)):
        meant, denied = (options_in(part, key.options) for part in (answer.text[: other.start()], other["denied"]))
        picked = meant if denied and not set(meant) & set(denied) else ()
        answer = replace(answer, text=answer.text[: other.start()]) if picked else answer
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
_AGAINST = re.compile(
    _DENIAL.pattern + r"|\b(?:avoid|prevent|against|solv|reduc|mitigat|help|problem|gegen|verhinder|vermeid)"
)
"""What a right option may stand against: of “avoids vanishing” a part says the opposite."""


def _beside(key: ChoiceKey, answer: Written) -> list[str]:
    """Return what an answer adds that neither the question, nor a right option, nor a right statement knows."""
    text = answer.text
    said = _flat(text).split()
    own = [word for one in key.right for word in (one, *key.options[one])]
    raised = [] if any(map(_RAISED.search, own)) else _RAISED.findall(text)
    if any(" ".join(said) == _flat(word) for word in own):
        return raised
    if key.held and (known := statements_of(key.held)) and not account(known, folded(text)).left:
        return []
    plain = [words for words in map(_flat, own) if not _AGAINST.search(words)]
    _, rest = _taken_out(_flat(text), {*map(_flat, own)} - {*plain})
    named = " ".join((key.title, key.ask, *key.words, *own))
    raised += [
        one for one in _SYMBOL.findall(text) if not re.search(rf"(?<![^\W_]){one}(?![^\W_])", named, re.IGNORECASE)
    ]
    return raised + strange(rest, key, *key.words, *plain, but=_HARMLESS)


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
    return () if _DENIAL.search(rest) else tuple(found)


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
    words = " ".join(re.sub(r"[^\w\s+−-]", " ", text.replace("’", "'").replace("'", "")).lower().split())
    return _LEAD.sub("", words)


def no_rows(strays: Sequence[str]) -> str:
    """Name what was given under labels that no row has; empty where there is nothing."""
    return f" No such row: {', '.join(strays[:MOST_ROWS])}." if strays else ""


def judge_rows(key: RowsKey, answer: Written) -> Judged:
    """Judge a choice a row; a row left empty is not right, one that cannot be read sends the answer to a person."""
    given, rest = _cells(key, answer)
    cells, strays = by_label(given, [_flat(label) for label in key.rows])
    if not cells and (rest or strays):
        return for_a_person(f"{quoted(answer.text)} is not read row by row.{no_rows(strays)}")
    asked = len(key.rows)
    good: list[str] = []
    bad: list[str] = []
    unread: list[str] = []
    empty: list[str] = []
    for number, (label, wanted) in enumerate(key.rows.items(), key.first):
        text = cells.get(_flat(label), "")
        if not text.strip(" _-–—"):
            bad.append(f"{label}: left empty")
            empty.append(label)
            continue
        picked = options_in(text, key.options)
        if len(picked) != 1:
            unread.append(f"{label}: {quoted(text, 30)}")
        elif picked[0] != wanted:
            bad.append(f"{label}: {quoted(text, 30)}")
        elif key.earlier and any(int(step) >= number for step in _NUMBERS.findall(text)):
            bad.append(f"{label} is step {number} and can only depend on steps before it, not {quoted(text, 30)}")
        else:
            good.append(label)
    if unread:
        return for_a_person(f"Not read: {'; '.join(unread)}.", suggested=len(good) / asked)
    if empty and (rest or any(len(text.split()) > LONGEST_CELL for text in cells.values())):
        return for_a_person(f"Not read: what is said of {', '.join(empty[:MOST_ROWS])}.", suggested=len(good) / asked)
    if bad:
        slip = next((s for s in key.slips if any(v in text for v in s.values for text in cells.values())), None)
        more = f"; and {len(bad) - MOST_ROWS} more" if bad[MOST_ROWS:] else ""
        told = f"{len(good)} of {asked} rows are right. {'; '.join(bad[:MOST_ROWS])}{more}."
        return wrong(f"{told}{no_rows(strays)}", len(good), asked, slip)
    return right(asked)


def _cells(key: RowsKey, answer: Written) -> tuple[dict[str, str], bool]:
    """Return what stands in each row by its label, and whether there are words beside that are not read.

    From a table, ``label: answer`` lines, or lines in order. Rows that a sheet prints and nobody filled are left out.
    """
    if isinstance(answer.data, dict):
        return {_flat(str(label)): str(value or "") for label, value in answer.data.items()}, False
    labels = {_flat(label): label for label in key.rows}
    found: dict[str, str] = {}
    loose: list[str] = []
    drawn, lines = _parted(table_lines(answer.text))
    for line in drawn:
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        name = next((_flat(part) for part in parts[:2] if _flat(part) in labels), "")
        if name and len(parts) > 1 and parts[-1].strip(" _-–—"):
            found[name] = parts[-1]
    if not found and len(lines) == 1 and _ALL.search(lines[0].lower()) and len(pieces(lines[0], list(labels))) <= 1:
        return _in_order(key, lines, list(labels)), True
    for line in lines:
        head, colon, rest = line.partition(":")
        if said := pieces(line, list(labels)):
            found.update(said)
        elif colon and not options_in(head, key.options):
            found[_flat(re.sub(r"^\s*(?:\d+[.)]|[-*+])\s*", "", head))] = rest  # a label with a slip of the keyboard
        else:
            loose.append(re.sub(r"^\s*(?:\d+[.)]|[-*+])\s*", "", line))
    if not set(found) & set(labels) and loose:
        return _in_order(key, loose, list(labels)), True
    return found, bool(loose)


def _parted(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines that are rows of a drawn table, and the others."""
    return [line for line in lines if "|" in line], [line for line in lines if "|" not in line]


_ALL = re.compile(r"\b(?:all|each|every|everything|both|always|alle[ns]?|jede[rsmn]?|immer)\b")
_PLAIN = re.compile(r"\b(?:yes|ja|no|nein|depend\w*|abhängig\w*|häng(?:en|t))\b", re.IGNORECASE)
"""What says of all rows at once which option it is; other words of an option may stand for anything there."""
_SAVE = re.compile(
    r"\b(?:all|every|each)\b(?:\s+\w+){0,2}\s+(?:before|after|until|up to|from)\b"
    r"|\b(?:second|third|half|some|first|last|if|none|never|except|but|besides|apart|unless|other|only|most|almost|not)\b"
    r"|\b(?:parallel|independen\w*|at once|same time|simultan\w*|own|alone)\b"
    r"|\b(?:außer|bis auf|nur|fast|aber|nicht|kein\w*)\b"
)


def _in_order(key: RowsKey, lines: list[str], labels: list[str]) -> dict[str, str]:
    """Return the rows of answers without labels: one for all of them, or as many as there are rows."""
    one = " ".join(lines)
    if len(lines) == 1 and _ALL.search(one.lower()) and _PLAIN.search(one) and not _SAVE.search(one.lower()):
        picked = options_in(one, key.options)
        return dict.fromkeys(labels, picked[0]) if len(picked) == 1 else {}
    for parts in (lines, re.split(r"[,;/]", one), one.split()):
        each = [part for part in parts if part.strip()]
        if len(each) == len(labels):
            return dict(zip(labels, each, strict=True))
    return {}
