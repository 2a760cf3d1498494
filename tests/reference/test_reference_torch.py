"""Three witnesses: the numpy functions, the torch modules and torch.nn agree to 1e-6 in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference as ref

torch = pytest.importorskip("torch")

from reference import modules  # noqa: E402 - it needs torch

D_MODEL, HEADS, D_FF, BATCH, N, M = 12, 3, 14, 2, 5, 7

Draw = Callable[..., dict[str, Any]]


def close(actual: Any, expected: Any) -> None:
    def array(x: Any) -> Any:
        return x.detach().numpy() if isinstance(x, torch.Tensor) else x

    np.testing.assert_allclose(array(actual), array(expected), rtol=1e-6, atol=1e-6, strict=True)


def randomised(module: Any) -> Any:
    """Return the module in float64 and evaluation, every parameter random: also gains and biases."""
    generator = torch.Generator().manual_seed(5)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) * 0.4)
    return module


def tensor(rng: np.random.Generator, *shape: int) -> Any:
    return torch.from_numpy(rng.normal(size=shape))


def masks(rng: np.random.Generator, n: int, m: int) -> dict[str, Any]:
    """Masks of 2, 3 and 4 axes, different in each sample, every row with one allowed key at least."""
    per_sample = rng.random((BATCH, n, m)) > 0.4
    per_sample[..., 0] = True
    per_head = rng.random((BATCH, HEADS, n, m)) > 0.4
    per_head[..., 1] = True
    padding = np.arange(m) < np.array([m - 2, m - 1])[:, np.newaxis, np.newaxis, np.newaxis]
    return {
        "none": None,
        "for all": per_sample[0],
        "per sample": per_sample,
        "per head": per_head,
        "of keys": padding,
    }


def as_tensor(mask: Any) -> Any:
    return None if mask is None else torch.from_numpy(mask)


def torch_attention_from(ours: Any) -> Any:
    """Return torch.nn.MultiheadAttention with the parameters of our module."""
    theirs = torch.nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True).double().eval()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.w_q.bias, ours.w_k.bias, ours.w_v.bias]))
        theirs.out_proj.load_state_dict(ours.w_o.state_dict())
    return theirs


def torch_layer_from(ours: Any, kind: Any, *, norm_first: bool = False) -> Any:
    """Return torch.nn.TransformerEncoderLayer or DecoderLayer with the parameters of our layer."""
    theirs = kind(D_MODEL, HEADS, D_FF, dropout=0.0, batch_first=True, norm_first=norm_first).double().eval()
    pairs = [("self_attn", ours.self_attention)]
    if hasattr(ours, "cross_attention"):
        pairs.append(("multihead_attn", ours.cross_attention))
    for name, attention in pairs:
        getattr(theirs, name).load_state_dict(torch_attention_from(attention).state_dict())
    theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    for number in range(1, 3 + len(pairs) - 1):
        norm = getattr(ours, f"norm_{number}").norm
        getattr(theirs, f"norm{number}").load_state_dict({"weight": norm.gain, "bias": norm.shift})
    return theirs


def test_attention_agrees_with_torch(rng: np.random.Generator) -> None:
    Q, K, V = tensor(rng, BATCH, HEADS, N, 4), tensor(rng, BATCH, HEADS, M, 4), tensor(rng, BATCH, HEADS, M, 6)
    for mask in (None, masks(rng, N, M)["per head"]):
        output, weights = ref.scaled_dot_product_attention(Q.numpy(), K.numpy(), V.numpy(), mask)
        theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=as_tensor(mask))
        close(output, theirs)
        ours = modules.scaled_dot_product_attention(Q, K, V, as_tensor(mask))
        close(ours[0], output)
        close(ours[1], weights)


def test_row_with_nothing_allowed_is_zero_with_finite_gradients(rng: np.random.Generator) -> None:
    Q, K, V = (tensor(rng, 2, 3).requires_grad_() for _ in range(3))
    mask = np.array([[False, False], [True, False]])
    output, weights = modules.scaled_dot_product_attention(Q, K, V, torch.from_numpy(mask))
    expected = ref.scaled_dot_product_attention(*(x.detach().numpy() for x in (Q, K, V)), mask)
    close(output, expected[0])
    close(weights, expected[1])
    output.sum().backward()
    assert all(bool(torch.isfinite(x.grad).all()) for x in (Q, K, V))


@pytest.mark.parametrize("which", ["none", "for all", "per sample", "per head", "of keys"])
def test_multi_head_attention_agrees_with_torch(rng: np.random.Generator, which: str) -> None:
    ours = randomised(modules.MultiHeadAttention(D_MODEL, HEADS))
    query, key, value = tensor(rng, BATCH, N, D_MODEL), tensor(rng, BATCH, M, D_MODEL), tensor(rng, BATCH, M, D_MODEL)
    mask = masks(rng, N, M)[which]
    result = ours(query, key, value, as_tensor(mask))
    weights = modules.weights_by_role(ours)
    close(result, ref.multi_head_attention(query.numpy(), key.numpy(), value.numpy(), weights, HEADS, mask))
    blocked = None
    if mask is not None:  # torch blocks where its mask is True, and wants (batch * heads, n, m)
        allowed = mask[:, np.newaxis] if mask.ndim == 3 else mask
        blocked = ~as_tensor(np.broadcast_to(allowed, (BATCH, HEADS, N, M)).copy()).reshape(-1, N, M)
    close(result, torch_attention_from(ours)(query, key, value, attn_mask=blocked)[0])


def test_feed_forward_agrees_with_torch(rng: np.random.Generator) -> None:
    ours, x = randomised(modules.PositionwiseFeedForward(D_MODEL, D_FF)), tensor(rng, BATCH, N, D_MODEL)
    weights = modules.weights_by_role(ours)
    close(ours(x), ref.feed_forward(x.numpy(), *(weights[role] for role in ("w_1", "b_1", "w_2", "b_2"))))
    close(ours(x), torch.nn.Sequential(ours.w_1, torch.nn.ReLU(), ours.w_2)(x))


def test_layer_norm_agrees_with_torch(rng: np.random.Generator) -> None:
    ours, x = randomised(modules.LayerNorm(D_MODEL, eps=1e-3)), tensor(rng, BATCH, N, D_MODEL)
    weights = modules.weights_by_role(ours)
    close(ours(x), ref.layer_norm(x.numpy(), weights["gain"], weights["shift"], eps=1e-3))
    close(ours(x), torch.nn.functional.layer_norm(x, (D_MODEL,), ours.gain, ours.shift, 1e-3))


def test_add_norm_agrees_with_numpy(rng: np.random.Generator) -> None:
    ours, x = randomised(modules.AddNorm(D_MODEL)), tensor(rng, BATCH, N, D_MODEL)
    weights = modules.weights_by_role(ours)
    close(ours(x, torch.sin), ref.add_norm(x.numpy(), np.sin(x.numpy()), weights["gain"], weights["shift"]))


@pytest.mark.parametrize("position", ["post", "pre"])
def test_encoder_layer_agrees_with_torch(rng: np.random.Generator, position: Any) -> None:
    ours = randomised(modules.EncoderLayer(D_MODEL, HEADS, D_FF, norm_position=position))
    x, mask = tensor(rng, BATCH, N, D_MODEL), masks(rng, N, N)["of keys"]
    weights = modules.weights_by_role(ours)
    close(ours(x, as_tensor(mask)), ref.encoder_layer(x.numpy(), weights, HEADS, mask, norm_position=position))
    theirs = torch_layer_from(ours, torch.nn.TransformerEncoderLayer, norm_first=position == "pre")
    theirs.train()  # dropout is 0; in evaluation the fast path would zero padded positions
    close(ours(x, as_tensor(mask)), theirs(x, src_key_padding_mask=~as_tensor(mask)[:, 0, 0]))


@pytest.mark.parametrize("position", ["post", "pre"])
def test_decoder_layer_agrees_with_torch(rng: np.random.Generator, position: Any) -> None:
    ours = randomised(modules.DecoderLayer(D_MODEL, HEADS, D_FF, norm_position=position))
    x, memory = tensor(rng, BATCH, N, D_MODEL), tensor(rng, BATCH, M, D_MODEL)
    src_mask, tgt_mask = masks(rng, N, M)["of keys"], ref.causal_mask(N)
    weights = modules.weights_by_role(ours)
    result = ours(x, memory, as_tensor(src_mask), as_tensor(tgt_mask))
    expected = ref.decoder_layer(x.numpy(), memory.numpy(), weights, HEADS, src_mask, tgt_mask, norm_position=position)
    close(result, expected)
    theirs = torch_layer_from(ours, torch.nn.TransformerDecoderLayer, norm_first=position == "pre")
    close(
        result,
        theirs(
            x,
            memory,
            tgt_mask=~as_tensor(tgt_mask),
            memory_key_padding_mask=~as_tensor(src_mask)[:, 0, 0],
        ),
    )


@pytest.mark.parametrize("position", ["post", "pre"])
def test_stacks_agree_with_numpy_and_torch(rng: np.random.Generator, position: Any) -> None:
    encoder = randomised(modules.Encoder(D_MODEL, HEADS, 2, D_FF, norm_position=position))
    decoder = randomised(modules.Decoder(D_MODEL, HEADS, 2, D_FF, norm_position=position))
    src, tgt = tensor(rng, BATCH, M, D_MODEL), tensor(rng, BATCH, N, D_MODEL)

    def numbers(stack: Any) -> tuple[Any, Any]:
        norm = modules.weights_by_role(stack.norm) if position == "pre" else None
        return [modules.weights_by_role(layer) for layer in stack.layers], norm

    layers, norm = numbers(encoder)
    memory = encoder(src)
    close(memory, ref.encoder(src.numpy(), layers, HEADS, None, norm, norm_position=position))
    layers, norm = numbers(decoder)
    expected = ref.decoder(
        tgt.numpy(), memory.detach().numpy(), layers, HEADS, None, None, norm, norm_position=position
    )
    close(decoder(tgt, memory), expected)
    x = src
    for layer in encoder.layers:
        x = torch_layer_from(layer, torch.nn.TransformerEncoderLayer, norm_first=position == "pre")(x)
    close(memory, encoder.norm(x))


@pytest.mark.parametrize("position", ["post", "pre"])
def test_transformer_agrees_with_numpy(rng: np.random.Generator, position: Any) -> None:
    model = randomised(modules.Transformer(11, 13, D_MODEL, HEADS, 2, D_FF, max_len=9, norm_position=position))
    src, tgt = rng.integers(1, 11, size=(BATCH, M)), rng.integers(1, 13, size=(BATCH, N))
    src[0, -2:] = tgt[1, -1:] = 0
    weights = modules.transformer_weights(model)
    ids = torch.from_numpy(src), torch.from_numpy(tgt)
    close(model(*ids), ref.transformer(src, tgt, weights, HEADS, norm_position=position))
    src_mask, tgt_mask = ref.make_src_mask(src, 0), ref.make_tgt_mask(tgt, 0)
    expected = ref.transformer(src, tgt, weights, HEADS, src_mask, tgt_mask, norm_position=position)
    close(model(*ids, as_tensor(src_mask), as_tensor(tgt_mask)), expected)


def test_transformer_encoder_and_decoder_are_those_of_torch(rng: np.random.Generator) -> None:
    model = randomised(modules.Transformer(11, 13, D_MODEL, HEADS, 2, D_FF, max_len=9))
    src, tgt = torch.from_numpy(rng.integers(0, 11, (BATCH, M))), torch.from_numpy(rng.integers(0, 13, (BATCH, N)))
    memory = model.position(model.src_embedding(src))
    for layer in model.encoder.layers:
        memory = torch_layer_from(layer, torch.nn.TransformerEncoderLayer)(memory)
    hidden, blocked = model.position(model.tgt_embedding(tgt)), ~modules.causal_mask(N)
    for layer in model.decoder.layers:
        hidden = torch_layer_from(layer, torch.nn.TransformerDecoderLayer)(hidden, memory, tgt_mask=blocked)
    close(model(src, tgt), model.generator(hidden))


def test_embeddings_and_positions_agree_with_numpy(rng: np.random.Generator) -> None:
    ids, x = rng.integers(0, 11, size=(BATCH, N)), tensor(rng, BATCH, N, D_MODEL)
    embedding = randomised(modules.TokenEmbedding(11, D_MODEL))
    table = embedding.embedding.weight.detach().numpy()
    close(embedding(torch.from_numpy(ids)), ref.token_embedding(ids, table))
    tied = randomised(modules.TiedOutput(11, D_MODEL))
    close(tied(torch.from_numpy(ids)), ref.tied_output(ids, tied.embedding.weight.detach().numpy()))
    close(modules.PositionalEncoding(9, D_MODEL)(x), x.numpy() + ref.positional_encoding(N, D_MODEL))
    learned = randomised(modules.LearnedPositionalEncoding(9, D_MODEL))
    close(learned(x), x + learned.table[:N])


@pytest.mark.parametrize("sizes", [(8, 2, 1, 16, 11, 13), (12, 3, 2, 7, 5, 5)])
def test_count_parameters_counts_the_transformer(sizes: tuple[int, ...]) -> None:
    d_model, heads, layers, d_ff, src_vocab, tgt_vocab = sizes
    model = modules.Transformer(src_vocab, tgt_vocab, d_model, heads, layers, d_ff, max_len=9)
    assert sum(p.numel() for p in model.parameters()) == ref.count_parameters(*sizes)


def test_positions_are_not_trained_and_move_with_the_model() -> None:
    model = modules.Transformer(11, 13, 8, 2, 1, 16, max_len=9)
    assert not [name for name, _ in model.named_parameters() if "position" in name]
    assert model.to("meta").position.table.device.type == "meta"


def test_float32_model_with_float64_positions_stays_in_float32() -> None:
    model = modules.Transformer(11, 13, 8, 2, 1, 16, max_len=9)
    assert model(torch.tensor([[1, 2]]), torch.tensor([[3]])).dtype == torch.float32


def test_gradient_reaches_every_parameter() -> None:
    model = modules.Transformer(11, 13, 8, 2, 2, 16, max_len=9)
    logits = model(torch.arange(11)[None, :9], torch.arange(13)[None, :9])
    (logits * torch.randn(logits.shape, generator=torch.Generator().manual_seed(1))).sum().backward()
    untouched = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum()]
    # A bias on the keys moves all scores of a query alike, and softmax ignores that.
    assert all(name.endswith("w_k.bias") for name in untouched)


def test_dropout_acts_in_training_only() -> None:
    model = modules.Transformer(11, 13, 8, 2, 1, 16, max_len=9, dropout=0.5)
    ids = torch.tensor([[1, 2, 3]]), torch.tensor([[4, 5]])
    assert not torch.equal(model(*ids), model(*ids))
    model.eval()
    assert torch.equal(model(*ids), model(*ids))


def test_broken_contracts_are_refused_with_a_reason() -> None:
    with pytest.raises(ValueError, match="into 3 heads"):
        modules.Transformer(11, 13, 8, 3, 1, 16, max_len=9)
    with pytest.raises(ValueError, match="norm_position"):
        modules.EncoderLayer(8, 2, 16, norm_position="middle")
    with pytest.raises(ValueError, match="max_len = 2"):
        modules.PositionalEncoding(2, 8)(torch.zeros(1, 3, 8))
    with pytest.raises(ValueError, match="max_len = 2"):
        modules.LearnedPositionalEncoding(2, 8)(torch.zeros(1, 3, 8))
    with pytest.raises(ValueError, match="boolean"):
        modules.MultiHeadAttention(8, 2)(*[torch.zeros(1, 3, 8)] * 3, mask=torch.ones(3, 3))
