"""Exports the vectors of an index to a pack, and imports those of a pack into an index."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import msgpack
import numpy as np
import orjson

from notewell.api.errors import NotFoundError, UsageError
from notewell.api.files import disk, open_plain
from notewell.api.types import FloatArray
from notewell.api.vault import ModelKey
from notewell.base.errors import PackError
from notewell.base.support.plain_tar import Member, TarForm
from notewell.base.types import IndexedModel, VectorPut
from notewell.index.arrays import is_unit
from notewell.index.port import Index

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
MAX_MANIFEST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Shard:
    """One member with vectors: its name, their number, and the SHA-256 of its bytes."""

    name: str
    vectors: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PackManifest:
    """The contents of `manifest.json`."""

    model: ModelKey
    dimensions: int
    shards: tuple[Shard, ...]

    @property
    def vectors(self) -> int:
        return sum(shard.vectors for shard in self.shards)


def to_json(manifest: PackManifest) -> bytes:
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


def from_json(content: bytes) -> PackManifest:
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
        manifest = PackManifest(
            ModelKey(
                _text(stored["model"]), _text(stored["weights_hash"]), _text(stored["quantisation"])
            ),
            _count(stored["dimensions"], MAX_DIMENSIONS),
            shards,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise damage_error(f"its {MANIFEST} cannot be read") from error
    if stored.get("vectors") != manifest.vectors:
        raise damage_error(f"the number of vectors in its {MANIFEST} is not that of its files")
    return manifest


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _count(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= most:
        raise ValueError(value)
    return value


def check_model(manifest: PackManifest, model: ModelKey, dimensions: int) -> None:
    """Raise PackError if the vectors come from another model."""
    if manifest.model != model:
        raise PackError(
            f"This pack contains vectors of {manifest.model}, but the vault is embedded with"
            f" {model}, and vectors of different models cannot be compared. Set `model.name` and"
            " `model.quantisation` to the same values on both machines, then export again.",
            code="pack_other_model",
        )
    if manifest.dimensions != dimensions:
        raise damage_error(
            f"its vectors have {manifest.dimensions} dimensions, those of {model} {dimensions}"
        )


def check_members(manifest: PackManifest, members: Mapping[str, Member]) -> None:
    """Raise PackError unless the files are those of the manifest and none is too large."""
    names = [shard.name for shard in manifest.shards]
    if sorted([*names, MANIFEST]) != sorted(members):
        raise damage_error("its files are not the ones that its manifest lists")
    # A pair is two short headers, the hash and the vector.
    pair = HASH_BYTES + 2 * manifest.dimensions + 8
    for shard in manifest.shards:
        if members[shard.name].size > shard.vectors * pair + 8:
            raise damage_error(f"{shard.name} is larger than the vectors it should contain")


def damage_error(what: str) -> PackError:
    """The error for a damaged pack; `what` completes the message."""
    return PackError(
        f"This pack is damaged: {what}. Nothing was imported; copy or export it again."
    )


@dataclass(frozen=True, slots=True)
class PackReport:
    """The vectors that an export wrote or an import read; `added` were not in the index."""

    model: str
    dimensions: int
    vectors: int
    added: int | None = None


# --- export -------------------------------------------------------------------------------------


def export_pack(index: Index, file: Path, *, overwrite: bool = False) -> PackReport:
    """Write the vectors of the index's current chunks. Memory use is that of one shard.

    Raises:
        NotFoundError: the index has no vectors.
        UsageError: the file exists and `overwrite` is false.
        PackError: the file cannot be written.

    """
    kept = index.current_model()
    if kept is None or not kept.vectors:
        raise NotFoundError(
            "This index has no vectors to export. Embed the vault first with `notewell index`; its"
            " model must be installed (see `notewell models list`)."
        )
    if file.exists() and not overwrite:
        raise UsageError(f"{file} exists already. Name another file, or replace it with --force.")
    try:
        with disk.replacing(file, durable=True) as stream:
            manifest = _write(index, kept, stream)
    except OSError as error:
        raise PackError(f"{file} cannot be written: {error}. Choose another place.") from error
    return PackReport(str(manifest.model), manifest.dimensions, manifest.vectors)


def _write(index: Index, kept: IndexedModel, stream: BinaryIO) -> PackManifest:
    shards: list[Shard] = []
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for number, pairs in enumerate(index.vectors_in_use(kept.key, SHARD)):
            name = f"vectors-{number:05}.msgpack"
            content = msgpack.packb(pairs)
            shards.append(Shard(name, len(pairs), hashlib.sha256(content).hexdigest()))
            _add(tar, name, content)
        manifest = PackManifest(kept.key, kept.dimensions, tuple(shards))
        _add(tar, MANIFEST, to_json(manifest))
    return manifest


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a member without user and time, so that equal vectors make equal packs."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, BytesIO(content))


# --- import -------------------------------------------------------------------------------------


def import_pack(index: Index, file: Path, *, model: ModelKey, dimensions: int) -> PackReport:
    """Store a pack's vectors, from then on used for the chunks that need them.

    The whole pack is checked before the first vector is stored. Existing vectors stay. Memory use
    is that of one shard.

    Raises:
        NotFoundError: the file does not exist.
        PackError: the file is not a pack, is damaged, or is for another model.

    """
    try:
        with open_plain(file) as stream:
            members = PACK.members(stream)
            manifest = from_json(PACK.read(stream, members[MANIFEST], most=MAX_MANIFEST_BYTES))
            check_model(manifest, model, dimensions)
            check_members(manifest, members)
            for shard in manifest.shards:
                _shard(PACK.read(stream, members[shard.name]), shard, dimensions)
            before = index.stored_vector_count(model)
            for shard in manifest.shards:
                puts = _shard(PACK.read(stream, members[shard.name]), shard, dimensions)
                index.store_vectors(model, puts)
            index.use_model(model, dimensions)
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {file}.") from error
    except OSError as error:
        raise PackError(f"{file} cannot be read: {error}.") from error
    added = index.stored_vector_count(model) - before
    return PackReport(str(model), dimensions, manifest.vectors, added)


def _shard(content: bytes, shard: Shard, dimensions: int) -> Sequence[VectorPut]:
    if hashlib.sha256(content).hexdigest() != shard.sha256:
        raise damage_error(f"{shard.name} does not match its checksum")
    puts = tuple(_pairs(content, shard, 2 * dimensions))
    if len({put.text_hash for put in puts}) != shard.vectors:
        raise damage_error(
            f"{shard.name} does not contain {shard.vectors} vectors of different texts"
        )
    matrix: FloatArray = np.array([put.vector for put in puts], dtype=np.float32)
    if not is_unit(matrix):
        raise damage_error(f"{shard.name} contains vectors that are not of unit length")
    return puts


def _pairs(content: bytes, shard: Shard, vector_bytes: int) -> Iterator[VectorPut]:
    try:
        pairs = msgpack.unpackb(
            content,
            max_array_len=max(shard.vectors, 2),
            max_bin_len=max(vector_bytes, HASH_BYTES),
            max_str_len=0,
            max_map_len=0,
            max_ext_len=0,
        )
        for text_hash, vector in pairs:
            if not _is_pair(text_hash, vector, vector_bytes):
                raise damage_error(f"{shard.name} contains something that is not a vector")
            numbers = np.frombuffer(vector, dtype="<f2").astype(np.float32)
            yield VectorPut(text_hash, numbers)
    except (msgpack.UnpackException, ValueError, TypeError) as error:
        raise damage_error(f"{shard.name} cannot be read") from error


def _is_pair(text_hash: object, vector: object, vector_bytes: int) -> bool:
    return (
        isinstance(text_hash, bytes)
        and isinstance(vector, bytes)
        and (len(text_hash), len(vector)) == (HASH_BYTES, vector_bytes)
    )
