"""Who answers a question: the server that runs for the vault, else the index opened here.

Both give the JSON document of the HTTP route, so that `--json` prints the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.cli.options import Invocation
from notewell.client.backend import Answers, Here

if TYPE_CHECKING:  # these load numpy and more; a command loads them when it runs
    from notewell.client.remote import Remote
    from notewell.types import VaultRecord
    from notewell.vaults.known import Vaults


@contextmanager
def answers(inv: Invocation, vault: str | None) -> Iterator[tuple[VaultRecord, Answers]]:
    """The vault that `vault` names, and who answers for it.

    Without a server the index is opened to read: nothing is locked and nothing is written.
    """
    with closing(inv.vaults()) as known:
        record = known.find(vault, cwd=Path.cwd())
        server = server_for(known, record)
        yield record, server or Here(known.open(record, writable=False))


def server_for(known: Vaults, record: VaultRecord) -> Remote | None:
    """The server that has `record` open, if one answers."""
    from notewell.client.remote import Remote, running_server  # noqa: PLC0415 - an HTTP client

    found = running_server(known.directory(record))
    return Remote(found, vault=record.id) if found is not None else None
