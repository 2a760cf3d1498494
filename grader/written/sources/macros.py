r"""A LaTeX file's own short commands, \newcommand and its like, put in where they are used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST = 100
LONGEST = 200_000
"""Characters of the text with everything put in: a macro may not make a bomb of a report."""
_ROUNDS = 6
_HEAD = re.compile(
    r"\\(?P<how>newcommand|renewcommand|providecommand|DeclareMathOperator|def)\*?\s{0,4}"
    r"\{?\s{0,2}\\(?P<name>[A-Za-z]{1,40})\s{0,2}\}?\s{0,4}(?P<count>\[[0-9]\])?(?P<default>\[[^\]]{0,80}\])?(?P<marks>(?:#[1-9]){0,9})"
    r"\s{0,4}(?=\{)"
)


@dataclass(frozen=True, slots=True)
class _Macro:
    count: int
    default: str | None
    body: str


def expanded(text: str) -> str:
    """Return ``text`` without the definitions of macros and with their bodies where they are used."""
    macros, rest = _taken(text)
    if not macros:
        return text
    names = re.compile(r"\\(" + "|".join(sorted(macros, key=len, reverse=True)) + r")(?![A-Za-z])")
    for _ in range(_ROUNDS):
        found = _once(rest, macros, names)
        if found == rest or len(found) > LONGEST:
            break
        rest = found
    return rest


def _taken(text: str) -> tuple[dict[str, _Macro], str]:
    """Return the macros by name, and the text without their definitions."""
    macros: dict[str, _Macro] = {}
    kept: list[str] = []
    at = open_ended = 0
    for head in _HEAD.finditer(text):
        if head.start() < at or len(macros) + open_ended >= MOST:
            continue
        body, end = _group(text, head.end())
        if end < 0:
            open_ended += 1
            continue
        if head["how"] == "DeclareMathOperator":
            body = rf"\operatorname{{{body}}}"
        count = int(head["count"][1]) if head["count"] else (head["marks"] or "").count("#")
        macros[head["name"]] = _Macro(count, head["default"][1:-1] if head["default"] else None, body)
        kept.append(text[at : head.start()])
        at = end
    kept.append(text[at:])
    return macros, "".join(kept)


def _group(text: str, at: int) -> tuple[str, int]:
    """Return what stands in the braces at ``at`` and where they end; -1 where they do not."""
    depth = 0
    for end in range(at, min(len(text), at + 4000)):
        if text[end] in "{}" and text[end - 1] != "\\":
            depth += 1 if text[end] == "{" else -1
            if depth == 0:
                return text[at + 1 : end], end + 1
    return "", -1


def _once(text: str, macros: dict[str, _Macro], names: re.Pattern[str]) -> str:
    out: list[str] = []
    at = size = missing = 0
    for use in names.finditer(text):
        if use.start() < at:
            continue
        macro = macros[use[1]]
        arguments, end = _arguments(text, use.end(), macro)
        if arguments is None:
            missing += 1
            if missing > MOST:
                break
            continue
        body = _filled(macro, arguments)
        # A letter behind a command without arguments must not join its last one.
        joins = not macro.count and re.match(r"[A-Za-z]", text[end : end + 1]) and re.search(r"\\[A-Za-z]+$", body)
        out += [text[at : use.start()], body, " " if joins else ""]
        size += len(body) + use.start() - at
        at = end
        if size > LONGEST:
            break
    out.append(text[at:])
    return "".join(out)


def _filled(macro: _Macro, arguments: Sequence[str]) -> str:
    def argument(mark: re.Match[str]) -> str:
        number = int(mark[1])
        return arguments[number - 1] if number <= macro.count else ""

    return re.sub(r"#([1-9])", argument, macro.body)


def _arguments(text: str, at: int, macro: _Macro) -> tuple[list[str] | None, int]:
    """Read the arguments of a use: groups in braces, or single letters; None where one is missing."""
    if not macro.count:
        return [], at + len(text[at : at + 1]) if text[at : at + 1] == " " else at
    found: list[str] = []
    if macro.default is not None:
        optional = re.compile(r"\s{0,4}\[([^\[\]]{0,200})\]").match(text, at)
        found.append(optional[1] if optional else macro.default)
        at = optional.end() if optional else at
    while len(found) < macro.count:
        blank = re.compile(r"\s{0,4}").match(text, at)
        at = blank.end() if blank else at
        if text[at : at + 1] == "{":
            inner, end = _group(text, at)
            if end < 0:
                return None, at
            found.append(inner)
            at = end
        elif at < len(text) and text[at] not in "\\}$":
            found.append(text[at])
            at += 1
        else:
            return None, at
    return found, at
