from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Config:
    d_k: int = 4
    names: list = field(default_factory=list)
    here: Path = Path(__file__).parent


CFG = Config()


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
