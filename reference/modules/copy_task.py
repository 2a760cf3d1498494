"""The copy task: the smallest job that needs every part of the model to work together."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.modules.label_smoothing import label_smoothing_loss
from reference.modules.schedule import paper_adam
from reference.modules.transformer import Transformer

PAD, BOS, EOS = 0, 1, 2


def copy_batch(batch: int, length: int, vocab: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return ``(source, target)``: random tokens ``(batch, length)``, and the same between bos and eos.

    Tokens 0, 1 and 2 are pad, bos and eos; the content is drawn from 3 to vocab - 1.
    """
    source = torch.randint(3, vocab, (batch, length), generator=generator)
    ends = torch.ones(batch, 1, dtype=torch.long)
    return source, torch.cat((BOS * ends, source, EOS * ends), dim=1)


def train_copy_task(
    model: Transformer,
    d_model: int,
    vocab: int,
    generator: torch.Generator,
    *,
    steps: int = 200,
    batch: int = 64,
    length: int = 6,
    warmup: int = 60,
    factor: float = 1.0,
) -> list[float]:
    """Train the model to repeat its source and return the loss of each step.

    Teacher forcing: the decoder reads the target without its last token and must say the target without its
    first. The model is left in evaluation mode.
    """
    optimizer, schedule = paper_adam(model.parameters(), d_model, warmup, factor)
    losses = []
    model.train()
    for _ in range(steps):
        source, target = copy_batch(batch, length, vocab, generator)
        loss = label_smoothing_loss(model(source, target[:, :-1]), target[:, 1:], eps=0.0, pad_id=PAD)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
    model.eval()
    return losses
