"""The paper "Attention Is All You Need" (Vaswani et al. 2017) as numpy functions, to be read beside it.

Reading order: softmax, attention, masks, multi_head, feed_forward, layer_norm, embedding, positional,
encoder, decoder, transformer; then schedule, optimizer, dropout, label_smoothing, teacher_forcing, decoding,
complexity.

Three rules hold everywhere. Floating input keeps its type, and integers become float64. A mask is boolean,
and True means that the query may attend to the key. No function changes its input.

The same in torch is in ``reference.modules``, which this file does not import.
"""

from reference.attention import scaled_dot_product_attention
from reference.complexity import attention_flops, count_parameters
from reference.decoder import decoder, decoder_layer
from reference.decoding import beam_search, greedy_decode
from reference.dropout import dropout
from reference.embedding import tied_output, token_embedding
from reference.encoder import encoder, encoder_layer
from reference.feed_forward import feed_forward
from reference.label_smoothing import label_smoothing_loss, smoothed_targets
from reference.layer_norm import add_norm, layer_norm
from reference.masks import causal_mask, make_src_mask, make_tgt_mask, padding_mask
from reference.multi_head import merge_heads, multi_head_attention, split_heads
from reference.optimizer import adam_step
from reference.positional import positional_encoding
from reference.schedule import noam_lr
from reference.softmax import log_softmax, softmax
from reference.teacher_forcing import teacher_forcing_pair
from reference.transformer import transformer

__all__ = [
    "adam_step",
    "add_norm",
    "attention_flops",
    "beam_search",
    "causal_mask",
    "count_parameters",
    "decoder",
    "decoder_layer",
    "dropout",
    "encoder",
    "encoder_layer",
    "feed_forward",
    "greedy_decode",
    "label_smoothing_loss",
    "layer_norm",
    "log_softmax",
    "make_src_mask",
    "make_tgt_mask",
    "merge_heads",
    "multi_head_attention",
    "noam_lr",
    "padding_mask",
    "positional_encoding",
    "scaled_dot_product_attention",
    "smoothed_targets",
    "softmax",
    "split_heads",
    "teacher_forcing_pair",
    "tied_output",
    "token_embedding",
    "transformer",
]
