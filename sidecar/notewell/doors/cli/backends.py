"""The vault and the note that a command names, and what answers for them.

The backend of a vault is the server that runs for it; without one, the index opened in this
process. Both give the same replies, and the JSON of the HTTP route for `--json`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from notewell.base.errors import IndexInUseError, NotewellError
from notewell.base.support.disk import missing_folder
from notewell.base.types import VaultRecord
from notewell.contract.request import Request
from notewell.doors.cli.options import (
    Invocation,
    current_invocation,
)
from notewell.doors.cli.output import clean, emit, print_error
from notewell.engine.client import Backend, LocalBackend, RemoteBackend, running_server
from notewell.engine.known_vaults import KnownVaults

R = TypeVar("R")

_MOST_WAITING = 1_000  # passages, which a command embeds after it has written a note


def answer(
    vault: str | None, request: Request[R], show: Callable[[R], None], *, as_json: bool
) -> None:
    """Send a request to the backend of `vault` and print the reply, as `print_reply` does."""
    with backend_for(current_invocation(), vault) as (_, backend):
        print_reply(backend, request, show, as_json=as_json)


def print_reply(
    backend: Backend, request: Request[R], show: Callable[[R], None], *, as_json: bool
) -> None:
    """Send a request; print the JSON of its reply, or have `show` print the reply for people."""
    if as_json:
        emit(backend.document(request))
    else:
        show(backend.answer(request))


@contextmanager
def backend_for(invocation: Invocation, vault: str | None) -> Iterator[tuple[VaultRecord, Backend]]:
    """Find the vault that `vault` names, and open the backend that answers for it.

    Without a server the index is opened to read: nothing is locked. Where the command wrote notes,
    the index reads them in the end, so that a search finds them at once.
    """
    record = invocation.vault(vault)
    gone = missing_folder(record.name, record.path)
    if gone is not None:
        print_error(clean(gone))
    if (server := server_for(invocation.known(), record)) is not None:
        yield record, server
        return
    written: list[str] = []
    try:
        with closing(invocation.vaults()) as vaults:
            engine = vaults.open(record, writable=False)
            written = engine.work.written
            yield record, LocalBackend(engine)
    finally:
        if written:
            _index_written(invocation, record, written)


def _index_written(invocation: Invocation, record: VaultRecord, paths: Sequence[str]) -> None:
    """Index what a command wrote, unless that would embed much that waits besides."""
    try:
        with closing(invocation.vaults()) as vaults:
            engine = vaults.open(record, writable=True)
            engine.wait_for_model()
            status = engine.status()
            waiting = status.progress.passages - status.progress.passages_embedded
            if status.model is not None and waiting > _MOST_WAITING:
                invocation.say("Written. The index is not complete; `notewell index` reads it.")
            else:
                engine.work.look_now(*dict.fromkeys(paths))
    except IndexInUseError:
        pass  # who writes it reads the notes too
    except NotewellError as error:
        invocation.say(f"Written, and not in the index yet: {error.message}")


@contextmanager
def writing_backend(
    invocation: Invocation, record: VaultRecord, *, writes_notes: bool = False
) -> Iterator[Backend]:
    """The server of a vault; without one, its index opened here to write.

    `writes_notes`: the index has what was written at the end.
    """
    if (server := server_for(invocation.known(), record)) is not None:
        yield server
        return
    with closing(invocation.vaults()) as vaults:
        engine = vaults.open(record, writable=True)
        yield LocalBackend(engine)
        if writes_notes:
            engine.index_now()


def server_for(known: KnownVaults, record: VaultRecord) -> RemoteBackend | None:
    """Return the server that has `record` open; None where none answers."""
    server = running_server(known.directory(record))
    return RemoteBackend(server, vault=record.id) if server is not None else None


def server_address(invocation: Invocation) -> str:
    """Return the address of the server for other devices.

    The settings say it, but not the port and scheme of a server that runs with others.
    """
    # Every command imports this module, and few need what devices do.
    from notewell.engine.access import is_loopback, own_address  # noqa: PLC0415

    rules = invocation.settings().server
    stated = own_address(rules).rstrip("/")
    if rules.public_url:
        return stated
    known = invocation.known()
    servers = (running_server(known.directory(record)) for record in known.records())
    running = [server.url.rstrip("/") for server in servers if server is not None]
    if not running or urlsplit(stated).port in {urlsplit(url).port for url in running}:
        return stated
    if is_loopback(stated):
        return running[0]
    served = urlsplit(running[0])
    host = urlsplit(stated).netloc.rpartition(":")[0]
    return f"{served.scheme}://{host}:{served.port}"


def note_path(word: str, record: VaultRecord, *, cwd: Path) -> str:
    """Return the vault-relative path that `word` means: within the vault first, then from `cwd`.

    A note that is not on disk keeps the name it was given: the index may know it.
    """
    for base in (record.path, cwd):
        for name in (word, f"{word}.md"):
            file = (base / name).resolve()
            if file.is_file() and file.is_relative_to(record.path):
                return unicodedata.normalize("NFC", file.relative_to(record.path).as_posix())
    return word
