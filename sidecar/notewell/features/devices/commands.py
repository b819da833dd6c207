"""`notewell pair`: a QR code and a link that set up a phone, another Obsidian or a browser."""

from __future__ import annotations

import time

import click

from notewell.api.commands import Command, current_invocation, emit_object, json_option
from notewell.api.requests import iso
from notewell.doors.cli.backends import server_address
from notewell.doors.cli.output import print_qr
from notewell.engine.access import (
    LINK_SECONDS,
    LOOPBACK_ONLY,
    Devices,
    Scope,
    checked_address,
    is_loopback,
    pairing_links,
)


@click.command(cls=Command)
@click.option(
    "--scope",
    type=click.Choice(["read", "write"]),
    default="write",
    show_default=True,
    help="read: search and read; write: also send notes and reindex. Never administration.",
)
@click.option("--url", metavar="URL", help="Address at which the device reaches the server.")
@click.option("--qr/--no-qr", default=None, help="Draw a QR code.  [default: on a terminal]")
@click.option("--cancel", is_flag=True, help="Make no link; end those that nobody used yet.")
@json_option
def pair(scope: Scope, url: str | None, *, qr: bool | None, cancel: bool, as_json: bool) -> None:
    """Print a link that lets a phone, another Obsidian or a browser in.

    It works once, within ten minutes, and makes a device of its own: `notewell token list` shows
    it, and `notewell token revoke NAME` takes its access away.
    """
    invocation = current_invocation()
    settings = invocation.settings()
    if cancel:
        _cancel(Devices(settings.state_dir), as_json=as_json)
        return
    address = checked_address(url) if url else server_address(invocation)
    expires = time.time() + LINK_SECONDS
    code = Devices(settings.state_dir).offer(scope)
    links = pairing_links(address, code, scope)
    if as_json:
        emit_object(
            {
                "url": links.url,
                "obsidian": links.obsidian,
                "code": code,
                "expires": iso(expires),
                "scope": scope,
                "loopback": is_loopback(address),
            }
        )
        return
    click.echo(links.url)
    click.echo(links.obsidian)
    print_qr(links.url, wanted=False if qr is None and is_loopback(address) else qr)
    invocation.say(
        "Open the first line in a browser, or scan its code where one is shown; the second is for"
        f" Obsidian. It works once, within {LINK_SECONDS // 60:.0f} minutes."
    )
    if is_loopback(address):
        invocation.say(LOOPBACK_ONLY)


def _cancel(devices: Devices, *, as_json: bool) -> None:
    ended = devices.withdraw()
    if as_json:
        emit_object({"cancelled": ended})
        return
    links = {0: "No link was open.", 1: "One link is not valid any more."}
    click.echo(links.get(ended, f"{ended} links are not valid any more."))
