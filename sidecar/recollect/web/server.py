"""A server's life: bind, announce, answer until told to stop, then finish and leave no trace."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from recollect import API_VERSION, __version__
from recollect.errors import ServerError
from recollect.types import Settings
from recollect.vaults import Vaults
from recollect.web.announce import BoundServer, announced
from recollect.web.app import create_app
from recollect.web.lifetime import told_to_stop
from recollect.web.security import bind_warning

SHUTDOWN_SECONDS = 5.0
# A query of 4,096 emoji is 48 KiB, percent-encoded; a longer one should be told so in our words.
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
) -> None:
    """Serve the open vaults until a signal comes, or with `handshake` until stdin closes.

    Starts their engines and closes them at the end. `ready` is called once, as soon as the port
    listens; port 0 takes a free one. Raises ServerError where the address cannot be had.
    """
    listener = _bind(host, port)
    rules = replace(settings.server, host=host, port=port)
    runner = make_runner(create_app(vaults, token=token, server=rules))
    try:
        await runner.setup()
        await web.SockSite(runner, listener).start()
        bound = _bound(vaults, listener, host, token)
        folders = [vaults.directory(record) for record in bound.vaults]
        with told_to_stop(watch_stdin=handshake) as stopped, announced(bound, folders):
            ready(bound)
            await stopped.wait()
    finally:
        await runner.cleanup()
        listener.close()


def make_runner(app: web.Application) -> web.AppRunner:
    """Make what runs the application, with our limits and without logs that quote requests."""
    return web.AppRunner(
        app,
        access_log=None,  # problems.py writes one without addresses
        logger=_http_log(),
        shutdown_timeout=SHUTDOWN_SECONDS,
        max_line_size=MAX_REQUEST_LINE,
    )


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except (OSError, OverflowError) as error:
        raise ServerError(
            f"Cannot listen on {host} port {port}: {error}. Choose another port with --port"
            " (0 takes a free one) or another address with --host.",
            code="cannot_listen",
        ) from error


def _bound(vaults: Vaults, listener: socket.socket, host: str, token: str) -> BoundServer:
    address, port = listener.getsockname()[:2]
    # Nobody can connect to "any address"; this machine's own name for itself always works.
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    shown = f"[{reachable}]" if ":" in reachable else reachable
    warning = bind_warning(host)
    return BoundServer(
        url=f"http://{shown}:{port}",
        port=port,
        token=token,
        pid=os.getpid(),
        api=API_VERSION,
        version=__version__,
        vaults=vaults.served(),
        warnings=(warning,) if warning is not None else (),
    )


def _http_log() -> logging.Logger:
    """The log of aiohttp itself, with the kind of an error alone."""
    log = logging.getLogger("recollect.web.http")
    log.addFilter(_KIND_ONLY)
    return log


class _KindOnly(logging.Filter):
    """Cut what aiohttp says of a malformed request: it quotes it, token and query included."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info is not None and record.exc_info[0] is not None:
            record.msg = f"a request could not be read: {record.exc_info[0].__name__}"
            record.args, record.exc_info = (), None
        return True


_KIND_ONLY = _KindOnly()
