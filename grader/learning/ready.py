"""What a constructor is given ready-made: other parts of the solution, as modules, as classes or as lists of layers.

They are told by the argument's name, by its annotation, or by the constructor itself where it calls the argument.
"""

import ast
from collections.abc import Mapping

from grader.learning import words
from grader.learning.definitions import Definition, Taken

OF_TORCH = {
    "token_embedding": "torch.nn.Embedding(sizes.vocab, sizes.d_model)",
    "layer_norm": "torch.nn.LayerNorm(sizes.d_model)",
    "output_layer": "torch.nn.Linear(sizes.d_model, sizes.vocab)",
}
"""Parts that torch has, where the solution has none of its own."""
MODELS = frozenset({"transformer", "language_model"})
PLAIN = frozenset({"int", "float", "bool", "str"})
"""Annotations of what is no part."""


def parts(one: Definition, component: str, ready: Mapping[str, str]) -> dict[str, list[str]]:
    """The lines that could make each argument of a constructor that is a part of its own, the likeliest first.

    ``ready`` are the lines of parts that are learned: what the constructor calls is any of them, whatever its name.
    """
    lines = {**(OF_TORCH if one.of_torch else {}), **ready}
    called = _called(one)
    required = [taken for taken in one.made if _is_given(taken, component) and taken.annotation not in PLAIN]
    meant = {taken.name: _meant(taken, component, lines) for taken in required}
    meant |= {name: [*ready] for name in called & meant.keys() if not meant[name]}
    positions = any("positional_encoding" in those for those in meant.values())
    found: dict[str, list[str]] = {}
    for name, those in meant.items():
        texts = [lines[part] for part in those]
        if component in MODELS and "token_embedding" in those and "positional_encoding" in ready and not positions:
            texts = [f"torch.nn.Sequential({texts[0]}, {ready['positional_encoding']})", *texts]
        if component == "transformer" and words.OF_SOURCE & {*words.spoken(name)}:
            texts = [text.replace("sizes.vocab", "sizes.src_vocab") for text in texts]
        classes = [text.partition("(")[0] for text in texts]
        if name in called or words.is_class(name):
            texts = classes
        elif called:  # what is handed on to a class is most likely one, too
            texts = [*classes, *texts]
        found |= {name: texts} if texts else {}
    return found | _lists(one, ready)


def _is_given(taken: Taken, component: str) -> bool:
    """Whether a constructor is given an argument: attention to a memory may be left out, and of a decoder it is not."""
    attends = words.part_of(taken.name, ["multi_head_attention"]) == ["multi_head_attention"]
    return taken.required or (taken.default is None and attends and component.startswith("decoder"))


def _meant(taken: Taken, component: str, lines: Mapping[str, str]) -> list[str]:
    """The parts that an argument is: of two that are called a layer, the one of its own stack first."""
    of_torch = taken.annotation.startswith(("nn.", "torch.nn.")) and [*OF_TORCH]
    found = words.part_of(taken.name, lines)
    if words.standing_for(taken.name, words.SIZES, ["num_heads"]):  # "head" is said of an output layer, too
        found = []
    if not found and taken.annotation:
        said = words.meant(taken.annotation.rpartition(".")[2], words.CLASSES)
        found = [said] if said in (of_torch or lines) else []
    return sorted(found, key=lambda part: not part.startswith(component.partition("_")[0]))


def _called(one: Definition) -> set[str]:
    """The arguments that a constructor calls: classes of what it makes."""
    bodies = [node for node in getattr(one.node, "body", ()) if getattr(node, "name", "") == "__init__"]
    calls = [node.func for body in bodies for node in ast.walk(body) if isinstance(node, ast.Call)]
    return {func.id for func in calls if isinstance(func, ast.Name)} & {taken.name for taken in one.made}


def _lists(one: Definition, ready: Mapping[str, str]) -> dict[str, list[str]]:
    """The lists of layers that a stack is given, by its arguments; what is counted is no list."""
    counted = {
        node.args[-1].id
        for node in ast.walk(one.node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and isinstance(node.args[-1], ast.Name)
    }
    names = [taken.name for taken in one.made if taken.required and taken.name not in counted]
    loops = [node.iter for node in ast.walk(one.node) if isinstance(node, ast.For | ast.comprehension)]
    looped = {ast.unparse(each).removeprefix("self.") for each in loops}
    several = [name for name in names if name.endswith("s") or name in looped]
    near = [(name, words.standing_for(name.rstrip("s"), words.PARTS, ready)) for name in several]
    own = "decoder_layer" if "ecoder" in one.name and "ncoder" not in one.name else "encoder_layer"
    each = {name: f"[{ready[own]} for _ in range(sizes.num_layers)]" for name, found in near if own in found}
    return {name: [f"torch.nn.ModuleList({text})" if one.of_torch else text] for name, text in each.items()}
