"""Embedding speed: bulk indexing, queries at rest and while indexing, start-up time, memory.

    python tests/bench/bench_embedding.py --json FILE [--quick] [--torch-python PYTHON]

Each system runs in its own process. The systems take turns and medians over the rounds are
reported, so that other load on the machine affects all of them alike.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from corpus import SEED, Words, queries
from figures import Figure, Times, options, write

from notewell.base.config import load_settings
from notewell.base.types import ModelRules
from notewell.models.catalogue import TOKENIZER_FILE, find
from notewell.models.fetch import fetch
from notewell.models.loading import load_embedder

WORKER = Path(__file__).with_name("embedding_worker.py")
TOKENS = 256
ROUNDS, CHUNKS, QUERIES = 3, 128, 200
QUICK_ROUNDS, QUICK_CHUNKS, QUICK_QUERIES = 1, 32, 50

Round: TypeAlias = dict[str, Any]


def main() -> None:
    """Measure the systems in turn and write the figures."""
    chosen = options(__doc__.partition("\n")[0])
    settings = load_settings(environ=os.environ)
    files = fetch(find("all-MiniLM-L6-v2"), model_dir=settings.model_dir)
    pythons = _systems(chosen.torch_python)
    for quantisation in ("int8", "fp32"):  # built before anything is timed
        load_embedder(
            ModelRules(quantisation=quantisation, folder=str(files.folder)),
            model_dir=settings.model_dir,
            offline=True,
            fetch_missing=False,
            say=sys.stderr.write,
        ).close()
    words = Words.of_tokenizer(files.folder / TOKENIZER_FILE)
    work = {
        "model": str(files.folder),
        "model_dir": str(settings.model_dir),
        "bulk": full_chunks(words, QUICK_CHUNKS if chosen.quick else CHUNKS),
        "queries": queries(words, QUICK_QUERIES if chosen.quick else QUERIES),
    }
    rounds: dict[str, list[Round]] = {system: [] for system in pythons}
    for _ in range(QUICK_ROUNDS if chosen.quick else ROUNDS):
        for system, python in pythons.items():
            rounds[system].append(measure(system, python, work))
    write(chosen.json, figures(rounds), details(rounds))


def full_chunks(words: Words, count: int) -> list[str]:
    """Texts as long as the model reads: each word is at least one token."""
    generator = np.random.default_rng((SEED, 2))
    return [" ".join(words.draw(generator, TOKENS)) for _ in range(count)]


def _systems(torch_python: Path | None) -> dict[str, str]:
    """The Python interpreter of each system; sentence-transformers only where it is installed."""
    systems = {"int8": sys.executable, "fp32": sys.executable}
    if torch_python:
        systems["torch"] = str(torch_python)
    elif importlib.util.find_spec("sentence_transformers"):
        systems["torch"] = sys.executable
    return systems


def measure(system: str, python: str, work: Mapping[str, object]) -> Round:
    """Measure one system once, in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "work.json", Path(folder) / "figures.json"
        given.write_text(json.dumps(work), encoding="utf-8")
        command = [python, str(WORKER), "--system", system, "--work", given, "--json", out]
        subprocess.run(command, check=True, stdout=sys.stderr)
        return dict(json.loads(out.read_text(encoding="utf-8")))


def figures(rounds: Mapping[str, Sequence[Round]]) -> list[Figure]:
    """The rows of the table."""
    own, peer = rounds["int8"], rounds.get("torch")
    speed = {system: _median(runs, "chunks_per_s") for system, runs in rounds.items()}
    alone, loaded = _times(own, "query_s"), _times(own, "query_under_load_s")
    beside = {"bulk": "", "query": "", "load": "", "start": "", "rss": ""}
    ratios: dict[str, float] = {}
    if peer:
        theirs, theirs_loaded = _times(peer, "query_s"), _times(peer, "query_under_load_s")
        beside = {
            "bulk": f"sentence-transformers fp32: {speed['torch']:.1f} chunks/s",
            "query": f"the same: {theirs}",
            "load": f"the same: {theirs_loaded}",
            "start": f"the same: {_median(peer, 'load_s'):.2f} s",
            "rss": f"the same: {_median(peer, 'rss_end_mb'):.0f} MB",
        }
        ratios = {
            "bulk": speed["int8"] / speed["torch"],
            "query": alone.p50 / theirs.p50,
            "load": loaded.p50 / theirs_loaded.p50,
            "start": _median(own, "load_s") / _median(peer, "load_s"),
            "rss": _median(own, "rss_end_mb") / _median(peer, "rss_end_mb"),
        }
    bulk = f"{speed['int8']:.1f} chunks/s (fp32: {speed['fp32']:.1f})"
    start = f"{_median(own, 'load_s'):.2f} s"
    resident = f"{_median(own, 'rss_end_mb'):.0f} MB"
    cores = os.cpu_count()
    rows = [
        (f"bulk indexing of 256-token chunks, {cores} cores", "at least 3.0x", "bulk", bulk),
        ("query embedding", "p50 at most 0.25x", "query", str(alone)),
        ("query embedding while indexing", "", "load", str(loaded)),
        ("import and load of the model", "", "start", start),
        ("memory of a process that embeds", "", "rss", resident),
    ]
    return [
        Figure(name, aim, beside[key], measured, ratios.get(key))
        for name, aim, key, measured in rows
    ]


def details(rounds: Mapping[str, Sequence[Round]]) -> dict[str, object]:
    """All measurements without the vectors, and the cosines between the systems' vectors."""
    vectors = {system: np.array(runs[0]["vectors"]) for system, runs in rounds.items()}
    reference = vectors.get("torch", vectors["fp32"])
    cosines = {system: (rows * reference).sum(axis=1) for system, rows in vectors.items()}
    return {
        "rounds": {
            system: [{key: run[key] for key in run if key != "vectors"} for run in runs]
            for system, runs in rounds.items()
        },
        "cosine_mean": {system: float(row.mean()) for system, row in cosines.items()},
        "cosine_min": {system: float(row.min()) for system, row in cosines.items()},
    }


def _median(runs: Sequence[Round], name: str) -> float:
    values = [float(run[name]) for run in runs if run[name] is not None]
    return median(values) if values else float("nan")


def _times(runs: Sequence[Round], name: str) -> Times:
    return Times.of([seconds for run in runs for seconds in run[name]])


if __name__ == "__main__":
    main()
