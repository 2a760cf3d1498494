"""Right submissions with one slip: (file, text, replacement, names that may be given; none: any loss)."""

from __future__ import annotations

_RAW_ENCODER = """x = self.norm(x + F.dropout(a, self.p, self.training), self.g1, self.s1)
        f = torch.relu(x @ self.w1 + self.b1) @ self.w2 + self.b2
        return self.norm(x + F.dropout(f"""
_LIBRARY_NORM = """nn.LayerNorm(d_model, eps=eps)

    def forward(self, x):
        return self.inner(x)"""
_BATCH_NORM = _LIBRARY_NORM.replace("LayerNorm", "BatchNorm1d").replace(
    "self.inner(x)", "self.inner(x.reshape(-1, x.shape[-1])).reshape(x.shape)"
)
_ENCODED = """for layer in self.enc:
            memory = layer(memory, src_mask)
        memory, x = self.enc_norm(memory), self.tgt(tgt)"""
_INLINE_DECODER = """x = self.ln1(x + self.drop(self.self_out(self.attend(*self.self_qkv(x).chunk(3, -1), tgt_mask))))
        x = self.ln2(x + self.drop(self.cross_out(self.attend(self.cross_q(x), keys, values, src_mask))))
        return self.ln3(x +"""

MUTANTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
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
    # layers
    (
        "encoder_layer_wrapped",
        "self.norm(x + self.drop(sublayer(x)))",
        "x + self.drop(self.norm(sublayer(x)))",
        ("enc-norm-on-sublayer-only",),
    ),
    ("encoder_layer_wrapped", "self.attention(t, t, mask)", "self.attention(t, t, None)", ("encoder-mask-not-passed",)),
    ("encoder_layer_wrapped", "self.wrap[1](x, self.ff)", "self.wrap[0](x, self.ff)", ("enc-one-norm-for-all",)),
    ("encoder_layer_wrapped", "q @ k.mT / math.sqrt(q.shape[-1])", "q @ k.mT", ("sdpa-no-scale",)),
    (
        "encoder_layer_raw",
        "f = torch.relu(x @ self.w1 + self.b1)",
        "f = (x @ self.w1 + self.b1)",
        ("ffn-missing-activation",),
    ),
    (
        "encoder_layer_raw",
        "return self.norm(x + F.dropout(f",
        "return self.norm(F.dropout(f",
        ("enc-missing-residual",),
    ),
    (
        "encoder_layer_raw",
        _RAW_ENCODER,
        _RAW_ENCODER.replace("x = self", "y = self").replace("norm(x + F.dropout(f", "norm(y + F.dropout(f"),
        ("enc-ffn-reads-block-input",),
    ),
    ("encoder_layer_raw", "q.shape[-1] ** -0.5", "x.shape[-1] ** -0.5", ("mha-scale-by-d-model",)),
    (
        "decoder_layer_wrapped",
        "self.cross(t, memory, src_mask)",
        "self.cross(t, memory, None)",
        ("dec-src-mask-not-passed",),
    ),
    (
        "decoder_layer_wrapped",
        "self.cross(t, memory, src_mask)",
        "self.cross(t, t, tgt_mask)",
        ("dec-cross-attends-itself",),
    ),
    ("decoder_layer_wrapped", "self.own(t, t, tgt_mask)", "self.own(t, t, None)", ("dec-tgt-mask-not-passed",)),
    (
        "decoder_layer_wrapped",
        "x = self.wrap[1](x, lambda t: self.cross(t, memory, src_mask))\n        return self.wrap[2](x, self.feed)",
        "x = self.wrap[1](x, self.feed)\n        return self.wrap[2](x, lambda t: self.cross(t, memory, src_mask))",
        ("dec-ffn-before-cross",),
    ),
    (
        "decoder_layer_wrapped",
        "self.cross(t, memory, src_mask)",
        "self.own(t, memory, src_mask)",
        ("dec-one-attention-for-both",),
    ),
    (
        "decoder_layer_inline",
        _INLINE_DECODER,
        _INLINE_DECODER.replace("x = self", "y = self")
        .replace("ln2(x", "ln2(y")
        .replace("cross_q(x)", "cross_q(y)")
        .replace("ln3(x", "ln3(y"),
        ("dec-ffn-reads-block-input",),
    ),
    ("decoder_layer_inline", "x = self.ln2(x + self.drop(", "x = self.ln2(self.drop(", ("dec-missing-residual",)),
    (
        "decoder_layer_inline",
        "self.cross_out(self.attend(self.cross_q(x), keys",
        "self.cross_out(self.attend(self.cross_q(memory), keys",
        ("dec-cross-query-from-memory",),
    ),
    # stacks
    ("encoder_stack", "x = layer(x, mask)", "x = layer(x, None)", ("encoder-mask-not-passed",)),
    ("encoder_stack", "for layer in self.stack:", "for layer in self.stack[:1]:", ("encoder-runs-one-layer",)),
    (
        "encoder_stack",
        "x = layer(x, mask)\n        return self.final(x)",
        "y = layer(x, mask)\n        return self.final(y)",
        ("encoder-runs-one-layer",),
    ),
    (
        "decoder_stack",
        "x = layer(x, memory, src_mask, tgt_mask)\n        return x",
        "y = layer(x, memory, src_mask, tgt_mask)\n        return y",
        ("decoder-runs-one-layer",),
    ),
    (
        "encoder_stack",
        "nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])",
        "nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout)] * num_layers)",
        ("trf-layers-share-weights",),
    ),
    (
        "encoder_stack",
        "nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])",
        "[EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]",
        ("trf-layers-in-plain-list",),
    ),
    (
        "decoder_stack",
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = memory = layer(x, memory, src_mask, tgt_mask)",
        (),
    ),
    (
        "decoder_stack",
        "layer(x, memory, src_mask, tgt_mask)",
        "layer(x, memory, tgt_mask, src_mask)",
        ("dec-masks-swapped",),
    ),
    # the model
    (
        "transformer_tied",
        "return self.generator(self.dec_norm(x))",
        "return self.generator(self.dec_norm(x)[:, -1:])",
        ("trf-last-position-only",),
    ),
    (
        "transformer_tied",
        "return self.generator(self.dec_norm(x))",
        "return self.dec_norm(x)",
        ("trf-no-output-layer",),
    ),
    (
        "transformer_tied",
        _ENCODED,
        "x = self.tgt(tgt)",
        ("trf-decoder-reads-embeddings",),
    ),
    ("transformer_tied", "memory = self.src(src)", "memory = self.tgt(src)", ("trf-one-table-for-both",)),
    (
        "transformer_tied",
        "memory = layer(memory, src_mask)",
        "memory = layer(memory, torch.ones(src.size(1), src.size(1)).tril().bool() if src_mask is None else src_mask)",
        ("encoder-is-causal",),
    ),
    (
        "transformer_tied",
        "x = self.table(ids) * math.sqrt(self.table.embedding_dim)",
        "x = self.table(ids)",
        ("trf-embed-scale-missing",),
    ),
    ("transformer_tied", "self.pe[:, : x.size(1)]", "self.pe[:, x.size(1) - 1]", ("trf-pe-single-row",)),
    ("transformer_tied", "10000.0", "1000.0", ("pe-wrong-base",)),
    (
        "transformer_tied",
        'self.register_buffer("pe", pe.unsqueeze(0))',
        "self.pe = pe.unsqueeze(0)",
        ("trf-pe-not-a-buffer",),
    ),
    (
        "transformer_tied",
        'self.register_buffer("pe", pe.unsqueeze(0))',
        "self.pe = nn.Parameter(torch.randn(1, max_len, d_model))",
        ("trf-learned-positions",),
    ),
    (
        "transformer_tied",
        "return self.generator(self.dec_norm(x))",
        "return self.generator(self.dec_norm(x)).log_softmax(-1)",
        ("trf-returns-log-probabilities",),
    ),
    (
        "transformer_on_the_fly",
        "tgt_mask = i[:, None] >= i[None]",
        "tgt_mask = i[:, None] > i[None] - 2",
        ("trf-causal-mask-leaks",),
    ),
    (
        "transformer_on_the_fly",
        "y = layer(y, x, src_mask, tgt_mask)",
        "y = layer(y, x, None, tgt_mask)",
        ("dec-src-mask-not-passed", "trf-src-mask-not-in-decoder"),
    ),
    ("transformer_on_the_fly", "return x + self.waves(x)", "return x", ("trf-no-positional-encoding",)),
    (
        "transformer_on_the_fly",
        "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)",
        "torch.cat((angle.sin(), angle.cos()), dim=-1)",
        ("pe-halves-not-interleaved",),
    ),
    (
        "transformer_frozen_table",
        "tgt_mask = causal if tgt_mask is None else causal & tgt_mask",
        "pass",
        ("trf-not-causal",),
    ),
    (
        "transformer_frozen_table",
        "return self.project(y)",
        "return self.project(y).softmax(-1)",
        ("trf-returns-probabilities",),
    ),
    (
        "transformer_frozen_table",
        "memory, y = self.encode(src, src_mask)",
        "memory, y = self.embed(self.src_embed, src)",
        (),
    ),
    # more of each kind
    (
        "mha_list_of_linears",
        "self.h = num_heads",
        "self.h = num_heads + 0 * d_model if num_heads < 2 else 1",
        ("mha-ignores-num-heads",),
    ),
    ("mha_raw_in_out", "scores.softmax(-1) @ v", "F.dropout(scores.softmax(-1), 0.3) @ v", ("dropout-active-in-eval",)),
    ("mha_raw_in_out", "scores.softmax(-1)", "scores", ("sdpa-no-softmax",)),
    ("mha_raw_in_out", "return y @ self.W_O", "return torch.relu(y @ self.W_O)", ()),
    ("mha_einsum_tensors", "s.softmax(dim=-1)", "s.detach().softmax(dim=-1)", ("gradient-cut",)),
    (
        "encoder_layer_wrapped",
        "x = self.wrap[0](x, lambda t: self.attention(t, t, mask))",
        "self.wrap[0](x, lambda t: self.attention(t, t, mask))",
        ("enc-sublayer-result-discarded",),
    ),
    ("encoder_layer_wrapped", "return self.wrap[1](x, self.ff)", "return self.wrap[1](x, self.ff) + x", ()),
    (
        "encoder_layer_wrapped",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU()",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU()",
        ("ffn-wrong-activation",),
    ),
    (
        "encoder_layer_wrapped",
        "return self.norm(x + self.drop(sublayer(x)))",
        "return x + self.drop(sublayer(self.norm(x)))",
        ("enc-pre-norm",),
    ),
    (
        "encoder_stack",
        "x = layer(x, mask)",
        "x = layer(x, mask if layer is self.stack[0] else None)",
        ("encoder-mask-in-first-layer-only",),
    ),
    (
        "encoder_stack",
        "x = layer(x, mask)",
        "x = layer(x, mask if layer is self.stack[-1] else None)",
        ("encoder-mask-in-last-layer-only",),
    ),
    (
        "encoder_stack",
        "for _ in range(num_layers)])\n\n    def forward(self, x, mask=None):\n        for layer in self.stack",
        "for _ in range(num_layers + 1)])\n\n    def forward(self, x, mask=None):\n        for layer in self.stack",
        ("encoder-layer-too-many",),
    ),
    (
        "decoder_layer_wrapped",
        "x = self.wrap[1](x, lambda t: self.cross(t, memory, src_mask))",
        "x = self.wrap[1](x, lambda t: self.cross(x, memory, src_mask) + t)",
        ("dec-residual-twice", "mha-adds-residual"),
    ),
    (
        "decoder_layer_wrapped",
        "self.cross(t, memory, src_mask)",
        "self.cross(t, memory, tgt_mask)",
        ("dec-cross-uses-tgt-mask",),
    ),
    (
        "transformer_tied",
        "memory = layer(memory, src_mask)",
        "memory = layer(memory, tgt_mask)",
        ("trf-encoder-uses-tgt-mask",),
    ),
    (
        "transformer_tied",
        "memory = layer(memory, src_mask)",
        "memory = layer(memory, None)",
        ("encoder-mask-not-passed", "trf-src-mask-not-in-encoder"),
    ),
    (
        "transformer_tied",
        "memory, x = self.enc_norm(memory), self.tgt(tgt)",
        "memory, x = self.enc_norm(memory).detach(), self.tgt(tgt)",
        ("gradient-cut",),
    ),
    (
        "transformer_on_the_fly",
        "return x + self.waves(x)",
        "return (self.parts[side](ids) + self.waves(x)) * ids.new_tensor(30.0).sqrt()",
        (),
    ),
    ("transformer_frozen_table", "freeze=True", "freeze=False", ("trf-pe-is-trained",)),
    (
        "transformer_frozen_table",
        "return layer(ids) * self.d_model**0.5",
        "return layer(ids) / self.d_model**0.5",
        ("trf-embed-scale-inverted",),
    ),
)
