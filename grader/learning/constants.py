"""Sizes that a solution has as constants of its file: an adapter's lines set them before they are read."""

import ast
import symtable
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader.learning import words
from grader.learning.definitions import NOT_PLAIN, Definition, value_of


def told(one: Definition, known: Mapping[str, Definition], texts: Mapping[str, str]) -> list[str]:
    """The lines that set what a definition, and what it makes and calls, reads of its file's constants.

    ``texts`` say sizes as the adapter writes them; what stands for none of these stays as the solution has it.
    """
    numbers = [name for name in sorted(read(one, known)) if _may_be_size(one.constants[name])]
    found = {name: _meant(name, list(texts)) for name in numbers}
    found |= {path: _meant(last, list(texts)) for path, last in sorted(_fields(one, known))}
    return [f"work.{name} = {texts[size]}" for name, size in found.items() if size]


def _fields(one: Definition, known: Mapping[str, Definition]) -> set[tuple[str, str]]:
    """What is read of objects of the file, with its last name: ``cfg.d_model``, ``Config.width``, ``cfg["heads"]``."""
    tables = {name for name in known if known[name].is_table}
    found = set()
    for here, names in _leads(one, known):
        holders = names & (here.constants.keys() | tables)
        nodes = [node for node in ast.walk(here.node) if isinstance(node, ast.Attribute | ast.Subscript)]
        inner = {id(node.value) for node in nodes}
        for node in nodes if holders else ():
            last = node.attr if isinstance(node, ast.Attribute) else value_of(node.slice)
            if id(node) not in inner and isinstance(last, str) and _root(node) in holders:
                found.add((ast.unparse(node), last))
    return found


def _root(node: ast.expr) -> str:
    """The name that stands first in ``a.b["c"]``; empty for what is no such path."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _may_be_size(value: Any) -> bool:
    """Whether a constant counts something, is a rate, or is computed: what stands for minus infinity is none of it."""
    return value is NOT_PLAIN or (type(value) is int and value >= 0) or (type(value) is float and 0 <= value < 1)


def _meant(name: str, among: Sequence[str]) -> str:
    """The size that a constant is by its name; empty for none."""
    width = words.sizes_said(name, [size for size in among if size == "d_k"])  # of a head, and not their number
    return next(iter(width or words.standing_for(name, words.SIZES, among) or words.sizes_said(name, among)), "")


def on_cpu(one: Definition, known: Mapping[str, Definition]) -> list[str]:
    """The line by which the CPU stands in for a GPU, where a definition, or what it leads to, calls ``cuda()``.

    What looks whether there is one needs none.
    """
    nodes = [[*ast.walk(here.node)] for here, _ in _leads(one, known)]
    read = [{node.attr for node in each if isinstance(node, ast.Attribute)} for each in nodes]
    asked = any("cuda" in names and not names & {"is_cuda", "is_available"} for names in read)
    return ["torch.Tensor.cuda = torch.nn.Module.cuda = lambda thing, *_, **__: thing"] if asked else []


def read(one: Definition, known: Mapping[str, Definition]) -> set[str]:
    """The names of constants that are read wherever the definition leads."""
    return {name for here, names in _leads(one, known) for name in names & here.constants.keys()}


def _leads(one: Definition, known: Mapping[str, Definition]) -> Iterator[tuple[Definition, set[str]]]:
    """A definition and all that it makes and calls, each with the global names that it reads."""
    waiting, met = [one], {one.name}
    while waiting:
        here = waiting.pop()
        names = set(_free(symtable.symtable(ast.unparse(here.node), here.file, "exec")))
        yield here, names
        names |= here.holds
        waiting += [known[name] for name in sorted(names & known.keys() - met)]
        met |= names


def _free(table: symtable.SymbolTable) -> Iterator[str]:
    """The global names that are read inside functions: what stands in a default is read once, when it is defined."""
    for inner in table.get_children():
        if inner.get_type() == "function":
            yield from (symbol.get_name() for symbol in inner.get_symbols() if _is_read(symbol))
        yield from _free(inner)


def _is_read(symbol: symtable.Symbol) -> bool:
    return symbol.is_global() and symbol.is_referenced() and not symbol.is_assigned()
