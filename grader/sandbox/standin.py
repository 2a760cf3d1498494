"""Inert modules in place of packages that are not available beside student code.

A submission that only imports matplotlib, pandas or tqdm, or plots at import, must not fail for it. Attributes,
calls, ``with`` and loops over a stand-in do nothing; arithmetic and conversion to an array raise, with the name
of the package, because there a result would depend on it. So does a loop over one in a call: what the loop would
have done is part of the answer, as with layers that a package copies.
"""

import ast
import builtins
import importlib.machinery
import opcode
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Self

# Names that are never stood in for: importing them fails as it would anywhere else.
PLAIN = frozenset({"grader", "reference", "tests", "rubric", "oracle", "attention_grader"})
LOOPS = frozenset({"tqdm", "trange", "track", "tnrange", "tqdm_notebook", "notebook_tqdm", "progress_bar"})
_UNPACK = opcode.opmap["UNPACK_SEQUENCE"]


class Inert:
    """Whatever an absent package would have given: it answers to anything and does nothing."""

    def __init__(self, path: str, items: Any = None) -> None:
        self.__dict__["_path"] = path
        self.__dict__["_items"] = items

    def __getattr__(self, name: str) -> Any:
        # numpy, copy and inspect look for protocols by dunder names; a stand-in keeps none of them.
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do nothing; give back what a loop goes over or a decorator decorates."""
        name = self._path.rpartition(".")[2]
        if name in LOOPS and args:
            return Inert(self._path, range(*args) if isinstance(args[0], int) else args[0])
        # A decorator that is not there leaves the function as it is.
        if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType | type):
            return args[0]
        return Inert(self._path)

    def __iter__(self) -> Iterator[Any]:
        if self._items is not None:
            return iter(self._items)
        caller = sys._getframe(1)
        code, at = caller.f_code.co_code, caller.f_lasti
        # ``fig, axes = plt.subplots()`` asks for exactly as many values as it unpacks.
        wanted = code[at + 1] if 0 <= at < len(code) and code[at] == _UNPACK else 0
        if not wanted and not _is_loading(caller):
            refuse(self)
        return iter([Inert(self._path) for _ in range(wanted)])

    def __len__(self) -> int:
        if self._items is None:
            refuse(self)
        return len(self._items)

    def __getitem__(self, key: Any) -> Any:
        return Inert(f"{self._path}[]") if self._items is None else self._items[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Keep nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        """Let exceptions pass."""

    def __bool__(self) -> bool:
        return self._items is not None

    def __or__(self, other: Any) -> Any:
        return self  # ``frame.DataFrame | None`` in an annotation

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(base for base in bases if isinstance(base, Inert))
        torch = sys.modules.get("torch") if self._path.endswith("Module") else None  # a module that trains itself
        return () if first is not self else (Derived,) if torch is None else (Derived, torch.nn.Module)

    def __instancecheck__(self, value: object) -> bool:
        return False  # nothing is of a class that is not here

    __subclasscheck__ = __instancecheck__

    def __repr__(self) -> str:
        return f"<{self._path}, which is not available here>"

    def __format__(self, spec: str) -> str:
        return repr(self)


def _is_loading(frame: types.FrameType | None) -> bool:
    """Whether a frame belongs to a module of the submission that is being run, and not to a call of what it defines."""
    while frame is not None:
        if frame.f_code.co_name == "exec_module" and frame.f_globals.get("__name__") == f"{__package__}.loading":
            return True
        frame = frame.f_back
    return False


class Derived:
    """The parent of what derives from a stand-in: an object with the fields that it is given by name.

    Whatever options its class statement has, and whatever else it is given, comes to nothing.
    """

    def __init__(self, *_given: Any, **fields: Any) -> None:
        super().__init__()
        for name, value in fields.items():
            setattr(self, name, value)

    def save_hyperparameters(self, *_given: Any, **_named: Any) -> None:
        """Keep nothing."""

    def __init_subclass__(cls, **options: object) -> None:
        """Take no notice of them."""


class PackageNotListed(ModuleNotFoundError):
    """The result of a package is needed that the homework does not use."""


def refuse(self: Inert, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise PackageNotListed with the name of the package whose result would be needed."""
    package = self._path.partition(".")[0]
    raise PackageNotListed(f"needs {package}, which is not among the packages of this homework", name=package)


_USES = """add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow
matmul rmatmul imatmul neg pos abs invert and rand xor rxor lshift rshift lt le gt ge float int index complex round
array array_ufunc array_function torch_function contains""".split()
for _name in _USES:
    setattr(Inert, f"__{_name}__", refuse)


class AbsentModule(types.ModuleType):
    """A module whose every name is inert."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # `from pylab import *` gives what the importing code uses and nobody else defines
            caller = sys._getframe(1)
            known = {**vars(builtins), **caller.f_globals}
            return [used for used in _names_used(caller.f_code) if used not in known]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self.__name__}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what a name of the module would do."""
        return Inert(self.__name__)(*args, **kwargs)


def _names_used(code: types.CodeType) -> set[str]:
    """Return the global names and attributes that a code object and those in it speak of."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_used(constant)
    return names


class StandInFinder:
    """Last on ``sys.meta_path``: gives an inert module for a top-level package that is not there.

    ``guarded`` are the names that the submission imports inside ``try``: it has its own way without them, so
    their import fails. ``noted`` collects what was stood in for, in order.
    """

    def __init__(self, guarded: frozenset[str], plain: frozenset[str]) -> None:
        self.guarded = guarded
        self.plain = plain
        self.noted: list[str] = []

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for an absent top-level package or for anything below one."""
        root = name.partition(".")[0]
        if path is None and not self._absent(root):
            return None
        if path is not None and not isinstance(sys.modules.get(root), AbsentModule):
            return None
        if path is None:
            self.noted.append(root)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def _absent(self, root: str) -> bool:
        stdlib = root in sys.stdlib_module_names or root.startswith("_")
        kept = stdlib or root in PLAIN or root in self.plain or root in self.guarded
        return not (kept or self._asked_by_library())

    def _asked_by_library(self) -> bool:
        """Whether an installed package imports: what it lacks it does without, and a stand-in would mislead it."""
        frame = sys._getframe(1)
        while frame.f_back is not None and ("importlib" in frame.f_code.co_filename or frame.f_globals is globals()):
            frame = frame.f_back
        return str(frame.f_globals.get("__name__")).partition(".")[0] in self.plain

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return the inert module."""
        return AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is complete."""


def guarded_imports(code: str) -> set[str]:
    """Return the top-level names that ``code`` imports inside a ``try`` that catches a failed import.

    A handler that installs a package and imports it again has no other way without it.
    """
    if "try" not in code:
        return set()
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    guarded: set[str] = set()
    for block in ast.walk(tree):
        if isinstance(block, ast.Try) and block.handlers:
            guarded |= _imported(block.body) - _imported(block.handlers)
    return guarded


def _imported(statements: Sequence[ast.AST]) -> set[str]:
    """The top-level names that statements import."""
    names: set[str] = set()
    for node in (inner for statement in statements for inner in ast.walk(statement)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
