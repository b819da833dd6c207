"""The indexes of a vault's past: of the notes of one commit, and of the lines that are gone.

Each is made when it is first asked for, in a thread, by the vault's own settings and model. Texts
that the present index has embedded are not embedded again. Few are kept on the disk, and fewer
open. What a process that was killed left unfinished is deleted by the next one.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotReady
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import filelock
import numpy as np

from notewell.api import OpenVault
from notewell.api.files import disk
from notewell.api.types import FloatArray, VaultRecord
from notewell.api.vault import Embedder, Source
from notewell.base.errors import ModelUnavailableError
from notewell.base.support import interrupt
from notewell.base.types import ModelRules, Progress
from notewell.engine.engine import Engine
from notewell.features.history.past_notes import PastNotes
from notewell.vault.chunk import embed_hash
from notewell.vault.daily import PERIODIC, SETTINGS, obsidian_settings_text

KEPT, OPEN = 3, 2
_LOOK_S = 0.2  # between two looks whether the caller still waits
_WHOLE = "whole"  # a file of an index that is finished
_UNFINISHED = "making-"
GIT = "git"  # the folder of git's settings, beside the indexes
MakeNotes: TypeAlias = Callable[[], AbstractContextManager[PastNotes]]


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
        embedded = iter(self._embedder.embed_passages(missing) if missing else ())
        rows = [
            np.frombuffer(known[digest], np.float16) if digest in known else next(embedded)
            for digest in hashes
        ]
        return np.asarray(rows, np.float32)

    def close(self) -> None:
        """It is the vault's to close."""


@dataclass(slots=True)
class _PastJob:
    """An index that is being made, or open. `waiting` callers ask for it.

    While `is_listing`, the repository is looked through, which may take long where it was made to;
    what follows is bounded, and of use for the next question if nobody waits any more.
    """

    stop: threading.Event = field(default_factory=threading.Event)
    is_listing: bool = True
    waiting: int = 0
    engine: Future[Engine] = field(default_factory=Future)


class PastIndexes:
    """The indexes of one vault's past, by name. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._folder = vault.folder / "history"
        self._lock = threading.Lock()
        self._jobs: dict[str, _PastJob] = {}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="history")

    @property
    def git_folder(self) -> Path:
        """The folder of git's settings."""
        return self._folder / GIT

    def opened(self, name: str, notes: MakeNotes) -> Engine:
        """The index called `name`, made of `notes` if there is none yet.

        A caller who is cancelled waits no longer. The index is given up then if the repository is
        still being looked through; else it is made nevertheless.
        """
        with self._lock:
            job = self._jobs.pop(name, None)
            if job is None or _has_failed(job.engine):
                job = _PastJob()
                job.engine = self._worker.submit(
                    interrupt.run_until,
                    job.stop,
                    lambda begun=job: self._open(name, notes, begun),
                )
            self._jobs[name] = job  # the latest used is the last
            self._close_all_but(OPEN)
            job.waiting += 1
        try:
            while True:
                with suppress(NotReady):
                    return job.engine.result(_LOOK_S)
                interrupt.check()
        finally:
            with self._lock:
                job.waiting -= 1
                if not job.waiting and job.is_listing:
                    job.stop.set()

    def close(self) -> None:
        """Close all that are open, and end what is being made."""
        with self._lock:
            for job in self._jobs.values():
                job.stop.set()
            self._worker.shutdown(cancel_futures=True)
            self._close_all_but(0)

    def _close_all_but(self, count: int) -> None:
        for name in list(self._jobs)[: max(0, len(self._jobs) - count)]:
            engine = self._jobs[name].engine
            if engine.done():
                del self._jobs[name]
                if not _has_failed(engine):
                    engine.result().close()

    def _open(self, name: str, notes: MakeNotes, job: _PastJob) -> Engine:
        place = self._folder / name
        if not (place / _WHOLE).exists():
            with self._alone():
                self._make(place, notes, job)
        job.is_listing = False
        self._forget_old(place)
        return self._engine(place, writable=False)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Exclude other processes, and delete what those that were killed left."""
        disk.make_folder(self._folder)
        lock = filelock.FileLock(self._folder / "making.lock", mode=disk.FILE_MODE)
        while True:
            with suppress(filelock.Timeout):
                lock.acquire(timeout=_LOOK_S)
                break
            interrupt.check()
        try:
            for left in self._folder.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            lock.release()

    def _make(self, place: Path, notes: MakeNotes, job: _PastJob) -> None:
        """Make an index in a folder beside `place`, and put it there when it is whole."""
        if (place / _WHOLE).exists():  # another process has made it meanwhile
            return
        unfinished = self._folder / f"{_UNFINISHED}{place.name}"
        try:
            with notes() as source:
                job.is_listing = False
                self._copy_daily_settings(unfinished / "notes")
                with closing(self._engine(unfinished, writable=True, source=source)) as engine:
                    engine.index_now(progress=_check)
            interrupt.check()
            _make_small(unfinished / "index")
            shutil.rmtree(unfinished / "data", ignore_errors=True)  # the log of this run
            (unfinished / _WHOLE).touch()
            shutil.rmtree(place, ignore_errors=True)
            unfinished.rename(place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _copy_daily_settings(self, notes: Path) -> None:
        """Daily notes of the past are told by the settings of today."""
        disk.make_folder(notes)
        for name in (SETTINGS, PERIODIC):
            text = obsidian_settings_text(self._vault.record.path / name)
            if text is not None:
                disk.replace(notes / name, text.encode())

    def _engine(self, place: Path, *, writable: bool, source: Source | None = None) -> Engine:
        vault = self._vault
        embedder = vault.embedder()

        def lend(rules: ModelRules, **_: Any) -> Embedder:
            if embedder is None:
                raise ModelUnavailableError(f"The vault itself has no model {rules.name}.")
            return cast("Embedder", LentEmbedder(vault, embedder))

        record = VaultRecord(f"{vault.record.id}-past", vault.record.name, place / "notes")
        settings = replace(vault.settings(), data_dir=place / "data")
        engine = Engine.open(
            *(record, place / "index", settings),
            writable=writable,
            load_model=lend,
            source=source,
        )
        engine.wait_for_model()
        return engine

    def _forget_old(self, used: Path) -> None:
        """Delete the indexes that were used longest ago, but for those that are open."""
        used.touch()
        finished = [path for path in self._folder.iterdir() if (path / _WHOLE).exists()]
        finished.sort(key=lambda one: -one.stat().st_mtime)
        for place in finished[KEPT:]:
            if place.name not in self._jobs:
                shutil.rmtree(place, ignore_errors=True)


def _check(_: Progress) -> None:
    """Raise InterruptedWorkError between two steps, once the index is not wanted any more."""
    interrupt.check()


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


def _has_failed(engine: Future[Engine]) -> bool:
    return engine.done() and (engine.cancelled() or engine.exception() is not None)
