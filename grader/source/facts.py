"""Further facts of the syntax tree: signs of tricks, and tie-breaks between misconceptions that values cannot tell."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.model import CodeModule, Location
from grader.source.callers import innocent
from grader.source.project import Project, Use, find_function, use_at
from grader.source.reading import project_of, reached
from grader.source.resolve import constant, resolve, split_own
from grader.source.scopes import Scope, walk
from grader.source.uses import calls_in, uses_of

_SEEDS = (
    "numpy.random.seed", "numpy.random.set_state", "random.seed", "random.setstate", "torch.manual_seed", "torch.seed",
    "torch.random.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.set_rng_state",
    "torch.random.set_rng_state",
)  # fmt: skip
_FRAMES = (
    "inspect.currentframe", "inspect.stack", "inspect.trace", "inspect.getouterframes", "inspect.getinnerframes",
    "inspect.getframeinfo", "sys._getframe", "sys._current_frames", "sys._getframemodulename", "sys.settrace",
    "sys.setprofile", "traceback.extract_stack", "traceback.walk_stack", "gc.get_objects", "gc.get_referrers",
    "gc.get_referents",
)  # fmt: skip
_FRAME_ATTRIBUTES = frozenset(
    {"f_back", "f_locals", "f_globals", "f_code", "tb_frame", "gi_frame", "cr_frame", "ag_frame", "__traceback__"}
)
# Settings that libraries want to be assigned.
_SETTINGS = (
    "torch.backends", "matplotlib", "pandas.options", "tensorflow", "jax.config", "sys.stdout", "sys.stderr",
    "sys.argv", "sys.path", "os.environ", "warnings", "seaborn",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant in the code: its value and place."""

    value: object
    location: Location


def constants_in(module: CodeModule, function: str) -> tuple[Literal, ...]:
    """Return the constants of a function in order: ``-1e9`` and ``float("-inf")`` are one each; docstrings are none."""
    project = project_of((module,))
    found: list[Literal] = []
    for part in find_function(project, module.name, function):
        spared: set[ast.AST] = set()
        for node, _ in walk(part, project.scopes):
            if node in spared:
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                spared.add(node.value)
            elif isinstance(node, ast.expr) and (value := _number_or_text(node)) is not None:
                spared.update(ast.walk(node))
                found.append(Literal(value, use_at("", part, node).location))
    return tuple(found)


def _number_or_text(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, (int, float)) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float" and node.args:
        argument = node.args[0]
        text = argument.value if isinstance(argument, ast.Constant) else None
        words = {"inf": math.inf, "-inf": -math.inf, "infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}
        return words.get(text.strip().lower()) if isinstance(text, str) else None
    return None


def prints_in(module: CodeModule, function: str) -> tuple[Location, ...]:
    """Return where a function prints: ``print`` and ``sys.stdout.write``."""
    names = {"builtins.print", "sys.stdout.write", "sys.stderr.write", "pprint.pprint"}
    return tuple(use.location for use in calls_in(module, function) if use.name in names)


def global_seed_calls(modules: Sequence[CodeModule], targets: Sequence[str] = ()) -> tuple[Use, ...]:
    """Return where a global random generator is seeded, in what ``targets`` lead to or anywhere without targets."""
    return uses_of(modules, _SEEDS, targets)


def uses_inspect_frames(modules: Sequence[CodeModule], asked: Collection[str] = ()) -> tuple[Use, ...]:
    """Return where the code looks at its callers: frames, tracebacks, the garbage collector's lists.

    A function that is not ``asked`` from outside may look at the function of the submission that called it.
    """
    project = project_of(tuple(modules))
    found = list(uses_of(modules, _FRAMES))
    for part in project.parts:
        for node, _ in walk(part, project.scopes):
            if isinstance(node, ast.Attribute) and node.attr in _FRAME_ATTRIBUTES:
                found.append(use_at("." + node.attr, part, node))
    spared = innocent(modules, asked) if found else ()
    return _in_order([use for use in found if use.name.startswith("gc.") or not any(s.holds(use) for s in spared)])


def patches_foreign_attributes(modules: Sequence[CodeModule]) -> tuple[Use, ...]:
    """Return where something of a library is replaced: ``np.allclose = …``, ``setattr(np, …)``, ``sys.modules[…] = …``.

    Settings that a library wants assigned (``torch.backends``, ``matplotlib``) are not meant.
    """
    project = project_of(tuple(modules))
    found: list[Use] = []
    for part in project.parts:
        for node, scope in walk(part, project.scopes):
            for base, attribute in _replaced(project, node, scope):
                name = f"{base}.{attribute}"
                own = split_own(project, base)[0]
                if not own and not any(f"{name}.".startswith(f"{setting}.") for setting in _SETTINGS):
                    found.append(use_at(name, part, node))
    return _in_order(found)


def _replaced(project: Project, node: ast.AST, scope: Scope) -> Iterator[tuple[str, str]]:
    context = getattr(node, "ctx", None)
    if isinstance(node, ast.Attribute) and isinstance(context, (ast.Store, ast.Del)):
        yield from ((base, node.attr) for base in resolve(project, node.value, scope))
    elif isinstance(node, ast.Subscript) and isinstance(context, (ast.Store, ast.Del)):
        for base in resolve(project, node.value, scope):
            if base.endswith(".__dict__") or base == "sys.modules":
                key = constant(project, node.slice, scope)
                yield base.removesuffix(".__dict__"), key if isinstance(key, str) else "…"
    elif isinstance(node, ast.Call):
        called = resolve(project, node.func, scope)
        text = constant(project, node.args[1 if len(node.args) > 1 else 0], scope) if node.args else None
        word = text if isinstance(text, str) else "…"
        if called & {"builtins.setattr", "builtins.delattr", "unittest.mock.patch.object"} and node.args:
            yield from ((base, word) for base in resolve(project, node.args[0], scope))
        elif "unittest.mock.patch" in called and isinstance(text := constant(project, node.args[0], scope), str):
            yield text.rpartition(".")[0], text.rpartition(".")[2]


def defines_equal_anything(modules: Sequence[CodeModule]) -> tuple[Use, ...]:
    """Return the classes whose ``__eq__`` always says True, or whose ``__ne__`` always says False."""
    project = project_of(tuple(modules))
    found: list[Use] = []
    for part in project.parts:
        for node, _ in walk(part, project.scopes):
            for name, function in _methods(node):
                if name in _ANSWERS and _always(function, _ANSWERS[name]):
                    found.append(use_at(name, part, function))
    return _in_order(found)


_ANSWERS = {"__eq__": True, "__ne__": False}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _methods(node: ast.AST) -> Iterator[tuple[str, _Function]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name, node
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        for target in node.targets:
            yield getattr(target, "id", getattr(target, "attr", "")), node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(value, ast.Lambda):
                yield str(key.value), value


def _always(function: _Function, answer: bool) -> bool:
    if isinstance(function, ast.Lambda):
        values: list[ast.expr | None] = [function.body]
    else:
        values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return bool(values) and all(isinstance(value, ast.Constant) and value.value is answer for value in values)


def returns_constant_for_equal_input(modules: Sequence[CodeModule], targets: Sequence[str] = ()) -> tuple[Use, ...]:
    """Return where an argument is compared with a literal and a literal returned: a hard-coded visible case.

    Guards such as ``if n == 0: return []`` are not meant: the literal compared or the one returned has several numbers,
    or is a number that nobody writes by chance.
    """
    project = project_of(tuple(modules))
    parts = reached(project, targets) if targets else project.parts
    found: list[Use] = []
    for part in parts:
        for node, scope in walk(part, project.scopes):
            if isinstance(node, ast.If) and scope.kind == "function":
                compared = max((_weight(side, scope) for side in _compared(node.test)), default=0)
                returned = max((_weight(one.value, scope) for one in _returns(node.body)), default=0)
                if compared and returned and compared + returned > 2:  # noqa: PLR2004
                    found.append(use_at("==", part, node))
    return _in_order(found)


def _compared(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the sides of equalities in a test, ``np.array_equal(x, …)`` and ``(x == …).all()`` among them."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(
            isinstance(operator, (ast.Eq, ast.Is, ast.In)) for operator in node.ops
        ):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in {"array_equal", "allclose", "equal", "isclose", "array_equiv"}:
                yield from node.args


def _returns(body: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    yield from (one for one in body if isinstance(one, ast.Return))


def _weight(node: ast.expr | None, scope: Scope) -> int:
    """Return 0 for what is no literal, 1 for a plain one (0, [], None, "mean"), 2 for one that holds a case."""
    if isinstance(node, ast.Call) and node.args and not node.keywords:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return _weight(node.args[0], scope) if name in {"array", "asarray", "tensor", "tuple", "list", "float"} else 0
    try:
        value = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return 0
    numbers = _numbers(value)
    odd = any(number not in {0, 1, -1, 0.5, 2} and number != int(number) for number in numbers if math.isfinite(number))
    return 2 if len(numbers) > 1 or (odd and not isinstance(value, (list, tuple, dict))) else 1


def _numbers(value: object) -> list[float]:
    waiting, found = [value], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, tuple, set)):
            waiting.extend(one)
        elif isinstance(one, (int, float)) and not isinstance(one, bool):
            found.append(float(one) if abs(one) < 1e300 else math.inf)  # noqa: PLR2004
    return found


def _in_order(found: Sequence[Use]) -> tuple[Use, ...]:
    return tuple(sorted(set(found), key=lambda use: (use.file, use.cell or 0, use.line, use.name)))
