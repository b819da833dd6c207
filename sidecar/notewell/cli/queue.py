"""`notewell queue`: steering the indexing of a server that runs."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.cli.backend import server_for
from notewell.cli.documents import AcceptedDocument, parse
from notewell.cli.options import Group, invocation, json_option, vault_option
from notewell.cli.output import emit
from notewell.contract.changes import (
    AcceptedReply,
    CancelRequest,
    PauseRequest,
    ResumeRequest,
    RetryRequest,
)
from notewell.contract.request import Request
from notewell.errors import NotFoundError


@click.group(cls=Group)
def queue() -> None:
    """Steer what a running server has still to index."""


@queue.command()
@vault_option
@json_option
def pause(vault: str | None, as_json: bool) -> None:
    """Let indexing rest; searching goes on."""
    _ask(PauseRequest(), vault, "paused; places waiting: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def resume(vault: str | None, as_json: bool) -> None:
    """Let indexing go on."""
    _ask(ResumeRequest(), vault, "goes on; places waiting: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def retry(vault: str | None, as_json: bool) -> None:
    """Try every failed note again."""
    _ask(RetryRequest(), vault, "notes tried again: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def cancel(vault: str | None, as_json: bool) -> None:
    """Drop what waits and end what runs; what was indexed stays."""
    _ask(CancelRequest(), vault, "places dropped: {}", as_json=as_json)


def _ask(request: Request[AcceptedReply], vault: str | None, said: str, *, as_json: bool) -> None:
    """Ask the vault's server; `said` tells a person of the answer."""
    inv = invocation()
    known = inv.known()
    record = known.find(vault, cwd=Path.cwd())
    server = server_for(known, record)
    if server is None:
        raise NotFoundError(
            f"no server runs for {record.name}, so nothing waits; `notewell index` works at once"
        )
    document = server.document(request)
    if as_json:
        emit(document)
        return
    accepted = parse(document, AcceptedDocument)["accepted"]
    inv.say(f"{record.name}: {said.format(f'{accepted:,}')}")
