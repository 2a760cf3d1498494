"""The copy task's lesson: train a student's model with the grader's own loop, then let it decode greedily.

The optimiser is the paper's (section 5.3): Adam with betas 0.9 and 0.98, a linear warm-up, then the inverse square
root.
"""

from __future__ import annotations

from typing import Any

Step = dict[str, Any]

PAD, BOS, EOS = 0, 1, 2
FIRST_WORD = 3


def train_copy(model: Any, step: Step) -> dict[str, list[float]]:
    """Train ``model(source, target)`` to repeat its source and return the losses.

    The step holds ``d_model``, ``vocab``, ``steps``, ``batch``, ``length``, ``warmup``, ``factor`` and ``seed``;
    training ends early once ``least`` steps are done and the last losses are below ``enough``. The model is left in
    evaluation mode. Raises whatever the model raises.
    """
    import torch

    draw = torch.Generator().manual_seed(step["seed"])
    torch.manual_seed(step["seed"])
    optimizer = torch.optim.Adam(list(model.parameters()), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    losses: list[float] = []
    model.train()
    for number in range(1, step["steps"] + 1):
        source = torch.randint(FIRST_WORD, step["vocab"], (step["batch"], step["length"]), generator=draw)
        ends = torch.ones(step["batch"], 1, dtype=torch.long)
        target = torch.cat((BOS * ends, source, EOS * ends), dim=1)
        logits = _tensor(model(source, target[:, :-1]))
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), target[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        rate = step["factor"] * step["d_model"] ** -0.5 * min(number**-0.5, number * step["warmup"] ** -1.5)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        losses.append(float(loss.detach()))
        if number >= step["least"] and max(losses[-5:]) < step["enough"]:
            break
    model.eval()
    return {"losses": losses}


def decode_copies(model: Any, step: Step) -> list[list[int]]:
    """Return the greedy decoding of each row of ``sources``: from bos to eos or ``max_len`` tokens."""
    import torch

    sources = torch.from_numpy(step["sources"].copy())
    written = torch.full((len(sources), 1), BOS, dtype=torch.long)
    model.eval()
    with torch.no_grad():
        while written.shape[1] < step["max_len"]:
            following = _tensor(model(sources, written))[:, -1].argmax(dim=-1, keepdim=True)
            written = torch.cat((written, following), dim=1)
    rows = written.tolist()
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]


def _tensor(value: Any) -> Any:
    """The logits, taken out of a tuple, list or dict that holds them first."""
    if isinstance(value, dict):
        value = list(value.values())
    return value[0] if isinstance(value, list | tuple) else value
