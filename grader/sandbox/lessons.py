"""The copy task's lesson: train a student's model with the grader's own loop, then let it decode greedily.

The optimiser is the paper's (section 5.3): Adam with betas 0.9 and 0.98, a linear warm-up, then the inverse square
root. What is learned and how well is measured in the grader, from scores and decodings of sequences not seen before.
"""

from dataclasses import fields, is_dataclass
from typing import Any

Step = dict[str, Any]

BOS, EOS = 1, 2


def train_copy(model: Any, step: Step) -> None:
    """Train ``model(source, target)`` on batches of sequences.

    The step holds ``sources`` ``(steps, batch, n)`` and ``targets`` ``(steps, batch, n + 2)``, from bos to eos,
    ``d_model``, ``warmup``, ``factor`` and ``seed``; training ends early once ``least`` steps are done and the last
    losses are below ``enough``. The model is left in evaluation mode. Raises whatever the model raises.
    """
    import torch

    torch.manual_seed(step["seed"])
    optimizer = torch.optim.Adam(list(model.parameters()), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    losses: list[float] = []
    model.train()
    for number, (words, written) in enumerate(zip(step["sources"], step["targets"], strict=True), 1):
        source, target = (torch.from_numpy(array.astype("int64")) for array in (words, written))
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


def copy_scores(model: Any, step: Step) -> Any:
    """Return ``model``'s logits ``(batch, n + 1, vocab)`` for ``sources`` and their ``targets``, in evaluation mode."""
    import torch

    source, target = (torch.from_numpy(step[name].astype("int64")) for name in ("sources", "targets"))
    model.eval()
    with torch.no_grad():
        return _tensor(model(source, target[:, :-1]))


def decode_copies(model: Any, step: Step) -> list[list[int]]:
    """Return the greedy decoding of each row of ``sources``: from bos to eos or ``max_len`` tokens."""
    import torch

    sources = torch.from_numpy(step["sources"].astype("int64"))
    written = torch.full((len(sources), 1), BOS, dtype=torch.long)
    model.eval()
    with torch.no_grad():
        while written.shape[1] < step["max_len"]:
            following = _tensor(model(sources, written))[:, -1].argmax(dim=-1, keepdim=True)
            written = torch.cat((written, following), dim=1)
    rows = written.tolist()
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]


def _tensor(value: Any) -> Any:
    """The logits, taken out of a tuple, list, dict or data class that holds them first."""
    if is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, dict):
        value = list(value.values())
    return value[0] if isinstance(value, list | tuple) else value
