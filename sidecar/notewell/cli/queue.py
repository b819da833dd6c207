"""`notewell queue`: controls the indexing of a running server."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.cli.backend import print_reply, server_for
from notewell.cli.options import Group, invocation, json_option, vault_option
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
    """Control what a running server still has to index."""


@queue.command()
@vault_option
@json_option
def pause(vault: str | None, as_json: bool) -> None:
    """Pause indexing; searching continues."""
    _steer(PauseRequest(), vault, "paused; files and folders waiting: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def resume(vault: str | None, as_json: bool) -> None:
    """Resume indexing."""
    _steer(ResumeRequest(), vault, "resumed; files and folders waiting: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def retry(vault: str | None, as_json: bool) -> None:
    """Try every failed note again."""
    _steer(RetryRequest(), vault, "notes tried again: {}", as_json=as_json)


@queue.command()
@vault_option
@json_option
def cancel(vault: str | None, as_json: bool) -> None:
    """Drop the waiting work and stop the running work; what was indexed stays."""
    _steer(CancelRequest(), vault, "files and folders dropped: {}", as_json=as_json)


def _steer(
    request: Request[AcceptedReply], vault: str | None, message: str, *, as_json: bool
) -> None:
    """Send a request to the vault's server; `message` has a place for the number it replies."""
    inv = invocation()
    known = inv.known()
    record = known.find(vault, cwd=Path.cwd())
    server = server_for(known, record)
    if server is None:
        raise NotFoundError(
            f"no server runs for {record.name}, so nothing is queued; `notewell index` brings the"
            " index up to date"
        )

    def show(reply: AcceptedReply) -> None:
        inv.say(f"{record.name}: {message.format(f'{reply.accepted:,}')}")

    print_reply(server, request, show, as_json=as_json)
