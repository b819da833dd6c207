"""Merges what clients send to a mirror with what the server wrote there itself.

A client's change to a note that the server has written too, and that the client has not seen yet,
is a conflict: the client's version stays, because the vault is its own, and the server's becomes a
second note beside it. Nothing is lost: what a client deletes is in the undo journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import count, islice
from pathlib import Path, PurePosixPath

from notewell.base.errors import UnreadableNoteError
from notewell.base.types.frozen import frozen
from notewell.contract.changes import Change, ConfirmedWrite, ServerWriteView
from notewell.vault import files
from notewell.vault.mirror import Mirror
from notewell.vault.note_form import MAX_BYTES
from notewell.vault.server_writes import Base, ServerWrite, ServerWrites, digest
from notewell.vault.write import VaultWriter, content_hash

_MS = 1_000_000  # nanoseconds
_SECOND_NOTE = "Notewell's version"
_AT_ONCE = 20  # changes applied before the server's writers get their turn


@frozen
class Received:
    """What came of a client's changes: warnings for people, and notes written beside theirs."""

    warnings: tuple[str, ...]
    second_notes: tuple[str, ...]


class MirrorMerge:
    """Applies changes of clients to a mirror, and tells them the server's own writes.

    Used by one thread at a time, while the server's writers may be at work in others.
    """

    def __init__(self, root: Path, mirror: Mirror, writer: VaultWriter | None) -> None:
        """`writer` None: the server never writes to this mirror."""
        self._root = root
        self._mirror = mirror
        self._writer = writer

    # --- from clients ----------------------------------------------------------------------

    def apply(self, changes: Sequence[Change]) -> Received:
        """Apply validated changes in order; raises what `Mirror.apply` raises, and WriteError.

        The server's writers wait meanwhile, so that neither side overwrites what it has not seen.
        """
        writes = self._writes()
        if writes is None:
            return Received(self._mirror.apply(changes), ())
        warnings: list[str] = []
        second_notes: list[str] = []
        for at in range(0, len(changes), _AT_ONCE):
            with self._locked():
                done = self._apply_some(changes[at : at + _AT_ONCE], writes)
            warnings += done.warnings
            second_notes += done.second_notes
        return Received(tuple(dict.fromkeys(warnings)), tuple(second_notes))

    def unlisted(self, listed: dict[str, tuple[int, int]]) -> tuple[frozenset[str], frozenset[str]]:
        """How the server's writes change a comparison with a client's list of (size, mtime).

        Gives the notes that the client cannot list yet, and those it has in the version before
        the server's, which it must not send again.
        """
        with self._locked():
            pending = [one for one, _ in self._pending()]
        new = frozenset(one.path for one in pending if one.base is None)
        old = frozenset(
            one.path
            for one in pending
            if one.base is not None
            and one.path in listed
            and abs(listed[one.path][1] - one.base.mtime) <= 1
        )
        return new, old

    def _apply_some(self, changes: Sequence[Change], writes: ServerWrites) -> Received:
        if not writes.all():
            return Received(self._mirror.apply(changes), ())
        done = [self._apply(change, writes) for change in changes]
        return Received(
            tuple(warning for one in done for warning in one.warnings),
            tuple(path for one in done for path in one.second_notes),
        )

    def _apply(self, change: Change, writes: ServerWrites) -> Received:
        if change.kind == "rename" and change.old_path is not None:
            moved = self._mirror.apply([replace(change, content=None)])
            writes.move(change.old_path, change.path)
            if change.content is None:
                return Received(moved, ())
            change = Change("modify", change.path, mtime=change.mtime, content=change.content)
        pending = writes.within(change.path)
        if pending and change.kind == "delete":
            return self._delete(change, pending, writes)
        if change.path in pending:
            return self._replace(change, pending[change.path], writes)
        return Received(self._mirror.apply([change]), ())

    def _replace(self, change: Change, pending: ServerWrite, writes: ServerWrites) -> Received:
        theirs = (change.content or "").encode("utf-8", "replace")
        ours = self._read(change.path)
        if pending.base is not None and digest(theirs) == pending.base.digest:
            return Received((), ())  # the version before ours, sent again
        if ours is None or ours == theirs:
            warnings = self._mirror.apply([change])
            writes.settle(change.path)
            return Received(warnings, ())
        second = self._write_beside(change.path, ours)
        warnings = self._mirror.apply([change])
        writes.settle(change.path)  # last: a crash before makes the client send its version again
        conflict = f"{change.path} was changed by a client and by Notewell; see also {second}."
        return Received((*warnings, conflict), (second,))

    def _delete(
        self, change: Change, pending: dict[str, ServerWrite], writes: ServerWrites
    ) -> Received:
        """Delete a note or a folder, but not the notes in it that the client has never had."""
        new = {}
        for path, one in pending.items():
            raw = self._read(path)
            if one.base is None and raw is not None and path != change.path:
                new[path] = raw
            else:
                self._keep_deleted(path, raw)
                writes.settle(path)
        warnings = self._mirror.apply([change])
        again = [Change("create", path, content=_text(raw)) for path, raw in new.items()]
        return Received((*warnings, *self._mirror.apply(again)), ())

    def _keep_deleted(self, path: str, raw: bytes | None) -> None:
        if raw is not None and self._writer is not None:
            self._writer.journal.enter(
                path,
                "deleted by a client",
                before=raw,
                before_hash=content_hash(raw),
                after_hash=None,
            )

    def _write_beside(self, path: str, raw: bytes) -> str:
        """Write the server's version of a note under a free name; returns its path."""
        at = PurePosixPath(path)
        for number in count(1):
            mark = _SECOND_NOTE if number == 1 else f"{_SECOND_NOTE} {number}"
            second = str(at.with_name(f"{at.stem} ({mark}){at.suffix}"))
            if self._read(second) is None:
                break
        if self._writer is not None:
            self._writer.create(second, _text(raw), action="conflict")
        return second

    # --- to clients ------------------------------------------------------------------------

    def feed(self, after: int, limit: int) -> tuple[tuple[ServerWriteView, ...], int]:
        """The server's writes after a number, oldest first, and how many there are in all."""
        with self._locked():
            shown = islice(self._pending(after), limit)
            return tuple(_view(one, raw) for one, raw in shown), self.waiting

    @property
    def waiting(self) -> int:
        """How many of the server's writes no client has confirmed; any thread may ask."""
        writes = self._writes()
        return 0 if writes is None else len(writes.all())

    def confirm(self, confirmed: Sequence[ConfirmedWrite]) -> int:
        """Record what a client has applied; returns how many writes are settled by that."""
        writes = self._writes()
        if writes is None:
            return 0
        settled = 0
        with self._locked():
            known = {one.path: one for one in writes.all()}
            for one in confirmed:
                raw = self._read(one.path)
                if one.path not in known:
                    continue
                if one.hash == (None if raw is None else digest(raw)):
                    writes.settle(one.path)
                    self._mirror.stamp(one.path, one.mtime)
                    settled += 1
                else:  # written again meanwhile
                    base = None if one.hash is None else Base(one.hash, one.mtime or 0)
                    writes.rebase(one.path, base)
        return settled

    def _pending(self, after: int = 0) -> Iterator[tuple[ServerWrite, bytes | None]]:
        """The unconfirmed writes after a number, with what the notes say now.

        One that a crash prevented, or that was undone, has changed nothing and is forgotten.
        """
        writes = self._writes()
        for one in () if writes is None else writes.all(after):
            raw = self._read(one.path)
            same = None if one.base is None else one.base.digest
            if writes is not None and same == (None if raw is None else digest(raw)):
                writes.settle(one.path)
            else:
                yield one, raw

    def _writes(self) -> ServerWrites | None:
        return None if self._writer is None else self._writer.server_writes

    def _locked(self) -> AbstractContextManager[None]:
        return nullcontext() if self._writer is None else self._writer.journal.writing()

    def _read(self, path: str) -> bytes | None:
        try:
            return files.read_bytes(files.stat(self._root, path), max_bytes=MAX_BYTES)
        except UnreadableNoteError as error:
            if error.code == "vanished":
                return None
            raise


def _view(one: ServerWrite, raw: bytes | None) -> ServerWriteView:
    return ServerWriteView(
        number=one.number,
        kind="delete" if raw is None else "create" if one.base is None else "modify",
        path=one.path,
        content=None if raw is None else _text(raw),
        hash=None if raw is None else digest(raw),
        base_hash=None if one.base is None else one.base.digest,
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
