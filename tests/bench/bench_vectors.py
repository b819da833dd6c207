"""Vector search for the nearest 100, compared with an exact float32 product, with recall.

    python tests/bench/bench_vectors.py --json FILE [--quick]

Like embeddings, the vectors lie in overlapping clusters and are not centred; a query is a vector
with noise, at a cosine of about 0.7.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from figures import Figure, Times, options, write

from notewell.base.types import FloatArray, IdArray
from notewell.index.embedded import snapshots
from notewell.index.embedded.snapshots import Fingerprint
from notewell.index.embedded.vectors import Vectors

SIZES, QUICK_SIZES = (10_000, 100_000), (10_000, 30_000)
DIMENSIONS, CLUSTERS = 384, 1000
QUERIES, TOP, RECALL_TOP = 100, 100, 10
NOTE_CHUNKS = 4


def main() -> None:
    """Measure every size and write the figures."""
    chosen = options(__doc__.partition("\n")[0])
    rows, details = [], {}
    for size in QUICK_SIZES if chosen.quick else SIZES:
        figure, detail = _measured(size)
        rows.append(figure)
        details[str(size)] = detail
    write(chosen.json, rows, details)


def _measured(size: int) -> tuple[Figure, dict[str, object]]:
    matrix, asked = _material(size)
    began = time.perf_counter()
    vectors = Vectors(DIMENSIONS)
    ids = np.arange(size)
    vectors.put(ids, ids // NOTE_CHUNKS, matrix)
    built = time.perf_counter() - began
    ours, theirs, recall = [], [], []
    for query in asked:
        began = time.perf_counter()
        hits = vectors.search(query, limit=TOP)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        best = _product(matrix, query)
        theirs.append(time.perf_counter() - began)
        wanted = best[:RECALL_TOP].tolist()
        recall.append(len(set(hits.chunk_ids[:RECALL_TOP].tolist()) & set(wanted)) / RECALL_TOP)
    mine, other, found = Times.of(ours), Times.of(theirs), float(np.mean(recall))
    figure = Figure(
        f"vector top-{TOP}, {size:,} vectors, recall@{RECALL_TOP} {found:.3f}",
        "at most 1/8, recall at least 0.99" if size >= 100_000 else "",
        f"numpy float32 product {other}",
        str(mine),
        mine.p50 / other.p50,
    )
    filtered = _filtered(vectors, asked, size)
    detail = {"build_s": round(built, 3), "ours": mine, "product": other, "recall": found}
    return figure, detail | {"filtered_half": filtered} | _stored(vectors, asked[0])


def _material(size: int) -> tuple[FloatArray, FloatArray]:
    chance = np.random.default_rng(size)
    centres = chance.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32) + 0.3
    matrix = centres[chance.integers(0, CLUSTERS, size)]
    matrix += chance.standard_normal(matrix.shape, dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    asked = matrix[chance.integers(0, size, QUERIES)]
    blur = chance.standard_normal(asked.shape, dtype=np.float32) / np.sqrt(np.float32(DIMENSIONS))
    asked = asked + blur
    return matrix, (asked / np.linalg.norm(asked, axis=1, keepdims=True)).astype(np.float32)


def _product(matrix: FloatArray, query: FloatArray) -> IdArray:
    scores = matrix @ query
    best = np.argpartition(-scores, TOP)[:TOP]
    ordered: IdArray = best[np.argsort(-scores[best])]
    return ordered


def _filtered(vectors: Vectors, asked: FloatArray, size: int) -> Times:
    notes = np.arange(0, size // NOTE_CHUNKS, 2)
    seconds = []
    for query in asked:
        began = time.perf_counter()
        vectors.search(query, limit=TOP, notes=notes)
        seconds.append(time.perf_counter() - began)
    return Times.of(seconds)


def _stored(vectors: Vectors, query: FloatArray) -> dict[str, object]:
    """Times of saving a snapshot, and of opening it until the first reply."""
    of = Fingerprint("bench", 1, "vectors")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.snapshot"
        began = time.perf_counter()
        snapshots.save_snapshot(path, of, vectors.arrays())
        saved = time.perf_counter() - began
        began = time.perf_counter()
        arrays = snapshots.load_snapshot(path, of)
        if arrays is None:
            raise RuntimeError("the snapshot does not load")
        Vectors.from_arrays(DIMENSIONS, arrays).search(query, limit=TOP)
        return {
            "save_s": round(saved, 3),
            "open_and_first_query_ms": round((time.perf_counter() - began) * 1000, 2),
            "snapshot_mb": round(path.stat().st_size / 1e6, 1),
        }


if __name__ == "__main__":
    main()
