"""Notes that a feature adds to those of a vault, from where no folder can be read.

They lie below `.documents/.NAME/`, where no file of a vault and no document of a person can be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

from notewell.base.errors import NotewellError, UnreadableNoteError
from notewell.base.types import FileRef, VaultRules, Walk, WalkWarning
from notewell.vault.paths import DOCUMENTS
from notewell.vault.read_notes import HashedNote, make_note
from notewell.vault.sources import Source

if TYPE_CHECKING:
    from notewell.vault.mirror import Mirror

_NS = 1_000_000_000


class AddedNote(Protocol):
    """A note that is added: its Markdown, and its time in seconds."""

    @property
    def text(self) -> str: ...

    @property
    def modified(self) -> float: ...


LoadNotes = Callable[[], Mapping[str, AddedNote]]
AddressOf = Callable[[str], str]


def add_notes(
    source: Source, name: str, load: LoadNotes, address: AddressOf, rules: VaultRules
) -> Source:
    """The notes of `source` and those that `load` gives, by their path below `.documents/.NAME/`.

    `load` is called whenever notes are listed or read, from any thread, so it keeps what it has
    read. Where it raises NotewellError, what was indexed of its notes stays, with a warning.
    `address` gives what opens a note, by the same path; searches call it for each result, so it
    reads nothing.
    """
    return _WithAddedNotes(source, f"{DOCUMENTS}/.{name}", load, address, rules)


class SourceWithMore(ABC):
    """The notes of a source, and others below one folder; see `Source` for what is undescribed."""

    def __init__(self, own: Source, root: str, rules: VaultRules) -> None:
        """`root` is the folder of the others, which are read by `rules`."""
        self._own = own
        self._root = root
        self._rules = rules
        self.place = own.place
        self.types = own.types
        self.watched = own.watched

    @abstractmethod
    def list(self, within: Sequence[str] = ()) -> Walk: ...

    @abstractmethod
    def _find(self, path: str) -> tuple[FileRef, bytes]:
        """The stamp and the text of one of the others. Raises UnreadableNoteError."""

    @abstractmethod
    def _address(self, path: str) -> str:
        """The address that opens one of the others; "" for one that is gone."""

    def stamp(self, path: str) -> FileRef:
        return self._find(path)[0] if self._is_added(path) else self._own.stamp(path)

    def read(self, stamp: FileRef) -> HashedNote:
        if not self._is_added(stamp.path):
            return self._own.read(stamp)
        return make_note(stamp, self._find(stamp.path)[1], self._rules)

    def content_hash(self, stamp: FileRef) -> bytes:
        if not self._is_added(stamp.path):
            return self._own.content_hash(stamp)
        return self.read(stamp).content_hash

    def excluded(self, path: str) -> tuple[str, str] | None:
        if not self._is_added(path):
            return self._own.excluded(path)
        try:
            self._find(path)
        except UnreadableNoteError as error:
            return "documents", error.message
        return None

    def uri(self, path: str, anchor: str | None = None) -> str:
        return self._address(path) if self._is_added(path) else self._own.uri(path, anchor)

    def receiver(self) -> Mirror | None:
        return self._own.receiver()

    def _is_added(self, path: str) -> bool:
        return path == self._root or path.startswith(f"{self._root}/")


class _WithAddedNotes(SourceWithMore):
    """The notes that `load` gives, beside those of a source."""

    def __init__(
        self, own: Source, root: str, load: LoadNotes, address: AddressOf, rules: VaultRules
    ) -> None:
        super().__init__(own, root, replace(rules, types=("md",)))
        self._load = load
        self._address_of = address

    def list(self, within: Sequence[str] = ()) -> Walk:
        asked = [path for path in within if self._is_added(path)]
        others = tuple(path for path in within if not self._is_added(path))
        walk = self._own.list(others) if others or not within else Walk((), ())
        if not within or any(self._root.startswith(f"{path}/") for path in others):
            asked = [self._root]
        if not asked:
            return walk
        try:
            notes = self._load()
        except NotewellError as error:
            told = WalkWarning(f"{self._root}: {error.message}", " What was indexed of it stays.")
            unread = (*walk.unread, self._root)
            return replace(walk, warnings=(*walk.warnings, told), unread=unread)
        added = [
            _stamp(path, note)[0]
            for path, note in ((f"{self._root}/{name}", note) for name, note in notes.items())
            if any(path == place or path.startswith(f"{place}/") for place in asked)
        ]
        files = sorted((*walk.files, *added), key=lambda file: file.path)
        return replace(walk, files=tuple(files))

    def _address(self, path: str) -> str:
        return self._address_of(path.removeprefix(f"{self._root}/"))

    def _find(self, path: str) -> tuple[FileRef, bytes]:
        try:
            note = self._load().get(path.removeprefix(f"{self._root}/"))
        except NotewellError as error:
            raise UnreadableNoteError(error.message, code="unreadable") from error
        if note is None:
            raise UnreadableNoteError(f"{path} is no longer there.", code="vanished")
        return _stamp(path, note)


def _stamp(path: str, note: AddedNote) -> tuple[FileRef, bytes]:
    """Stamp and text of a note; the fraction of the second tells texts of one size apart."""
    text = note.text.encode("utf-8", "replace")
    time = int(note.modified) * _NS + crc32(text) % _NS
    return FileRef(path, Path(path), len(text), time), text
