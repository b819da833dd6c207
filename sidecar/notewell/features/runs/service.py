"""The runs of one vault as the contract shows them."""

from __future__ import annotations

import re
import time

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError
from notewell.api.requests import iso
from notewell.contract.status import (
    CancelRun,
    NextRun,
    RunRequest,
    RunsReply,
    RunsRequest,
    RunView,
)

_NUMBER = re.compile(r"[0-9]{1,15}")  # as the contract has it; a command line may give any text


def open_feature(vault: OpenVault) -> OpenFeature:
    """The runs of a vault, with what answers each request."""
    runs = VaultRuns(vault)
    return OpenFeature(
        answers={
            RunsRequest: lambda one: runs.reply(one.limit),
            RunRequest: lambda one: runs.show(one.id),
            CancelRun: lambda one: runs.cancel(one.id),
        }
    )


class VaultRuns:
    """Lists, shows and cancels runs. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        """The log of runs is read by each call."""
        self._vault = vault.record.name
        self._runs = vault.runs
        self._schedule = vault.schedule

    def reply(self, limit: int) -> RunsReply:
        """The newest runs, and those that are due next."""
        due = self._schedule.upcoming(time.time())
        return RunsReply(
            self._vault,
            self._runs.log.runs(limit),
            tuple(NextRun(run.kind, iso(run.at)) for run in due),
        )

    def show(self, number: str) -> RunView:
        """One run; NotFoundError if the log does not have it."""
        if _NUMBER.fullmatch(number) is None:
            raise NotFoundError(f"There is no run {number[:40]!r}; `notewell runs list` has them.")
        return self._runs.log.run(int(number))

    def cancel(self, number: str) -> RunView:
        if self.show(number).result == "running":
            self._runs.cancel(int(number))
        return self.show(number)
