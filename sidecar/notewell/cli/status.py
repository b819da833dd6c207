"""`notewell status` and `notewell ledger`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from notewell.cli.backend import answers
from notewell.cli.documents import (
    LedgerDocument,
    LedgerRowDocument,
    StatusDocument,
    parse,
)
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import emit, print_facts, print_table
from notewell.cli.progress import duration
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.errors import UsageError
from notewell.types import LedgerState

_STATES = ("indexed", "pending", "failed", "excluded", "keyword_only")


@click.command(cls=Command)
@vault_option
@json_option
def status(vault: str | None, as_json: bool) -> None:
    """Say where a vault's index stands."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(StatusRequest())
        if as_json:
            emit(document)
            return
        facts = status_facts(parse(document, StatusDocument))
        print_facts([("vault", f"{record.name} ({record.path})"), *facts])


def status_facts(status: StatusDocument) -> Iterator[tuple[str, str]]:
    """What a person wants to know of a status, as names and values."""
    yield "state", status["state"]
    if status["problem"] is not None:
        yield "problem", status["problem"]
    yield "notes", f"{status['notes']:,}, in {status['chunks']:,} passages"
    yield "meaning", _semantic(status)
    yield "model", status["model"] or "none"
    yield "files", counts_text(status["ledger"])
    queue = status["queue"]
    if queue["pending"] or queue["paused"]:
        left = f", {duration(queue['eta_s'])} left" if queue["eta_s"] is not None else ""
        yield "queue", f"{queue['pending']:,} waiting{left}{', paused' * queue['paused']}"
    guard = status["guard"]
    if guard is not None:
        yield (
            "held back",
            (
                f"{guard['gone']:,} of {guard['total']:,} notes are gone since {guard['since']}; "
                "if that is meant, run `notewell index --confirm-removals`"
            ),
        )


def _semantic(status: StatusDocument) -> str:
    covered = f"{status['vectors']:,} of {status['chunks']:,} passages have their vector"
    reason = status["semantic_reason"]
    return f"{status['semantic']}: {reason or covered}"


def counts_text(counts: dict[str, int]) -> str:
    """Ledger counts as words, states without files left out."""
    words = [
        f"{counts[state]:,} {state.replace('_', ' ')}" for state in _STATES if counts.get(state)
    ]
    return ", ".join(words) or "none"


@click.command(cls=Command)
@click.argument("place", metavar="[PATH]", required=False)
@click.option("--state", type=click.Choice(_STATES), help="Only files in this state.")
@click.option("--path", help="The same as PATH.")
@vault_option
@json_option
def ledger(
    place: str | None, state: LedgerState | None, path: str | None, vault: str | None, as_json: bool
) -> None:
    """Account for every file of a vault, or for PATH.

    Each is indexed, pending, failed, excluded or keyword only (waiting for its vectors). Files that
    are indexed and have no remark are counted only; --state indexed lists them. For a PATH within
    the vault, whether or not it exists, the rule that decides is named.
    """
    if place is not None and path is not None:
        raise UsageError("PATH and --path are the same: give one of them")
    path = place or path
    with answers(invocation(), vault) as (_, source):
        document = source.document(LedgerRequest(state, path))
    if as_json:
        emit(document)
        return
    book = parse(document, LedgerDocument)
    chosen = state is not None or path is not None
    rows = [entry for entry in book["entries"] if chosen or _remarkable(entry)]
    if rows:
        print_table(("state", "path", "why"), [_ledger_row(entry) for entry in rows])
    files = sum(book["counts"].values())
    invocation().say(f"{files:,} files: {counts_text(book['counts'])}")


def _remarkable(entry: LedgerRowDocument) -> bool:
    return entry["state"] not in {"indexed", "keyword_only"} or bool(entry["warnings"])


def _ledger_row(entry: LedgerRowDocument) -> tuple[str, str, str]:
    reasons = [*filter(None, (entry["rule"], entry["reason"])), *entry["warnings"]]
    return entry["state"].replace("_", " "), entry["path"], "; ".join(reasons)
