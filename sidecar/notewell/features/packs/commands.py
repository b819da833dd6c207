"""`notewell pack`: moves embeddings from one computer to another."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from notewell.api.commands import (
    Group,
    Invocation,
    agree,
    clean,
    current_invocation,
    emit_object,
    format_count,
    json_option,
    server_for,
    vault_option,
)
from notewell.api.types import Settings, VaultRecord
from notewell.base.errors import IndexInUseError
from notewell.doors.cli.vaults import find_or_add
from notewell.engine.feature import engines
from notewell.engine.known_vaults import KnownVaults
from notewell.features import FEATURES

if TYPE_CHECKING:
    from notewell.api.vault import Embedder
    from notewell.index.port import Index


@click.group(cls=Group)
def pack() -> None:
    """Move embeddings from a fast computer to a slow one."""


@pack.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--to",
    type=click.Choice(["qdrant", "weaviate"]),
    help="Write passages with their text for this database instead, one JSON object a line.",
)
@click.option("--yes", is_flag=True, help="Agree to text and paths of notes in FILE (with --to).")
@vault_option
@json_option
def export_file(
    *, file: Path, force: bool, to: str | None, yes: bool, vault: str | None, as_json: bool
) -> None:
    """Write the vault's embeddings into FILE, a .tar.

    It holds a vector for every passage, under a hash of its text: no note text, no titles, no
    paths. With --to, FILE holds these too: it is for a database that you look after.
    """
    from notewell.features.packs.transfer import export_pack  # noqa: PLC0415 - loads numpy and more

    invocation = current_invocation()
    if to is not None:
        agree(
            f"{clean(str(file))} will hold the text of your notes, their titles and paths, for"
            f" {to.capitalize()}. Write it?",
            yes=yes,
        )
        _export_points(invocation, file, to, vault, force=force, as_json=as_json)
        return
    record = invocation.vault(vault)
    known = invocation.known()
    # Reading needs no lock: a server may continue to write meanwhile.
    with closing(_index(known, record, writable=False)) as index:
        report = export_pack(index, file, overwrite=force)
    if as_json:
        emit_object(report)
    else:
        click.echo(
            f"{format_count(report.vectors, 'vector')} of {report.model} in {clean(str(file))}"
        )


@pack.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@vault_option
@json_option
def import_file(file: Path, vault: str | None, as_json: bool) -> None:
    """Import embeddings from FILE, which `notewell pack export` wrote for the same notes.

    The vault may be indexed already or not yet. FILE must come from the same model; vectors for
    texts that this vault does not have do no harm.
    """
    from notewell.features.packs.transfer import import_pack  # noqa: PLC0415 - loads numpy and more

    invocation = current_invocation()
    known = invocation.known()
    record = find_or_add(invocation, vault)
    _refuse_if_served(known, record)
    with (
        closing(_embedder(invocation, known.settings(record))) as embedder,
        closing(_index(known, record, writable=True)) as index,
    ):
        report = import_pack(index, file, model=embedder.key, dimensions=embedder.dimensions)
        left = index.pending_count(embedder.key)
    if as_json:
        emit_object(report)
        return
    click.echo(f"{clean(record.name)}: {report.added:,} of {report.vectors:,} vectors were new")
    if left:
        lack = f"{format_count(left, 'passage')} without an embedding"
        invocation.say(f"{lack}: `notewell index` makes what is missing.")


def _export_points(
    invocation: Invocation, file: Path, to: str, vault: str | None, *, force: bool, as_json: bool
) -> None:
    from notewell.features.packs.points import export_points  # noqa: PLC0415 - loads numpy and more

    record = invocation.vault(vault)
    known = invocation.known()
    with closing(_index(known, record, writable=False)) as index:
        report = export_points(index, file, to=to, overwrite=force)
    if as_json:
        emit_object(report)
        return
    click.echo(
        f"{report.points:,} passages in {clean(str(file))}: cosine distance, {report.dimensions}"
        f" dimensions, of {report.model}"
    )
    if report.left_out:
        invocation.say(f"{report.left_out:,} passages without a vector were left out.")


def _index(known: KnownVaults, record: VaultRecord, *, writable: bool) -> Index:
    from notewell.index.engines import open_index  # noqa: PLC0415 - loads numpy and more

    return open_index(known.directory(record), writable=writable, added=engines(FEATURES))


def _refuse_if_served(known: KnownVaults, record: VaultRecord) -> None:
    server = server_for(known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}, and an import needs exclusive "
            "access to its index: stop that server, import, and start it again"
        )


def _embedder(invocation: Invocation, settings: Settings) -> Embedder:
    """Load the vault's model, which must be on this computer: the pack must match it."""
    from notewell.models.loading import load_embedder  # noqa: PLC0415 - it loads numpy

    return load_embedder(
        settings.model,
        model_dir=settings.model_dir,
        offline=settings.offline,
        fetch_missing=False,
        say=invocation.say,
    )
