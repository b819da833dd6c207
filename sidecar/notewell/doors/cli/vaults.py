"""`notewell vaults`: the known vaults, and the vault and the note that a command names.

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

import click

from notewell.base.errors import IndexInUseError, NotewellError, NotFoundError, UsageError
from notewell.base.support.disk import expanded, missing_folder
from notewell.base.types import Settings, VaultRecord
from notewell.contract.request import Request
from notewell.doors.cli.options import (
    Group,
    Invocation,
    complete_vaults,
    current_invocation,
    json_option,
)
from notewell.doors.cli.output import clean, emit, emit_object, print_error, print_table
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
    found = running_server(known.directory(record))
    return RemoteBackend(found, vault=record.id) if found is not None else None


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
    found = (running_server(known.directory(record)) for record in known.records())
    running = [server.url.rstrip("/") for server in found if server is not None]
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


_SAMPLE = "Sample vault"


@click.group(cls=Group)
def vaults() -> None:
    """List, add and remove vaults, and documents and sources beside them."""


@vaults.command("list")
@json_option
def list_vaults(as_json: bool) -> None:
    """List the known vaults."""
    records = current_invocation().known().records()
    if as_json:
        emit_object({"vaults": [_view(record) for record in records]})
    elif records:
        rows = [("yes" if r.default else "", r.name, r.id, str(r.path)) for r in records]
        print_table(("default", "name", "id", "path"), rows)
    else:
        current_invocation().say("No vault is known yet; add one with `notewell index FOLDER`.")


def _view(record: VaultRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "name": record.name,
        "path": str(record.path),
        "default": record.default,
        "source": record.source,
    }


@vaults.command("add")
@click.argument("folder", type=click.Path(path_type=Path), metavar="[FOLDER]", required=False)
@click.option("--name", help="Name of the vault; by default the folder's name.")
@click.option(
    "--mirror", metavar="NAME", help="Instead of FOLDER: a vault whose notes clients send."
)
@json_option
def add_vault(folder: Path | None, name: str | None, mirror: str | None, as_json: bool) -> None:
    """Add FOLDER to the known vaults, without indexing it yet."""
    invocation = current_invocation()
    if (folder is None) == (mirror is None) or (mirror is not None and name is not None):
        raise UsageError("name either a FOLDER or, with --mirror, a vault whose notes clients send")
    record = (
        add_mirror(invocation, mirror or "")
        if folder is None
        else add(invocation, folder, name=name)
    )
    if as_json:
        emit_object(_view(record))
        return
    then = (
        "index it with `notewell index" if folder is not None else "serve it with `notewell serve"
    )
    invocation.say(f"{record.name} is known; {then} {record.name}`.")


@vaults.command("move")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@json_option
def move_vault(vault: str, folder: Path, as_json: bool) -> None:
    """Say that the folder of VAULT is FOLDER now. Its index stays, and nothing is embedded again.

    FOLDER has to hold its notes; no file is moved.
    """
    invocation = current_invocation()
    known = invocation.known()
    record = known.find(vault, cwd=Path.cwd())
    _refuse_while_served(known, record)
    with closing(invocation.vaults()) as vaults:
        moved = vaults.move(record, folder)
    if as_json:
        emit_object(_view(moved))
    else:
        invocation.say(f"{moved.name} is in {clean(str(moved.path))} and keeps its index.")


@vaults.command("remove")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
@click.option(
    "--delete-data",
    is_flag=True,
    help="Delete its index, query log and the logs too, and a mirror's copy of the notes. Your own"
    " notes are never touched.",
)
def remove_vault(vault: str, delete_data: bool) -> None:
    """Remove VAULT from the known vaults. Its index is kept unless --delete-data is given."""
    invocation = current_invocation()
    known = invocation.known()
    record = known.find(vault, cwd=Path.cwd())
    _refuse_while_served(known, record)
    with closing(invocation.vaults()) as vaults:
        vaults.remove(record, delete_data=delete_data)
    if delete_data:
        # Locks files; a list of vaults does without.
        from notewell.base.support.log_files import LOGS, delete_logs  # noqa: PLC0415

        delete_logs(invocation.settings().state_dir / LOGS)
    kept = (
        "its index and the logs are deleted"
        if delete_data
        else "its index is kept for when the folder is added again"
    )
    invocation.say(f"{record.name} is removed; {kept}.")


def _refuse_while_served(known: KnownVaults, record: VaultRecord) -> None:
    server = server_for(known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}: stop that server first"
        )


@vaults.command("default")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
def default_vault(vault: str) -> None:
    """Make VAULT the default, for commands that name no vault."""
    known = current_invocation().known()
    record = known.find(vault, cwd=Path.cwd())
    known.set_default(record)
    current_invocation().say(f"{record.name} is the default now.")


def sample_folder(settings: Settings) -> Path:
    """Return the folder of the sample vault that `notewell demo` serves."""
    return settings.data_dir / _SAMPLE


def find_or_add(
    invocation: Invocation, word: str | None, *, say: Callable[[str], None] | None = None
) -> VaultRecord:
    """Find the vault that `word` names; a folder that is not known yet is added."""
    try:
        return invocation.vault(word)
    except NotFoundError as error:
        if word is None:
            raise
        folder = expanded(word)
        if not folder.is_dir():
            raise NotFoundError(_no_folder(folder, error)) from error
        return invocation.about(add(invocation, folder, say=say))


def _no_folder(folder: Path, error: NotFoundError) -> str:
    """Say why a name that is not that of a known vault is no folder that could be added."""
    if folder.exists():
        return f"{folder} is a file, and a vault is a folder of notes: name the folder"
    if len(folder.parts) > 1:
        return f"there is no folder {folder}: check its spelling, or whether its drive is mounted"
    return f"here is no folder '{folder}', and {error.message}"


def add(
    invocation: Invocation,
    folder: Path,
    *,
    name: str | None = None,
    say: Callable[[str], None] | None = None,
) -> VaultRecord:
    """Add `folder` to the known vaults; it takes over from the sample vault as the default."""
    with closing(invocation.vaults(say=say)) as vaults:
        return _replace_sample_as_default(invocation, vaults.add(folder, name=name))


def add_mirror(invocation: Invocation, name: str) -> VaultRecord:
    """Add a vault whose notes clients send, as `add` does."""
    return _replace_sample_as_default(invocation, invocation.known().add_mirror(name))


def _replace_sample_as_default(invocation: Invocation, record: VaultRecord) -> VaultRecord:
    known = invocation.known()
    sample = sample_folder(invocation.settings()).resolve()
    default = next((record for record in known.records() if record.default), None)
    if default is not None and default.path == sample and record.path != sample:
        known.set_default(record)
        return known.find(record.id, cwd=Path.cwd())
    return record
