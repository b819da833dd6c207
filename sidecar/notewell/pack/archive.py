"""The format of a pack: the members of a tar file, and the manifest among them.

A pack is an untrusted file, and the tar reader of the standard library supports extensions whose
headers alone can fill the memory, and links, devices and sparse files. A pack has only regular
files with known names, so this reads the headers of such files and refuses everything else.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from notewell.errors import PackError
from notewell.types import ModelKey

MANIFEST = "manifest.json"
MAX_MEMBERS = 100_000
_NAME = re.compile(r"manifest\.json|vectors-[0-9]{5}\.msgpack")
_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)
FORMAT = 1
# Vectors in one file of a pack, which are in memory at once and stored in one transaction.
SHARD = 2048
HASH_BYTES = 16
MAX_DIMENSIONS = 16_384


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the pack: the offset of its first byte, and its size in bytes."""

    name: str
    start: int
    size: int


def members(stream: BinaryIO) -> dict[str, Member]:
    """All members by name. Only headers are read.

    Raises PackError if the stream is not a tar file or has other members than a pack.
    """
    total = stream.seek(0, os.SEEK_END)
    at = 0
    found: dict[str, Member] = {}
    while True:
        stream.seek(at)
        block = stream.read(_BLOCK)
        if block == _END:
            break
        member = _member(block, at + _BLOCK)
        if member.start + member.size > total:
            raise PackError("This pack is cut off: it ends within a file. Copy it again.")
        if member.name in found or len(found) >= MAX_MEMBERS:
            raise PackError("This is no pack of Notewell: it holds a file twice, or too many.")
        found[member.name] = member
        at = member.start + -(-member.size // _BLOCK) * _BLOCK
    if MANIFEST not in found:
        raise PackError(f"This is no pack of Notewell: it has no {MANIFEST}.")
    return found


def _member(block: bytes, start: int) -> Member:
    try:
        info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
    except (tarfile.HeaderError, ValueError) as error:
        raise PackError(
            "This is no pack of Notewell, or it is cut off: it does not read as an uncompressed"
            " tar. Copy or export it again."
        ) from error
    plain = info.type in {tarfile.REGTYPE, tarfile.AREGTYPE}
    if not plain or info.size < 0 or _NAME.fullmatch(info.name) is None:
        raise PackError(
            f"This is no pack of Notewell: it holds {info.name[:100]!r}, which no pack has."
        )
    return Member(info.name, start, info.size)


def read_member(stream: BinaryIO, member: Member, *, most: int | None = None) -> bytes:
    """The bytes of a member; PackError if it has more than `most` bytes or is cut off."""
    if most is not None and member.size > most:
        raise PackError(f"This is no pack of Notewell: its {member.name} is too large.")
    stream.seek(member.start)
    content = stream.read(member.size)
    if len(content) != member.size:
        raise PackError("This pack is cut off: it ends within a file. Copy it again.")
    return content


@dataclass(frozen=True, slots=True)
class Shard:
    """One member with vectors: its name, their number, and the SHA-256 of its bytes."""

    name: str
    vectors: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`."""

    model: ModelKey
    dimensions: int
    shards: tuple[Shard, ...]

    @property
    def vectors(self) -> int:
        """The number of vectors in all shards."""
        return sum(shard.vectors for shard in self.shards)


def to_json(manifest: Manifest) -> bytes:
    """The manifest as JSON."""
    return orjson.dumps(
        {
            "format": FORMAT,
            "model": manifest.model.name,
            "weights_hash": manifest.model.weights_hash,
            "quantisation": manifest.model.quantisation,
            "dimensions": manifest.dimensions,
            "vectors": manifest.vectors,
            "files": [
                {"name": shard.name, "vectors": shard.vectors, "sha256": shard.sha256}
                for shard in manifest.shards
            ],
        },
        option=orjson.OPT_INDENT_2,
    )


def from_json(content: bytes) -> Manifest:
    """Read a manifest; PackError if it is damaged or has another format version."""
    try:
        stored = orjson.loads(content)
        if stored["format"] != FORMAT:
            raise PackError(
                f"This pack has format {stored['format']!r}, this version of Notewell reads"
                f" {FORMAT}. Update Notewell on both machines and export again.",
                code="pack_format",
            )
        shards = tuple(
            Shard(_text(item["name"]), _count(item["vectors"], SHARD), _text(item["sha256"]))
            for item in stored["files"]
        )
        manifest = Manifest(
            ModelKey(
                _text(stored["model"]), _text(stored["weights_hash"]), _text(stored["quantisation"])
            ),
            _count(stored["dimensions"], MAX_DIMENSIONS),
            shards,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(f"its {MANIFEST} does not read") from error
    if stored.get("vectors") != manifest.vectors:
        raise damaged(f"its {MANIFEST} counts other vectors than its files have")
    return manifest


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _count(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= most:
        raise ValueError(value)
    return value


def check_model(manifest: Manifest, model: ModelKey, dimensions: int) -> None:
    """Raise PackError if the vectors come from another model."""
    if manifest.model != model:
        raise PackError(
            f"This pack holds vectors of {manifest.model}, but the vault is embedded with {model},"
            " and vectors of different models cannot be compared. Set `model.name` and"
            " `model.quantisation` alike on both machines, then export again.",
            code="pack_other_model",
        )
    if manifest.dimensions != dimensions:
        raise damaged(
            f"its vectors have {manifest.dimensions} numbers where {model} gives {dimensions}"
        )


def check_members(manifest: Manifest, found: Mapping[str, Member]) -> None:
    """Raise PackError unless the files are those of the manifest and none is too large."""
    names = [shard.name for shard in manifest.shards]
    if sorted([*names, MANIFEST]) != sorted(found):
        raise damaged("its files are not those that its manifest names")
    # A pair is two short headers, the hash and the vector.
    pair = HASH_BYTES + 2 * manifest.dimensions + 8
    for shard in manifest.shards:
        if found[shard.name].size > shard.vectors * pair + 8:
            raise damaged(f"{shard.name} is larger than its vectors are")


def damaged(what: str) -> PackError:
    """The error for a damaged pack; `what` completes the message."""
    return PackError(f"This pack is damaged: {what}. Export or copy it again; nothing was kept.")
