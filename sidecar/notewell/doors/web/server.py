"""Runs a server: binds, announces itself, answers until it is stopped, then cleans up.

Other processes of this machine find it by the file that it writes next to each index. A signal
stops it, or the end of its standard input.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import FrameType

import orjson
from aiohttp import web

from notewell import API_VERSION, __version__
from notewell.base.errors import ServerError
from notewell.base.support import disk
from notewell.base.support.log_files import LOGS
from notewell.base.types import ServerRules, Settings, VaultRecord
from notewell.doors.web.app import create_app
from notewell.doors.web.listener import (
    Connection,
    Runner,
    Server,
    bind,
    listening,
    tls_context,
    warnings_of,
)
from notewell.engine.client import SERVER_FILE, ServerInfo
from notewell.engine.configuration import Configuration
from notewell.engine.open_vaults import Vaults


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundServer(ServerInfo):
    """A server that listens. `warnings` are for the person who started it.

    `token` is the process's own, `kept_token` the persistent one, which browsers sign in with.
    `records` are the vaults it serves.
    """

    port: int
    kept_token: str = field(repr=False)
    records: tuple[VaultRecord, ...]
    warnings: tuple[str, ...]

    @property
    def sign_in_url(self) -> str:
        return f"{self.url}/?token={self.kept_token}"


@contextmanager
def announce(bound: BoundServer, folders: Sequence[Path]) -> Iterator[None]:
    """Write `SERVER_FILE` in each folder, and delete it at the end, before locks are released."""
    files = [folder / SERVER_FILE for folder in folders]
    told = {declared.name: getattr(bound, declared.name) for declared in fields(ServerInfo)}
    text = orjson.dumps({name: value for name, value in told.items() if value is not None})
    try:
        for file in files:
            _write(file, text)
        yield
    finally:
        for file in files:
            with suppress(OSError):  # a file that remains is recognised by its dead process
                file.unlink()


def _write(file: Path, text: bytes) -> None:
    try:
        disk.replace(file, text)  # readable by its owner only; makes the folder
    except OSError as error:
        raise ServerError(
            f"Cannot write {file}: {error}. Without it other commands would not find this server.",
            code="cannot_announce",
        ) from error


SHUTDOWN_SECONDS = 5.0
# How long a connection may stay without the complete head of a request: between two requests, and
# while a head arrives slowly.
IDLE_SECONDS = 20.0
# A query of 4,096 emoji is 48 KiB, percent-encoded; a longer one gets our own error.
MAX_REQUEST_LINE = 256 * 1024


async def serve(
    vaults: Vaults,
    settings: Settings,
    *,
    host: str,
    port: int,
    token: str,
    handshake: bool,
    ready: Callable[[BoundServer], None],
    kept_token: str | None = None,
    configuration: Configuration | None = None,
    extend: Callable[[web.Application], None] | None = None,
) -> None:
    """Serve the open vaults until a signal comes, or with `handshake` until stdin closes.

    Starts their engines and closes them at the end. `ready` is called once, as soon as the port
    listens; port 0 takes a free one. `token` is this process's own, for programs of this machine;
    with `kept_token`, the persistent one, devices in the state directory are accepted as well.
    `extend` adds further routes to the application. Raises ServerError where the address cannot
    be bound.
    """
    rules = replace(settings.server, host=host, port=port)
    tls = tls_context(rules)
    listener = bind(host, port)
    state_dir = settings.state_dir if kept_token is not None else None
    app = create_app(
        vaults,
        token=token,
        server=rules,
        limits=settings.limits,
        state_dir=state_dir,
        logs=settings.state_dir / LOGS,
        configuration=configuration,
        texts=settings.data_dir / "texts",
        features=vaults.features,
    )
    if extend is not None:
        extend(app)
    runner = make_runner(app)
    try:
        await runner.setup()
        connections = listening(_answering(runner), listener, tls, settings.limits.connections)
        bound = _bind(vaults, listener, rules, token, kept_token)
        folders = [vaults.directory(record) for record in bound.records]
        async with connections:
            with stop_requested(watch_stdin=handshake) as stopped, announce(bound, folders):
                ready(bound)
                await stopped.wait()
    finally:
        await runner.cleanup()
        listener.close()


def make_runner(app: web.Application) -> web.AppRunner:
    """Make the runner of the application, with our limits and without logs that quote requests."""
    return Runner(
        app,
        access_log=None,  # middleware.py writes one without addresses
        logger=_http_log(),
        shutdown_timeout=SHUTDOWN_SECONDS,
        max_line_size=MAX_REQUEST_LINE,
        keepalive_timeout=IDLE_SECONDS,
        auto_decompress=False,  # a compressed body may unpack to any size; it is refused
        handler_cancellation=True,  # no work for a client that has disconnected
    )


def _answering(runner: web.AppRunner) -> Callable[[], Connection]:
    """Return the protocol factory of a runner that is set up."""
    server = runner.server
    if not isinstance(server, Server):
        raise TypeError("the runner is not set up")
    return server


def _bind(
    vaults: Vaults,
    listener: socket.socket,
    rules: ServerRules,
    token: str,
    kept_token: str | None,
) -> BoundServer:
    address, port = listener.getsockname()[:2]
    # "Any address" cannot be connected to; the loopback address always works.
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    shown = f"[{reachable}]" if ":" in reachable else reachable
    served = vaults.served()
    return BoundServer(
        url=f"{'https' if rules.tls_cert else 'http'}://{shown}:{port}",
        port=port,
        token=token,
        kept_token=kept_token or token,
        pid=os.getpid(),
        api=API_VERSION,
        version=__version__,
        vaults=tuple(record.id for record in served),
        records=served,
        warnings=warnings_of(rules),
        certificate=str(Path(rules.tls_cert).absolute()) if rules.tls_cert else None,
    )


def _http_log() -> logging.Logger:
    """Return the logger of aiohttp itself, which logs only the types of errors."""
    log = logging.getLogger("notewell.doors.web.http")
    log.addFilter(_KIND_ONLY)
    return log


class _KindOnly(logging.Filter):
    """Removes the text of a malformed request from messages: it may have a token and a query."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info is not None and record.exc_info[0] is not None:
            record.msg = f"a request could not be read: {record.exc_info[0].__name__}"
            record.args, record.exc_info = (), None
        return True


_KIND_ONLY = _KindOnly()


@contextmanager
def stop_requested(*, watch_stdin: bool) -> Iterator[asyncio.Event]:
    """Yield an event that is set on SIGINT or SIGTERM, or with `watch_stdin` when stdin closes.

    A second signal has its default effect, so that the process can be ended at once.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        # The loop may have ended between the last byte of stdin and this call.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(stopped.set)

    if watch_stdin:
        watch(_stdin(), stop)
    with _signals(stop):
        yield stopped


def _stdin() -> int | None:
    """Return the descriptor of standard input; None where the process has none."""
    try:
        return None if sys.stdin is None else sys.stdin.fileno()
    except ValueError:  # closed, or replaced by something without a descriptor
        return None


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; its owner decides when to stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        restore()
        stop()

    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        restore()


def watch(descriptor: int | None, stop: Callable[[], None]) -> None:
    """Call `stop` from a thread when `descriptor` ends; None is one that has ended already.

    It is read below Python's own buffer, whose lock a waiting thread would hold at exit.
    """

    def read_to_end() -> None:
        with suppress(OSError):
            while descriptor is not None and os.read(descriptor, 4096):
                pass
        stop()

    threading.Thread(target=read_to_end, name="watch-stdin", daemon=True).start()
