"""The folder of memories: its notes are read again when they changed, and written safely."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from notewell.base.errors import (
    ChangedNoteError,
    NotFoundError,
    OutsideVaultError,
    ReadOnlyError,
    UnreadableNoteError,
)
from notewell.base.types import FileRef, PropertyValue, VaultRules
from notewell.features.memory.links import MemoryLinks, MemoryNames
from notewell.features.memory.note import Memory, Validation, read_memory, with_validation
from notewell.vault import files
from notewell.vault.edit_properties import edit_properties
from notewell.vault.note_form import MAX_BYTES
from notewell.vault.readers.text import MARKDOWN
from notewell.vault.write import VaultWriter, Written

_MAX_ATTEMPTS = 5  # at a change, while other programs write the same note


class MemoryFolder:
    """The memories of one vault. Any thread may use it.

    `folder` is None if none was chosen: then there are no memories and none can be created.
    """

    def __init__(
        self,
        root: Path,
        folder: str | None,
        writer: VaultWriter | None,
        changed: Callable[[str], None],
    ) -> None:
        """`writer` None: this vault is read-only. `changed` is called with each path written."""
        self.folder = folder.strip("/") if folder else None
        self._root = root
        self._writer = writer
        self._changed = changed
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int, int], Memory] = {}
        self.warnings: tuple[str, ...] = ()

    def all(self) -> tuple[Memory, ...]:
        """All memories, in the order of their paths."""
        if self.folder is None:
            return ()
        with self._lock:
            walked = files.walk(self._root, VaultRules(types=(MARKDOWN.suffix,)), (self.folder,))
            known: dict[tuple[str, int, int], Memory] = {}
            failed = [*walked.warnings]
            for file in walked.files:
                key = (file.path, file.size, file.mtime_ns)
                try:
                    known[key] = self._known.get(key) or _read(file)
                except UnreadableNoteError as error:
                    failed.append(error.message)
            self._known, self.warnings = known, tuple(failed)
            return tuple(known.values())

    def find(self, word: str) -> Memory:
        """The memory with that id, path or name; NotFoundError if there is none."""
        memories = self.all()
        found = MemoryNames(memories).find(word)
        if found is None:
            raise NotFoundError(
                f"There is no memory {word!r}. `notewell memory list` shows all"
                f" {len(memories)}, with their ids.",
                code="memory_not_found",
            )
        return found

    def links(self) -> MemoryLinks:
        """All memories as they are now, with the relations between them."""
        return MemoryLinks(self.all(), self.has_note)

    def has_note(self, path: str) -> bool:
        """Whether the vault has a note at this path."""
        try:
            files.stat(self._root, path)
        except (OutsideVaultError, UnreadableNoteError):
            return False
        return True

    # --- writing ---------------------------------------------------------------------------

    def check_writable(self) -> VaultWriter:
        """The writer; ReadOnlyError if this vault is read-only or no folder was chosen."""
        if self._writer is None:
            raise ReadOnlyError(
                "Memories of this vault cannot be written here: the data directory lies inside the"
                " vault. Choose another with --data-dir."
            )
        if self.folder is None:
            raise ReadOnlyError(
                "No folder for memories was chosen. Set `folder` under [memory] in the"
                " configuration (`notewell config path` shows the file), such as"
                ' folder = "Memory".'
            )
        return self._writer

    def create(self, path: str, text: str) -> Written:
        """Write a new memory's note."""
        written = self.check_writable().create(path, text, action="memory store")
        self._changed(path)
        return written

    def change(
        self,
        word: str,
        edit: Callable[[Memory], tuple[Mapping[str, PropertyValue], Collection[str]] | None],
        *,
        history_line: Callable[[Memory], Validation | None] = lambda _: None,
        action: str,
    ) -> tuple[Memory, Written | None]:
        """Change the current state of a memory; returns it and what was written, if anything.

        `edit` gives the properties to set and the names of those to remove, or None to change
        nothing; `history_line` gives a line for the history. If another program writes the note
        meanwhile, both are called again with its new state.
        """
        writer = self.check_writable()
        for attempt in range(_MAX_ATTEMPTS):
            memory = self.find(word)
            edits = edit(memory)
            if edits is None:
                return memory, None
            text = edit_properties(memory.text, edits[0], remove=edits[1])
            line = history_line(memory)
            text = text if line is None else with_validation(text, line)
            try:
                written = writer.replace(memory.path, text, seen=memory.seen, action=action)
            except ChangedNoteError:
                if attempt == _MAX_ATTEMPTS - 1:
                    raise
                written = None
            self._forget(memory.path)
            # If another program made the same change meanwhile, nothing was written here.
            if written is not None and (written.number is not None or text == memory.text):
                self._changed(memory.path)
                return self.find(memory.path), written
        raise ChangedNoteError(
            f"Another program keeps changing {word}, so nothing was written. Try again."
        )

    def delete(self, memory: Memory) -> Written:
        """Delete a memory's note, unless it changed since it was read."""
        written = self.check_writable().delete(
            memory.path, seen=memory.seen, action="memory forget"
        )
        self._changed(memory.path)
        return written

    def _forget(self, path: str) -> None:
        """Read a note again next time, even with equal size and time."""
        with self._lock:
            self._known = {key: one for key, one in self._known.items() if key[0] != path}


def _read(file: FileRef) -> Memory:
    source = files.read(file, max_bytes=MAX_BYTES)
    return read_memory(file.path, source, modified=file.mtime_ns / 1e9)
