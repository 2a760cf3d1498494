"""How the numpy components are set in these tests: their interfaces, widest and as each assignment narrows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from grader import components
from grader.component.component import Component
from grader.model.assignment import Interface

SAMPLES = Path(__file__).resolve().parents[1] / "samples"

_SETTINGS: dict[str, dict[str, Any]] = {
    "softmax": {"parameters": ("x", "axis")},
    "scaled_dot_product_attention": {"parameters": ("Q", "K", "V", "mask"), "returns": ("output", "weights")},
    "causal_mask": {"parameters": ("n",)},
    "padding_mask": {"parameters": ("lengths", "max_len")},
    "attention_masks": {"callable": "make_src_mask", "names": {"make_tgt_mask": "make_tgt_mask"}},
    "positional_encoding": {"parameters": ("max_len", "d_model")},
    "token_embedding": {"parameters": ("ids", "table")},
    "feed_forward": {"parameters": ("x", "W_1", "b_1", "W_2", "b_2")},
    "layer_norm": {"parameters": ("x", "gain", "shift", "eps")},
    "multi_head_attention": {
        "parameters": ("query", "key", "value", "W_q", "W_k", "W_v", "W_o", "num_heads", "mask"),
        "domain": {"indivisible": True},
    },
}
NAMES = tuple(_SETTINGS)
_PREFIXES = {"scaled_dot_product_attention": "sdpa"}


def component(name: str) -> Component:
    """The component in its function form."""
    found: Component = components.component(name, "function")
    return found


def interface(name: str, **changes: Any) -> Interface:
    """The component's widest interface, changed in places."""
    setting = {"callable": name, **_SETTINGS[name], **changes}
    return Interface(name, **setting)


def correct_files(name: str) -> list[Path]:
    """Right numpy submissions of the component."""
    return [p for p in sorted((SAMPLES / "correct").glob(f"{_PREFIXES.get(name, name)}_*.py")) if _plain(p)]


def open_files() -> list[tuple[str, str, Path]]:
    """(component, id, file) of wrong numpy submissions of these components."""
    found = []
    for path in sorted((SAMPLES / "open").glob("*.py")):
        head = re.search(r"component: *(\w+)", path.read_text())
        name = head[1] if head else ""
        if name in NAMES and _plain(path):
            found.append((name, path.stem.replace("_", "-"), path))
    return found


def _plain(path: Path) -> bool:
    return "torch" not in path.read_text()
