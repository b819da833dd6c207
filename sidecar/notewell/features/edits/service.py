"""Edits one part of a note: compare with what was read, write, tell the diff."""

from __future__ import annotations

import difflib
from functools import partial

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError, UnreadableNoteError
from notewell.base.errors import ChangedNoteError
from notewell.features.edits.requests import EditNote, EditReply
from notewell.vault.edit_section import edit_section, section_text

_ACTION = "edit a section"
_AROUND = 2  # unchanged lines around each change of a diff
_MOST_TOLD = 8_000  # characters of a changed part that a refusal quotes


def open_feature(vault: OpenVault) -> OpenFeature:
    """The editing of a vault's notes."""
    return OpenFeature(answers={EditNote: partial(edit, vault)})


def edit(vault: OpenVault, request: EditNote) -> EditReply:
    """Edit a part of a note.

    Raises:
        NotFoundError: there is no such note, heading or block.
        ChangedNoteError: the note has changed since it was read; the message has the part's text.
        ProtectedError: a feature alone edits notes of this folder.
        UsageError: a whole note would be replaced, or nothing added.

    """
    writer = vault.open_writer()
    path = vault.editable_path(request.path)
    texts = ["", ""]

    def change(text: str) -> str:
        texts[:] = text, edit_section(path, text, request.section, request.how, request.text)
        return texts[1]

    seen = bytes.fromhex(request.expected_hash)
    try:
        now = writer.read(path)
    except UnreadableNoteError as error:
        if error.code != "vanished":
            raise
        raise NotFoundError(f"There is no note {path} in the vault. Check its path.") from error
    if now.content_hash != seen:
        raise _changed_error(path, now.text, now.content_hash, request.section)
    try:
        written = writer.edit(path, change, seen=seen, action=_ACTION, dry_run=request.dry_run)
    except ChangedNoteError as error:
        now = writer.read(path)
        raise _changed_error(path, now.text, now.content_hash, request.section) from error
    if written.number is not None:
        vault.changed(path)
    before, after = texts
    return EditReply(
        vault=vault.record.name,
        path=path,
        changed=before != after,
        hash=(written.content_hash or b"").hex(),
        diff=_diff(path, before, after),
        undo=written.number,
    )


def _changed_error(path: str, text: str, content_hash: bytes, section: str) -> ChangedNoteError:
    """The refusal, with the text that the part has now."""
    try:
        part = section_text(path, text, section)
    except NotFoundError:
        part, section = text, ""
    cut = "…" if len(part) > _MOST_TOLD else ""
    name = f"the part “{section}” of it" if section.strip() else "it"
    return ChangedNoteError(
        f"{path} has changed since you read it, so nothing was written. Its hash is now"
        f" {content_hash.hex()}, and {name} reads:\n{part[:_MOST_TOLD]}{cut}"
    )


def _diff(path: str, before: str, after: str) -> str:
    if before == after:
        return ""
    rows = (before.splitlines(), after.splitlines())
    return "\n".join(difflib.unified_diff(*rows, path, path, lineterm="", n=_AROUND)) + "\n"
