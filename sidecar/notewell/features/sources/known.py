"""Register, list and find vaults whose notes are converted from a source."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import orjson

from notewell.api.errors import NotFoundError, SourceError, UsageError
from notewell.api.files import disk
from notewell.api.requests import iso
from notewell.api.types import VaultRecord
from notewell.engine.known_vaults import KnownVaults
from notewell.features.sources.requests import SourceKind, SourcesReply, SourceView
from notewell.features.sources.spec import Form, SourceSpec

NAME = "source.json"
_FORMAT = 1
# `held`: pages are missing in great number, and stay until a person confirms that.
SyncState: TypeAlias = Literal["new", "ready", "incomplete", "held", "failed"]

SOURCE_KINDS: tuple[SourceKind, ...] = ("import", "roam", "logseq")


def folder_of(record: VaultRecord) -> Path:
    """The folder of a vault's data, from where the notes that are kept here lie."""
    return record.data_folder(record.path.parents[2])


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source and its last sync. `last` is in POSIX seconds, None before the first."""

    spec: SourceSpec
    state: SyncState = "new"
    last: float | None = None
    error: str | None = None
    held: int = 0

    def ended(
        self, state: SyncState, last: float, *, error: str | None = None, held: int = 0
    ) -> SourceState:
        return replace(self, state=state, last=last, error=error, held=held)


def load(folder: Path) -> SourceState:
    """Read the state of the source in `folder`. Raises SourceError if it cannot be read."""
    try:
        stored = orjson.loads((folder / NAME).read_bytes())
        spec = SourceSpec(stored["form"], stored["place"], stored["graph"])
        state = SourceState(spec, stored["state"], stored["last"], stored["error"], stored["held"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(
            f"{folder / NAME} cannot be read ({error}); remove the source and add it again"
        ) from error
    if spec.form not in get_args(Form) or state.state not in get_args(SyncState):
        raise SourceError(f"{folder / NAME} is of another version of Notewell; update it")
    return state


def save(folder: Path, state: SourceState) -> None:
    """Write the state of a source. Raises OSError."""
    stored = {"format": _FORMAT, **asdict(state.spec), **asdict(state)}
    del stored["spec"]
    disk.replace(folder / NAME, orjson.dumps(stored, option=orjson.OPT_INDENT_2))


def make_known(known: KnownVaults, spec: SourceSpec, name: str = "") -> VaultRecord:
    """Make a vault of the notes of an export or another program; a sync reads them.

    A source of the same kind that has this name already is meant, and gets the new place: people
    import a newer export. Raises UsageError where another vault has the name, and SourceError where
    nothing can be written.
    """
    before = find_same(known.records(), spec, name)
    if before is not None:
        point_to(before, spec)
        return before
    return known.add_made(partial(_new_record, spec, name))


def find_same(
    records: Sequence[VaultRecord], spec: SourceSpec, name: str = ""
) -> VaultRecord | None:
    """The vault that has the notes of this source already, by its name and kind."""
    wanted = _name_of(spec, name).casefold()
    for record in records:
        if record.source == spec.kind and record.name.casefold() == wanted:
            return record if load(folder_of(record)).spec.form == spec.form else None
    return None


def point_to(record: VaultRecord, spec: SourceSpec) -> None:
    """Give a source another place, which its next sync reads. Raises SourceError."""
    state = load(folder_of(record))
    try:
        save(folder_of(record), replace(state, spec=spec))
    except OSError as error:
        raise SourceError(f"{record.path} cannot be written: {error.strerror or error}") from error


def _name_of(spec: SourceSpec, name: str) -> str:
    return name.strip() or Path(spec.place).stem or spec.graph


def _new_record(
    spec: SourceSpec, name: str, folder: Path, records: Sequence[VaultRecord]
) -> VaultRecord:
    wanted = _name_of(spec, name)
    known = next(
        (record for record in records if record.name.casefold() == wanted.casefold()), None
    )
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
        disk.make_folder(record.path)
        disk.make_folder(folder_of(record))
        save(folder_of(record), SourceState(spec))
    except OSError as error:
        raise SourceError(f"{record.path} cannot be written: {error.strerror or error}") from error
    return record


def find(word: str, records: Sequence[VaultRecord]) -> VaultRecord:
    """The source with this id or name. Raises NotFoundError."""
    sources = [record for record in records if record.is_converted]
    for source in sources:
        if word == source.id or word.casefold() == source.name.casefold():
            return source
    names = (
        ", ".join(source.name for source in sources) or "none; `notewell sources import` adds one"
    )
    raise NotFoundError(f"There is no source {word}. Known: {names}.", code="source_not_found")


def list_sources(records: Sequence[VaultRecord]) -> SourcesReply:
    """All sources with the result of their last sync."""
    return SourcesReply(tuple(view(record) for record in records if record.is_converted))


def view(record: VaultRecord) -> SourceView:
    """One source as the contract shows it; a damaged one says so."""
    kind = next(kind_ for kind_ in SOURCE_KINDS if kind_ == record.source)
    try:
        state = load(folder_of(record))
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
