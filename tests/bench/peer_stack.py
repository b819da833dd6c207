"""The peers as one stack: rank-bm25, a float32 matmul and sentence-transformers, fused by RRF.

    python tests/bench/peer_stack.py --data FOLDER --json FILE [--model FOLDER] [--queries N]

Runs in a process of its own, with any Python that has rank-bm25 and numpy, and sentence-transformers
for `--model`. FOLDER holds texts.jsonl, vectors.npy and queries.json. Imports nothing of Notewell.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

TOP = 100
RRF_K = 60
WARM_UP = 3

Encode = Callable[[str], np.ndarray]


def main() -> None:
    """Load, build, time the queries, write the figures."""
    options = _options()
    began = time.perf_counter()
    encode = load_model(options.model) if options.model else None
    loaded = time.perf_counter() - began
    lines = (options.data / "texts.jsonl").read_text(encoding="utf-8").split("\n")
    tokens = [tokenize(json.loads(line)) for line in lines if line]
    vectors = np.load(options.data / "vectors.npy")
    began = time.perf_counter()
    keywords = BM25Okapi(tokens)
    built = time.perf_counter() - began
    del tokens, lines
    queries = json.loads((options.data / "queries.json").read_text(encoding="utf-8"))
    for query in queries[-WARM_UP:]:
        hybrid(query, keywords, vectors, encode)
    timings = []
    for query in queries[: options.queries]:
        began = time.perf_counter()
        hybrid(query, keywords, vectors, encode)
        timings.append(time.perf_counter() - began)
    figures = {"model_s": loaded, "build_s": built, "query_s": timings, "rss_mb": resident_mb()}
    options.json.write_text(json.dumps(figures), encoding="utf-8")


def load_model(folder: Path) -> Encode:
    """sentence-transformers on the files that Notewell uses, float32."""
    from sentence_transformers import SentenceTransformer, models  # noqa: PLC0415 - timed

    transformer = models.Transformer(str(folder), max_seq_length=256)
    pooling = models.Pooling(transformer.get_word_embedding_dimension(), "mean")
    model = SentenceTransformer(modules=[transformer, pooling, models.Normalize()], device="cpu")
    return lambda text: np.asarray(model.encode(text, show_progress_bar=False))


def hybrid(
    query: str, keywords: BM25Okapi, vectors: np.ndarray, encode: Encode | None
) -> list[int]:
    """The usual hybrid search: two rankings, fused by reciprocal rank, best first."""
    vector = encode(query) if encode else vectors[len(query)]
    sides = (keywords.get_scores(tokenize(query)), vectors @ vector)
    fused: dict[int, float] = {}
    for scores in sides:
        top = np.argpartition(-scores, TOP)[:TOP]
        for rank, row in enumerate(top[np.argsort(-scores[top])], start=1):
            fused[int(row)] = fused.get(int(row), 0.0) + 1 / (RRF_K + rank)
    return sorted(fused, key=lambda row: -fused[row])[:10]


def tokenize(text: str) -> list[str]:
    """The tokenizer that users of rank-bm25 commonly write."""
    return re.findall(r"\w+", text.lower())


def resident_mb() -> float:
    """Memory of this process that is in RAM, in units of 10**6 bytes; 0 where it is unknown."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next(
        (int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmRSS")), 0.0
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--queries", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
