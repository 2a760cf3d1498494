"""What stands around a formula without being part of it: equation numbers and remarks in brackets."""

from __future__ import annotations

import re

from grader.written.formula.notation import is_equation

_GAP = (
    r"(?:\\q?quad(?![A-Za-z])|\\hfill(?![A-Za-z])|\\[;,:! ]|[ \t~&]|\\qquad(?![A-Za-z])|\\hspace\s?\{[^{}]{0,9}\}){1,9}"
)
_NUMBER = re.compile(
    rf"(?P<before>.){_GAP}(?:\\(?:text|mathrm|textrm|mbox)\s?\{{\s?)?[(\[](?:eq(?:uation|n)?\.?\s?)?(?:[A-Z]\.)?\d{{1,2}}(?:\.\d{{1,2}})?[a-e]?[)\]]"
    r"(?:\s?\})?(?=\s{0,9}[.,;$]{0,3}\s{0,9}(?:\\\\|\n|\\\]|\\\)|\\end|\Z))",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"(?P<gap>{_GAP}|[,;.]\s{{0,3}})(?:\\(?:text|mathrm|textrm|mbox)\s?\{{\s?)?\((?P<inside>[^\n]{{2,160}}?)\)(?:\s?\}})?[\s.$]{{0,9}}\Z"
)
_WORDS = re.compile(
    r"\b(?:is|are|the|of|denotes?|means?|where|with|here|note|over|per|each|for|row-?wise|using|i\.e\.|transposed?|dimension)\b",
    re.IGNORECASE,
)
_TEXT = re.compile(r"\\(?:text|mathrm|textrm|mbox)\s?\{([^{}]{0,80}[()=][^{}]{0,80})\}")
_TURNED = re.compile(
    r"(?:\\text\s?\{)?\s?(?:the\s)?\btranspose(?:d)?\s(?:of\s)?(?:the\s)?(?:\})?\s{0,3}(?:\\text\s?\{\s?)?(?:matrix\s)?\$?([QKV])\b\$?",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[,;.(]?\s{0,3}(?:\\q?quad\s?)?(?:\\text\s?\{\s?)?\b(?:i\.\s?e\.|e\.\s?g\.|that is|meaning|assuming|since"
    r"|because|provided|supposing|under the assumption|if (?:all|the|both|q)\b)[^=\n]{0,300}\Z"
)


_NUMBERED_HEAD = re.compile(
    r"\A[\s*]{0,4}(?:(?:eq|equation|sect?|section|gleichung|formula|formel)\.?\s?)?\(?\d{1,2}(?:\.\d{1,2}){0,3}\)?\s?:\s+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"\A\s{0,4}(?:[^\W\d_][^\W\d_-]*(?:-[^\W\d_]+)?\s+){1,12}?(?:is|are|lautet|est|as|by|becomes)\s+(?=[A-Za-z]\w{0,20}\s?[(\[][^()]{1,40}[)\]]\s?=|Var|E\[|\$)"
)
_NAMED = re.compile(r"\A\s{0,4}(?:[^\W\d_]{3,}[ -]){1,6}[^\W\d_]{3,}\s?=(?!=)")
_RUNNING = re.compile(r"(?<=[\s,])\(\s?[a-z]\s?=\s?\d\s?,[^()=]{1,30}\)")


def without_head(text: str) -> str:
    """Return `text` without the words or the number it begins with: The network is FFN(x) = …, 3.2.1: …."""
    text = _RUNNING.sub(" ", _NUMBERED_HEAD.sub("", text))
    return _NAMED.sub("", _SENTENCE.sub("", text))


_DEVIATION = re.compile(
    r"(?:\b(?:the|its|die)\s+)?\b(?:standard deviation|Standardabweichung)\b"
    r"(?:\s+of\s+(?:it|this|that|\$?q[^=,;.]{1,12}k\$?))?\s+(?:is|equals|becomes|ist)\s+",
    re.IGNORECASE,
)


def with_deviation(text: str) -> str:
    """Return a text with “the standard deviation is …” as an equation."""
    return _DEVIATION.sub(" std = ", text)


_SETTING = re.compile(r"\A(?P<words>[^=\n\\$]{10,240}?)(?=\bVar\s?[(\[])")


_AGAINST = re.compile(
    r"\b(?:not|no|never|wrong|false|without|dependent|correlated|equal|same|nicht|kein\w*|falsch|ohne|abh\w+)\b|n't\b",
    re.IGNORECASE,
)


def without_setting(text: str) -> str:
    """Return a text on variances without the words before its first equation that only set the scene."""
    found = _SETTING.match(text)
    if found is None or re.search(r"[2-9]|\d{2}|\d[.,/]\d", found["words"]) or _AGAINST.search(found["words"]):
        return text  # a variance other than one, perhaps
    words = re.findall(r"(?<![\w_])[a-z]{3,}", found["words"])
    return text[found.end() :] if len(words) > 2 or "~" in found["words"] else text  # noqa: PLR2004 - a clause


def _behind_words(cut: str) -> str:
    """Return the formula that words before it only announce: …, i.e. LayerNorm(x) + …."""
    return re.sub(r"\A[,;.(]?\s*(?:i\.\s?e\.|e\.\s?g\.|that is|meaning)[,:]?\s*", "", cut)


def without_reasons(text: str) -> str:
    """Return `text` without a closing clause of words that only gives a reason or says it again: …, since …."""
    match = _REASON.search(text)
    if match is None or len(re.findall(r"[A-Za-z]{3,}", match.group())) < 2:  # noqa: PLR2004 - words, not symbols
        return text
    cut = match.group()
    if re.search(r"[(\\^]", cut) and not re.search(r"[=(\\^]", text[: match.start()]):
        return _behind_words(cut)
    return text[: match.start()] if cut.count("{") == cut.count("}") and match.start() else text


_ITEM = re.compile(r"\A[\s*]{0,4}(?:\(?[a-h]\)|\([ivx]{1,3}\))\s+(?=[$\\A-Z])")  # (a) …
_FIRST_NUMBER = re.compile(
    r"\A[\s$]{0,4}\(\s?(?:eq\.?\s?)?\d{1,2}(?:\.\d{1,2})?[a-e]?\s?\)\s+(?=[A-Za-z\\$][^\n]{0,60}=)", re.IGNORECASE
)
_SIZE = r"(?:[nmNMTLhdB](?:_\{?\\?\w{1,9}\}?)?|\d{1,5})"
_SHAPES = re.compile(
    rf"\s[\[(](?:[\s,;=()\[\]:→]|\\to|->|then|and|shapes?|is|{_SIZE}\s?(?:×|\\times|x|by)\s?{_SIZE}){{3,60}}[\])][\s.$]{{0,4}}\Z"
)


def without_numbers(text: str) -> str:
    """Return `text` without the numbers of equations at the ends of its lines: … V   (1)."""

    def change(match: re.Match[str]) -> str:
        word = re.search(r"\\?[A-Za-z]{2,}$", text[: match.start() + 1][-12:])
        spaced = "\\" in match.group()[1:4]
        return match.group() if (word and not spaced) or match["before"] in "^_+-*/=(" else match["before"] + " "

    return _SHAPES.sub("", _NUMBER.sub(change, _FIRST_NUMBER.sub("", _ITEM.sub("", text))))


def remarks_behind(text: str) -> str:
    """Return `text` with a closing remark in brackets as a clause: … V (d_k is the width) as … V, where d_k is …."""
    whole = _TURNED.sub(r" \1^T ", _TEXT.sub(r" \1 ", text))
    match = _REMARK.search(whole)
    if match is None or not (
        _WORDS.search(match["inside"]) or is_equation(match["inside"]) or _is_sentence(match["inside"])
    ):
        return text
    before = whole[: match.start()]
    operator = re.search(r"[=+\-*/^_(\[{]\s*$", before) or re.search(r"\\?[A-Za-z]{3,}$", before)
    if operator or _closes_elsewhere(match["inside"]):
        return text
    inside = re.sub(r"^\s*(?:where|with|here|note that|note)\b", "", match["inside"])
    return f"{before} , where {inside}"


def _is_sentence(inside: str) -> bool:
    """Say whether a text is words in some language and no formula."""
    return len(re.findall(r"[^\W\d_]{3,}", inside)) > 1 and not re.search(r"[\^_\\+*/|=]", inside)


def _closes_elsewhere(inside: str) -> bool:
    """Say whether the brackets in a text do not pair up within it."""
    depth = 0
    for char in inside:
        depth += (char in "({[") - (char in ")}]")
        if depth < 0:
            return True
    return depth != 0
