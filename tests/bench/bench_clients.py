"""Searches of one server by 1 to 60 clients at once, without pauses, over the vault obsidian-hub.

Some are measured in one process first, then all with the readers that the server starts by itself.
16 and 30 clients are measured once more while five notes change each second. Processor time of the server and of the clients is measured apart: both share this machine, and
what the clients take is not there for the server. `/api/health` and `/api/status` are asked ten
times a second meanwhile.

The vault is read from the shared data (`--data`, NOTEWELL_TEST_DATA, or beside the repository);
`--vault` names another folder; without either, notes are generated.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figures import Figure, Times, arguments, write
from live_home import NOTES, QUICK_NOTES, Home, home
from load_clients import change
from server import Server, serving
from stack import say

_READY_S = 1800.0
_PROBE_S = 0.1
# Clients at once, and notes that change each second.
_ROUNDS = ((1, 0), (4, 0), (16, 0), (30, 0), (60, 0), (16, 5), (30, 5))
_ALONE = ((1, 0), (16, 0), (16, 5))  # in one process
_WARM_UP = 50
_WARM_UP_S = 10.0  # in which readers are started
_SECONDS, _QUICK_SECONDS = 20.0, 3.0


@dataclass
class Round:
    """What so many clients measured. Times in seconds; processor times are of the whole round."""

    clients: int
    changes: int
    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    health: list[float] = field(default_factory=list)
    status: list[float] = field(default_factory=list)
    wall_s: float = 0.0
    server_cpu_s: float = 0.0
    own_cpu_s: float = 0.0
    memory_mb: float = 0.0
    readers: str = "auto"
    readers_mb: list[float] = field(default_factory=list)

    @property
    def answered(self) -> int:
        """Searches with status 200."""
        return self.statuses["200"]

    @property
    def cpu_ms(self) -> float:
        """Processor time of the server for a search, the probes' share included."""
        return 1000 * self.server_cpu_s / max(self.answered, 1)

    @property
    def rate(self) -> float:
        """Searches a second, of the time that the clients left to the server."""
        left = self.wall_s - self.own_cpu_s / (os.cpu_count() or 1)
        return self.answered / max(left, 1e-9)


class Client:
    """A connection that is kept, by plain streams: a client has to cost far less than a search."""

    def __init__(self, port: int, token: str) -> None:
        """Use `open` before asking."""
        self._port = port
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"

    async def open(self) -> None:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def get(self, path: str) -> int:
        """The status of an answer, whose body is read and dropped."""
        self._writer.write(f"GET {path} HTTP/1.1\r\n{self._head}".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        _, _, after = head.partition(b"content-length:")
        await self._reader.readexactly(int(after.split(None, 1)[0]))
        return int(head.split(None, 2)[1])

    def close(self) -> None:
        """Disconnect."""
        self._writer.close()


def main() -> int:
    """Measure and write the figures. Returns 1 where searches failed below twice 30 clients."""
    parser = arguments(__doc__.partition("\n")[0])
    parser.add_argument("--vault", type=Path, help="a folder of notes, which is copied")
    parser.add_argument("--data", type=Path, help="the folder of the shared data")
    options = parser.parse_args()
    seconds = _QUICK_SECONDS if options.quick else _SECONDS
    most = QUICK_NOTES if options.quick else NOTES
    with home(options.vault, options.data, most_notes=most) as at:
        _index(at)
        rounds = []
        for readers, wanted in (("0", _ALONE), ("auto", _ROUNDS)):
            with serving(at.vault, at.environment | {"NOTEWELL_SERVER_READERS": readers}) as server:
                server.wait_until_ready()
                rounds += _measured(server, at, seconds, readers, wanted)
    figures = [_figure(at, each) for each in rounds]
    write(options.json, figures, {"rounds": rounds})
    for each in figures:
        say(f"{each.figure}: {each.measured}; {each.note}")
    return int(any(each.answered < each.statuses.total() for each in rounds))


def _index(at: Home) -> None:
    say(f"indexing {at.notes:,} notes of {at.name}")
    subprocess.run(
        [sys.executable, "-m", "notewell", "index", str(at.vault)],
        check=True,
        env=at.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_READY_S,
    )


def _measured(
    server: Server, at: Home, seconds: float, readers: str, wanted: Sequence[tuple[int, int]]
) -> list[Round]:
    questions = at.questions(2000)
    for question in questions[:_WARM_UP]:
        server.get("search", q=question)
    asyncio.run(_measure(server, Round(16, 0), questions, (), _WARM_UP_S))
    notes = sorted(at.vault.rglob("*.md"))
    rounds = []
    for clients, changes in wanted:
        say(f"{clients} clients for {seconds:.0f} s, {changes} changes a second")
        changed = random.Random(clients).sample(notes, min(int(changes * seconds), len(notes)))
        found = Round(clients, changes, readers=readers)
        asyncio.run(_measure(server, found, questions, changed, seconds))
        rounds.append(found)
    return rounds


async def _measure(
    server: Server, found: Round, questions: Sequence[str], changed: Sequence[Path], seconds: float
) -> None:
    end = time.perf_counter() + seconds
    begun, own, of_server = time.perf_counter(), time.process_time(), server.cpu_s() or 0.0
    await asyncio.gather(
        *(_searching(server, questions, number, end, found) for number in range(found.clients)),
        _probing(server, "/api/health", end, found.health),
        _probing(server, "/api/status", end, found.status),
        change(changed, seconds),
    )
    found.wall_s = time.perf_counter() - begun
    found.own_cpu_s = time.process_time() - own
    found.server_cpu_s = (server.cpu_s() or 0.0) - of_server
    found.memory_mb = server.resident_mb()
    found.readers_mb = server.readers_own_mb()


async def _searching(
    server: Server, questions: Sequence[str], number: int, end: float, found: Round
) -> None:
    client = Client(server.port, server.token)
    await client.open()
    at = number * 61  # each begins elsewhere
    while (begun := time.perf_counter()) < end:
        asked = urllib.parse.urlencode({"q": questions[at % len(questions)]})
        status = await client.get(f"/api/search?{asked}")
        found.statuses[str(status)] += 1
        if status == 200:
            found.seconds.append(time.perf_counter() - begun)
        at += 1
    client.close()


async def _probing(server: Server, path: str, end: float, waits: list[float]) -> None:
    client = Client(server.port, server.token)
    await client.open()
    while (begun := time.perf_counter()) < end:
        await client.get(path)
        waits.append(time.perf_counter() - begun)
        await asyncio.sleep(_PROBE_S)
    client.close()


def _figure(at: Home, found: Round) -> Figure:
    aim = "at least 0.8 / processor time a search, none refused or timed out"
    if found.clients == 16 and found.readers != "0":
        aim += "; 160 a second on two processors, and 1.6 times as many as in one process"
    if found.clients == 1:
        aim = "p50 at most 4 ms, at most 6 ms of processor time a search"
    others = {status: count for status, count in found.statuses.items() if status != "200"}
    model = "" if at.real else ", stand-in for the model"
    return Figure(
        figure=f"searches by {found.clients} clients at once, {at.notes:,} notes"
        + (f", {found.changes} changes a second" if found.changes else "")
        + (", one process" if found.readers == "0" else ""),
        aim=aim,
        beside="",
        measured=f"{found.rate:.0f} a second, {Times.of(found.seconds or [0.0])}",
        ratio=None,
        note=f"{at.name}{model}; {found.cpu_ms:.2f} ms of the server's processor time a search, so"
        f" {found.rate * found.cpu_ms / 1000:.2f} processors at work; the clients took"
        f" {100 * found.own_cpu_s / found.wall_s:.0f} % of one, which is subtracted; health"
        f" {Times.of(found.health or [0.0])}; status {Times.of(found.status or [0.0])};"
        f" memory {found.memory_mb:.0f} MB, of readers alone"
        f" {[round(each) for each in found.readers_mb]}; other statuses: {others or 'none'}",
    )


if __name__ == "__main__":
    raise SystemExit(main())
