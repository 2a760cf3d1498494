"""The bridge between the two halves: a module's parameters under the names that the numpy functions use."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from reference.modules.transformer import Transformer


def weights_by_role(module: nn.Module) -> dict[str, npt.NDArray[Any]]:
    """Return copies of the parameters of a layer or block of this package as arrays by role.

    ``self_attention.w_q.weight`` becomes ``self_attention.w_q``, transposed from torch's (out, in) to (in,
    out); ``self_attention.w_q.bias`` becomes ``self_attention.b_q``; ``norm_1.norm.gain`` becomes
    ``norm_1.gain``.
    """
    roles = {}
    for name, parameter in module.named_parameters():
        array = parameter.detach().cpu().numpy().copy()
        *path, last = name.split(".")
        if last == "weight":
            roles[".".join(path)] = array.T
        elif last == "bias":
            roles[".".join([*path[:-1], path[-1].replace("w_", "b_")])] = array
        else:
            roles[".".join([*(step for step in path if step != "norm"), last])] = array
    return roles


def transformer_weights(model: Transformer) -> dict[str, Any]:
    """Return the weights of a whole model in the form that the numpy `transformer` takes."""
    weights: dict[str, Any] = {
        "src_table": _array(model.src_embedding.embedding.weight),
        "tgt_table": _array(model.tgt_embedding.embedding.weight),
        "encoder": [weights_by_role(layer) for layer in model.encoder.layers],
        "decoder": [weights_by_role(layer) for layer in model.decoder.layers],
        "generator.w": _array(model.generator.weight).T,
        "generator.b": _array(model.generator.bias),
    }
    for name, norm in (("encoder_norm", model.encoder.norm), ("decoder_norm", model.decoder.norm)):
        if not isinstance(norm, nn.Identity):
            weights[name] = weights_by_role(norm)
    return weights


def _array(parameter: Tensor) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = np.array(parameter.detach().cpu().numpy())
    return array
