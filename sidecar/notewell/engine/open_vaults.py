"""The known vaults with their engines: opening and serving them, making them known, removing them.

A vault's id is made once and stays with its notes, also when their folder moves; its name is its
folder's, `-2` and so on behind it where another has it already.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import TracebackType

from notewell.base import querylog
from notewell.base.errors import (
    IndexInUseError,
    NotewellError,
    NotFoundError,
    UsageError,
    on_error,
)
from notewell.base.support import disk
from notewell.base.support.disk import expand_user
from notewell.base.types import AssistantRules, Settings, VaultRecord
from notewell.engine import runs
from notewell.engine.assistants import (
    AssistantsView,
    MarkedNotes,
    hides_by_rule,
    view_of,
    write_folder,
)
from notewell.engine.engine import Engine
from notewell.engine.feature import (
    Feature,
    OpenVault,
    databases,
    engines,
    files,
    has_past,
    switched_on,
)
from notewell.engine.ingest.plan import FEWEST, is_same_vault
from notewell.engine.known_vaults import OURS, REGISTRY, KnownVaults
from notewell.engine.reader_pool import ReaderPool, reader_count
from notewell.index.engines import DATABASE, delete_index, open_index
from notewell.models.pool import EmbedderPool
from notewell.vault import write_journal

log = logging.getLogger(__name__)


# Of every vault, in its data folder. Each feature names its own in its row.
DATABASES = (DATABASE, querylog.NAME, write_journal.NAME, runs.NAME)


_READ_S = 60.0  # how long the first reading of a view is waited for


def _quiet(_: str) -> None:
    """Say nothing."""


class Vaults(KnownVaults):
    """The known vaults and their engines, each engine opened once."""

    def __init__(
        self,
        settings: Settings,
        *,
        for_vault: Callable[[Path], Settings] | None = None,
        fetch_missing: bool = False,
        say: Callable[[str], None] = _quiet,
        features: Sequence[Feature] = (),
    ) -> None:
        """`for_vault` gives the settings with a vault's own file merged in.

        `features` are the rows of what its engines answer besides searches, unless a setting
        switches them off.
        """
        super().__init__(settings, for_vault=for_vault)
        self._fetch_missing = fetch_missing
        self._say = say
        self._features = features
        self._engines = OpenEngines(settings.server.open_vaults)
        self._served: tuple[VaultRecord, ...] | None = None
        self._models = EmbedderPool()
        self._readers = ReaderPool()
        self._newer: dict[str, Callable[[Path], Settings]] = {}  # sections set after the start
        self._consent: tuple[str, ...] | None = None  # hosts to which notes may be sent
        self._marked = MarkedNotes()

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
                    records[place] = _move(record, path, name, records)
                    self._say(f"{record.path} has moved to {path} and keeps its index")
                    return records[place]
            _refuse_too_wide(path)
            wanted = name or path.name or "vault"
            record = VaultRecord(
                id=secrets.token_hex(6),
                name=_free_name(wanted, {known.name.casefold() for known in records}),
                path=path,
                default=not records,
            )
            records.append(record)
        return record

    def move(self, record: VaultRecord, folder: Path) -> VaultRecord:
        """Give a known vault the folder where its notes are now; the index stays.

        Raises NotFoundError or UsageError if the folder does not exist, is another vault's, or has
        other notes.
        """
        path = _real_folder(folder)
        if record.source != "folder":
            raise UsageError(
                f"the notes of {record.name} are kept in the data directory; they stay"
            )
        if not self._has_notes_of(record, path, fewest=1):
            raise UsageError(
                f"{path} does not hold the notes of {record.name}: name the folder that does, or"
                f" index it as another vault with `notewell index {path}`"
            )
        with self._registry.changing() as records:
            other = next((record for record in records if record.path == path), None)
            if other is not None and other.id != record.id:
                raise UsageError(f"{path} is the vault {other.name} already; remove that one first")
            place = next(n for n, other in enumerate(records) if other.id == record.id)
            records[place] = _move(records[place], path, None, records)
            return records[place]

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        """Forget a vault; with `delete_data` also its index and log, and a mirror's notes.

        Notes that are a person's own are never touched.
        """
        self._engines.close(view_of(record).key)
        self._engines.close(record.id)
        directory = self.directory(record)
        with self._registry.changing() as records:
            if delete_data:
                data = self._data(record)
                shutil.rmtree(self._data(view_of(record)), ignore_errors=True)
                delete_index(directory, added=engines(self._features))
                write_journal.delete(data)
                for name in files(self._features):
                    _delete_state(data / name)
                for name in databases(self._features):
                    disk.delete_database(data / name)
                runs.delete(data)
                querylog.delete(record.data_folder(self._settings.data_dir))
            if delete_data and record.source != "folder":
                _delete_mirror(self._mirrors, record)
            records[:] = [known for known in records if known.id != record.id]
            if records and not any(known.default for known in records):
                records[0] = replace(records[0], default=True)

    def settings(self, record: VaultRecord) -> Settings:
        settings = super().settings(record)
        if self._consent is not None:
            settings = replace(settings, model=replace(settings.model, consent=self._consent))
        for section, read in self._newer.items():
            settings = settings.with_sections([section], read(record.path))
        return settings

    def use_sections(self, names: Iterable[str], for_vault: Callable[[Path], Settings]) -> None:
        """Use these sections of the settings of each vault from now on."""
        newer = dict.fromkeys(names, cache(for_vault))
        self._newer.update(newer)
        for engine in self._engines.all() if newer else ():
            engine.use_settings(self.settings(engine.record))

    def use_consent(self, hosts: tuple[str, ...]) -> None:
        """Send notes to these hosts and to no others, from now on."""
        self._consent = hosts
        for engine in self._engines.all():
            engine.use_consent(hosts)

    def open(self, record: VaultRecord, *, writable: bool) -> Engine:
        """The engine of a vault, opened at the first call and kept."""
        return self._engines.get(record.key, lambda: self._open(record, writable=writable))

    def for_assistants(self, record: VaultRecord) -> VaultRecord:
        """The vault as assistants are to see it: as its owner does, or its view (`assistants`).

        Whether a note is marked is asked of the engine, while it is open.
        """
        rules = self.settings(record).assistants
        hides, view = self._hides(record, rules), view_of(record)
        shared = self._opened(view.key) if hides else None
        if shared is not None and not shared.hides_notes:  # a note is marked since
            self._engines.close(view.key)
        return view if hides or write_folder(rules) else record

    def _opened(self, key: str) -> Engine | None:
        """The engine of a vault or a view that is open, by its key."""
        return next((engine for engine in self.opened() if engine.record.key == key), None)

    def _hides(self, record: VaultRecord, rules: AssistantRules) -> bool:
        """True if notes are kept from assistants."""
        if hides_by_rule(rules):
            return True
        engine = self._opened(record.owners.key)
        if engine is None:
            return self._marked.last_seen(record.id)
        search = engine.searcher.search
        return self._marked.look(record.id, engine.vault.index.generation, search)

    def serve(self, records: Sequence[VaultRecord]) -> None:
        """Offer vaults to requests, and open as many of them as may be open, the default first."""
        self._served = tuple(records)
        self._readers = ReaderPool(reader_count(self._settings.server.readers))
        first = sorted(records, key=lambda record: not record.default)
        for record in first[: max(self._settings.server.open_vaults, 1)]:
            self.open(record, writable=not self._settings.server.read_only)

    def serve_also(self, record: VaultRecord) -> None:
        """Offer one more vault to requests, if it is not yet; it is opened by the first."""
        if record.id not in {record.id for record in self.served()}:
            self._served = (*self.served(), record)

    def serve_no_more(self, record: VaultRecord) -> None:
        self._served = tuple(served for served in self.served() if served.id != record.id)

    def served(self) -> tuple[VaultRecord, ...]:
        if self._served is None:
            engines = self._engines.all()
            return tuple(engine.record for engine in engines if not engine.record.view)
        return self._served

    def has_past(self, record: VaultRecord) -> bool:
        return has_past(self.features, record.path)

    @property
    def features(self) -> Sequence[Feature]:
        """The features that are switched on, for all vaults."""
        return switched_on(self._features, self._settings)

    def held(self, record: VaultRecord) -> Hold | None:
        """Keep a vault open until the hold is released; None where it is not open."""
        return self._engines.held(record.key)

    def hold(self, record: VaultRecord) -> Hold:
        """Like `held`, but opens the vault if needed, which may close another."""
        return self._engines.hold(record.key, lambda: self._open_to_serve(record))

    def opened(self) -> tuple[Engine, ...]:
        return self._engines.all()

    def close(self) -> None:
        self._readers.close()
        self._engines.close()

    def _open(self, record: VaultRecord, *, writable: bool) -> Engine:
        log.info("opening %s%s", record.name, "" if writable else " to read")
        if writable:
            self._make_private(record.owners)
        view, directory = None, self.directory(record)
        if record.view:
            view = self._view(record)
            if view.lend is None:  # nothing is hidden: the owner's index, which its engine writes
                directory, writable = self.directory(record.owners), False
        opened = partial(self._open_index, record, directory, view)
        try:
            return opened(writable=writable)
        except IndexInUseError:
            if view is None:
                raise
            return opened(writable=False)  # another process keeps it up to date

    def _open_index(
        self, record: VaultRecord, directory: Path, view: AssistantsView | None, *, writable: bool
    ) -> Engine:
        return Engine.open(
            record,
            directory,
            self.settings(record),
            writable=writable,
            fetch_missing=self._fetch_missing,
            say=self._say,
            load_model=self._models.load,
            features=self.features,
            readers=self._readers,
            view=view,
            for_assistants=self._seen_by_assistants,
        )

    @contextmanager
    def _seen_by_assistants(self, vault: OpenVault) -> Iterator[OpenVault]:
        """Give the view of a vault while the block runs, once its notes have been read."""
        seen = self.for_assistants(vault.record)
        if vault.record.view or not seen.view:
            yield vault
            return
        with self.hold(seen) as engine:
            engine.wait_for_first_run(_READ_S)
            yield engine.vault

    def _view(self, record: VaultRecord) -> AssistantsView:
        settings, owners = self.settings(record), record.owners
        hides = self._hides(owners, settings.assistants)

        def tell_owner(path: str) -> None:
            engine = self._opened(owners.key)
            if engine is not None:
                engine.work.look_at(path)

        return AssistantsView.of(
            record,
            settings,
            self.features,
            owners_index=self.directory(owners) if hides else None,
            tell_owner=tell_owner,
        )

    def _make_private(self, record: VaultRecord) -> None:
        """Close the data of a vault to other users: earlier versions left it readable for them."""
        data = self._settings.data_dir
        for place in (data, *(data / name for name in OURS), *data.glob(f"{REGISTRY}*")):
            disk.restrict(place)
        self._registry.keep_copies()
        disk.restrict_all(self._data(record))

    def _open_to_serve(self, record: VaultRecord) -> Engine:
        engine = self._open(record, writable=not self._settings.server.read_only)
        with on_error(engine.close):
            engine.wait_for_model()
            engine.start()
        return engine

    def _moved_to(self, record: VaultRecord, path: Path) -> bool:
        """True if a known vault is at `path` now: its folder is gone, its notes are there."""
        if record.source != "folder" or record.path.exists():
            return False
        return self._has_notes_of(record, path)

    def _has_notes_of(self, record: VaultRecord, path: Path, *, fewest: int = FEWEST) -> bool:
        """True if a folder holds enough of the notes in a vault's index."""
        try:
            place, added = self.directory(record), engines(self._features)
            with closing(open_index(place, writable=False, added=added)) as index:
                return is_same_vault(index.manifest(), path, fewest=fewest)
        except NotewellError as error:
            log.debug("%s may have moved, but its index does not say: %s", record.name, error)
            return False


def _real_folder(folder: Path) -> Path:
    try:
        path = expand_user(folder).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFoundError(f"there is no folder {folder}: {error}") from error
    if not path.is_dir():
        raise UsageError(f"{folder} is a file; name the vault's folder")
    return path


def _refuse_too_wide(path: Path) -> None:
    """Keep a slip of the finger from indexing a whole disk or home folder, which takes hours."""
    if (path / ".obsidian").is_dir() or path not in {Path(path.anchor), expand_user("~").resolve()}:
        return
    raise UsageError(
        f"{path} holds much more than notes: name the folder of your notes, or open {path} in"
        " Obsidian as a vault first"
    )


def _move(
    record: VaultRecord, path: Path, name: str | None, records: Sequence[VaultRecord]
) -> VaultRecord:
    """The record at its new place; a name that was the folder's goes with the folder."""
    taken = {known.name.casefold() for known in records if known.id != record.id}
    kept = path.name if record.name == record.path.name else record.name
    return replace(record, path=path, name=_free_name(name or kept or "vault", taken))


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _delete_state(file: Path) -> None:
    """Delete a file of state, or the folder of one whose name is a pattern."""
    if "*" in file.name:
        shutil.rmtree(file.parent, ignore_errors=True)
    else:
        disk.delete_state(file)


def _delete_mirror(mirrors: Path, record: VaultRecord) -> None:
    """Delete the notes of a vault that are kept here, and nothing that lies elsewhere."""
    if record.path == mirrors / record.id / "vault":
        shutil.rmtree(mirrors / record.id, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Hold(AbstractContextManager["Engine"]):
    """Keeps an engine open until the end of its `with` block; may be entered once."""

    engine: Engine
    release: Callable[[], None]

    def __enter__(self) -> Engine:
        return self.engine

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class OpenEngines:
    """The engines that are open: each opened once, none closed while in use, the least used closed.

    A vault that is closed keeps its index; it is opened again by the next request about it and then
    brought up to date. Nothing is watched meanwhile, so only as many as the limit says are kept
    open. Safe to use from several threads.
    """

    def __init__(self, most: int) -> None:
        """Keep up to `most` open, at least 1; more only while all of them are busy."""
        self._most = max(most, 1)
        self._engines: dict[str, Engine] = {}  # least recently used first
        self._users: Counter[str] = Counter()
        self._looking = threading.Lock()  # held for moments
        self._changing = threading.Lock()  # held while one is opened or closed

    def all(self) -> tuple[Engine, ...]:
        with self._looking:
            return tuple(self._engines.values())

    def get(self, vault: str, make: Callable[[], Engine]) -> Engine:
        """The engine of a vault, opened by `make` where it is not; no other is closed for it."""
        with self._changing:
            engine = self._mark_used(vault)
            if engine is None:
                engine = self._add(vault, make())
            return engine

    def held(self, vault: str) -> Hold | None:
        """Hold the engine of a vault if it is open; never waits for one that is being opened."""
        with self._looking:
            engine = self._engines.get(vault)
            if engine is None:
                return None
            self._engines[vault] = self._engines.pop(vault)
            self._users[vault] += 1
        return Hold(engine, lambda: self._release(vault))

    def hold(self, vault: str, make: Callable[[], Engine]) -> Hold:
        """Hold the engine of a vault; where it is not open, others may be closed for it."""
        with self._changing:
            if (held := self.held(vault)) is not None:
                return held
            self._make_room()
            self._add(vault, make())
            held = self.held(vault)
        if held is None:  # pragma: no cover - nobody closes it while `_changing` is held
            raise KeyError(vault)
        return held

    def close(self, vault: str | None = None) -> None:
        """Close the engine of a vault, or all engines, even if they are in use."""
        with self._changing:
            names = [vault] if vault is not None else list(self._engines)
            for name in names:
                with self._looking:
                    engine = self._engines.pop(name, None)
                if engine is not None:
                    engine.close()

    def _mark_used(self, vault: str) -> Engine | None:
        with self._looking:
            engine = self._engines.pop(vault, None)
            if engine is not None:
                self._engines[vault] = engine
            return engine

    def _add(self, vault: str, engine: Engine) -> Engine:
        with self._looking:
            self._engines[vault] = engine
        return engine

    def _release(self, vault: str) -> None:
        with self._looking:
            self._users[vault] -= 1

    def _make_room(self) -> None:
        """Close what was not used for the longest time, and neither is used nor at work now."""
        while (idle := self._idle()) is not None:
            log.info("closing %s, which was not used for the longest time", idle.record.name)
            idle.close()

    def _idle(self) -> Engine | None:
        with self._looking:
            if len(self._engines) < self._most:
                return None
            for vault, engine in self._engines.items():
                if not self._users[vault] and not engine.busy:
                    return self._engines.pop(vault)
        return None
