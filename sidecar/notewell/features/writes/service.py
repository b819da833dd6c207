"""Listing and undoing what was written to one vault."""

from __future__ import annotations

from functools import partial

from notewell.api import OpenFeature, OpenVault
from notewell.api.requests import iso
from notewell.contract.notes import RefusedWrite
from notewell.features.writes.requests import (
    UndoneReply,
    UndoRequest,
    WritesReply,
    WritesRequest,
    WriteView,
)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The writes to a vault, with what answers each request."""
    return OpenFeature(
        answers={WritesRequest: partial(writes, vault), UndoRequest: partial(undo, vault)}
    )


def writes(vault: OpenVault, request: WritesRequest) -> WritesReply:
    """List the newest writes."""
    entries = () if vault.writer is None else vault.writer.entries(request.limit)
    return WritesReply(
        vault.record.name,
        tuple(
            WriteView(entry.number, iso(entry.at), entry.path, entry.action, entry.undone)
            for entry in entries
        ),
    )


def undo(vault: OpenVault, request: UndoRequest) -> UndoneReply:
    """Undo a write, the newest where none is named; see `VaultWriter.undo_together`."""
    undone = vault.open_writer().undo_together(request.number)
    paths = tuple(dict.fromkeys(written.path for written in undone.written))
    for path in paths:
        vault.changed(path)
    numbers = [written.number for written in undone.written if written.number is not None]
    return UndoneReply(
        vault=vault.record.name,
        path=paths[0],
        undo=numbers[-1] if numbers else None,
        paths=paths,
        refused=tuple(
            RefusedWrite(path, error.code, error.message) for path, error in undone.refused
        ),
    )
