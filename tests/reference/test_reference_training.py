"""Loss, optimizer, schedule and decoding of the modules, and the copy task that needs them all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference as ref

torch = pytest.importorskip("torch")

from reference import modules  # noqa: E402 - it needs torch
from reference.modules.copy_task import BOS, EOS, PAD  # noqa: E402 - it needs torch


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.7])
def test_label_smoothing_agrees_with_cross_entropy(rng: np.random.Generator, eps: float) -> None:
    logits, target = rng.normal(size=(3, 5, 7)) * 4, rng.integers(0, 7, size=(3, 5))
    flat, ids = torch.from_numpy(logits).reshape(-1, 7), torch.from_numpy(target).reshape(-1)
    theirs = float(torch.nn.CrossEntropyLoss(label_smoothing=eps, ignore_index=2)(flat, ids))
    ours = modules.label_smoothing_loss(torch.from_numpy(logits), torch.from_numpy(target), eps, 2)
    assert float(ours) == pytest.approx(theirs, rel=1e-12)
    assert ref.label_smoothing_loss(logits, target, eps, 2) == pytest.approx(theirs, rel=1e-12)


def test_label_smoothing_of_padding_alone_is_zero_in_both() -> None:
    nothing = torch.zeros(2, dtype=torch.long)
    assert float(modules.label_smoothing_loss(torch.randn(2, 3), nothing, 0.1, 0)) == 0.0


def test_adam_step_agrees_with_torch_under_the_paper_schedule(rng: np.random.Generator) -> None:
    weight = torch.nn.Parameter(torch.from_numpy(rng.normal(size=(3, 4))))
    optimizer, schedule = modules.paper_adam([weight], d_model=16, warmup=3)
    params: Any = weight.detach().numpy().copy()
    m, v = np.zeros_like(params), np.zeros_like(params)
    for step in range(1, 8):
        gradient = rng.normal(size=(3, 4))
        rate = ref.noam_lr(step, 16, 3)
        assert schedule.get_last_lr() == [pytest.approx(rate, rel=1e-15)]
        params, m, v = ref.adam_step(params, gradient, m, v, step, rate)
        weight.grad = torch.from_numpy(gradient)
        optimizer.step()
        schedule.step()
        np.testing.assert_allclose(params, weight.detach().numpy(), rtol=1e-12)


def test_paper_adam_has_the_paper_settings() -> None:
    optimizer, _ = modules.paper_adam([torch.nn.Parameter(torch.zeros(1))], d_model=512)
    settings = optimizer.param_groups[0]
    assert settings["betas"] == (0.9, 0.98)
    assert settings["eps"] == 1e-9
    assert settings["lr"] == pytest.approx(ref.noam_lr(1, 512, 4000), rel=1e-15)


def small_model(seed: int = 0) -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return modules.Transformer(9, 9, 8, 2, 1, 16, max_len=12).double().eval()


@pytest.mark.parametrize("seed", range(6))
def test_decoding_with_a_model_agrees_with_the_numpy_search(seed: int) -> None:
    model, generator = small_model(seed), torch.Generator().manual_seed(seed)
    src = torch.randint(3, 9, (3, 5), generator=generator)
    expected = []
    for row in src:

        def step_fn(prefix: list[int], row: Any = row) -> Any:
            with torch.no_grad():
                return model(row[None], torch.tensor([prefix]))[0, -1].log_softmax(-1).numpy()

        expected.append(ref.greedy_decode(step_fn, BOS, EOS, 7))
        for beam_size in (1, 4):
            found = modules.beam_search(model, row[None], BOS, EOS, 7, beam_size)
            assert found == ref.beam_search(step_fn, BOS, EOS, 7, beam_size)
    assert modules.greedy_decode(model, src, BOS, EOS, 7) == expected


def test_padding_of_the_source_does_not_change_the_answer() -> None:
    model, src = small_model(), torch.tensor([[3, 4, 5, 6]])
    padded = torch.tensor([[3, 4, 5, 6, PAD, PAD]])
    mask = torch.from_numpy(ref.make_src_mask(padded.numpy(), PAD))
    alone = modules.greedy_decode(model, src, BOS, EOS, 7)
    assert modules.greedy_decode(model, padded, BOS, EOS, 7, mask) == alone
    assert modules.beam_search(model, padded, BOS, EOS, 7, 3, mask) == modules.beam_search(model, src, BOS, EOS, 7, 3)


def test_copy_batch_puts_the_source_between_bos_and_eos() -> None:
    source, target = modules.copy_batch(4, 6, 11, torch.Generator().manual_seed(1))
    assert source.shape == (4, 6)
    assert int(source.min()) >= 3
    assert torch.equal(target[:, 1:-1], source)
    assert target[:, 0].tolist() == [BOS] * 4
    assert target[:, -1].tolist() == [EOS] * 4


def test_the_transformer_learns_to_copy_in_200_steps() -> None:
    vocab, d_model, length = 13, 32, 6
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = modules.Transformer(vocab, vocab, d_model, 4, 1, 64, max_len=16)
    generator = torch.Generator().manual_seed(0)
    losses = modules.train_copy_task(model, d_model, vocab, generator, steps=200, length=length)
    assert losses[0] > 2.0
    assert np.mean(losses[-20:]) < 0.2
    source, target = modules.copy_batch(50, length, vocab, generator)
    answers = modules.greedy_decode(model, source, BOS, EOS, length + 4)
    right = sum(answer == wanted for answer, wanted in zip(answers, target.tolist(), strict=True))
    assert right >= 45
