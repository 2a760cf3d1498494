"""Weights by role, with a note of the order in which a computation reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]


class Roles:
    """Arrays by role (``encoder.0.self_attention.w_q``), read below a prefix; every read is noted in ``log``.

    A role that is absent reads as None: a bias that the student left out, a gain of a norm without one.
    """

    __slots__ = ("arrays", "log", "prefix")

    def __init__(self, arrays: Mapping[str, Array], prefix: str = "", log: list[str] | None = None) -> None:
        self.arrays, self.prefix = arrays, prefix
        self.log = [] if log is None else log

    def part(self, name: str) -> Roles:
        """Return the roles below ``name``."""
        return Roles(self.arrays, f"{self.prefix}{name}.", self.log)

    def get(self, role: str) -> Array | None:
        """Return the array of ``role``, or None."""
        self.log.append(self.prefix + role)
        return self.arrays.get(self.prefix + role)

    def must(self, role: str) -> Array:
        """Return the array of ``role``. Raises KeyError where it is absent."""
        self.log.append(self.prefix + role)
        return self.arrays[self.prefix + role]
