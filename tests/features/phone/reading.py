"""Reads a phone index as docs/phone.md describes it, with nothing of the code that writes it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Read:
    """All of a file; vectors are numbers again, `lines` those of each passage."""

    model: str
    dimensions: int
    model_dimensions: int
    made: float
    cosines: tuple[float, float]
    rule: list[float]
    paths: list[str]
    hashes: list[bytes]
    passages_of: list[range]
    note_vectors: npt.NDArray[np.float32]
    passage_vectors: npt.NDArray[np.float32]
    lines: list[tuple[int, int]]
    table: bytes


def read(raw: bytes) -> Read:
    assert raw[:8] == b"NOTEWELL"
    version, checksum, length = struct.unpack_from("<III", raw, 8)
    assert (version, length, checksum) == (2, len(raw), zlib.crc32(raw[16:]))
    notes, passages, dimensions, model_dimensions, model, paths, table = struct.unpack_from(
        "<7I", raw, 20
    )
    made, scale, shift, *rule = struct.unpack_from("<dff4f", raw, 48)
    at = 88
    note_rows = [struct.unpack_from("<IIf16s", raw, at + 28 * n) for n in range(notes)]
    at += 28 * notes
    passage_rows = [struct.unpack_from("<fII", raw, at + 12 * n) for n in range(passages)]
    at += 12 * passages
    scales = [row[2] for row in note_rows] + [row[0] for row in passage_rows]
    values = np.frombuffer(raw, np.int8, dimensions * (notes + passages), at)
    vectors = values.reshape(-1, dimensions) * np.array(scales, np.float32)[:, np.newaxis]
    at += len(values)
    text = raw[at + model : at + model + paths]
    end = at + model + paths
    if table:
        end += -end % 8
    assert end + table == len(raw)
    path_ends, passage_ends = [0, *(row[0] for row in note_rows)], [0, *(r[1] for r in note_rows)]
    return Read(
        model=raw[at : at + model].decode(),
        dimensions=dimensions,
        model_dimensions=model_dimensions,
        made=made,
        cosines=(scale, shift),
        rule=rule,
        paths=[text[path_ends[n] : path_ends[n + 1]].decode() for n in range(notes)],
        hashes=[row[3] for row in note_rows],
        passages_of=[range(passage_ends[n], passage_ends[n + 1]) for n in range(notes)],
        note_vectors=vectors[:notes].astype(np.float32),
        passage_vectors=vectors[notes:].astype(np.float32),
        lines=[(row[1], row[2]) for row in passage_rows],
        table=raw[end:],
    )
