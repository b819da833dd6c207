"""Archives that depend on their contents alone, and files of their checksums.

Names are sorted; owners, and times other than one given moment, are left out.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECKSUMS = "SHA256SUMS"
_FIRST_ZIP_TIME = 315532800  # 1980-01-01, before which a zip has no dates


def source_moment() -> int:
    """Return SOURCE_DATE_EPOCH, else the time of the last commit, in seconds since 1970.

    Raises CalledProcessError outside a repository.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def pack_tar(folder: Path, archive: Path, moment: int) -> None:
    """Pack a folder with its name as the first part of every path, as .tar.gz."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        entry.mode = 0o755 if entry.isdir() or entry.mode & stat.S_IXUSR else 0o644
        return entry

    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=moment) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in _sorted(folder):
            name = path.relative_to(folder.parent).as_posix()
            tar.add(path, name, recursive=False, filter=plain)


def pack_zip(folder: Path, archive: Path, moment: int, *, named: bool = True) -> None:
    """Pack a folder as .zip; `named`: with its name as the first part of every path."""
    date = time.gmtime(max(moment, _FIRST_ZIP_TIME))[:6]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in _sorted(folder):
            if path.is_file():
                name = path.relative_to(folder.parent if named else folder).as_posix()
                entry = zipfile.ZipInfo(name, date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, path.read_bytes())


def write_checksums(folder: Path) -> Path:
    """Write the SHA-256 of every file of a folder in the form of sha256sum; returns the file."""
    sums = folder / CHECKSUMS
    files = sorted(path for path in folder.iterdir() if path.is_file() and path != sums)
    lines = [f"{sha256(path)}  {path.name}\n" for path in files]
    sums.write_text("".join(lines), encoding="utf-8", newline="\n")
    return sums


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sorted(folder: Path) -> Iterator[Path]:
    yield folder
    yield from sorted(folder.rglob("*"), key=lambda path: path.as_posix())
