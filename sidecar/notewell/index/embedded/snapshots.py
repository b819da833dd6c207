"""Snapshots: files of arrays that spare a rebuild at the next start.

Layout: 8 bytes magic, length and CRC-32 of the header (uint32 each), the header in msgpack, then
the arrays, each at a multiple of 64 bytes, memory-mapped on loading. A file whose format version,
database, generation or length does not match, or in which the disk has changed a byte of an array,
is discarded and made again.
"""

from __future__ import annotations

import logging
import os
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import numpy.typing as npt

from notewell.base.support import disk

FORMAT = 2
_MAGIC = b"nwsnaps1"
_PREFIX = struct.Struct("<8sII")
_ALIGN = 64
_BLOCK_WORDS = 512  # of 8 bytes
_SHARED_BLOCKS, _MOST_THREADS = 8192, 4  # 32 MiB are summed up in a thread at a time
_DTYPES = frozenset(
    {"uint8", "uint16", "uint32", "uint64", "int64", "float16", "float32", "float64"}
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The database, its generation, and the kind of data that a snapshot must match."""

    database: str
    generation: int
    content: str


def save_snapshot(path: Path, of: Fingerprint, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a snapshot: completely, or not at all.

    Raises:
        OSError: the disk refuses.

    """
    layout = []
    at = 0
    for name, array in arrays.items():
        layout.append((name, array.dtype.name, list(array.shape), at, checksum(array)))
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = msgpack.packb(
        [FORMAT, of.database, of.generation, of.content, layout, at], use_bin_type=True
    )
    temporary = path.with_name(path.name + ".new")
    try:
        with disk.open_private(temporary) as file:
            file.write(_PREFIX.pack(_MAGIC, len(header), zlib.crc32(header)))
            file.write(header)
            start = _align(_PREFIX.size + len(header))
            for (_, _, _, offset, _), array in zip(layout, arrays.values(), strict=True):
                file.seek(start + offset)
                np.ascontiguousarray(array).tofile(file)
            file.truncate(start + at)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def load_snapshot(path: Path, of: Fingerprint) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays of a snapshot, mapped read-only; None if none fits."""
    try:
        arrays = {
            name: _check(path, (dtype, tuple(shape), at), name, written)
            for name, dtype, shape, at, written in _layout(path, of)
        }
        return arrays or None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, struct.error) as error:
        logger.warning("The snapshot %s does not read (%s) and is made again.", path, error)
        return None


def is_saved(path: Path, of: Fingerprint) -> bool:
    """True if there is a snapshot that fits; its arrays are not read."""
    try:
        return bool(_layout(path, of))
    except (OSError, ValueError, TypeError, struct.error):
        return False


def _layout(path: Path, of: Fingerprint) -> list[tuple[str, str, list[int], int, int]]:
    """Name, type, shape, place in the file and checksum of each array; none: it does not fit."""
    with path.open("rb") as file:
        header, start = _read_header(file.read(_PREFIX.size), file.read)
    version, database, generation, content, layout, length = header
    made_of = (FORMAT, of.database, of.generation, of.content)
    if (version, database, generation, content) != made_of or path.stat().st_size != start + length:
        return []
    return [(name, dtype, shape, start + at, sum_) for name, dtype, shape, at, sum_ in layout]


def checksum(array: npt.NDArray[Any]) -> int:
    """A checksum of the bytes of an array: the CRC-32 of the sums of its blocks of 4 KiB.

    A sum of 64-bit words, modulo 2**64, differs for any one changed word; the CRC over the sums
    notices blocks that are exchanged or missing. Loading 100 MB took 30 ms with it, reading the
    pages included; a CRC of all bytes would take 46 ms more than the pages.
    """
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(content) // (8 * _BLOCK_WORDS) * (8 * _BLOCK_WORDS)
    sums = _sums(content[:whole].view(np.uint64).reshape(-1, _BLOCK_WORDS))
    return zlib.crc32(content[whole:].tobytes(), zlib.crc32(sums.tobytes()))


def _sums(blocks: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The sum of each block; several processors share a large array, such as a million vectors."""

    def summed(start: int) -> npt.NDArray[np.uint64]:
        sums: npt.NDArray[np.uint64] = blocks[start : start + _SHARED_BLOCKS].sum(
            axis=1, dtype=np.uint64
        )
        return sums

    if len(blocks) <= _SHARED_BLOCKS:
        return summed(0)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as threads:
        return np.concatenate(list(threads.map(summed, range(0, len(blocks), _SHARED_BLOCKS))))


def _check(
    path: Path, place: tuple[str, tuple[int, ...], int], name: str, written: object
) -> npt.NDArray[Any]:
    """The array at this place (type, shape, offset), mapped, if its checksum is the written one.

    It is summed up in a mapping of its own that is given back: else all its pages would count as
    memory of this process, and searches touch the smaller part of them.
    """
    if checksum(_map(path, *place)) != written:
        raise ValueError(f"its array {name!r} is damaged")
    return _map(path, *place)


def damaged_snapshots(directory: Path) -> tuple[Path, ...]:
    """The snapshots in an index's folder that cannot be read, of whatever generation."""
    return tuple(path for path in sorted(directory.glob("*.snapshot")) if _is_damaged(path))


def _is_damaged(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header, start = _read_header(file.read(_PREFIX.size), file.read)
        return bool(path.stat().st_size != start + header[-1])
    except OSError:
        return False
    except (ValueError, TypeError, LookupError, struct.error):
        return True


def _read_header(prefix: bytes, read: Any) -> tuple[list[Any], int]:
    magic, length, checksum = _PREFIX.unpack(prefix)
    packed = read(length)
    if magic != _MAGIC or zlib.crc32(packed) != checksum:
        raise ValueError("its header is damaged")
    return msgpack.unpackb(packed), _align(_PREFIX.size + length)


def _align(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _map(path: Path, dtype: str, shape: tuple[int, ...], at: int) -> npt.NDArray[Any]:
    if dtype not in _DTYPES:
        raise ValueError(f"its array type {dtype} is unknown")
    if not all(shape):
        return np.empty(shape, dtype=dtype)
    mapped = np.memmap(path, dtype=dtype, mode="r", offset=at, shape=shape)
    return mapped.view(np.ndarray)  # still mapped, without the subclass's cost on every slice
