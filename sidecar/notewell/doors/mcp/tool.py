"""Tools of assistants, as their rows declare them; `arguments` makes their requests.

A tool that only sends its request is declared by `tool_of`. The function of any other gets a
`ToolContext` and the record of its arguments, runs in a thread, and returns a JSON document; it
raises errors of the package. `answer` makes the text that an assistant gets of both. Nothing here
imports pydantic: the commands of a feature stand in the same file as its tools.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

import orjson

from notewell.base.errors import NotFoundError
from notewell.base.types import CountTokens
from notewell.contract.request import Request
from notewell.contract.status import StatusReply, StatusRequest
from notewell.engine.client import Backend

T = TypeVar("T")

# JSON of a tool's answer. Values may be reply records, which `answer.compact` turns into JSON.
Document: TypeAlias = dict[str, Any]

DOOR = "mcp"  # what searches of assistants are called in the log
_MAX_JOBS = 100


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """Differences of an argument of a tool from the field of the record; None if there is none.

    `name` is what the tool calls it, `at_most` its upper bound, `hint` its whole type.
    """

    name: str | None = None
    doc: str | None = None
    default: object = None
    at_most: int | None = None
    hint: Any = None


QUERY = ArgumentChange(name="query")  # what tools call `q`


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
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def begin(self, kind: str, vault: str) -> Job:
        """Record a job that has just been started."""
        job = Job(f"{kind}-{os.urandom(4).hex()}", kind, vault, time.time())
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
    """The vault that a tool works with, and the server's jobs. `vault_id` is the vault's."""

    vault_id: str
    backend: Backend
    count_tokens: CountTokens
    jobs: Jobs
    vaults: tuple[VaultFacts, ...]  # all that may be named


JOB_HINT = "vault_status with this `job` says how far it is."


def begin(context: ToolContext, kind: str) -> Document:
    """Begin a job of this kind; returns its part of the answer."""
    job = context.jobs.begin(kind, context.vault_id)
    return {"job": progress_of(job, context.backend.answer(StatusRequest())), "hint": JOB_HINT}


def progress_of(job: Job, status: StatusReply) -> Document:
    """Return how far a job is, by its vault's status."""
    running = status.state in {"starting", "indexing"} and status.progress.phase != "stuck"
    return {
        "id": job.id,
        "kind": job.kind,
        "state": "running" if running else "done",
        "pending": status.queue.pending if running else 0,
        "eta_s": status.queue.eta_s if running else None,
        "failed": status.ledger["failed"],
        "problem": status.problem,
    }


class BackendSource(Protocol):
    """Finds the backend of a vault, anew for each call, and runs a tool's work with it."""

    async def run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        """Run `work` in a thread, for the vault of that name or id; None: the default vault.

        Raises NotFoundError where there is no such vault, and whatever `work` raises.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """Arguments of a tool by the fields of a record, which its function gets.

    `fields` names those that are offered; None: all. `changes` are by the record's names.
    The maximum of tokens is an argument too where the answer is `budgeted`, or is cut (`Tool`).
    """

    record: type
    fields: tuple[str, ...] | None = None
    changes: Mapping[str, ArgumentChange] | None = None
    budgeted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool, as assistants see it, and how it is answered.

    `run` gets the record of `arguments`, or the `ToolRequest` where that is named instead.
    `cut` names the parts of its answer that are shortened, in that order, to keep to the budget.
    `writes`: refused unless the assistant may write. `destructive`: it may delete. `core` are the
    arguments that the list of tools describes by default; None: it is no tool of that list.
    """

    name: str
    title: str
    description: str
    arguments: Arguments | type[Any]
    run: Callable[[ToolContext, Any], Document]
    cut: tuple[str, ...] = ()
    writes: bool = False
    destructive: bool = False
    core: tuple[str, ...] | None = None


def tool_of(
    record: type[Request[Any]],
    title: str,
    description: str,
    *,
    name: str = "",
    fields: tuple[str, ...] | None = None,
    changes: Mapping[str, ArgumentChange] | None = None,
    budgeted: bool = False,
    shows: Callable[[Any], Document] | None = None,
    run: Callable[[ToolContext, Any], Document] | None = None,
    cut: tuple[str, ...] = (),
    writes: bool | None = None,
    destructive: bool = False,
    core: tuple[str, ...] | None = None,
) -> Tool:
    """A tool that sends a request of the contract; its name is that of the request's route.

    `fields`, `changes` and `budgeted` are those of `Arguments`. It answers with what `shows` makes
    of the reply, by default with all of it; `run` is for one that does more. It writes, unless
    `writes` says otherwise, where the request is no GET.
    """
    return Tool(
        name or record.endpoint.name,
        title,
        description,
        Arguments(record, fields, changes, budgeted),
        run or partial(_ask, shows),
        cut=cut,
        writes=record.endpoint.method != "GET" if writes is None else writes,
        destructive=destructive,
        core=core,
    )


def _ask(
    shows: Callable[[Any], Document] | None, context: ToolContext, request: Request[Any]
) -> Document:
    if shows is not None:
        return shows(context.backend.answer(request))
    document: Document = orjson.loads(context.backend.document(request))
    return document


def pick_fields(*names: str, **of_items: tuple[str, ...]) -> Callable[[object], Document]:
    """A function that returns some fields of a reply, and some of the items in others."""

    def shown(reply: object) -> Document:
        items = {
            name: [pick(record, *fields) for record in getattr(reply, name)]
            for name, fields in of_items.items()
        }
        return {**pick(reply, *names), **items}

    return shown


def pick(record: object, *names: str) -> Document:
    """Return some fields of a record by name."""
    return {name: getattr(record, name) for name in names}


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
    """A prompt for a common task, which a person picks from a list in their assistant.

    `text` makes the message to the assistant from checked arguments.
    """

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[ToolContext, Mapping[str, str]], str]
