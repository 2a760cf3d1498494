"""Queries and keys turned by their positions (Su et al. 2021, RoFormer), where some courses have no table."""

from collections.abc import Callable, Mapping

import numpy as np

from grader.paper.weights import Array


def turned(
    heads: tuple[Array, Array, Array],
    pairs: str,
    *,
    which: str = "qk",
    back: str = "",
    exponents: str = "2i / d_k",
    base: float = 10000.0,
    whole: bool = False,
    angles: str = "of the pair",
    minus: bool = True,
) -> tuple[Array, Array, Array]:
    """Queries, keys and values of heads, ``(..., heads, n, d_k)`` each, of which ``which`` are turned.

    ``pairs`` are neighbours (``interleaved``) or one of each half (``halves``). A pair is turned by its place times
    ``base`` to the power of minus its exponent; those of ``back`` the other way round. ``whole`` features are those of
    all heads, before they are split; ``angles`` says whether both of a pair have the angle of their pair or what the
    other layout has there. Without ``minus`` none stands before the second of a pair.
    """

    def turn(x: Array, letter: str) -> Array:
        *lead, count, n, d_k = x.shape
        if whole:
            x = x.swapaxes(-2, -3).reshape(*lead, n, count * d_k)
        width, neighbours = x.shape[-1], pairs == "interleaved"
        speeds = base ** -_EXPONENTS[exponents](np.arange(width // 2), width, count * d_k)
        angle = np.arange(n)[:, None] * speeds
        angle = _in_layout(angle, angle, neighbours == (angles == "of the pair"))
        first, second = (x[..., 0::2], x[..., 1::2]) if neighbours else np.split(x, 2, axis=-1)
        partner = _in_layout(-second if minus else second, first, neighbours)
        found = x * np.cos(angle) + partner * (-np.sin(angle) if letter in back else np.sin(angle))
        return np.asarray(found.reshape(*lead, n, count, d_k).swapaxes(-2, -3) if whole else found)

    q, k, v = (turn(x, letter) if letter in which else x for x, letter in zip(heads, "qkv", strict=True))
    return q, k, v


def _in_layout(first: Array, second: Array, neighbours: bool) -> Array:
    """Firsts and seconds of pairs ``(..., d / 2)`` as features ``(..., d)``: side by side, or in two halves."""
    if neighbours:
        return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
    return np.concatenate([first, second], axis=-1)


_EXPONENTS: Mapping[str, Callable[[Array, int, int], Array]] = {
    "2i / d_k": lambda i, width, _: 2 * i / width,
    "2i / d_model": lambda i, _, d_model: 2 * i / d_model,
    "i / d_k": lambda i, width, _: i / width,
    "4i / d_k": lambda i, width, _: 4 * i / width,
    "-2i / d_k": lambda i, width, _: -2 * i / width,
}
