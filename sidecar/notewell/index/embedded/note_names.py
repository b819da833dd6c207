"""Which note a name means: `NoteNames`, with notes by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.vault.links import NoteNames


class Names:
    """The names of all notes, kept note by note."""

    def __init__(self) -> None:
        """Start without notes."""
        self._paths = NoteNames()
        self._ids: dict[str, int] = {}

    def add(self, path: str, aliases: Sequence[str], note_id: int) -> None:
        """Enter a note by its path and aliases."""
        self._paths.add(path, aliases)
        self._ids[path] = note_id

    def remove(self, path: str) -> None:
        """Take a note out."""
        self._paths.remove(path)
        self._ids.pop(path, None)

    def resolve(self, target: str, source_path: str) -> int | None:
        """The note that a link target written in the note at `source_path` means, or None."""
        path = self._paths.resolve(target, source_path)
        return None if path is None else self._ids.get(path)
