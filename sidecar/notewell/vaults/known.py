"""Which vaults this machine knows, where their indexes live, and which are open.

A vault's id is made once and stays with its notes, also when their folder moves; its name is its
folder's, `-2` and so on behind it where another has it already.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.errors import NotewellError, NotFoundError, UsageError
from notewell.types import Settings, VaultRecord
from notewell.vaults.open_engines import Hold, OpenEngines
from notewell.vaults.registry import REGISTRY, Registry

if TYPE_CHECKING:
    from notewell.engine.engine import Engine
    from notewell.models.pool import EmbedderPool

__all__ = ["REGISTRY", "Vaults"]

log = logging.getLogger(__name__)


def _quiet(_: str) -> None:
    """Say nothing."""


class Vaults:
    """The known vaults and their engines, each engine opened once."""

    def __init__(
        self,
        settings: Settings,
        *,
        for_vault: Callable[[Path], Settings] | None = None,
        fetch_missing: bool = False,
        say: Callable[[str], None] = _quiet,
    ) -> None:
        """`for_vault` gives the settings with a vault's own file merged in."""
        self._settings = settings
        self._for_vault = for_vault or (lambda _: settings)
        self._fetch_missing = fetch_missing
        self._say = say
        self._registry = Registry(settings.data_dir)
        self._engines = OpenEngines(settings.server.open_vaults)
        self._served: tuple[VaultRecord, ...] | None = None
        self._models: EmbedderPool | None = None

    # --- the registry ----------------------------------------------------------------------

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known."""
        return self._registry.records()

    def add(self, folder: Path, *, name: str | None = None) -> VaultRecord:
        """Make a folder a known vault, or give its record when it is one.

        A known vault whose folder is gone and whose notes are here has moved: it keeps its id, and
        with it its index.
        """
        path = _real_folder(folder)
        with self._registry.changing() as records:
            for record in records:
                if record.path == path:
                    return record
            for place, record in enumerate(records):
                if self._moved_to(record, path):
                    records[place] = _moved(record, path, name, records)
                    self._say(f"{record.path} has moved to {path} and keeps its index")
                    return records[place]
            wanted = name or path.name or "vault"
            record = VaultRecord(
                id=secrets.token_hex(6),
                name=_free_name(wanted, {known.name.casefold() for known in records}),
                path=path,
                default=not records,
            )
            records.append(record)
        return record

    def add_mirror(self, name: str) -> VaultRecord:
        """Make a vault that clients fill, or give its record when there is one of that name.

        Its folder lies in the data directory. UsageError where a folder has the name already.
        """
        with self._registry.changing() as records:
            known = next((r for r in records if r.name.casefold() == name.casefold()), None)
            if known is not None and known.source == "mirror":
                return known
            if known is not None or not name.strip():
                raise UsageError(f"a mirror cannot be called '{name}': choose another name")
            record = _mirror_record(self._mirrors, name, default=not records)
            record.path.mkdir(parents=True)
            records.append(record)
        return record

    def find(self, word: str | None, *, cwd: Path) -> VaultRecord:
        """The vault that `word` names (id, name or folder).

        Without a word: the one that `cwd` lies in, the only one, or the default.
        """
        records = self.records()
        if word is not None:
            found = _named(records, word, cwd)
        else:
            found = _around(records, cwd) or _obvious(records)
        if found is None:
            raise NotFoundError(_not_found(records, word))
        return found

    def set_default(self, record: VaultRecord) -> None:
        """Make `record` the vault that is meant when none is named."""
        with self._registry.changing() as records:
            records[:] = [replace(known, default=known.id == record.id) for known in records]

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        """Forget a vault; with `delete_data` also its index and log, and a mirror's notes.

        Notes that are a person's own are never touched.
        """
        from notewell import querylog  # noqa: PLC0415 - loads a database
        from notewell.ask import conversations  # noqa: PLC0415 - with the rest of an engine
        from notewell.index.embedded.delete import delete  # noqa: PLC0415 - loads the engines of the index
        from notewell.vault import write_journal  # noqa: PLC0415 - loads a database

        self._engines.close(record.id)
        directory = self.directory(record)
        with self._registry.changing() as records:
            if delete_data:
                data = self._settings.data_dir / "vaults" / record.id
                delete(directory)
                conversations.delete(data)
                write_journal.delete(data)
                querylog.delete(querylog.folder(self._settings.data_dir, record.id))
            if delete_data and record.source == "mirror":
                _delete_mirror(self._mirrors, record)
            records[:] = [known for known in records if known.id != record.id]
            if records and not any(known.default for known in records):
                records[0] = replace(records[0], default=True)

    # --- engines ---------------------------------------------------------------------------

    def settings(self, record: VaultRecord) -> Settings:
        """The settings that hold for one vault."""
        return self._for_vault(record.path)

    def directory(self, record: VaultRecord) -> Path:
        """Where the index of a vault lives."""
        chosen = self.settings(record).index_dir
        return chosen if chosen is not None else self._settings.data_dir / "vaults" / record.id

    def open(self, record: VaultRecord, *, writable: bool) -> Engine:
        """The engine of a vault, opened at first asking and kept."""
        return self._engines.get(record.id, lambda: self._open(record, writable=writable))

    def serve(self, records: Sequence[VaultRecord]) -> None:
        """Offer vaults to requests, and open as many of them as may be open, the default first."""
        self._served = tuple(records)
        first = sorted(records, key=lambda record: not record.default)
        for record in first[: max(self._settings.server.open_vaults, 1)]:
            self.open(record, writable=True)

    def served(self) -> tuple[VaultRecord, ...]:
        """The vaults that requests may name, open or not."""
        if self._served is None:
            return tuple(engine.record for engine in self._engines.all())
        return self._served

    def held(self, record: VaultRecord) -> Hold | None:
        """Keep a vault open until the hold is released; None where it is not open."""
        return self._engines.held(record.id)

    def hold(self, record: VaultRecord) -> Hold:
        """The same, opened and at work where it was not; may take a second, and close another."""
        return self._engines.hold(record.id, lambda: self._open_to_serve(record))

    def opened(self) -> tuple[Engine, ...]:
        """The engines that are open."""
        return self._engines.all()

    def close(self) -> None:
        """Close all engines."""
        self._engines.close()

    def _open(self, record: VaultRecord, *, writable: bool) -> Engine:
        # Half of the time of a command that asks a running server would go into loading it.
        from notewell.engine.engine import Engine  # noqa: PLC0415
        from notewell.models.pool import EmbedderPool  # noqa: PLC0415

        log.info("opening %s%s", record.name, "" if writable else " to read")
        self._models = self._models or EmbedderPool()
        return Engine.open(
            record,
            self.directory(record),
            self.settings(record),
            writable=writable,
            fetch_missing=self._fetch_missing,
            say=self._say,
            load_model=self._models.load,
        )

    def _open_to_serve(self, record: VaultRecord) -> Engine:
        engine = self._open(record, writable=True)
        try:
            engine.wait_for_model()
            engine.start()
        except BaseException:  # whatever it is: nobody else could close it
            engine.close()
            raise
        return engine

    # --- where things lie ------------------------------------------------------------------

    def _moved_to(self, record: VaultRecord, path: Path) -> bool:
        """Whether a known vault is at `path` now: its folder is gone, its notes are there."""
        from notewell.index.embedded.index import Index  # noqa: PLC0415 - loads the engines of the index
        from notewell.ingest.vault_identity import is_same_vault  # noqa: PLC0415

        if record.source != "folder" or record.path.exists():
            return False
        try:
            with closing(Index.open(self.directory(record), writable=False)) as index:
                return is_same_vault(index.manifest(), path)
        except NotewellError as error:
            log.debug("%s may have moved, but its index does not say: %s", record.name, error)
            return False

    @property
    def _mirrors(self) -> Path:
        return Path(os.path.realpath(self._settings.data_dir)) / "mirrors"


def _real_folder(folder: Path) -> Path:
    try:
        path = folder.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFoundError(f"there is no folder {folder}: {error}") from error
    if not path.is_dir():
        raise UsageError(f"{folder} is a file; name the vault's folder")
    return path


def _moved(
    record: VaultRecord, path: Path, name: str | None, records: Sequence[VaultRecord]
) -> VaultRecord:
    """The record at its new place; a name that was the folder's goes with the folder."""
    taken = {known.name.casefold() for known in records if known.id != record.id}
    kept = path.name if record.name == record.path.name else record.name
    return replace(record, path=path, name=_free_name(name or kept or "vault", taken))


def _mirror_record(mirrors: Path, name: str, *, default: bool) -> VaultRecord:
    vault_id = secrets.token_hex(6)
    path = mirrors / vault_id / "vault"
    return VaultRecord(vault_id, name.strip(), path, source="mirror", default=default)


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _named(records: tuple[VaultRecord, ...], word: str, cwd: Path) -> VaultRecord | None:
    for record in records:
        if word in {record.id, record.name}:
            return record
    for record in records:
        if word.casefold() == record.name.casefold():
            return record
    path = (cwd / Path(word).expanduser()).resolve()
    return next((record for record in records if record.path == path), None)


def _around(records: tuple[VaultRecord, ...], cwd: Path) -> VaultRecord | None:
    inside = [record for record in records if cwd.resolve().is_relative_to(record.path)]
    return max(inside, key=lambda record: len(record.path.parts), default=None)


def _obvious(records: tuple[VaultRecord, ...]) -> VaultRecord | None:
    if len(records) == 1:
        return records[0]
    return next((record for record in records if record.default), None)


def _not_found(records: tuple[VaultRecord, ...], word: str | None) -> str:
    if not records:
        return "no vault is known yet; run `notewell index FOLDER` first"
    known = ", ".join(record.name for record in records)
    if word is None:
        return f"which vault? Name one with --vault; known: {known}"
    return f"no vault '{word}'; known: {known}. A new folder is added by `notewell index FOLDER`"


def _delete_mirror(mirrors: Path, record: VaultRecord) -> None:
    """Delete the folder that a mirror's clients filled, and nothing that lies elsewhere."""
    if record.path == mirrors / record.id / "vault":
        shutil.rmtree(mirrors / record.id, ignore_errors=True)
