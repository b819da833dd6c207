"""Packs: vectors are moved from one index to another, and nothing else is imported."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b, sha256
from pathlib import Path

import msgpack
import numpy as np
import orjson
import pytest

from notewell.base.errors import NotFoundError, PackError, UsageError
from notewell.base.types import Batch, Chunk, ModelKey, Note, NotePut, VectorPut
from notewell.features.packs.transfer import export_pack, import_pack
from notewell.index.embedded import EmbeddedIndex

MODEL = ModelKey("small", "ab" * 32, "int8")
DIMENSIONS = 8
TEXTS = tuple(f"passage number {number}" for number in range(30))

Members = dict[str, bytes]


def text_hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def vector(text: str) -> np.ndarray:
    seed = int.from_bytes(text_hash(text)[:4], "big")
    numbers = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return numbers / np.linalg.norm(numbers)


def put(path: str, texts: tuple[str, ...]) -> NotePut:
    note = Note(path, path, (), (), {}, None, None, 1.0, (), (), ())
    chunks = tuple(
        Chunk(number, (), None, None, 0, len(text), text, (1,), "", text_hash(text))
        for number, text in enumerate(texts)
    )
    return NotePut(note, chunks, 10, 10, text_hash(path))


@contextmanager
def opened(folder: Path, texts: tuple[str, ...] = TEXTS) -> Iterator[EmbeddedIndex]:
    index = EmbeddedIndex.open(folder, writable=True)
    try:
        index.use_model(MODEL, DIMENSIONS)
        if texts:
            index.apply(Batch(puts=(put("Secret note.md", texts),), model=MODEL))
        yield index
    finally:
        index.close()


def embed(index: EmbeddedIndex, texts: tuple[str, ...] = TEXTS) -> None:
    index.store_vectors(MODEL, [VectorPut(text_hash(text), vector(text)) for text in texts])


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "vault.tar"
    with opened(tmp_path / "from") as index:
        embed(index)
        report = export_pack(index, file)
    assert report.vectors == len(TEXTS)
    return file


def load(index: EmbeddedIndex, file: Path) -> int | None:
    return import_pack(index, file, model=MODEL, dimensions=DIMENSIONS).added


def test_an_import_supplies_vectors_for_waiting_passages(packed: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "to") as index:
        assert index.pending_count(MODEL) == len(TEXTS)

        assert load(index, packed) == len(TEXTS)

        assert index.pending_count(MODEL) == 0
        assert index.counts().vectors == len(TEXTS)
        found = index.vectors.search(vector(TEXTS[3]), limit=1)
        [chunk] = index.chunks([int(found.chunk_ids[0])]).values()
        assert chunk.text == TEXTS[3]
        assert index.counts().ledger["indexed"] == 1


def test_vectors_can_be_imported_before_the_notes_are_indexed(packed: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "to", ()) as index:
        load(index, packed)
        applied = index.apply(Batch(puts=(put("Elsewhere.md", TEXTS),), model=MODEL))

        assert applied.reused == len(TEXTS)
        assert index.pending_count(MODEL) == 0


def test_existing_vectors_are_kept(packed: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "to") as index:
        kept = vector("something else")
        index.store_vectors(MODEL, [VectorPut(text_hash(TEXTS[0]), kept)])

        assert load(index, packed) == len(TEXTS) - 1
        assert load(index, packed) == 0

        answering = dict(pair for batch in index.vectors_in_use(MODEL, 7) for pair in batch)
        assert len(answering) == len(TEXTS)
        assert answering[text_hash(TEXTS[0])] == kept.astype(np.float16).tobytes()


def test_a_pack_contains_no_text_and_no_path(packed: Path) -> None:
    content = packed.read_bytes()
    assert b"Secret" not in content
    assert b"passage" not in content
    with tarfile.open(packed) as tar:
        assert {(info.uid, info.gid, info.uname, info.mtime) for info in tar} == {(0, 0, "", 0)}


def test_vectors_of_deleted_texts_are_not_exported(tmp_path: Path) -> None:
    with opened(tmp_path / "from", TEXTS[:3]) as index:
        embed(index)
        assert export_pack(index, tmp_path / "few.tar").vectors == 3
    assert msgpack_pairs(members(tmp_path / "few.tar")) == {text_hash(t) for t in TEXTS[:3]}


def test_equal_vectors_make_equal_packs(packed: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "to") as index:
        load(index, packed)
        export_pack(index, tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == packed.read_bytes()


def test_an_existing_file_is_not_replaced_without_force(packed: Path, tmp_path: Path) -> None:
    before = packed.read_bytes()
    with opened(tmp_path / "from") as index:
        with pytest.raises(UsageError, match="exists already"):
            export_pack(index, packed)
        assert packed.read_bytes() == before
        export_pack(index, packed, overwrite=True)


def test_an_index_without_vectors_cannot_be_exported(tmp_path: Path) -> None:
    with opened(tmp_path / "from") as index, pytest.raises(NotFoundError, match="no vectors"):
        export_pack(index, tmp_path / "empty.tar")
    assert not (tmp_path / "empty.tar").exists()


# --- what is refused ----------------------------------------------------------------------------


def members(file: Path) -> Members:
    with tarfile.open(file) as tar:
        return {info.name: extracted(tar, info) for info in tar}


def extracted(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stream = tar.extractfile(info)
    assert stream is not None
    return stream.read()


def msgpack_pairs(content: Members) -> set[bytes]:
    shards = [msgpack.unpackb(data) for name, data in content.items() if name != "manifest.json"]
    return {found for shard in shards for found, _ in shard}


def written(file: Path, content: Members) -> Path:
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file


def with_shard(content: Members, pairs: object, **manifest: object) -> Members:
    """The pack with other vectors, checksum and count as they should be."""
    shard = msgpack.packb(pairs)
    stored = orjson.loads(content["manifest.json"])
    stored["files"][0]["sha256"] = sha256(shard).hexdigest()
    stored |= manifest
    return {"vectors-00000.msgpack": shard, "manifest.json": orjson.dumps(stored)}


def with_manifest(content: Members, **manifest: object) -> Members:
    stored = orjson.loads(content["manifest.json"]) | manifest
    return {**content, "manifest.json": orjson.dumps(stored)}


def spoilt_pairs(content: Members, spoil: Callable[[list[object]], object]) -> Members:
    pairs = msgpack.unpackb(content["vectors-00000.msgpack"])
    return with_shard(content, spoil(pairs))


def half(numbers: np.ndarray) -> bytes:
    return numbers.astype(np.float16).tobytes()


NAN = half(np.full(DIMENSIONS, np.nan))
HOSTILE: dict[str, Callable[[Members], Members]] = {
    "path traversal": lambda c: {**c, "../../.bashrc": b"x"},
    "absolute name": lambda c: {**c, "/etc/passwd": b"x"},
    "a further file": lambda c: {**c, "vectors-00009.msgpack": b"x"},
    "a missing file": lambda c: {"manifest.json": c["manifest.json"]},
    "no manifest": lambda c: {"vectors-00000.msgpack": c["vectors-00000.msgpack"]},
    "a flipped byte": lambda c: {
        **c,
        "vectors-00000.msgpack": c["vectors-00000.msgpack"][:-1] + b"x",
    },
    "manifest of nonsense": lambda c: {**c, "manifest.json": b"[" * 100_000},
    "manifest is no object": lambda c: {**c, "manifest.json": b"[]"},
    "huge dimensions": lambda c: with_manifest(c, dimensions=10**12),
    "other dimensions": lambda c: with_manifest(c, dimensions=DIMENSIONS * 2),
    "negative count": lambda c: with_manifest(
        c, files=[{"name": "x", "vectors": -1, "sha256": ""}]
    ),
    "no model": lambda c: with_manifest(c, model=None),
    "wrong total": lambda c: with_manifest(c, vectors=1),
    "not finite": lambda c: spoilt_pairs(c, lambda p: [[p[0][0], NAN], *p[1:]]),
    "not unit": lambda c: spoilt_pairs(c, lambda p: [[p[0][0], half(np.ones(DIMENSIONS))], *p[1:]]),
    "short vector": lambda c: spoilt_pairs(c, lambda p: [[p[0][0], b"xy"], *p[1:]]),
    "twice the same": lambda c: spoilt_pairs(c, lambda p: [p[1], *p[1:]]),
    "no pairs": lambda c: spoilt_pairs(c, lambda p: [1] * len(p)),
    "text in it": lambda c: spoilt_pairs(c, lambda p: [["a note's text", p[0][1]], *p[1:]]),
    "a bomb of lists": lambda c: spoilt_pairs(c, lambda p: [[[]] * 10_000]),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_damaged_pack_is_refused_as_a_whole(kind: str, packed: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "hostile.tar", HOSTILE[kind](members(packed)))
    with opened(tmp_path / "to") as index:
        with pytest.raises(PackError):
            load(index, file)
        assert index.stored_vector_count(MODEL) == 0


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_truncated_pack_is_refused(share: float, packed: Path, tmp_path: Path) -> None:
    content = packed.read_bytes()
    end = content.rindex(b"manifest.json") + 100
    packed.write_bytes(content[: int(end * share)])
    with opened(tmp_path / "to") as index, pytest.raises(PackError):
        load(index, packed)


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.XHDTYPE,
        tarfile.GNUTYPE_SPARSE,
        tarfile.DIRTYPE,
    ],
)
def test_a_pack_with_other_than_regular_files_is_refused(
    kind: bytes, packed: Path, tmp_path: Path
) -> None:
    info = tarfile.TarInfo("vectors-00001.msgpack")
    info.type, info.linkname = kind, "manifest.json"
    packed.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) + packed.read_bytes())
    with opened(tmp_path / "to") as index, pytest.raises(PackError):
        load(index, packed)


def test_declared_sizes_beyond_the_file_are_refused(packed: Path, tmp_path: Path) -> None:
    info = tarfile.TarInfo("manifest.json")
    info.size = 8**11 - 1
    packed.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) + packed.read_bytes())
    with opened(tmp_path / "to") as index, pytest.raises(PackError, match="incomplete"):
        load(index, packed)


@pytest.mark.parametrize("content", [b"", b"text" * 1000, b"\x1f\x8b" + bytes(2000), bytes(4096)])
def test_a_file_that_is_not_a_tar_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with opened(tmp_path / "to") as index, pytest.raises(PackError, match="not a Notewell pack"):
        load(index, tmp_path / "file")


def test_vectors_of_another_model_are_refused_with_both_names(packed: Path, tmp_path: Path) -> None:
    other = replace(MODEL, quantisation="fp32")
    with opened(tmp_path / "to") as index:
        with pytest.raises(PackError, match=r"small/abababababab/int8.*small/abababababab/fp32"):
            import_pack(index, packed, model=other, dimensions=DIMENSIONS)
        assert index.stored_vector_count(MODEL) == index.stored_vector_count(other) == 0


def test_the_error_about_a_newer_format_says_to_update(packed: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "later.tar", with_manifest(members(packed), format=2))
    with opened(tmp_path / "to") as index, pytest.raises(PackError, match="Update Notewell"):
        load(index, file)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with opened(tmp_path / "to") as index, pytest.raises(NotFoundError):
        load(index, tmp_path / "absent.tar")


def test_many_shards_are_exported_and_imported(tmp_path: Path) -> None:
    texts = tuple(f"passage {number}" for number in range(5000))
    with opened(tmp_path / "from", texts) as index:
        embed(index, texts)
        export_pack(index, tmp_path / "large.tar")
    assert len(members(tmp_path / "large.tar")) == 4
    with opened(tmp_path / "to", texts) as index:
        assert load(index, tmp_path / "large.tar") == len(texts)
        assert index.pending_count(MODEL) == 0
