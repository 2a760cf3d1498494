"""Decoding that is given a whole model: an adapter's lines hand it one that answers as ``step_fn`` does."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.catalog.adapter import FILE, adapted_by
from grader.learning import constants, words
from grader.learning.definitions import Definition, Taken
from grader.learning.passing import written
from grader.model.assignment import Interface

MODEL = '''\
class _Model:
    """A model that answers as step_fn does, in whatever way its parts are called; the source is a sentence of -1.

    ``batch`` is the axis of the sentences.
    """

    def __init__(self, step_fn, bos, batch=0):
        import torch

        self.step_fn, self.bos, self.batch, self.device, self.training = step_fn, bos, batch, "cpu", False
        self.source = torch.full((3, 1) if batch else (1, 3), -1)

    def __call__(self, *args, **named):
        import torch

        given = [a for a in (*args, *named.values()) if isinstance(a, torch.Tensor) and a.dim() == 2 and len(a)]
        rows = [a.transpose(0, self.batch) for a in given if a.dtype != torch.bool]
        tokens = [a for a in rows if bool((a[:, 0] == self.bos).all())][-1].tolist()
        told = [[self.step_fn(tuple(map(int, row[: n + 1]))) for n in range(len(row))] for row in tokens]
        return torch.tensor(told).transpose(0, self.batch)

    decode = decoder = forward = __call__

    def encode(self, *args, **named):
        return self.source.float()[..., None]

    encoder = encode

    def eval(self):
        return self

    train = to = cpu = eval

    def parameters(self):
        import torch

        return iter([torch.zeros(1)])

    def __getattr__(self, name):
        if name == "module":  # it is wrapped in nothing
            raise AttributeError(name)
        return lambda value, *_: value  # an output layer: what it gets are logarithms of probabilities already


class _Tokens:
    """A vocabulary in which the words for the beginning and the end are those ids, whatever they are called."""

    def __init__(self, bos, eos):
        self.bos, self.eos = bos, eos

    def __getitem__(self, word):
        word = word.lower()
        ends = any(part in word for part in ("eos", "end", "sep", "</s", "eot"))
        return self.eos if ends else 0 if "pad" in word else self.bos

    token_to_id = convert_tokens_to_ids = piece_to_id = PieceToId = __getitem__

    def decode(self, ids, *_, **__):
        return ids

    def __getattr__(self, name):
        return self[name] if name.endswith(("id", "idx", "token")) else self


'''
GIVEN: Mapping[str, str] = {
    "model": "model",
    "src": "model.source",
    "src_mask": "model.source[:, None] != 0",
    "bos": "bos",
    "eos": "eos",
    "max_len": "max_len",
    "beam_size": "beam_size",
    "alpha": "alpha",
    "device": "'cpu'",
    "pad": "0",
    "tokens": "_Tokens(bos, eos)",
}
"""What an argument is given, by what it means."""
OURS = ("bos", "eos", "max_len", "beam_size", "alpha")
NAMES = {**words.GIVEN, **{name: words.ARGUMENTS[name] for name in OURS}}


def starts(base: Interface, one: Definition, known: Mapping[str, Definition]) -> Iterator[Interface]:
    """The ways to call what decodes with a model, batch first or second; none where it takes none."""
    meant = {taken.name: _meant(taken) for taken in one.called}
    required = [taken.name for taken in one.called if taken.required]
    if "model" not in meant.values() or any(not meant[name] for name in required):
        return
    passed = {name: GIVEN[ours] for name, ours in meant.items() if ours}
    ends = {name: ends[0] for name in constants.read(one, known) if (ends := _ends(name))}
    told = [f"work.{name} = {ours}" for name, ours in sorted(ends.items())]
    needed = {"bos", "eos"} if "tokens" in meant.values() else set(ends.values())
    ours = ["step_fn", *(name for name in OURS if name in {*meant.values()} | needed)]
    bos = "bos" if "bos" in ours else "1"
    for batch in ("", ", 1"):
        yield _called(base, one, ours, passed, [*told, f"model = _Model(step_fn, {bos}{batch})"])


def _called(
    base: Interface, one: Definition, ours: Sequence[str], passed: Mapping[str, str], lines: Sequence[str]
) -> Interface:
    """The function called with what is ``passed``, behind the ``lines`` that make it."""
    source = (
        f"{MODEL}class {base.component}:\n    def call(work, {', '.join(ours)}):\n"
        + "".join(f"        {line}\n" for line in lines)
        + f"        found = work.{one.name}({written(one.called, passed)})\n"
        "        found = found[0] if isinstance(found, tuple) else found\n"
        "        found = found[0] if isinstance(found, list) and found and isinstance(found[0], list) else found\n"
        "        return found.reshape(-1) if hasattr(found, 'reshape') else found\n"
    )
    return adapted_by([base], source, Path(FILE))[0]


def _ends(name: str) -> list[str]:
    """The token that a constant of the file stands for: ``EOS``, ``BOS_IDX``."""
    return words.standing_for(name, NAMES, ("bos", "eos"))


def _meant(taken: Taken) -> str:
    """What an argument stands for; a default that stands for nothing known is left as it is."""
    found: list[Any] = words.standing_for(taken.name, NAMES, NAMES)
    return str(found[0]) if found else ""
