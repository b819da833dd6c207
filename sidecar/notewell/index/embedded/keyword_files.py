"""Checks the files of a keyword index, which tantivy writes with checksums and reads without.

A file of tantivy ends in a footer: JSON with the CRC-32 of what is before it, the length of the
JSON (uint32, little-endian) and a magic number (uint32). A changed byte would otherwise be another
frequency or another document, and no error.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

from notewell.base.errors import IndexFailure

_END = struct.Struct("<II")
_MAGIC = 1337
_META = "meta.json"
_MOST_FOOTER = 4096  # bytes; it has some ninety
_LARGE = 8_000_000  # bytes of all files, which take ten milliseconds
_MOST_THREADS = 4


def check_files(folder: Path) -> None:
    """Check the checksums of all files that the last commit names; a folder without one is new.

    Raises:
        IndexFailure: one is damaged or missing, or cannot be read.

    """
    try:
        meta = json.loads((folder / _META).read_bytes())
        segments = {str(each["segment_id"]).replace("-", "") for each in meta["segments"]}
        files = [each for each in folder.iterdir() if each.name.partition(".")[0] in segments]
        damaged = _first_damaged(sorted(files))
        if damaged is not None:
            raise IndexFailure(f"The keyword index failed: {damaged.name} is damaged.")
    except FileNotFoundError:
        return
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise IndexFailure(f"The keyword index failed: {error}") from error


def _first_damaged(files: Sequence[Path]) -> Path | None:
    """The first file that is not whole; large ones are read by several processors at once."""
    if sum(file.stat().st_size for file in files) < _LARGE:
        return next((file for file in files if not _is_whole(file)), None)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as threads:
        whole = threads.map(_is_whole, files)
        return next((file for file, fine in zip(files, whole, strict=True) if not fine), None)


def _is_whole(file: Path) -> bool:
    size = file.stat().st_size
    if size < _END.size:
        return False
    with (
        file.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        length, magic = _END.unpack(mapped[-_END.size :])
        start = size - _END.size - length
        if magic != _MAGIC or length > _MOST_FOOTER or start < 0:
            return False
        footer = json.loads(mapped[start : size - _END.size])
        with memoryview(mapped) as view, view[:start] as content:
            return bool(crc32(content) == footer["crc"])
