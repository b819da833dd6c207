"""`notewell memory`: what assistants and people keep for later, as notes of the vault."""

from __future__ import annotations

import sys
from typing import get_args

import click

from notewell.cli import documents_memory as shapes
from notewell.cli import memory_output as show
from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.options import Group, invocation, json_option, vault_option
from notewell.cli.output import emit
from notewell.contract import memory as asking
from notewell.contract.memory import MemoryOrder, MemoryRequest
from notewell.contract.memory_replies import MemoryType, RelationKind

_SHARE = click.FloatRange(0, 1)
_TYPES = click.Choice(get_args(MemoryType))
_KINDS = click.Choice(get_args(RelationKind))
_MOST = click.IntRange(1, 1000)
_DEPTH = click.IntRange(0, asking.MAX_DEPTH)

_namespace = click.option("--namespace", metavar="NAME", help="Only memories of this namespace.")
_type = click.option("--type", "kind", type=_TYPES, help="Only memories of this type.")
_comment = click.option("--comment", default="", metavar="TEXT", help="Why, for the history.")
_relation = click.option(
    "--kind", type=_KINDS, default="relates_to", show_default=True, help="How they are related."
)


@click.group(cls=Group)
def memory() -> None:
    """Keep things for later, as notes in a folder of the vault.

    The folder is chosen by the setting `memory.folder`; without it nothing is written. A memory
    begins with a confidence of 0.3, which follows what `memory outcome` says of it. Its note may be
    edited, moved and deleted by hand.
    """


def _ask(asked: MemoryRequest, vault: str | None, *, as_json: bool) -> bytes | None:
    """The answer, or None where it was printed as JSON already."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(asked)
    if not as_json:
        return document
    emit(document)
    return None


@memory.command()
@click.argument("content")
@click.option("--type", "kind", type=_TYPES, default="fact", show_default=True, help="What it is.")
@click.option("--namespace", default=asking.DEFAULT_NAMESPACE, show_default=True, help="Whose.")
@click.option("--importance", type=_SHARE, default=0.5, show_default=True, help="0 to 1.")
@click.option("--provenance", metavar="TEXT", help="Where it comes from.")
@click.option("--title", metavar="TEXT", help="Name of the note; else made from the content.")
@vault_option
@json_option
def store(
    *,
    content: str,
    kind: MemoryType,
    namespace: str,
    importance: float,
    provenance: str | None,
    title: str | None,
    vault: str | None,
    as_json: bool,
) -> None:
    """Keep CONTENT (- reads it from stdin). The same content is kept once."""
    text = sys.stdin.read() if content == "-" else content
    asked = asking.StoreMemory(text, kind, namespace, importance, provenance, title)
    answer = _ask(asked, vault, as_json=as_json)
    if answer is not None:
        show.changed(parse(answer, shapes.MemoryChangedDocument), "kept")


@memory.command()
@click.argument("query")
@_namespace
@_type
@click.option("--limit", type=_MOST, default=5, show_default=True, help="Most.")
@click.option("--depth", type=_DEPTH, default=0, show_default=True, help="Relations to follow.")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@vault_option
@json_option
def recall(
    *,
    query: str,
    namespace: str | None,
    kind: MemoryType | None,
    limit: int,
    depth: int,
    explain: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """Find memories that bear on QUERY."""
    asked = asking.RecallMemories(query, namespace, kind, limit, depth)
    answer = _ask(asked, vault, as_json=as_json)
    if answer is not None:
        show.recalled(parse(answer, shapes.RecallDocument), explain=explain)


@memory.command()
@click.argument("query", default="")
@_namespace
@click.option(
    "--budget", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="Tokens."
)
@click.option("--depth", type=_DEPTH, default=1, show_default=True, help="Relations to follow.")
@vault_option
@json_option
def context(
    *,
    query: str,
    namespace: str | None,
    budget: int,
    depth: int,
    vault: str | None,
    as_json: bool,
) -> None:
    """Print what an assistant should know about QUERY, golden rules first."""
    asked = asking.MemoryContext(query, namespace, budget, depth)
    answer = _ask(asked, vault, as_json=as_json)
    if answer is not None:
        show.context(parse(answer, shapes.MemoryContextDocument))


@memory.command()
@click.argument("memory_id", metavar="MEMORY")
@_comment
@vault_option
@json_option
def apply(*, memory_id: str, comment: str, vault: str | None, as_json: bool) -> None:
    """Say that MEMORY (id, path or name) is being used."""
    answer = _ask(asking.ApplyMemory(memory_id, comment), vault, as_json=as_json)
    if answer is not None:
        show.changed(parse(answer, shapes.MemoryChangedDocument), "applied")


@memory.command()
@click.argument("memory_id", metavar="MEMORY")
@click.option("--helped/--failed", default=None, required=True, help="Whether it helped.")
@_comment
@vault_option
@json_option
def outcome(
    *, memory_id: str, helped: bool, comment: str, vault: str | None, as_json: bool
) -> None:
    """Say whether MEMORY helped: +0.1 or -0.15 confidence. At 0.9 it becomes a golden rule."""
    answer = _ask(asking.MemoryOutcome(memory_id, helped, comment), vault, as_json=as_json)
    if answer is not None:
        show.changed(parse(answer, shapes.MemoryChangedDocument), "judged")


@memory.command()
@click.argument("memory_id", metavar="MEMORY")
@click.option("--force", is_flag=True, help="Even if it is a golden rule.")
@vault_option
@json_option
def forget(*, memory_id: str, force: bool, vault: str | None, as_json: bool) -> None:
    """Delete MEMORY and its note; `notewell undo` brings it back."""
    answer = _ask(asking.ForgetMemory(memory_id, force), vault, as_json=as_json)
    if answer is not None:
        show.forgotten(parse(answer, shapes.MemoryForgottenDocument))


@memory.command()
@click.argument("source")
@click.argument("target")
@_relation
@click.option("--weight", type=_SHARE, default=1.0, show_default=True, help="How much.")
@vault_option
@json_option
def relate(
    *,
    source: str,
    target: str,
    kind: RelationKind,
    weight: float,
    vault: str | None,
    as_json: bool,
) -> None:
    """Say how the memory SOURCE stands to TARGET, a memory or a note."""
    asked = asking.RelateMemories(source, target, kind, weight)
    answer = _ask(asked, vault, as_json=as_json)
    if answer is not None:
        show.changed(parse(answer, shapes.MemoryChangedDocument), "related")


@memory.command()
@click.argument("source")
@click.argument("target")
@_relation
@vault_option
@json_option
def unrelate(
    *, source: str, target: str, kind: RelationKind, vault: str | None, as_json: bool
) -> None:
    """Take a relation from SOURCE to TARGET back."""
    answer = _ask(asking.UnrelateMemories(source, target, kind), vault, as_json=as_json)
    if answer is not None:
        show.changed(parse(answer, shapes.MemoryChangedDocument), "no longer related")


@memory.command()
@click.argument("memory_id", metavar="MEMORY")
@vault_option
@json_option
def inspect(*, memory_id: str, vault: str | None, as_json: bool) -> None:
    """Show everything about MEMORY."""
    answer = _ask(asking.InspectMemory(memory_id), vault, as_json=as_json)
    if answer is not None:
        show.inspected(parse(answer, shapes.MemoryInspectDocument))


@memory.command("list")
@_namespace
@_type
@click.option(
    "--order",
    type=click.Choice(get_args(MemoryOrder)),
    default="created",
    show_default=True,
    help="Which comes first: the newest, the most.",
)
@click.option("--limit", type=_MOST, default=100, show_default=True, help="Most.")
@vault_option
@json_option
def list_(
    *,
    namespace: str | None,
    kind: MemoryType | None,
    order: MemoryOrder,
    limit: int,
    vault: str | None,
    as_json: bool,
) -> None:
    """List the memories there are."""
    asked = asking.ListMemories(namespace, kind, order, limit)
    answer = _ask(asked, vault, as_json=as_json)
    if answer is not None:
        show.listed(parse(answer, shapes.MemoryListDocument))


@memory.command()
@click.argument("memory_id", metavar="[MEMORY]", required=False)
@click.option("--limit", type=_MOST, default=100, show_default=True, help="Most.")
@vault_option
@json_option
def history(*, memory_id: str | None, limit: int, vault: str | None, as_json: bool) -> None:
    """Show what was said of MEMORY, or of all, newest first."""
    answer = _ask(asking.MemoryHistory(memory_id, limit), vault, as_json=as_json)
    if answer is not None:
        show.history(parse(answer, shapes.MemoryHistoryDocument)["entries"])


@memory.command()
@_namespace
@vault_option
@json_option
def health(*, namespace: str | None, vault: str | None, as_json: bool) -> None:
    """Show contradictions, stale and orphaned memories, and doubles."""
    answer = _ask(asking.MemoryHealth(namespace), vault, as_json=as_json)
    if answer is not None:
        show.health(parse(answer, shapes.MemoryHealthDocument))
