"""Programs that hold a formula, run on arrays of ours: only arithmetic, names, loops and the library of calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.written.formula.library import (
    FUNCTIONS,
    LARGEST,
    LAYERS,
    CannotRunError,
    bounded,
    counted_from_one,
    elementwise,
    held,
    power,
    product,
    selected,
)
from grader.written.formula.work import Work

_MODULES = frozenset(
    {"np", "numpy", "torch", "math", "nn", "tf", "jnp", "jax", "f", "functional", "self", "cp", "mx", "std", "keras",
     "layers", "linalg", "special", "scipy", "xp"}
)  # fmt: skip
_ARITHMETIC: Mapping[type[ast.operator], Callable[..., Any]] = {
    ast.Add: elementwise(np.add), ast.Sub: elementwise(np.subtract), ast.Mult: elementwise(np.multiply),
    ast.Div: elementwise(np.divide), ast.FloorDiv: elementwise(np.floor_divide), ast.Mod: elementwise(np.mod),
    ast.Pow: power, ast.MatMult: product,
}  # fmt: skip
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
}  # fmt: skip
_WHOLE = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__, ast.FloorDiv: int.__floordiv__}
_CONSTANTS = {"pi": np.pi, "inf": np.inf}
_HIGHEST = 10**9
_UNHEEDED = frozenset({"inplace", "training", "device", "requires_grad"})
_DEEPEST = 12
A_STEP = 200
"""Entries of an array that are worked on in what a step of a program takes."""
AN_ITEM = 20
"""Items of a list that are."""


def plain(name: str) -> str:
    """Return a name as it is looked for: without underscores and capitals."""
    return name.replace("_", "").lower()


def _for_nothing(node: ast.expr) -> bool:
    """Say whether an expression that stands alone gives no value: a note, append, print."""
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Attribute(attr="append")) | ast.Call(func=ast.Name(id="print")):
            return True
    return False


class _ReturnedError(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Run:
    """One run of a program; `known` are our arrays by plain name, `own` what the program assigns."""

    def __init__(
        self, known: Mapping[str, Any], work: Work, *, first: int = 0, star: bool = False, upright: bool = False
    ) -> None:
        """Start with `known`; `first` is where indices begin, `star` says that * multiplies matrices."""
        self.known, self.work, self.first, self.star = known, work, first, star
        self.upright = upright
        self.own: dict[str, Any] = {}
        self.read: set[str] = set()
        self.used: set[str] = set()
        self.depth = 0
        self.result: Any = None

    def all(self, program: ast.Module) -> Any:
        """Run a program and return what it comes to: what is returned, or its last value."""
        try:
            for at, statement in enumerate(program.body):
                if isinstance(statement, ast.Expr) and at + 1 < len(program.body) and not _for_nothing(statement.value):
                    raise CannotRunError  # a value beside the last one, of which nobody knows what it is meant for
                self._statement(statement)
        except _ReturnedError as back:
            return back.value
        return self.result

    def _statement(self, node: ast.stmt) -> None:  # noqa: C901, PLR0912 - one way for each statement
        self.work.add(1)
        match node:
            case ast.Assign(targets=targets, value=value):
                self.result = self._value(value)
                for target in targets:
                    self._assign(target, self.result)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.result = self._value(value)
                self._assign(target, self.result)
            case ast.AugAssign(target=target, op=op, value=value):
                self.result = self._joined(op, self._value(target), self._value(value))
                self._assign(target, self.result)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                pass
            case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom() | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.result = self._value(value)
            case ast.Return(value=ast.expr() as value):
                raise _ReturnedError(self._value(value))
            case ast.If(test=test, body=body, orelse=orelse):
                for inner in body if self._truth(test) else orelse:
                    self._statement(inner)
            case ast.For(target=target, iter=items, body=body, orelse=[]):
                for item in self._items(items):
                    self._assign(target, item)
                    for inner in body:
                        self._statement(inner)
            case ast.ClassDef(body=[ast.FunctionDef(name="forward" | "__call__" | "call", args=args, body=body)]):
                self.result = self._function(args, body)  # without a constructor, which would make its layers
            case ast.FunctionDef(name=name, args=args, body=body):
                self.own[name] = self.result = self._function(args, body)
            case _:
                raise CannotRunError

    def returns(self, value: Any) -> bool:
        """Say whether `value` is what the program comes to."""
        return value is self.result

    def _truth(self, node: ast.expr) -> bool:
        found = self._value(node)
        if isinstance(found, np.ndarray):
            raise CannotRunError
        return bool(found)

    def _function(self, args: ast.arguments, body: list[ast.stmt] | ast.expr) -> Callable[..., Any]:
        """Return a function of the program."""
        names = [arg.arg for arg in args.args if arg.arg != "self"]
        defaults = dict(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True))
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            raise CannotRunError

        def called(*given: Any, **options: Any) -> Any:
            bound = dict(zip(names, given, strict=False)) | options
            if len(given) > len(names) or self.depth > _DEEPEST:
                raise CannotRunError
            kept, result, self.depth = self.own, self.result, self.depth + 1
            self.own = dict(kept)
            try:
                for name in names:
                    if name in bound:
                        self.own[name] = bound[name]
                    elif name in defaults:
                        self.own[name] = self._value(defaults[name])
                    else:
                        raise CannotRunError
                if isinstance(body, ast.expr):
                    return self._value(body)
                for statement in body:
                    self._statement(statement)
            except _ReturnedError as back:
                return back.value
            finally:
                self.own, self.result, self.depth = kept, result, self.depth - 1
            raise CannotRunError

        called.asked = names  # type: ignore[attr-defined]
        return called

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.own[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                given = list(value)
                if len(given) != len(parts):
                    raise CannotRunError
                for part, one in zip(parts, given, strict=True):
                    self._assign(part, one)
            case ast.Subscript(value=holder, slice=at):
                array = self._value(holder)
                if not isinstance(array, np.ndarray):
                    raise CannotRunError
                where = self._index(at)
                self.work.add(selected(array, where) // A_STEP)
                array[where] = value
                while isinstance(holder, ast.Subscript):
                    holder = holder.value
                self.result = self._value(holder)
            case _:
                raise CannotRunError

    def _items(self, node: ast.expr) -> list[Any]:
        found = self._value(node)
        self.work.add(len(found) // AN_ITEM)
        if isinstance(found, np.ndarray) and found.ndim == 1 and np.all(found == np.floor(found)):
            return [int(one) for one in found]
        return list(found)

    def _index(self, node: ast.expr) -> Any:  # noqa: PLR0911 - one way for each index
        match node:
            case ast.Tuple(elts=parts):
                return tuple(self._index(part) for part in parts)
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = [None if end is None else int(self._value(end)) for end in (lower, upper, step)]
                return slice(*ends)
            case ast.Constant(value=value) if value is None or value is Ellipsis:
                return value
        found = self._value(node)
        if found is None:
            return None
        if isinstance(found, np.ndarray) and found.dtype == np.bool_:
            return found
        if isinstance(found, np.ndarray):
            return found.astype(np.int64) - self.first
        whole = int(found)
        return whole - self.first if whole >= 0 else whole

    def _value(self, node: ast.expr) -> Any:
        """Return what an expression comes to; what it holds is work, too."""
        found = self._found(node)
        if isinstance(found, list | tuple):
            self.work.add(held(found) // AN_ITEM)
        elif isinstance(found, np.ndarray) and isinstance(node, ast.BinOp | ast.Call | ast.Compare):
            self.work.add(held(found) // A_STEP)
        return found

    def _found(self, node: ast.expr) -> Any:  # noqa: C901, PLR0911, PLR0912 - one way for each expression
        self.work.add(1)
        match node:
            case ast.Constant(value=bool() | str() | float() | None as value):
                return value
            case ast.Constant(value=int() as value) if abs(value) < _HIGHEST:
                return value
            case ast.Name(id=name):
                return self.name(name)
            case ast.BinOp(left=left, op=op, right=right):
                return self._joined(op, self._value(left), self._value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                found = self._value(operand)
                return -found if isinstance(found, int) else elementwise(np.negative)(found)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._value(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._truth(operand)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
                a, b = self._value(left), self._value(right)
                if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
                    bounded(a.shape, b.shape)
                return _COMPARED[type(op)](a, b)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._value(body if self._truth(test) else orelse)
            case ast.Tuple(elts=parts):
                return tuple(self._value(part) for part in parts)
            case ast.List(elts=parts):
                return [self._value(part) for part in parts]
            case ast.ListComp(elt=elt, generators=[one]) | ast.GeneratorExp(elt=elt, generators=[one]):
                out, kept = [], dict(self.own)
                for item in self._items(one.iter):
                    self._assign(one.target, item)
                    if all(self._truth(test) for test in one.ifs):
                        out.append(self._value(elt))
                self.own = kept
                return out
            case ast.Lambda(args=args, body=body):
                return self._function(args, body)
            case ast.Subscript(value=holder, slice=at):
                return self._picked(self._value(holder), at)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call(func=func, args=args, keywords=keywords):
                return self._call(func, args, keywords)
        raise CannotRunError

    def name(self, name: str) -> Any:
        """Return what a name stands for: the program's own, ours, or a function of the library."""
        if name in self.own:
            self.used.add(name)
            return self.own[name]
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        for found in (name, plain(name)):
            if found in self.known:
                self.read.add(plain(name))
                return self.known[found]
        if plain(name) in FUNCTIONS:
            return FUNCTIONS[plain(name)]
        raise CannotRunError

    def _joined(self, op: ast.operator, left: Any, right: Any) -> Any:
        whole = isinstance(left, int) and isinstance(right, int) and not self.star
        if whole and type(op) in _WHOLE and max(abs(left), abs(right)) < _HIGHEST:
            return _WHOLE[type(op)](left, right)
        if whole and isinstance(op, ast.Mod):
            return left % right
        self.work.add((np.size(left) + np.size(right)) // A_STEP)
        if self.star and isinstance(op, ast.FloorDiv):
            op = ast.Mult()  # .* is written so, which has the rank of *
        elif self.star and isinstance(op, ast.Mult) and np.ndim(left) == 2 and np.ndim(right):  # noqa: PLR2004
            return product(left, right)
        if self.upright and {np.ndim(left), np.ndim(right)} == {1, 2}:
            left, right = (one[:, None] if np.ndim(one) == 1 and 1 in np.shape(other)[:1] else one
                           for one, other in ((left, right), (right, left)))  # fmt: skip
        if type(op) not in _ARITHMETIC:
            raise CannotRunError
        return _ARITHMETIC[type(op)](left, right)

    def _picked(self, holder: Any, at: ast.expr) -> Any:
        if isinstance(holder, list | tuple):
            found = self._index(at)
            return holder[found] if isinstance(found, int | slice) else None
        if not isinstance(holder, np.ndarray):
            raise CannotRunError
        where = self._index(at)
        arrays = [one.size for one in (where if isinstance(where, tuple) else (where,)) if isinstance(one, np.ndarray)]
        if arrays and float(np.prod(arrays, dtype=np.float64)) * holder.size > LARGEST * 20:
            raise CannotRunError
        found = holder[where]
        self.work.add(np.size(found) // A_STEP)
        if found.size > LARGEST:
            raise CannotRunError
        return found

    def _module(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return self._module(node.value) and node.attr.lower() in _MODULES
        return isinstance(node, ast.Name) and node.id not in self.own and node.id.lower() in _MODULES

    def _attribute(self, node: ast.Attribute) -> Any:
        if self._module(node.value):
            if node.attr in {"float32", "float64", "float", "double", "long", "newaxis"}:
                return None
            return self.name(node.attr)
        holder = self._value(node.value)
        if node.attr in {"T", "mT", "H"} and np.ndim(holder) == 1 and self.star:
            return holder[None, :] if self.upright else holder[:, None]
        if node.attr in {"T", "mT", "H"}:
            return np.swapaxes(holder, -1, -2)
        if node.attr == "shape":
            return tuple(int(edge) for edge in np.shape(holder))
        if node.attr == "values":
            return holder
        raise CannotRunError

    def _call(self, func: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        given: list[Any] = []
        for arg in args:
            given.extend(self._value(arg.value) if isinstance(arg, ast.Starred) else [self._value(arg)])
        self.work.add(sum(np.size(one) for one in given if isinstance(one, np.ndarray)) // A_STEP)
        options = {word.arg: self._value(word.value) for word in keywords if word.arg and word.arg not in _UNHEEDED}
        if any(word.arg is None for word in keywords):
            raise CannotRunError
        if self.first and (axis := options.get("dims")):
            options["dims"] = axis - self.first
        if isinstance(func, ast.Attribute) and not self._module(func.value):
            holder = self._found(func.value) if func.attr == "append" else self._value(func.value)
            return self._method(holder, func.attr, given, options)
        target = self._value(func)
        name = plain(func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", ""))
        if not callable(target):
            raise CannotRunError
        if name in LAYERS and not any(np.ndim(one) for one in given if one is not None):
            return lambda x: target(x, **{key: one for key, one in options.items() if key in {"dim", "axis", "dims"}})
        options.pop("dtype", None)
        options.pop("device", None)
        if self.first:
            given, options = counted_from_one(name, given, options)
        return target(*given, **options)

    def _method(self, holder: Any, name: str, given: list[Any], options: dict[str, Any]) -> Any:
        if isinstance(holder, np.ndarray):
            self.work.add(holder.size // A_STEP)
        if isinstance(holder, list) and name == "append" and len(given) == 1:
            holder.append(given[0])
            return None
        if name == "size":
            return np.shape(holder)[int(given[0])] if given else np.shape(holder)
        if name == "maskedfill":
            raise CannotRunError
        own = self.own.get(name)
        if callable(own) or plain(name) not in FUNCTIONS:
            raise CannotRunError
        options.pop("dtype", None)
        return FUNCTIONS[plain(name)](holder, *given, **options)
