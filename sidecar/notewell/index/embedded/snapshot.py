"""Files beside the database that spare a rebuild: a checked header, then arrays as they lie.

Layout: 8 bytes magic, length and CRC-32 of the header (uint32 each), the header in msgpack, then
the arrays, each at a multiple of 64 bytes, memory-mapped on loading. A file whose format version,
database, generation or length does not fit is not loaded; nobody repairs it, it is made again.
"""

from __future__ import annotations

import logging
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import numpy.typing as npt

from notewell.index.embedded import reads
from notewell.index.embedded.store import Store

FORMAT = 1
_MAGIC = b"nwsnaps1"
_PREFIX = struct.Struct("<8sII")
_ALIGN = 64
_DTYPES = frozenset(
    {"uint8", "uint16", "uint32", "uint64", "int64", "float16", "float32", "float64"}
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a snapshot must agree with: the database, its generation, and whose data it is."""

    database: str
    generation: int
    content: str


def save(path: Path, of: Fingerprint, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a snapshot: completely, or not at all.

    Raises:
        OSError: the disk refuses.

    """
    layout = []
    at = 0
    for name, array in arrays.items():
        layout.append((name, array.dtype.name, list(array.shape), at))
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    header = msgpack.packb(
        [FORMAT, of.database, of.generation, of.content, layout, at], use_bin_type=True
    )
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("wb") as file:
            file.write(_PREFIX.pack(_MAGIC, len(header), zlib.crc32(header)))
            file.write(header)
            start = _aligned(_PREFIX.size + len(header))
            for (_, _, _, offset), array in zip(layout, arrays.values(), strict=True):
                file.seek(start + offset)
                np.ascontiguousarray(array).tofile(file)
            file.truncate(start + at)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def load(path: Path, of: Fingerprint) -> dict[str, npt.NDArray[Any]] | None:
    """The arrays of a snapshot, mapped read-only; None: there is none that fits."""
    try:
        with path.open("rb") as file:
            header, start = _read_header(file.read(_PREFIX.size), file.read)
        size = path.stat().st_size
        version, database, generation, content, layout, length = header
        fits = (version, database, generation, content) == (
            FORMAT,
            of.database,
            of.generation,
            of.content,
        )
        if not fits or size != start + length:
            return None
        return {
            name: _mapped(path, dtype, tuple(shape), start + at)
            for name, dtype, shape, at in layout
        }
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, struct.error) as error:
        logger.warning("The snapshot %s does not read (%s) and is made again.", path, error)
        return None


def _read_header(prefix: bytes, read: Any) -> tuple[list[Any], int]:
    magic, length, checksum = _PREFIX.unpack(prefix)
    packed = read(length)
    if magic != _MAGIC or zlib.crc32(packed) != checksum:
        raise ValueError("its header is damaged")
    return msgpack.unpackb(packed), _aligned(_PREFIX.size + length)


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _mapped(path: Path, dtype: str, shape: tuple[int, ...], at: int) -> npt.NDArray[Any]:
    if dtype not in _DTYPES:
        raise ValueError(f"its array type {dtype} is unknown")
    if not all(shape):
        return np.empty(shape, dtype=dtype)
    mapped = np.memmap(path, dtype=dtype, mode="r", offset=at, shape=shape)
    return mapped.view(np.ndarray)  # still mapped, without the subclass's cost on every slice


class SnapshotCache:
    """Keeps `ArrayCache` of the port: arrays of other rooms as snapshots in the index's folder.

    `content` names what they are made of and how; arrays of another content are not loaded.
    """

    def __init__(self, store: Store) -> None:
        """Nothing is read yet."""
        self._store = store

    def load(self, name: str, content: str) -> Mapping[str, npt.NDArray[Any]] | None:
        """The arrays last kept of this name for this database, mapped; None: there are none."""
        return load(self._store.directory / f"{name}.snapshot", self._made_of(content))

    def save(self, name: str, content: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep arrays, if this is the writer; where the disk refuses, the next start makes them."""
        if not self._store.writable or self._store.closed:
            return
        try:
            save(self._store.directory / f"{name}.snapshot", self._made_of(content), arrays)
        except OSError as error:
            logger.warning("%s was not saved (%s); the next start takes longer.", name, error)

    def _made_of(self, content: str) -> Fingerprint:
        return Fingerprint(reads.generations(self._store)[0], 0, content)
