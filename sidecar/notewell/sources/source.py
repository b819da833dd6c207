"""What a source of notes is: the protocol that every member of `SOURCES` keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from notewell.types import FileRef, Walk
from notewell.vault.files import NoteText
from notewell.vault.mirror import Mirror


class Source(Protocol):
    """Where one vault's notes come from.

    Making one reads nothing. A note is identified by its path; its stamp (a FileRef) adds size
    and time, by which a change is noticed. All methods may be called from any thread.
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
        """Whether notes change behind the engine's back, so that their folder is to be watched."""
        ...

    def list(self, within: Sequence[str] = ()) -> Walk:
        """The stamps of all notes, or of those at or below the paths `within`; sorted by path.

        Raises VaultError where the source as a whole cannot be read, and OutsideVaultError for a
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

        Raises UnreadableNoteError with code "vanished", "unreadable", "too_large" or "binary".
        """
        ...

    def content_hash(self, stamp: FileRef) -> bytes:
        """The hash of a note's bytes, without parsing them; raises what `read` raises."""
        ...

    def excluded(self, path: str) -> tuple[str, str] | None:
        """The rule that keeps a path from being a note, and the reason for people; None: no rule.

        Raises OutsideVaultError for a path that is not inside the vault.
        """
        ...

    def uri(self, path: str, anchor: str | None = None) -> str:
        """A link that opens the note, at the block or node called `anchor`."""
        ...

    def receiver(self) -> Mirror | None:
        """What stores the notes that clients send; None where the source takes none from them."""
        ...
