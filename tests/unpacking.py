"""Unpacks an archive of the tests' data."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, target: Path) -> None:
    """Write an archive's files below `target`, none of them outside of it.

    Python before 3.11.4 has no such filter; the archives are our own.
    """
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extractall(target, filter="data")
        else:
            packed.extractall(target)
