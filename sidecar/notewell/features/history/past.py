"""Indexes of the past: of the notes of one commit, and of the lines that are gone.

Each is made when it is first asked for, in a thread, from a folder of files that is deleted once
they are read: so it equals the index of a checkout. Texts that the present index has embedded are
not embedded again. Few are kept on the disk, and fewer open.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotReady
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, cast

import numpy as np

from notewell.base.errors import ModelUnavailableError
from notewell.base.support import interrupt
from notewell.base.types import Embedder, FloatArray, ModelRules, VaultRecord
from notewell.engine.engine import Engine
from notewell.engine.feature import OpenVault
from notewell.vault.chunk import embed_hash

Files = Iterator[tuple[str, bytes]]
_KEPT, _OPEN = 3, 2
_LOOK_S = 0.2  # between two looks whether the caller still waits


class LentEmbedder:
    """The vault's embedder, for an index of the past: it knows what is embedded, and stays open."""

    def __init__(self, vault: OpenVault, embedder: Embedder) -> None:
        self._vault = vault
        self._embedder: Any = embedder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: list[str]) -> FloatArray:
        """Vectors of texts (texts, dimensions); those that the present index has are read there."""
        hashes = [embed_hash(text) for text in texts]
        known = self._vault.index.stored_vectors(self._embedder.key, set(hashes))
        missing = [text for text, digest in zip(texts, hashes, strict=True) if digest not in known]
        made = iter(self._embedder.embed_passages(missing) if missing else ())
        rows = [
            np.frombuffer(known[digest], np.float16) if digest in known else next(made)
            for digest in hashes
        ]
        return np.asarray(rows, np.float32)

    def close(self) -> None:
        """It is the vault's to close."""


class PastIndexes:
    """The indexes of one vault's past, by name. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._folder = vault.folder / "history"
        self._lock = threading.Lock()
        self._engines: dict[str, Future[Engine]] = {}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="history")

    def opened(self, name: str, files: Callable[[], Files]) -> Engine:
        """The index called `name`, made of `files` where there is none yet.

        A caller who is cancelled waits no longer; the index is made nevertheless.
        """
        with self._lock:
            if (future := self._engines.pop(name, None)) is None or _failed(future):
                future = self._worker.submit(self._open, name, files)
            self._engines[name] = future  # the latest used is the last
            self._close_all_but(_OPEN)
        while True:
            with suppress(NotReady):
                return future.result(_LOOK_S)
            interrupt.check()

    def close(self) -> None:
        """Close all that are open, after what is being made."""
        with self._lock:
            self._worker.shutdown(cancel_futures=True)
            self._close_all_but(0)

    def _close_all_but(self, count: int) -> None:
        for name in list(self._engines)[: max(0, len(self._engines) - count)]:
            future = self._engines[name]
            if future.done():
                del self._engines[name]
                if not future.cancelled() and future.exception() is None:
                    future.result().close()

    def _open(self, name: str, files: Callable[[], Files]) -> Engine:
        place = self._folder / name
        if not (place / "whole").exists():
            shutil.rmtree(place, ignore_errors=True)
            _write(place / "notes", files())
            with closing(self._engine(place, writable=True)) as made:
                made.index_now()
            _make_small(place / "index")
            shutil.rmtree(place / "data", ignore_errors=True)  # the log of this run
            shutil.rmtree(place / "notes")
            (place / "notes").mkdir()
            (place / "whole").touch()
        self._forget_old(place)
        return self._engine(place, writable=False)

    def _engine(self, place: Path, *, writable: bool) -> Engine:
        vault = self._vault
        embedder = vault.embedder()

        def lend(rules: ModelRules, **_: Any) -> Embedder:
            if embedder is None:
                raise ModelUnavailableError(f"The vault itself has no model {rules.name}.")
            return cast("Embedder", LentEmbedder(vault, embedder))

        record = VaultRecord(f"{vault.record.id}-past", vault.record.name, place / "notes")
        settings = replace(vault.settings, data_dir=place / "data")
        engine = Engine.open(record, place / "index", settings, writable=writable, load_model=lend)
        engine.wait_for_model()
        return engine

    def _forget_old(self, used: Path) -> None:
        """Delete the indexes that were used longest ago, but for those that are open."""
        used.touch()
        places = sorted(self._folder.iterdir(), key=lambda one: -one.stat().st_mtime)
        for place in places[_KEPT:]:
            if place.name not in self._engines:
                shutil.rmtree(place, ignore_errors=True)


def _make_small(index: Path) -> None:
    """Leave out what an index that nobody changes does without.

    Copies for a quick start are a third of an index, and quickly made anew from it.
    """
    for copy in index.rglob("*.snapshot"):
        copy.unlink()
    for database in index.rglob("*.db"):
        with closing(sqlite3.connect(database)) as opened:
            opened.execute("PRAGMA journal_mode = DELETE")
            opened.execute("VACUUM")


def _failed(future: Future[Engine]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)


def _write(folder: Path, files: Files) -> None:
    """Write files below a folder. A path that leads out of it, which git refuses, is left out."""
    folder.mkdir(parents=True)
    for path, content in files:
        parts = PurePosixPath(path).parts
        if not parts or ".." in parts or PurePosixPath(path).is_absolute():
            continue
        file = folder.joinpath(*parts)
        with suppress(FileExistsError, NotADirectoryError):  # names that differ by case alone
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def gone_notes(lines: Mapping[str, list[str]]) -> Files:
    """A note of the lines that are gone, for each path."""
    for path, gone in lines.items():
        yield path, "\n\n".join(gone).encode()
