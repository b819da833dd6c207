"""The files of an export: those of a folder, or of a zip file without unpacking it."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath

from notewell.base.errors import SourceError
from notewell.features.sources.pages import Unread

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_BYTES = 4 * 1024 * 1024 * 1024  # of all files of one export, unpacked
_MAX_FILES = 500_000
_PACKED = re.compile(r".*\.(?:zip|bear2bk)", re.IGNORECASE)
_DAMAGED = (zipfile.BadZipFile, zlib.error)
_LEFT_OUT = frozenset({"__MACOSX", "logseq", "node_modules"})


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file: its path within the export, and the time of its last change in milliseconds.

    `inner` is the path of the zip file within the zip file that it is in, "" mostly.
    """

    path: str
    edited: int
    size: int
    name: str  # as the folder or the zip file calls it
    inner: str = ""


class ExportFiles:
    """Lists and reads the files of one export."""

    def __init__(self, place: Path) -> None:
        """`place` is a folder or a zip file."""
        self._place = place

    def list(self) -> list[ExportFile]:
        """All files, sorted by path. Raises SourceError if the export cannot be read."""
        try:
            if self._place.is_dir():
                found = list(_in_folder(self._place))
            else:
                with zipfile.ZipFile(self._place) as packed:
                    found = list(_in_zip(packed))
        except (OSError, RuntimeError, EOFError, *_DAMAGED) as error:
            raise SourceError(f"{self._place} cannot be read: {error}") from error
        if len(found) > _MAX_FILES or sum(one.size for one in found) > MAX_BYTES:
            raise SourceError(
                f"{self._place} has more than {_MAX_FILES:,} files or {MAX_BYTES >> 30} GB."
                " Export fewer notes at once."
            )
        return sorted(found, key=lambda one: one.path)

    @contextmanager
    def opened(self) -> Iterator[OpenedFiles]:
        """The export, open to read."""
        if self._place.is_dir():
            yield OpenedFiles(self._place, None)
            return
        try:
            packed = zipfile.ZipFile(self._place)
        except (OSError, zipfile.BadZipFile) as error:
            raise SourceError(f"{self._place} cannot be read: {error}") from error
        with packed:
            yield OpenedFiles(self._place, packed)


class OpenedFiles:
    """Reads files; a zip file within the zip file is kept open, because its files follow."""

    def __init__(self, place: Path, packed: zipfile.ZipFile | None) -> None:
        """`packed` None: `place` is a folder."""
        self._place = place
        self._packed = packed
        self._inner: tuple[str, zipfile.ZipFile] | None = None

    def read(self, file: ExportFile, *, most: int = MAX_FILE_BYTES) -> bytes | Unread:
        """The content of a file of at most so many bytes, or why it cannot be read."""
        if file.size <= most:
            try:
                if self._packed is None:
                    content = (self._place / file.name).read_bytes()
                else:
                    with self._zip(file.inner).open(file.name) as stream:
                        content = stream.read(most + 1)
            except (OSError, RuntimeError, EOFError, ValueError, KeyError, *_DAMAGED) as error:
                return Unread(file.path, f"it cannot be read: {error}")
            if len(content) <= most:  # a zip file may state a size that is not true
                return content
        return Unread(file.path, f"it has more than {most >> 20} MB")

    def _zip(self, inner: str) -> zipfile.ZipFile:
        packed = self._packed
        if packed is None:
            raise FileNotFoundError(inner)  # a folder has no zip files that are looked into
        if not inner:
            return packed
        if self._inner is None or self._inner[0] != inner:
            self._inner = (inner, _inner_zip(packed, inner))
        return self._inner[1]


def _in_folder(place: Path) -> Iterator[ExportFile]:
    """The files below a folder. Links are not followed; hidden files are left out."""
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(one for one in folders if not _is_left_out(one))
        for name in names:
            file = Path(folder, name)
            if name.startswith(".") or file.is_symlink() or not file.is_file():
                continue
            stat = file.stat()
            inside = file.relative_to(place)
            yield ExportFile(
                inside.as_posix(), stat.st_mtime_ns // 1_000_000, stat.st_size, str(inside)
            )


def _in_zip(packed: zipfile.ZipFile, inner: str = "") -> Iterator[ExportFile]:
    for info in packed.infolist():
        path = _inside(info.filename)
        if info.is_dir() or path is None:
            continue
        if _PACKED.fullmatch(path) and not inner:
            if info.file_size <= MAX_BYTES // 4:  # it is read into memory
                yield from _in_zip(_inner_zip(packed, info.filename), info.filename)
            continue
        yield ExportFile(path, _time(info), info.file_size, info.filename, inner)


def _inner_zip(packed: zipfile.ZipFile, name: str) -> zipfile.ZipFile:
    with packed.open(name) as stream:
        return zipfile.ZipFile(BytesIO(stream.read(MAX_BYTES // 4)))


def _inside(name: str) -> str | None:
    """The path of a member; None where it leads out of the folder or nobody wants it."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return None
    hidden = any(part.startswith(".") or _is_left_out(part) for part in path.parts)
    return None if hidden else path.as_posix()


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT


def _time(info: zipfile.ZipInfo) -> int:
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
