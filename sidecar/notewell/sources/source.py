"""The protocol of a source of notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from notewell.types import FileRef, Walk
from notewell.vault.files import NoteText
from notewell.vault.mirror import Mirror


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
        """Whether notes can change without a report by a client, so that the folder is watched."""
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
