"""Writes notes of a vault; no other module does, but for what clients send to a mirror.

Concurrent changes are never overwritten: the caller passes the content hash of the note it has
read; if the note has changed since, nothing is written. New content is written to a temporary file
that then replaces the note atomically, so a crash leaves either the old or the new note. Every
write is recorded in a journal outside the vault and can be undone. Repeating a write has no
further effect.

Another program could still write in the microseconds between the check and the replacement; no
file system offers an atomic compare-and-replace.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from notewell.base.errors import (
    ChangedNoteError,
    NotFoundError,
    OutsideVaultError,
    UnreadableNoteError,
    UsageError,
    WriteError,
)
from notewell.base.types import SourceText, VaultRecord
from notewell.base.types.frozen import frozen
from notewell.vault import files
from notewell.vault.paths import bad_name, check_name, is_note
from notewell.vault.readers.reader import MARKS
from notewell.vault.readers.text import MARKDOWN
from notewell.vault.write_journal import Base, Journal, JournalEntry, ServerWrites, digest

MAX_BYTES = 16 * 1024 * 1024  # of a note that is written
TEMPORARY = ".notewell-"  # hidden from Obsidian and from our own walk
_LEFT_SECONDS = 3600.0
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
NOT_HELD = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)


@frozen
class TextForm:
    """The encoding and byte order mark of a note."""

    mark: bytes = b""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, path: str, raw: bytes | None) -> TextForm:
        """Detect the form of a note; WriteError if decoding and encoding would change its bytes."""
        if raw is None:
            return cls()
        marked = next(
            ((mark, name) for mark, name in MARKS if raw.startswith(mark)), (b"", "utf-8")
        )
        form = cls(*marked)
        try:
            if form.encode(path, form.decode(raw)) == raw:
                return form
        except (UnicodeDecodeError, WriteError):
            pass
        raise WriteError(
            f"{path} is not written in UTF-8, so nothing in it is changed. Save it as UTF-8.",
            code="not_utf8",
        )

    def decode(self, raw: bytes | None) -> str:
        """Return the text of a note in this form."""
        return "" if raw is None else raw[len(self.mark) :].decode(self.encoding)

    def encode(self, path: str, text: str) -> bytes:
        """Return the bytes of a text; UsageError if it is too long or not valid Unicode."""
        try:
            raw = self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise UsageError(f"The text for {path} is not valid Unicode.") from error
        if len(raw) > MAX_BYTES:
            raise UsageError(
                f"{path} would have {len(raw) / 1e6:.1f} MB; notes of up to {MAX_BYTES / 1e6:.1f}"
                " MB are written.",
                code="note_too_large",
            )
        return raw


@frozen
class Written:
    """The result of a write. `number` is its journal entry; None if nothing had to be changed."""

    path: str
    content_hash: bytes | None  # of the current content; None if the note does not exist
    number: int | None = None


@frozen
class Undone:
    """The writes that undoing made, and why other notes of the batch were left alone."""

    written: tuple[Written, ...]
    refused: tuple[tuple[str, WriteError | UnreadableNoteError], ...] = ()  # path, reason


class CheckPath(Protocol):
    """Checks that a note may be read (`writes` False) or written; raises NotewellError."""

    def __call__(self, path: str, *, writes: bool) -> None: ...


class VaultWriter:
    """Writes notes of one vault. Any thread may call; writers take turns."""

    def __init__(
        self,
        root: Path,
        journal: Journal,
        server_writes: ServerWrites | None = None,
        check: CheckPath | None = None,
    ) -> None:
        """The folder is not accessed before the first call.

        `server_writes` is given for a mirror: there each write is recorded for its clients.
        `check` raises where a path may not be read here, or not be written.
        """
        self._root = Path(os.path.realpath(root))
        self._check = check
        self.journal = journal
        self.server_writes = server_writes

    def read(self, path: str) -> SourceText:
        """Read a note and its content hash; raises what `files.read` raises."""
        self._place(path, writes=False)
        return files.read(files.stat(self._root, path), max_bytes=MAX_BYTES)

    def create(self, path: str, text: str, *, action: str) -> Written:
        """Write a new note, and the folders above it.

        ChangedNoteError if the note already exists with other content.
        """
        return self._put(path, lambda _: text, seen=None, action=action)

    def replace(self, path: str, text: str, *, seen: bytes, action: str) -> Written:
        """Replace the text of a note; its encoding stays.

        `seen` is the hash of the note that the caller has read; ChangedNoteError if it has changed.
        """
        return self._put(path, lambda _: text, seen=seen, action=action)

    def edit(
        self,
        path: str,
        edit: Callable[[str], str],
        *,
        seen: bytes | None,
        action: str,
        dry_run: bool = False,
    ) -> Written:
        """Give a note the text that `edit` makes of it.

        `seen` as in `replace`; None: whatever the note is now. With `dry_run` nothing is written.
        NotFoundError if the note does not exist.
        """
        self._place(path)
        with self.journal.writing():
            raw = self._bytes(path)
            if raw is None:
                raise NotFoundError(f"There is no note {path} in the vault. Check its path.")
            now = content_hash(raw)
            form = TextForm.of(path, raw)
            after = form.encode(path, edit(form.decode(raw)))
            if after != raw:
                _check(path, now if seen is None else seen, now)
            if dry_run:
                return Written(path, now)
            return self._put(path, lambda _: form.decode(after), now, action)

    def delete(self, path: str, *, seen: bytes, action: str) -> Written:
        """Delete a note; a missing one is not an error."""
        place = self._place(path)
        with self.journal.writing():
            raw = self._bytes(path)
            if raw is None:
                return Written(path, None)
            _check(path, seen, content_hash(raw))
            return self._journal(path, place, action, raw, None)

    def undo(self, number: int | None = None) -> Written:
        """Restore a note as it was before a write; None is the newest that is not undone yet.

        The time of its last change is restored too, except in a mirror, whose clients compare it.

        An undo is itself a write and can be undone by its number. ChangedNoteError if the note has
        changed since; NotFoundError if the journal has no such write.
        """
        with self.journal.writing():
            entry = self.journal.entry(number)
            place = self._place(entry.path)
            raw = self._bytes(entry.path)
            now = None if raw is None else content_hash(raw)
            if now == entry.before_hash:
                written = Written(entry.path, now)
            elif now == entry.after_hash:
                before = self.journal.before(entry.number)
                written = self._journal(entry.path, place, "undo", raw, before)
                at_ns = self.journal.time_before(entry.number)
                if at_ns is not None and before is not None and self.server_writes is None:
                    _set_time(place, at_ns)
            else:
                raise _changed_error(entry.path)
            self.journal.mark_undone(entry.number)
        return written

    def undo_together(self, number: int | None = None) -> Undone:
        """Undo a write as `undo` does, with all others of its batch, newest first.

        Of a batch, notes that have changed since are left alone and named, and what was undone is
        again one batch. ChangedNoteError if that leaves none.
        """
        with self.journal.batch():
            numbers = self.journal.together(self.journal.entry(number).number)
            written: list[Written] = []
            refused: list[tuple[str, WriteError | UnreadableNoteError]] = []
            for wanted in numbers:
                try:
                    written.append(self.undo(wanted))
                except (WriteError, UnreadableNoteError) as error:
                    if len(refused) + 1 == len(numbers):
                        raise
                    refused.append((self.journal.entry(wanted).path, error))
        return Undone(tuple(written), tuple(refused))

    def entries(self, limit: int) -> tuple[JournalEntry, ...]:
        return self.journal.entries(limit)

    # --- one write -------------------------------------------------------------------------

    def _put(
        self, path: str, edit: Callable[[str], str], seen: bytes | None, action: str
    ) -> Written:
        place = self._place(path)
        with self.journal.writing():
            raw = self._bytes(path)
            form = TextForm.of(path, raw)
            after = form.encode(path, edit(form.decode(raw)))
            if raw == after:
                return Written(path, content_hash(raw))
            _check(path, seen, None if raw is None else content_hash(raw))
            return self._journal(path, place, action, raw, after)

    def _journal(
        self, path: str, place: Path, action: str, before: bytes | None, after: bytes | None
    ) -> Written:
        now = None if after is None else content_hash(after)
        number = self.journal.enter(
            path,
            action,
            before=before,
            before_hash=None if before is None else content_hash(before),
            after_hash=now,
            before_ns=None if before is None else _changed_at(place),
        )
        try:
            if self.server_writes is not None:
                self.server_writes.add(path, number, _base(place, before))
            if after is None:
                place.unlink()
            else:
                _store(place, after, new=before is None)
        except FileExistsError as error:
            self._withdraw(number)
            raise _changed_error(path) from error
        except OSError as error:
            self._withdraw(number)
            raise _not_written(path, error) from error
        return Written(path, now, number)

    def _withdraw(self, number: int) -> None:
        """Delete the entry of a write that failed; where it stays, undoing it has no effect."""
        with suppress(WriteError):  # why the note was not written says more
            self.journal.withdraw(number)

    # --- places ----------------------------------------------------------------------------

    def _place(self, path: str, *, writes: bool = True) -> Path:
        """The path of a note on disk. Symbolic links are refused, even those inside the vault."""
        check_name(path)
        if self._check is not None:
            self._check(path, writes=writes)
        if not is_note(path, (MARKDOWN.suffix,)):
            raise UsageError(
                f"{path} is no place for a note: notes end in .md and no folder of theirs is"
                " hidden.",
                code="bad_name",
            )
        try:
            place = files.contain_path(self._root, path)
        except OSError as error:
            raise bad_name(path, error.strerror or str(error)) from error
        if spelling(place) != spelling(self._root / path):
            raise OutsideVaultError(f"{path} goes through a link; nothing is written there.")
        return place

    def _bytes(self, path: str) -> bytes | None:
        """The bytes of a note; None if it does not exist."""
        try:
            file = files.stat(self._root, path)
            return files.read_bytes(file, max_bytes=MAX_BYTES)
        except UnreadableNoteError as error:
            if error.code == "vanished":
                return None
            raise


def content_hash(raw: bytes) -> bytes:
    """The hash that identifies the content of a note, as in `SourceText`."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def _base(place: Path, before: bytes | None) -> Base | None:
    """The version of a note that the clients of a mirror have."""
    if before is None:
        return None
    return Base(digest(before), place.stat().st_mtime_ns // 1_000_000)


def _changed_at(place: Path) -> int | None:
    try:
        return place.stat().st_mtime_ns
    except OSError:
        return None


def _set_time(place: Path, at_ns: int) -> None:
    with suppress(OSError):  # the content is what matters
        os.utime(place, ns=(at_ns, at_ns))


def _store(place: Path, raw: bytes, *, new: bool) -> None:
    """Write a file atomically; FileExistsError if it is `new` and already exists.

    An OSError means that the file is as it was. What fails after it has its new content is no
    failure of the write: the caller would take the write for undone.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(place.parent)
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=".tmp", dir=place.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644 if new else place.stat().st_mode & 0o777)
        if new:
            _settle(temporary, place)
        else:
            temporary.replace(place)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    with suppress(OSError):
        _sync_folder(place.parent)


def _remove_leftovers(folder: Path) -> None:
    """Delete the temporary files that a process left here when it was killed."""
    with suppress(OSError):
        for file in folder.glob(f"{TEMPORARY}*.tmp"):
            # A younger one may be at work on another device, whose files are synced to here.
            if file.stat().st_mtime < time.time() - _LEFT_SECONDS:
                file.unlink(missing_ok=True)


def _settle(temporary: Path, place: Path) -> None:
    """Give a new file its name without replacing an existing file."""
    try:
        os.link(temporary, place)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from error
        temporary.rename(place)


def _sync_folder(folder: Path) -> None:
    """Flush the directory entry to disk; Windows does this itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(path: str, seen: bytes | None, now: bytes | None) -> None:
    if seen != now:
        raise _changed_error(path)


def _changed_error(path: str) -> ChangedNoteError:
    return ChangedNoteError(
        f"{path} was changed, made or deleted since it was read; nothing was written. Read it"
        " again, then decide anew."
    )


def _not_written(path: str, error: OSError) -> UsageError | WriteError:
    why = error.strerror or str(error)
    if error.errno in NOT_HELD:
        return bad_name(path, why)
    return WriteError(f"{path} cannot be written: {why}. Check its permissions and the disk.")


def spelling(place: Path) -> str:
    """A path for comparisons: file systems may change the Unicode form or case of names."""
    return unicodedata.normalize("NFC", os.path.normcase(place))


def open_writer(
    record: VaultRecord, data_dir: Path, check: CheckPath | None = None
) -> VaultWriter | None:
    """The safe writer of a vault; None if the vault is read-only, as converted notes are.

    What is written to a mirror is recorded for its clients. With the data directory inside a
    vault, the journal would be synced with the vault. All views of a vault have one journal, so
    that its owner can undo what assistants wrote.
    """
    folder = record.owners.data_folder(data_dir)
    if record.is_converted or folder.absolute().is_relative_to(record.path):
        return None
    journal = Journal(folder)
    told = ServerWrites(journal) if record.source == "mirror" else None
    return VaultWriter(record.path, journal, told, check)
