"""`notewell memory`: memories of assistants and people, kept as notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from notewell.api.commands import (
    Command,
    Say,
    Table,
    TextLine,
    answer,
    asking,
    clean_lines,
    current_invocation,
    group,
    json_option,
    print_facts,
    printer,
    request_argument,
    request_option,
    request_options,
    vault_option,
)
from notewell.doors.cli.asking import Option
from notewell.features.memory.requests import (
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryChangedReply,
    MemoryContext,
    MemoryForgottenReply,
    MemoryHealth,
    MemoryHealthReply,
    MemoryHistory,
    MemoryInspectReply,
    MemoryOutcome,
    RecallMemories,
    RecallReply,
    RelateMemories,
    RelationView,
    StoreMemory,
    UnrelateMemories,
)


def _show_change(done: str) -> Callable[[MemoryChangedReply], None]:
    """A function that shows a memory after a change; `done` is what the change did to it."""

    def shown(reply: MemoryChangedReply) -> None:
        memory = reply.memory
        undo = f"; `notewell undo {reply.undo}` undoes it" if reply.undo else ""
        what = "nothing changed" if reply.existing else done
        golden = ", a golden rule" if memory.golden else ""
        click.echo(f"{memory.id}  {clean_lines(memory.path)}")
        current_invocation().say(f"{what}: confidence {memory.confidence:g}{golden}{undo}")

    return shown


@click.command(cls=Command)
@request_argument(StoreMemory, "content", "CONTENT")
@request_options(StoreMemory, "type", "namespace", "importance", "provenance", "title")
@vault_option
@json_option
def store(*, content: str, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Store CONTENT (- reads it from stdin). The same content is stored only once."""
    text = sys.stdin.read() if content == "-" else content
    answer(vault, StoreMemory(text, **fields), _show_change("stored"), as_json=as_json)


@click.command(cls=Command)
@request_argument(RecallMemories, "query", "QUERY")
@request_option(RecallMemories, "namespace", metavar="NAME")
@request_options(RecallMemories, "type", "limit", "depth", "notes")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@vault_option
@json_option
def recall(*, explain: bool, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Find memories and notes relevant to QUERY."""

    def shown(reply: RecallReply) -> None:
        _show_recalled(reply, explain=explain)

    answer(vault, RecallMemories(**fields), shown, as_json=as_json)


def _show_recalled(reply: RecallReply, *, explain: bool) -> None:
    """Show what was found, best first."""
    for recalled in reply.memories:
        memory = recalled.memory
        about = f"{memory.type}, confidence {memory.confidence:g}"
        click.echo(f"{recalled.score:.2f}  {memory.id}  {clean_lines(memory.path)} ({about})")
        click.echo(_indent(memory.content))
        for word, ids in (
            ("superseded by", recalled.superseded_by),
            ("contradicted by", recalled.contradicted_by),
        ):
            if ids:
                click.echo(_indent(f"{word} {', '.join(ids)}"))
        if explain:
            click.echo(_indent(recalled.why))
    for note in reply.notes:
        click.echo(f"{note.score:.2f}  {clean_lines(note.path)}:{note.line}")
        click.echo(_indent(note.snippet))
        if note.memories:
            linked = ", ".join(f"{memory.id} ({memory.kind})" for memory in note.memories)
            click.echo(_indent(f"linked with {linked}"))
    _say_warnings(reply)
    printer(Say("{memories:count} of {total} memories, {notes:count} notes"))(reply)


def _indent(text: str) -> str:
    return "\n".join(f"      {line}" for line in clean_lines(text).splitlines())


@click.command(cls=Command)
@click.argument("memories", metavar="MEMORY...", nargs=-1, required=True)
@request_options(ForgetMemory, "force")
@vault_option
@json_option
def forget(*, memories: tuple[str, ...], vault: str | None, as_json: bool, **fields: Any) -> None:
    """Delete each MEMORY and its note; `notewell undo` restores one."""
    named: dict[str, Any] = {"id": memories[0]} if len(memories) == 1 else {"ids": memories}
    answer(vault, ForgetMemory(**named, **fields), _show_forgotten, as_json=as_json)


def _show_forgotten(reply: MemoryForgottenReply) -> None:
    """Show which notes were deleted, and which memories were not."""
    for memory in reply.forgotten:
        click.echo(clean_lines(memory.path))
        current_invocation().say(f"deleted; `notewell undo {memory.undo}` restores it")
    for named in reply.protected_ids:
        current_invocation().say(f"{named} is a golden rule and stays; --force deletes it")
    for named in reply.missing_ids:
        current_invocation().say(f"there is no memory {clean_lines(named)}")


def _show_inspected(reply: MemoryInspectReply) -> None:
    memory = reply.memory
    click.echo(f"{clean_lines(memory.content)}\n")
    facts = [
        ("id", memory.id),
        ("path", memory.path),
        ("type", memory.type),
        ("namespace", memory.namespace),
        ("importance", f"{memory.importance:g}"),
        ("confidence", f"{memory.confidence:g}"),
        ("provenance", memory.provenance or "-"),
        ("created", memory.created or "-"),
        ("accessed", memory.accessed or "-"),
        ("used", f"{memory.access_count} times"),
    ]
    facts += [(relation.kind, _target(relation)) for relation in memory.relations]
    facts += [(f"{view.kind} it", view.target) for view in reply.related_from]
    print_facts(facts)
    for warning in memory.warnings:
        current_invocation().say(warning)
    click.echo()


def _target(relation: RelationView) -> str:
    path = relation.path or f"{relation.target} (gone)"
    return path if relation.weight == 1 else f"{path} ({relation.weight:g})"


def _history(field: str) -> Table:
    return Table(
        field,
        {
            "when": "{at}",
            "what": "{kind}",
            "confidence": lambda one: (
                "" if one.after is None else f"{one.before:g} -> {one.after:g}"
            ),
            "memory": "{title}",
            "comment": "{comment}",
        },
    )


def _ailing(reply: MemoryHealthReply) -> Iterator[tuple[str, str, str]]:
    for pair in reply.contradictions:
        yield "contradiction", f"{pair.one} and {pair.other}", pair.reason
    for word, ailing in (
        ("stale", reply.stale),
        ("orphaned", reply.orphaned),
        ("duplicate", reply.doubles),
        ("unreadable", reply.unreadable),
    ):
        yield from ((word, memory.path, memory.reason) for memory in ailing)


def _health_in_words(reply: MemoryHealthReply) -> str:
    average = reply.average_confidence
    return (
        f"{reply.total} memories, {reply.golden} golden rules, average confidence"
        f" {'-' if average is None else f'{average:.2f}'}; {len(list(_ailing(reply)))} to look at"
    )


def _say_warnings(reply: Any) -> None:
    for warning in reply.warnings:
        current_invocation().say(warning)


_NAMESPACE = Option("namespace", attributes={"metavar": "NAME"})

memory = group(
    "memory",
    """Store memories, as notes in a folder of the vault.

    The folder is chosen by the setting `memory.folder`; without it nothing is written. A memory
    begins with a confidence of 0.3, which `memory outcome` raises or lowers. Its note may be
    edited, moved and deleted by hand.
    """,
    store,
    recall,
    asking(
        "context",
        MemoryContext,
        "Print what an assistant should know about QUERY, golden rules first.",
        TextLine("{text}"),
        _say_warnings,
        Say(
            "{memories:count} memories, {tokens} of {budget_tokens} tokens;"
            " {left_out:count} left out"
        ),
        arguments={"query": "QUERY"},
        options=(_NAMESPACE, Option("budget_tokens", ("--budget",)), "depth"),
    ),
    asking(
        "apply",
        ApplyMemory,
        "Report that MEMORY (id, path or name) is being used.",
        _show_change("applied"),
        arguments={"id": "MEMORY"},
        options=("comment",),
    ),
    asking(
        "outcome",
        MemoryOutcome,
        "Report whether MEMORY helped: +0.1 or -0.15 confidence. At 0.9 it becomes a golden rule.",
        _show_change("recorded"),
        arguments={"id": "MEMORY"},
        options=(Option("helped", ("--helped/--failed",)), "comment"),
    ),
    forget,
    asking(
        "relate",
        RelateMemories,
        "Record how the memory SOURCE is related to TARGET, a memory or a note.",
        _show_change("related"),
        arguments={"source": "SOURCE", "target": "TARGET"},
        options=("kind", "weight"),
    ),
    asking(
        "unrelate",
        UnrelateMemories,
        "Remove a relation from SOURCE to TARGET.",
        _show_change("no longer related"),
        arguments={"source": "SOURCE", "target": "TARGET"},
        options=("kind",),
    ),
    asking(
        "inspect",
        InspectMemory,
        "Show everything about MEMORY.",
        _show_inspected,
        _history("history"),
        arguments={"id": "MEMORY"},
    ),
    asking(
        "list",
        ListMemories,
        "List the stored memories.",
        Table(
            "memories",
            {
                "id": "{id}",
                "type": "{type}",
                "namespace": "{namespace}",
                ">confidence": "{confidence:g}",
                ">importance": "{importance:g}",
                ">used": "{access_count}",
                "title": "{title}",
            },
        ),
        _say_warnings,
        Say("{memories:count} of {total} memories"),
        options=(_NAMESPACE, "type", "order", "limit"),
    ),
    asking(
        "history",
        MemoryHistory,
        "Show what was reported about MEMORY, or about all memories, newest first.",
        _history("entries"),
        arguments={"id": "MEMORY"},
        options=("limit",),
    ),
    asking(
        "health",
        MemoryHealth,
        "Show contradictory, stale, orphaned and duplicate memories.",
        Table(_ailing, {"what": "{0}", "memory": "{1}", "why": "{2}"}),
        Say(_health_in_words),
        options=(_NAMESPACE,),
    ),
)
