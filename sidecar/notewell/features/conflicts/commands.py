"""`notewell conflicts`: conflict copies beside notes, what they differ in, and healing them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import click

from notewell.api.commands import (
    Command,
    Say,
    Table,
    asking,
    backend_for,
    clean,
    clean_lines,
    current_invocation,
    format_count,
    group,
    json_option,
    note_path,
    print_reply,
    request_options,
    vault_option,
)
from notewell.api.errors import UsageError
from notewell.api.types import VaultRecord
from notewell.engine.client import Backend
from notewell.features.conflicts.requests import (
    ConflictPart,
    ConflictReply,
    ConflictRequest,
    ConflictsRequest,
    HealConflict,
    HealReply,
    KeptVersion,
)

_Keep: TypeAlias = KeptVersion | Literal["newer"]
_NAMES = {"note": "the note alone", "copy": "the copy alone"}
_note = click.argument("note", metavar="NOTE")
_copy = click.argument("copy", metavar="[COPY]", required=False)


@click.command(cls=Command)
@_note
@_copy
@vault_option
@json_option
def show(*, note: str, copy: str | None, vault: str | None, as_json: bool) -> None:
    """Show what NOTE and its conflict copy differ in.

    COPY is the copy, or another note that says nearly the same; left out, the only copy there is.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        request = _request(backend, record, note, copy)
        print_reply(backend, request, _print_conflict, as_json=as_json)


@click.command(cls=Command)
@_note
@_copy
@click.option(
    "--keep",
    type=click.Choice(("note", "copy", "newer", "both")),
    help="Where the two differ, keep this; left out, you are asked.",
)
@request_options(HealConflict, "dry_run")
@vault_option
@json_option
def heal(
    *,
    note: str,
    copy: str | None,
    keep: _Keep | None,
    dry_run: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """Make NOTE and its conflict copy one note; the copy is deleted.

    What both say stands once, what one says alone is kept in its place, and links to the copy lead
    to the note. `notewell undo` restores both files.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        reply = backend.answer(_request(backend, record, note, copy))
        request = HealConflict(
            reply.path,
            reply.copy,
            reply.hash,
            reply.copy_hash,
            tuple(_choices(reply, keep)),
            dry_run=dry_run,
        )
        print_reply(backend, request, _print_healed, as_json=as_json)


def _request(backend: Backend, record: VaultRecord, note: str, copy: str | None) -> ConflictRequest:
    """The request for a note and its copy; UsageError where the copy has to be named."""
    path = note_path(note, record, cwd=Path.cwd())
    if copy is not None:
        return ConflictRequest(path, note_path(copy, record, cwd=Path.cwd()))
    conflicts = backend.answer(ConflictsRequest()).conflicts
    copies = [conflict.copy for conflict in conflicts if conflict.path == path]
    if len(copies) != 1:
        told = (
            f"{len(copies)} conflict copies: {', '.join(copies)}" if copies else "no conflict copy"
        )
        raise UsageError(
            f"{path} has {told}. Name the file to compare it with as a second argument."
        )
    return ConflictRequest(path, copies[0])


def _choices(conflict: ConflictReply, keep: _Keep | None) -> Iterator[KeptVersion]:
    """Choose for each part that differs; a person is asked where `keep` is None."""
    for part in conflict.parts:
        if part.kind != "differs":
            continue
        if keep is not None:
            yield conflict.newer if keep == "newer" else keep
        elif current_invocation().json or not sys.stdin.isatty():
            raise UsageError(
                f"The two differ in {format_count(conflict.differences, 'place')}. There is no"
                " terminal to ask at: say what to keep with --keep."
            )
        else:
            yield _ask(part)


def _ask(part: ConflictPart) -> KeptVersion:
    click.echo("\n".join(_two_versions(part)), err=True)
    choice: KeptVersion = click.prompt(
        "Keep", type=click.Choice(("note", "copy", "both")), default="note", err=True
    )
    return choice


def _two_versions(part: ConflictPart) -> Iterator[str]:
    yield f"line {part.line}, they differ"
    for name, text in (("note", part.note), ("copy", part.copy)):
        first, *others = clean_lines(text.strip()).split("\n")
        yield f"  {name}: {first}"
        yield from (f"        {line}" for line in others)


def _print_conflict(conflict: ConflictReply) -> None:
    for part in conflict.parts:
        if part.kind == "differs":
            click.echo("\n".join(_two_versions(part)))
        elif part.kind != "both" and (part.note + part.copy).strip():
            click.echo(f"line {part.line}, in {_NAMES[part.kind]}")
            for line in clean_lines((part.note + part.copy).strip("\r\n")).split("\n"):
                click.echo(f"  {line}")
    invocation = current_invocation()
    later = conflict.path if conflict.newer == "note" else conflict.copy
    invocation.say(f"{clean(later)} was changed later")
    if conflict.links:
        invocation.say(f"links to the copy: {clean(', '.join(conflict.links))}")
    invocation.say(f"`notewell conflicts heal {clean(conflict.path)}` makes one note of the two")


def _print_healed(reply: HealReply) -> None:
    if reply.diff:
        click.echo(clean_lines(reply.diff))
    invocation = current_invocation()
    for path in reply.left:
        invocation.say(f"{clean(path)} still links to the copy: it cannot be changed")
    if reply.undo is None:
        invocation.say("nothing was written (--dry-run)")
        return
    links = f", links in {format_count(len(reply.links), 'note')} changed" if reply.links else ""
    invocation.say(
        f"{clean(reply.copy)} is now part of {clean(reply.path)}{links};"
        f" `notewell undo {reply.undo}` takes it back"
    )


conflicts = group(
    "conflicts",
    """Settle the conflict copies that a synchroniser left beside notes.

    `notewell conflicts heal Bees.md` makes one note of two, and loses no sentence of either.
    """,
    asking(
        "list",
        ConflictsRequest,
        "List conflict copies, and when both files were changed.",
        Table(
            "conflicts",
            {
                "note": "{path}",
                "changed": "{changed:time}",
                "copy": "{copy}",
                "copy changed": "{copy_changed:time}",
            },
        ),
        Say("{conflicts:count conflict}"),
    ),
    show,
    heal,
)
