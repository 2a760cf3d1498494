"""Right layers, stacks and models with one slip, as those of the parts in ``block_mutants``."""

from __future__ import annotations

_RAW_ENCODER = """x = self.norm(x + F.dropout(a, self.p, self.training), self.g1, self.s1)
        f = torch.relu(x @ self.w1 + self.b1) @ self.w2 + self.b2
        return self.norm(x + F.dropout(f"""
_LIBRARY_NORM = """nn.LayerNorm(d_model, eps=eps)

    def forward(self, x):
        return self.inner(x)"""
_ENCODED = """for layer in self.enc:
            memory = layer(memory, src_mask)
        memory, x = self.enc_norm(memory), self.tgt(tgt)"""
_INLINE_DECODER = """x = self.ln1(x + self.drop(self.self_out(self.attend(*self.self_qkv(x).chunk(3, -1), tgt_mask))))
        x = self.ln2(x + self.drop(self.cross_out(self.attend(self.cross_q(x), keys, values, src_mask))))
        return self.ln3(x +"""

OF_MODELS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
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
    ("encoder_stack", "x = layer(x, mask)", "layer(x, mask)", ("encoder-runs-one-layer",)),
    (
        "decoder_stack",
        "x = layer(x, memory, src_mask, tgt_mask)\n        return x",
        "y = layer(x, memory, src_mask, tgt_mask)\n        return y",
        ("decoder-runs-one-layer",),
    ),
    ("decoder_stack", "x = layer(x, memory", "layer(x, memory", ("decoder-runs-one-layer",)),
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
    (
        "transformer_tied",
        "x = self.table(ids) * math.sqrt(self.table.embedding_dim)",
        "x = self.table(ids) * math.sqrt(512)",
        ("trf-embed-scale-constant",),
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
        ("trf-src-mask-not-in-encoder",),
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
