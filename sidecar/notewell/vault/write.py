"""The one way in which a folder vault is written: never over a change that nobody has seen.

A caller says by its content hash which state of a note it read. A note that is another by now is
left alone. A new content stands in a file beside the note, on disk, before it takes the note's
place in one step, so that a crash leaves the old note or the new one. Everything can be undone
from a journal outside the vault. Doing the same thing twice changes nothing the second time.

Between the last look at a note and its replacement other programs have some microseconds to write
it; no file system offers a comparison and a replacement in one step.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from notewell.errors import (
    ChangedNoteError,
    OutsideVaultError,
    UnreadableNoteError,
    UsageError,
    WriteError,
)
from notewell.types import PropertyValue, SourceText
from notewell.vault import files
from notewell.vault.decode import MARKS
from notewell.vault.edit_properties import edit_properties
from notewell.vault.readers.markdown import MARKDOWN
from notewell.vault.safe_names import bad_name, check_name, is_note
from notewell.vault.write_journal import Entry, Journal

MAX_BYTES = 16 * 1024 * 1024
TEMPORARY = ".notewell-"  # hidden from Obsidian and from our own walk

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_NOT_HELD = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did. `number` is its journal entry; None: all was so already."""

    path: str
    content_hash: bytes | None  # of what stands there now; None: nothing does
    number: int | None = None


class VaultWriter:
    """Writes notes of one folder vault. Any thread may call; writers take turns."""

    def __init__(self, root: Path, journal: Journal) -> None:
        """Nothing is touched before the first write."""
        self._root = Path(os.path.realpath(root))
        self.journal = journal

    def read(self, path: str) -> SourceText:
        """A note as it stands, with the hash to hand back; raises what `files.read` raises."""
        self._place(path)
        return files.read(files.stat(self._root, path), max_bytes=MAX_BYTES)

    def create(self, path: str, text: str, *, action: str) -> Written:
        """Write a new note, and the folders above it.

        ChangedNoteError where a note stands there already, unless it holds just this.
        """
        return self._put(path, lambda _: text, seen=None, action=action)

    def replace(self, path: str, text: str, *, seen: bytes, action: str) -> Written:
        """Give a note another text, in the encoding that it has.

        `seen` is the hash of the note that the caller read; ChangedNoteError where it is another.
        """
        return self._put(path, lambda _: text, seen=seen, action=action)

    def set_properties(
        self,
        path: str,
        changes: Mapping[str, PropertyValue],
        *,
        remove: Collection[str] = (),
        seen: bytes,
        action: str,
    ) -> Written:
        """Change properties of a note and nothing else; see `edit_properties` and `replace`."""
        return self._put(
            path, lambda text: edit_properties(text, changes, remove=remove), seen, action
        )

    def delete(self, path: str, *, seen: bytes, action: str) -> Written:
        """Delete a note; one that is gone already is no error."""
        place = self._place(path)
        with self.journal.writing():
            raw = self._bytes(path)
            if raw is None:
                return Written(path, None)
            _check(path, seen, content_hash(raw))
            return self._journalled(path, place, action, raw, None)

    def undo(self, number: int | None = None) -> Written:
        """Bring back what stood there before a write; None is the newest not undone.

        An undo is a write of its own and can be undone by its number. ChangedNoteError where the
        note was changed since; NotFoundError where the journal does not have the write.
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
                written = self._journalled(entry.path, place, "undo", raw, before)
            else:
                raise _changed(entry.path)
            self.journal.mark_undone(entry.number)
        return written

    def entries(self, limit: int) -> tuple[Entry, ...]:
        """The newest writes, newest first."""
        return self.journal.entries(limit)

    # --- one write -------------------------------------------------------------------------

    def _put(
        self, path: str, edit: Callable[[str], str], seen: bytes | None, action: str
    ) -> Written:
        place = self._place(path)
        with self.journal.writing():
            raw = self._bytes(path)
            form = _Form.of(path, raw)
            after = form.encode(path, edit(form.decode(raw)))
            if raw == after:
                return Written(path, content_hash(raw))
            _check(path, seen, None if raw is None else content_hash(raw))
            return self._journalled(path, place, action, raw, after)

    def _journalled(
        self, path: str, place: Path, action: str, before: bytes | None, after: bytes | None
    ) -> Written:
        now = None if after is None else content_hash(after)
        number = self.journal.enter(
            path,
            action,
            before=before,
            before_hash=None if before is None else content_hash(before),
            after_hash=now,
        )
        try:
            if after is None:
                place.unlink()
            else:
                _store(place, after, new=before is None)
        except FileExistsError as error:
            self.journal.withdraw(number)
            raise _changed(path) from error
        except OSError as error:
            self.journal.withdraw(number)
            raise _not_written(path, error) from error
        return Written(path, now, number)

    # --- places ----------------------------------------------------------------------------

    def _place(self, path: str) -> Path:
        """The place of a note on disk; no link is followed, not even to a place inside."""
        check_name(path)
        if not is_note(path, (MARKDOWN.suffix,)):
            raise UsageError(
                f"{path} is no place for a note: notes end in .md and no folder of theirs is"
                " hidden.",
                code="bad_name",
            )
        try:
            place = files.contained(self._root, path)
        except OSError as error:
            raise bad_name(path, error.strerror or str(error)) from error
        if _spelling(place) != _spelling(self._root / path):
            raise OutsideVaultError(f"{path} goes through a link; nothing is written there.")
        return place

    def _bytes(self, path: str) -> bytes | None:
        """What stands at a path; None where nothing does."""
        try:
            file = files.stat(self._root, path)
            return files.read_bytes(file, max_bytes=MAX_BYTES)
        except UnreadableNoteError as error:
            if error.code == "vanished":
                return None
            raise


@dataclass(frozen=True, slots=True)
class _Form:
    """How a note turns text into bytes."""

    mark: bytes = b""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, path: str, raw: bytes | None) -> _Form:
        """Find the form of a note; WriteError where its bytes would not come back the same."""
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
        return "" if raw is None else raw[len(self.mark) :].decode(self.encoding)

    def encode(self, path: str, text: str) -> bytes:
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


def content_hash(raw: bytes) -> bytes:
    """The hash by which a state of a note is known, as in `SourceText`."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def _store(place: Path, raw: bytes, *, new: bool) -> None:
    """Put a file's content in its place in one step; FileExistsError where a `new` one is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
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
        temporary.unlink(missing_ok=True)
    _sync_folder(place.parent)


def _settle(temporary: Path, place: Path) -> None:
    """Give a new file its name, and never that of another."""
    try:
        os.link(temporary, place)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from error
        temporary.rename(place)


def _sync_folder(folder: Path) -> None:
    """Have the name on disk as well; Windows does so by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(path: str, seen: bytes | None, now: bytes | None) -> None:
    if seen != now:
        raise _changed(path)


def _changed(path: str) -> ChangedNoteError:
    return ChangedNoteError(
        f"{path} was changed, made or deleted since it was read; nothing was written. Read it"
        " again, then decide anew."
    )


def _not_written(path: str, error: OSError) -> UsageError | WriteError:
    why = error.strerror or str(error)
    if error.errno in _NOT_HELD:
        return bad_name(path, why)
    return WriteError(f"{path} cannot be written: {why}. Check its permissions and the disk.")


def _spelling(place: Path) -> str:
    """A path to compare by: disks may spell names in another Unicode form or case."""
    return unicodedata.normalize("NFC", os.path.normcase(place))
