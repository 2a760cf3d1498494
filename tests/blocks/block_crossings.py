"""Right modules with one slip of a kind that had not been listed: (file, text, replacement, the name)."""

from __future__ import annotations

_UNFOLDED = "y = torch.bmm(s.softmax(-1), v).view(b, self.h, n, self.w)"
_FINAL = """        for layer in self.stack:
            x = layer(x, mask)
        return self.final(x)"""
_DECODED = """        for layer in self.stack:
            x = layer(x, memory, src_mask, tgt_mask)
        return x"""
_OPEN, _OWN = "scores.masked_fill(~(", "mask.unsqueeze(1) if mask.dim() == 3 else mask"
_MASKED = f"{_OPEN}{_OWN})"
_STACKED = "        self.stack = nn.ModuleList([DecoderLayer("

CROSSED: tuple[tuple[str, str, str, str], ...] = (
    # the heads
    (
        "mha_heads_into_batch",
        _UNFOLDED,
        "y = torch.bmm(s.softmax(-1), v).view(self.h, b, n, self.w).transpose(0, 1)",
        "mha-unfolds-in-another-order",
    ),
    ("mha_fused_blocks", "k.transpose(-2, -1)", "k.reshape(*k.shape[:-2], k.shape[-1], -1)", "sdpa-keys-reshaped"),
    ("mha_fused_blocks", "/ math.sqrt(q.shape[-1])", "/ q.shape[-1] ** 1 / 2", "sdpa-scale-precedence"),
    ("mha_fused_blocks", "/ math.sqrt(q.shape[-1])", "/ (q.shape[-1] ** 1 / 2)", "sdpa-scale-precedence"),
    ("mha_fused_blocks", "math.sqrt(q.shape[-1])", "int(math.sqrt(q.shape[-1]))", "sdpa-scale-truncated"),
    # the masks
    (
        "mha_fused_blocks",
        _MASKED,
        f"{_OPEN}mask.unsqueeze(1) if mask.dim() == 3 else mask.any(1, keepdim=True) if mask.dim() == 4 else mask)",
        "mha-mask-merged-over-heads",
    ),
    (
        "mha_fused_blocks",
        _MASKED,
        f"{_OPEN}mask[:, None, None] if mask.dim() == 2 and len(mask) == len(q) else {_OWN})",
        "mha-mask-taken-for-padding",
    ),
    ("mha_fused_blocks", 'float("-inf")', "scores.min().item() - 2.0", "sdpa-fill-lowest-score"),
    ("mha_fused_blocks", 'float("-inf")', "scores.min().item()", "sdpa-fill-lowest-score"),
    ("mha_fused_blocks", 'float("-inf")', "torch.finfo(scores.dtype).tiny", "sdpa-fill-tiny-positive"),
    ("encoder_layer_wrapped", "self.attention(t, t, mask)", "self.attention(t, t, None if mask is None else mask.mT)",
     "sdpa-mask-transposed"),
    (
        "decoder_layer_wrapped",
        "self.cross(t, memory, src_mask)",
        "self.cross(t, memory, src_mask if tgt_mask is None else None)",
        "dec-one-mask-at-a-time",
    ),
    # the stacks
    ("encoder_stack", _FINAL, _FINAL.replace("x = layer(x, mask)", "x = self.final(layer(x, mask))").replace(
        "self.final(x)", "x"), "encoder-norm-after-each-layer"),
    ("encoder_stack", _FINAL, "        y = x\n" + _FINAL.replace("self.final(x)", "x + y"), "encoder-adds-its-input"),
    ("decoder_stack", _DECODED, "        y = x\n" + _DECODED.replace("return x", "return x + y"),
     "decoder-adds-its-input"),
    ("decoder_stack", _STACKED, f"        self.first = Norm(d_model)\n{_STACKED}", ""),
    # what is kept, and what the gradient does not see
    (
        "mha_fused_blocks",
        "        w, b = self.qkv",
        "        self.seen = mask = getattr(self, 'seen', None) if mask is None else mask\n        w, b = self.qkv",
        "state-kept-between-calls",
    ),
    (
        "token_embedding_lookup",
        "return super().forward(ids)",
        "self.weight.data.mul_(0.5)\n        return super().forward(ids)",
        "weights-changed-by-the-call",
    ),
    ("ln_moments", "mean = y.mean(-1, keepdim=True)", "mean = y.mean(-1, keepdim=True).detach()",
     "gradient-of-another-function"),
    ("decoder_layer_wrapped", "self.cross(t, memory, src_mask)", "self.cross(t, memory.detach(), src_mask)",
     "gradient-of-another-function"),
    ("ln_moments", ").to(x.dtype)", ").to(torch.float32)", "float64-not-kept"),
    (
        "add_norm_own",
        """y = sublayer(x)
        if self.training and self.p > 0:
            y = y * (torch.rand_like(y) > self.p) / (1 - self.p)
""",
        "y = sublayer(F.dropout(x, self.p, self.training))\n",
        "dropout-on-the-sublayers-input",
    ),
    (
        "add_norm_own",
        "y = y * (torch.rand_like(y) > self.p) / (1 - self.p)",
        "y = F.dropout(y, 0.5)",
        "",
    ),
    (
        "add_norm_own",
        """        if self.training and self.p > 0:
            y = y * (torch.rand_like(y) > self.p) / (1 - self.p)
""",
        "        y = F.dropout(y, 0.5, self.training)\n",
        "dropout-rate-ignored",
    ),
    ("learned_positions_embedding", "nn.Embedding(max_len, d_model)", "nn.Embedding(max_len, d_model, padding_idx=0)",
     "table-row-never-learned"),
    ("token_embedding_lookup", "math.sqrt(self.embedding_dim)", "int(math.sqrt(self.embedding_dim))",
     "embedding-scale-truncated"),
)  # fmt: skip
"""An empty name: a right neighbour, which loses nothing."""
