"""Decoding notes in any encoding; binary files are recognised."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.vault.readers.reader import decode

TEXT = "# Überschrift\nnaïve café\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_removed(mark: bytes, encoding: str) -> None:
    decoded = decode(mark + TEXT.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding, decoded.warnings) == (TEXT, encoding, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(encoding: str) -> None:
    decoded = decode(TEXT.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (TEXT, encoding)


def test_utf8_is_plain() -> None:
    decoded = decode("日本語 🎉".encode())
    assert decoded is not None
    assert (decoded.text, decoded.encoding, decoded.warnings) == ("日本語 🎉", "utf-8", ())


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"caf\xe9 \x93quoted\x94", "café “quoted”", "windows-1252"),
        (b"caf\xe9 \x81", "café \x81", "latin-1"),
    ],
)
def test_eight_bit_text_is_read_with_a_warning(raw: bytes, text: str, encoding: str) -> None:
    decoded = decode(raw)
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert "save the note as UTF-8" in decoded.warnings[0]


@pytest.mark.parametrize(
    "raw",
    [
        b"\x00a\x01b\x02",
        b"\x00\x00\n",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x00",
        b"\x00\x00",
    ],
)
def test_nul_bytes_mean_binary(raw: bytes) -> None:
    assert decode(raw) is None


@pytest.mark.parametrize("raw", [b"abc\x00def", b"abc\x00defg", "ü\x00日本".encode()])
def test_a_nul_in_a_text_is_shown_and_the_rest_stays(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded is not None
    assert decoded.text == raw.decode().replace("\x00", "\ufffd")
    assert "1 NUL" in decoded.warnings[0]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Käse aus Österreich ".encode() + b"\xff und mehr", "Käse aus Österreich \ufffd und mehr"),
        ("日本".encode() + b"\xe6\x97", "日本\ufffd"),
        ("über ".encode() + b"\xf0\x9f", "über \ufffd"),
    ],
)
def test_one_bad_byte_does_not_change_the_rest(raw: bytes, text: str) -> None:
    decoded = decode(raw)
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, "utf-8")
    assert "1 places are not valid UTF-8" in decoded.warnings[0]


@given(st.text(min_size=1, max_size=200), st.integers(0, 200))
def test_a_bad_byte_anywhere_in_utf8_is_one_character(text: str, at: int) -> None:
    raw = text.encode("utf-8", "replace").replace(b"\x00", b"")
    letters = raw.decode()
    cut = min(at, len(letters))
    if not any(ord(letter) > 127 for letter in letters):
        return
    decoded = decode(letters[:cut].encode() + b"\xff" + letters[cut:].encode())
    assert decoded is not None
    if not letters.startswith("\ufeff"):
        assert decoded.text == f"{letters[:cut]}\ufffd{letters[cut:]}"


def test_a_damaged_utf16_note_is_read_with_a_warning() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00\xd8")
    assert decoded is not None
    assert decoded.text.startswith("ab")
    assert "damaged characters" in decoded.warnings[0]


@given(st.binary(max_size=300))
def test_any_bytes_give_text_without_nul_or_nothing(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded is None or "\x00" not in decoded.text
