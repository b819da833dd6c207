"""Stores the SHA-256 of a model's files, so that 90 MB need not be read at every start.

A manifest lists the files of one model folder with hash, size and modification time. A file whose
size and time are unchanged is assumed to have the stored hash; others are read again. If the
catalogue has no hash of a file, the first one that is computed has to stay the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from notewell.base.support import disk
from notewell.base.types.frozen import frozen

_FORMAT = 1


@frozen
class Fingerprint:
    """Identifies the content of a file. `sha256` is hexadecimal."""

    sha256: str
    size: int
    mtime_ns: int


def fingerprints(
    folder: Path, names: Iterable[str], known: Mapping[str, Fingerprint]
) -> dict[str, Fingerprint]:
    """Fingerprints of the named files. Only files that differ from `known` are read.

    Raises OSError if a file is missing or cannot be read.
    """
    found = {}
    for name in names:
        status = (folder / name).stat()
        stored = known.get(name)
        if stored and (stored.size, stored.mtime_ns) == (
            status.st_size,
            status.st_mtime_ns,
        ):
            found[name] = stored
        else:
            found[name] = Fingerprint(
                file_sha256(folder / name), status.st_size, status.st_mtime_ns
            )
    return found


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_manifest(path: Path) -> dict[str, Fingerprint]:
    """The stored fingerprints by file name; empty if there is no valid manifest."""
    try:
        raw = json.loads(path.read_bytes())
        if raw["format"] != _FORMAT:
            return {}
        return {
            str(name): Fingerprint(str(entry["sha256"]), int(entry["size"]), int(entry["mtime_ns"]))
            for name, entry in raw["files"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def manifest_source(path: Path) -> str:
    """The source of the files according to the manifest; "" if it has none."""
    try:
        return str(json.loads(path.read_bytes())["source"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def save_manifest(path: Path, source: str, files: Mapping[str, Fingerprint]) -> None:
    """Write the manifest atomically. `source` says where the files came from, for people."""
    entries = {name: asdict(fingerprint) for name, fingerprint in files.items()}
    document = {"format": _FORMAT, "source": source, "files": entries}
    disk.replace(path, json.dumps(document, indent=2).encode(), mode=disk.SHARED)
