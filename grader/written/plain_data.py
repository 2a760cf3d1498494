"""YAML and JSON of strangers: everything stays text, nothing is built from tags, aliases and depth are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import loads
from typing import Any

from grader.written.question_names import ID, Names

MAX_DEPTH = 20
MAX_CHARACTERS = 1_000_000
_HALVES = re.compile(r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}")
_MEANT = {"": None, "~": None, "null": None, "true": "yes", "false": "no"}
"""What bare words stand for."""


Replaced = tuple[tuple[str, Any], ...]
"""Keys that are given again, each with the value that gave way."""


def load_plain(text: str, *, json: bool) -> tuple[Any, Replaced, str]:
    """Return the content (dicts, lists and text), what a later value of its key replaced, and a problem or nothing.

    JSON is YAML but for letters that it escapes in two halves.
    """
    import yaml

    if len(text) > MAX_CHARACTERS:
        return None, (), "more text than a sheet has; it was not read."
    text = _HALVES.sub(lambda two: loads(f'"{two[0]}"'), text) if json else text
    what = "JSON" if json else "YAML"
    twice: list[tuple[str, Any]] = []
    try:
        node = yaml.compose(_guarded(text), Loader=yaml.CSafeLoader)
        return (_built(node, twice) if node is not None else None), tuple(twice), ""
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return None, (), f"not {what} (line {line}: {error.problem}); read line by line."
    except (yaml.YAMLError, ValueError) as error:
        return None, (), f"not {what} ({str(error).splitlines()[0]}); read line by line."


def _guarded(text: str) -> str:
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("an alias (*name) is not followed: put answers that start with * in quotes")  # noqa: TRY004 - the text is wrong, not a type
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
    return text


def _built(node: Any, twice: list[tuple[str, Any]]) -> Any:
    """Return a node's content; every scalar as it was written, a plain empty one as nothing."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if name in found:
                twice.append((name, found[name]))
            found[name] = _built(value, twice)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_built(value, twice) for value in node.value]
    return node.value if node.style else _MEANT.get(node.value, node.value)


def entries(content: Any, names: Names, depth: int = 0) -> Iterator[tuple[str, str, Any]]:
    """Yield the question, what was typed where that is none's name, and the value.

    Keys may be names, ``[name] the question``, or the question's own words (a form's columns). Other words are a
    form's own business; what looks like a name is not.
    """
    if isinstance(content, list):
        for item in content:
            yield from entries(_one_of_a_list(item), names, depth + 1)
    if not isinstance(content, dict):
        return
    for key, value in content.items():
        bracket = re.search(rf"\[({ID})\]", str(key))
        name = names.exact(str(key)) or (names.exact(bracket[1]) if bracket else "")
        typed = bracket[1] if bracket else str(key).strip()
        if name:
            yield name, "", value
        elif meant := names.meant(typed):
            yield meant, typed, value
        elif isinstance(value, dict | list) and _holds_keys(value) and depth < 3:  # noqa: PLR2004 - sections, and more
            yield from entries(value, names, depth + 1)
        elif bracket or re.fullmatch(ID.replace(" ", ""), typed):
            yield "", typed, value


def _holds_keys(value: dict[str, Any] | list[Any]) -> bool:
    return isinstance(value, dict) or any(isinstance(item, dict) for item in value)


def _one_of_a_list(item: Any) -> Any:
    """Return ``{id: …, answer: …}`` as ``{id: answer}``; anything else as it is."""
    if not isinstance(item, dict):
        return item
    lower = {str(key).lower(): value for key, value in item.items()}
    name = next((lower[key] for key in ("id", "name", "question", "key") if isinstance(lower.get(key), str)), None)
    answers = [lower[key] for key in ("answer", "value", "text", "response") if key in lower]
    return {name: answers[0]} if name and answers else item


def flat(value: Any) -> str:
    """Return structured answers as the text that a person reads."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_inline(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"{number}. {_inline(item)}" for number, item in enumerate(value, 1))
    return "" if value is None else str(value)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_inline(item)}" for key, item in value.items())
    return ", ".join(map(_inline, value)) if isinstance(value, list) else "" if value is None else str(value)
