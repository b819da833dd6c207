"""`notewell sources`: notes of Roam, Logseq and exports of other programs, as vaults to read."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from notewell.api.commands import (
    Group,
    clean,
    current_invocation,
    emit_object,
    format_count,
    json_option,
    print_table,
    server_for,
    show_run,
    writing_backend,
)
from notewell.api.errors import NotewellError, SourceError, UsageError
from notewell.api.files import expand_user
from notewell.api.types import VaultRecord
from notewell.base.errors import IndexInUseError
from notewell.doors.cli.output import local_time
from notewell.doors.cli.run_progress import ended_run
from notewell.features.sources import known
from notewell.features.sources.feeds import recognise_source
from notewell.features.sources.requests import SyncSource
from notewell.features.sources.roam_api import (
    SERVERS,
    desktop_port,
    keep_token,
    requested_token,
    token_of,
)
from notewell.features.sources.spec import SourceSpec

_name = click.option("--name", default="", help="Name of the vault; by default that of the file.")
_graph = click.option("--graph", default="", help="Name of the graph, for links that open it.")
_later = click.option("--later", is_flag=True, help="Only make it known; `sources sync` reads it.")


@click.group(cls=Group)
def sources() -> None:
    """Search notes of Roam, Logseq, Notion, Bear, Evernote and other exports; they are only read.

    Each source becomes a vault of its own. Its notes are converted and kept in the data directory.
    """


@sources.group("add", cls=Group)
def add() -> None:
    """Add a source that a sync brings up to date."""


@add.command("logseq")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, exists=True))
@_name
@_graph
@_later
@json_option
def add_logseq(*, folder: Path, name: str, graph: str, later: bool, as_json: bool) -> None:
    """Add the Logseq graph in FOLDER, or in a zip file."""
    place = expand_user(folder).resolve()
    spec = SourceSpec("logseq", str(place), graph or place.stem)
    _add(spec, name, later=later, as_json=as_json)


@add.command("roam")
@click.argument("graph", metavar="GRAPH")
@click.option("--desktop", is_flag=True, help="Ask Roam's desktop program on this computer.")
@click.option("--address", metavar="URL", default=SERVERS, help="Address of Roam's servers.")
@_name
@_later
@json_option
def add_roam(
    *, graph: str, desktop: bool, address: str, name: str, later: bool, as_json: bool
) -> None:
    """Add the graph GRAPH at Roam, to read only.

    It takes a token: make one for reading in Roam's settings under Graph. It is asked for and kept
    in the system's keyring, or taken from NOTEWELL_ROAM_TOKEN. Encrypted graphs need --desktop:
    Roam's window then asks you itself, and no token has to be made.
    """
    spec = SourceSpec("roam-desktop" if desktop else "roam", "" if desktop else address, graph)
    if not token_of(spec):
        keep_token(spec, _grant(graph) if desktop else click.prompt("Token", hide_input=True))
    _add(spec, name or graph, later=later, as_json=as_json)


def _grant(graph: str) -> str:
    """Return the token that a person grants in Roam's window, or types here."""
    invocation = current_invocation()
    try:
        port = desktop_port(Path.home())
        invocation.say(f"Roam asks in its window whether Notewell may read {graph}.")
        return requested_token(graph, port)
    except SourceError as error:
        invocation.say(error.message)
        typed: str = click.prompt("Token", hide_input=True)
        return typed


@sources.command("token")
@click.argument("name", metavar="NAME")
def token(name: str) -> None:
    """Keep another token for the source NAME, in the system's keyring; an empty one removes it."""
    invocation = current_invocation()
    record = known.find(name, invocation.known().records())
    state = known.load(known.folder_of(record))
    keep_token(state.spec, click.prompt("Token", hide_input=True, default="", show_default=False))
    invocation.say("The token is kept in the system's keyring.")


@sources.command("import")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True))
@_name
@_graph
@_later
@json_option
def import_file(*, file: Path, name: str, graph: str, later: bool, as_json: bool) -> None:
    """Add an export: Roam's JSON or EDN, an .enex file, a zip file of Markdown, or a folder.

    A newer export is imported under the same name, or put in the file's place and read by
    `notewell sources sync`; pages that are the same cost nothing.
    """
    spec = recognise_source(expand_user(file).resolve(), graph)
    _add(spec, name, later=later, as_json=as_json)


@sources.command("list")
@json_option
def list_sources(*, as_json: bool) -> None:
    """List the sources and how their last sync ended."""
    reply = known.list_sources(current_invocation().known().records())
    if as_json:
        emit_object(reply)
    elif not reply.sources:
        current_invocation().say("No sources. Add one: `notewell sources import FILE`.")
    else:
        print_table(
            ("name", "kind", "state", "last", "from"),
            [
                (
                    clean(source.name),
                    source.kind,
                    source.state,
                    local_time(source.last) or "never",
                    clean(source.place),
                )
                for source in reply.sources
            ],
        )
        for source in reply.sources:
            if source.error:
                click.echo(f"{clean(source.name)}: {clean(source.error)}")


@sources.command("sync")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--remove-missing", is_flag=True, help="Remove pages that are gone, however many.")
@json_option
def sync(*, name: str | None, remove_missing: bool, as_json: bool) -> None:
    """Bring the source NAME up to date, or all of them."""
    records = current_invocation().known().records()
    chosen = [known.find(name, records)] if name else _all(records)
    for record in chosen:
        _sync(record, remove_missing=remove_missing, as_json=as_json)


@sources.command("remove")
@click.argument("name", metavar="NAME")
def remove(name: str) -> None:
    """Forget the source NAME, with its notes here and their index. What it came from stays."""
    invocation = current_invocation()
    vaults_known = invocation.known()
    record = known.find(name, vaults_known.records())
    server = server_for(vaults_known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}: stop that server first"
        )
    with closing(invocation.vaults()) as vaults:
        vaults.remove(record, delete_data=True)
    invocation.say(f"{record.name} is removed; what it came from stays as it is.")


@sources.command("export")
@click.argument("name", metavar="NAME")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def export(name: str, folder: Path) -> None:
    """Write the notes of the source NAME into FOLDER, as a vault of your own.

    The folder has to be empty or new. The notes in it are copies: nothing brings them up to date.
    """
    invocation = current_invocation()
    record = known.find(name, invocation.known().records())
    written = known.copy_notes(record, expand_user(folder).absolute())
    place = clean(str(folder))
    invocation.say(
        f"{format_count(written, 'note')} written into {place}. `notewell index {place}` makes them"
        " searchable as a vault of its own."
    )


def _add(spec: SourceSpec, name: str, *, later: bool, as_json: bool) -> None:
    vaults_known = current_invocation().known()
    same = known.find_same(vaults_known.records(), spec, name)
    before = None if same is None else known.load(known.folder_of(same)).spec
    record = known.make_known(vaults_known, spec, name)
    if later:
        if as_json:
            emit_object(known.view(record))
        else:
            current_invocation().say(f"{record.name} is known; `notewell sources sync` reads it.")
        return
    try:
        _sync(record, remove_missing=False, as_json=as_json)
    except NotewellError:
        if before is not None:
            known.point_to(record, before)  # what was there before stays
        else:
            with closing(current_invocation().vaults()) as vaults:  # nothing was read
                vaults.remove(record, delete_data=True)
        raise


def _all(records: tuple[VaultRecord, ...]) -> list[VaultRecord]:
    chosen = [record for record in records if record.is_converted]
    if not chosen:
        raise UsageError("There are no sources. Add one: `notewell sources import FILE`.")
    return chosen


def _sync(record: VaultRecord, *, remove_missing: bool, as_json: bool) -> None:
    """Sync one source and wait for its end; Ctrl-C stops it, and the next one goes on."""
    with writing_backend(current_invocation(), record) as backend:
        run = backend.answer(SyncSource(record.id, remove_missing)).run
        ended = ended_run(backend, run)
    # A sync that brought nothing but errors; what was there before stays.
    if ended.result == "failed" or (ended.errors and not ended.counts.get("read")):
        raise NotewellError(ended.errors[-1].why if ended.errors else "The sync failed.")
    if as_json:
        emit_object(ended)
    else:
        show_run(ended)
    current_invocation().say(
        f'Search it: `notewell search WORDS --vault "{record.name}"`'
        if ended.result == "done"
        else f'It goes on with `notewell sources sync "{record.name}"`.'
    )
