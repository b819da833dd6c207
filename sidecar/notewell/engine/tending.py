"""What tends a vault besides its index: runs and their schedule."""

from __future__ import annotations

from collections.abc import Callable

from notewell.engine.runs import VaultRuns
from notewell.engine.scheduler import Scheduler
from notewell.ingest.queue import Work
from notewell.ingest.writer import Writer
from notewell.runs import RunLog
from notewell.runs.work import Runs
from notewell.types import Settings, VaultRecord
from notewell.types.runs import RunKind


class Tending:
    """The runs of one vault that are no indexing, and the schedule of all.

    `runs` lists, shows and cancels them.
    """

    def __init__(self, record: VaultRecord, settings: Settings, writer: Writer) -> None:
        """Nothing is started before `start`."""
        log = run_log(record, settings)
        self._working = Runs(log, record.name)
        self._scheduler = Scheduler(
            settings.schedule, settings.vault.reconcile_at, log, self._starts(writer)
        )
        self.runs = VaultRuns(record.name, self._working, self._scheduler, writer.cancel_run)

    def start(self) -> None:
        """Follow the schedule."""
        self._scheduler.start()

    def close(self) -> None:
        """Stop the schedule and what runs, at its next item."""
        self._scheduler.stop()
        self._working.close()

    @property
    def busy(self) -> bool:
        """Whether a run works in this process."""
        return self._working.busy

    def _starts(self, writer: Writer) -> dict[RunKind, Callable[[], object]]:
        return {"reconcile": lambda: writer.submit(Work(trigger="schedule"))}


def run_log(record: VaultRecord, settings: Settings) -> RunLog:
    """The log of a vault's runs, even if a setting puts the index elsewhere."""
    return RunLog(settings.data_dir / "vaults" / record.id)
