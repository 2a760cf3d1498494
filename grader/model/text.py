"""Texts that came from a submission, cleaned when built."""

import re
import unicodedata
from typing import Self


class StudentText(str):
    """Text that came from a submission, cleaned when built so that no renderer can forget to.

    Control characters, bidirectional overrides and lone surrogates become visible marks; newlines and tabs stay.
    """

    __slots__ = ()

    def __new__(cls, raw: str, limit: int = 4000) -> Self:
        """Clean ``raw``, cut to ``limit`` characters."""
        text = raw if len(raw) <= limit else raw[: limit - 1] + "…"
        plain = text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable()  # as most texts are
        return super().__new__(cls, text if plain else "".join(map(_visible, text)))


_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _visible(character: str) -> str:
    if character in "\n\t" or " " <= character <= "~":
        return character
    if character in _BIDI or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return f"⟨{ord(character):02X}⟩"
    return character


def mask_addresses(text: str) -> str:
    """Replace memory addresses such as ``0x7f3a…`` so that the same submission gives the same bytes."""
    return re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)
