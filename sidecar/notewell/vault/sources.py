"""Where notes come from: the protocol of a source, and the sources of folders and mirrors.

Features have the others; `open_source` of `engine.feature` opens any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from notewell.base.errors import NotFoundError
from notewell.base.types import FileRef, VaultRecord, VaultRules, Walk
from notewell.vault import files, walker
from notewell.vault.read_notes import HashedNote, content_hash, read_note
from notewell.vault.readers import READERS, link_name, readable, reader_of
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import Anchor
from notewell.vault.readers.transcript import RECORDINGS

if TYPE_CHECKING:  # imported when it is used: searches do without
    from notewell.vault.mirror import Mirror


class Source(Protocol):
    """Where one vault's notes come from.

    Creating one reads nothing. A note is identified by its path; its stamp (a FileRef) adds size
    and time, by which changes are noticed. All methods may be called from any thread.
    """

    @property
    def place(self) -> str:
        """Where the notes are, for people: the folder."""

    @property
    def types(self) -> tuple[str, ...]:
        """The endings of paths that are notes here."""

    @property
    def watched(self) -> bool:
        """True if notes can change without a report by a client, so that the folder is watched."""

    def list(self, within: Sequence[str] = ()) -> Walk:
        """The stamps of all notes, or of those at or below the paths `within`; sorted by path.

        Raises VaultError if the source as a whole cannot be read, and OutsideVaultError for a
        path in `within` that leads out of it.
        """

    def stamp(self, path: str) -> FileRef:
        """The stamp of one note, as `list` gives it.

        Raises OutsideVaultError, or UnreadableNoteError with code "vanished" or "unreadable".
        """

    def read(self, stamp: FileRef) -> HashedNote:
        """Read a note.

        Raises UnreadableNoteError with code "vanished", "unreadable", "too_large", "binary" or
        "encrypted".
        """

    def content_hash(self, stamp: FileRef) -> bytes:
        """The hash of a note's bytes, without parsing them; raises what `read` raises."""

    def excluded(self, path: str) -> tuple[str, str] | None:
        """The rule that excludes a path, and the reason for people; None if no rule does.

        Raises OutsideVaultError for a path that is not inside the vault.
        """

    def uri(self, path: str, anchor: str | None = None) -> str:
        """A link that opens the note, at the block or node called `anchor`."""

    def receiver(self) -> Mirror | None:
        """The store of notes that clients send; None if the source accepts none."""


class FolderSource:
    """The notes of a folder that programs and people change as they like."""

    watched = True

    def __init__(self, record: VaultRecord, rules: VaultRules) -> None:
        """`rules` say which files of the folder are notes."""
        self._record = record
        self._rules = rules
        self.place = str(record.path)
        self.types = readable(rules.types)[0]
        self._child = ReaderProcess()

    def list(self, within: Sequence[str] = ()) -> Walk:
        return walker.walk(self._record.path, self._rules, within=within)

    def stamp(self, path: str) -> FileRef:
        return files.stat(self._record.path, path)

    def read(self, stamp: FileRef) -> HashedNote:
        return read_note(stamp, self._rules, self._child)

    def content_hash(self, stamp: FileRef) -> bytes:
        return content_hash(stamp, self._rules)

    def excluded(self, path: str) -> tuple[str, str] | None:
        """A folder has a rule of its own."""
        if walker.is_folder(self._record.path, path):
            return "folder", "A folder. Each file in it is decided separately."
        return walker.decide(self._record.path, self._rules, path)

    def uri(self, path: str, anchor: str | None = None) -> str:
        """An `obsidian://` link; of a transcript one to its recording, if that lies beside it."""
        name = self._record.obsidian_name
        recording = None if path.endswith(".md") else recording_of(self._record.path, path)
        if recording is not None:
            return obsidian_uri(name, recording, anchor if anchor and anchor.isdecimal() else None)
        return obsidian_uri(name, path, anchor)

    def receiver(self) -> Mirror | None:
        """None: clients only report what changed."""
        return None


def recording_of(root: Path, path: str) -> str | None:
    """The recording beside a transcript that has its name; None where there is none.

    Only files with times, and plain text, are transcripts.
    """
    reader = reader_of(path)
    if reader is None or (reader.anchor != "time" and reader.kind != "text"):
        return None
    stem = path.removesuffix(PurePosixPath(path).suffix)
    names = (f"{stem}{suffix}" for suffix in RECORDINGS)
    return next((name for name in names if (root / name).is_file()), None)


@lru_cache(maxsize=128)
def obsidian_uri(vault: str, path: str, anchor: str | None = None) -> str:
    """`obsidian://open` for the note at `path` of the vault folder named `vault`.

    `anchor` is a block's id, or the number of a page. In files whose anchors are others Obsidian
    opens the file alone. Obsidian wants every reserved character percent-encoded, `/` included,
    and finds a Markdown note without its ending.
    """
    reader = reader_of(path)
    mark = _MARKS.get("line" if reader is None else reader.anchor)
    if reader is None and PurePosixPath(path).suffix.lower() in RECORDINGS:
        mark = _TIME_MARK
    place = f"{mark}{anchor}" if anchor is not None and mark is not None else ""
    return f"obsidian://open?vault={_escape(vault)}&file={_escape(link_name(path) + place)}"


_ESCAPES = {code: quote(chr(code), safe="") for code in range(128)}


def _escape(text: str) -> str:
    """Percent-encode all but unreserved characters, as `quote` does, in one step where it can."""
    return text.translate(_ESCAPES) if text.isascii() else quote(text, safe="")


class MirrorSource(FolderSource):
    """The notes of a mirror. They change only when a client sends a change."""

    watched = False

    def __init__(self, record: VaultRecord, rules: VaultRules) -> None:
        """`rules` say which of the files that clients send are notes. They can send only text."""
        texts = tuple(suffix for suffix in readable(rules.types)[0] if not READERS[suffix].binary)
        super().__init__(record, replace(rules, types=texts))
        self._folder = record.path

    def receiver(self) -> Mirror | None:
        """The store of the mirror, made if it is missing. Only one writer at a time."""
        from notewell.vault.mirror import Mirror  # noqa: PLC0415

        return Mirror(self._folder, self.types)


SOURCES: Mapping[str, Callable[[VaultRecord, VaultRules], Source]] = {
    "folder": FolderSource,
    "mirror": MirrorSource,
}


def source_of(record: VaultRecord, rules: VaultRules | None = None) -> Source:
    """The source of a vault's notes. Without `rules` it is good for `uri` alone."""
    if record.source not in SOURCES:
        raise NotFoundError(
            f"Notes of the kind '{record.source}' need a feature that this program does not have.",
            code="feature_missing",
        )
    return SOURCES[record.source](record, rules or VaultRules())


# How Obsidian's addresses name a place in a file, by the kind of its anchors.
_MARKS: Mapping[Anchor, str] = {"line": "#^", "page": "#page="}
_TIME_MARK = "#t="  # of a recording
