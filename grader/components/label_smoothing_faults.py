"""Label smoothing as students get it wrong: the oracle with knobs, and what to say about each setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.properties import Array


def workshop(
    logits: Array,
    target: Array,
    eps: float,
    pad_id: int,
    *,
    smooth: str = "paper",
    logs: str = "log_softmax",
    axis: int = -1,
    over_words: str = "sum",
    pads: str = "left_out",
    average: str = "tokens",
    minus: str = "nothing",
    sign_of: float = -1.0,
    base: float = np.e,
    pad_is: str = "given",
    ignores_eps: bool = False,
    views: bool = False,
    overwrites: bool = False,
) -> Any:
    """The oracle with knobs: the target distribution, the logarithms, what is summed and what it is divided by."""
    if views and not logits.flags.c_contiguous:
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    vocab = logits.shape[-1]
    eps = 0.0 if ignores_eps else eps
    pad = 0 if pad_is == "zero" else pad_id
    real = target > pad if pad_is == "all up to it" else target != pad
    wanted = np.clip(target, 0, vocab - 1)
    if overwrites:
        target[~real] = 0
    goal = _goal(smooth, wanted, vocab, eps, pad_id)
    if smooth == "prediction":
        shares = np.exp(_logs("log_softmax", logits, axis))
        token = -np.log(np.take_along_axis((1 - eps) * shares + eps / vocab, wanted[..., None], -1))[..., 0]
    else:
        token = sign_of * _over(over_words, goal * _logs(logs, logits, axis) / np.log(base))
    if minus == "entropy":
        token = token + np.sum(goal * np.log(np.maximum(goal, 1e-300)), axis=-1)
    if pads == "zero_logits":
        token = np.where(real, token, _over(over_words, -goal * -np.log(vocab)))
    elif pads != "trained":
        token = np.where(real, token, 0.0)
    return _average(average, token, np.ones_like(real) if pads == "trained" else real)


def _goal(smooth: str, wanted: Array, vocab: int, eps: float, pad_id: int) -> Array:
    """The target distribution, ``(..., vocab)``."""
    hit: Array = (wanted[..., None] == np.arange(vocab)).astype(np.float64)
    miss = 1 - hit
    kept = np.arange(vocab) != pad_id
    makers: dict[str, Callable[[], Array]] = {
        "paper": lambda: (1 - eps) * hit + eps / vocab,
        "prediction": lambda: hit,
        "others": lambda: (1 - eps) * hit + eps / (vocab - 1) * miss,
        "others_too": lambda: (1 - eps) * hit + eps / (vocab - 1),
        "minus_two": lambda: (1 - eps) * hit + _over_two_less(eps, vocab) * miss,
        "minus_two_added": lambda: (1 - eps) * hit + _over_two_less(eps, vocab),
        "without_pad": lambda: ((1 - eps) * hit + _over_two_less(eps, vocab) * miss) * kept,
        "without_pad_column": lambda: ((1 - eps) * hit + eps / vocab) * kept,
        "unscaled": lambda: (1 - eps) * hit + 1 / vocab,
        "eps_each": lambda: (1 - eps) * hit + eps,
        "replaced": lambda: (1 - eps) * hit + eps / vocab * miss,
        "swapped": lambda: eps * hit + (1 - eps) / vocab,
        "hit_full": lambda: hit + eps / vocab,
        "no_uniform": lambda: (1 - eps) * hit,
        "subtracted": lambda: (1 - eps) * hit - eps / vocab,
        "uniform": lambda: np.full_like(hit, 1 / vocab),
        "twice": lambda: (1 - eps) * ((1 - eps) * hit + eps / vocab) + eps / vocab,
    }
    return makers[smooth]()


def _over_two_less(eps: float, vocab: int) -> float:
    return eps / (vocab - 2)


def _logs(which: str, logits: Array, axis: int) -> Array:
    with np.errstate(all="ignore"):
        top = logits - logits.max(axis=axis, keepdims=True)
        found: Array = top - np.log(np.exp(top).sum(axis=axis, keepdims=True))
        made: dict[str, Callable[[], Array]] = {
            "log_softmax": lambda: found,
            "raw": lambda: logits,
            "probabilities": lambda: np.exp(found),
            "log_of_softmax": lambda: np.log(np.exp(top) / np.exp(top).sum(axis=axis, keepdims=True)),
            "unshifted": lambda: np.log(np.exp(logits) / np.exp(logits).sum(axis=axis, keepdims=True)),
            "log_softmax_of_softmax": lambda: _logs("log_softmax", np.exp(found), axis),
        }
        return made[which]()


def _over(how: str, terms: Array) -> Array:
    found: Array = terms.mean(axis=-1) if how == "mean" else terms.max(axis=-1) if how == "max" else terms.sum(axis=-1)
    return found


def _average(how: str, token: Array, counted: Array) -> Any:
    with np.errstate(all="ignore"):
        made: dict[str, Callable[[], Any]] = {
            "tokens": lambda: float(token.sum() / counted.sum()),
            "none": lambda: token,
            "sum": lambda: float(token.sum()),
            "positions": lambda: float(token.mean()),
            "batch": lambda: float(token.sum() / token.shape[0]),
            "sentences": lambda: float(np.mean(token.sum(axis=-1) / counted.sum(axis=-1))),
            "per_sentence": lambda: token.sum(axis=-1) / counted.sum(axis=-1),
            "length": lambda: float(token.sum() / token.shape[-1]),
        }
        return made[how]()


SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "ls-pad-counted-in-mean",
        """The loss of padding is zeroed, but padding still counts in the mean.
? Add ten pads to the batch. Should the average loss per word change?
> Divide by the number of real tokens.
= The mean runs over the targets that are not padding. Divided by all positions, a batch with more padding seems to
have a smaller loss.""",
        {"average": "positions"},
    ),
    (
        "ls-pad-not-ignored",
        """Padding is trained on like words.
? Should the model be rewarded for predicting padding?
> Leave out the positions where the target is pad_id.
= What stands at padded positions is no sentence. Changing the logits there must not change the loss.""",
        {"pads": "trained"},
    ),
    (
        "ls-pad-logits-zeroed",
        """The logits of padding are zeroed, and its loss still counts.
? What is the loss of a position whose logits are all zero?
> Zero logits are a uniform guess, with the loss ln V. Leave the positions out of the mean.""",
        {"pads": "zero_logits", "average": "positions"},
        {"pads": "zero_logits"},
    ),
    (
        "ls-pad-id-ignored",
        """Another id than pad_id is taken for padding.
? Which token is padding when pad_id is 3?
> Compare the targets with the argument pad_id.""",
        {"pad_is": "zero"},
    ),
    (
        "ls-padding-not-found-by-equality",
        """Every id that is not above pad_id is taken for padding.
? With pad_id = 3, is the word 2 padding?
> Look at the comparison of the targets with pad_id: > or !=?
= pad_id is one token among others. Where it is 0, `target > pad_id` happens to be right.""",
        {"pad_is": "all up to it"},
    ),
    (
        "ls-uniform-part-not-scaled",
        """Every class gets 1/V and not eps/V.
? Add up your smoothed target. What should it be?
> The uniform part has the weight eps.
= The target is a mixture: 1 - eps of the right class and eps of the uniform distribution. It sums to 1.""",
        {"smooth": "unscaled"},
    ),
    (
        "ls-uniform-part-not-divided",
        """Every class gets eps and not eps/V.
? Add up your smoothed target. What should it be?
> eps is shared by all V classes.""",
        {"smooth": "eps_each"},
    ),
    (
        "ls-minus-two-without-pad-zero",
        """eps is shared by V - 2 classes, though no column is left out.
? Which two classes does the -2 stand for? Are both really left out?
> Here all V classes share eps.
= V - 2 suits a target whose padding column is set to zero. Without that the target does not sum to 1.""",
        {"smooth": "minus_two"},
        {"smooth": "minus_two_added"},
    ),
    (
        "ls-pad-column-left-out",
        """The padding class gets no share of eps.
? How many classes share eps in the hand-out?
> All V of them, the padding class too.
= Some implementations leave the padding class out. Here the uniform part covers the whole vocabulary.""",
        {"smooth": "without_pad"},
        {"smooth": "without_pad_column"},
    ),
    (
        "ls-eps-over-v-minus-one",
        """eps is shared by the V - 1 wrong classes.
? Does the right class get a share of eps?
> Here all V classes get eps/V, and the right one 1 - eps on top.
= Both forms are in use and differ a little: with eps/V the right class has 1 - eps + eps/V.""",
        {"smooth": "others"},
        {"smooth": "others_too"},
    ),
    (
        "ls-right-class-replaced",
        """The right class gets 1 - eps and loses its share of eps/V.
? Add up your smoothed target. What should it be?
> Add 1 - eps to what is there; scatter writes over it.
= The right class has 1 - eps + eps/V. With the share written over, the target sums to less than 1.""",
        {"smooth": "replaced"},
    ),
    (
        "ls-eps-swapped",
        """eps and 1 - eps have changed places.
? With eps = 0.1, how sure should the target be of the right class?
> The right class has the weight 1 - eps.""",
        {"smooth": "swapped"},
    ),
    (
        "ls-weights-do-not-add-up",
        """The two parts of the target do not have the weights 1 - eps and eps.
? Add up your smoothed target. What should it be?
> (1 - eps) times one-hot, plus eps/V.""",
        {"smooth": "hit_full"},
        {"smooth": "subtracted"},
        {"smooth": "no_uniform"},
        {"smooth": "uniform"},
        {"smooth": "twice"},
    ),
    (
        "ls-smooths-the-prediction",
        """The prediction is smoothed and not the target.
? Which of the two distributions should hold a little doubt?
> Mix eps/V into the target, then take the cross-entropy with the log-probabilities.
= Mixed into the prediction, eps takes away the penalty for confident mistakes, which is the opposite of what label
smoothing is for.""",
        {"smooth": "prediction"},
    ),
    (
        "ls-eps-ignored",
        """There is no smoothing: eps is not used.
? Does your loss change when eps does?
> This is the plain cross-entropy; eps = 0 is its one right case.""",
        {"ignores_eps": True},
    ),
    (
        "ls-probabilities-not-logs",
        """Probabilities stand where log-probabilities are needed.
? Can a cross-entropy be negative?
> Use log_softmax.
= Cross-entropy weighs the logarithms of the probabilities. With the probabilities themselves the loss is bounded by 1
and its gradient nearly vanishes.""",
        {"logs": "probabilities"},
    ),
    (
        "ls-logits-not-normalised",
        """The logits are used as if they were log-probabilities.
? Do the exponentials of your log-probabilities sum to 1?
> Apply log_softmax over the last axis first.""",
        {"logs": "raw"},
    ),
    (
        "ls-softmax-twice",
        """The softmax is applied twice.
? Does your loss function expect logits or probabilities?
> Functions such as cross_entropy apply log_softmax themselves: give them the logits.
= A softmax of probabilities is nearly uniform, so the loss can never come near zero.""",
        {"logs": "log_softmax_of_softmax"},
    ),
    (
        "ls-log-of-softmax",
        """The logarithm is taken of a softmax that may be zero.
? What is log(softmax([1000, 0])), computed step by step?
> log_softmax does both in one step, and stays finite.
= For confident logits the softmax rounds to 0, and its logarithm is minus infinity.""",
        {"logs": "log_of_softmax"},
        {"logs": "unshifted"},
    ),
    (
        "ls-softmax-over-wrong-axis",
        """The log-probabilities are normalised over the positions and not over the vocabulary.
? Which axis of the logits is the vocabulary?
> It is the last one.""",
        {"axis": -2},
        {"axis": 0},
        {"axis": 1},
    ),
    (
        "ls-mean-over-vocabulary",
        """The classes are averaged and not summed.
? The loss of a uniform guess over V words should be ln V. Is yours?
> Sum over the classes, then take the mean over the tokens.
= The default reduction of a divergence loss averages over every entry, the vocabulary too, which makes the loss too
small by a factor V.""",
        {"over_words": "mean"},
    ),
    (
        "ls-sum-not-mean",
        """The loss is summed over the tokens and not averaged.
? Should a batch twice as large have twice the loss?
> Divide by the number of real tokens.""",
        {"average": "sum"},
    ),
    (
        "ls-wrong-divisor",
        """The sum is divided by the number of sentences, or of positions in one, and not of real tokens.
? By how many tokens is your sum divided?
> Count the targets that are not pad_id.""",
        {"average": "batch"},
        {"average": "length"},
    ),
    (
        "ls-mean-of-means",
        """Each sentence is averaged by itself, then the sentences.
? Does a word in a short sentence count more than one in a long sentence?
> Sum over all real tokens of the batch and divide once.""",
        {"average": "sentences"},
    ),
    (
        "ls-not-reduced",
        """The loss comes for each token, or each sentence.
? Which shape should the loss have?
> One number: the mean over all real tokens.""",
        {"average": "none"},
        {"average": "per_sentence"},
    ),
    (
        "ls-wrong-sign",
        """The loss has the wrong sign.
? Should a better prediction have a larger or a smaller loss?
> Log-probabilities are negative: the loss is minus their weighted sum.""",
        {"sign_of": 1.0},
    ),
    (
        "ls-wrong-base",
        """The logarithm has another base.
? The loss of a uniform guess over V words should be ln V. Is yours?
> Use the natural logarithm.""",
        {"base": 2.0},
        {"base": 10.0},
    ),
    (
        "ls-view-on-noncontiguous",
        """The logits are flattened with view, which fails when they were transposed before.
? What does view need of a tensor's memory that reshape does not?
> Use reshape or flatten where the logits may have been transposed.""",
        {"views": True},
    ),
    (
        "ls-divergence-not-cross-entropy",
        """The entropy of the target is subtracted: this is a divergence and not the cross-entropy.
? What is the loss of a prediction that equals the smoothed target?
> The gradient is right. Only the constant differs: kl_div subtracts the entropy of the target.
= The two differ by a number that does not depend on the logits, so training is the same, but the value is not.""",
        {"minus": "entropy"},
    ),
    (
        "ls-overwrites-target",
        """Padded targets are overwritten in the caller's tensor.
? Compare your targets before and after the call. Which ones have changed?
> Look for masked_fill_, `target[...] = ` or clamp_ on the target itself. Work on a copy, or use masked_fill.
= The loss of this call is right. The next one finds other targets, and no padding any more.""",
        {"overwrites": True},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""
