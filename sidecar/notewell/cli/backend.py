"""Who answers a question: the server that runs for the vault, else the index opened here.

Both give the JSON document of the HTTP route, so that `--json` prints the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from notewell.cli.options import Invocation
from notewell.client.backend import Backend, LocalBackend
from notewell.client.remote import RemoteBackend, running_server
from notewell.types import VaultRecord
from notewell.vaults.known import KnownVaults


@contextmanager
def answers(inv: Invocation, vault: str | None) -> Iterator[tuple[VaultRecord, Backend]]:
    """The vault that `vault` names, and who answers for it.

    Without a server the index is opened to read: nothing is locked and nothing is written.
    """
    known = inv.known()
    record = known.find(vault, cwd=Path.cwd())
    if (server := server_for(known, record)) is not None:
        yield record, server
        return
    with closing(inv.vaults()) as vaults:
        yield record, LocalBackend(vaults.open(record, writable=False))


def server_for(known: KnownVaults, record: VaultRecord) -> RemoteBackend | None:
    """The server that has `record` open, if one answers."""
    found = running_server(known.directory(record))
    return RemoteBackend(found, vault=record.id) if found is not None else None
