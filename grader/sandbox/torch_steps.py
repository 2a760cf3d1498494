"""The steps that speak to torch modules: weights, inventory, trace, gradient. torch is imported when first needed."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

Node = dict[str, Any]


def tensor(node: Node) -> Any:
    """Return a fresh tensor; with ``contiguous`` false its memory lies in another order than its axes."""
    import torch

    made = torch.from_numpy(node["array"].copy())
    if node.get("contiguous") is False and made.ndim >= 2:
        made = made.transpose(-1, -2).contiguous().transpose(-1, -2)
    return made.requires_grad_() if node.get("grad") else made


def sublayer(node: Node) -> Callable[[Any], Any]:
    """Return a callable ``x -> x @ weight + bias`` that a residual block can be given."""
    import torch

    weight, bias = torch.from_numpy(node["weight"].copy()), torch.from_numpy(node["bias"].copy())
    return lambda x: x @ weight.to(x.dtype) + bias.to(x.dtype)


def plain_parameters(module: Any) -> None:
    """Replace weights that are computed from others (weight norm and its like) by parameters with their values.

    What the module computes stays the same, and weights can be sent in. Anything but a torch module is left alone.
    """
    import torch

    if not isinstance(module, torch.nn.Module):
        return
    old = torch.nn.utils.weight_norm.__globals__["WeightNorm"], torch.nn.utils.spectral_norm.__globals__["SpectralNorm"]
    removers = dict(zip(old, (torch.nn.utils.remove_weight_norm, torch.nn.utils.remove_spectral_norm), strict=True))
    for part in list(module.modules()):
        computed: Any = part._modules.get("parametrizations")
        for name in list(computed or ()):
            torch.nn.utils.parametrize.remove_parametrizations(part, name, leave_parametrized=True)
        for hook in list[Any](part._forward_pre_hooks.values()):
            if type(hook) in removers:
                removers[type(hook)](part, hook.name)


def settle() -> None:
    """Take back what a file set for its whole session: default type and device, gradients, strictness."""
    import torch

    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.use_deterministic_algorithms(False)
    torch.autograd.set_detect_anomaly(False)


def mode(module: Any, train: bool, *, hidden: bool = False) -> None:
    """Put a module into training or evaluation mode, with its ``hidden`` modules. Raises TypeError for what is none."""
    import torch

    if not isinstance(module, torch.nn.Module):
        name = type(module).__name__
        raise TypeError(f"{name} is no torch.nn.Module: derive it from torch.nn.Module, so that its weights are found")
    module.train(train)
    for _, _, part in _hidden_modules(module) if hidden else ():
        part.train(train)


def _held(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield (path, item) of what lies in plain lists, tuples, dicts and objects under an attribute."""
    if type(value) in (list, tuple) and depth < 3:
        for index, item in enumerate(value):
            yield from _held(item, f"{path}[{index}]", depth + 1)
    elif type(value) is dict and depth < 3:
        for key, item in value.items():
            yield from _held(item, f"{path}[{key!r}]", depth + 1)
    elif depth < 3 and _plain_object(value):
        for name, item in list(vars(value).items()):
            yield from _held(item, f"{path}.{name}", depth + 1)
    elif depth:
        yield path, value


def _plain_object(value: Any) -> bool:
    """Whether a value is of a class of the submission's own, and is neither a module nor a tensor."""
    import torch

    if isinstance(value, type | torch.nn.Module | torch.Tensor) or not hasattr(value, "__dict__"):
        return False
    home = type(value).__module__.partition(".")[0]
    return home not in _FOREIGN or type(value).__name__ == "SimpleNamespace"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


_FOREIGN = frozenset({*sys.stdlib_module_names, "numpy", "torch"})
_OWN = frozenset({"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"})


def _attributes(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of the plain attributes of a module and of its registered submodules."""
    for prefix, part in module.named_modules():
        for name, value in list(vars(part).items()):
            if name not in _OWN and "hook" not in name:
                yield _join(prefix, name), value


def _hidden_modules(module: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield (attribute path, path, module) of modules kept in plain containers, which torch does not see."""
    import torch

    for attribute, value in _attributes(module):
        for path, item in _held(value, attribute):
            if isinstance(item, torch.nn.Module):
                yield attribute, path, item


def _loose_tensors(module: Any) -> Iterator[tuple[str, Any]]:
    import torch

    for attribute, value in _attributes(module):
        for path, item in ((attribute, value), *_held(value, attribute)):
            if isinstance(item, torch.Tensor) and not item.is_complex():  # a table of rotations is no weight
                yield path, item


def _all_parameters(module: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield (name, parameter, class of its owner) of registered parameters, shared ones under every name."""
    for prefix, part in module.named_modules(remove_duplicate=False):
        for name, parameter in part._parameters.items():
            if parameter is not None:
                yield _join(prefix, name), parameter, type(part).__name__


def _memory(parameter: Any) -> Any:
    """What is equal for parameters that are one: the object, or the very same numbers in memory."""
    at = _storage(parameter)
    return (at, parameter.storage_offset(), tuple(parameter.shape), parameter.stride()) if at else id(parameter)


def _parameter_rows(module: Any, prefix: str, seen: dict[Any, tuple[str, int]]) -> list[dict[str, Any]]:
    rows = []
    for name, parameter, owner in _all_parameters(module):
        full = _join(prefix, name)
        first, same = seen.setdefault(_memory(parameter), (full, id(parameter)))
        rows.append({
            "name": full, "shape": list(parameter.shape), "requires_grad": bool(parameter.requires_grad),
            "owner_class": owner, "same_as": None if first == full else first, "apart": same != id(parameter),
        })  # fmt: skip
    return rows


def _unlearned_rows(module: Any) -> list[dict[str, Any]]:
    """Name and shape of floating tensors that are no parameters and share no memory with one."""
    known = {_storage(parameter) for _, parameter, _ in _all_parameters(module)}
    for _, _, part in _hidden_modules(module):
        known |= {_storage(parameter) for _, parameter, _ in _all_parameters(part)}
    rows: list[dict[str, Any]] = []
    for name, value in (*module.named_buffers(), *_loose_tensors(module)):
        at = _storage(value)
        if at in known or not value.is_floating_point() or not value.numel():
            continue
        known.add(at)
        rows.append({"name": name, "shape": list(value.shape)})
    return rows


def inventory(module: Any) -> dict[str, Any]:
    """Return what a module holds: parameters, loose tensors, unregistered and repeated modules.

    ``unlearned`` has the shapes of loose tensors and buffers. Parameters are the same where they are one object, or
    ``apart`` objects that share their memory.
    ``hidden`` has the parameters of modules in plain containers, in the same form as ``parameters``.
    """
    seen: dict[Any, tuple[str, int]] = {}
    parameters = _parameter_rows(module, "", seen)
    hidden = [row for _, path, part in _hidden_modules(module) for row in _parameter_rows(part, path, seen)]
    first: dict[int, str] = {}
    repeated = []
    for path, part in module.named_modules(remove_duplicate=False):
        if first.setdefault(id(part), path) != path:
            repeated.append([first[id(part)], path])
    return {
        "parameters": parameters,
        "hidden": hidden,
        "loose": [{"name": name, "shape": list(value.shape)} for name, value in _loose_tensors(module)],
        "unlearned": _unlearned_rows(module),
        "unregistered": list(dict.fromkeys(attribute for attribute, _, _ in _hidden_modules(module))),
        "repeated": repeated,
    }


def _tensors_by_name(module: Any) -> dict[str, Any]:
    """Return every tensor that weights can be written to: registered, hidden in containers, or loose."""
    named = {name: parameter for name, parameter, _ in _all_parameters(module)}
    named |= dict(module.named_buffers())
    for _, path, part in _hidden_modules(module):
        named |= {_join(path, name): parameter for name, parameter, _ in _all_parameters(part)}
    return named | dict(_loose_tensors(module))


def weights(module: Any, values: dict[str, Any]) -> None:
    """Copy arrays into the tensors of those names, keeping each tensor's dtype.

    Raises KeyError for an unknown name and ValueError for another shape.
    """
    named = _tensors_by_name(module)
    for name, array in values.items():
        if name not in named:
            raise KeyError(f"no parameter is called {name}")
        if tuple(named[name].shape) != tuple(array.shape):
            raise ValueError(f"{name} has shape {tuple(named[name].shape)}, not {tuple(array.shape)}")
        copied(named[name], array)


def copied(tensor: Any, array: Any) -> None:
    """Write an array's numbers into a tensor, which keeps its type."""
    import torch

    with torch.no_grad():
        tensor.copy_(torch.from_numpy(array.copy()))


def _flat_tensors(value: Any) -> list[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [found for item in value for found in _flat_tensors(item)]
    if isinstance(value, dict):
        return [found for item in value.values() for found in _flat_tensors(item)]
    if is_dataclass(value) and not isinstance(value, type):
        return _flat_tensors([getattr(value, field.name) for field in fields(value)])
    return []


def _storage(value: Any) -> int:
    """Where a tensor's memory lies; 0 for one that has none. Inside ``vmap`` and ``grad`` the tensor within counts."""
    import torch

    while torch._C._functorch.is_functorch_wrapped_tensor(value):
        value = torch._C._functorch.get_unwrapped(value)
    try:
        return int(value.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return 0


def _lying_at(parts: list[tuple[int, str]], value: Any) -> str:
    """Of parameters that are parts of one memory the name of the last that begins where ``value`` does, or before."""
    if len(parts) == 1:
        return parts[0][1]
    import torch

    while torch._C._functorch.is_functorch_wrapped_tensor(value):
        value = torch._C._functorch.get_unwrapped(value)
    begun = [part for part in parts if part[0] <= value.storage_offset()]
    at = max(begun or parts[:1], key=lambda part: part[0])[0]
    return next(name for offset, name in parts if offset == at)


def _recorder(watched: dict[str, Any], uses: list[list[str]]) -> Any:
    """Return a TorchFunctionMode that notes which of the ``watched`` tensors enters which function.

    Views share their parameter's storage, so ``.T``, slices and chunks are tracked back to it; making a view
    is no use of its own.
    """
    import torch

    names: dict[int, list[tuple[int, str]]] = {}
    for name, value in watched.items():
        if value.numel() and value.device.type != "meta" and (at := _storage(value)):
            names.setdefault(at, []).append((value.storage_offset(), name))

    class Recorder(torch.overrides.TorchFunctionMode):
        alive = watched  # a stored tensor that the call replaces must not leave its address to another one

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            with torch._C.DisableTorchFunction():
                made = {_storage(item) for item in _flat_tensors(result) if item.device.type != "meta"}
                if made:
                    for item in _flat_tensors([args, kwargs or {}]):
                        at = _storage(item) if item.device.type != "meta" else 0
                        if at in names and at not in made:
                            uses.append([_lying_at(names[at], item), getattr(func, "__name__", "?")])
            return result

    return Recorder()


def trace(module: Any, call: Callable[[], Any]) -> dict[str, Any]:
    """Run ``call`` and return its value and the parameters used, in order."""
    return traced(_tensors_by_name(module), call)


def traced(watched: dict[str, Any], call: Callable[[], Any]) -> dict[str, Any]:
    """The same for tensors of these names, whatever holds them."""
    uses: list[list[str]] = []
    with _recorder(watched, uses):
        value = call()
    return {"value": value, "uses": uses}


def gradient(output: Any, module: Any, inputs: dict[str, Any], seed_array: Any) -> dict[str, Any]:
    """Return the gradients of ``sum(output * seed_array)`` by the module's parameters and the stored inputs.

    None stands where the output does not depend on a tensor. Of several results the first of the seed's shape counts.
    """
    import torch

    tensors = _flat_tensors(output)
    if not tensors:
        raise RuntimeError("returned no tensor, so nothing can be differentiated")
    fitting = [item for item in tensors if seed_array is not None and tuple(item.shape) == seed_array.shape]
    output = (fitting or tensors)[0]
    names = [name for name, value, _ in _all_parameters(module) if value.requires_grad] if module is not None else []
    parameters = [value for _, value, _ in _all_parameters(module) if value.requires_grad] if module is not None else []
    seed = torch.ones_like(output) if seed_array is None else torch.from_numpy(seed_array.copy()).to(output.dtype)
    wanted = [*parameters, *inputs.values()]
    found = torch.autograd.grad(output, wanted, seed, retain_graph=True, allow_unused=True) if wanted else ()
    arrays = [None if item is None else item.detach().cpu().numpy() for item in found]
    return {
        "parameters": dict(zip(names, arrays, strict=False)),
        "inputs": dict(zip(inputs, arrays[len(names) :], strict=True)),
    }


def move(value: Any, dtype: str | None, device: str | None) -> Any:
    """Return a module or tensor in another dtype or on another device ("meta" makes shapes only)."""
    import torch

    if dtype == "float64":
        value = value.double()  # of a module, to(dtype) would make complex buffers real
        dtype = None
    return value.to(device=device, dtype=getattr(torch, dtype) if dtype else None)
