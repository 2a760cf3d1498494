"""Gradescope: ``submission_metadata.yml`` beside folders ``submission_<id>/``; keys are Ruby symbols, times are UTC.

PDF assignments are keyed by file name (``101.pdf``). Several submitters are a group.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from grader.classroom.entry import Entry, safe_key
from grader.classroom.moment import moment
from grader.classroom.tree import Tree
from grader.errors import GraderError

METADATA = "submission_metadata.yml"
OWN = re.compile(re.escape(METADATA))


def recognise(tree: Tree) -> bool:
    """The metadata file is there, or folders are named as Gradescope names them."""
    return METADATA in tree.top or (bool(tree.top) and all(re.fullmatch(r"submission_\d+/", name) for name in tree.top))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a submission of the metadata, and one a folder that the metadata does not know.

    Several submissions of the same people are their attempts.
    """
    known, parts = _metadata(tree), tree.parts()
    before: dict[frozenset[str], tuple[str, int]] = {}
    for key, about in sorted(known.items(), key=lambda item: (len(item[0]), item[0])):
        people = [person for person in about.get("submitters") or [] if isinstance(person, Mapping)]
        names = [_word(person.get("name")).strip() for person in people]
        known_by = ([_word(person.get(field)) for field in ("sid", "email")] for person in people)
        each = tuple(tuple(filter(None, one)) for one in known_by)
        ids = tuple(known for one in each for known in one)
        files = parts.get(f"{key}/") or parts.get(key, ())
        same = frozenset(ids or names or (key,))
        first, count = before.get(same, (key, 0))
        before[same] = (first, count + 1)
        yield Entry(
            key=safe_key(first), name=", ".join(filter(None, names)) or key, files=files,
            ids=(*ids, re.sub(r"^(\d+)\.pdf$", r"submission_\1", key)),
            members=tuple(names) if len(names) > 1 else (), submitted_at=_time(about.get("created_at")),
            attempt=count + 1, member_ids=each if len(names) > 1 else (),
        )  # fmt: skip
    for name, inside in parts.items():
        if name.endswith("/") and name.rstrip("/") not in known:
            folder = name.rstrip("/")
            yield Entry(safe_key(folder), folder, inside, (folder,), notes=("not in the metadata",))


def _metadata(tree: Tree) -> dict[str, dict[str, Any]]:
    text = tree.text(METADATA)
    if text is None:
        return {}
    import yaml

    plain = re.sub(r"^([ \t]*(?:- )?)[\"']?:(\w+)[\"']?:", r"\1\2:", _untagged(text), flags=re.MULTILINE)
    # Merged keys (<<) of merged keys grow without end; so told, they are no YAML.
    loader = type("Loader", (yaml.CSafeLoader,), {"flatten_mapping": lambda *_: None})
    try:
        raw = yaml.load(plain, loader)  # noqa: S506 - it is the safe one, with less
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise GraderError("the metadata is no valid YAML", METADATA, "Download the export again.") from error
    raw = raw if isinstance(raw, dict) else {}
    return {_word(key): about for key, about in raw.items() if isinstance(about, dict)}


def _word(value: Any) -> str:
    """A name or number as text; lists within lists, which a few lines of YAML make without end, are none."""
    return str(value) if isinstance(value, (str, int, float)) and value else ""


def _untagged(text: str) -> str:
    """The text without Ruby's own tags, such as ``!ruby/hash:…`` behind a key."""
    return re.sub(r"(?m)(:|^|-) !ruby/\S+", r"\1", text)


def _time(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    when = moment(_word(value))
    return when.isoformat() if when else _word(value)
