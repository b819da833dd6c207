"""Editing the properties of a vault's notes, one or many with one undo."""

from __future__ import annotations

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError, UsageError, WriteError
from notewell.api.notes import PropertyEdit
from notewell.api.vault import VaultWriter, Written
from notewell.base.errors import VaultError
from notewell.contract.notes import RefusedWrite
from notewell.features.properties.requests import (
    EditedNote,
    EditProperties,
    EditPropertiesBatch,
    NoteProperties,
    PropertiesBatchReply,
    PropertiesReply,
)
from notewell.vault.edit_properties import property_diff

_ACTION = "edit properties"
# Of all notes of a batch: the journal keeps 64 MB, and a batch must fit as a whole.
_MOST_CHARS = 16_000_000
# What refuses one note of a batch and leaves the others; anything else ends it.
_OF_ONE_NOTE = (UsageError, NotFoundError, VaultError, WriteError)


def open_feature(vault: OpenVault) -> OpenFeature:
    """Editing the properties of a vault, with what answers each request."""
    properties = VaultProperties(vault)
    return OpenFeature(
        answers={EditProperties: properties.edit, EditPropertiesBatch: properties.edit_all}
    )


class VaultProperties:
    """Edits the properties of one vault's notes.

    Notes in folders of their own are refused: a feature alone edits their properties, as those of
    memories, which say how far each is trusted.
    """

    def __init__(self, vault: OpenVault) -> None:
        self._open = vault
        self._vault = vault.record.name

    def edit(self, request: EditProperties) -> PropertiesReply:
        """Edit one note; raises what `VaultWriter.edit` and `PropertyEdit` raise."""
        edited, number = self._edit(self._open.open_writer(), request, dry_run=request.dry_run)
        if number is not None:
            self._open.changed(edited.path)
        return PropertiesReply(
            self._vault, edited.path, edited.changed, edited.hash, edited.diff, number
        )

    def edit_all(self, request: EditPropertiesBatch) -> PropertiesBatchReply:
        """Edit several notes; those that cannot be edited are named and left as they are."""
        writer = self._open.open_writer()
        done: list[EditedNote] = []
        refused: list[RefusedWrite] = []
        undo: int | None = None
        left = _MOST_CHARS
        with writer.journal.batch():
            for edit in request.edits:
                try:
                    edited, number = self._edit(writer, edit, dry_run=request.dry_run, at_most=left)
                except _OF_ONE_NOTE as error:
                    refused.append(RefusedWrite(edit.path, error.code, error.message))
                    continue
                done.append(edited)
                undo = undo if number is None else number
                left -= 0 if number is None else len(writer.journal.before(number) or b"")
        for note in done:
            if note.changed and not request.dry_run:
                self._open.changed(note.path)
        changed = sum(note.changed for note in done)
        return PropertiesBatchReply(self._vault, changed, tuple(done), tuple(refused), undo)

    def _edit(
        self,
        writer: VaultWriter,
        asked: EditProperties | NoteProperties,
        *,
        dry_run: bool,
        at_most: int = _MOST_CHARS,
    ) -> tuple[EditedNote, int | None]:
        change = _Change(PropertyEdit(asked.set, asked.add, asked.remove, asked.rename), at_most)
        seen = None if asked.expected_hash is None else bytes.fromhex(asked.expected_hash)
        path = self._open.editable_path(asked.path)
        written: Written = writer.edit(path, change, seen=seen, action=_ACTION, dry_run=dry_run)
        content_hash = written.content_hash or b""  # there is one: the note is not deleted
        diff = property_diff(path, change.before, change.after)
        changed = change.before != change.after
        return EditedNote(path, changed, content_hash.hex(), diff), written.number


class _Change:
    """An edit that remembers the text before and after it."""

    def __init__(self, edit: PropertyEdit, at_most: int) -> None:
        self._edit = edit
        self._at_most = at_most
        self.before = self.after = ""

    def __call__(self, text: str) -> str:
        if len(text) > self._at_most:
            raise UsageError(
                "Together the notes are too large to be undone as one. Make smaller batches."
            )
        self.before, self.after = text, self._edit(text)
        return self.after
