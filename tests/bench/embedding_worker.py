"""Times one embedding system in its own process: loading, indexing, queries.

    python tests/bench/embedding_worker.py --system int8|fp32|torch --work FILE --json FILE

The file `--work` contains `{model: folder, model_dir: folder, bulk: [text], queries: [text]}`. The
system `torch` needs a Python with sentence-transformers and imports nothing of Notewell.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PEER_BATCHES = (32, 8)  # its default, and what suits a cache better: the faster one counts
WARM_UP = 16


@dataclass(frozen=True)
class System:
    """A system to time. `bulk` are ways to embed many texts; the fastest one is reported."""

    bulk: Sequence[Callable[[Sequence[str]], np.ndarray]]
    query: Callable[[str], np.ndarray]


def main() -> None:
    """Load the system, time it, write the figures."""
    options = _options()
    work = json.loads(options.work.read_text(encoding="utf-8"))
    before = resident_mb()
    began = time.perf_counter()
    system = load_torch(work) if options.system == "torch" else load_own(work, options.system)
    loaded = time.perf_counter() - began
    resident = resident_mb()
    warm = [bulk(work["bulk"][:WARM_UP]) for bulk in system.bulk]
    figures = {
        "load_s": loaded,
        "rss_loaded_mb": resident,
        "rss_before_mb": before,
        "query_s": [timed(system.query, query) for query in work["queries"]],
        "chunks_per_s": max(len(work["bulk"]) / timed(bulk, work["bulk"]) for bulk in system.bulk),
        "query_under_load_s": queries_under_load(system, work),
        "rss_end_mb": resident_mb(),
        "vectors": np.asarray(warm[0], np.float64).tolist(),
    }
    options.json.write_text(json.dumps(figures), encoding="utf-8")


def load_own(work: Mapping[str, str], quantisation: str) -> System:
    """Notewell's default runtime."""
    from notewell.base.types import ModelRules  # noqa: PLC0415
    from notewell.models.loading import load_embedder  # noqa: PLC0415 - timed

    embedder = load_embedder(
        ModelRules(folder=work["model"], quantisation="fp32" if quantisation == "fp32" else "int8"),
        model_dir=Path(work["model_dir"]),
        offline=True,
        fetch_missing=False,
        say=sys.stderr.write,
    )
    if embedder.key.quantisation != quantisation:
        raise SystemExit(f"{quantisation} was asked for, {embedder.key.quantisation} runs")
    return System([embedder.embed_passages], embedder.embed_query)


def load_torch(work: Mapping[str, str]) -> System:
    """sentence-transformers on the same files, float32."""
    from sentence_transformers import SentenceTransformer, models  # noqa: PLC0415 - timed

    transformer = models.Transformer(work["model"], max_seq_length=256)
    pooling = models.Pooling(transformer.get_word_embedding_dimension(), "mean")
    model = SentenceTransformer(modules=[transformer, pooling, models.Normalize()], device="cpu")

    def in_batches(size: int) -> Callable[[Sequence[str]], np.ndarray]:
        return lambda texts: np.asarray(
            model.encode(list(texts), batch_size=size, show_progress_bar=False)
        )

    return System(
        [in_batches(size) for size in PEER_BATCHES],
        lambda text: np.asarray(model.encode(text, show_progress_bar=False)),
    )


def queries_under_load(system: System, work: Mapping[str, Sequence[str]]) -> list[float]:
    """Times of queries while another thread indexes."""
    stop = threading.Event()

    def index() -> None:
        while not stop.is_set():
            system.bulk[0](work["bulk"][:64])

    indexing = threading.Thread(target=index)
    indexing.start()
    times = []
    for query in work["queries"][:50]:
        time.sleep(0.02)  # people pause; the indexing gets going again
        times.append(timed(system.query, query))
    stop.set()
    indexing.join()
    return times


def timed(function: Callable[..., object], argument: object) -> float:
    """Seconds of one call."""
    began = time.perf_counter()
    function(argument)
    return time.perf_counter() - began


def resident_mb() -> float | None:
    """Resident memory of this process in 10**6 bytes, where the system reports it."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return None
    return int(status.read_text().split()[1]) * 4096 / 1e6


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--system", choices=("int8", "fp32", "torch"), required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
