"""Decodes text files: byte order marks, UTF-16 without a mark, and old 8-bit encodings."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

# The UTF-32 marks come first: the little-endian one begins with UTF-16's.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 4096
# Western text in UTF-16 has a NUL in nearly every second byte and none in the others. Below this
# share a file with NULs is taken for binary: a stray NUL must not turn English into Chinese.
_NUL_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Decoded:
    """Decoded text, its encoding, and warnings for the user."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(raw: bytes) -> Decoded | None:
    """Decode a note, dropping its byte order mark; None when the bytes are not text.

    Order: byte order mark, UTF-16 without a mark (recognised by the positions of NULs), UTF-8, then
    Windows-1252 or Latin-1 with a warning. Any NUL outside UTF-16 and UTF-32 means binary.
    """
    for mark, encoding in MARKS:
        if raw.startswith(mark):
            return _marked(raw[len(mark) :], encoding)
    if b"\x00" in raw:
        return _unmarked_utf16(raw)
    try:
        return Decoded(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _eight_bit(raw, error.start)


def _marked(raw: bytes, encoding: str) -> Decoded | None:
    try:
        text, warnings = raw.decode(encoding), ()
    except UnicodeDecodeError as error:
        text = raw.decode(encoding, errors="replace")
        warning = f"Byte {error.start} is not valid {encoding}; damaged characters show as �."
        return None if "\x00" in text else Decoded(text, encoding, (warning,))
    return None if "\x00" in text else Decoded(text, encoding, warnings)


def _unmarked_utf16(raw: bytes) -> Decoded | None:
    sample = raw[: min(len(raw), _SAMPLE_BYTES) // 2 * 2]
    if len(raw) % 2 or not sample:
        return None
    pairs = len(sample) / 2
    even, odd = sample[::2].count(0) / pairs, sample[1::2].count(0) / pairs
    if odd >= _NUL_SHARE and not even:
        encoding = "utf-16-le"
    elif even >= _NUL_SHARE and not odd:
        encoding = "utf-16-be"
    else:
        return None
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else Decoded(text, encoding)


def _eight_bit(raw: bytes, first_bad: int) -> Decoded:
    try:
        text, encoding = raw.decode("cp1252"), "windows-1252"
    except UnicodeDecodeError:
        text, encoding = raw.decode("latin-1"), "latin-1"
    warning = (
        f"Not UTF-8 (byte {first_bad}), read as {encoding}. "
        "If letters look wrong, save the note as UTF-8."
    )
    return Decoded(text, encoding, (warning,))
