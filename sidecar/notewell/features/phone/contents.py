"""A choice that fits into a phone's memory: which notes and passages, with how many dimensions.

The shares of dimensions were chosen on two vaults (docs/phone.md): with two thirds of them, on the
axes along which the vault's passages differ most, similar notes stay nearly the same; without
passages they suffer more than with half of the dimensions.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from notewell.api.types import FloatArray
from notewell.api.vault import IndexReader, StoredNote
from notewell.base.types import IdArray
from notewell.models.query_table import QueryTable

_SHARES = (1.0, 2 / 3, 1 / 2, 1 / 3)
_SURELY = 0.95  # of the room, where only some notes fit: their paths may be longer than others
MAGIC = b"NOTEWELL"
VERSION = 2
HASH_BYTES = 16
STAMP_BYTES = 8
# Magic, version and checksum; then bytes of the file, notes, passages, dimensions, those of the
# model, bytes of the model's key, of the paths and of the query table, time, scale and shift of
# cosines, what tells similar notes (`MatchRule`), stamp.
HEADER = struct.Struct(f"<{len(MAGIC)}sII8Idff4f{STAMP_BYTES}s")
NOTE = struct.Struct(f"<IIf{HASH_BYTES}s")  # ends of path and passages, scale, content hash
PASSAGE = struct.Struct("<fII")  # scale, first and last line
_CHECKED_FROM = 16
_AT_ONCE = 256  # notes; their vectors are all that is in memory besides what is written
# The plugin's own index knows these notes alone.
_SUFFIX = ".md"
_TINY = np.float32(1e-12)
_TOKENS = (12_000, 6_000)  # of the query table: the most, and fewer where these do not fit
_ALIGN = 8  # where the query table begins
_OF_TOKEN = 6  # bytes of a token besides its text and its numbers
_OF_TABLE = 216  # bytes of its head, the model's key and what fills up


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount, there or written: notes with their passages and paths, and a query table.

    `tokens` are those with a row, `token_text` are the bytes of all texts of tokens.
    """

    notes: int
    passages: int
    path_bytes: int
    dimensions: int
    tokens: int = 0
    token_text: int = 0

    @property
    def file_bytes(self) -> int:
        """The size of the file, which is also what it takes in a phone's memory."""
        return size(self.notes, self.passages, self.dimensions, self.path_bytes) + self.table_bytes

    @property
    def table_bytes(self) -> int:
        """The size of its query table: rows of so many tokens, and texts of all."""
        if not self.tokens:
            return 0
        row = -(-self.dimensions // 2) + _OF_TOKEN
        return self.tokens * row + self.token_text + 4 * self.dimensions + _OF_TABLE


def fitting(there: Amount, limit: int) -> Amount:
    """As much as fits into `limit` bytes.

    Everything, of a table the most; else a table of fewer tokens; else fewer dimensions; else no
    table; else no passages; else fewer notes.
    """
    tables = [
        most for most in (min(there.tokens, _TOKENS[0]), *_TOKENS[1:]) if 0 < most <= there.tokens
    ]
    wanted = [(there.passages, tokens) for tokens in tables]
    for kinds in (wanted, [(there.passages, 0)], [(0, 0)]):
        for share in _SHARES:
            dimensions = max(1, round(there.dimensions * share))
            for passages, tokens in kinds:
                kept = replace(there, passages=passages, tokens=tokens, dimensions=dimensions)
                if kept.file_bytes <= limit:
                    return kept
    smallest = max(1, round(there.dimensions * _SHARES[-1]))
    whole = Amount(there.notes, 0, there.path_bytes, smallest)
    share = _SURELY * limit / whole.file_bytes
    return Amount(int(there.notes * share), 0, int(there.path_bytes * share), smallest)


def describe_left_out(there: Amount, kept: Amount) -> str | None:
    """A sentence for people about what is left out; None: nothing is."""
    missing = []
    if there.tokens and not kept.tokens:
        missing.append("searches there are by words alone")
    elif kept.tokens < min(there.tokens, _TOKENS[0]):
        missing.append(f"searches know {kept.tokens:,} of {there.tokens:,} words and their pieces")
    if kept.dimensions < there.dimensions:
        missing.append(f"vectors have {kept.dimensions} of {there.dimensions} dimensions")
    if there.passages and not kept.passages:
        missing.append("notes have one vector each and none for their passages")
    if kept.notes < there.notes:
        missing.append(f"only the newest {kept.notes:,} of {there.notes:,} notes are in it")
    if not missing:
        return None
    return f"To fit into a phone's memory, {', '.join(missing)}."


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
    """All that is in a file. `lines` (passages, 2) are the first and the last of each, from 1.

    `table` are the bytes of the query table on the axes of the vectors; none: it has no table.
    """

    head: PhoneHead
    notes: Sequence[PhoneNote]
    note_vectors: Quantised
    passage_vectors: Quantised
    lines: npt.NDArray[np.uint32]
    table: bytes = b""


@dataclass(frozen=True, slots=True)
class PhoneFigures:
    """The figures in the head of a file that is there."""

    made: float
    notes: int
    passages: int
    dimensions: int
    model_dimensions: int
    table_bytes: int
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
    if contents.table:
        body += bytes(-(HEADER.size + len(body)) % _ALIGN) + contents.table
    counts = (
        HEADER.size + len(body),
        *(len(notes), len(lines), head.dimensions, head.model_dimensions),
        *(len(model), sum(map(len, paths)), len(contents.table)),
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
        ValueError: it is not a phone index, of another version, or not whole.

    """
    if not is_ours(start):
        raise ValueError("the file is no phone index")
    if len(start) < HEADER.size:
        raise ValueError("the file ends within its head")
    _, version, _, said, *counts = HEADER.unpack_from(start)[:11]
    if version != VERSION:
        raise ValueError(f"the file has version {version} of the format, not {VERSION}")
    if said != length:
        raise ValueError(f"the file has {length:,} bytes of {said:,}: it is not whole")
    when, *_, stamp = HEADER.unpack_from(start)[11:]
    notes, passages, dimensions, model_dimensions = counts[:4]
    table = counts[6]
    return PhoneFigures(when, notes, passages, dimensions, model_dimensions, table, stamp)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some notes with vectors. `owners` (m,) are places in `notes`, ascending; `lines` (m, 2)."""

    notes: Sequence[StoredNote]
    owners: IdArray
    vectors: FloatArray
    lines: npt.NDArray[np.uint32]


def notes_of(index: IndexReader) -> list[StoredNote]:
    """The notes that a phone index may have, by path."""
    notes = (note for note in index.all_notes() if note.path.lower().endswith(_SUFFIX))
    return sorted(notes, key=lambda note: note.path)


def amount(index: IndexReader, table: QueryTable | None) -> Amount:
    """The amount to write, nearly: passages of files that are no notes are counted too."""
    notes, model = notes_of(index), index.current_model()
    path_bytes = sum(len(note.path.encode()) for note in notes)
    if model is None or not model.vectors:
        return Amount(0, 0, 0, 0)
    there = Amount(len(notes), model.vectors, path_bytes, model.dimensions)
    if table is None:
        return there
    texts = sum(len(token.encode()) + 1 for token in table.vocabulary.tokens)
    return replace(there, tokens=len(table.rows), token_text=texts)


def contents(
    index: IndexReader,
    table: QueryTable | None,
    kept: Amount,
    head: PhoneHead,
    check: Callable[[], None],
) -> PhoneContents:
    """Read the vectors of the newest `kept.notes` notes; `check` is called between some of them.

    Notes that change meanwhile may be missing, or be out of date on the phone.
    """
    notes = notes_of(index)
    if kept.notes < len(notes):
        newest = sorted(notes, key=lambda note: -note.mtime_ns)[: kept.notes]
        notes = sorted(newest, key=lambda note: note.path)
    axes = None
    if kept.dimensions < head.model_dimensions:
        axes = _axes(_parts(index, notes, check), kept.dimensions)
    hashes = {path: entry.content_hash for path, entry in index.manifest().items()}
    listed: list[PhoneNote] = []
    means, passages, lines = [], [], []
    for part in _parts(index, notes, check):
        vectors = part.vectors if axes is None else _unit(part.vectors @ axes)
        owners, starts, counts = np.unique(part.owners, return_index=True, return_counts=True)
        means.append(quantise(_unit(np.add.reduceat(vectors, starts, axis=0))))
        passage_notes = [part.notes[place] for place in owners.tolist()]
        kept_of = counts.tolist() if kept.passages else [0] * len(passage_notes)
        listed += [
            PhoneNote(note.path, hashes.get(note.path, bytes(16)), count)
            for note, count in zip(passage_notes, kept_of, strict=True)
        ]
        if kept.passages:
            passages.append(quantise(vectors))
            lines.append(part.lines)
    return PhoneContents(
        head,
        listed,
        _join(means, kept.dimensions),
        _join(passages, kept.dimensions),
        np.concatenate(lines) if lines else np.empty((0, 2), np.uint32),
        b"" if table is None or not kept.tokens else _table(table, kept.tokens, axes),
    )


def _table(table: QueryTable, tokens: int, axes: Floats | None) -> bytes:
    """The bytes of a table with the best known tokens, on the axes of the file."""
    if tokens < len(table.rows):
        best = np.argsort(table.weakness, kind="stable")[:tokens]
        table = table.with_rows(np.sort(best))
    return (table if axes is None else table.on_axes(axes)).encode()


def _parts(
    index: IndexReader, notes: Sequence[StoredNote], check: Callable[[], None]
) -> Iterator[_Part]:
    """The notes in parts; those without vectors are in none."""
    for start in range(0, len(notes), _AT_ONCE):
        check()
        some = notes[start : start + _AT_ONCE]
        chunks = [
            (place, chunk) for place, note in enumerate(some) for chunk in index.chunks_of(note.id)
        ]
        known, vectors = index.vectors.of_chunks(
            np.array([chunk.id for _, chunk in chunks], np.int64)
        )
        if not len(known):
            continue
        by_id = {chunk.id: (place, chunk.lines) for place, chunk in chunks}
        places = [by_id[chunk] for chunk in known.tolist()]
        lines = [(min(of), max(of)) if of else (1, 1) for _, of in places]
        owners = np.array([place for place, _ in places], np.int64)
        yield _Part(some, owners, vectors, np.array(lines, np.uint32))


def _axes(parts: Iterator[_Part], count: int) -> Floats:
    """The axes (dimensions, count) that keep most of the vectors' products.

    Principal components without centring (Pearson 1901, "On lines and planes of closest fit"):
    both sides of every product are in the file, so any orthogonal axes keep cosines as they are,
    and these lose least.
    """
    moments: npt.NDArray[np.float64] | None = None
    for part in parts:
        more = (part.vectors.T @ part.vectors).astype(np.float64)
        moments = more if moments is None else moments + more
    if moments is None:
        return np.empty((0, count), np.float32)
    _, axes = np.linalg.eigh(moments)  # ascending
    largest: Floats = axes[:, ::-1][:, :count].astype(np.float32)
    return largest


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = (vectors / np.maximum(lengths, _TINY)).astype(np.float32)
    return unit


def _join(parts: Sequence[Quantised], dimensions: int) -> Quantised:
    if not parts:
        return Quantised(np.empty((0, dimensions), np.int8), np.empty(0, np.float32))
    return Quantised(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.scales for part in parts]),
    )
