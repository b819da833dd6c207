"""The state of an index: `notewell status`, `ledger`, `stats`.

`notewell` alone shows the state of all vaults.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import click

from notewell import __version__
from notewell.base.errors import NotFoundError, UsageError
from notewell.base.types import LEDGER_STATES, LedgerState, VaultRecord
from notewell.contract.manage import StatsReply, StatsRequest
from notewell.contract.status import (
    BackupState,
    LedgerReply,
    LedgerRequest,
    LedgerRow,
    StatusReply,
    StatusRequest,
)
from notewell.doors.cli.asking import request_option
from notewell.doors.cli.backends import answer, backend_for, print_reply, server_for
from notewell.doors.cli.options import (
    Command,
    Group,
    Invocation,
    current_invocation,
    json_option,
    runnable,
    vault_option,
)
from notewell.doors.cli.output import format_count, local_time, print_facts, print_table
from notewell.doors.cli.progress import duration
from notewell.doors.cli.served_progress import progress_text
from notewell.engine.known_vaults import KnownVaults


@dataclass(frozen=True, slots=True)
class _Vault:
    """A known vault; `url` is that of the server that has it open."""

    record: VaultRecord
    indexed: bool
    url: str | None

    def row(self) -> tuple[str, str, str, str]:
        default = "yes" if self.record.default else ""
        return self.record.name, default, self.state(), str(self.record.path)

    def state(self) -> str:
        """Return in words whether it can be searched, and what keeps its index up to date."""
        if self.url is not None:
            return f"served at {self.url}"
        return "indexed, no server" if self.indexed else "not indexed yet"


def show_overview(invocation: Invocation) -> None:
    """Print the state of this installation and the commands that make sense next."""
    known = invocation.known()
    overviews = [_look(known, record) for record in known.records()]
    click.echo(f"Notewell {__version__}\n")
    if overviews:
        rows = [vault.row() for vault in overviews]
        print_table(("vault", "default", "state", "folder"), rows)
    else:
        click.echo("No vault is known yet.")
    click.echo("\nNext:")
    print_facts([(f"  {command}", what) for command, what in _next(overviews)])


def _look(known: KnownVaults, record: VaultRecord) -> _Vault:
    server = server_for(known, record)
    indexed = next(known.directory(record).glob("index.db"), None) is not None
    return _Vault(record, indexed=indexed, url=server.info.url if server is not None else None)


def _next(overviews: Sequence[_Vault]) -> Iterator[tuple[str, str]]:
    if not overviews:
        yield "notewell demo", "try Notewell with a sample vault"
        yield "notewell index FOLDER", "make your notes findable"
    for vault in overviews:
        if not vault.indexed and vault.url is None:
            yield f"notewell index {shlex.quote(vault.record.name)}", "make its notes findable"
    if any(vault.indexed or vault.url for vault in overviews):
        yield "notewell search WORDS", "find notes by meaning and by keyword"
    if overviews and not any(vault.url for vault in overviews):
        yield "notewell serve", "keep the index up to date, for browsers and Obsidian too"
    yield "notewell --help", "all commands"


_SHOWN = 10  # names of each kind that `stats` lists
_MONTHS = 12


@click.group(cls=Group, invoke_without_command=True)
@vault_option
@json_option
@click.pass_context
def status(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Show the state of an index; its files, queue, runs and figures."""
    if ctx.invoked_subcommand is not None:
        return
    current_invocation().start_logging()
    with backend_for(current_invocation(), vault) as (record, backend):
        print_reply(backend, StatusRequest(), partial(_show_status, record), as_json=as_json)


def _show_status(record: VaultRecord, status: StatusReply) -> None:
    facts = [(name, runnable(text)) for name, text in status_facts(status)]
    print_facts([("vault", f"{record.name} ({record.path})"), *facts])


def status_facts(status: StatusReply) -> Iterator[tuple[str, str]]:
    """Yield the facts of a status as names and values."""
    yield "state", status.state
    if status.problem is not None:
        yield "problem", status.problem
    yield "notes", f"{status.notes:,}, in {status.chunks:,} passages"
    yield "semantic search", _semantic(status)
    yield "model", status.model or "none"
    yield "files", counts_text(status.ledger)
    if status.progress.phase != "idle":
        goes_on = status.progress.phase == "stuck" and status.problem is None
        hint = " · `notewell index` goes on" if goes_on else ""
        yield "progress", f"{progress_text(status.progress)}{hint}"
    if status.former_titles:
        yield "renamed", _describe_renamed(status.former_titles)
    if status.backup is not None:
        yield "backup", _backup_text(status.backup)
    if status.next_run is not None:
        yield "next run", f"{status.next_run.what}, {local_time(status.next_run.at)}"
    guard = status.guard
    if guard is not None:
        yield (
            "removals on hold",
            (
                f"{guard.gone:,} of {guard.total:,} notes are gone since"
                f" {local_time(guard.since)}; if this is intended, run"
                " `notewell index --confirm-removals`"
            ),
        )


def _backup_text(backup: BackupState) -> str:
    written = f"written {local_time(backup.written)}" if backup.written else "none written here"
    if backup.verified is None:
        return f"{written}, never tried (`notewell backup FILE --verify`)"
    if backup.problem is not None:
        return f"{written}; tried {local_time(backup.verified)}: {backup.problem}"
    return f"{written}, tried {local_time(backup.verified)}: it can be restored"


def _semantic(status: StatusReply) -> str:
    covered = f"{status.vectors:,} of {status.chunks:,} passages have a vector"
    reason = status.semantic_reason
    return f"{status.semantic}: {reason or covered}"


def _describe_renamed(notes: int) -> str:
    """Say what notes that are embedded with a former title mean for a search."""
    which = "1 note is" if notes == 1 else f"{notes:,} notes are"
    return (
        f"{which} searched by meaning with the earlier title; `notewell index --full` embeds"
        f" {'it' if notes == 1 else 'them'} with the present one"
    )


def counts_text(counts: Mapping[LedgerState, int]) -> str:
    """Format the counts of a ledger, without the states that no file has."""
    words = [
        f"{counts[state]:,} {state.replace('_', ' ')}"
        for state in LEDGER_STATES
        if counts.get(state)
    ]
    return ", ".join(words) or "none"


@click.command(cls=Command)
@click.argument("place", metavar="[PATH]", required=False)
@request_option(LedgerRequest, "state")
@request_option(LedgerRequest, "path", help="The same as PATH.")
@vault_option
@json_option
def ledger(
    place: str | None, state: LedgerState | None, path: str | None, vault: str | None, as_json: bool
) -> None:
    """List the state of every file of a vault, or of PATH.

    A file is indexed, pending, failed, excluded or keyword only (waiting for its vectors). Indexed
    files without a warning are only counted; --state indexed lists them. For a PATH within the
    vault, whether or not it exists, the rule that decides is named.
    """
    if place is not None and path is not None:
        raise UsageError("PATH and --path are the same: give one of them")
    path = (place or path or "").removeprefix("./") or None
    every_row = state is not None or path is not None
    show = partial(_show_ledger, every_row=every_row)
    answer(vault, LedgerRequest(state, path), show, as_json=as_json)


def _show_ledger(ledger: LedgerReply, *, every_row: bool) -> None:
    if [row.rule for row in ledger.entries] == ["missing"]:
        raise NotFoundError(f"{ledger.entries[0].path}: {ledger.entries[0].reason}")
    rows = [
        _ledger_row(row)
        for row in ledger.entries
        if every_row or row.warnings or row.state not in {"indexed", "keyword_only"}
    ]
    if rows:
        print_table(("state", "path", "why"), rows)
    files = format_count(sum(ledger.counts.values()), "file")
    current_invocation().say(f"{files}: {counts_text(ledger.counts)}")


def _ledger_row(row: LedgerRow) -> tuple[str, str, str]:
    reasons = [*filter(None, (row.rule, row.reason)), *row.warnings]
    return row.state.replace("_", " "), row.path, "; ".join(reasons)


@click.command(cls=Command)
@vault_option
@json_option
def stats(vault: str | None, as_json: bool) -> None:
    """Show statistics of a vault: types, folders, tags, months, sizes and vectors."""
    with backend_for(current_invocation(), vault) as (record, backend):
        print_reply(
            backend, StatsRequest(limit=_SHOWN), partial(_show_stats, record), as_json=as_json
        )


def _show_stats(record: VaultRecord, figures: StatsReply) -> None:
    print_facts([("vault", f"{record.name} ({record.path})"), *_stats_facts(figures)])
    for heading, counts in (
        ("type", figures.types),
        ("folder", figures.folders),
        ("tag", figures.tags),
    ):
        rows = [(count.name or "(none)", f"{count.notes:,}") for count in counts]
        _print_section((heading, "notes"), rows, right=("notes",))
    months = [
        (month.month, f"{month.created:,}", f"{month.modified:,}")
        for month in figures.months[-_MONTHS:]
    ]
    _print_section(("month", "created", "modified"), months, right=("created", "modified"))


def _print_section(
    headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, right: tuple[str, ...]
) -> None:
    if rows:
        click.echo()
        print_table(headings, rows, right=right)


def _stats_facts(figures: StatsReply) -> Iterator[tuple[str, str]]:
    sizes = figures.sizes
    yield "notes", f"{figures.notes:,}, in {figures.chunks:,} passages"
    yield "links", f"{figures.links:,} between notes"
    yield "files", counts_text(figures.files)
    yield "text", f"{_size(sizes.notes)}; the median note has {_size(sizes.median_note)}"
    yield "index", _size(sizes.index)
    for model in figures.models:
        name = f"{model.model}, {model.quantisation}, {model.dimensions} dimensions"
        answers_now = "" if model.answering else "; not in use"
        yield "vectors", f"{model.vectors:,} of {name}{answers_now}"
    work = figures.model_work
    if work.embedded or work.reused:
        spared = f", which saved about {duration(work.saved_s)}" if work.saved_s >= 1 else ""
        yield "model's work", f"{work.embedded:,} embedded, {work.reused:,} reused{spared}"


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
