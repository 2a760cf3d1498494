"""What platforms, spreadsheets and people call things; the words stand in ``words.toml``."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_READ: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
HEADINGS: Mapping[str, tuple[str, ...]] = {what: tuple(names) for what, names in _READ["headings"].items()}
FILES: Mapping[str, frozenset[str]] = {what: frozenset(names.split()) for what, names in _READ["files"].items()}
MONTHS = tuple(tuple(names.split()) for names in _READ["times"]["months"])
ZONES: Mapping[str, int] = _READ["zones"]
