"""Searches of the past of a vault, and the versions of its notes."""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotReady
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, cast

import numpy as np

from notewell.base.errors import ModelUnavailableError, UsageError
from notewell.base.support import interrupt
from notewell.base.types import Embedder, FloatArray, ModelRules, VaultRecord
from notewell.contract.request import iso
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.engine.several_vaults import VaultAnswer, merged
from notewell.features.history.git import FileChange, GitHistory
from notewell.features.history.requests import HistoryReply, HistoryRequest, NoteVersion
from notewell.index.analyze import stem, words
from notewell.search.query.terms import function_words
from notewell.vault.chunk import embed_hash

Search = Callable[[SearchRequest], SearchReply]
_MOST_LINES = 12  # of a version that are shown, added and removed
_LONGEST = 400  # characters of a line that are shown
_ENOUGH = 0.6  # of the words of a query, in a line
_TEXT = re.compile(r"(?!```|~~~).*\w.*\w.*\w")  # no mark that would make code of all that follows
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"#{1,6}\s+")  # what stood below a heading that is gone is not known


def opened(vault: OpenVault) -> OpenFeature:
    """The history of a vault."""
    history = VaultHistory(vault)
    return OpenFeature(
        answers={HistoryRequest: history.versions}, past=history.search, close=history.close
    )


class VaultHistory:
    """The history of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._git = GitHistory(vault.record.path)
        self._past = PastIndexes(vault)

    def close(self) -> None:
        self._past.close()

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search as of a day, or what is gone together with what is there."""
        if request.as_of is not None:
            return self._as_of(request, request.as_of)
        now = search(replace(request, ever=False))
        return self._with_gone(request, now)

    def _as_of(self, request: SearchRequest, day: str) -> SearchReply:
        self._git.head()
        commit = self._git.commit_before(_end_of(day))
        if commit is None:
            raise UsageError(f"The history of this vault begins after {day}.", code="no_history")
        engine = self._past.opened(commit[:16], lambda: self._files(commit))
        reply = engine.searcher.search(replace(request, as_of=None))
        shown = (replace(one, uri=self._uri(one), as_of=day) for one in reply.results)
        return replace(reply, results=tuple(shown))

    def _files(self, commit: str) -> Files:
        files = self._git.files(commit)
        kept = {path: one for path, one in files.items() if self._is_read(path)}
        yield from zip(kept, self._git.contents(kept.values()), strict=True)

    def _is_read(self, path: str) -> bool:
        """True for notes and, as daily notes are told by them, the settings of Obsidian."""
        return path.endswith(self._vault.source.types) or path.startswith(".obsidian/")

    def _with_gone(self, request: SearchRequest, now: SearchReply) -> SearchReply:
        """The present results and those of lines that are gone, each note once."""
        head = self._git.head()
        engine = self._past.opened(f"gone-{head[:16]}", lambda: gone_notes(self._gone(head)))
        found = engine.searcher.search(replace(request, ever=False))
        there = {one.path for one in now.results}
        gone = [replace(one, uri=self._uri(one), current=False) for one in found.results]
        both = merged(
            [
                VaultAnswer("now", now),
                VaultAnswer("gone", replace(found, vault="gone", results=tuple(gone))),
            ],
            request.limit * 2,
        )
        first = {one.path: one for one in reversed(both.results)}
        shown = [replace(one, vault=None) for one in both.results if first[one.path] is one]
        total = now.total + found.total - sum(one.path in there for one in gone)
        return replace(
            both, vault=now.vault, fusion=now.fusion, results=tuple(shown[: request.limit]),
            total=total, generation=now.generation,
        )  # fmt: skip

    def _gone(self, head: str) -> Mapping[str, list[str]]:
        """The lines that stand in no note any more, by the path of the note they went from last."""
        known = {
            _said(line)
            for content in self._git.contents(
                one for path, one in self._git.files(head).items() if self._is_read(path)
            )
            for line in content.decode("utf-8", "replace").splitlines()
        }
        gone: dict[str, list[str]] = {}
        for change in self._git.changes():
            if change.path.endswith(self._vault.source.types):
                for line in map(str.strip, change.removed):
                    if _TEXT.match(line) and (said := _said(line)) not in known:
                        known.add(said)
                        gone.setdefault(change.path, []).append(_HEADING.sub("", line, 1))
        return gone

    def _uri(self, result: Result) -> str:
        return self._vault.source.uri(result.path, result.block)

    def versions(self, request: HistoryRequest) -> HistoryReply:
        """The changes of a note, or of all, whose lines match; SourceError without a history."""
        self._git.head()
        asked = set(words(request.q))
        wanted = {stem(word) for word in (asked - function_words(asked)) or asked}
        matching = [
            found
            for change in self._git.changes(request.path)
            if change.path.endswith(self._vault.source.types)
            for found in _matching(change, wanted)
        ]
        written = [one for one in matching if one.added]
        return HistoryReply(
            query=request.q,
            path=request.path,
            vault=self._vault.record.name,
            total=len(matching),
            first=written[-1] if written else None,
            versions=tuple(matching[: request.limit]),
        )


def _matching(change: FileChange, wanted: set[str]) -> Iterator[NoteVersion]:
    """The change with its lines that have the words `wanted`, as stems; none if none has."""

    def found(lines: list[str]) -> tuple[str, ...]:
        has = (line for line in lines if line.strip() and _share(wanted, line) >= _ENOUGH)
        return tuple(line[:_LONGEST] for line in islice(has, _MOST_LINES))

    added, removed = found(change.added), found(change.removed)
    if added or removed:
        yield NoteVersion(
            change.commit, iso(change.at) or "", change.path, change.subject, added, removed
        )


def _said(line: str) -> str:
    """The words of a line: one that had other marks or capitals said the same."""
    return " ".join(_WORD.findall(line.casefold()))


def _share(wanted: set[str], line: str) -> float:
    if not wanted:
        return 1.0
    return len(wanted & {stem(word) for word in words(line)}) / len(wanted)


def _end_of(day: str) -> float:
    """The end of a day where this computer is, POSIX seconds."""
    try:
        after = date.fromisoformat(day) + timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{day!r} is no day; write it as 2025-03-01.") from error
    return datetime.combine(after, time()).astimezone().timestamp()


# Indexes of the past: of the notes of one commit, and of the lines that are gone.
#
# Each is made when it is first asked for, in a thread, from a folder of files that is deleted once
# they are read: so it equals the index of a checkout. Texts that the present index has embedded are
# not embedded again. Few are kept on the disk, and fewer open.

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
