"""The notes of a source that assistants may see: all but those that their owner keeps from them.

A note is kept from assistants by its path, by a tag, or by its property `assistants: false`. For
whoever reads this source such a note does not exist: it is not listed, not even as left out, and
asking for it gives what asking for a missing note gives.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import pathspec

from notewell.base.errors import ConfigError, UnreadableNoteError
from notewell.base.types import AssistantRules, FileRef, Note, PropertyValue, Walk
from notewell.vault import files
from notewell.vault.paths import is_document
from notewell.vault.read_notes import HashedNote

if TYPE_CHECKING:
    from pathlib import Path

    from notewell.vault.mirror import Mirror
    from notewell.vault.sources import Source

PROPERTY = "assistants"
_NO = frozenset({"false", "no", "off", "0"})
_Stamp: TypeAlias = tuple[str, int, int, int]


class ShownSource:
    """A source without the notes that are kept from assistants; the methods are those of `Source`.

    Which notes these are is read from the files, once for each state of a file.
    """

    # What a mirror or an import receives is written to its folder by the owner's engine.
    watched = True

    def __init__(self, source: Source, root: Path, rules: AssistantRules) -> None:
        """`root` is the folder of the notes. Raises ConfigError for a glob that is invalid."""
        self._source = source
        self._root = root
        self._globs = _globs(rules.exclude)
        self._tags = frozenset(_fold(tag.strip().lstrip("#")) for tag in rules.exclude_tags) - {""}
        self._marks = (PROPERTY, *self._tags)
        self._known: dict[_Stamp, bool] = {}
        self._lock = threading.Lock()
        self.place = source.place
        self.types = source.types

    def list(self, within: Sequence[str] = ()) -> Walk:
        """See `Source.list`. Nothing is listed as left out: its reason may name a hidden note."""
        walk = self._source.list(within)
        shown = tuple(
            replace(file, copies=tuple(copy for copy in file.copies if self._shows(copy)))
            if file.copies
            else file
            for file in walk.files
            if self._shows(file)
        )
        if not within:
            self._forget_others(walk.files)
        return Walk(
            files=shown,
            excluded=(),
            unread=tuple(path for path in walk.unread if not self._hides_path(path)),
            beside=tuple(path for path in walk.beside if not self._hides_path(path)),
        )

    def stamp(self, path: str) -> FileRef:
        """See `Source.stamp`."""
        stamp = self._source.stamp(path)
        is_folder = not is_document(path) and stamp.disk_path.is_dir()
        if not (self.list((path,)).files if is_folder else self._shows(stamp)):
            raise _missing(path)
        return stamp

    def read(self, stamp: FileRef) -> HashedNote:
        """See `Source.read`."""
        if self._hides_place(stamp):
            raise _missing(stamp.path)
        note = self._source.read(stamp)
        if self._hides_note(note.note):
            raise _missing(stamp.path)
        return note

    def content_hash(self, stamp: FileRef) -> bytes:
        """See `Source.content_hash`."""
        if not self._shows(stamp):
            raise _missing(stamp.path)
        return self._source.content_hash(stamp)

    def excluded(self, path: str) -> tuple[str, str] | None:
        """See `Source.excluded`. No rule is told of what is hidden."""
        rule = None if self._hides_path(path) else self._source.excluded(path)
        if rule is not None and rule[0] == "folder" and not self.list((path,)).files:
            return None
        return rule

    def uri(self, path: str, anchor: str | None = None) -> str:
        """See `Source.uri`."""
        return self._source.uri(path, anchor)

    def receiver(self) -> Mirror | None:
        """None: clients send their notes to the owner's engine."""
        return None

    def is_shown(self, path: str) -> bool:
        """True if assistants may know of this path, whether or not a file is there."""
        if self._hides_path(path):
            return False
        try:
            return self._shows(self._source.stamp(path))
        except UnreadableNoteError as error:
            return error.code == "vanished"

    # --- which notes are hidden ------------------------------------------------------------

    def _shows(self, file: FileRef) -> bool:
        return not self._hides_place(file) and not self._is_marked_cached(file)

    def _hides_place(self, file: FileRef) -> bool:
        """True if the path of a file is hidden, or the path that a link in the vault leads to."""
        if self._hides_path(file.path):
            return True
        if is_document(file.path) or not file.disk_path.is_relative_to(self._root):
            return False
        return self._hides_path(file.disk_path.relative_to(self._root).as_posix())

    def _hides_path(self, path: str) -> bool:
        return self._globs is not None and self._globs.match_file(_fold(path))

    def _is_marked_cached(self, file: FileRef) -> bool:
        """True if the note itself says that it is hidden; one that cannot be read is not shown."""
        key = (file.path, file.size, file.mtime_ns, file.ctime_ns)
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = self._is_marked(file)
            with self._lock:
                self._known[key] = known
        return known

    def _is_marked(self, file: FileRef) -> bool:
        if not file.path.lower().endswith((".md", ".markdown", ".txt")):
            return False  # other files have neither tags nor properties of their own
        try:
            if not is_document(file.path):  # which may lie elsewhere than on this disk
                text = _fold(files.read(file, max_bytes=max(file.size, 1)).text)
                if not any(mark in text for mark in self._marks):
                    return False
            return self._hides_note(self._source.read(file).note)
        except UnreadableNoteError as error:
            return error.code not in {"vanished", "binary"}

    def _hides_note(self, note: Note) -> bool:
        stated = next(
            (value for name, value in note.properties.items() if _fold(name) == PROPERTY), None
        )
        if _is_no(stated):
            return True
        return any(
            tag == hidden or tag.startswith(f"{hidden}/")
            for tag in map(_fold, note.tags)
            for hidden in self._tags
        )

    def _forget_others(self, listed: Sequence[FileRef]) -> None:
        """Keep what is known of these files alone."""
        keys = {(file.path, file.size, file.mtime_ns, file.ctime_ns) for file in listed}
        with self._lock:
            self._known = {key: hides for key, hides in self._known.items() if key in keys}


def _is_no(value: PropertyValue) -> bool:
    """True for every way to write "no" in a property; a list says it by one of its items."""
    if isinstance(value, tuple):
        return any(_is_no(item) for item in value)
    if isinstance(value, str):
        return _fold(value.strip()) in _NO
    return value is not None and not isinstance(value, dict) and value == 0


def _globs(lines: Sequence[str]) -> pathspec.GitIgnoreSpec | None:
    """One spec of all globs. An invalid one is an error, because it was meant to hide notes."""
    wanted = [_fold(line) for line in lines if line.strip()]
    try:
        return pathspec.GitIgnoreSpec.from_lines(wanted) if wanted else None
    except ValueError as error:
        raise ConfigError(
            f"A glob of the setting assistants.exclude cannot be used ({error}). Until it is"
            " mended, assistants see nothing."
        ) from error


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _missing(path: str) -> UnreadableNoteError:
    return UnreadableNoteError(f"{path} is not in the vault.", code="vanished")
