"""Further facts of the syntax tree: signs of tricks, and tie-breaks between misconceptions that values cannot tell."""

import ast
import math
from collections.abc import Collection, Iterator, Sequence

from grader.model.outcome import Location
from grader.model.submission import CodeModule
from grader.source.callers import innocent
from grader.source.project import Scope, Use, definition_of, dotted, project_of, reached, use_at, uses_of, walk

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
_PRINTING = frozenset({"builtins.print", "sys.stdout.write", "sys.stderr.write", "pprint.pprint"})
_FRAME_ATTRIBUTES = frozenset(
    {"f_back", "f_locals", "f_globals", "f_code", "tb_frame", "gi_frame", "cr_frame", "ag_frame", "__traceback__"}
)
# Settings that libraries want to be assigned.
_SETTINGS = (
    "torch.backends", "matplotlib", "pandas.options", "tensorflow", "jax.config", "sys.stdout", "sys.stderr",
    "sys.argv", "sys.path", "os.environ", "warnings", "seaborn",
)  # fmt: skip


def prints_in(module: CodeModule, function: str) -> tuple[Location, ...]:
    """Return where a function prints: ``print`` and ``sys.stdout.write``."""
    project, found = project_of((module,)), []
    for part in definition_of(project, module.name, function):
        for node, scope in walk(project, part):
            if isinstance(node, ast.Call) and dotted(node.func, scope) & _PRINTING:
                found.append(use_at("", part, node).location)
    return tuple(sorted(found, key=lambda place: (place.cell or 0, place.line)))


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
        for node, _ in walk(project, part):
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
        for node, scope in walk(project, part):
            for base, attribute in _replaced(node, scope):
                name = f"{base}.{attribute}"
                if not project.is_own(base) and not any(f"{name}.".startswith(f"{setting}.") for setting in _SETTINGS):
                    found.append(use_at(name, part, node))
    return _in_order(found)


def _replaced(node: ast.AST, scope: Scope) -> Iterator[tuple[str, str]]:
    """The dotted name of what a node writes into, and the name that is replaced there, … where it cannot be read."""
    written = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    if isinstance(node, ast.Attribute) and written:
        yield from ((base, node.attr) for base in dotted(node.value, scope))
    elif isinstance(node, ast.Subscript) and written:
        for base in dotted(node.value, scope):
            if base.endswith(".__dict__") or base == "sys.modules":
                yield base.removesuffix(".__dict__"), _text(node.slice)
    elif isinstance(node, ast.Call) and node.args:
        called = dotted(node.func, scope)
        if called & {"builtins.setattr", "builtins.delattr", "unittest.mock.patch.object"}:
            word = _text(node.args[1]) if len(node.args) > 1 else "…"
            yield from ((base, word) for base in dotted(node.args[0], scope))
        elif "unittest.mock.patch" in called and "." in (text := _text(node.args[0])):
            yield text.rpartition(".")[0], text.rpartition(".")[2]


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "…"


def defines_equal_anything(modules: Sequence[CodeModule]) -> tuple[Use, ...]:
    """Return the classes whose ``__eq__`` always says True, or whose ``__ne__`` always says False."""
    project = project_of(tuple(modules))
    found: list[Use] = []
    for part in project.parts:
        for node, _ in walk(project, part):
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
        for node, scope in walk(project, part):
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
