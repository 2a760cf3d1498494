"""Attack files: their headers, and where they are found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "attacks"
WRONG = "\n\nimport numpy as np\n\n\ndef softmax(x):\n    return np.zeros_like(x)\n"
"""What an attack that defines no softmax answers: its harm is beside the answer."""


@dataclass(frozen=True)
class Sample:
    """One attack file. ``expected`` are the results that are safe; ``standard``: that level promises them as well."""

    name: str
    kind: str
    expected: tuple[str, ...]
    code: str
    variants: tuple[int, ...]
    standard: bool = False

    @property
    def short(self) -> bool:
        """Whether it runs once, without torch, and ends by itself; one that does not stands for all of those."""
        ends = "timeout" not in self.expected or self.name == "own-endless"
        return ends and len(self.variants) == 1 and not self.torch

    @property
    def torch(self) -> bool:
        """Whether it wants a zygote that has torch, which is larger and slower."""
        return "torch" in self.code

    @property
    def probes(self) -> bool:
        return "def probe(" in self.code


def read(path: Path) -> Sample | None:
    """Return the sample of a file, None where it has no header of an attack.

    One that says no ``attack`` is ours, called as its file; one that says no ``kind`` is a module. Ours are safe at
    standard, too, but where they say ``standard: open``.
    """
    code = path.read_text(encoding="utf-8")
    head = dict(
        line.removeprefix("#").strip().split(": ", 1)
        for line in code.splitlines()[:6]
        if line.startswith("#") and ": " in line
    )
    if "expected" not in head:
        return None
    kind = head.get("kind", "module")
    code += "" if kind == "archive" or re.search(r"^[^#\n]*\bsoftmax\b", code, re.MULTILINE) else WRONG
    variants = (
        tuple(range(6)) if 'HINTS["variant"]' in code or "HINTS['variant']" in code or '"variant"' in code else (0,)
    )
    expected = tuple(word.strip() for word in head["expected"].replace("/", "|").split("|"))
    name = head.get("attack", f"own-{path.stem.replace('_', '-')}")
    standard = head.get("standard") == "safe" or not {"attack", "standard"} & head.keys()
    return Sample(name, kind, expected, code, variants, standard)


def folder(path: Path) -> list[Sample]:
    """Return the samples of a folder, by name."""
    found = (read(each) for each in sorted(path.glob("*.py")))
    return [sample for sample in found if sample is not None]


def told_apart(found: Iterable[Sample]) -> list[Sample]:
    """Number the samples that share an id, so that none hides the result of another."""
    seen: Counter[str] = Counter()
    made = []
    for sample in found:
        seen[sample.name] += 1
        made.append(sample if seen[sample.name] == 1 else replace(sample, name=f"{sample.name}_{seen[sample.name]}"))
    return made
