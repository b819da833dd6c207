"""Time from a save until a running server finds it, noticed by its watcher or by a client."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from figures import Times
from live_home import Home
from server import Server

Door = Literal["watcher", "changes"]

NOTE = "saved while measured.md"
_SECTIONS = 5
_WORDS = 90  # of a paragraph: some 130 tokens, a chunk of its own
_PAUSE_S = 0.002
_PATIENCE_S = 60
_SAME_TEXT = 0.7  # a paragraph and its own chunk are above 0.8, other random texts below 0.5


@dataclass(frozen=True)
class Saves:
    """Times from the save of one paragraph of five to the search that finds it."""

    keyword: Times
    semantic: Times | None  # None: a model of random weights, to which all texts are alike


class _Note:
    """A note of five sections, one of which gets new text at each save."""

    def __init__(self, home: Home) -> None:
        self._random = random.Random(time.time_ns())  # texts that no earlier run has embedded
        self._words = home.words
        self._path = home.vault / NOTE
        self._sections = [self._paragraph() for _ in range(_SECTIONS)]
        self._saves = 0
        self._write()

    def save(self) -> tuple[str, str]:
        """Save a new paragraph; returns a word that no other text contains, and the text."""
        self._saves += 1
        marker = f"zq{self._random.randrange(10**9)}marker"
        text = self._paragraph()
        self._sections[self._random.randrange(_SECTIONS)] = f"{marker} {text}"
        self._write()
        return marker, text

    def remove(self) -> None:
        self._path.unlink()

    def _write(self) -> None:
        parts = [f"## Part {n}\n\n{text}" for n, text in enumerate(self._sections)]
        self._path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")

    def _paragraph(self) -> str:
        return " ".join(self._random.choice(self._words) for _ in range(_WORDS)) + "."


def measure(server: Server, home: Home, door: Door, saves: int) -> Saves:
    """Save repeatedly; keyword and semantic searches on separate saves."""
    note = _Note(home)
    changes = [{"kind": "modify", "path": NOTE}] if door == "changes" else []

    def tell() -> None:
        if changes:
            server.post("changes", changes=changes)

    keyword = [_keyword(server, note, tell) for _ in range(saves + 1)]
    semantic = [_semantic(server, note, tell) for _ in range(saves + 1)] if home.real else []
    note.remove()
    settle(server, NOTE)
    # The first of each warms up.
    return Saves(Times.of(keyword[1:]), Times.of(semantic[1:]) if semantic else None)


def _keyword(server: Server, note: _Note, tell: Callable[[], object]) -> float:
    settle(server)
    marker, _ = note.save()
    began = time.perf_counter()
    tell()
    asked = {"q": marker, "mode": "keyword", "limit": 1, "plain": "true"}
    return _until(lambda: bool(server.get("search", **asked)["results"]), began)


def _semantic(server: Server, note: _Note, tell: Callable[[], object]) -> float:
    settle(server)
    _, text = note.save()
    began = time.perf_counter()
    tell()
    asked = {"q": text, "mode": "semantic", "limit": 1, "plain": "true"}
    return _until(lambda: _closest(server.get("search", **asked)) > _SAME_TEXT, began)


def settle(server: Server, gone: str | None = None) -> None:
    """Wait until nothing is queued and the index has removed `gone`."""
    deadline = time.perf_counter() + _PATIENCE_S
    while time.perf_counter() < deadline:
        status = server.get("status")
        if (
            status["state"] == "ready"
            and status["semantic"] == "ready"
            and not _holds(server, gone)
        ):
            return
        time.sleep(0.02)
    raise RuntimeError("the server did not come to rest")


def _holds(server: Server, path: str | None) -> bool:
    if path is None:
        return False
    entries = server.get("ledger", path=path)["entries"]
    return isinstance(entries, list) and any(entry["state"] == "indexed" for entry in entries)


def _closest(reply: Mapping[str, object]) -> float:
    results = reply["results"]
    assert isinstance(results, list)
    return max((result["raw"]["cosine"] or 0.0 for result in results), default=0.0)


def _until(found: Callable[[], bool], began: float) -> float:
    while not found():
        if time.perf_counter() - began > _PATIENCE_S:
            raise RuntimeError("the saved note was never found")
        time.sleep(_PAUSE_S)
    return time.perf_counter() - began
