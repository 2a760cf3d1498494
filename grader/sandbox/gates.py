"""Sees every library call of ``roads.py`` where it runs, whatever road led there, and can spoil what it gives.

Set up once in the zygote, before any student code is there: each operator's kernel in torch's dispatcher is wrapped,
for every thread and every caller, C++ included, and each function written in Python gets the code of its gate, so that
whoever holds the function holds the gate. What is not on the list runs at its own speed.
"""

import importlib
import itertools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from . import lessons
from .roads import ROADS, SWITCHED_OFF

KEYS = ("CPU", "QuantizedCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU")
COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
MOST = 32  # uses that are kept of one program

Use = tuple[str, str, int, tuple[str, ...]]
"""The road's name, file and line of the student's innermost frame, and the student's names on the way outward."""


class Gates:
    """What was used by the program that runs. ``spoiled`` roads give something else, by ``size`` (0: entirely)."""

    def __init__(self) -> None:
        self.open = False
        self.files: frozenset[str] = frozenset()
        self.uses: dict[Use, None] = {}
        self.spoiled: frozenset[str] = frozenset()
        self.size = 0.0
        self.passed = 0
        self.kept: list[Any] = []  # registrations in the dispatcher, which end with their objects
        self.replaced: list[tuple[types.FunctionType, types.CodeType]] = []
        self.check: Callable[[], object] | None = None
        self.noted = itertools.count()  # counts what was noted, and nothing sets it back
        self.before = 0

    def install(self) -> None:
        """Wrap whatever torch has of the list."""
        import torch

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a kernel is replaced
            for road in ROADS:
                for function in road.functions:
                    self._guard_function(road.name, function)
                for operator in road.operators:
                    self._guard_operator(road.name, operator, torch)
        softmax, probe = torch._C._VariableFunctions.softmax, torch.zeros(2)
        self.check = lambda: softmax(probe, 0)

    def remove(self) -> None:
        """Take every gate away again, in a process that goes on as something else."""
        for library in self.kept:
            library._destroy()
        for function, code in reversed(self.replaced):
            function.__code__ = code
        self.kept, self.replaced, self.check = [], [], None

    def begin(self, files: frozenset[str]) -> None:
        """Begin a program: nothing is used yet, and nothing spoiled."""
        self.uses, self.files, self.spoiled, self.size, self.open = {}, files, frozenset(), 0.0, True
        self.before = next(self.noted)

    def spoil(self, names: list[str], size: float) -> None:
        """Let the roads of these names give something else until the program ends."""
        self.spoiled, self.size = frozenset(names), size

    def end(self) -> list[Use]:
        """End a program and return what it used."""
        self.open = False
        if self.check is not None:
            before = self.passed
            try:
                self.check()
            except BaseException:  # whatever student code put there
                before = -1
            if (
                self.passed != before + 1
                or next(self.noted) != self.before + len(self.uses) + 1
                or "through" in vars(self)
            ):
                self.uses[SWITCHED_OFF, "", 0, ()] = None
        return list(self.uses)[:MOST]

    def through(self, name: str, call: Callable[[], Any]) -> Any:
        """Let a call pass, and note it where student code led to it."""
        self.passed += 1
        use = self._use(name) if self.open else None
        if use is not None and use not in self.uses and len(self.uses) < MOST:
            self.uses[use] = None
            next(self.noted)
        result = call()
        return _spoiled(result, self.size) if use is not None and name in self.spoiled else result

    def _use(self, name: str) -> Use | None:
        """Who uses a road; None where a lesson of ours does."""
        frame: types.FrameType | None = sys._getframe(2)
        place, names = ("", 0), dict[str, None]()
        while frame is not None:
            code = frame.f_code
            if code.co_filename in self.files:
                place = place if place[0] else (code.co_filename, frame.f_lineno or 0)
                names |= dict.fromkeys(_names(frame))
            elif frame.f_globals is lessons.__dict__ and not place[0]:
                return None
            frame = frame.f_back
        return name, *place, tuple(names)[:MOST]

    def _guard_operator(self, name: str, operator: str, torch: Any) -> None:
        space, _, rest = operator.partition("::")
        library = torch.library.Library(space, "IMPL")
        self.kept.append(library)
        for key, kernel in _kernels(operator, torch):
            library.impl(rest, self._gate(name, kernel), key, with_keyset=True)
        if operator == "aten::_softmax":  # its kernel for oneDNN's own layout cannot be asked for by name
            library.impl(rest, _dense_softmax, "MkldnnCPU")

    def _gate(self, name: str, kernel: Any) -> Callable[..., Any]:
        def gate(keys: Any, *args: Any, **kwargs: Any) -> Any:
            return self.through(name, lambda: kernel.call_boxed(keys, *args, **kwargs))

        return gate

    def _guard_function(self, name: str, function: str) -> None:
        module, _, path = function.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for part in path.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError):
            return  # another torch has no such function
        while hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        if not isinstance(found, types.FunctionType):
            return
        own = types.FunctionType(
            found.__code__, found.__globals__, found.__name__, found.__defaults__, found.__closure__
        )
        own.__kwdefaults__ = found.__kwdefaults__

        def gate(args: Any, kwargs: Any) -> Any:
            return self.through(name, lambda: own(*args, **kwargs))

        self.replaced.append((found, found.__code__))
        found.__code__ = _leading_to(gate, found.__code__)


def _leading_to(gate: Callable[..., Any], code: types.CodeType) -> types.CodeType:
    """Return the code of a function that calls ``gate``; the gate is a constant in it, so that it needs no name."""

    def passing(*args: Any, **kwargs: Any) -> Any:
        way: Any = 123456789.0
        return way(args, kwargs)

    made = passing.__code__
    constants = tuple(gate if each == 123456789.0 else each for each in made.co_consts)
    return made.replace(
        co_consts=constants, co_name=code.co_name, co_qualname=code.co_qualname, co_freevars=code.co_freevars
    )


def _kernels(operator: str, torch: Any) -> Iterator[tuple[str, Any]]:
    """The keys under which an operator computes something on a processor, with what computes it."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    try:
        composite = [key for key in COMPOSITE if has(operator, key)]
        if composite:
            yield composite[0], torch.library.get_kernel(operator, "CPU")
        for key in KEYS:
            if has(operator, key):
                yield key, torch.library.get_kernel(operator, key)
    except RuntimeError:
        return  # another torch has no such operator


def _dense_softmax(x: Any, dim: int, half_to_float: bool) -> Any:
    return x.to_dense().softmax(dim).to_mkldnn()


def _names(frame: types.FrameType) -> Iterator[str]:
    """The top-level name that a frame's function stands under, and the class of what it is a method of."""
    code = frame.f_code
    if code.co_name != "<module>":
        yield code.co_qualname.partition(".")[0]
    if code.co_argcount and code.co_varnames[0] == "self":
        kind = type(frame.f_locals.get("self"))
        yield str(type.__dict__["__name__"].__get__(kind))


def _spoiled(result: Any, size: float) -> Any:
    """Return something else of the same form: numbers changed by a share of ``size`` of them, or other ones."""
    import torch

    if type(result) in (tuple, list):
        return type(result)(_spoiled(each, size) for each in result)
    if not isinstance(result, torch.Tensor) or not result.is_floating_point():
        return result
    if result.layout in {torch.sparse_coo, torch.sparse_csr, torch.sparse_csc}:
        _spoiled(result._values() if result.is_sparse else result.values(), size)
    if result.layout != torch.strided:
        return result
    with torch.no_grad():
        if size:
            steps = torch.arange(result.numel(), dtype=torch.float64).mul(0.618).remainder(1).reshape(result.shape)
            other = result * (1 + size * steps.to(result.dtype))
        else:
            other = result.flip(tuple(range(result.dim()))) * 1.5 + 0.25
    return result + (other - result.detach()) if result.requires_grad else result.copy_(other)
