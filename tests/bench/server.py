"""Starts `notewell serve` in a process, with a client that keeps its connection open."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

READY_S = 300
# A benchmark asks more often than any one caller may.
_UNRATIONED = {f"NOTEWELL_LIMITS_{rate}": "0" for rate in ("SEARCH", "READ", "HEAVY", "WRITE")}
# Modules of an installed package are compiled; those of a checkout may be at every start.
_BYTECODE = Path(tempfile.gettempdir()) / "notewell-bench-bytecode"
# Of /proc/PID/stat, behind the process's name: ppid, and utime and stime.
_PARENT_FIELD, _CPU_FIELDS = 1, slice(11, 13)


class Server:
    """A running server. `started`: when its process was started (time.perf_counter)."""

    def __init__(self, process: subprocess.Popen[str], started: float) -> None:
        """Wait for the handshake line."""
        assert process.stdout is not None
        line = process.stdout.readline()
        handshake = json.loads(line) if line else {}
        if "port" not in handshake:
            raise RuntimeError("the server ended before it listened; its messages are above")
        self.started = started
        self._pid = int(handshake["pid"])
        self.port, self.token = int(handshake["port"]), str(handshake["token"])
        self._headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
        }
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def get(self, route: str, **parameters: object) -> Mapping[str, object]:
        """GET a route and decode its JSON. Raises RuntimeError for a status other than 200."""
        return self._ask("GET", f"/api/{route}?{urllib.parse.urlencode(parameters)}")

    def post(self, route: str, **body: object) -> Mapping[str, object]:
        """POST JSON and decode the reply. Raises RuntimeError for a status other than 200 or 202."""
        return self._ask("POST", f"/api/{route}", json.dumps(body))

    def metric(self, name: str) -> float:
        """One metric of `GET /metrics`, summed over its labels."""
        lines = self._answer("GET", "/metrics")[1].decode().splitlines()
        named = (line for line in lines if line.startswith((f"{name} ", f"{name}{{")))
        return sum(float(line.rpartition(" ")[2]) for line in named)

    def _ask(self, method: str, address: str, body: str | None = None) -> Mapping[str, object]:
        status, content = self._answer(method, address, body)
        if status not in {http.client.OK, http.client.ACCEPTED}:
            raise RuntimeError(f"{address}: {status} {content[:300]!r}")
        answer: Mapping[str, object] = json.loads(content)
        return answer

    def _answer(self, method: str, address: str, body: str | None = None) -> tuple[int, bytes]:
        try:
            return self._once(method, address, body)
        except ConnectionError:  # a connection that rested was closed: a new one
            self._connection.close()
            return self._once(method, address, body)

    def _once(self, method: str, address: str, body: str | None) -> tuple[int, bytes]:
        self._connection.request(method, address, body=body, headers=self._headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def wait_for_hybrid(self, query: str) -> float:
        """Seconds from the start of the process to the first reply that used vectors.

        A search that ran into the time limit of a request is asked again: what a new version makes
        anew takes longer in a very large index.
        """
        address = f"/api/search?{urllib.parse.urlencode({'q': query, 'plain': 'true'})}"
        deadline = time.perf_counter() + READY_S
        while time.perf_counter() < deadline:
            status, content = self._answer("GET", address)
            if status not in {http.client.OK, http.client.GATEWAY_TIMEOUT}:
                raise RuntimeError(f"{address}: {status} {content[:300]!r}")
            results = json.loads(content).get("results", [])
            if any(result["scores"]["semantic"] for result in results):
                return time.perf_counter() - self.started
            time.sleep(0.002)
        raise RuntimeError("the server never answered by meaning")

    def wait_until_ready(self) -> None:
        """Wait until nothing is left to index."""
        deadline = time.perf_counter() + READY_S
        while self.get("status")["state"] != "ready":
            if time.perf_counter() > deadline:
                raise RuntimeError("the server did not get ready")
            time.sleep(0.1)

    def resident_mb(self, kind: str = "VmRSS") -> float:
        """Memory of the server in RAM in 10**6 bytes; 0 if unknown.

        VmRSS counts mapped files as well, RssAnon only what is its own.
        """
        status = Path(f"/proc/{self._pid}/status")
        lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
        sizes = [int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")]
        return sizes[0] * 1024 / 1e6 if sizes else 0.0

    def cpu_s(self) -> float | None:
        """Processor time the server and its readers have used, seconds; None if unknown."""
        used = [_cpu_s(pid) for pid in (self._pid, *self._readers())]
        return None if used[0] is None else sum(each or 0.0 for each in used)

    def readers_own_mb(self) -> list[float]:
        """Memory of each reader that no other process has, in 10**6 bytes; of Linux alone."""
        own = []
        for pid in self._readers():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
            sizes = (line.split()[1] for line in lines if line.startswith("Private_Dirty:"))
            own.append(sum(map(int, sizes)) * 1024 / 1e6)
        return own

    def _readers(self) -> list[int]:
        """The processes that search for the server; none where that is unknown."""
        pids = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
        children = (pid for pid in pids if self._is_parent_of(pid))
        return [pid for pid in children if b"reader_process" in _command(pid)]

    def _is_parent_of(self, pid: int) -> bool:
        fields = _fields(pid)
        return fields is not None and int(fields[_PARENT_FIELD]) == self._pid


def _command(pid: int) -> bytes:
    file = Path(f"/proc/{pid}/cmdline")
    return file.read_bytes() if file.exists() else b""


def _fields(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat behind the process's name; None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()


def _cpu_s(pid: int) -> float | None:
    fields = _fields(pid)
    if fields is None:
        return None
    return sum(int(ticks) for ticks in fields[_CPU_FIELDS]) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(vault: Path, environment: Mapping[str, str]) -> Iterator[Server]:
    """Serve a vault in a new process until the block ends."""
    command = [sys.executable, "-m", "notewell", "serve", str(vault)]
    command += ["--handshake", "--port", "0"]
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_as_installed(environment),
    )
    try:
        yield Server(process, started)
    finally:
        assert process.stdin is not None
        process.stdin.close()  # the server's signal to end
        process.wait(timeout=60)


def _as_installed(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **_UNRATIONED, "PYTHONPYCACHEPREFIX": str(_BYTECODE)}
