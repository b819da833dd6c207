"""Vaults whose notes are converted from a source: made known, listed, forgotten."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from notewell.contract.fields import iso
from notewell.contract.sources import SourceKind, SourcesReply, SourceView
from notewell.errors import NotFoundError, SourceError, UsageError
from notewell.sources import source_state
from notewell.sources.page_store import DATABASE
from notewell.sources.source_state import SourceState
from notewell.sources.spec import SourceSpec
from notewell.support import private
from notewell.types import VaultRecord

_KINDS: tuple[SourceKind, ...] = ("import", "roam", "logseq")


def new_record(
    folder: Path, spec: SourceSpec, name: str, records: Sequence[VaultRecord]
) -> VaultRecord:
    """Make the record of a new source, and its folder below `folder`.

    Raises UsageError where the name is taken and SourceError where the folder cannot be written.
    """
    wanted = name.strip() or Path(spec.place).stem or spec.graph
    known = next((one for one in records if one.name.casefold() == wanted.casefold()), None)
    if known is not None or not wanted:
        raise UsageError(
            f"There is a vault called '{wanted}' already. Choose another name with --name, or bring"
            f' it up to date: `notewell sources sync "{wanted}"`.',
            code="name_taken",
        )
    vault_id = os.urandom(6).hex()
    record = VaultRecord(
        vault_id, wanted, folder / vault_id / "vault", source=spec.kind, default=not records
    )
    try:
        private.make_folder(record.path)
        private.make_folder(source_state.folder_of(record))
        source_state.save(source_state.folder_of(record), SourceState(spec))
    except OSError as error:
        raise SourceError(f"{record.path} cannot be written: {error.strerror or error}") from error
    return record


def delete_state(record: VaultRecord) -> None:
    """Delete what is known of a source: its state and its pages."""
    folder = source_state.folder_of(record)
    for name in (source_state.NAME, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        (folder / name).unlink(missing_ok=True)


def find(word: str, records: Sequence[VaultRecord]) -> VaultRecord:
    """The source with this id or name. Raises NotFoundError."""
    sources = [one for one in records if one.is_converted]
    for one in sources:
        if word == one.id or word.casefold() == one.name.casefold():
            return one
    names = ", ".join(one.name for one in sources) or "none; `notewell sources import` adds one"
    raise NotFoundError(f"There is no source {word}. Known: {names}.", code="source_not_found")


def listed(records: Sequence[VaultRecord]) -> SourcesReply:
    """All sources with the result of their last sync."""
    return SourcesReply(tuple(view(one) for one in records if one.is_converted))


def view(record: VaultRecord) -> SourceView:
    """One source as the contract shows it; a damaged one says so."""
    kind = next(one for one in _KINDS if one == record.source)
    try:
        state = source_state.load(source_state.folder_of(record))
    except SourceError as error:
        return SourceView(
            record.id, record.name, kind, record.name, "", None, "failed", error.message, 0
        )
    return SourceView(
        record.id,
        record.name,
        kind,
        record.name,
        state.spec.place or state.spec.graph,
        iso(state.last),
        state.state,
        state.error,
        state.held,
    )


def copy_notes(record: VaultRecord, folder: Path) -> int:
    """Copy the notes of a source into an empty or new folder; returns how many files.

    Raises UsageError where something is in the folder, and SourceError where it cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty. Choose a new folder.")
        shutil.copytree(record.path, folder, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise SourceError(f"{folder} cannot be written: {error}") from error
    return sum(1 for file in folder.rglob("*") if file.is_file())
