"""Packs of vectors: any file is imported whole, or refused with nothing imported."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgpack
import numpy as np

from notewell.base.errors import PackError
from notewell.base.types import ModelKey
from notewell.features.packs.transfer import import_pack
from notewell.index.engines import open_index
from tests.fuzz.mutation import change_json, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target

MODEL = ModelKey("small", "ab" * 32, "int8")
DIMENSIONS = 8
PIECES = (
    b"manifest.json", b"vectors-00000.msgpack", b"vectors-00001.msgpack", b"ustar\x0000", b"\x00" * 512,
    b"../../etc/passwd", b"00000000000\x00", b"77777777777\x00", b"\x80" + b"\xff" * 11, b"5", b"x", b"g",
    b"\x90", b"\x92", b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xc4\x10", b"\x91" * 600,
    b"\xc0", b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", b"\xd6\xff\x00\x00\x00\x00", b"\x00\x7e", b"\x00\x7c",
    *odd_bytes(),
)  # fmt: skip


def _pairs(start: int, count: int) -> bytes:
    rng = np.random.default_rng(start)
    pairs = []
    for number in range(start, start + count):
        vector = rng.standard_normal(DIMENSIONS)
        unit = (vector / np.linalg.norm(vector)).astype("<f2")
        text_hash = hashlib.blake2b(b"%d" % number, digest_size=16).digest()
        pairs.append((text_hash, unit.tobytes()))
    packed: bytes = msgpack.packb(pairs)
    return packed


SHARDS = (_pairs(0, 6), _pairs(6, 3))
COUNTS = (6, 3)


def _tar(members: list[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def _manifest(shards: list[bytes]) -> dict[str, object]:
    files = [
        {
            "name": f"vectors-{number:05}.msgpack",
            "vectors": COUNTS[number],
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for number, content in enumerate(shards)
    ]
    return {
        "format": 1,
        "model": MODEL.name,
        "weights_hash": MODEL.weights_hash,
        "quantisation": MODEL.quantisation,
        "dimensions": DIMENSIONS,
        "vectors": sum(COUNTS[: len(shards)]),
        "files": files,
    }


def _pack(shards: list[bytes], manifest: bytes) -> bytes:
    names = [f"vectors-{number:05}.msgpack" for number in range(len(shards))]
    return _tar([*zip(names, shards, strict=True), ("manifest.json", manifest)])


def _whole() -> bytes:
    shards = list(SHARDS)
    return _pack(shards, json.dumps(_manifest(shards)).encode())


def _generator(_seed: int, _inputs: int) -> Generate:
    """Changes vectors under right checksums, the manifest, or the file around both."""
    whole = _whole()

    def generate(rng: random.Random) -> bytes:
        layer = rng.random()
        shards = list(SHARDS[: rng.randint(1, 2)])
        if layer < 0.4:
            at = rng.randrange(len(shards))
            shards[at] = mutate(rng, [shards[at]], PIECES)
            return _pack(shards, json.dumps(_manifest(shards)).encode())
        if layer < 0.7:
            manifest = json.dumps(change_json(rng, _manifest(shards)))
            raw = manifest.encode("utf-8", "surrogatepass")
            return _pack(shards, mutate(rng, [raw], PIECES) if rng.random() < 0.2 else raw)
        return mutate(rng, [whole], PIECES)

    return generate


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as folder:
        index = open_index(Path(folder, "index"), writable=True)
        index.use_model(MODEL, DIMENSIONS)
        file = Path(folder, "pack.tar")

        def check(data: bytes) -> None:
            file.write_bytes(data)
            before = index.stored_vector_count(MODEL)
            try:
                report = import_pack(index, file, model=MODEL, dimensions=DIMENSIONS)
            except PackError as error:
                if index.stored_vector_count(MODEL) != before:
                    raise FaultError("a refused pack was imported in part") from error
                return
            if index.stored_vector_count(MODEL) - before != report.added:
                raise FaultError(f"the report says {report.added} vectors were added")

        try:
            yield check
        finally:
            index.close()


PACKS = Target("packs", _opened, _generator)
