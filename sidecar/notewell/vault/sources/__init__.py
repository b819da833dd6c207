"""Where notes come from: the protocol of a source, and the sources of folders and mirrors.

Features have the others; `open_source` of `engine.feature` opens any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from notewell.base.errors import NotFoundError
from notewell.base.types import FileRef, VaultRecord, VaultRules, Walk
from notewell.vault.files import NoteText
from notewell.vault.mirror import Mirror
from notewell.vault.sources.folder import FolderSource, MirrorSource

__all__ = ["SOURCES", "Source", "source_of"]


class Source(Protocol):
    """Where one vault's notes come from.

    Creating one reads nothing. A note is identified by its path; its stamp (a FileRef) adds size
    and time, by which changes are noticed. All methods may be called from any thread.
    """

    @property
    def place(self) -> str:
        """Where the notes are, for people: the folder."""
        ...

    @property
    def types(self) -> tuple[str, ...]:
        """The endings of paths that are notes here."""
        ...

    @property
    def watched(self) -> bool:
        """True if notes can change without a report by a client, so that the folder is watched."""
        ...

    def list(self, within: Sequence[str] = ()) -> Walk:
        """The stamps of all notes, or of those at or below the paths `within`; sorted by path.

        Raises VaultError if the source as a whole cannot be read, and OutsideVaultError for a
        path in `within` that leads out of it.
        """
        ...

    def stamp(self, path: str) -> FileRef:
        """The stamp of one note, as `list` gives it.

        Raises OutsideVaultError, or UnreadableNoteError with code "vanished" or "unreadable".
        """
        ...

    def read(self, stamp: FileRef) -> NoteText:
        """Read a note.

        Raises UnreadableNoteError with code "vanished", "unreadable", "too_large", "binary" or
        "encrypted".
        """
        ...

    def content_hash(self, stamp: FileRef) -> bytes:
        """The hash of a note's bytes, without parsing them; raises what `read` raises."""
        ...

    def excluded(self, path: str) -> tuple[str, str] | None:
        """The rule that excludes a path, and the reason for people; None if no rule does.

        Raises OutsideVaultError for a path that is not inside the vault.
        """
        ...

    def uri(self, path: str, anchor: str | None = None) -> str:
        """A link that opens the note, at the block or node called `anchor`."""
        ...

    def receiver(self) -> Mirror | None:
        """The store of notes that clients send; None if the source accepts none."""
        ...


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
