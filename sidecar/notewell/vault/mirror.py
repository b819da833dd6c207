"""Stores the notes that clients send to a mirror vault in its folder.

All changes of a request are validated before any is applied, and each note is replaced atomically,
so a crash leaves either its old or its new content. The client's next `sync` repeats what a crash
prevented. Applying the same changes twice has no further effect.

`MirrorMerge` keeps what the server itself wrote to notes that clients have not confirmed yet.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import count, islice
from pathlib import Path, PurePosixPath

from notewell.base.errors import (
    NotewellError,
    OutsideVaultError,
    UnreadableNoteError,
    UsageError,
    VaultError,
)
from notewell.base.support import disk
from notewell.base.types import FileRef, VaultRules
from notewell.base.types.frozen import frozen
from notewell.contract.status import Change, ConfirmedWrite, ServerWriteView
from notewell.vault import files, walker
from notewell.vault.paths import bad_name, check_name, hides, is_note
from notewell.vault.readers import describe_types
from notewell.vault.readers.text import MARKDOWN
from notewell.vault.write import MAX_BYTES, NOT_HELD, VaultWriter, content_hash, spelling
from notewell.vault.write_journal import Base, ServerWrite, ServerWrites, digest

# Hidden, so that nothing in it is ever a note; in the folder itself, so that a file is moved and
# never copied to its place.
STAGING = ".staging"
# Leaves a quarter of the largest request for what JSON adds to a text.
MAX_CONTENT_BYTES = 12 * 1024 * 1024

_MS = 1_000_000  # nanoseconds
_SECOND_NOTE = "Notewell's version"
_AT_ONCE = 20  # changes applied before the server's writers get their turn


class Mirror:
    """The folder of a mirror vault. Used by one thread at a time."""

    def __init__(self, root: Path, types: tuple[str, ...] = (MARKDOWN.suffix,)) -> None:
        """Create the folder if it is missing and delete temporary files that a crash left behind.

        `types` are the endings of the files that it takes.
        """
        self._types = types
        self._root = Path(os.path.realpath(root))
        self._staging = self._root / STAGING
        try:
            shutil.rmtree(self._staging, ignore_errors=True)
            disk.make_folder(self._staging)
        except OSError as error:
            raise _not_written(str(root), error) from error

    def files(self) -> dict[str, FileRef]:
        return {
            file.path: file for file in walker.walk(self._root, VaultRules(types=self._types)).files
        }

    def check(self, changes: Iterable[Change]) -> None:
        """Validate changes without writing anything.

        Raises OutsideVaultError or UsageError for the first invalid one, with a code and its path.
        """
        for change in changes:
            self._place(change.path)
            if change.old_path is not None:
                self._place(change.old_path)
            written = change.kind in {"create", "modify"} and self._keeps(change.path)
            if written and change.content is None:
                raise UsageError(
                    f"`content` of {change.path} is missing: a mirror is filled by its clients.",
                    code="content_missing",
                )
            old, new = f"{change.old_path}/", f"{change.path}/"
            if old != new and (new.startswith(old) or old.startswith(new)):
                raise UsageError(f"{change.old_path} cannot be moved to {change.path}.")
            size = len(_bytes(change))
            if size > MAX_CONTENT_BYTES:
                raise UsageError(
                    f"{change.path} has {size / 1e6:.1f} MB; a mirror keeps notes of up to"
                    f" {MAX_CONTENT_BYTES / 1e6:.1f} MB.",
                    code="note_too_large",
                )

    def apply(self, changes: Sequence[Change]) -> tuple[str, ...]:
        """Apply validated changes in order and return warnings for the user.

        Raises VaultError if the disk refuses a write. Earlier changes are then done, and it is
        safe to send all of them again.
        """
        warnings: dict[str, None] = {}
        for change in changes:
            try:
                warning = self._do(change)
            except OSError as error:
                raise _not_written(change.path, error) from error
            if warning is not None:
                warnings[warning] = None
        return tuple(warnings)

    def remove(self, paths: Iterable[str]) -> None:
        """Delete notes; a missing one is not an error."""
        self.apply([Change("delete", path) for path in paths])

    def stamp(self, path: str, mtime: int | None) -> None:
        """Give a note the modification time (ms) that it has at a client."""
        try:
            _stamp(self._place(path), mtime)
        except OSError as error:
            raise _not_written(path, error) from error

    def _do(self, change: Change) -> str | None:
        if change.kind == "delete":
            self._delete(change.path)
            return None
        if change.kind == "rename":
            return self._rename(change)
        return self._write(change)

    # --- one note --------------------------------------------------------------------------

    def _write(self, change: Change) -> str | None:
        if not self._keeps(change.path):
            return (
                f"{change.path} was left out: a mirror keeps {describe_types(self._types)} alone."
            )
        place = self._place(change.path)
        blocked = self._obstacle(place)
        if blocked is not None:
            return blocked
        raw = _bytes(change)
        before = _status(place)
        if before is not None and before.st_size == len(raw) and place.read_bytes() == raw:
            _stamp(place, change.mtime)
            return None
        disk.make_folder(place.parent)
        self._replace(place, raw, _new_mtime(change.mtime, len(raw), before))
        return None

    def _replace(self, place: Path, raw: bytes, mtime_ns: int) -> None:
        disk.make_folder(self._staging)
        handle, name = tempfile.mkstemp(dir=self._staging)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
                stream.flush()
                os.fsync(stream.fileno())
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)

    def _delete(self, path: str) -> None:
        if hides(path):
            return
        place = self._place(path)
        if place.is_dir():
            shutil.rmtree(place)
        elif _status(place) is not None:
            place.unlink()
        self._prune(place.parent)

    # --- renames ---------------------------------------------------------------------------

    def _rename(self, change: Change) -> str | None:
        old_path = change.old_path or change.path
        if old_path != change.path:
            warning = self._move(old_path, change)
            if warning is not None:
                return warning
        if change.content is not None and self._keeps(change.path):
            return self._write(change)
        if self._keeps(change.path):
            _stamp(self._place(change.path), change.mtime)
        return None

    def _move(self, old_path: str, change: Change) -> str | None:
        old, new = self._place(old_path), self._place(change.path)
        if hides(old_path) or not old.exists():
            # Moved before, or never sent: then its content comes along, or a `sync` asks for it.
            if self._keeps(change.path) and change.content is None and not new.exists():
                return f"{old_path} is not here yet, so it was not renamed; `sync` asks for it."
            return None
        if hides(change.path) or (old.is_file() and not self._keeps(change.path)):
            self._delete(old_path)  # into the trash, or no note any more
            return None
        blocked = self._obstacle(new, folder=old.is_dir())
        if blocked is not None:
            return blocked
        disk.make_folder(new.parent)
        if old.is_dir() and new.exists() and not new.samefile(old):
            _merge(old, new)
        else:
            # Replaces a note; where two cases of a name are one file, it gets the new case.
            old.replace(new)
        self._prune(old.parent)
        return None

    def _keeps(self, path: str) -> bool:
        return is_note(path, self._types)

    # --- places ----------------------------------------------------------------------------

    def _place(self, path: str) -> Path:
        """The path on disk. Symbolic links are refused, even those that stay inside the folder."""
        check_name(path)
        try:
            place = files.contain_path(self._root, path)
            _status(place)
        except OSError as error:
            raise bad_name(path, error.strerror or str(error)) from error
        if spelling(place) != spelling(self._root / path):
            raise OutsideVaultError(f"{path} goes through a link; a mirror follows none.")
        return place

    def _obstacle(self, place: Path, *, folder: bool = False) -> str | None:
        """A warning if another file or folder occupies the place of a note (or of a `folder`)."""
        above = [parent for parent in place.parents if self._root in parent.parents]
        blocking = next((parent for parent in above if parent.is_file()), None)
        if blocking is None and place.exists() and place.is_dir() != folder:
            blocking = place
        if blocking is None:
            return None
        stands = blocking.relative_to(self._root).as_posix()
        kind = "a note" if blocking.is_file() else "a folder"
        return f"{place.relative_to(self._root).as_posix()} was left out: {stands} is {kind} here."

    def _prune(self, folder: Path) -> None:
        while self._root in folder.parents:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent


def _merge(old: Path, new: Path) -> None:
    """Move the contents of `old` into the existing folder `new`; files of `old` win."""
    for folder, _, names in os.walk(old):
        target = new / Path(folder).relative_to(old)
        disk.make_folder(target)
        for name in names:
            Path(folder, name).replace(target / name)
    shutil.rmtree(old)


def _bytes(change: Change) -> bytes:
    return (change.content or "").encode("utf-8", "replace")


def _status(place: Path) -> os.stat_result | None:
    """The status of a path without following links; None if nothing is there."""
    try:
        return place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _stamp(place: Path, mtime: int | None) -> None:
    """Set the modification time of a note to that of the client (milliseconds)."""
    before = _status(place)
    if before is None or mtime is None or not stat.S_ISREG(before.st_mode):
        return
    if before.st_mtime_ns // _MS != mtime:
        os.utime(place, ns=(mtime * _MS, mtime * _MS))


def _new_mtime(mtime: int | None, size: int, before: os.stat_result | None) -> int:
    """The modification time for new content, in nanoseconds.

    The indexer detects changes by size and modification time. If both would stay the same, a
    microsecond is added, which clients do not see because they count in milliseconds.
    """
    if mtime is None:
        return time.time_ns()
    wanted = mtime * _MS
    if before is None or before.st_size != size or before.st_mtime_ns // _MS != mtime:
        return wanted
    return wanted + (before.st_mtime_ns - wanted + 1000) % _MS


def _not_written(path: str, error: OSError) -> NotewellError:
    why = error.strerror or str(error)
    if error.errno in NOT_HELD:
        return bad_name(path, why)
    return VaultError(
        f"The mirror cannot be written ({path}: {why}). Check the data directory's disk; sending"
        " the changes again is safe.",
        code="mirror_unwritable",
    )


@frozen
class Received:
    """The outcome of a client's changes: warnings for people, and notes written beside theirs."""

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
            with self._lock():
                done = self._apply_some(changes[at : at + _AT_ONCE], writes)
            warnings += done.warnings
            second_notes += done.second_notes
        return Received(tuple(dict.fromkeys(warnings)), tuple(second_notes))

    def unlisted(self, listed: dict[str, tuple[int, int]]) -> tuple[frozenset[str], frozenset[str]]:
        """Compares the server's writes with a client's list of (size, mtime).

        Gives the notes that the client cannot list yet, and those it has in the version before
        the server's, which it must not send again.
        """
        with self._lock():
            pending = [entry for entry, _ in self._pending()]
        new = frozenset(write.path for write in pending if write.base is None)
        old = frozenset(
            write.path
            for write in pending
            if write.base is not None
            and write.path in listed
            and abs(listed[write.path][1] - write.base.mtime) <= 1
        )
        return new, old

    def _apply_some(self, changes: Sequence[Change], writes: ServerWrites) -> Received:
        if not writes.all():
            return Received(self._mirror.apply(changes), ())
        done = [self._apply(change, writes) for change in changes]
        return Received(
            tuple(warning for received in done for warning in received.warnings),
            tuple(path for received in done for path in received.second_notes),
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
        for path, entry in pending.items():
            raw = self._read(path)
            if entry.base is None and raw is not None and path != change.path:
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
        with self._lock():
            shown = islice(self._pending(after), limit)
            return tuple(_view(entry, raw) for entry, raw in shown), self.waiting

    @property
    def waiting(self) -> int:
        """The number of the server's writes that no client has confirmed; any thread may ask."""
        writes = self._writes()
        return 0 if writes is None else len(writes.all())

    def confirm(self, confirmed: Sequence[ConfirmedWrite]) -> int:
        """Record what a client has applied; returns how many writes are settled by that."""
        writes = self._writes()
        if writes is None:
            return 0
        settled = 0
        with self._lock():
            known = {write.path: write for write in writes.all()}
            for write in confirmed:
                raw = self._read(write.path)
                if write.path not in known:
                    continue
                if write.hash == (None if raw is None else digest(raw)):
                    writes.settle(write.path)
                    self._mirror.stamp(write.path, write.mtime)
                    settled += 1
                else:  # written again meanwhile
                    base = None if write.hash is None else Base(write.hash, write.mtime or 0)
                    writes.rebase(write.path, base)
        return settled

    def _pending(self, after: int = 0) -> Iterator[tuple[ServerWrite, bytes | None]]:
        """The unconfirmed writes after a number, with what the notes say now.

        One that a crash prevented, or that was undone, has changed nothing and is forgotten.
        """
        writes = self._writes()
        for write in () if writes is None else writes.all(after):
            raw = self._read(write.path)
            same = None if write.base is None else write.base.digest
            if writes is not None and same == (None if raw is None else digest(raw)):
                writes.settle(write.path)
            else:
                yield write, raw

    def _writes(self) -> ServerWrites | None:
        return None if self._writer is None else self._writer.server_writes

    def _lock(self) -> AbstractContextManager[None]:
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
