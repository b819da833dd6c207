"""What tends a vault besides its index: writes, gleanings, runs and their schedule."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from notewell.contract.phone import PhoneIndexReply
from notewell.engine.live_text import LiveText
from notewell.engine.properties import VaultProperties
from notewell.engine.runs import VaultRuns
from notewell.engine.scheduler import Scheduler
from notewell.engine.source_sync import SourceSync
from notewell.engine.undo import VaultUndo
from notewell.errors import NotewellError
from notewell.gardener.plans import Plans, PlansParts
from notewell.gardener.read_garden import GardenParts
from notewell.gardener.rejections import Rejections
from notewell.gardener.service import Topics
from notewell.gardener.state import StateFile as GardenFile
from notewell.gleanings.collect import Collection
from notewell.gleanings.service import Gleanings, Parts
from notewell.gleanings.state import StateFile
from notewell.gleanings.web import Web
from notewell.index.port import IndexReader
from notewell.ingest.queue import Work
from notewell.ingest.writer import Writer
from notewell.phone.service import HOURLY, PhoneIndex, PhoneParts
from notewell.runs import RunLog
from notewell.runs.work import Runs
from notewell.sources import Source
from notewell.types import Embedder, Settings, VaultRecord
from notewell.types.runs import RunKind
from notewell.vault.daily import DailyNotes
from notewell.vault.write import VaultWriter

if TYPE_CHECKING:  # loaded with the first question
    from notewell.models.chat.providers import Providers

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TendedVault:
    """One vault and what is used to read and write it.

    `writer` None: it is never written. `changed` is called with the path of each note written.
    `embedder` gives the model that answers searches, and `chat` what opens the language model.
    """

    record: VaultRecord
    settings: Settings
    index: IndexReader
    source: Source
    writer: VaultWriter | None
    changed: Callable[[str], None]
    embedder: Callable[[], Embedder | None]
    chat: Callable[[], Providers]


class Tending:
    """What is written to a vault, its runs that are no indexing, and the schedule of all.

    `runs` lists, shows and cancels runs; `gleanings` are the links saved in daily notes;
    `topics` are those of its notes, `plans` those of the gardener, `rejections` what was rejected
    of them; `properties` edits those of notes; `undoing` takes back what was written; `phone` is
    the file for phones; `source` brings converted notes up to date, and
    `live` shows what they say there now.
    """

    def __init__(self, vault: TendedVault, indexing: Writer, index_all: Callable[[], None]) -> None:
        """Nothing is started before `start`. `indexing` does what the schedule wants indexed.

        `index_all` has the whole vault indexed, at once where no writer serves.
        """
        record, settings = vault.record, vault.settings
        self.undoing = VaultUndo(record.name, vault.writer, vault.changed)
        self.properties = VaultProperties(
            record.name, vault.writer, vault.index, vault.changed, settings.memory.folder
        )
        log = run_log(record, settings)
        self._working = Runs(log, record.name)
        self.gleanings = _gleanings(vault, self._working)
        self.source = SourceSync(record, self._working, index_all, offline=settings.offline)
        self.live = LiveText(
            record,
            self.source.window,
            offline=settings.offline,
            snippet_chars=settings.search.snippet_chars,
        )
        folder = settings.topics.folder
        self.topics = Topics(record.name, folder, vault.index, vault.source, vault.embedder)
        self.phone = PhoneIndex(
            PhoneParts(record, vault.index, self._working, vault.embedder), settings.phone
        )
        self.plans = _plans(vault, self._working)
        self.rejections = Rejections(record.name, _garden_file(vault))
        self._scheduler = Scheduler(
            settings.schedule, settings.vault.reconcile_at, log, self._starts(indexing)
        )
        if self.phone.on:
            self._scheduler.follow("phone", HOURLY)
        self.runs = VaultRuns(record.name, self._working, self._scheduler, indexing.cancel_run)

    def start(self) -> None:
        """Follow the schedule, and end what a killed process began."""
        try:
            self.plans.resume()
        except NotewellError as error:
            log.warning("what the gardener began is not ended: %s", error.message)
        self._scheduler.start()

    def close(self) -> None:
        """Stop the schedule and what runs, at its next item."""
        self._scheduler.stop()
        self._working.close()

    def switch_phone_index(self, *, on: bool) -> PhoneIndexReply:
        """Write the phone index now and once an hour, or delete it; see `PhoneIndex.switch`."""
        reply = self.phone.switch(on=on)
        self._scheduler.follow("phone", HOURLY if on else "")
        return reply

    @property
    def busy(self) -> bool:
        """Whether a run works in this process."""
        return self._working.busy

    def _starts(self, indexing: Writer) -> dict[RunKind, Callable[[], object]]:
        starts: dict[RunKind, Callable[[], object]] = {
            "reconcile": lambda: indexing.submit(Work(trigger="schedule")),
            "extract": self.gleanings.begin_extract,
            "maintain": lambda: self.gleanings.maintain(trigger="schedule"),
            "phone": self.phone.begin_due,
            "plan": self.plans.begin,
        }
        if self.source.is_known:
            starts["sync"] = lambda: self.source.begin(trigger="schedule")
        return starts


def _gleanings(vault: TendedVault, runs: Runs) -> Gleanings:
    record, settings = vault.record, vault.settings
    rules = settings.gleanings
    parts = Parts(
        collection=Collection(vault.index, vault.source, DailyNotes.read(record.path), rules),
        state=StateFile(settings.data_dir / "vaults" / record.id),
        runs=runs,
        writer=vault.writer,
        changed=vault.changed,
        web=lambda seconds: Web(seconds=seconds),
    )
    return Gleanings(record.name, rules, parts, offline=settings.offline)


def _plans(vault: TendedVault, runs: Runs) -> Plans:
    record, settings = vault.record, vault.settings
    memories = (settings.memory.folder,) if settings.memory.folder else ()
    parts = PlansParts(
        garden=GardenParts(
            index=vault.index,
            source=vault.source,
            root=record.path,
            rules=settings.garden,
            topics=settings.topics.folder,
            untouched=memories,
        ),
        file=_garden_file(vault),
        runs=runs,
        writer=vault.writer,
        changed=vault.changed,
        load_model=vault.embedder,
        chat=vault.chat,
        offline=settings.offline,
    )
    return Plans(record.name, parts)


def _garden_file(vault: TendedVault) -> GardenFile:
    return GardenFile(vault.settings.data_dir / "vaults" / vault.record.id)


def run_log(record: VaultRecord, settings: Settings) -> RunLog:
    """The log of a vault's runs, even if a setting puts the index elsewhere."""
    return RunLog(settings.data_dir / "vaults" / record.id)
