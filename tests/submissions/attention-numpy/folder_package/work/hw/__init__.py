from .attention import self_attention
from .ops import softmax
__all__ = ['softmax', 'self_attention']
