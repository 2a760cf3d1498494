"""Other ways to see what a module is made of, where the order in which its parameters are used explains nothing."""

from collections.abc import Mapping
from dataclasses import replace

from grader.blocks.reading import Material, Operation, Tensor, read
from grader.blocks.sizes import Sizes


def materials(traced: Material, tensors: Mapping[str, Tensor], sizes: Sizes) -> list[Material]:
    """The material as it was traced, and then what else it can be."""
    found = [traced]
    if "A" in traced.kinds[1:]:
        registered = _by_registration(traced, tensors, sizes)
        if registered.groups != traced.groups:
            found.append(registered)
            if len(registered.groups) % 2 == 0:
                found.append(_other_way_round(registered))
    merged = _norms_merged(traced)
    return found if len(merged.operations) == len(traced.operations) else [*found, merged]


def _by_registration(traced: Material, tensors: Mapping[str, Tensor], sizes: Sizes) -> Material:
    """The same with attentions grouped by the order of registration, where the order of use explains nothing.

    A module that projects the memory before anything else mixes the uses of two attentions. Norms and feed-forward
    networks keep the order of their use; how the kinds follow one another is left open.
    """
    used = {name for operation in traced.operations if operation.kind == "A" for name in operation.tensors}
    registered = read(
        {name: tensor for name, tensor in tensors.items() if name in used}, [(name, "") for name in tensors], sizes
    )
    rest = [operation for operation in traced.operations if operation.kind != "A"]
    attentions = [operation for operation in registered.operations if operation.kind == "A"]
    return Material([*attentions, *rest], traced.tables, traced.positions, traced.unknown, by_kind=True)


def _other_way_round(registered: Material) -> Material:
    """The same with the two attentions of each layer exchanged: the one to the memory may be registered first."""
    attentions = [operation for operation in registered.operations if operation.kind == "A"]
    rest = [operation for operation in registered.operations if operation.kind != "A"]
    exchanged = [attentions[number ^ 1] for number in range(len(attentions))]
    return replace(registered, operations=[*exchanged, *rest])


def _norms_merged(traced: Material) -> Material:
    """The same with norms that follow one another with the same tensors taken for one: it runs row by row."""
    kept: list[Operation] = []
    for operation in traced.operations:
        again = kept and operation.kind == "N" == kept[-1].kind and operation.labels <= kept[-1].labels
        if not again:
            kept.append(operation)
    return replace(traced, operations=kept)
