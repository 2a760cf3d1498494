"""Calls that put a value away: into a list, a table, or an attribute whose name is a text."""

from __future__ import annotations

import ast

STORES = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put"})
_BY_NAME = frozenset({"add_module", "register_module", "register_buffer", "register_parameter", "__setattr__"})


def keeps(node: ast.AST) -> bool:
    """Whether it puts a value into a container: ``kept.append(y)``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STORES


def owner_of(node: ast.Call) -> ast.expr:
    """Return the object that a call gives an attribute or a hook; the call itself where it does no such thing."""
    function = node.func
    if isinstance(function, ast.Attribute) and (function.attr in _BY_NAME or function.attr.endswith("_hook")):
        return function.value
    return node.args[0] if isinstance(function, ast.Name) and function.id == "setattr" and node.args else node


def given_name(node: ast.Call) -> str:
    """Return the name of the attribute that a call of ``owner_of`` gives; empty where it cannot be read."""
    return next(filter(None, map(text_in, node.args)), "")


def text_in(node: ast.AST) -> str:
    """Return a text that is written there; empty for what is none."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
