"""The folder of an index: its writer's lock, its deletion, and snapshots that spare a rebuild.

Layout of a snapshot: 8 bytes magic, length and CRC-32 of the header (uint32 each), the header in
msgpack, then the arrays, each at a multiple of 64 bytes, memory-mapped on loading. A file whose
format version, database, generation or length does not match is discarded and made again.

The operating system frees the lock when the process ends. The folder may be one that a person
chose, and hold other things, even notes: only files of an index are deleted.
"""

from __future__ import annotations

import logging
import os
import shutil
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock
import msgpack
import numpy as np
import numpy.typing as npt

from notewell import querylog
from notewell.errors import IndexFailure, IndexInUseError
from notewell.index.embedded import reads
from notewell.index.embedded.postings import FOLDER
from notewell.index.embedded.store import DATABASE, Store

FORMAT = 1
LOCK = "lock"
SERVER_FILE = "server.json"  # a server leaves it where an index is to be
_FILES = (f"{DATABASE}*", "*.snapshot", "damaged", SERVER_FILE)
_MAGIC = b"nwsnaps1"
_PREFIX = struct.Struct("<8sII")
_ALIGN = 64
_DTYPES = frozenset(
    {"uint8", "uint16", "uint32", "uint64", "int64", "float16", "float32", "float64"}
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a snapshot must match: the database, its generation, and the kind of its data."""

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


def load_snapshot(path: Path, of: Fingerprint) -> dict[str, npt.NDArray[Any]] | None:
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
    """Implements `ArrayCache` of the port: arrays as snapshots in the index's folder.

    `content` names what they are made of and how; arrays of another content are not loaded.
    """

    def __init__(self, store: Store) -> None:
        """Nothing is read yet."""
        self._store = store

    def load(self, name: str, content: str) -> Mapping[str, npt.NDArray[Any]] | None:
        """The arrays last saved under this name for this database, mapped; None: there are none."""
        return load_snapshot(self._store.directory / f"{name}.snapshot", self._made_of(content))

    def save(self, name: str, content: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep arrays, if this is the writer; where the disk refuses, the next start makes them."""
        if not self._store.writable or self._store.closed:
            return
        try:
            save_snapshot(
                self._store.directory / f"{name}.snapshot", self._made_of(content), arrays
            )
        except OSError as error:
            logger.warning("%s was not saved (%s); the next start takes longer.", name, error)

    def _made_of(self, content: str) -> Fingerprint:
        return Fingerprint(reads.generations(self._store)[0], 0, content)


def hold(directory: Path) -> filelock.BaseFileLock:
    """Hold the writer's lock of the index in a folder, which is made where it is missing.

    Raises:
        IndexInUseError: another process, or another index object in this one, holds it.
        IndexFailure: the folder cannot be written, or holds what is no index.

    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _check_ours(directory)
        # Who closes an index may be another thread than who opened it.
        lock = filelock.FileLock(directory / LOCK, thread_local=False)
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise IndexInUseError(
            f"Another process writes the index in {directory}. Use that one, or stop it first."
        ) from error
    except OSError as error:
        raise IndexFailure(
            f"The index folder {directory} cannot be written ({error}). Check its permissions, or"
            " choose another with --data-dir.",
            code="index_not_writable",
        ) from error
    return lock


def _check_ours(directory: Path) -> None:
    """Refuse a folder used for other things, because an index replaces existing files."""
    # The query log may have been here before the index: it stays when index_dir is set and unset.
    ours = (".", querylog.NAME)
    names = {entry.name for entry in directory.iterdir() if not entry.name.startswith(ours)}
    if names - {SERVER_FILE} and not names & {LOCK, DATABASE}:
        raise IndexFailure(
            f"{directory} is to hold an index, but has other files in it. Name a folder of its own"
            " for the index (setting index_dir, or --data-dir).",
            code="not_an_index",
        )


def delete_index(directory: Path) -> None:
    """Delete an index that nobody uses; the folder too, if nothing else is in it.

    Raises:
        IndexInUseError: somebody writes it.
        IndexFailure: the disk refuses.

    """
    if not (directory / LOCK).exists():
        return
    lock = hold(directory)
    try:
        for pattern in _FILES:
            for file in directory.glob(pattern):
                file.unlink(missing_ok=True)
        keywords = directory / FOLDER
        # Where there is no such file, it is a person's folder of the same name.
        if (keywords / "meta.json").exists():
            shutil.rmtree(keywords, ignore_errors=True)
    finally:
        lock.release()
    (directory / LOCK).unlink(missing_ok=True)
    with suppress(OSError):
        directory.rmdir()
