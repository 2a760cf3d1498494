"""How a class is made and called: what its signature leaves, tried until one way runs."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from grader.blocks.sizes import Sizes
from grader.catalog.adapter import FILE, adapted_by
from grader.learning import calls, construction, draft, ready, rotations, words
from grader.learning.around import Around, inside
from grader.learning.definitions import Definition
from grader.learning.lesson import CURES, Field, Lesson, Question
from grader.learning.trial import MOST_TRIES, Trial, changed, complaints
from grader.model.assignment import Interface

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.blocks.subject import Subject

Manners: TypeAlias = "Generator[tuple[Interface, Subject], bool | None, None]"
BESIDE: Mapping[str, Any] = {"training": False, "cache": None}
"""What else a call has to be given; the mode is that of the module, and nothing was computed before."""
MADE_ALIKE = 2
"""Ways to make it with which it fails alike before it is given up."""
OF_IDS = {"positional_encoding": "thing(x[..., 0].long())"}
"""How a part is called that is given ids in the place of their vectors: how many there are tells its answer."""
LARGEST = 1_000_000
"""Numbers in the parameters of a class at most: with the sizes that are given no part has as many."""
OF_A_HEAD = 7
"""Features of a head where their number is built in: a width that no other size has."""
AS_WIDE = (construction.TIMES_AS_WIDE, 2, 3, 8)
"""Times d_model that the inner layer is wide where a class is not told."""


def manners(trial: Trial, block: Block, one: Definition, around: Around) -> Manners:
    """The ways to make and call it that run, likeliest first; who takes one says if its answer has a right shape."""
    refused: list[object] = []
    inside, going = _heads_inside(one, around.known), trial.budget(MOST_TRIES)
    for interface, subject in (
        each for way in made(block, one, around) for each in _made_with(trial, block, one, way, inside)
    ):
        if not going():
            return
        if not subject.inventory:  # it cannot be made so
            continue
        if subject.scout.status == "error":
            refused.append(subject.scout.failure)
        if len(refused) > MADE_ALIKE and all(failure == refused[0] for failure in refused):
            return  # whatever it is made of, it fails for another reason
        ran: list[dict[str, Any]] | None = None
        for sizes in _sizes(block, subject):
            sized = changed(interface, conventions=sizes)
            ways = calls.ways(sized, one, calls.axes(block, around.usual), around.usual) if ran is None else ran
            ran = yield from calls.running(trial, one, sized, ways)
            if not ran:  # nor would it under other sizes, of which it is not told
                break


def _made_with(
    trial: Trial, block: Block, one: Definition, interface: Interface, inside: Sequence[int]
) -> Iterator[tuple[Interface, Subject]]:
    """A class made with its own number of heads, where that is ``inside`` and not told; and as it is."""
    if trial.size(interface, one.module) > LARGEST:  # by a size that it was not given
        return
    subject = trial.subject(interface, one.module)
    for number in () if _takes_heads(block, subject) else inside:
        sized = changed(interface, conventions={"sizes": {"num_heads": number, "d_model": number * OF_A_HEAD}})
        yield sized, trial.subject(sized, one.module)
    yield interface, subject


def _takes_heads(block: Block, subject: Subject) -> bool:
    return "num_heads" not in block.constructor or subject.making.takes("num_heads")


def made(block: Block, one: Definition, around: Around) -> Iterator[Interface]:
    """The ways to make it and to call it that its signature leaves, likeliest first: each way to call it in turn."""
    ways = [_made(block, one, around, called, sizes) for called, sizes in _ways(block, one, around.known)]
    yield from (each for together in itertools.zip_longest(*ways) for each in together if each is not None)


def _made(
    block: Block, one: Definition, around: Around, called: Mapping[str, Any], sizes: Sequence[str]
) -> Iterator[Interface]:
    """The ways to make it where it is ``called`` so."""
    base = Interface(block.name, one.name, conventions={"form": "class"})
    backend = {} if one.of_torch else {"backend": "tensors" if _computes_in_torch(one, around.known) else "numpy"}
    thing = replace(one, entry=called.get("entry", one.entry))
    start = changed(base, parameters=called["parameters"], conventions=backend)
    for how in construction.makings(thing, block.name, sizes, around):
        if "adapter" in how:
            lines = _lines(thing, how["adapter"], start, how.get("constants", ()))
            ours = replace(start, arguments=(), by_keyword=False)  # its lines pass names and constants themselves
            interface = adapted_by([ours], lines, Path(FILE))[0]
        else:
            interface = changed(start, conventions=how)
        if not complaints(interface):
            yield interface


def _ways(
    block: Block, one: Definition, known: Mapping[str, Definition]
) -> Iterator[tuple[dict[str, Any], Sequence[str]]]:
    """The arguments of a call, and the sizes that its constructor usually takes; what embeds is given ids first."""
    met: list[dict[str, Any]] = []
    for way in block.ways[::-1] if draft.embeds(one, known) else block.ways:
        sizes = (*block.constructor, "vocab", "src_vocab", "tgt_vocab", "max_len") if "ids" in way else ()
        for called in draft.calls(one, way, BESIDE, lengths=True):
            if called not in met:
                yield {**called, **_of_state(one, way)}, sizes or block.constructor
            met.append(called)
        yield from ((called, block.constructor) for called in rotations.calls(one, way, known))
    if block.name in OF_IDS and one.of_torch:
        yield {"parameters": list(block.parameters), "entry": OF_IDS[block.name]}, block.constructor


def _of_state(one: Definition, way: Sequence[str]) -> dict[str, str]:
    """The call of a decoder that is told its memory in a state, in which nothing was computed before."""
    states = [taken.name for taken in one.called if words.is_state(taken.name)]
    if not states or "memory" not in way:
        return {}
    own = any(isinstance(item, ast.FunctionDef) and item.name == "init_state" for item in one.node.body)
    state = f"thing.init_state({{{states[0]}}}, None)" if own else f"[{{{states[0]}}}, None, [None] * {MOST_LAYERS}]"
    passed = (state if taken.name == states[0] else f"{{{taken.name}}}" for taken in one.called)
    return {"entry": f"{one.thing}({', '.join(passed)})[0]"}


MOST_LAYERS = 9
"""Layers of a decoder at most that find nothing in a state."""


def unrun(trial: Trial, block: Block, one: Definition, around: Around) -> Question:
    """Why it could not be made or called in any way that was tried."""
    from grader.blocks.subject import gpu_advice

    large = 0
    for interface in made(block, one, around):
        if (size := trial.size(interface, one.module)) > LARGEST:
            large = large or size
            continue
        failure = trial.subject(interface, one.module).scout.failure
        if failure is None:
            return Question(f"could not be made and called. {HOW}")
        if block.name in ready.MODELS and not _embeds(one, around.known):
            return Question(OF_VECTORS)
        said = f"{failure.type}: {failure.message}{gpu_advice(failure)}"
        return Question(f"could not be made and called ({said}). {CURES.get(failure.type, _untold(block, one) or HOW)}")
    why = (
        f"is made with {large:,} numbers, whatever it is given"
        if large
        else "is made and called in a way that nothing tells"
    )
    return Question(f"{why}. {_untold(block, one) or HOW}")


def _untold(block: Block, one: Definition) -> str:
    """What of its call no word tells, such as a table of rotations; empty where all is told."""
    ours = {name for way in block.ways for name in way}
    names = [taken.name for taken in one.called if taken.required and not words.explains(taken.name)]
    names = [name for name in names if not words.standing_for(name, words.ARGUMENTS, ours)]
    return UNTOLD.format(", ".join(names), block.name) if names else ""


def _embeds(one: Definition, known: Mapping[str, Definition]) -> bool:
    """Whether a model embeds ids anywhere in it, or is given what does."""
    given = any(words.part_of(taken.name, ["token_embedding"]) for taken in one.made)
    return given or any(draft.embeds(inner, known) for inner in inside(one, known))


HOW = "Say how: constructor and parameters, or adapter.py."
UNTOLD = (
    "Nothing tells what {} of its call is: pass it in adapter.py, class {}, whose call may ask for work and sizes "
    "behind its arguments."
)
OF_VECTORS = "takes vectors and no ids: nothing in it embeds them. Leave it out: what it is made of is asked for."


def line_of(lesson: Lesson) -> dict[str, str]:
    """What makes this class among the lines of an adapter, for what is given it ready-made; nothing where none can."""
    interface, one = lesson.interface, lesson.definition
    if interface.adapter is not None:
        returned = next(node for node in ast.walk(ast.parse(interface.adapter.source)) if isinstance(node, ast.Return))
        return {lesson.component: ast.unparse(returned).removeprefix("return ")}
    built = interface.conventions.get("constructor")
    if built is None:
        return {}
    if isinstance(built, Mapping):
        pairs = list(built.items())
    else:
        placed = zip(one.made, built, strict=False)
        pairs = [next(iter(v.items())) if isinstance(v, Mapping) else (taken.name, v) for taken, v in placed]
    by_name = {taken.name: taken for taken in one.made}
    return {lesson.component: construction.making(one, [(by_name[name], value) for name, value in pairs])}


def _lines(one: Definition, how: str, called: Interface, constants: Sequence[str]) -> str:
    """The lines of an adapter that set a file's ``constants``, make a class and call it."""
    given = [repr(a.value) if a.constant else str(a.value) for a in called.arguments] or list(called.parameters)
    names = [argument.name for argument in called.arguments] if called.by_keyword else []
    passed = [f"{name}={ours}" for name, ours in zip(names, given, strict=True)] if names else given
    text = "\n".join((how, *constants))
    first = [f"import {library}" for library in ("torch", "types") if f"{library}." in text]
    told = "".join(f"        {line}\n" for line in (*first, *constants))
    theirs = names or [taken.name for taken in one.called]
    by_name = {taken.name: "None" for taken in one.called} | dict(zip(theirs, given, strict=False))
    answer = one.entry.format_map(by_name) if one.entry else f"{one.thing}({', '.join(passed)})"
    beside = [name for name in ("sizes", "work") if f"{name}." in answer]
    return (
        f"class {called.component}:\n    def build(work, sizes):\n{told}        return {how}\n\n"
        f"    def call(thing, {', '.join((*called.parameters, *beside))}):\n        return {answer}\n"
    )


def _computes_in_torch(one: Definition, known: Mapping[str, Definition]) -> bool:
    """Whether a class, or what it is made of, names torch."""
    nodes = itertools.chain.from_iterable(ast.walk(inner.node) for inner in inside(one, known))
    return any(isinstance(node, ast.Name) and node.id == "torch" for node in nodes)


def _heads_inside(one: Definition, known: Mapping[str, Definition]) -> list[int]:
    """The numbers of heads that stand as defaults in what a class is made of."""
    taken = [taken for inner in inside(one, known)[1:] for taken in inner.made]
    heads = (each.default for each in taken if words.is_size(each.name, "num_heads"))
    return list(dict.fromkeys(number for number in heads if type(number) is int))


def _sizes(block: Block, subject: Subject) -> Iterator[dict[str, Any]]:
    """Sizes that a class has without being told: the inner layer's width, one head."""
    making, said = subject.making, dict(subject.context.interface.conventions.get("sizes", {}))
    wide: list[dict[str, Any]] = [{}]
    if "d_ff" in block.constructor and not making.takes("d_ff"):
        held = Counter(size for row in subject.inventory.get("parameters", ()) for size in {*row["shape"]})
        d = making.sizes.d_model
        wide = [{"d_ff": d * times} for times in AS_WIDE if d * times in held]
        # Rounded up to a multiple of something, it stands in more of the matrices than any other such size.
        wide += [{"d_ff": size} for size, _ in held.most_common() if size % d and size not in {d, 1}]
        wide += [{"d_ff": d}]
    heads: list[dict[str, Any]] = [{}] if said or _takes_heads(block, subject) else [{"num_heads": 1}, {}]
    for one, other in itertools.product(wide or [{}], heads):
        sizes = {**said, **one, **other}
        yield {"sizes": sizes} if sizes else {}


def told(interface: Interface) -> dict[Field, str]:
    """What is said of how a class is made and called."""
    said = interface.conventions
    seen: dict[Field, str] = {("conventions", key): text for key, text in TOLD.items() if key in said}
    sizes = dict(said.get("sizes", {}))
    d = sizes.get("d_model", Sizes().d_model)
    alone = [
        f"{name} is {size}{f', {size // d} times d_model' if name == 'd_ff' and size % d == 0 else ''}"
        for name, size in sizes.items()
        if name != "d_model"
    ]
    if alone:
        seen["conventions", "sizes"] = f"not told to the class: {' and '.join(alone)}"
    return seen


TOLD = {
    "constructor": "made so: our sizes, in the order of the solution or by its names",
    "config": "the fields that it reads of its config",
    "config_class": "the solution's class that has these fields",
    "backend": "the class is no module of torch",
    "batch": "with the batch first no answer is the paper's",
    "flat": "samples and positions share an axis",
    "positions": "the rows alone come back, not added to what is given",
    "mask": "what stands in the mask of a call that hides nothing",
    "mask_type": "what stands in the mask of a call that hides nothing",
    "mask_shapes": "b samples, h heads, n queries, m keys; a mask of this shape is taken",
    "mask_required": "a mask in every call: the argument has no default, or None raises",
}
