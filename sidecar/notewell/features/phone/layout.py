"""The layout of the phone index: how its bytes stand in the file.

All numbers are little endian. After the header come the tables of notes and of passages, the
vectors of both, and the text: the model's key and the notes' paths, which are sorted by their
bytes, so that a note is found by bisection. A reader needs no copy of any part. docs/phone.md
describes it for other programs; `plugin/src/local/phoneFile.ts` reads it, and
tests/features/phone/sample.bin holds both to the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MAGIC = b"NOTEWELL"
VERSION = 1
HASH_BYTES = 16
STAMP_BYTES = 8
# Magic, version and checksum; then bytes of the file, notes, passages, dimensions, those of the
# model, bytes of the model's key and of the paths, zero, time, scale and shift of cosines, what
# tells similar notes (`MatchRule`), stamp.
HEADER = struct.Struct(f"<{len(MAGIC)}sII8Idff4f{STAMP_BYTES}s")
NOTE = struct.Struct(f"<IIf{HASH_BYTES}s")  # ends of path and passages, scale, content hash
PASSAGE = struct.Struct("<fII")  # scale, first and last line
_CHECKED_FROM = 16

Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PhoneNote:
    """One note: its passages come right after those of the note before it.

    `content_hash` is that of the index, BLAKE2b-128 of the file's bytes.
    """

    path: str
    content_hash: bytes
    passages: int


@dataclass(frozen=True, slots=True, eq=False)
class Quantised:
    """Vectors (n, dimensions) as bytes, each with the scale (n,) that makes them numbers again."""

    values: Bytes
    scales: Floats


@dataclass(frozen=True, slots=True)
class MatchRule:
    """The rule of how well a similar note matches: a weighted sum of two cosines and a constant.

    A note is related, or strongly so, where the sum is at least 0 with the constant of that name.
    """

    centered: float
    plain: float
    related: float
    strong: float


@dataclass(frozen=True, slots=True)
class PhoneHead:
    """The head of the file.

    `dimensions` are those of its vectors, `model_dimensions` those that the model's have. `made`
    is in POSIX seconds. `scale` and `shift` map cosines to the scale of the reference model.
    `stamp` says what it was made of: an equal one needs no new file.
    """

    model: str
    model_dimensions: int
    dimensions: int
    made: float
    scale: float
    shift: float
    match: MatchRule
    stamp: bytes


@dataclass(frozen=True, slots=True, eq=False)
class PhoneContents:
    """All that is in a file. `lines` (passages, 2) are the first and the last of each, from 1."""

    head: PhoneHead
    notes: Sequence[PhoneNote]
    note_vectors: Quantised
    passage_vectors: Quantised
    lines: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PhoneFigures:
    """The figures in the head of a file that is there."""

    made: float
    notes: int
    passages: int
    dimensions: int
    model_dimensions: int
    stamp: bytes


def quantise(vectors: Floats) -> Quantised:
    """Round vectors (n, dimensions) to bytes; the largest of each becomes 127."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return Quantised(np.rint(vectors / scales[:, np.newaxis]).astype(np.int8), scales)


def size(notes: int, passages: int, dimensions: int, path_bytes: int, model_bytes: int = 80) -> int:
    """The size in bytes of a file of so much."""
    tables = NOTE.size * notes + PASSAGE.size * passages
    return HEADER.size + tables + dimensions * (notes + passages) + path_bytes + model_bytes


def encode(contents: PhoneContents) -> bytes:
    """The bytes of the file."""
    head, notes, lines = contents.head, contents.notes, contents.lines
    model = head.model.encode()
    paths = [note.path.encode() for note in notes]
    path_ends = np.cumsum([len(path) for path in paths], dtype=np.int64)
    passage_ends = np.cumsum([note.passages for note in notes], dtype=np.int64)
    note_rows = zip(
        path_ends.tolist(),
        passage_ends.tolist(),
        contents.note_vectors.scales.tolist(),
        strict=True,
    )
    passage_rows = zip(contents.passage_vectors.scales.tolist(), lines.tolist(), strict=True)
    body = b"".join(
        (
            *(
                NOTE.pack(*row, note.content_hash)
                for row, note in zip(note_rows, notes, strict=True)
            ),
            *(PASSAGE.pack(scale, *of) for scale, of in passage_rows),
            contents.note_vectors.values.tobytes(),
            contents.passage_vectors.values.tobytes(),
            model,
            *paths,
        )
    )
    counts = (
        HEADER.size + len(body),
        *(len(notes), len(lines), head.dimensions, head.model_dimensions),
        *(len(model), sum(map(len, paths)), 0),
    )
    match = head.match
    rule = (match.centered, match.plain, match.related, match.strong)
    numbers = (head.made, head.scale, head.shift, *rule, head.stamp)
    checked = HEADER.pack(MAGIC, VERSION, 0, *counts, *numbers)[_CHECKED_FROM:]
    checksum = zlib.crc32(body, zlib.crc32(checked))
    return HEADER.pack(MAGIC, VERSION, checksum, *counts, *numbers) + body


def is_ours(start: bytes) -> bool:
    """True if a file that begins with these bytes is a phone index, of whatever version."""
    return start.startswith(MAGIC)


def read_figures(start: bytes, length: int) -> PhoneFigures:
    """The figures in the first bytes of a file of `length` bytes.

    Raises:
        ValueError: it is none, of another version, or not whole.

    """
    if not is_ours(start):
        raise ValueError("the file is no phone index")
    if len(start) < HEADER.size:
        raise ValueError("the file ends within its head")
    _, version, _, said, *counts = HEADER.unpack_from(start)[:9]
    if version != VERSION:
        raise ValueError(f"the file has version {version} of the format, not {VERSION}")
    if said != length:
        raise ValueError(f"the file has {length:,} bytes of {said:,}: it is not whole")
    made, *_, stamp = HEADER.unpack_from(start)[11:]
    notes, passages, dimensions, model_dimensions = counts[:4]
    return PhoneFigures(made, notes, passages, dimensions, model_dimensions, stamp)
