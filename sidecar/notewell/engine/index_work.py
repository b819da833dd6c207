"""Work for the index of a vault that is asked for: changes, lists of files, runs, the queue.

Beside a folder vault a client only says where to look. A mirror vault holds what its clients send.
"""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from notewell.base.errors import NotFoundError, UnreadableNoteError
from notewell.base.types import FileStamp, VaultRecord
from notewell.contract.status import (
    AcceptedReply,
    Change,
    ConfirmedWrite,
    ServerWritesReply,
    SyncReply,
)
from notewell.engine.ingest.plan import Guarded, guard
from notewell.engine.ingest.queue import MOST_PATHS, Work
from notewell.engine.ingest.writer import Writer
from notewell.index.port import Index
from notewell.search.query.find_note import did_you_mean
from notewell.vault.files import check_contained, contain_path
from notewell.vault.mirror import MAX_CONTENT_BYTES, Mirror, MirrorMerge
from notewell.vault.paths import check_name, is_document, is_note
from notewell.vault.sources import Source
from notewell.vault.write import VaultWriter

MOST_WARNINGS = 20
_MS = 1_000_000  # nanoseconds


class IndexWork:
    """Work for one vault's index, which its writer does.

    `take`, `sync`, `settle_guard`, `server_writes` and `confirm_writes` are called by one thread at
    a time, in the order in which clients asked; any thread may call the others. `elsewhere` starts
    a run in another engine of this process, where this one only reads.
    """

    def __init__(
        self,
        record: VaultRecord,
        index: Index,
        source: Source,
        writer: Writer,
        mirror: Mirror | None,
        *,
        own: VaultWriter | None = None,
    ) -> None:
        """`mirror` is the folder that clients fill, None for a folder vault.

        `own` is what the server writes notes with itself.
        """
        self.elsewhere: Callable[[], None] | None = None
        self.written: list[str] = []  # notes that were written here and are still to be indexed
        self._source = source
        self._types = source.types
        self._root = record.path
        self._index = index
        self._writer = writer
        self._mirror = mirror
        self._merge = None if mirror is None else MirrorMerge(record.path, mirror, own)
        self._held: frozenset[str] = frozenset()
        self._held_since = 0.0

    # --- what clients report -----------------------------------------------------------------

    def take(self, changes: Sequence[Change]) -> AcceptedReply:
        """Check all changes, apply them in order, and queue their paths for indexing.

        Raises OutsideVaultError or UsageError for the first that cannot be right; then none of
        them was taken.
        """
        named = (path for change in changes for path in (change.old_path, change.path))
        places = dict.fromkeys(path for path in named if path is not None)
        if self._mirror is None or self._merge is None:
            for path in places:
                check_name(path)
            check_contained(self._root, places)
            warnings = _ignored_contents(changes)
        else:
            self._mirror.check(changes)
            received = self._merge.apply(changes)
            warnings = received.warnings
            places |= dict.fromkeys(received.second_notes)
            self._hold(self._held - places.keys())
        self._queue_paths(tuple(places))
        return self._accept(len(changes), _few(warnings))

    def sync(self, files: Sequence[FileStamp]) -> SyncReply:
        """Compare a client's list of its files with ours, and queue the differences for indexing.

        A mirror loses what the client has no more, unless that is too much at once.
        """
        most = None if self._mirror is None else MAX_CONTENT_BYTES
        listed = _list(files, self._types, most_bytes=most)
        ours = self._ours()
        new, older = (
            self._merge.unlisted(listed)
            if self._merge
            else (self._find_unlisted(listed), frozenset())
        )
        need = sorted(
            (
                path
                for path, stamp in listed.items()
                if path not in older and _differs(stamp, ours.get(path))
            ),
            key=lambda path: (-listed[path][1], path),
        )
        gone = tuple(sorted(ours.keys() - listed.keys() - new))
        guarded = bool(guard(gone, len(ours)))
        if self._mirror is None:
            self._queue_paths((*gone, *need))
        else:
            self._hold(frozenset(gone if guarded else ()))
            if not guarded:
                self._remove(gone)
                # The list was checked against the guard above; no second confirmation is needed.
                self._queue_paths(gone, confirm_removals=True)
        return SyncReply(need=tuple(need), gone=gone, guard=guarded)

    def settle_guard(self, *, remove: bool) -> AcceptedReply:
        """Remove the notes that disappeared all at once, or keep them until they are seen again."""
        activity = self._writer.activity
        guarded = activity.guard or activity.held
        if guarded is None or not remove:
            return self._accept(0)
        if self._mirror is not None:
            self._remove(sorted(self._held))
            self._hold(frozenset())
        self._writer.submit(Work(confirm_removals=True, trigger="client"))
        return self._accept(guarded.gone)

    @property
    def waiting_writes(self) -> int:
        """The number of notes of the server that clients have to take; any thread may ask."""
        return 0 if self._merge is None else self._merge.waiting

    def server_writes(self, after: int, limit: int) -> ServerWritesReply:
        """The notes that the server wrote to a mirror, for its clients; none for a folder vault."""
        if self._merge is None:
            return ServerWritesReply((), 0)
        changes, waiting = self._merge.feed(after, limit)
        return ServerWritesReply(changes, waiting)

    def confirm_writes(self, confirmed: Sequence[ConfirmedWrite]) -> AcceptedReply:
        """Record which of these writes a client has applied."""
        settled = 0 if self._merge is None else self._merge.confirm(confirmed)
        return self._accept(settled)

    # --- runs --------------------------------------------------------------------------------

    def reindex(
        self, *, full: bool = False, paths: Sequence[str] = (), confirm_removals: bool = False
    ) -> AcceptedReply:
        """Queue a run over the vault or over some notes and folders of it (`check_paths`)."""
        self.check_paths(paths)
        work = Work(paths=tuple(paths), full=full, confirm_removals=confirm_removals)
        self._writer.submit(work)
        return self._accept(max(len(paths), 1))

    def check_paths(self, paths: Sequence[str]) -> None:
        """Check that each path leads to something that can be indexed, or leaves the index.

        Any thread may call it. Raises NotFoundError for a path that neither the vault nor its
        index has, and OutsideVaultError for one that is not inside the vault.
        """
        for path in paths:
            there = os.path.exists(contain_path(self._root, path))  # noqa: PTH110 - Path raises for long names
            known = (there and self._is_told(path)) or self._index.ledger_within([path])
            if not known:
                near = did_you_mean(self._index, path)
                raise NotFoundError(f"{path} is neither in the vault nor in its index{near}")

    def _is_told(self, path: str) -> bool:
        """False for what is on the disk and not there for whoever reads the source."""
        try:
            self._source.stamp(path)
        except UnreadableNoteError as error:
            return error.code != "vanished"
        return True

    def look_at(self, path: str) -> None:
        """Have a note that was written here indexed, by the writer or by who opened the index."""
        if self._writer.serving:
            self._writer.submit(Work(paths=(path,), saved=True, trigger="client"))
        else:
            self.written.append(path)
            if self.elsewhere is not None:
                self.elsewhere()

    def look_now(self, *paths: str) -> None:
        """Have paths, or the whole vault, indexed by the writer or in this thread."""
        if self._writer.serving:
            self._writer.submit(Work(paths=paths))
        elif self.elsewhere is not None:
            self.elsewhere()
        else:
            self._writer.run_here(Work(paths=paths))

    # --- the queue: each reply says how much the request concerned ----------------------------

    def pause(self) -> AcceptedReply:
        """Pause the writer until `resume`; searching goes on. Returns how much is queued."""
        self._writer.pause()
        return self._accept(self._writer.queue.waiting)

    def resume(self) -> AcceptedReply:
        """Resume the writer. Returns how much is queued."""
        self._writer.resume()
        return self._accept(self._writer.queue.waiting)

    def cancel(self) -> AcceptedReply:
        """Drop the queue and stop the running work; commits stay. Returns how much was queued."""
        waiting = self._writer.queue.waiting
        self._writer.queue.cancel()
        return self._accept(waiting)

    def retry(self) -> AcceptedReply:
        """Try every failed note again."""
        return self._accept(self._writer.retry())

    # --- inside --------------------------------------------------------------------------------

    def _accept(self, count: int, warnings: tuple[str, ...] = ()) -> AcceptedReply:
        return AcceptedReply(count, self._index.generation, warnings)

    def _remove(self, paths: Sequence[str]) -> None:
        if self._merge is not None:
            self._merge.apply([Change("delete", path) for path in paths])

    def _queue_paths(self, places: Sequence[str], *, confirm_removals: bool = False) -> None:
        if not places:
            return
        few = len(places) <= MOST_PATHS
        self._writer.submit(
            Work(
                paths=tuple(places) if few else (),
                saved=few,
                confirm_removals=confirm_removals,
                trigger="client",
            )
        )

    def _hold(self, paths: frozenset[str]) -> None:
        """Keep notes of a mirror that its client no longer has, until a person confirms removal."""
        if not self._held:
            self._held_since = time.time()
        self._held = paths
        total = self._index.counts().notes
        self._writer.hold(Guarded(len(paths), total, self._held_since) if paths else None)

    def _ours(self) -> dict[str, tuple[int, int] | None]:
        """Size and mtime (ms) of the files we have; None for one that is not read yet."""
        if self._mirror is not None:
            kept = self._mirror.files().values()
            return {file.path: (file.size, file.mtime_ns // _MS) for file in kept}
        return {
            entry.path: None if entry.state == "pending" else (entry.size, entry.mtime_ns // _MS)
            for entry in self._index.ledger()
            if not is_document(entry.path)
        }

    def _find_unlisted(self, listed: Iterable[str]) -> frozenset[str]:
        """Files of a folder vault that a client may leave out of its list.

        Those that no rule reads, and all of a type that it lists none of: many list Markdown alone.
        """
        types = {".md", *(PurePosixPath(path).suffix.lower() for path in listed)}
        return frozenset(
            entry.path
            for entry in self._index.ledger()
            if entry.state == "excluded" or PurePosixPath(entry.path).suffix.lower() not in types
        )


def _list(
    files: Sequence[FileStamp], types: tuple[str, ...], *, most_bytes: int | None
) -> dict[str, tuple[int, int]]:
    """The notes of a client's list by path; those it could not send count as absent."""
    listed = {}
    for path, size, mtime in files:
        key = path if path.isascii() else unicodedata.normalize("NFC", path)
        check_name(key)
        if is_note(key, types) and (most_bytes is None or size <= most_bytes):
            listed[key] = (size, mtime)
    return listed


def _differs(theirs: tuple[int, int], ours: tuple[int, int] | None) -> bool:
    # Some clients round a time to milliseconds and others truncate it.
    return ours is None or theirs[0] != ours[0] or abs(theirs[1] - ours[1]) > 1


def _ignored_contents(changes: Sequence[Change]) -> tuple[str, ...]:
    count = sum(change.content is not None for change in changes)
    if not count:
        return ()
    return (f"`content` of {count:,} changes was ignored: this vault's notes are read from disk.",)


def _few(warnings: tuple[str, ...]) -> tuple[str, ...]:
    if len(warnings) <= MOST_WARNINGS:
        return warnings
    return (*warnings[:MOST_WARNINGS], f"and {len(warnings) - MOST_WARNINGS:,} more")
