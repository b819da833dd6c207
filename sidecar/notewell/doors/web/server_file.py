"""The file by which other processes of this machine find a running server, next to each index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from notewell.base.errors import ServerError
from notewell.base.support import atomic
from notewell.base.types import VaultRecord

SERVER_FILE = "server.json"  # client.remote reads it


@dataclass(frozen=True, slots=True)
class BoundServer:
    """A server that listens. `warnings` are for the person who started it.

    `token` is the process's own, `kept_token` the persistent one, which browsers sign in with.
    `certificate` is the file of its TLS certificate, if it has one.
    """

    url: str
    port: int
    token: str = field(repr=False)
    kept_token: str = field(repr=False)
    pid: int
    api: int
    version: str
    vaults: tuple[VaultRecord, ...]
    warnings: tuple[str, ...]
    certificate: str | None = None

    @property
    def sign_in_url(self) -> str:
        """The link that signs a browser in."""
        return f"{self.url}/?token={self.kept_token}"


@contextmanager
def announced(bound: BoundServer, folders: Sequence[Path]) -> Iterator[None]:
    """Write `SERVER_FILE` in each folder, and delete it at the end, before locks are released."""
    files = [folder / SERVER_FILE for folder in folders]
    certified = {"certificate": bound.certificate} if bound.certificate is not None else {}
    text = orjson.dumps(
        {
            "url": bound.url,
            "token": bound.token,
            "pid": bound.pid,
            "api": bound.api,
            "version": bound.version,
            "vaults": [record.id for record in bound.vaults],
            **certified,
        }
    )
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
        atomic.replace(file, text)  # readable by its owner only; makes the folder
    except OSError as error:
        raise ServerError(
            f"Cannot write {file}: {error}. Without it other commands would not find this server.",
            code="cannot_announce",
        ) from error
