"""`notewell serve` and `notewell demo`: servers in this process."""

from __future__ import annotations

import asyncio
import gc
import logging
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

import click

from notewell.base.errors import IndexInUseError, NotFoundError
from notewell.base.support import disk
from notewell.base.support.log_files import LOGS, logging_to_files
from notewell.base.types import Settings, VaultRecord
from notewell.doors.cli.backends import server_for
from notewell.doors.cli.options import Command, Invocation, complete_vaults, current_invocation
from notewell.doors.cli.output import emit_object, print_error
from notewell.doors.cli.progress import Reporter
from notewell.doors.cli.served_progress import telling
from notewell.doors.cli.vaults import add_mirror, find_or_add, sample_folder
from notewell.doors.sample import EXAMPLES, copy_to
from notewell.engine.access import Devices, new_token, stored_token
from notewell.engine.configuration import Configuration
from notewell.engine.known_vaults import KnownVaults
from notewell.features import INSTALLED

if TYPE_CHECKING:  # these load the engine and the web server
    from notewell.doors.web.server import BoundServer
    from notewell.engine.open_vaults import Vaults

# Until a thread that runs Python lets another run, such as the one that sends answers.
_SWITCH_S = 0.001
_PATIENCE_S, _LOOK_S = 8.0, 0.1  # for the end of another server, and between two looks
_DEMO_BROWSER = "browser of the demo"

log = logging.getLogger(__name__)
_EXAMPLES = ("meaning", "keyword", "phrase")  # one query of each is shown

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., object])


def _address_options(function: AnyFunction) -> AnyFunction:
    host = click.option(
        "--host", metavar="ADDRESS", help="Address to listen on.  [default: 127.0.0.1]"
    )
    port = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help="Port to listen on, 0 for a free one.  [default: 8765]",
    )
    return host(port(function))


@click.command(cls=Command)
@click.argument("words", metavar="[VAULT]...", nargs=-1, shell_complete=complete_vaults)
@_address_options
@click.option(
    "--handshake",
    is_flag=True,
    help="For programs: print one JSON line when the port listens, exit when stdin closes.",
)
@click.option(
    "--mirror",
    "mirrors",
    multiple=True,
    metavar="NAME",
    help="Serve a vault whose notes clients send; it is created if there is none of this name.",
)
@click.option("--no-watch", is_flag=True, help="Do not watch the folders for changed notes.")
@click.option(
    "--read-only",
    is_flag=True,
    help="Search indexes that another server writes, and follow what it writes (docs/scale.md).",
)
@click.option(
    "--allow-vaults",
    is_flag=True,
    help="Let administrators add and remove vaults in the browser, on this computer alone.",
)
def serve(
    words: tuple[str, ...],
    host: str | None,
    port: int | None,
    mirrors: tuple[str, ...],
    *,
    handshake: bool,
    no_watch: bool,
    read_only: bool,
    allow_vaults: bool,
) -> None:
    """Serve vaults over HTTP until interrupted.

    Each VAULT is a folder, or the name or id of a known vault; without one, all known vaults are
    served. Their indexes are brought up to date meanwhile. With more than three vaults (setting
    server.open_vaults), the least recently used are closed, and opened again by the next request.
    """
    gc.disable()  # what is created at start stays alive: collecting it is a waste
    click.get_current_context().call_on_close(gc.enable)
    threading.Thread(target=_load_http, daemon=True).start()
    invocation = current_invocation()
    address = {
        "server.host": host,
        "server.port": port,
        "server.allow_vaults": allow_vaults or None,
        "server.read_only": read_only or None,
    }
    settings = invocation.settings(flags=address)
    flags = {**address, "vault.watch": "off" if no_watch else None}
    configuration = invocation.configuration(flags=flags)
    known = invocation.known()
    named = [find_or_add(invocation, word) for word in words]
    named += [add_mirror(invocation, name) for name in mirrors]
    records = named or known.records()
    if not records:
        raise NotFoundError("no vault is known yet; name one: `notewell serve FOLDER`")
    _refuse_if_served(known, records, handshake=handshake)
    with closing(invocation.vaults(fetch_missing=True, flags=flags)) as vaults:
        _serve_all(invocation, vaults, records)
        for engine in vaults.opened():  # native code, which runs while the web server is imported
            threading.Thread(target=engine.wait_for_model, daemon=True).start()
        if handshake:
            _run(vaults, settings, _print_handshake, configuration)
        else:
            kept = stored_token(settings.state_dir)
            # The link signs browsers in for as long as the token is valid.
            link = attrgetter("sign_in_url") if sys.stdout.isatty() else None
            greeting = _Greeting(invocation, link)
            with _progress(invocation, vaults):
                _run(vaults, settings, greeting, configuration, kept_token=kept)


@click.command(cls=Command)
@_address_options
def demo(host: str | None, port: int | None) -> None:
    """Serve a sample vault, to try Notewell.

    It is copied into the data directory, indexed, and stays a known vault.
    """
    invocation = current_invocation()
    address = {"server.host": host, "server.port": port}
    settings = invocation.settings(flags=address)
    with (
        Reporter(quiet=invocation.quiet) as reporter,
        closing(invocation.vaults(fetch_missing=True, say=reporter.say, flags=address)) as vaults,
    ):
        record = vaults.add(copy_to(sample_folder(settings)))
        _refuse_if_served(vaults, [record], handshake=False)
        vaults.open(record, writable=True).index_now(progress=reporter.update)
        reporter.close()
        link = partial(_with_code, Devices(settings.state_dir))
        greeting = _Greeting(invocation, link, _example_queries())
        kept = stored_token(settings.state_dir)
        _run(vaults, settings, greeting, invocation.configuration(flags=address), kept_token=kept)


def _serve_all(invocation: Invocation, vaults: Vaults, records: Sequence[VaultRecord]) -> None:
    """Offer vaults to requests; waits for a server that was told to stop and still writes."""
    until = time.monotonic() + _PATIENCE_S
    told = False
    while True:
        try:
            vaults.serve(records)
        except IndexInUseError:
            if time.monotonic() >= until:
                raise
            if not told:
                invocation.say("Another process still writes the index; waiting for its end.")
            told = True
            time.sleep(_LOOK_S)
        else:
            return


def _refuse_if_served(
    known: KnownVaults, records: Iterable[VaultRecord], *, handshake: bool
) -> None:
    for record in records:
        server = server_for(known, record)
        if server is None:
            continue
        if handshake:
            emit_object({"error": "in_use", "url": server.info.url})
        # Without the token: what a service prints stays in the system's journal.
        print_error(
            f"{record.name} is being served already, at {server.info.url}; `notewell token link"
            " NAME` makes a link that signs a browser in"
        )
        click.get_current_context().exit(1)


def _run(
    vaults: Vaults,
    settings: Settings,
    ready: Callable[[BoundServer], None],
    configuration: Configuration,
    *,
    kept_token: str | None = None,
) -> None:
    """Serve until stopped; without `kept_token`, for the program that started this one."""
    from notewell.doors.mcp.http import attach  # noqa: PLC0415 - loads aiohttp
    from notewell.doors.web.server import serve as serve_vaults  # noqa: PLC0415 - loads aiohttp

    disk.restrict(settings.state_dir)
    with logging_to_files(settings.state_dir / LOGS, settings.log):
        for package in INSTALLED:
            if package.problem is not None:
                log.warning("The feature %s is left out: %s", package.name, package.problem)
        asyncio.run(
            serve_vaults(
                vaults,
                settings,
                host=settings.server.host,
                port=settings.server.port,
                token=new_token(),
                kept_token=kept_token,
                configuration=configuration,
                handshake=kept_token is None,
                ready=_start(ready),
                extend=attach,
            )
        )


def _progress(invocation: Invocation, vaults: Vaults) -> AbstractContextManager[None]:
    """Tell a person at a terminal how far the index is; a service's journal needs no such lines."""
    if invocation.quiet or not sys.stderr.isatty():
        return nullcontext()
    return telling(vaults.opened, invocation.say)


def _load_http() -> None:
    """Import aiohttp while the engine is imported: both wait for the disk."""
    import aiohttp.web  # noqa: F401, PLC0415 - for the modules that import it next


def _start(ready: Callable[[BoundServer], None]) -> Callable[[BoundServer], None]:
    """Wrap `ready` so that garbage collection begins with it, for objects created later."""

    def begin(bound: BoundServer) -> None:
        gc.freeze()
        gc.enable()
        sys.setswitchinterval(_SWITCH_S)
        ready(bound)

    return begin


def _print_handshake(bound: BoundServer) -> None:
    emit_object(
        {
            "port": bound.port,
            "token": bound.token,
            "api": bound.api,
            "version": bound.version,
            "pid": bound.pid,
            "vaults": [{"id": record.id, "name": record.name} for record in bound.records],
        }
    )


def _with_code(devices: Devices, bound: BoundServer) -> str:
    """A link that signs one browser in, instead of that of the last demonstration."""
    if any(device.name == _DEMO_BROWSER for device in devices.all()):
        devices.revoke(_DEMO_BROWSER)
    return f"{bound.url}/?code={devices.invite(_DEMO_BROWSER, 'admin')}"


@dataclass(frozen=True, slots=True)
class _Greeting:
    """Prints where the server is and what it is doing, for people.

    A link with the token is for a person at a terminal. What a service prints is stored, in a
    journal or a file that others may read, so there `link` is None and the address stands alone.
    """

    invocation: Invocation
    link: Callable[[BoundServer], str] | None
    examples: tuple[str, ...] = ()

    def __call__(self, bound: BoundServer) -> None:
        for warning in bound.warnings:
            print_error(warning)
        if len(bound.records) == 1:
            self.invocation.about(bound.records[0])
        for record in bound.records:
            self.invocation.say(f"Indexing and serving {record.name} ({record.path})")
        click.echo(bound.url if self.link is None else self.link(bound))
        if self.link is None:
            self.invocation.say(
                "Sign in: `notewell token link NAME` makes a link for a browser, which"
                " may search and read; with `--scope write` it may change notes too."
            )
        vault = shlex.quote(bound.records[0].name)
        for query in self.examples:
            self.invocation.say(f"Try: `notewell search {shlex.quote(query)} --vault {vault}`")
        if bound.warnings:
            self.invocation.say("For a phone or another computer: `notewell pair`")
        self.invocation.say("Ctrl-C stops it; `notewell status` shows how far the index is.")


def _example_queries() -> tuple[str, ...]:
    return tuple(
        next(example.query for example in EXAMPLES if example.why == why) for why in _EXAMPLES
    )
