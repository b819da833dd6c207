"""Long operations: what was begun, and how far it is.

A job is one or more looks at a vault. Its end is read off the vault's status, so nothing has to be
told when it ends, and a job outlives the server that it was begun at.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from notewell.errors import NotFoundError

_MOST_KEPT = 100


@dataclass(frozen=True, slots=True)
class Job:
    """Something that was begun in a vault at a time (POSIX seconds)."""

    id: str
    kind: str
    vault: str
    began: float


class Jobs:
    """The jobs of one MCP server, the latest of them. Any thread may call."""

    def __init__(self) -> None:
        """None yet."""
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def begin(self, kind: str, vault: str) -> Job:
        """Remember a job that was begun just now."""
        job = Job(f"{kind}-{secrets.token_hex(4)}", kind, vault, time.time())
        with self._lock:
            self._jobs[job.id] = job
            if len(self._jobs) > _MOST_KEPT:
                self._jobs.popitem(last=False)
        return job

    def find(self, word: str) -> Job:
        """The job of this id; NotFoundError where it is none of the latest."""
        with self._lock:
            job = self._jobs.get(word)
        if job is None:
            raise NotFoundError(
                f"no job '{word}' is known here; without `job`, vault_status says what is going on"
            )
        return job


def progress(job: Job, status: Mapping[str, Any]) -> dict[str, Any]:
    """How far a job is, by its vault's status."""
    running = status["state"] in {"starting", "indexing"}
    queue = status["queue"]
    return {
        "id": job.id,
        "kind": job.kind,
        "state": "running" if running else "done",
        "pending": queue["pending"] if running else 0,
        "eta_s": queue["eta_s"] if running else None,
        "failed": status["ledger"]["failed"],
        "problem": status["problem"],
    }
