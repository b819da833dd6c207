"""`notewell token`: the token of the server, and tokens of devices."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import click

from notewell.doors.cli.backends import server_address
from notewell.doors.cli.options import (
    Group,
    current_invocation,
    json_option,
)
from notewell.doors.cli.output import emit_object, print_qr, print_table
from notewell.engine.access import (
    LINK_SECONDS,
    LOOPBACK_ONLY,
    SCOPES,
    Device,
    Devices,
    Scope,
    is_loopback,
    new_stored_token,
    stored_token,
    view_of,
)

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., object])


def _scope_option(function: AnyFunction) -> AnyFunction:
    option = click.option(
        "--scope",
        type=click.Choice(SCOPES),
        default="read",
        show_default=True,
        help="read: search and read; write: also change and reindex; admin: everything.",
    )
    return option(function)


@click.group(cls=Group)
def token() -> None:
    """Show or replace the token of `notewell serve`; give devices tokens of their own."""


@token.command("show")
def show_token() -> None:
    """Print the token; it is created the first time."""
    click.echo(stored_token(current_invocation().settings().state_dir))


@token.command("rotate")
@click.argument("name", required=False)
def rotate_token(name: str | None) -> None:
    """Replace the token, or that of the device NAME, and print the new one.

    The old one is refused from now on, also by running servers, and browsers that were signed in
    with it have to sign in again.
    """
    state_dir = current_invocation().settings().state_dir
    click.echo(new_stored_token(state_dir) if name is None else Devices(state_dir).rotate(name))


@token.command("add")
@click.argument("name")
@_scope_option
def add_token(name: str, scope: Scope) -> None:
    """Create a token for the device or program NAME and print it, only this once."""
    click.echo(_devices().add(name, scope))


@token.command("link")
@click.argument("name")
@_scope_option
@click.option("--url", metavar="URL", help="Address at which NAME reaches the server.")
@click.option("--qr/--no-qr", default=None, help="Draw a QR code.  [default: on a terminal]")
def link_token(name: str, scope: Scope, url: str | None, qr: bool | None) -> None:
    """Print a link that signs in the browser of NAME, once and within ten minutes."""
    invocation = current_invocation()
    settings = invocation.settings()
    address = url or server_address(invocation)
    if is_loopback(address):
        invocation.say(LOOPBACK_ONLY)
    link = f"{address.rstrip('/')}/?code={Devices(settings.state_dir).invite(name, scope)}"
    click.echo(link)
    print_qr(link, wanted=qr)
    invocation.say(f"Open it on {name}; it works once, within {LINK_SECONDS // 60:.0f} minutes.")


@token.command("list")
@json_option
def list_tokens(as_json: bool) -> None:
    """List the devices with access, and when they last used it."""
    devices = _devices().all()
    if as_json:
        emit_object({"devices": tuple(map(view_of, devices))})
        return
    rows = [
        (device.name, device.scope, "token" if device.token else "browser", *_times(device))
        for device in devices
    ]
    if rows:
        print_table(("name", "scope", "kind", "since", "last used"), rows)
    else:
        current_invocation().say(
            "No device has a token of its own; `notewell token add NAME` makes one."
        )


@token.command("revoke")
@click.argument("name")
def revoke_token(name: str) -> None:
    """Revoke the access of the device NAME."""
    _devices().revoke(name)


def _devices() -> Devices:
    return Devices(current_invocation().settings().state_dir)


def _times(device: Device) -> tuple[str, str]:
    def day(at: float) -> str:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))

    return day(device.created), day(device.last_used) if device.last_used else "never"
