"""Runs the peers on our texts, vectors and queries, in a separate process (peer_stack.py)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import orjson
from figures import Times
from stack import Stack, dump, say

NAMES = "rank-bm25 + matmul + sentence-transformers"
QUERIES = 20


@dataclass(frozen=True)
class Peers:
    """The measurements of the peers. Without torch the embedding of queries is not in them."""

    torch: bool
    start_s: float | None
    query: Times
    rss_mb: float

    @property
    def name(self) -> str:
        """The names of the packages, and which was not measured."""
        return NAMES if self.torch else f"{NAMES} (the last not measured: no --torch-python)"


def measure_peers(stack: Stack, torch_python: Path | None) -> Peers:
    """Run the peers; with a Python that has sentence-transformers they also embed the queries."""
    folder = Path(tempfile.mkdtemp(prefix="notewell-bench-"))
    try:
        dump(stack, folder)
        (folder / "queries.json").write_bytes(orjson.dumps(stack.queries))
        figures = _run(folder, stack.model_folder, torch_python)
    finally:
        shutil.rmtree(folder)
    return Peers(
        torch=torch_python is not None,
        start_s=float(figures["model_s"]) if torch_python else None,
        query=Times.of(figures["query_s"]),
        rss_mb=float(figures["rss_mb"]),
    )


def _run(folder: Path, model: Path, torch_python: Path | None) -> dict[str, object]:
    out = folder / "peers.json"
    script = Path(__file__).with_name("peer_stack.py")
    python = str(torch_python or sys.executable)
    command = [python, "-W", "ignore", str(script), "--data", str(folder)]
    command += ["--json", str(out), "--queries", str(QUERIES)]
    if torch_python:
        command += ["--model", str(model)]
    say("running the peers")
    subprocess.run(command, check=True)
    figures: dict[str, object] = json.loads(out.read_text(encoding="utf-8"))
    return figures
