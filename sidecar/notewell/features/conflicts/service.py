"""Compares two versions of a note, and makes one of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import (
    ChangedNoteError,
    NotFoundError,
    UnreadableNoteError,
    UsageError,
    WriteError,
)
from notewell.api.requests import iso
from notewell.api.types import frozen
from notewell.api.vault import VaultWriter, Written
from notewell.features.conflicts.links import find_links, lead_links
from notewell.features.conflicts.merge import Part, compare, merge
from notewell.features.conflicts.requests import (
    ConflictPart,
    ConflictReply,
    ConflictRequest,
    ConflictsReply,
    ConflictsRequest,
    ConflictView,
    HealConflict,
    HealReply,
)
from notewell.search.facts.copies import copies_of

_ACTION = "heal a conflict"
_AROUND = 2  # unchanged lines around each change of a diff
_LONGEST = 500_000  # characters of a version that is compared


@frozen
class _Version:
    path: str
    text: str
    content_hash: bytes
    changed_ns: int

    @property
    def changed(self) -> str:
        return _time(self.changed_ns)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The conflict copies of a vault, with what answers each request."""
    return OpenFeature(
        answers={
            ConflictsRequest: lambda _: list_conflicts(vault),
            ConflictRequest: partial(show_conflict, vault),
            HealConflict: partial(heal_conflict, vault),
        }
    )


def list_conflicts(vault: OpenVault) -> ConflictsReply:
    """List the conflict copies beside notes; one that is gone by now is left out."""
    return ConflictsReply(vault.record.name, tuple(_views(vault)))


def _views(vault: OpenVault) -> Iterator[ConflictView]:
    for path, copies in sorted(copies_of(vault.index).items()):
        for copy in copies:
            try:
                changed, copy_changed = (
                    vault.source.stamp(place).mtime_ns for place in (path, copy)
                )
            except UnreadableNoteError:
                continue
            yield ConflictView(path, copy, _time(changed), _time(copy_changed))


def show_conflict(vault: OpenVault, request: ConflictRequest) -> ConflictReply:
    """Compare a note with its copy.

    Raises:
        NotFoundError: there is no such note, or no such copy of it.
        UsageError: they are the same, or too long to be compared.

    """
    note, copy = _read_both(vault, request.path, request.other)
    parts = _compare(note, copy)
    return ConflictReply(
        vault=vault.record.name,
        path=note.path,
        copy=copy.path,
        hash=note.content_hash.hex(),
        copy_hash=copy.content_hash.hex(),
        changed=note.changed,
        copy_changed=copy.changed,
        newer=_newer(note, copy),
        differences=_differences(parts),
        parts=tuple(_numbered(parts)),
        links=tuple(sorted(find_links(vault.index, copy.path))),
    )


def heal_conflict(vault: OpenVault, request: HealConflict) -> HealReply:
    """Write the merged note, lead links to it, and delete the copy: one undo for all.

    The copy is deleted last, so that a killed process loses nothing.

    Raises:
        NotFoundError: there is no such note, or no such copy of it.
        ChangedNoteError: one of them has changed since it was compared.
        ProtectedError: a feature alone edits notes of this folder.
        UsageError: choices are missing, or there are too many.

    """
    writer = vault.open_writer()
    path = vault.editable_path(request.path)
    vault.editable_path(request.other)
    note, copy = _read_both(vault, path, request.other)
    for version, expected in ((note, request.hash), (copy, request.other_hash)):
        if version.content_hash.hex() != expected:
            raise ChangedNoteError(
                f"{version.path} has changed since it was compared, so nothing was written."
                " Compare the two again."
            )
    parts = _compare(note, copy)
    differences = _differences(parts)
    if differences != len(request.choices):
        raise UsageError(
            f"{note.path} and {copy.path} differ in {differences} places, and"
            f" {len(request.choices)} choices were given. Give one for each."
        )
    text = merge(parts, request.choices, newer=_newer(note, copy))
    links = find_links(vault.index, copy.path)
    others = tuple(sorted(links.keys() - {note.path, copy.path}))
    diff = _diff(note.path, note.text, text)
    if request.dry_run:
        return HealReply(vault.record.name, note.path, copy.path, diff, others, (), None)
    left: list[str] = []
    with writer.journal.batch():
        writer.replace(note.path, text, seen=note.content_hash, action=_ACTION)
        for other in others:
            edit = partial(lead_links, links=links[other], path=note.path, index=vault.index)
            try:
                writer.edit(other, edit, seen=None, action=_ACTION)
            except (WriteError, UnreadableNoteError, NotFoundError, UsageError):
                left.append(other)
        deleted = _delete(writer, copy)
    led = tuple(other for other in others if other not in left)
    for changed_path in (note.path, copy.path, *led):
        vault.changed(changed_path)
    return HealReply(
        vault.record.name, note.path, copy.path, diff, led, tuple(left), deleted.number
    )


def _delete(writer: VaultWriter, copy: _Version) -> Written:
    try:
        return writer.delete(copy.path, seen=copy.content_hash, action=_ACTION)
    except ChangedNoteError as error:
        raise ChangedNoteError(
            f"{copy.path} was changed while it was joined to its note, so it stays. Compare the two"
            " again, or take the note back with `notewell undo`."
        ) from error


# --- parts of it -------------------------------------------------------------------------------


def _read_both(vault: OpenVault, path: str, copy: str) -> tuple[_Version, _Version]:
    """Read a note of the index and its copy, or another note of it."""
    stored = vault.index.note_at(path)
    if stored is None:
        raise NotFoundError(f"There is no note {path} in the vault. Check its path.")
    if path == copy:
        raise UsageError(f"{path} cannot be compared with itself. Name a copy of it.")
    is_copy = copy in copies_of(vault.index).get(path, ())
    if not is_copy and vault.index.note_at(copy) is None:
        raise NotFoundError(
            f"There is no copy {copy} of {path}. `notewell conflicts list` shows those there are."
        )
    try:
        return _read(vault, path), _read(vault, copy)
    except UnreadableNoteError as error:
        raise NotFoundError(error.message) from error


def _read(vault: OpenVault, path: str) -> _Version:
    stamp = vault.source.stamp(path)
    read = vault.source.read(stamp)
    return _Version(path, read.text, read.content_hash, stamp.mtime_ns)


def _compare(note: _Version, copy: _Version) -> tuple[Part, ...]:
    longest = max(note, copy, key=lambda version: len(version.text))
    if len(longest.text) > _LONGEST:
        raise UsageError(
            f"{longest.path} has {len(longest.text):,} characters; versions of up to {_LONGEST:,}"
            " are compared. Settle these two by hand."
        )
    return compare(note.text, copy.text)


def _differences(parts: Sequence[Part]) -> int:
    return sum(part.kind == "differs" for part in parts)


def _time(at_ns: int) -> str:
    return iso(at_ns / 1e9) or ""


def _newer(note: _Version, copy: _Version) -> Literal["note", "copy"]:
    return "copy" if copy.changed_ns > note.changed_ns else "note"


def _numbered(parts: Sequence[Part]) -> Iterator[ConflictPart]:
    """The parts with their lines; neighbours of one kind are one, those that differ apart."""
    lines = {"note": 1, "copy": 1}
    open_part: ConflictPart | None = None
    for part in parts:
        note, copy = part.note.text, part.copy.text
        line = lines["copy" if part.kind == "copy" else "note"]
        lines["note"] += note.count("\n")
        lines["copy"] += copy.count("\n")
        if open_part is not None and open_part.kind == part.kind != "differs":
            open_part = ConflictPart(
                part.kind, open_part.note + note, open_part.copy + copy, open_part.line
            )
            continue
        if open_part is not None:
            yield open_part
        open_part = ConflictPart(part.kind, note, copy, line)
    if open_part is not None:
        yield open_part


def _diff(path: str, before: str, after: str) -> str:
    if before == after:
        return ""
    rows = (before.splitlines(), after.splitlines())
    return "\n".join(difflib.unified_diff(*rows, path, path, lineterm="", n=_AROUND)) + "\n"
