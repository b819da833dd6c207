"""The shown text of a passage as the index stores it: worked out once, when its note is written.

A record is little-endian. First the CRC-32 of all that follows, that of the names that are left out
of the text, the version of the rules, whether the text is the passage itself, whether rows of a
template can be taken out of it, and the numbers of rows of the passage, of parts of the text and of
walls. Then, as uint32: the hash of each row of the passage, 0 where it is shown even if many notes
have it; of all parts where they begin and end in the text, where they begin and end in the passage,
and their rows (times two, plus one where a part stands alone); the walls. Last the text, unless it
is the passage.

Which rows are a template's depends on the other notes and changes with them: those are taken out
when the text is read.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from notewell.index.shown_text import (
    ShownPart,
    ShownText,
    is_plain_row,
    join_parts,
    rows_stand_apart,
    shown_parts,
)
from notewell.index.template_lines import hash_of_line

_RULES = 1  # raised with every change of how a passage is shown, so that older texts are not used
_HEAD = struct.Struct("<IIB??xIII")
_SUM = struct.Struct("<I")


def pack_shown(passage: str, names: Sequence[str], lines: Sequence[int]) -> bytes:
    """The record of a passage; `names` and `lines` as for `shown_text`."""
    parts, _ = shown_parts(passage, names, lines, ())
    shown = join_parts(parts, is_whole=True)
    begins = [begin for begin, _, _ in shown.rows]
    hashes = [hash_of_line(row) for row in passage.split("\n")]
    is_plain = is_plain_row(passage)
    for part in parts:
        is_item = part.stands_alone and not part.of_table
        if is_item or is_plain:
            hashes[part.row] = 0
    numbers = [
        *hashes,
        *begins,
        *[begin + len(part.text) for begin, part in zip(begins, parts, strict=True)],
        *[part.source for part in parts],
        *[part.end for part in parts],
        *[2 * part.row + part.stands_alone for part in parts],
        *shown.walls,
    ]
    is_passage = shown.text == passage
    packed = _HEAD.pack(
        0,
        _sum_of(names),
        _RULES,
        is_passage,
        rows_stand_apart(passage),
        len(hashes),
        len(parts),
        len(shown.walls),
    )
    packed += np.array(numbers, "<u4").tobytes()
    packed += b"" if is_passage else shown.text.encode()
    return _SUM.pack(crc32(packed[_SUM.size :])) + packed[_SUM.size :]


def unpack_shown(
    packed: bytes, passage: str, names: Sequence[str], template: frozenset[int]
) -> ShownText | None:
    """The shown text of a record, without rows of the template.

    None if it must be worked out anew: for other names than the record's, a template whose rows
    name others, a record by other rules, or one that the disk has changed.
    """
    if not _is_sound(packed):
        return None
    _, named, rules, is_passage, stand_apart, rows, parts, walls = _HEAD.unpack_from(packed)
    if rules != _RULES or named != _sum_of(names):
        return None
    count = rows + 5 * parts + walls
    numbers = np.frombuffer(packed, "<u4", count, _HEAD.size).tolist()
    text = passage if is_passage else packed[_HEAD.size + 4 * count :].decode()
    hashes = numbers[:rows]
    begins, stops, sources, ends, places = [
        numbers[rows + n * parts : rows + (n + 1) * parts] for n in range(5)
    ]
    if template.isdisjoint(hashes):
        told = tuple(zip(begins, sources, ends, strict=True))
        return ShownText(text, told, tuple(numbers[count - walls :]))
    if not stand_apart:
        return None
    kept = [
        ShownPart(text[begin:stop], place >> 1, source, end, stands_alone=bool(place & 1))
        for begin, stop, source, end, place in zip(
            begins, stops, sources, ends, places, strict=True
        )
        if hashes[place >> 1] not in template
    ]
    return join_parts(kept, is_whole=False)


def _is_sound(packed: object) -> bool:
    """Tell whether a record is what was written; a disk may also have changed its type."""
    if not isinstance(packed, bytes) or len(packed) < _HEAD.size:
        return False
    return bool(crc32(memoryview(packed)[_SUM.size :]) == _SUM.unpack_from(packed)[0])


def _sum_of(names: Sequence[str]) -> int:
    return crc32("\n".join(names).encode("utf-8", "surrogatepass"))
