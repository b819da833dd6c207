"""`notewell documents`: files and folders outside a vault, indexed with it; and its tools."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from notewell.api.commands import (
    Group,
    Table,
    asking,
    clean,
    current_invocation,
    json_option,
    print_reply,
    request_option,
    request_options,
    vault_option,
    writing_backend,
)
from notewell.api.files import expand_user
from notewell.api.requests import Request
from notewell.api.tools import ArgumentChange, Document, ToolContext, pick, tool_of
from notewell.doors.mcp.tool import begin
from notewell.features.documents.requests import (
    AddDocuments,
    AddedReply,
    DocumentsReply,
    ListDocuments,
    RemoveDocuments,
)

R = TypeVar("R")
_NAMESPACES = Table(
    "namespaces",
    {
        "namespace": "{name}",
        "files": "{files:,}",
        "passages": "{chunks:,}",
        "waiting": "{waiting:,}",
        "failed": "{failed:,}",
        "from": lambda one: ", ".join(place.place for place in one.places),
    },
)


def _show(reply: DocumentsReply) -> None:
    if not reply.namespaces:
        allowed = ", ".join(map(clean, reply.allowed)) or "none; see `notewell documents allow`"
        current_invocation().say(f"No documents. Folders that may be read: {allowed}")
        return
    _NAMESPACES.print(reply)


@click.group(cls=Group)
def documents() -> None:
    """Index files and folders outside a vault with it; they are only read."""


@documents.command("add")
@click.argument("place", metavar="PLACE", type=click.Path(path_type=Path))
@request_options(AddDocuments, "namespace", "recursive")
@request_option(AddDocuments, "include", metavar="GLOB", multiple=True)
@request_option(AddDocuments, "exclude", metavar="GLOB", multiple=True)
@request_options(AddDocuments, "wait")
@vault_option
@json_option
def add_documents(
    *,
    place: Path,
    namespace: str,
    recursive: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    wait: int,
    vault: str | None,
    as_json: bool,
) -> None:
    """Index a file or folder PLACE; below a folder that `documents allow` allowed."""
    request = AddDocuments(
        str(Path.cwd() / expand_user(place)), namespace, recursive, include, exclude, wait
    )
    _send(request, vault, _show_added, as_json=as_json)


documents.add_command(
    asking(
        "list",
        ListDocuments,
        "List the namespaces, what is indexed of each, and where it lies.",
        _show,
    )
)


@documents.command("clear")
@click.argument("namespace", metavar="NAMESPACE")
@vault_option
@json_option
def clear_documents(namespace: str, vault: str | None, as_json: bool) -> None:
    """Take all documents of NAMESPACE out of the index; the files stay as they are."""
    _send(RemoveDocuments(namespace, keep=True), vault, _show, as_json=as_json)


@documents.command("delete")
@click.argument("namespace", metavar="NAMESPACE")
@vault_option
@json_option
def delete_documents(namespace: str, vault: str | None, as_json: bool) -> None:
    """Take NAMESPACE with its documents out of the index; the files stay as they are."""
    _send(RemoveDocuments(namespace), vault, _show, as_json=as_json)


@documents.command("allow")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--forbid", is_flag=True, help="Documents below it may not be read any more.")
def allow_documents(folder: Path, forbid: bool) -> None:
    """Allow documents below FOLDER to be indexed, by assistants as well.

    A running server knows it after its next start.
    """
    invocation = current_invocation()
    place = (Path.cwd() / expand_user(folder)).resolve(strict=not forbid)
    invocation.configuration().list_item("documents.allow", str(place), wanted=not forbid)
    click.echo(f"{clean(str(place))} is {'forbidden' if forbid else 'allowed'}.")


def _send(
    request: Request[R], vault: str | None, show: Callable[[R], None], *, as_json: bool
) -> None:
    invocation = current_invocation()
    with writing_backend(invocation, invocation.vault(vault)) as backend:
        print_reply(backend, request, show, as_json=as_json)


def _show_added(reply: AddedReply) -> None:
    click.echo(
        f"{clean(reply.path)}: {reply.files:,} files, {reply.chunks_created:,} new passages,"
        f" {reply.duplicates:,} that were there already"
    )
    if reply.waiting:
        click.echo(f"{reply.waiting:,} files are still to be read")
    if reply.failed:
        current_invocation().say(
            f"{reply.failed:,} files failed; see `notewell ledger --state failed`"
        )


# The tools of assistants: for files below folders that a person allowed in the settings.

_MOST_IDS = 100  # of one answer, which has a job and counts besides
_PLACE = ArgumentChange(name="path", doc="Whole path on the server", hint=str)
_NAMESPACE = ArgumentChange(hint=str)
_GLOBS = ArgumentChange(hint=list[str])
_SHOWN = ("namespace", "path", "files", "waiting", "failed", "chunks_created", "duplicates")


def _index(kind: str, context: ToolContext, request: AddDocuments) -> Document:
    reply = context.backend.answer(request)
    ids = list(reply.chunk_ids[:_MOST_IDS])
    return {**pick(reply, *_SHOWN), "chunk_ids": ids, **begin(context, kind)}


TOOLS = (
    tool_of(
        AddDocuments,
        "Index a file",
        "Index a file outside the vault, to read only, in an allowed folder. Gives a job.",
        name="index_file",
        fields=("place", "namespace"),
        changes={"place": _PLACE, "namespace": _NAMESPACE},
        run=partial(_index, "index_file"),
    ),
    tool_of(
        AddDocuments,
        "Index a folder",
        "Index a folder outside the vault, to read only, in an allowed folder. Gives a job.",
        name="index_directory",
        fields=("place", "namespace", "recursive", "include", "exclude"),
        changes={
            "place": _PLACE,
            "namespace": _NAMESPACE,
            "include": ArgumentChange(hint=list[str], doc="Globs"),
            "exclude": _GLOBS,
        },
        run=partial(_index, "index_directory"),
    ),
    tool_of(
        RemoveDocuments,
        "Take documents out",
        "Take the documents of a namespace out of the index, and with `keep` false the namespace"
        " too. The files stay.",
        name="index_clear",
        changes={"namespace": _NAMESPACE, "keep": ArgumentChange(doc="Keep the namespace")},
        destructive=True,
    ),
)
