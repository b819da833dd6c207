"""A fake model hub on loopback, working or faulty, for tests without a network."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Hub:
    """Serves the files of a folder at /REPO/resolve/REVISION/NAME and remembers what was asked."""

    def __init__(self, folder: Path, *, cut_after: int | None = None) -> None:
        self.folder = folder
        self.cut_after = cut_after  # bytes of a file after which it falls silent
        self.asked: list[str] = []
        self.closing = threading.Event()
        self.url = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append(handler.path)
        path = self.folder / handler.path.rpartition("/")[2]
        if "/resolve/" not in handler.path or not path.is_file():
            handler.send_error(404)
            return
        content = path.read_bytes()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[: self.cut_after])
        if self.cut_after is not None:
            handler.wfile.flush()
            self.closing.wait()


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.answer(self)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def silence() -> Iterator[str]:
    """The address of a server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def nobody() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"
