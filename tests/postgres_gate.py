"""A way to a database that can be shut: for a server, the database is away then."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Gate:
    """Passes connections on to a port of loopback, while it is open."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._open = True
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def shut(self) -> None:
        """End all connections, and those that come."""
        self._open = False
        self._end()

    def open(self) -> None:
        self._open = True

    def close(self) -> None:
        self._listening.close()
        self._end()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                one, _ = self._listening.accept()
                if not self._open:
                    one.close()
                    continue
                other = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [one, other]
                for pair in ((one, other), (other, one)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()

    def _end(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(1 << 16):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


@contextmanager
def gate(to: int) -> Iterator[Gate]:
    """A gate to a port, open."""
    made = Gate(to)
    try:
        yield made
    finally:
        made.close()
