"""The paper as torch modules, to be read beside ``reference``: batch first, post-norm unless said otherwise.

Only torch is needed, and every file needs nothing but the files it imports.
"""

from reference.modules.attention import causal_mask, scaled_dot_product_attention
from reference.modules.copy_task import copy_batch, train_copy_task
from reference.modules.decoder import Decoder, DecoderLayer
from reference.modules.decoding import beam_search, greedy_decode
from reference.modules.embedding import TiedOutput, TokenEmbedding
from reference.modules.encoder import Encoder, EncoderLayer
from reference.modules.feed_forward import PositionwiseFeedForward
from reference.modules.label_smoothing import label_smoothing_loss
from reference.modules.layer_norm import AddNorm, LayerNorm
from reference.modules.multi_head import MultiHeadAttention
from reference.modules.positional import LearnedPositionalEncoding, PositionalEncoding
from reference.modules.schedule import noam_lr, paper_adam
from reference.modules.transformer import Transformer
from reference.modules.weights import transformer_weights, weights_by_role

__all__ = [
    "AddNorm",
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "LayerNorm",
    "LearnedPositionalEncoding",
    "MultiHeadAttention",
    "PositionalEncoding",
    "PositionwiseFeedForward",
    "TiedOutput",
    "TokenEmbedding",
    "Transformer",
    "beam_search",
    "causal_mask",
    "copy_batch",
    "greedy_decode",
    "label_smoothing_loss",
    "noam_lr",
    "paper_adam",
    "scaled_dot_product_attention",
    "train_copy_task",
    "transformer_weights",
    "weights_by_role",
]
