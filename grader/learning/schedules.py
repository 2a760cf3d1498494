"""A learning rate that a schedule sets in an optimizer: an adapter's lines take a step of it and read the rate."""

from collections.abc import Iterator
from pathlib import Path

from grader.catalog.adapter import FILE, adapted_by
from grader.learning import words
from grader.learning.definitions import Definition, Taken
from grader.learning.passing import written
from grader.model.assignment import Interface

RATE = '''\
def _rate(thing, optimizer, step):
    """The rate in ``step``: so many steps are taken; where they are many, what counts them is set forward."""
    go = getattr(thing, "step_and_update_lr", None) or thing.step
    optimizer.step()
    taken = 0
    while taken < step:
        before = dict(vars(thing))
        go()
        taken += 1
        counts = [name for name, value in vars(thing).items() if type(value) is int and before.get(name) == value - 1]
        if 100 < taken < step - 1 and counts:
            for name in counts:
                setattr(thing, name, getattr(thing, name) + step - 1 - taken)
            taken = step - 1
    return getattr(thing, "param_groups", optimizer.param_groups)[0]["lr"]


'''
OPTIMIZER = "torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)"
TOLD = "Each of its steps sets `lr` in the `param_groups` of the optimizer"
"""What a hand-out says of it."""
OURS = ("d_model", "warmup", "factor")


def starts(base: Interface, one: Definition) -> Iterator[Interface]:
    """The way to make a schedule around an optimizer; none where it takes none, or something that no word tells."""
    taken = one.made if one.kind == "class" else one.called
    passed = {each.name: text for each in taken if (text := _given(each))}
    if not wraps(one) or any(each.required and each.name not in passed for each in taken):
        return
    ours = [name for name in OURS if name in passed.values()]
    lines = (
        "import torch",
        f"optimizer = {OPTIMIZER}",
        f"return _rate(work.{one.name}({written(taken, passed)}), optimizer, step)",
    )
    text = "".join(f"        {line}\n" for line in lines)
    source = f"{RATE}class {base.component}:\n    def call(work, {', '.join(('step', *ours))}):\n{text}"
    yield adapted_by([base], source, Path(FILE))[0]


def wraps(one: Definition) -> bool:
    """Whether it is made around an optimizer, or is one."""
    return any(words.says(each.name, "optimizers") for each in (*one.made, *one.called))


def _given(taken: Taken) -> str:
    """What is passed for an argument; empty where it is left as it is."""
    if words.says(taken.name, "optimizers"):
        return "optimizer.param_groups[0]['params']" if "param" in taken.name else "optimizer"
    meant = [ours for ours in OURS if ours in words.spoken(taken.name)]  # num_of_warmup_steps
    meant = words.standing_for(taken.name, words.ARGUMENTS, OURS) or meant
    if meant or not taken.required:
        return meant[0] if meant else "factor" if words.says(taken.name, "factors") else ""
    return "d_model" if words.is_size(taken.name, "d_model") else ""
