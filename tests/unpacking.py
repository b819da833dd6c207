"""Unpacks archives of the tests' data."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def unpack(archive: Path, target: Path) -> None:
    """Write an archive's files below `target`, none of them outside of it.

    Python before 3.11.4 has no such filter; the archives are our own.
    """
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extractall(target, filter="data")
        else:
            packed.extractall(target)


def unpacked(archive: str, work: Path, data: Path | None = None) -> Path | None:
    """The folder in an archive of `data` (else the shared data); None where there is no archive."""
    folder = data or Path(os.environ.get("NOTEWELL_TEST_DATA") or SHARED)
    packed = folder / f"{archive}.tar.gz"
    if not packed.is_file():
        return None
    target = work / archive
    unpack(packed, target)
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 else target
