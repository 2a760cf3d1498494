"""How the training and decoding components are set in these tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from grader import components
from grader.component.component import Component
from grader.model.assignment import Interface

SAMPLES = Path(__file__).resolve().parents[1] / "samples"

_SETTINGS: dict[str, dict[str, Any]] = {
    "dropout": {"parameters": ("x", "p", "training", "rng")},
    "noam_lr": {"parameters": ("step", "d_model", "warmup")},
    "adam": {
        "callable": "adam_step",
        "parameters": ("params", "grads", "m", "v", "step", "lr", "beta1", "beta2", "eps"),
        "returns": ("params", "m", "v"),
    },
    "teacher_forcing": {"callable": "teacher_forcing_pair", "parameters": ("target",)},
    "greedy_decode": {"parameters": ("step_fn", "bos", "eos", "max_len")},
    "beam_search": {"parameters": ("step_fn", "bos", "eos", "max_len", "beam_size")},
    "complexity": {"callable": "count_parameters", "names": {"attention_flops": "attention_flops"}},
    "label_smoothing": {
        "callable": "label_smoothing_loss",
        "parameters": ("logits", "target", "eps", "pad_id"),
        "conventions": {"backend": "torch", "gradient": True},
    },
}
NAMES = tuple(_SETTINGS)
KEEPS_POINTS = {"noam-step-zero-crash"}
"""Step 0 is not asked."""


def component(name: str) -> Component:
    """The component in its function form, as its interface sets it."""
    return components.function(name).under(interface(name))


def interface(name: str, **changes: Any) -> Interface:
    """The component's interface, changed in places."""
    return Interface(name, **{"callable": name, **_SETTINGS[name], **changes})


def samples(folder: str) -> list[tuple[str, str, Path]]:
    """(component, id or empty, file) of the sample submissions of these components."""
    found = []
    for path in sorted((SAMPLES / folder).glob("*.py")):
        head = re.search(r"component: *(\w+)", path.read_text())
        wrong = re.search(r"misconception: *(\S+)", path.read_text())
        if head and head[1] in NAMES:
            found.append((head[1], wrong[1] if wrong else "", path))
    return found
