from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UnreadableError
from grader.intake.syntax import words
from grader.intake.text import decode
from tests.growth import SQUARE, growth


def refused(data: bytes) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        decode(data, "hw.py")
    assert caught.value.where == "hw.py"
    assert caught.value.cure
    return caught.value


def test_plain_utf8_comes_back_without_a_remark() -> None:
    assert decode("x = 'é√'\n".encode(), "hw.py") == ("x = 'é√'\n", ())


def test_a_byte_order_mark_is_removed_and_remarked_on() -> None:
    assert decode(b"\xef\xbb\xbfx = 1\n", "hw.py") == ("x = 1\n", ("hw.py: a byte-order mark was removed.",))


@pytest.mark.parametrize("ends", [b"a\r\nb\r\n", b"a\rb\r", b"a\nb\n", b"a\r\nb\n"])
def test_every_line_end_becomes_one_newline(ends: bytes) -> None:
    assert decode(ends, "hw.py")[0] == "a\nb\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_read_as_such_and_remarked_on(encoding: str) -> None:
    code = "def softmax(größe):\n    return größe\n"
    text, (note,) = decode(code.replace("\n", "\r\n").encode(encoding), "hw.py")
    assert text == code
    assert f"read as {encoding[:6].upper()} text, where Python would not: save it as UTF-8" in note


def test_a_coding_line_is_followed() -> None:
    assert decode(b"# -*- coding: latin-1 -*-\nname = '\xe9'\n", "hw.py")[0].endswith("name = 'é'\n")
    assert decode(b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\ns = '\x80'\n", "hw.py")[0].endswith(
        "'€'\n"
    )


@pytest.mark.parametrize(
    "name", [b"no-such-thing", b"rot13", b"zip", b"hex", b"punycode", b"idna", b"unicode_escape", b"undefined"]
)
def test_a_coding_line_that_names_no_text_encoding_is_passed_over(name: bytes) -> None:
    text, (note,) = decode(b"# coding: " + name + b"\nx = '\xc3\xa9'\n", "hw.py")
    assert text.endswith("x = 'é'\n")
    assert "coding line names" in note
    assert "read as UTF-8" in note


@pytest.mark.parametrize(
    ("data", "text", "said"),
    [
        (b"x = 1\r\ny = 2\r\ns = '\xe9'\r\n", "é", "line 3 is not UTF-8 (byte 0xE9); read as Windows text"),
        (b"s = '\x93\xe9\x94'\n", "“é”", "line 1 is not UTF-8 (byte 0x93); read as Windows text"),
        (b"# coding: ascii\ns = '\xc3\xa9'\n", "é", "line 2 is not ASCII (byte 0xC3); read as UTF-8"),
        (b"\xef\xbb\xbf# coding: latin-1\ns = '\xc3\xa9'\n", "é", "byte-order mark"),
    ],
)
def test_bytes_that_python_does_not_read_are_read_and_remarked_on(data: bytes, text: str, said: str) -> None:
    found, notes = decode(data, "hw.py")
    assert f"'{text}'" in found
    assert said in " ".join(notes)


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\0\0\0", b"PK\x03\x04\x14\0\x06\0", bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0"]
)
def test_binary_data_is_called_binary(data: bytes) -> None:
    assert "binary data" in refused(data).what


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_one_error(data: bytes) -> None:
    try:
        text, _ = decode(data, "hw.py")
    except UnreadableError:
        return
    assert "\r" not in text
    assert "\0" not in text
    text.encode()


@given(st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"])))
def test_utf8_text_survives_with_and_without_a_mark(text: str) -> None:
    if "coding" in text:
        return
    assert decode(text.encode(), "hw.py")[0] == text
    assert decode(b"\xef\xbb\xbf" + text.encode(), "hw.py")[0] == text


@pytest.mark.parametrize(("text", "count"), [("x = 1.5e3 + f(y)\n", 8), ("\t é\u2003=\r\n\n  'a b'", 8)])
def test_words_are_counted(text: str, count: int) -> None:
    assert words(text) == count


@pytest.mark.parametrize(("line", "count"), [(" ", 0), (" " * 1999 + "\n", 1), (" \t", 0)])
def test_the_time_for_megabytes_of_blanks_grows_with_their_number(line: str, count: int) -> None:
    def read(letters: int) -> None:
        lines = letters // len(line)
        assert words(line * lines + "x") == count * lines + 1

    assert growth(read, 2_500_000) < SQUARE
