"""The format of a pack: the members of a tar file, and the manifest among them.

A pack is an untrusted file: it is read as `support.plain_tar` reads such files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from notewell.base.errors import PackError
from notewell.base.support.plain_tar import Member, TarForm
from notewell.base.types import ModelKey

MANIFEST = "manifest.json"
PACK = TarForm(
    what="pack",
    names=re.compile(r"manifest\.json|vectors-[0-9]{5}\.msgpack"),
    manifest=MANIFEST,
    max_members=100_000,
    error=PackError,
)
FORMAT = 1
# Vectors in one file of a pack, which are in memory at once and stored in one transaction.
SHARD = 2048
HASH_BYTES = 16
MAX_DIMENSIONS = 16_384


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
                f"This pack has format {stored['format']!r}, but this version of Notewell reads"
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
        raise damaged(f"its {MANIFEST} cannot be read") from error
    if stored.get("vectors") != manifest.vectors:
        raise damaged(f"the number of vectors in its {MANIFEST} is not that of its files")
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
            f"This pack contains vectors of {manifest.model}, but the vault is embedded with"
            f" {model}, and vectors of different models cannot be compared. Set `model.name` and"
            " `model.quantisation` to the same values on both machines, then export again.",
            code="pack_other_model",
        )
    if manifest.dimensions != dimensions:
        raise damaged(
            f"its vectors have {manifest.dimensions} dimensions, those of {model} {dimensions}"
        )


def check_members(manifest: Manifest, found: Mapping[str, Member]) -> None:
    """Raise PackError unless the files are those of the manifest and none is too large."""
    names = [shard.name for shard in manifest.shards]
    if sorted([*names, MANIFEST]) != sorted(found):
        raise damaged("its files are not the ones that its manifest lists")
    # A pair is two short headers, the hash and the vector.
    pair = HASH_BYTES + 2 * manifest.dimensions + 8
    for shard in manifest.shards:
        if found[shard.name].size > shard.vectors * pair + 8:
            raise damaged(f"{shard.name} is larger than the vectors it should contain")


def damaged(what: str) -> PackError:
    """The error for a damaged pack; `what` completes the message."""
    return PackError(
        f"This pack is damaged: {what}. Nothing was imported; copy or export it again."
    )
