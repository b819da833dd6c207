"""The library as notes beside those of a vault, and the watch for its changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import SourceError
from notewell.api.files import expand_user
from notewell.api.notes import DOCUMENTS
from notewell.api.types import Settings, VaultRecord
from notewell.api.vault import Source, add_notes
from notewell_zotero import ZoteroRules
from notewell_zotero.library import database_of, read_library
from notewell_zotero.notes import LibraryNote, address_of, name_of, note_of

NAME = "zotero"
ROOT = f"{DOCUMENTS}/.{NAME}"
_LOOK_S = 60.0


class Library:
    """The notes of a library, read again when its database has changed. Any thread may ask."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._notes: Mapping[str, LibraryNote] = {}

    def notes(self) -> Mapping[str, LibraryNote]:
        """All notes by their path in the library. Raises SourceError."""
        with self._lock:
            version = self.version()
            if version != self._version:
                self._notes = {
                    name_of(item): note_of(item) for item in read_library(self._database)
                }
                self._version = version
            return self._notes

    def version(self) -> tuple[int, int]:
        """Time and size of the database. Raises SourceError where there is no database."""
        try:
            status = self._database.stat()
        except OSError as error:
            raise SourceError(
                f"There is no library of Zotero at {self._database}"
                f" ({error.strerror or error}). Set zotero.library to its folder."
            ) from error
        return status.st_mtime_ns, status.st_size


def library_of(record: VaultRecord, settings: Settings) -> Library | None:
    """The library that a vault has by the settings, or None."""
    rules = settings.of(ZoteroRules)
    if not rules.library or (rules.vaults and not {record.name, record.id} & {*rules.vaults}):
        return None
    return Library(database_of(expand_user(rules.library)))


def with_library(source: Source, record: VaultRecord, settings: Settings) -> Source:
    """The source of a vault's notes and of the library's."""
    library = library_of(record, settings)
    if library is None:
        return source
    return add_notes(source, NAME, library.notes, address_of, settings.vault)


def open_feature(vault: OpenVault) -> OpenFeature:
    """Look for changes of the library while a server keeps the vault's index."""
    watch = Watch(vault)
    return OpenFeature(events={"vault_opened": watch.start}, close=watch.close)


class Watch:
    """A thread that has the library indexed when its database has changed."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, if the vault has a library."""
        library = library_of(self._vault.record, self._vault.settings())
        if library is not None and self._thread is None:
            self._thread = threading.Thread(target=self._look, args=(library,), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self, library: Library) -> None:
        seen = _version(library)
        while not self._ended.wait(_LOOK_S):
            now = _version(library)
            if now != seen:
                self._vault.reindex(ROOT)
                seen = now


def _version(library: Library) -> tuple[int, int] | None:
    """The version of a library; None for one that is not there at the moment."""
    try:
        return library.version()
    except SourceError:
        return None
