"""`notewell index` and `notewell queue`: indexing in this process, or by the running server."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import get_args

import click

from notewell.base.errors import AnotherVaultError, NotFoundError, ServerError, UsageError
from notewell.base.types import Progress, VaultRecord
from notewell.base.types.values import ChunkMethod
from notewell.contract.manage import ServiceCost
from notewell.contract.request import Request
from notewell.contract.status import (
    AcceptedReply,
    CancelRequest,
    Guard,
    GuardRequest,
    IndexReport,
    PauseRequest,
    ReindexRequest,
    ResumeRequest,
    RetryRequest,
    StatusReply,
    StatusRequest,
)
from notewell.doors.cli.asking import group, request_option
from notewell.doors.cli.backends import print_reply, server_for
from notewell.doors.cli.options import (
    Command,
    Invocation,
    complete_vaults,
    current_invocation,
    json_option,
    runnable,
    vault_option,
)
from notewell.doors.cli.output import clean, emit_object, print_error
from notewell.doors.cli.progress import Reporter
from notewell.doors.cli.vaults import find_or_add
from notewell.engine.client import RemoteBackend


def cost_text(service: ServiceCost) -> str:
    """Words for what is sent where, and for what embedding the whole vault takes and costs."""
    price = "unknown" if service.dollars is None else f"${service.dollars:,.2f}"
    return (
        f"{service.sent}\nEmbedding all {service.passages:,} passages takes about"
        f" {service.tokens:,} tokens; price: {price} (prices of {service.prices_of})."
    )


def allow_service(invocation: Invocation, service: ServiceCost) -> bool:
    """Ask a person at a terminal whether notes may be sent; stores and returns a yes."""
    if invocation.json or not sys.stdin.isatty():
        return False
    click.echo(cost_text(service), err=True)
    if not click.confirm(f"May they be sent to {service.host}?", err=True):
        invocation.say(
            f"Nothing is sent. To allow it later: `notewell models allow {service.host}`"
        )
        return False
    invocation.configuration().list_item("model.consent", service.host, wanted=True)
    return True


_POLL_S = 0.3
# Twice in a row: a server looks idle between accepting a request and starting on it.
_IDLE_POLLS = 2


@dataclass(frozen=True, slots=True)
class IndexRun:
    """The options of an index run, and where its progress is shown."""

    reporter: Reporter
    full: bool
    confirm_removals: bool


@click.command(cls=Command)
@click.argument("vault", metavar="[VAULT]", required=False, shell_complete=complete_vaults)
@request_option(ReindexRequest, "full")
@click.option("--model", metavar="NAME", help="Embed with this model; see `notewell models list`.")
@click.option(
    "--chunking",
    type=click.Choice(get_args(ChunkMethod)),
    help="Cut notes this way, instead of as `chunking.method` says.",
)
@click.option(
    "--confirm-removals",
    is_flag=True,
    help="Accept that most of the notes are gone, and remove them from the index.",
)
@json_option
def index(
    vault: str | None,
    *,
    full: bool,
    model: str | None,
    chunking: str | None,
    confirm_removals: bool,
    as_json: bool,
) -> None:
    """Bring the index of VAULT up to date.

    VAULT is a folder, or the name or id of a known vault. Left out: that of the current folder, or
    the default.
    """
    invocation = current_invocation()
    with Reporter(quiet=invocation.quiet) as reporter:
        record = find_or_add(invocation, vault, say=reporter.say)
        run = IndexRun(reporter, full=full, confirm_removals=confirm_removals)
        if (server := server_for(invocation.known(), record)) is not None:
            _refuse(server, "--model" if model else "--chunking" if chunking else None)
            report = reindex_on_server(server, run)
            status = server.answer(StatusRequest())
        else:
            flags = {"model.name": model, "chunking.method": chunking}
            report, status = _index_here(invocation, record, flags, run)
    if as_json:
        emit_object(_document(report))
    else:
        click.echo(f"{clean(record.name)}: {report_text(report)}")
    for message in _advice(report, status):
        invocation.say(message)
    if report.guard is not None:
        print_error(runnable(_guard_text(report.guard, status)))
        raise click.exceptions.Exit(1)


def _refuse(server: RemoteBackend, option: str | None) -> None:
    if option is not None:
        raise UsageError(
            f"the vault is served at {server.info.url}, and {option} needs the index to itself: "
            "stop that server first"
        )


def _index_here(
    invocation: Invocation, record: VaultRecord, flags: Mapping[str, str | None], run: IndexRun
) -> tuple[IndexReport, StatusReply]:
    """Update the index in this process; return what was done, and the status after it."""
    with closing(
        invocation.vaults(fetch_missing=True, say=run.reporter.say, flags=flags)
    ) as vaults:
        engine = vaults.open(record, writable=True)
        try:
            report = engine.index_now(
                full=run.full, confirm_removals=run.confirm_removals, progress=run.reporter.update
            )
        except AnotherVaultError as error:  # nothing was changed; the report says what is held
            return engine.report(), replace(engine.status(), problem=error.message)
        service = engine.suggestions.waiting_service()
        if service is not None and allow_service(invocation, service):
            allowed = engine.suggestions.settings.model.consent
            engine.use_consent((*allowed, service.host))
            report = engine.index_now(progress=run.reporter.update)
        return report, engine.status()


def reindex_on_server(server: RemoteBackend, run: IndexRun) -> IndexReport:
    """Have the server that owns the index update it, and wait for the end.

    Removals are confirmed when the server has found how many there are.
    """
    began = time.monotonic()
    run.reporter.say(f"the server at {server.info.url} updates the index")
    before = server.answer(StatusRequest()).work
    server.answer(ReindexRequest(full=run.full))
    after = _wait(server, run.reporter)
    if run.confirm_removals and after.guard is not None:
        server.answer(GuardRequest(remove=True))
        after = _wait(server, run.reporter)
    return IndexReport(
        notes=after.notes,
        chunks=after.chunks,
        failed=after.ledger["failed"],
        excluded=after.ledger["excluded"],
        embedded=after.work.embedded - before.embedded,
        reused=after.work.reused - before.reused,
        removed=after.work.removed - before.removed,
        seconds=round(time.monotonic() - began, 3),
        guard=after.guard,
    )


def _wait(server: RemoteBackend, reporter: Reporter) -> StatusReply:
    """Wait until nothing is left to do, or only a confirmation is; return the status then."""
    idle = 0
    while True:
        time.sleep(_POLL_S)
        status = server.answer(StatusRequest())
        if status.queue.paused:
            raise ServerError(f"the server at {server.info.url} is paused; resume its queue first")
        rests = status.state in {"ready", "degraded"} or status.progress.phase == "stuck"
        idle = idle + 1 if rests else 0
        if idle < _IDLE_POLLS:
            reporter.update(_queue_progress(status))
        elif status.state == "ready" or status.guard is not None:
            return status
        else:
            why = status.problem or "its log says why"
            raise ServerError(f"the server at {server.info.url} could not index: {why}")


def _queue_progress(status: StatusReply) -> Progress:
    now = status.progress
    if now.phase == "reading":
        return Progress("read", now.notes_read, now.notes, status.queue.current)
    return Progress("embed", now.passages_embedded, now.passages, status.queue.current)


def _document(report: IndexReport) -> dict[str, object]:
    """The report as JSON data; `guard` is there if removals wait."""
    named = {field.name: getattr(report, field.name) for field in fields(report)}
    return {name: value for name, value in named.items() if name != "guard" or value is not None}


def report_text(report: IndexReport) -> str:
    """Describe in one line what a run did."""
    words = [f"{report.notes:,} notes in {report.chunks:,} passages"]
    words += [f"{report.embedded:,} embedded"]
    words += [f"{report.reused:,} reused"] if report.reused else []
    words += [f"{report.removed:,} removed"] if report.removed else []
    words += [f"{report.excluded:,} excluded"] if report.excluded else []
    words += [f"{report.failed:,} failed"] if report.failed else []
    return f"{', '.join(words)}; {report.seconds:.1f} s"


def _advice(report: IndexReport, status: StatusReply) -> Iterator[str]:
    if report.failed:
        yield "See `notewell ledger --state failed` for what failed and why."
    if status.semantic == "unavailable":
        yield f"Keyword search only: {status.semantic_reason}"
    elif status.semantic_reason is not None:
        yield f"Search by meaning: {status.semantic_reason}"


def _guard_text(guard: Guard, status: StatusReply) -> str:
    if status.problem is not None:
        return status.problem
    return (
        f"{guard.gone:,} of {guard.total:,} notes are gone from the folder. They stay in the index"
        " until `notewell index --confirm-removals` confirms their removal."
    )


def _steer(
    request: Request[AcceptedReply], vault: str | None, message: str, *, as_json: bool
) -> None:
    """Send a request to the vault's server; `message` has a place for the number it replies."""
    invocation = current_invocation()
    record = invocation.vault(vault)
    server = server_for(invocation.known(), record)
    if server is None:
        raise NotFoundError(
            f"no server runs for {record.name}, so nothing is queued; `notewell index` brings the"
            " index up to date"
        )

    def show(reply: AcceptedReply) -> None:
        invocation.say(f"{record.name}: {message.format(f'{reply.accepted:,}')}")

    print_reply(server, request, show, as_json=as_json)


def _steering(
    name: str, request: Callable[[], Request[AcceptedReply]], text: str, message: str
) -> click.Command:
    @click.command(name, cls=Command, help=text)
    @vault_option
    @json_option
    def steer(vault: str | None, as_json: bool) -> None:
        _steer(request(), vault, message, as_json=as_json)

    return steer


queue = group(
    "queue",
    "Control what a running server still has to index.",
    _steering(
        "pause",
        PauseRequest,
        "Pause indexing; searching continues.",
        "paused; files and folders waiting: {}",
    ),
    _steering(
        "resume", ResumeRequest, "Resume indexing.", "resumed; files and folders waiting: {}"
    ),
    _steering("retry", RetryRequest, "Try every failed note again.", "notes tried again: {}"),
    _steering(
        "cancel",
        CancelRequest,
        "Drop the waiting work and stop the running work; what was indexed stays.",
        "files and folders dropped: {}",
    ),
)
