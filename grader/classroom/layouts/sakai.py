"""Sakai: ``<Last>, <First>(<id>)/Submission attachment(s)/<file>``, timestamp.txt beside it, grades.csv above all.

Everybody on the site has a folder; who handed in nothing has one without attachments and without text.
"""

import re
from collections.abc import Iterable

from grader.classroom.entry import Entry, safe_key
from grader.classroom.moment import moment
from grader.classroom.tree import Tree, text_of

_PERSON = re.compile(r"^(?P<name>[^/]+?) ?\((?P<user>[^()/]+)\)/$")
_ATTACHED = "Submission attachment(s)/"
OWN = re.compile(
    r"grades\.(csv|xlsx?)|.*/(timestamp\.txt|comments\.txt|feedbackText\.html?|[^/]*_submissionText\.html?)"
    r"|.*/Feedback Attachment\(s\)/.*"
)


def recognise(tree: Tree) -> bool:
    """Folders of people hold folders of attachments."""
    return any(f"/{_ATTACHED}" in file.name and _PERSON.match(file.name.split("/", 1)[0] + "/") for file in tree.files)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a folder of somebody who handed in something."""
    for top, inside in tree.parts().items():
        found = _PERSON.match(top)
        if not found:
            continue
        last, _, first = found["name"].partition(", ")
        name, user = f"{first} {last}".strip(), found["user"]
        files = tuple(
            file.called(file.name.removeprefix(_ATTACHED)) for file in inside if file.name.startswith(_ATTACHED)
        )
        typed = [file for file in inside if file.name.endswith("_submissionText.html") and _says(text_of(file) or "")]
        stamp = next((text_of(file, 200) for file in inside if file.name == "timestamp.txt"), "") or ""
        notes = ("a text was typed in beside the files",) if typed and files else ()
        if not (files or typed):
            continue
        yield Entry(
            safe_key(f"{name}-{user}"), name, files or tuple(file.called("text.html") for file in typed), (user,),
            submitted_at=_time(stamp.strip()), notes=notes,
        )  # fmt: skip


def _says(html: str) -> bool:
    return bool(re.sub(r"<[^>]*>|&nbsp;|\s", "", html))


def _time(stamp: str) -> str:
    """Digits alone are UTC, as Sakai keeps its times."""
    when = moment(stamp)
    if when and re.fullmatch(r"\d{14,20}", stamp):
        return f"{when.isoformat()}+00:00"
    return stamp[:100]
