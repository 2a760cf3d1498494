from .attn import scaled_dot_product_attention
from .masks import *
