"""The parts of a tool: its name, the request it takes, and the function that answers it.

The function gets a `ToolContext` and a checked request, runs in a thread, and returns a JSON
document; it raises errors of the package. `answer` makes the text that an assistant gets of both.
Prompts are for common tasks: a person picks one from a list in their assistant.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from notewell.base.errors import NotFoundError
from notewell.base.types import CountTokens
from notewell.doors.mcp.requests import ToolRequest
from notewell.engine.client import Backend

T = TypeVar("T")

# JSON of a tool's answer. Values may be reply records, which `answer.compact` turns into JSON.
Document: TypeAlias = dict[str, Any]

DOOR = "mcp"  # what searches of assistants are called in the log
_MAX_JOBS = 100


@dataclass(frozen=True, slots=True)
class VaultFacts:
    """A vault that an assistant may name."""

    id: str
    name: str
    default: bool


@dataclass(frozen=True, slots=True)
class Job:
    """Indexing that a tool started; `began` in POSIX seconds."""

    id: str
    kind: str
    vault: str
    began: float


class Jobs:
    """The latest jobs of one MCP server. Any thread may call.

    Whether a job has ended is read from its vault's status, so it outlives the server that runs it
    and needs no notification.
    """

    def __init__(self) -> None:
        """Start without jobs."""
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def begin(self, kind: str, vault: str) -> Job:
        """Record a job that has just been started."""
        job = Job(f"{kind}-{secrets.token_hex(4)}", kind, vault, time.time())
        with self._lock:
            self._jobs[job.id] = job
            if len(self._jobs) > _MAX_JOBS:
                self._jobs.popitem(last=False)
        return job

    def find(self, job_id: str) -> Job:
        """Return the job with this id; raises NotFoundError where it is not among the latest."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None:
            raise NotFoundError(
                f"no job '{job_id}' is known; vault_status without `job` says what is going on"
            )
        return job


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with: one vault, and the server's jobs. `vault_id` is the vault's."""

    vault_id: str
    backend: Backend
    count_tokens: CountTokens
    jobs: Jobs
    vaults: tuple[VaultFacts, ...]  # all that may be named


class Source(Protocol):
    """Finds the backend of a vault, anew for each call, and runs a tool's work with it."""

    async def run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        """Run `work` in a thread, for the vault of that name or id; None: the default vault.

        Raises NotFoundError where there is no such vault, and whatever `work` raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, as assistants see it, and how it is answered.

    `cut` names the parts of its answer that are shortened, in that order, to keep to the budget.
    `writes`: refused unless the assistant may write. `destructive`: it may delete.
    """

    name: str
    title: str
    description: str
    request: type[ToolRequest]
    run: Callable[[ToolContext, Any], Document]  # the second argument is a `request`
    cut: tuple[str, ...] = ()
    writes: bool = False
    destructive: bool = False


CITE = (
    "Cite the notes that you use as [n], and name their paths at the end. Say so where the notes"
    " do not answer; do not fill gaps from general knowledge."
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt; `text` makes the message to the assistant from checked arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[ToolContext, Mapping[str, str]], str]
