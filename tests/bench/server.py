"""A `recollect serve` process of its own, and a client that keeps its connection."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stack import Stack

READY_S = 300


class Server:
    """A running server. `started` is when its process was asked for (time.perf_counter)."""

    def __init__(self, process: subprocess.Popen[str], started: float) -> None:
        """Wait for the handshake line."""
        assert process.stdout is not None
        line = process.stdout.readline()
        handshake = json.loads(line) if line else {}
        if "port" not in handshake:
            raise RuntimeError("the server ended before it listened; its messages are above")
        self.started = started
        self._pid = int(handshake["pid"])
        self._headers = {"Authorization": f"Bearer {handshake['token']}"}
        self._connection = http.client.HTTPConnection("127.0.0.1", int(handshake["port"]))

    def get(self, route: str, **parameters: object) -> Mapping[str, object]:
        """The JSON answer of a route; RuntimeError for anything but 200."""
        query = urllib.parse.urlencode(parameters)
        self._connection.request("GET", f"/api/{route}?{query}", headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"{route}: {response.status} {body[:300]!r}")
        answer: Mapping[str, object] = json.loads(body)
        return answer

    def wait_for_hybrid(self, query: str) -> float:
        """Seconds from the process's start to the first answer in which vectors took part."""
        deadline = time.perf_counter() + READY_S
        while time.perf_counter() < deadline:
            results = self.get("search", q=query, plain="true")["results"]
            if isinstance(results, list) and any(r["scores"]["semantic"] for r in results):
                return time.perf_counter() - self.started
            time.sleep(0.002)
        raise RuntimeError("the server never answered by meaning")

    def wait_until_ready(self) -> None:
        """Return when nothing is left to index."""
        deadline = time.perf_counter() + READY_S
        while self.get("status")["state"] != "ready":
            if time.perf_counter() > deadline:
                raise RuntimeError("the server did not get ready")
            time.sleep(0.1)

    def resident_mb(self) -> float:
        """Memory of the server in RAM, mapped files included, in 10**6 bytes; 0 if unknown."""
        status = Path(f"/proc/{self._pid}/status")
        lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
        sizes = [int(line.split()[1]) for line in lines if line.startswith("VmRSS")]
        return sizes[0] * 1024 / 1e6 if sizes else 0.0


@contextmanager
def serving(stack: Stack) -> Iterator[Server]:
    """Serve the stack's vault in a new process until the block ends."""
    command = [sys.executable, "-m", "recollect", "serve", str(stack.vault)]
    command += ["--handshake", "--port", "0"]
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=stack.environment,
    )
    try:
        yield Server(process, started)
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the server's signal to end
        process.wait(timeout=60)
