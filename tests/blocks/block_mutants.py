"""Right submissions with one slip: (file, text, replacement, names that may be given; none: any loss)."""

from __future__ import annotations

_LIBRARY_NORM = """nn.LayerNorm(d_model, eps=eps)

    def forward(self, x):
        return self.inner(x)"""
_BATCH_NORM = _LIBRARY_NORM.replace("LayerNorm", "BatchNorm1d").replace(
    "self.inner(x)", "self.inner(x.reshape(-1, x.shape[-1])).reshape(x.shape)"
)

OF_PARTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    # attention inside multi-head attention, in different styles
    ("mha_fused_blocks", " / math.sqrt(q.shape[-1])", "", ("sdpa-no-scale",)),
    (
        "mha_fused_blocks",
        " / math.sqrt(q.shape[-1])",
        " / math.sqrt(q.shape[-1]) * 0.3",
        ("sdpa-scale-times-constant",),
    ),
    (
        "mha_fused_blocks",
        " / math.sqrt(q.shape[-1])",
        " / (3 * math.sqrt(q.shape[-1]))",
        ("sdpa-scale-times-constant",),
    ),
    ("mha_fused_blocks", " / math.sqrt(q.shape[-1])", " / 7", ("sdpa-scale-constant",)),
    ("mha_fused_blocks", " / math.sqrt(q.shape[-1])", " / math.sqrt(64)", ("sdpa-scale-constant",)),
    ("mha_fused_blocks", " / math.sqrt(q.shape[-1])", " / q.shape[-1] ** 0.3", ("sdpa-scale-wrong-power",)),
    ("mha_fused_per_head", "math.sqrt(q.shape[-1])", "q.shape[-1]", ("sdpa-scale-by-dk",)),
    ("mha_list_of_linears", "scores.softmax(-1) @ v", "(scores - math.inf).softmax(-1) @ v", ("answer-not-a-number",)),
    ("mha_list_of_linears", "self.linears[-1](x", "self.linears[-2](x", ("mha-output-projection-replaced",)),
    ("mha_list_of_linears", "d_model) for _ in range(4)]", "d_model)] * 4", ("mha-projections-mixed-up",)),
    ("mha_fused_last_axis", " / math.sqrt(q.shape[-1])", " * math.sqrt(q.shape[-1])", ("sdpa-scale-inverted",)),
    ("mha_per_head_modules", "dim=-1), v)", "dim=-2), v)", ("sdpa-softmax-over-query-axis",)),
    ("mha_per_head_modules", "masked_fill(mask == 0", "masked_fill(mask != 0", ("sdpa-mask-polarity-inverted",)),
    ("mha_per_head_modules", "k.size(-1) ** -0.5", "value.size(-1) ** -0.5", ("mha-scale-by-d-model",)),
    ("mha_raw_in_out", "masked_fill(~(", "masked_fill((", ("sdpa-mask-polarity-inverted",)),
    ("mha_raw_in_out", "scores.softmax(-1) @ v", "scores.softmax(-1) @ k", ("sdpa-keys-used-as-values",)),
    ("mha_raw_in_out", "return y @ self.W_O + self.b_O", "return y + self.b_O", ()),
    (
        "mha_raw_out_in",
        "key, self.weight_k, self.bias_k",
        "query, self.weight_k, self.bias_k",
        ("mha-arguments-mixed-up", "mha-self-attention-only"),
    ),
    (
        "mha_raw_out_in",
        "torch.finfo(s.dtype).min",
        "0.0",
        ("sdpa-fill-zero",),
    ),
    ("mha_raw_out_in", "value, self.weight_v, self.bias_v", "value, self.weight_q, self.bias_v", ()),
    ("mha_einsum_tensors", "-1e10", "-37.0", ("sdpa-fill-not-low-enough",)),
    ("mha_einsum_tensors", "s.softmax(dim=-1)", "s.softmax(dim=1)", ("sdpa-softmax-over-head-axis",)),
    ("mha_heads_into_batch", "repeat_interleave(self.h, dim=0)", "repeat(self.h, 1, 1)", ("mha-mask-repeat-order",)),
    (
        "mha_heads_into_batch",
        "y.transpose(1, 2).reshape(b, n, d)",
        "y.reshape(b, n, d)",
        ("mha-merge-without-transpose",),
    ),
    ("mha_lazy", ".movedim(1, 2).flatten(2)", ".sum(1).repeat(1, 1, self.num_heads)", ("mha-heads-summed",)),
    ("mha_parameter_dict", '"out")', '"val")', ()),
    ("mha_list_of_linears", "return self.linears[-1](", "return (", ("mha-missing-output-projection",)),
    ("mha_list_of_linears", "[linear(x).view", "[linear(x).relu().view", ("mha-relu-on-projections",)),
    (
        "mha_list_of_linears",
        "x.transpose(1, 2).contiguous().view",
        "x.transpose(1, 2).view",
        ("mha-view-on-noncontiguous",),
    ),
    ("mha_one_tensor", "@ self.w[3]", "", ()),
    (
        "mha_returns_weights",
        "torch.exp(s - torch.logsumexp(s, -1, keepdim=True))",
        "torch.sigmoid(s)",
        ("sdpa-wrong-normaliser",),
    ),
    ("mha_fused_blocks", "return self.out(", "return query + self.out(", ("mha-adds-residual",)),
    (
        "mha_fused_blocks",
        "mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "mask.unsqueeze(0) if mask.dim() == 3 else mask",
        ("mha-mask-without-head-axis",),
    ),
    (
        "mha_fused_blocks",
        ".unflatten(-1, (self.heads, -1)).transpose(1, 2) for",
        ".unflatten(-1, (1, -1)).transpose(1, 2) for",
        ("mha-ignores-num-heads",),
    ),
    ("mha_fused_blocks", "if d_model % num_heads:", "if False:", ("mha-indivisible-heads-silent",)),
    (
        "mha_list_of_linears",
        "x.size(-1) // self.h).transpose(1, 2)",
        "x.size(-1) // self.h)",
        ("mha-attends-over-heads",),
    ),
    (
        "mha_list_of_linears",
        "[linear(x).view(batch, -1,",
        "[linear(x).view(batch, query.size(1),",
        ("mha-length-of-query-for-all",),
    ),
    (
        "mha_fused_blocks",
        "~(mask.unsqueeze(1) if mask.dim() == 3 else mask)",
        "~mask.unsqueeze(1)",
        ("mha-mask-always-unsqueezed",),
    ),
    (
        "mha_list_of_linears",
        "    return scores.softmax(-1) @ v",
        "    return scores.masked_fill(torch.ones_like(scores).triu(1) == 1, -torch.inf).softmax(-1) @ v",
        ("sdpa-always-causal",),
    ),
    ("mha_lazy", ".movedim(1, 2).flatten(2)", "[:, 0].repeat(1, 1, self.num_heads)", ("mha-one-head-only",)),
    # feed-forward network and norm
    ("ffn_conv1d", "F.relu(", "F.gelu(", ("ffn-wrong-activation",)),
    ("ffn_conv1d", "F.relu(self.conv1(", "(self.conv1(", ("ffn-missing-activation",)),
    ("ffn_raw", "return F.dropout(hidden", "return x + F.dropout(hidden", ("ffn-adds-residual",)),
    ("ffn_raw", "self.rate, self.training", "self.rate", ("dropout-active-in-eval",)),
    ("ffn_raw", "self.training)", "self.training) / (1 - self.rate)", ("dropout-scales-in-evaluation",)),
    ("ffn_sequential", "nn.Dropout(dropout), ", "", ("dropout-never-applied",)),
    ("ln_functional", "self.g, self.b, self.eps", "self.g, None, self.eps", ("ln-missing-shift",)),
    ("ln_functional", "self.b, self.eps)", "self.b, 1e-5)", ("ln-eps-hardcoded",)),
    ("ln_functional", "self.b, self.eps)", "self.b, 0.07)", ("ln-eps-hardcoded",)),
    ("ln_library", _LIBRARY_NORM, _BATCH_NORM, ("ln-batch-statistics",)),
    ("ln_addcmul", "d.square().mean(2, keepdim=True)", "flat.var(2, keepdim=True)", ("ln-unbiased-variance",)),
    ("ln_addcmul", ".add(self.eps).sqrt()", ".sqrt().add(self.eps)", ("ln-eps-outside-sqrt",)),
    ("ln_addcmul", "flat - flat.mean(2, keepdim=True)", "flat", ("ln-mean-not-subtracted",)),
    ("ln_addcmul", "d.square().mean(2", "flat.square().mean(2", ("ln-variance-about-zero",)),
    (
        "ln_addcmul",
        "d / d.square().mean(2, keepdim=True)",
        "flat / d.square().mean(2, keepdim=True)",
        ("ln-mean-not-subtracted",),
    ),
    (
        "add_norm_library",
        "self.norm(self.drop(sublayer(x)) + x)",
        "self.norm(self.drop(sublayer(x)))",
        ("enc-missing-residual",),
    ),
    (
        "add_norm_library",
        "self.norm(self.drop(sublayer(x)) + x)",
        "x + self.drop(sublayer(self.norm(x)))",
        ("enc-pre-norm",),
    ),
    (
        "add_norm_library",
        "self.norm(self.drop(sublayer(x)) + x)",
        "self.drop(self.norm(sublayer(x) + x))",
        ("enc-dropout-after-norm",),
    ),
    ("add_norm_own", " / (1 - self.p)", "", ("dropout-no-rescaling",)),
    ("add_norm_own", "unbiased=False", "unbiased=True", ("ln-unbiased-variance",)),
    # embeddings and tie
    ("token_embedding_one_hot", " * self.rows.shape[1] ** 0.5", "", ("embedding-no-scale",)),
    ("token_embedding_lookup", "math.sqrt(self.embedding_dim)", "self.embedding_dim", ("embedding-scale-wrong",)),
    ("learned_positions_parameter", "self.pos[:, : x.size(1)]", "self.pos[:, x.size(1) - 1]", ("lpe-single-row",)),
    ("learned_positions_embedding", "torch.arange(x.shape[1]", "1 + torch.arange(x.shape[1]", ()),
    (
        "tied_reverse",
        "self.embedding.weight = self.generator.weight",
        "self.embedding.weight.data.copy_(self.generator.weight.data)",
        ("trf-tied-weights-copied",),
    ),
    ("tied_functional", "self.table[ids]", "self.table.detach()[ids]", ("tie-one-way-gradient",)),
    ("tied_functional", "self.table[ids]", "(self.table[ids] + self.table.shape[1] ** 0.5)", ("tie-scaled",)),
)
