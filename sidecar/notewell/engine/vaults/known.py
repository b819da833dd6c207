"""The known vaults: finding one by id, name or folder, and the location of its index.

Opens no index, so that a command beside a running server need not load the engine; `opened` does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from notewell.base.errors import NotFoundError, UsageError, near
from notewell.base.support import disk
from notewell.base.support.disk import expanded
from notewell.base.types import Settings, VaultRecord
from notewell.base.types.values import VAULTS
from notewell.engine.vaults.registry import MIRRORS, Registry

OURS = (VAULTS, MIRRORS)


class KnownVaults:
    """The vaults in the registry of one data directory, each with its settings."""

    def __init__(
        self, settings: Settings, *, for_vault: Callable[[Path], Settings] | None = None
    ) -> None:
        """`for_vault` gives the settings with a vault's own file merged in."""
        self._settings = settings
        self._for_vault = for_vault or (lambda _: settings)
        self._registry = Registry(settings.data_dir)

    @property
    def common(self) -> Settings:
        """The settings of this computer, without those of a vault."""
        return self._settings

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known."""
        return self._registry.records()

    def notice(self) -> str | None:
        """A notice of what happened to a damaged list of vaults, until its next change."""
        return self._registry.notice()

    def find(self, word: str | None, *, cwd: Path) -> VaultRecord:
        """The vault that `word` names (id, name or folder).

        Without a word: the one that `cwd` lies in, the only one, or the default. NotFoundError
        where there is none.
        """
        records = self.records()
        if word is not None:
            found = _named(records, word, cwd)
        else:
            found = _around(records, cwd) or _obvious(records)
        if found is None:
            raise NotFoundError(_not_found(records, word))
        return found

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
            disk.make_folder(record.path)
            records.append(record)
        return record

    def add_made(self, make: Callable[[Path, Sequence[VaultRecord]], VaultRecord]) -> VaultRecord:
        """Make a vault known whose notes are kept here.

        `make` makes its record and its folder, below the one that it is given; it is also given the
        records that there are.
        """
        with self._registry.changing() as records:
            record = make(self._mirrors, records)
            records.append(record)
        return record

    def set_default(self, record: VaultRecord) -> None:
        """Make `record` the vault that is meant when none is named."""
        with self._registry.changing() as records:
            records[:] = [replace(known, default=known.id == record.id) for known in records]

    def settings(self, record: VaultRecord) -> Settings:
        return self._for_vault(record.path)

    def directory(self, record: VaultRecord) -> Path:
        chosen = self.settings(record).index_dir
        return chosen if chosen is not None else self._data(record)

    def _data(self, record: VaultRecord) -> Path:
        """Where what belongs to a vault lives, but for an index that was put elsewhere."""
        return record.data_folder(self._settings.data_dir)

    @property
    def _mirrors(self) -> Path:
        return Path(os.path.realpath(self._settings.data_dir)) / MIRRORS


def _mirror_record(mirrors: Path, name: str, *, default: bool) -> VaultRecord:
    vault_id = os.urandom(6).hex()
    path = mirrors / vault_id / "vault"
    return VaultRecord(vault_id, name.strip(), path, source="mirror", default=default)


def _named(records: tuple[VaultRecord, ...], word: str, cwd: Path) -> VaultRecord | None:
    for record in records:
        if word in {record.id, record.name}:
            return record
    for record in records:
        if word.casefold() == record.name.casefold():
            return record
    path = (cwd / expanded(word)).resolve()
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
    meant = near(word, (record.name for record in records))
    asked = f"did you mean '{meant}'? Known: {known}" if meant else f"known: {known}"
    return f"no vault '{word}'; {asked}. A new folder is added by `notewell index FOLDER`"
