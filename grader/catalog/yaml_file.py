"""YAML read strictly: duplicate keys refused, and every complaint says file, line, field and what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from grader.catalog.places import data_root
from grader.errors import GraderError, nearest, system_errors

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from yaml.nodes import Node

MAX_BYTES = 1 << 20
MAX_DEPTH = 40

_FORMS = {
    r"^[a-z][a-z0-9_-]*$": "lower-case letters, digits, - and _, starting with a letter",
    r"^[a-z][a-z0-9_]*\.([a-z][a-z0-9_]*|\*)$": "a component, a dot and one of its checks, or softmax.* for all",
    r"^\d+(\.\d{1,4})?%?$": "points (14) or a share (80%)",
}
"""The patterns of grader.catalog.schema in words."""

Model = TypeVar("Model", bound="BaseModel")
Path_ = tuple[str | int, ...]
Complaint = tuple[Path_, str]
"""A field, and what is wrong with it."""


class InvalidFileError(GraderError):
    """A file of ours that does not say what it should; ``problems`` holds every complaint, one line each.

    ``fields`` are those that the complaints are about, where that is known.
    """

    def __init__(self, problems: Sequence[str], fields: Iterable[Path_] = ()) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(problems[0] + more)
        self.problems, self.fields = tuple(problems), frozenset(fields)

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The content of a YAML file, with the line of every field."""

    path: Path
    data: Any
    lines: Mapping[Path_, int]
    sha256: str

    def place(self, field: Path_) -> str:
        """Return ``file:line`` of ``field``, or of the nearest field around it that is there."""
        while field and field not in self.lines:
            field = field[:-1]
        return f"{self.path}:{self.lines.get(field, 1)}"

    def problem(self, field: Path_, complaint: str) -> str:
        """Return one complaint as ``file:line: field: complaint``."""
        name = dotted(field)
        return f"{self.place(field)}: {name}: {complaint}" if name else f"{self.place(field)}: {complaint}"

    def problems(self, complaints: Iterable[Complaint]) -> list[str]:
        """Return complaints in the same form."""
        return [self.problem(field, complaint) for field, complaint in complaints]


def dotted(field: Path_) -> str:
    """Return ``criteria[2].points`` for ``("criteria", 2, "points")``."""
    text = ""
    for part in field:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def read_yaml(path: Path) -> YamlFile:
    """Read ``path``; raises InvalidFileError for anything but one plain, shallow, unambiguous document."""
    import yaml

    from grader.intake.text import characters

    with system_errors(path, what="read"):
        raw = path.read_bytes()
    if len(raw) > MAX_BYTES:
        raise InvalidFileError([f"{path}:1: expected at most {MAX_BYTES >> 20} MB, found {len(raw)} bytes"])
    text, _ = characters(raw)
    try:
        _refuse_tricks(path, text)
        loader = yaml.CSafeLoader(text)
        try:
            node = loader.get_single_node()
            lines = dict(_walk(path, node)) if node else {}
            data = loader.construct_document(node) if node else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidFileError([f"{path}:{line}: not YAML: {error.problem}"]) from error
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidFileError([f"{path}:1: not YAML: {str(error).splitlines()[0]}"]) from error
    return YamlFile(path, data, lines, sha256(raw).hexdigest())


def _refuse_tricks(path: Path, text: str) -> None:
    """Refuse aliases and deep nesting before anything is built; a stranger may have written the file."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise InvalidFileError([f"{path}:{line}: expected no aliases (*name); write the value out"])
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidFileError([f"{path}:{line}: expected at most {MAX_DEPTH} levels of nesting"])


def _walk(path: Path, node: Node, field: Path_ = ()) -> Iterator[tuple[Path_, int]]:
    """Yield every field with its line, and refuse keys that are given twice."""
    import yaml

    if field == ():
        yield field, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = str(key.value)
            if name in first:
                here = dotted((*field, name))
                raise InvalidFileError([f"{path}:{line}: {here}: given twice, first on line {first[name]}"])
            first[name] = line
            yield (*field, name), line
            yield from _walk(path, value, (*field, name))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*field, index), value.start_mark.line + 1
            yield from _walk(path, value, (*field, index))


def validate(source: YamlFile, model: type[Model]) -> Model:
    """Return ``source`` as ``model``; raises InvalidFileError with every complaint."""
    from pydantic import ValidationError

    if not isinstance(source.data, dict):
        raise InvalidFileError([f"{source.path}:1: expected a mapping of fields"])
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        complaints = list(_complaints(error, model))
        raise InvalidFileError(source.problems(complaints), [field for field, _ in complaints]) from error


def content(source: YamlFile, model: str) -> Mapping[str, Any]:
    """Return what ``source`` says as plain data, validated as the model of that name in grader.catalog.schema.

    The files that come with the grader are taken as they are: the tests validate them, and the models take longer to
    import than a small submission to grade. Raises InvalidFileError.
    """
    if source.path.is_relative_to(data_root()):
        return dict(source.data)
    from grader.catalog import schema

    validated: BaseModel = validate(source, getattr(schema, model))
    return validated.model_dump(by_alias=True)


def _complaints(error: ValidationError, model: type[BaseModel]) -> Iterator[Complaint]:
    items = error.errors(include_url=False)
    for item in items:
        inner = any(other["loc"][: len(item["loc"])] == item["loc"] for other in items if other is not item)
        if item["type"] == "too_short" and inner:
            continue  # pydantic leaves wrong entries out before it counts
        context: Mapping[str, Any] = item.get("ctx", {})
        field: Path_ = tuple(item["loc"])
        if item["type"] == "unknown_field":
            field = (*field, context["key"])
        if item["type"] == "extra_forbidden":
            cure = nearest(str(field[-1]), _fields(model, deep=len(field) > 1))
            yield field, f"unknown field. {cure}"
            continue
        yield field, _expected(item["type"], item["msg"], context) + _found(item)


def _fields(model: type[BaseModel], *, deep: bool) -> tuple[str, ...]:
    """The names of a model's fields, or of those of the models in it."""
    if not deep:
        return tuple(model.model_fields)
    inner = model.model_json_schema().get("$defs", {}).values()
    return tuple(dict.fromkeys(name for found in inner for name in found.get("properties", ())))


def _found(item: Mapping[str, Any]) -> str:
    value = item["input"]
    if item["type"] in {"missing", "unknown_field", "value_error"} or isinstance(value, dict | list):
        return ""
    text = repr(value)
    return f", found {text[:60]}"


def _expected(kind: str, message: str, context: Mapping[str, Any]) -> str:
    """Return in plain words what pydantic expected."""
    least = context.get("min_length", 1)
    plain = {
        "missing": "expected this field, and it is missing",
        "string_type": "expected text (put it in quotes)",
        "list_type": "expected a list",
        "tuple_type": "expected a list",
        "dict_type": "expected a mapping",
        "mapping_type": "expected a mapping",
        "model_type": "expected a mapping of fields",
        "model_attributes_type": "expected a mapping of fields",
        "bool_type": "expected true or false",
        "bool_parsing": "expected true or false",
        "decimal_type": "expected a number",
        "decimal_parsing": "expected a number",
        "float_type": "expected a number",
        "float_parsing": "expected a number",
        "int_type": "expected a whole number",
        "int_parsing": "expected a whole number",
        "finite_number": "expected a finite number",
        "too_short": f"expected at least {least} entr{'y' if least == 1 else 'ies'}",
    }
    if kind in plain:
        return plain[kind]
    if kind in {"literal_error", "enum"}:
        return f"expected {context['expected']}"
    if kind == "string_pattern_mismatch":
        return f"expected {_FORMS.get(str(context.get('pattern')), 'another form of text')}"
    if kind == "value_error":
        return str(context["error"])
    bounds = {"greater_than_equal": ("ge", "at least"), "greater_than": ("gt", "more than")}
    bounds |= {"less_than_equal": ("le", "at most"), "decimal_max_places": ("decimal_places", "no more decimals than")}
    if kind in bounds:
        key, words = bounds[kind]
        return f"expected {words} {context[key]}"
    return message[:1].lower() + message[1:]
