"""Finds the data: unpacked in a folder, or as an archive that is unpacked once."""

from __future__ import annotations

import hashlib
import os
import tarfile
from pathlib import Path


def locate(data: Path, archive: str, folder: str, work: Path) -> Path | None:
    """The unpacked folder, in the data folder itself or unpacked from its archive to `work`."""
    if (data / folder).is_dir():
        return data / folder
    packed = data / f"{archive}.tar.gz"
    if not packed.is_file():
        return None
    with packed.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    target = work / "sets" / f"{archive}-{digest}"
    if not target.is_dir():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        with tarfile.open(packed) as tar:
            tar.extractall(unfinished, filter="data")
        unfinished.rename(target)
    return target / folder
