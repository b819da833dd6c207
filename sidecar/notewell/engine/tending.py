"""What tends a vault besides its index: writes, gleanings, runs and their schedule."""

from __future__ import annotations

from collections.abc import Callable

from notewell.contract.phone import PhoneIndexReply
from notewell.engine.feature import OpenFeatures, OpenVault
from notewell.engine.runs import VaultRuns
from notewell.engine.scheduler import Scheduler
from notewell.ingest.queue import Work
from notewell.ingest.writer import Writer
from notewell.phone.service import HOURLY, PhoneIndex, PhoneParts
from notewell.runs import RunLog
from notewell.types import Settings, VaultRecord
from notewell.types.runs import RunKind


class Tending:
    """What is written to a vault, its runs that are no indexing, and the schedule of all.

    `runs` lists, shows and cancels runs; `phone` is the file for phones.
    """

    def __init__(self, vault: OpenVault, indexing: Writer, features: OpenFeatures) -> None:
        """Nothing is started before `start`. `indexing` does what the schedule wants indexed."""
        record, settings = vault.record, vault.settings
        self._working, self._features = vault.runs, features
        self.phone = PhoneIndex(
            PhoneParts(record, vault.index, self._working, vault.embedder), settings.phone
        )
        self._scheduler = Scheduler(
            settings.schedule, settings.vault.reconcile_at, vault.runs.log, self._starts(indexing)
        )
        if self.phone.on:
            self._scheduler.follow("phone", HOURLY)
        self.runs = VaultRuns(record.name, self._working, self._scheduler, indexing.cancel_run)

    def start(self) -> None:
        """Follow the schedule, and begin what features do while the vault is served."""
        self._features.start()
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
        return {
            **self._features.runs(),
            "reconcile": lambda: indexing.submit(Work(trigger="schedule")),
            "phone": self.phone.begin_due,
        }


def run_log(record: VaultRecord, settings: Settings) -> RunLog:
    """The log of a vault's runs, even if a setting puts the index elsewhere."""
    return RunLog(settings.data_dir / "vaults" / record.id)
