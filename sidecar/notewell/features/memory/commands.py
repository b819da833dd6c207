"""`notewell memory`: memories of assistants and people, kept as notes of the vault."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from notewell.doors.cli.backend import answer
from notewell.doors.cli.options import Group, json_option, vault_option
from notewell.doors.cli.request_options import request_argument, request_option, request_options
from notewell.features.memory import output as show
from notewell.features.memory.requests import (
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryContext,
    MemoryHealth,
    MemoryHistory,
    MemoryOutcome,
    RecallMemories,
    RelateMemories,
    StoreMemory,
    UnrelateMemories,
)


@click.group(cls=Group)
def memory() -> None:
    """Store memories, as notes in a folder of the vault.

    The folder is chosen by the setting `memory.folder`; without it nothing is written. A memory
    begins with a confidence of 0.3, which `memory outcome` raises or lowers. Its note may be
    edited, moved and deleted by hand.
    """


@memory.command()
@request_argument(StoreMemory, "content", "CONTENT")
@request_options(StoreMemory, "type", "namespace", "importance", "provenance", "title")
@vault_option
@json_option
def store(*, content: str, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Store CONTENT (- reads it from stdin). The same content is stored only once."""
    text = sys.stdin.read() if content == "-" else content
    stored = partial(show.changed, done="stored")
    answer(vault, StoreMemory(text, **fields), stored, as_json=as_json)


@memory.command()
@request_argument(RecallMemories, "query", "QUERY")
@request_option(RecallMemories, "namespace", metavar="NAME")
@request_options(RecallMemories, "type", "limit", "depth", "notes")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@vault_option
@json_option
def recall(*, explain: bool, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Find memories and notes relevant to QUERY."""
    recalled = partial(show.recalled, explain=explain)
    answer(vault, RecallMemories(**fields), recalled, as_json=as_json)


@memory.command()
@request_argument(MemoryContext, "query", "QUERY")
@request_option(MemoryContext, "namespace", metavar="NAME")
@request_option(MemoryContext, "budget_tokens", "--budget")
@request_options(MemoryContext, "depth")
@vault_option
@json_option
def context(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Print what an assistant should know about QUERY, golden rules first."""
    answer(vault, MemoryContext(**fields), show.context, as_json=as_json)


@memory.command()
@request_argument(ApplyMemory, "id", "MEMORY")
@request_options(ApplyMemory, "comment")
@vault_option
@json_option
def apply(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Report that MEMORY (id, path or name) is being used."""
    applied = partial(show.changed, done="applied")
    answer(vault, ApplyMemory(**fields), applied, as_json=as_json)


@memory.command()
@request_argument(MemoryOutcome, "id", "MEMORY")
@request_option(MemoryOutcome, "helped", "--helped/--failed")
@request_options(MemoryOutcome, "comment")
@vault_option
@json_option
def outcome(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Report whether MEMORY helped: +0.1 or -0.15 confidence. At 0.9 it becomes a golden rule."""
    judged = partial(show.changed, done="recorded")
    answer(vault, MemoryOutcome(**fields), judged, as_json=as_json)


@memory.command()
@click.argument("memories", metavar="MEMORY...", nargs=-1, required=True)
@request_options(ForgetMemory, "force")
@vault_option
@json_option
def forget(*, memories: tuple[str, ...], vault: str | None, as_json: bool, **fields: Any) -> None:
    """Delete each MEMORY and its note; `notewell undo` restores one."""
    named: dict[str, Any] = {"id": memories[0]} if len(memories) == 1 else {"ids": memories}
    answer(vault, ForgetMemory(**named, **fields), show.forgotten, as_json=as_json)


@memory.command()
@request_argument(RelateMemories, "source", "SOURCE")
@request_argument(RelateMemories, "target", "TARGET")
@request_options(RelateMemories, "kind", "weight")
@vault_option
@json_option
def relate(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Record how the memory SOURCE is related to TARGET, a memory or a note."""
    related = partial(show.changed, done="related")
    answer(vault, RelateMemories(**fields), related, as_json=as_json)


@memory.command()
@request_argument(UnrelateMemories, "source", "SOURCE")
@request_argument(UnrelateMemories, "target", "TARGET")
@request_options(UnrelateMemories, "kind")
@vault_option
@json_option
def unrelate(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Remove a relation from SOURCE to TARGET."""
    unrelated = partial(show.changed, done="no longer related")
    answer(vault, UnrelateMemories(**fields), unrelated, as_json=as_json)


@memory.command()
@request_argument(InspectMemory, "id", "MEMORY")
@vault_option
@json_option
def inspect(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Show everything about MEMORY."""
    answer(vault, InspectMemory(**fields), show.inspected, as_json=as_json)


@memory.command("list")
@request_option(ListMemories, "namespace", metavar="NAME")
@request_options(ListMemories, "type", "order", "limit")
@vault_option
@json_option
def list_(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the stored memories."""
    answer(vault, ListMemories(**fields), show.listed, as_json=as_json)


@memory.command()
@request_argument(MemoryHistory, "id", "MEMORY")
@request_options(MemoryHistory, "limit")
@vault_option
@json_option
def history(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Show what was reported about MEMORY, or about all memories, newest first."""
    answer(vault, MemoryHistory(**fields), show.history, as_json=as_json)


@memory.command()
@request_option(MemoryHealth, "namespace", metavar="NAME")
@vault_option
@json_option
def health(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Show contradictory, stale, orphaned and duplicate memories."""
    answer(vault, MemoryHealth(**fields), show.health, as_json=as_json)
