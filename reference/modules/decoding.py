"""Decoding with a model in torch (section 6.1): one token at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.modules.transformer import Transformer


@torch.no_grad()
def greedy_decode(
    model: Transformer, src: Tensor, bos: int, eos: int, max_len: int, src_mask: Tensor | None = None
) -> list[list[int]]:
    """Return, for each source of ids ``(batch, n_src)``, the tokens found by taking the likeliest next one.

    Each list starts with `bos`, keeps `eos` where it was reached, and has at most `max_len` tokens. The model
    should be in evaluation mode.
    """
    memory = model.encode(src, src_mask)
    tokens = torch.full((src.shape[0], 1), bos, dtype=torch.long, device=src.device)
    finished = torch.zeros(src.shape[0], dtype=torch.bool, device=src.device)
    while tokens.shape[1] < max_len and not finished.all():
        following = model.decode(tokens, memory, src_mask)[:, -1].argmax(dim=-1)
        tokens = torch.cat((tokens, following.unsqueeze(1)), dim=1)
        finished = finished | (following == eos)
    return [_cut_after(row, eos) for row in tokens.tolist()]


@torch.no_grad()
def beam_search(
    model: Transformer,
    src: Tensor,
    bos: int,
    eos: int,
    max_len: int,
    beam_size: int,
    src_mask: Tensor | None = None,
) -> list[int]:
    """Return the likeliest tokens for one source ``(1, n_src)``, keeping `beam_size` beginnings at each step.

    Score, form and end are those of the numpy `beam_search`: the plain sum of log-probabilities, finished
    hypotheses stay and compete.
    """
    memory = model.encode(src, src_mask)
    beam: list[tuple[float, list[int], bool]] = [(0.0, [bos], False)]
    for _ in range(max_len - 1):
        growing = [(score, tokens) for score, tokens, finished in beam if not finished]
        if not growing:
            break
        # All unfinished hypotheses have the same length, so that they go through the model as one batch.
        prefixes = torch.tensor([tokens for _, tokens in growing], device=src.device)
        logits = model.decode(prefixes, memory.expand(len(growing), -1, -1), src_mask)
        best = logits[:, -1].log_softmax(dim=-1).topk(min(beam_size, logits.shape[-1]), dim=-1)
        beam = [hypothesis for hypothesis in beam if hypothesis[2]]
        for (score, tokens), logs, ids in zip(growing, best.values.tolist(), best.indices.tolist(), strict=True):
            for log, token in zip(logs, ids, strict=True):
                beam.append((score + log, [*tokens, token], token == eos))
        beam = sorted(beam, key=lambda hypothesis: (-hypothesis[0], hypothesis[1]))[:beam_size]
    return beam[0][1]


def _cut_after(tokens: list[int], eos: int) -> list[int]:
    """Return the tokens up to the first `eos` after the start: a batch goes on until its last row ends."""
    end = tokens.index(eos, 1) + 1 if eos in tokens[1:] else len(tokens)
    return tokens[:end]
