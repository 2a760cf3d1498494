"""Gradescope: ``submission_metadata.yml`` beside folders ``submission_<id>/``; keys are Ruby symbols, times are UTC.

PDF assignments are keyed by file name (``101.pdf``). Several submitters are a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree
from grader.errors import GraderError

METADATA = "submission_metadata.yml"


def recognise(tree: Tree) -> bool:
    """The metadata file is there, or folders are named as Gradescope names them."""
    return METADATA in tree.top or (bool(tree.top) and all(re.fullmatch(r"submission_\d+/", name) for name in tree.top))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a submission of the metadata, and one a folder that the metadata does not know."""
    known = _metadata(tree)
    for key, about in sorted(known.items()):
        people = [person for person in about.get("submitters") or [] if isinstance(person, Mapping)]
        names = [str(person.get("name") or "").strip() for person in people]
        ids = tuple(str(person[field]) for person in people for field in ("sid", "email") if person.get(field))
        files = tree.below(key) or tuple(FileRef(f.path, f.name, f.member) for f in tree.files if f.name == key)
        yield Entry(
            key=safe_key(key), name=", ".join(filter(None, names)) or key, files=files, ids=(*ids, key),
            members=tuple(names) if len(names) > 1 else (), submitted_at=_time(about.get("created_at")),
        )  # fmt: skip
    for name in tree.top:
        if name.endswith("/") and name.rstrip("/") not in known:
            folder = name.rstrip("/")
            yield Entry(safe_key(folder), folder, tree.below(folder), (folder,), notes=("not in the metadata",))


def _metadata(tree: Tree) -> dict[str, dict[str, Any]]:
    text = tree.text(METADATA)
    if text is None:
        return {}
    import yaml

    try:
        raw = yaml.safe_load(re.sub(r"^(\s*(?:- )?):(\w+):", r"\1\2:", text, flags=re.MULTILINE))
    except yaml.YAMLError as error:
        raise GraderError("the metadata is no valid YAML", METADATA, "Download the export again.") from error
    return {str(key): about for key, about in (raw or {}).items() if isinstance(about, dict)}


def _time(value: Any) -> str:
    if value is None:
        return ""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return text.replace(" Z", "+00:00").replace(" UTC", "+00:00").replace(" ", "T", 1)
