"""Applies a plan in child processes that are killed at every step, each followed by a resumption.

    python -m tests.features.gardener.killed_changes VAULT DATA PLAN apply|undo STEPS

Prints one JSON line for each step: how the child ended, whether the notes changed, and how many
suggestions are applied according to the plan. A process of its own, because a process with the
threads of an engine cannot be copied.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from notewell.features.gardener.changes import SuggestionWriter
from notewell.features.gardener.plans import GardenFile, GardenState
from notewell.vault import write
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal
from tests.engine.open_vault import open_vault


def countdown(steps: int) -> Callable[[], None]:
    """A function that kills this process when it is called for the last time."""
    left = [steps]

    def tick() -> None:
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    return tick


def killed(steps: int, fresh: Callable[[], SuggestionWriter], what: str, plan: str) -> bool:
    """Do the work in a child that dies before or after writing a file; whether it did die."""
    child = os.fork()
    if not child:
        changes, tick, store = fresh(), countdown(steps), write._store
        save = changes.file.save

        def deadly_store(place: Path, raw: bytes, *, new: bool) -> None:
            tick()
            store(place, raw, new=new)
            tick()

        def deadly_save(state: GardenState) -> None:
            tick()
            save(state)

        write._store = deadly_store
        changes.file.save = deadly_save  # type: ignore[method-assign]
        try:
            getattr(changes, what)(plan, ())
        finally:
            os._exit(0)  # else it would go on as if it were the parent
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main() -> None:
    """Kill, resume, report, and bring everything back, step by step."""
    vault, data, plan, what, most = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:6]

    def fresh() -> SuggestionWriter:
        writer = VaultWriter(vault, Journal(data))
        at_work = open_vault(writer=writer, changed=lambda _: None)
        return SuggestionWriter(at_work, GardenFile(data))

    def notes() -> dict[str, str]:
        return {
            file.name: file.read_bytes().hex()
            for file in sorted(vault.rglob("*.md"))
            if not file.name.startswith("Gardener Plan")
        }

    before = notes()
    fresh().apply(plan, ())
    after = notes()
    fresh().undo(plan, ())
    for steps in range(int(most)):
        if what == "undo":
            fresh().apply(plan, ())
        died = killed(steps, fresh, what, plan)
        fresh().resume()
        now = notes()
        applied = sum(
            suggestion.state == "applied" for suggestion in fresh().seen(plan).suggestions
        )
        state = "before" if now == before else "after" if now == after else "mixed"
        fresh().undo(plan, ())
        sys.stdout.write(json.dumps([died, state, applied, notes() == before]) + "\n")
        sys.stdout.flush()  # a child would write it again


if __name__ == "__main__":
    main()
