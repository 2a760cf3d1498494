"""The components of the paper that can be set; a component is the file of its name, and what is long stands beside it.

The objects are listed here, imported when asked for: there is no scan and no global registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.component.part import Part
    from grader.judging.function import Function
    from grader.model.assignment import Interface

_HOMES: dict[str, dict[str, str]] = {
    # component: the file that judges it as a function, the one that judges it as a class; honesty is of the whole work
    "softmax": {"function": "softmax"},
    "scaled_dot_product_attention": {"function": "attention"},
    "causal_mask": {"function": "causal_mask"},
    "padding_mask": {"function": "padding_mask"},
    "attention_masks": {"function": "attention_masks"},
    "positional_encoding": {"function": "positional_encoding", "class": "positional_module"},
    "token_embedding": {"function": "token_embedding", "class": "token_embedding_module"},
    "dropout": {"function": "dropout"},
    "noam_lr": {"function": "noam_lr"},
    "learned_positional_encoding": {"class": "learned_positional"},
    "multi_head_attention": {"class": "multi_head", "function": "multi_head_numpy"},
    "feed_forward": {"class": "feed_forward", "function": "feed_forward_numpy"},
    "layer_norm": {"class": "layer_norm", "function": "layer_norm_numpy"},
    "add_norm": {"class": "add_norm"},
    "encoder_layer": {"class": "encoder_layer"},
    "encoder": {"class": "encoder"},
    "decoder_layer": {"class": "decoder_layer"},
    "decoder": {"class": "decoder"},
    "transformer": {"class": "transformer"},
    "language_model": {"class": "language_model"},
    "weight_tying": {"class": "weight_tying"},
    "copy_task": {"class": "copy_task"},
    "adam": {"function": "adam"},
    "label_smoothing": {"function": "label_smoothing"},
    "teacher_forcing": {"function": "teacher_forcing"},
    "greedy_decode": {"function": "greedy_decode"},
    "beam_search": {"function": "beam_search"},
    "complexity": {"function": "complexity"},
    "integrity": {"work": "integrity"},
}

_ATTENTION = ("softmax", "scaled_dot_product_attention")
_LAYER = (*_ATTENTION, "multi_head_attention", "feed_forward", "layer_norm", "add_norm", "dropout")
_ENTRANCE = ("token_embedding", "positional_encoding")
_MODEL = (
    *_LAYER,
    "encoder_layer",
    "decoder_layer",
    "encoder",
    "decoder",
    *_ENTRANCE,
    "causal_mask",
    "padding_mask",
    "attention_masks",
)
PARTS: Mapping[str, tuple[str, ...]] = {
    "scaled_dot_product_attention": ("softmax",),
    "attention_masks": ("causal_mask", "padding_mask"),
    "multi_head_attention": _ATTENTION,
    "add_norm": ("layer_norm", "dropout"),
    "feed_forward": ("dropout",),
    "token_embedding": ("positional_encoding",),
    "encoder_layer": _LAYER,
    "decoder_layer": (*_LAYER, "encoder_layer"),
    "encoder": (*_LAYER, "encoder_layer", *_ENTRANCE),
    "decoder": (*_LAYER, "encoder_layer", "decoder_layer", "encoder", *_ENTRANCE),
    "transformer": _MODEL,
    "language_model": _MODEL,
    "copy_task": (*_MODEL, "transformer"),
}
"""The components whose mistakes a block may inherit, the innermost first; layers of one kind are written once."""


def names() -> tuple[str, ...]:
    """Return the ids of all components, in the order of the paper."""
    return tuple(_HOMES)


def is_own(name: str) -> bool:
    """Whether a component is a course's own, and no part of the paper."""
    return name not in _HOMES


def forms(name: str) -> tuple[str, ...]:
    """Return the forms in which the component can be handed in: ``function``, ``class`` or both; ``work`` is all."""
    return tuple(_HOMES[name])


def handed_in_as(name: str, kind: str) -> str:
    """Return the form in which a ``function`` or a ``class`` hands the component in; KeyError for an unknown one."""
    return kind if kind in _HOMES[name] else next(iter(_HOMES[name]))


def every() -> Iterator[tuple[str, str, Part]]:
    """Every component in every form, with its id and its form."""
    return ((name, form, component(name, form)) for name, homes in _HOMES.items() for form in homes)


def component(name: str, form: str = "") -> Part:
    """Return the component ``name`` in the given form, or in its first; KeyError for an unknown one."""
    homes = _HOMES[name]
    part: Part = _component(homes.get(form) or next(iter(homes.values())))
    return part


def block(name: str) -> Block:
    """Return the component ``name`` as it is handed in as a class; KeyError where it never is."""
    made: Block = _component(_HOMES[name]["class"])
    return made


def function(name: str) -> Function:
    """Return the component ``name`` as it is handed in as a function; KeyError where it never is."""
    made: Function = _component(_HOMES[name]["function"])
    return made


def _component(home: str) -> Any:
    return import_module(f"grader.components.{home}").component


def forms_of(interface: Interface) -> tuple[str, ...]:
    """Return the forms in which what an assignment asks for can be handed in; KeyError for an unknown component.

    A component of the course's own, or of an installed package, is a function.
    """
    return tuple(_offered(interface))


def _offered(interface: Interface) -> Mapping[str, Callable[[], Any]]:
    """For each form in which it can be handed in, what reads the part; a function's has the checks of the course."""
    own = _own(interface)
    homes = _HOMES.get(interface.component, {}) if own is not None else _HOMES[interface.component]
    offered: dict[str, Callable[[], Any]] = {form: partial(_component, home) for form, home in homes.items()}
    return offered if own is None else {**offered, "function": lambda: own}


def of(interface: Interface, form: str = "") -> Part:
    """The component as an assignment sets it: what is right, what is known to be wrong and what is said follow it.

    ``form`` is how it was handed in, where the assignment leaves that open. KeyError for an unknown component.
    """
    return asked_for(interface, form_of(interface, form)).under(interface)


def asked_for(interface: Interface, form: str = "") -> Part:
    """The component of ``interface`` with the checks that the course adds, before anything is settled."""
    offered = _offered(interface)
    part: Part = offered.get(form, next(iter(offered.values())))()
    return part


def function_for(interface: Interface) -> Function:
    """The component of ``interface`` as a function, with the checks that the course adds; KeyError where it is none."""
    made: Function = _offered(interface)["function"]()
    return made


def _own(interface: Interface) -> Function | None:
    """The component as checks.py beside the assignment has it, or an installed package."""
    if not interface.own and interface.component in _HOMES:
        return None
    from grader.components import own

    made = own.parts(interface.own).get(interface.component)
    return made if made is not None or interface.component in _HOMES else own.installed(interface.component)


def form_of(interface: Interface, form: str = "") -> str:
    """The form that is judged: as the assignment says, as it was handed in, as the other fields tell."""
    known = forms_of(interface)
    declared = str(interface.conventions.get("form", ""))
    if declared or form in known or len(known) == 1:
        return declared or (form if form in known else known[0])
    return min(known, key=lambda one: len([*asked_for(interface, one).complaints(interface)]))
