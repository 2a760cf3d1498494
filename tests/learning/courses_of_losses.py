"""A loss that is made with sizes and called, a divergence over rows of log-probabilities, with its count beside."""

from __future__ import annotations

from courses import Course

LOSS = Course(
    """
import numpy as np


def create_pad_mask(t, pad):
    return (t != pad)[:, None]


class SmoothedCrossEntropy:
    def __init__(self, vocabulary_size, pad_index, smoothing):
        assert 0 < smoothing < 1
        self.words, self.pad, self.doubt = vocabulary_size, pad_index, smoothing

    def __call__(self, log_probs, targets):
        rows, words = log_probs.shape
        share = self.doubt / (self.words - 2)
        goal = np.full((rows, words), share)
        goal[np.arange(rows), targets] = 1 - self.doubt
        goal[:, self.pad] = 0
        goal[targets == self.pad] = 0
        loss = (goal * (np.log(np.where(goal > 0, goal, 1)) - np.where(goal > 0, log_probs, 0))).sum()
        count = int((targets != self.pad).sum())
        return loss, count
""",
    "",
    {
        "padding_mask": {"mask_axes": 3},
        "label_smoothing": {
            "scores": "log_probabilities",
            "smoothing": "others_without_pad",
            "loss": "divergence",
            "reduction": "sum",
        },
    },
    (
        ("course-loss-cross-entropy", "(np.log(np.where(goal > 0, goal, 1)) - np.where(goal > 0, log_probs, 0))",
         "-log_probs"),
        ("ls-minus-two-without-pad-zero", "        goal[:, self.pad] = 0\n", ""),
        ("ls-pad-id-ignored", "self.pad, self.doubt = vocabulary_size, pad_index, smoothing",
         "self.pad, self.doubt = vocabulary_size, 0, smoothing"),
    ),
)  # fmt: skip
