"""The interface of readers: a `Reader` for each ending of files, and the decoding of text files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import NOTE_TYPES, Note
from notewell.base.types.frozen import frozen

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
# Bytes that no text has, and the share of them from which a file with NULs is binary; a few bytes
# prove less.
_ODD_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))
_ODD_SHARE, _ODD_SHARE_OF_SHORT, _SHORT = 0.1, 0.3, 64
_NUL = "\x00"
_BAD_BYTES = re.compile("[\udc80-\udcff]+")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
# Larger files, and those of types with a parser of their own, are read in a process that can be
# ended, and after all others: one of them may take as long as thousands of notes.
ORDINARY_BYTES = 256 * 1024
# What a place in a file is named by, beside its line in the text that was read: nothing more, a
# page, a cell of a notebook, a node of a canvas, or the second of a recording. Such a name is the
# `block` of a span.
Anchor = Literal["line", "page", "cell", "node", "time"]

NO_OCR = "Its text is not read: the setting vault.ocr needs the program tesseract (docs/files.md)."


class Ocr(Protocol):
    """Reads the images of one file, until it has taken too long."""

    @property
    def is_installed(self) -> bool:
        """True if there is a program that reads images."""

    @property
    def stopped(self) -> bool:
        """True if images were left out for want of time."""

    def read(self, image: bytes) -> str:
        """The text of an image (PNM, PNG, JPEG, TIFF or WebP); "" if there is none or no time."""


@frozen
class Decoded:
    """Decoded text, its encoding, and warnings for the user."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(raw: bytes) -> Decoded | None:
    """Decode a note, dropping its byte order mark; None when the bytes are not text.

    Order: byte order mark, UTF-16 without a mark (recognised by the positions of NULs), UTF-8, then
    Windows-1252 or Latin-1 with a warning. A few NULs, and bytes that are no UTF-8 in a text that
    is, become U+FFFD with a warning, so that the rest stays as it is.
    """
    for mark, encoding in MARKS:
        if raw.startswith(mark):
            return _decode_marked(raw[len(mark) :], encoding)
    if b"\x00" in raw:
        guess = _unmarked_utf16(raw)
        if guess is not None:
            return guess
        if _is_binary(raw):
            return None
    try:
        return _without_nul(Decoded(raw.decode("utf-8"), "utf-8"))
    except UnicodeDecodeError as error:
        damaged = _damaged_utf8(raw, error.start)
        return _without_nul(damaged or _eight_bit(raw, error.start))


def _is_binary(raw: bytes) -> bool:
    """True if NULs and other bytes that no text has are more than a few."""
    odd = len(raw) - len(raw.translate(None, _ODD_BYTES))
    odd += sum(map(len, _BAD_BYTES.findall(raw.decode("utf-8", "surrogateescape"))))
    share = _ODD_SHARE if len(raw) > _SHORT else _ODD_SHARE_OF_SHORT
    return odd > share * len(raw) or not raw.strip(b"\x00 \t\r\n")


def _without_nul(decoded: Decoded) -> Decoded:
    if "\x00" not in decoded.text:
        return decoded
    warning = f"{decoded.text.count(_NUL):,} NUL characters show as \ufffd."
    text = decoded.text.replace(_NUL, "\ufffd")
    return Decoded(text, decoded.encoding, (*decoded.warnings, warning))


def _decode_marked(raw: bytes, encoding: str) -> Decoded | None:
    try:
        text, warnings = raw.decode(encoding), ()
    except UnicodeDecodeError as error:
        text = raw.decode(encoding, errors="replace")
        warning = f"Byte {error.start} is not valid {encoding}; damaged characters show as \ufffd."
        return _check(Decoded(text, encoding, (warning,)))
    return _check(Decoded(text, encoding, warnings))


def _check(decoded: Decoded) -> Decoded | None:
    """The text without its NULs; None where these are more than a few."""
    nul = decoded.text.count(_NUL)
    if not nul:
        return decoded
    few = nul <= _ODD_SHARE * len(decoded.text) and nul < len(decoded.text)
    return _without_nul(decoded) if few else None


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


def _damaged_utf8(raw: bytes, first_bad: int) -> Decoded | None:
    """UTF-8 with damaged places; None where most that is not ASCII is no UTF-8."""
    marked = raw.decode("utf-8", "surrogateescape")
    bad = len(_BAD_BYTES.findall(marked))
    good = len(_NOT_ASCII.findall(_BAD_BYTES.sub("", marked)))
    if bad > good:
        return None
    warning = (
        f"{bad:,} places are not valid UTF-8 (the first is byte {first_bad}) and show as \ufffd."
    )
    return Decoded(raw.decode("utf-8", "replace"), "utf-8", (warning,))


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


@frozen
class FileFacts:
    """Facts about a file beside its bytes. Times are those of the file."""

    path: str
    modified: float
    created: float | None = None
    types: tuple[str, ...] = NOTE_TYPES  # the endings that are notes in this vault
    ocr: Ocr | None = None  # what reads text in images, if that is wanted


@frozen
class ReadNote:
    """A note, and the text that its offsets and lines count in.

    For a text file that is the file as decoded; for others it is made by the reader.
    """

    note: Note
    text: str


ReadBytes: TypeAlias = Callable[[bytes, FileFacts], ReadNote]


@frozen
class Reader:
    """Turns files with one ending into notes.

    `read` is a pure function of its arguments. It raises UnreadableNoteError (code "binary",
    "unreadable", "too_large" or "encrypted") for bytes that it cannot read, and nothing else,
    whatever the bytes are.
    """

    suffix: str  # lower case, with its dot
    name: str  # the plural, for people: "Markdown files"
    read: ReadBytes
    kind: str  # what `type:` finds it by, beside its ending: "markdown", "image"
    anchor: Anchor = "line"
    max_bytes: int | None = None  # None: only what the setting vault.max_note_bytes allows
    # The PNG of a page of these bytes with this path; raises as `read`. None: they have no pages.
    picture: Callable[[bytes, str, int], bytes] | None = None
    # Whether a file of this type may crash or hang its parser, so that it is read in a child
    # process (process.py).
    in_child: bool = False
    # Whether the file holds more than text (fonts, images, compressed parts), so that its size is
    # limited by vault.max_document_bytes, and no client can send it to a mirror.
    binary: bool = False
    # Whether a link to a note may leave the ending out, as Obsidian has it for Markdown.
    linked_by_stem: bool = False


def decode_text(raw: bytes, path: str) -> Decoded:
    """Decode the bytes of a text file; UnreadableNoteError (code "binary") where they are none."""
    decoded = decode(raw)
    if decoded is None:
        raise UnreadableNoteError(
            f"{path} holds NUL bytes, so it is binary, not text.", code="binary"
        )
    return decoded
