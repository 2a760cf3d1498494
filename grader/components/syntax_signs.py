"""What the source says where no input can tell two slips apart."""

import ast
from collections.abc import Collection, Iterable

from grader.component.checks import Evidence
from grader.intake.syntax import SyntaxFault, parse


def holds_number(evidence: Evidence, number: float) -> bool:
    """Whether the source writes ``number`` down, in whatever spelling (10000, 1e4, 10_000.0)."""
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value == number
        for node in nodes(evidence)
    )


def multiplies_by_mask(evidence: Evidence) -> bool:
    """Whether the source multiplies something by the mask."""
    return any(
        _names_mask(side)
        for node in nodes(evidence)
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Mult)
        for side in ast.walk(node)
    )


def writes_infinity(evidence: Evidence) -> bool:
    """Whether the source speaks of infinity at all."""
    return any(_spells(node, _INFINITY) for node in nodes(evidence))


def writes_nan(evidence: Evidence) -> bool:
    """Whether the source speaks of NaN."""
    return any(_spells(node, {"nan"}) for node in nodes(evidence))


def multiplies_infinity(evidence: Evidence) -> bool:
    """Whether the source multiplies something by infinity: ``(1 - mask) * -np.inf``, ``float("-inf") * ~mask``."""
    return any(
        _spells(part, _INFINITY)
        for node in nodes(evidence)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        for part in ast.walk(node)
    )


_INFINITY = frozenset({"inf", "pinf", "infty", "infinity"})


def _spells(node: ast.AST, words: Collection[str]) -> bool:
    """Whether a node is one of the names, or a text or number that reads so."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.lower() in words or (isinstance(node, ast.Constant) and str(node.value).lower().lstrip("+-") in words)


def writes_zero(evidence: Evidence) -> bool:
    """Whether the source writes a 0 where the mask says so: ``np.where(mask, scores, 0)`` or ``scores[~mask] = 0``."""
    return any(_chooses_zero(node) or _assigns_zero(node) for node in nodes(evidence))


def takes_the_smallest(evidence: Evidence) -> bool:
    """Whether the source asks a type for its smallest positive number: ``np.finfo(...).tiny``."""
    names = {"tiny", "smallest_normal", "smallest_subnormal"}
    return any(isinstance(node, ast.Attribute) and node.attr in names for node in nodes(evidence))


def _chooses_zero(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    named = any(_names_mask(part) for argument in node.args for part in ast.walk(argument))
    return named and any(_is_zero(argument) for argument in node.args)


def _assigns_zero(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and _is_zero(node.value) and isinstance(node.targets[0], ast.Subscript)


def defaults_to(evidence: Evidence, number: int) -> bool:
    """Whether the function that is asked has a parameter with ``number`` as its default."""
    return any(
        isinstance(default, ast.Constant) and default.value == number and not isinstance(default.value, bool)
        for found in _asked(evidence)
        for default in [*found.defaults, *found.kw_defaults]
    )


def leaves_unread(evidence: Evidence, position: int) -> bool:
    """Whether the function that is asked never reads its parameter at ``position``."""
    for node in nodes(evidence):
        if isinstance(node, ast.FunctionDef) and node.name == evidence.function:
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            return len(names) > position and names[position] not in read
    return False


def never_defaults_to(evidence: Evidence, number: int) -> bool:
    """Whether the function that is asked stands in the source, without ``number`` as a default; unknown is no."""
    return any(True for _ in _asked(evidence)) and not defaults_to(evidence, number)


def _asked(evidence: Evidence) -> Iterable[ast.arguments]:
    """The parameters of the function that is asked, written with ``def`` or as a lambda under its name."""
    for node in nodes(evidence):
        if isinstance(node, ast.FunctionDef) and node.name == evidence.function:
            yield node.args
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            yield from [node.value.args] if evidence.function in names else []


def nodes(evidence: Evidence) -> Iterable[ast.AST]:
    """All nodes of the submission's syntax trees; a module that cannot be parsed is passed over."""
    for module in evidence.modules:
        tree = parse(module.source)
        if not isinstance(tree, SyntaxFault):  # the other modules may still decide
            yield from ast.walk(tree)


def _names_mask(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and "mask" in node.id.lower()


def _is_zero(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0) and not isinstance(node.value, bool)
