"""The functions and classes of a solution as its text has them: what they take, what they read of a config."""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.intake.syntax import chunk_trees, top_level
from grader.learning.words import explains, spoken
from grader.model.assignment import BESIDE
from grader.model.submission import CodeModule

REQUIRED = object()
"""The default of an argument that has none."""
RETURNS = ": return ("
"""What stands before the names of several values in the error that a starter raises."""
NOT_PLAIN = object()
"""A default that is no plain value."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One argument: its name, its default, whether it is given by name alone, and the class that it is said to be.

    ``optional`` is one that is said to be None as well, ``as_mask`` one that is tried as a mask whatever it is called.
    """

    name: str
    default: Any = REQUIRED
    by_name: bool = False
    annotation: str = ""
    optional: bool = False
    as_mask: bool = False

    @property
    def truth(self) -> bool:
        """Whether it is a truth value."""
        return self.annotation == "bool" or isinstance(self.default, bool)

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is REQUIRED


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class of the top level.

    ``made`` are the arguments of a class's constructor, ``called`` those of the function, or of the class's forward.
    ``bases`` are the names of what a class is made from and others define, ``holds`` are classes that it makes, or is
    made from, ``constants`` the values that its file has at the top level. ``entry`` is how a model is called that is
    no function, by the names of ``called``: ``thing.decode({tgt}, thing.encode({src}))``. ``returned`` are
    the names of several values that it returns together, ``beside`` the places of those that are no arrays, and
    ``method`` is the method of a class that is called.
    """

    name: str
    kind: str
    module: str
    file: str
    node: ast.FunctionDef | ast.ClassDef
    made: tuple[Taken, ...] = ()
    called: tuple[Taken, ...] = ()
    bases: tuple[str, ...] = ()
    holds: frozenset[str] = frozenset()
    fields: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    entry: str = ""
    returned: tuple[str, ...] = ()
    beside: frozenset[int] = frozenset()
    method: str = ""

    @property
    def of_torch(self) -> bool:
        """Whether it is made from a module of torch."""
        return any("Module" in parent or parent.partition(".")[0] in {"nn", "torch"} for parent in self.bases)

    @property
    def thing(self) -> str:
        """What the lines of an adapter call: what a module of torch, or a class that says so, hands on by itself."""
        return "thing.forward" if self.method == "forward" and not self.of_torch else "thing"

    @property
    def classes(self) -> str:
        """Its own name and those of all classes that it makes, torch's as well."""
        calls = [ast.unparse(node.func) for node in ast.walk(self.node) if isinstance(node, ast.Call)]
        return " ".join([self.name, *(name for name in map(_last, calls) if name[:1].isupper())])

    @property
    def is_table(self) -> bool:
        """Whether it is a class that holds values alone, and is read without being made."""
        return self.kind == "class" and bool(self.node.body) and not _methods(self.node) and not self.bases

    @property
    def keys_returned(self) -> tuple[str, ...]:
        """The keys of a dict that a function returns at its end."""
        last = self.node.body[-1]
        value = value_keys(last.value) if isinstance(last, ast.Return) else []
        return tuple(key for key in value if isinstance(key, str))

    @property
    def names_returned(self) -> tuple[str, ...]:
        """The names of several values that are returned together, in a tuple or in a dict."""
        return self.keys_returned or self.returned

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers that stand in it."""
        values = [node.value for node in ast.walk(self.node) if isinstance(node, ast.Constant)]
        return tuple(dict.fromkeys(v for v in values if isinstance(v, int | float) and not isinstance(v, bool)))


OF_TORCH: Mapping[str, tuple[Taken, ...]] = {
    "LayerNorm": (Taken("normalized_shape"),),
    "Embedding": (Taken("num_embeddings"), Taken("embedding_dim")),
    "Sequential": (),
}
"""What a class is made with that leaves that to its parent in torch, which is called with one input."""


def definitions(modules: Sequence[CodeModule]) -> dict[str, Definition]:
    """The functions and classes of all modules by name: the last of each name, of the first module that has it."""
    found: dict[str, Definition] = {}
    constants = _constants(modules)
    files = frozenset(module.name.rpartition(".")[2] for module in modules)
    statements = [
        (statement, module.name, chunk.filename)
        for module in modules
        for chunk, tree in chunk_trees(module)
        for statement in top_level(tree)
    ]
    classes = {statement.name: statement for statement, *_ in statements if isinstance(statement, ast.ClassDef)}
    for statement, module, file in sorted(statements, key=lambda row: _generations(row[0], classes)):
        if (other := found.get(getattr(statement, "name", ""))) is not None and other.module != module:
            continue
        if isinstance(statement, ast.FunctionDef):
            called = tuple(_taken(statement.args))
            made = Definition(statement.name, "function", module, file, statement, called=called)
            found[statement.name] = replace(made, returned=returned(statement), beside=_no_arrays(statement))
        elif isinstance(statement, ast.ClassDef):
            made = _class(statement, module, file, found)
            found[statement.name] = replace(made, holds=made.holds | _of_files(statement, files))
    names = [one.name for one, *_ in statements if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    flags = {taken.name for one in found.values() for taken in (*one.made, *one.called) if taken.truth}
    flags = {name for name in flags if not explains(name)}
    return {name: replace(_with_flags(_passing_on(found[name], found), flags), constants=constants) for name in names}


def _with_flags(one: Definition, flags: Collection[str]) -> Definition:
    """A definition whose arguments are truth values where it asks whether they hold, or others of that name are."""
    tests = (node.test for node in ast.walk(one.node) if isinstance(node, ast.If | ast.IfExp))
    asked = (test.operand if isinstance(test, ast.UnaryOp) else test for test in tests)
    names = {node.id for node in asked if isinstance(node, ast.Name)}.union(flags)

    def told(each: Taken) -> Taken:
        return replace(each, annotation=each.annotation or "bool") if each.required and each.name in names else each

    return replace(one, made=tuple(map(told, one.made)), called=tuple(map(told, one.called)))


def _passing_on(one: Definition, known: Mapping[str, Definition], above: tuple[str, ...] = ()) -> Definition:
    """A class with what its constructor hands on by ``**kwargs`` among its arguments: those of the class that it makes.

    ``above`` are the classes that lead here.
    """
    init = _methods(one.node).get("__init__") if one.kind == "class" else None
    if init is None or init.args.kwarg is None or one.name in above:
        return one
    rest = init.args.kwarg.arg
    for call in (node for node in ast.walk(init) if isinstance(node, ast.Call)):
        inner = known.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if inner is not None and any(word.arg is None and _is_name(word.value, rest) for word in call.keywords):
            taken = _passing_on(inner, known, (*above, one.name)).made[len(call.args) :]
            named = {word.arg for word in call.keywords} | {own.name for own in one.made}
            return replace(one, made=(*one.made, *(replace(t, by_name=True) for t in taken if t.name not in named)))
    return one


def _generations(statement: ast.stmt, classes: Mapping[str, ast.ClassDef]) -> int:
    """How many classes of the solution stand in the line of a class, with itself, wherever they are defined."""
    met: list[str] = []
    name = statement.name if isinstance(statement, ast.ClassDef) else None
    while name is not None and name not in met:
        met.append(name)
        name = next((base for base in map(ast.unparse, classes[name].bases) if base in classes), None)
    return len(met)


def _constants(modules: Sequence[CodeModule]) -> dict[str, Any]:
    """The names that the modules give values at their top level, with the value where it is a plain one."""
    statements = [statement for module in modules for _, tree in chunk_trees(module) for statement in top_level(tree)]
    found = [
        (target, value_of(statement.value))
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    ]
    return {
        node.id: value if node is target else NOT_PLAIN
        for target, value in found
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }


def keys_read(one: Definition, argument: str) -> tuple[str, ...]:
    """The texts by which a function takes something out of ``argument``, a dict: ``params["W_q"]``."""
    items = [node for node in ast.walk(one.node) if isinstance(node, ast.Subscript)]
    of_it = [node for node in items if isinstance(node.value, ast.Name) and node.value.id == argument]
    keys = [value_of(node.slice) for node in sorted(of_it, key=lambda node: (node.lineno, node.col_offset))]
    return tuple(dict.fromkeys(key for key in keys if isinstance(key, str)))


def keys_taken(one: Definition, argument: str) -> tuple[Taken, ...]:
    """The keys of a dict that a function takes, as arguments; optional are those that it looks for, or can do without.

    ``param["p"]``; ``param.get("eps", 1e-5)``, ``config.setdefault("t", 0)``, ``if "seed" in param``.
    """
    optional: dict[str, Any] = {}
    for node in ast.walk(one.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_name(node.func.value, argument):
            if node.func.attr in {"get", "setdefault"} and isinstance(key := value_of(node.args[0]), str):
                optional[key] = value_of(node.args[1]) if len(node.args) > 1 else None
        elif isinstance(node, ast.Compare) and _is_name(node.comparators[0], argument):
            optional |= dict.fromkeys([key] if isinstance(key := value_of(node.left), str) else [])
    keys = dict.fromkeys((*keys_read(one, argument), *optional))
    return tuple(Taken(key, optional.get(key, REQUIRED)) for key in keys)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def texts_in(one: Definition) -> tuple[str, ...]:
    """The texts that stand in a definition, such as the modes that it knows."""
    values = [node.value for node in ast.walk(one.node) if isinstance(node, ast.Constant)]
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def value_of(node: ast.expr | None) -> Any:
    """The plain value that an expression is; NOT_PLAIN for others."""
    if node is None:
        return REQUIRED
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_PLAIN


def value_keys(node: ast.expr | None) -> list[Any]:
    """The plain keys of a dict as it is written."""
    return [value_of(key) for key in node.keys] if isinstance(node, ast.Dict) else []


def _taken(arguments: ast.arguments, *, method: bool = False) -> Iterator[Taken]:
    given = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(given) - len(arguments.defaults)) + list(arguments.defaults)
    for one, default in list(zip(given, defaults, strict=True))[1 if method else 0 :]:
        yield Taken(one.arg, value_of(default), False, *_said(one.annotation))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Taken(one.arg, value_of(default), True, *_said(one.annotation))


def _said(annotation: ast.expr | None) -> tuple[str, bool]:
    """The class that an annotation names, in quotes or as a type, and whether it may be None; empty for several."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value, False
    if isinstance(annotation, ast.BinOp) and ast.unparse(annotation.right) == "None":
        return _said(annotation.left)[0], True
    outer = _last(ast.unparse(annotation.value)) if isinstance(annotation, ast.Subscript) else ""
    if isinstance(annotation, ast.Subscript) and outer in {"type", "Type", "Optional"}:
        return _said(annotation.slice)[0], outer == "Optional"
    return ast.unparse(annotation) if isinstance(annotation, ast.Name | ast.Attribute) else "", False


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _methods(node: ast.AST) -> dict[str, ast.FunctionDef]:
    return {item.name: item for item in getattr(node, "body", ()) if isinstance(item, ast.FunctionDef)}


def _handed_on(taken: Sequence[Taken], parents: Sequence[Definition]) -> tuple[Taken, ...]:
    """The arguments of a forward, those by name that an inherited ``__call__(self, x, **kwargs)`` hands on so."""
    calls = [each["__call__"].args for each in map(_methods, (one.node for one in parents)) if "__call__" in each]
    if not calls or calls[0].vararg or not calls[0].kwarg:
        return tuple(taken)
    placed = len(calls[0].args) - 1
    return (*taken[:placed], *(replace(one, by_name=True) for one in taken[placed:]))


def _of_files(node: ast.ClassDef, files: Collection[str]) -> frozenset[str]:
    """The classes that a class makes by the names of their files: ``layers.Attention(d)``."""
    called = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    return frozenset(one.attr for one in called if isinstance(one, ast.Attribute) and ast.unparse(one.value) in files)


def _class(node: ast.ClassDef, module: str, file: str, known: Mapping[str, Definition]) -> Definition:
    methods = _methods(node)
    named = [ast.unparse(base) for base in node.bases]
    parents = [known[base] for base in named if base in known]
    bases = tuple(base for base in named if base not in known)
    bases += tuple(base for parent in parents for base in parent.bases)
    fields = {
        item.target.id: value_of(item.value)
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }
    made = tuple(_taken(methods["__init__"].args, method=True)) if "__init__" in methods else ()
    theirs = next((OF_TORCH[base] for base in map(_last, bases) if base in OF_TORCH), None)
    if "__init__" not in methods:
        made = parents[0].made if parents else theirs or tuple(Taken(name, value) for name, value in fields.items())
    entry = next((methods[name] for name in ("forward", "__call__") if name in methods), None)
    inherited = next((one.called for one in parents), () if theirs is None else (Taken("input"),))
    called = tuple(_taken(entry.args, method=True)) if entry else inherited
    called = called if "__call__" in methods else _handed_on(called, parents)
    by_steps, steps = _by_steps(methods) if not called else ("", ())
    holds = {call.func.id for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    if parents:
        holds |= {parents[0].name}
    return Definition(
        node.name,
        "class",
        module,
        file,
        node,
        made,
        called or steps,
        bases,
        frozenset(holds),
        fields,
        entry=by_steps,
        returned=returned(entry) if entry else (),
        beside=_no_arrays(entry) if entry else frozenset(),
        method=entry.name if entry else "",
    )


def returned(function: ast.FunctionDef) -> tuple[str, ...]:
    """The names of the values that a function returns together at its end, ``_`` where one has none; else nothing."""
    return tuple(value.id if isinstance(value, ast.Name) else BESIDE for value in _together(function))


def _together(function: ast.FunctionDef) -> list[ast.expr]:
    """The values that a function returns together at its end, or that its starter says to be returned."""
    last = function.body[-1]
    texts = [node.value for node in ast.walk(last) if isinstance(node, ast.Constant) and isinstance(last, ast.Raise)]
    said = next((text for text in texts if isinstance(text, str) and RETURNS in text), "")
    if names := said.partition(RETURNS)[2].rstrip(")"):
        return [ast.Name(name) for name in names.split(", ")]
    return last.value.elts if isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple) else []


def _no_arrays(function: ast.FunctionDef) -> frozenset[int]:
    """The places of the values, of several returned together, that are a tuple, a list, a dict or None."""
    bound = {
        target.id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    values = [bound.get(one.id, one) if isinstance(one, ast.Name) else one for one in _together(function)]
    return frozenset(at for at, value in enumerate(values) if _is_no_array(value))


def _is_no_array(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple | ast.List | ast.Dict) or (
        isinstance(value, ast.Constant) and value.value is None
    )


PROJECTIONS = ("project", "projection", "generate", "generator", "output", "predict", "head", "logits")


def _by_steps(methods: Mapping[str, ast.FunctionDef]) -> tuple[str, tuple[Taken, ...]]:
    """How a model is called that encodes and decodes in two methods, and all that these take beside the memory."""
    if not {"encode", "decode"} <= methods.keys():
        return "", ()
    encode, decode = (list(_taken(methods[name].args, method=True)) for name in ("encode", "decode"))
    memory = next(
        (taken.name for taken in decode if {*spoken(taken.name)} & {"memory", "encoder", "enc", "encoded"}), ""
    )
    both = {taken.name: taken for taken in (*encode, *decode) if taken.name != memory}
    if not memory or len(encode) + len(decode) - 1 - len(both) > 1:  # what is called alike is one mask at most
        return "", ()
    first = f"thing.encode({_fields(encode)})"
    text = f"thing.decode({_fields(decode)})".replace(f"{{{memory}}}", first)
    last = next((name for name in PROJECTIONS if name in methods), "")
    return (f"thing.{last}({text})" if last else text), tuple(both.values())


def _fields(taken: Sequence[Taken]) -> str:
    return ", ".join(f"{f'{one.name}=' if one.by_name else ''}{{{one.name}}}" for one in taken)
