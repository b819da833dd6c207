"""`notewell serve`, `notewell demo` and `notewell mcp`: servers in this process."""

from __future__ import annotations

import asyncio
import gc
import shlex
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from notewell.access.tokens import new_token, stored_token
from notewell.cli.backend import server_for
from notewell.cli.options import Command, Invocation, invocation
from notewell.cli.output import complain, emit_object
from notewell.cli.progress import Reporter
from notewell.cli.vaults import add_mirror, find_or_add, sample_folder
from notewell.config.edit import Configuration
from notewell.errors import NotFoundError
from notewell.sample import EXAMPLES, copy_to
from notewell.support.logs import LOGS, logging_to_files
from notewell.types import Settings, VaultRecord
from notewell.vaults.known import KnownVaults
from notewell.web.server_file import BoundServer

if TYPE_CHECKING:  # these load the engine and the web server
    from notewell.vaults.opened import Vaults

_EXAMPLES = ("meaning", "keyword", "phrase")  # one query of each is shown

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., object])


def _address_options(function: AnyFunction) -> AnyFunction:
    host = click.option("--host", metavar="ADDRESS", help="Listen here.  [default: 127.0.0.1]")
    port = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help="Listen on this port, 0 for a free one.  [default: 8765]",
    )
    return host(port(function))


@click.command(cls=Command)
@click.argument("words", metavar="[VAULT]...", nargs=-1)
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
    help="Serve a vault that clients fill, making it where there is none of this name.",
)
@click.option("--no-watch", is_flag=True, help="Look at changed notes only when asked to.")
def serve(
    words: tuple[str, ...],
    host: str | None,
    port: int | None,
    mirrors: tuple[str, ...],
    *,
    handshake: bool,
    no_watch: bool,
) -> None:
    """Serve vaults over HTTP until interrupted.

    Each VAULT is a folder, or the name or id of a known vault; without one, all known vaults are
    served. Their indexes are brought up to date meanwhile. Of more than three vaults (setting
    server.open_vaults) the least used are closed, and opened by the next request.
    """
    gc.disable()  # what a start makes stays: to look through it again and again finds nothing
    click.get_current_context().call_on_close(gc.enable)
    threading.Thread(target=_load_http, daemon=True).start()
    inv = invocation()
    address = {"server.host": host, "server.port": port}
    settings = inv.settings(flags=address)
    watch = {"vault.watch": "off" if no_watch else None}
    configuration = inv.configuration(flags={**address, **watch})
    known = inv.known()
    named = [find_or_add(inv, word) for word in words]
    named += [add_mirror(inv, name) for name in mirrors]
    records = named or known.records()
    if not records:
        raise NotFoundError("no vault is known yet; name one: `notewell serve FOLDER`")
    _refuse_if_served(known, records, handshake=handshake)
    with closing(inv.vaults(fetch_missing=True, flags=watch)) as vaults:
        vaults.serve(records)
        for engine in vaults.opened():  # native code, which runs while the web server is imported
            threading.Thread(target=engine.wait_for_model, daemon=True).start()
        if handshake:
            _run(vaults, settings, _shake_hands, configuration)
        else:
            kept = stored_token(settings.state_dir)
            _run(vaults, settings, _Greeting(inv), configuration, kept_token=kept)


@click.command(cls=Command)
@_address_options
def demo(host: str | None, port: int | None) -> None:
    """Serve a sample vault, to try Notewell on.

    It is copied into the data directory, indexed, and stays a known vault.
    """
    inv = invocation()
    address = {"server.host": host, "server.port": port}
    settings = inv.settings(flags=address)
    with (
        Reporter(quiet=inv.quiet) as reporter,
        closing(inv.vaults(fetch_missing=True, say=reporter.say)) as vaults,
    ):
        record = vaults.add(copy_to(sample_folder(settings)))
        _refuse_if_served(vaults, [record], handshake=False)
        vaults.open(record, writable=True).index_now(progress=reporter.update)
        reporter.close()
        greeting = _Greeting(inv, examples=_example_queries())
        kept = stored_token(settings.state_dir)
        _run(vaults, settings, greeting, inv.configuration(flags=address), kept_token=kept)


@click.command(cls=Command)
@click.option(
    "--vault",
    metavar="VAULT",
    help="Answer for this vault alone. Left out: for all known ones, by default for the one the"
    " current folder lies in.",
)
@click.option(
    "--allow-write",
    is_flag=True,
    help="Let the assistant index again, and write memories where a folder was chosen for them.",
)
def mcp(vault: str | None, *, allow_write: bool) -> None:
    """Serve an assistant on stdin and stdout.

    Assistants start this by themselves: name `notewell` as the command and `mcp` as its argument.
    A running server answers where there is one; else the index is opened here.
    """
    from notewell.mcp.local import LocalSource  # noqa: PLC0415 - pydantic, tokenizers
    from notewell.mcp.server import serve_stdio  # noqa: PLC0415 - loads the protocol's SDK

    inv = invocation()
    known = inv.known()
    only = known.find(vault, cwd=Path.cwd()) if vault is not None else None
    with closing(LocalSource(known, inv.vaults, only=only, cwd=Path.cwd())) as source:
        serve_stdio(source, allow_write=allow_write)


def _refuse_if_served(
    known: KnownVaults, records: Iterable[VaultRecord], *, handshake: bool
) -> None:
    for record in records:
        server = server_for(known, record)
        if server is None:
            continue
        if handshake:
            emit_object({"error": "in_use", "url": server.info.url})
        link = f"{server.info.url}/?token={server.info.token}"
        complain(f"{record.name} is being served already, at {link}")
        click.get_current_context().exit(1)


def _run(
    vaults: Vaults,
    settings: Settings,
    ready: Callable[[BoundServer], None],
    configuration: Configuration,
    *,
    kept_token: str | None = None,
) -> None:
    """Serve until told to stop; without `kept_token` for the program that started us."""
    from notewell.mcp.http import attach  # noqa: PLC0415 - loads aiohttp
    from notewell.web.server import serve as serve_vaults  # noqa: PLC0415 - loads aiohttp

    with logging_to_files(settings.state_dir / LOGS, settings.log):
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
                ready=_started(ready),
                extend=attach,
            )
        )


def _load_http() -> None:
    """Import aiohttp, which waits for the disk, while the engine is imported."""
    import aiohttp.web  # noqa: F401, PLC0415 - for the modules that import it next


def _started(ready: Callable[[BoundServer], None]) -> Callable[[BoundServer], None]:
    """`ready`, and from then on garbage is collected, of what comes after the start alone."""

    def begin(bound: BoundServer) -> None:
        gc.freeze()
        gc.enable()
        ready(bound)

    return begin


def _shake_hands(bound: BoundServer) -> None:
    emit_object(
        {
            "port": bound.port,
            "token": bound.token,
            "api": bound.api,
            "version": bound.version,
            "pid": bound.pid,
            "vaults": [{"id": record.id, "name": record.name} for record in bound.vaults],
        }
    )


@dataclass(frozen=True, slots=True)
class _Greeting:
    """Tells a person where the server is and what it is doing."""

    inv: Invocation
    examples: tuple[str, ...] = ()

    def __call__(self, bound: BoundServer) -> None:
        for warning in bound.warnings:
            complain(warning)
        for record in bound.vaults:
            self.inv.say(f"Indexing and serving {record.name} ({record.path})")
        click.echo(bound.sign_in_url)
        for query in self.examples:
            self.inv.say(f"Try: notewell search {shlex.quote(query)} --vault {_quoted(bound)}")
        if bound.warnings:
            self.inv.say("For a phone or another computer: notewell token link NAME")
        self.inv.say("Ctrl-C stops it; `notewell status` shows how far the index is.")


def _quoted(bound: BoundServer) -> str:
    return shlex.quote(bound.vaults[0].name)


def _example_queries() -> tuple[str, ...]:
    return tuple(
        next(example.query for example in EXAMPLES if example.why == why) for why in _EXAMPLES
    )
