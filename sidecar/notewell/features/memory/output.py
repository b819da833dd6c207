"""How memories are printed on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click

from notewell.doors.cli.options import current_invocation
from notewell.doors.cli.output import clean_lines, print_facts, print_table
from notewell.features.memory.requests import (
    MemoryChangedReply,
    MemoryContextReply,
    MemoryForgottenReply,
    MemoryHealthReply,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    RecallReply,
    RelationView,
    ValidationView,
)


def changed(reply: MemoryChangedReply, done: str) -> None:
    """Show a memory after a change; `done` is what the change did to it."""
    memory = reply.memory
    undo = f"; `notewell undo {reply.undo}` undoes it" if reply.undo else ""
    what = "nothing changed" if reply.existing else done
    golden = ", a golden rule" if memory.golden else ""
    click.echo(f"{memory.id}  {clean_lines(memory.path)}")
    current_invocation().say(f"{what}: confidence {memory.confidence:g}{golden}{undo}")


def forgotten(reply: MemoryForgottenReply) -> None:
    """Show which notes were deleted, and which memories were not."""
    for one in reply.forgotten:
        click.echo(clean_lines(one.path))
        current_invocation().say(f"deleted; `notewell undo {one.undo}` restores it")
    for named in reply.protected_ids:
        current_invocation().say(f"{named} is a golden rule and stays; --force deletes it")
    for named in reply.missing_ids:
        current_invocation().say(f"there is no memory {clean_lines(named)}")


def recalled(reply: RecallReply, *, explain: bool) -> None:
    """Show what was found, best first."""
    for found in reply.memories:
        memory = found.memory
        about = f"{memory.type}, confidence {memory.confidence:g}"
        click.echo(f"{found.score:.2f}  {memory.id}  {clean_lines(memory.path)} ({about})")
        click.echo(_indented(memory.content))
        for word, ids in (
            ("superseded by", found.superseded_by),
            ("contradicted by", found.contradicted_by),
        ):
            if ids:
                click.echo(_indented(f"{word} {', '.join(ids)}"))
        if explain:
            click.echo(_indented(found.why))
    for note in reply.notes:
        click.echo(f"{note.score:.2f}  {clean_lines(note.path)}:{note.line}")
        click.echo(_indented(note.snippet))
        if note.memories:
            linked = ", ".join(f"{one.id} ({one.kind})" for one in note.memories)
            click.echo(_indented(f"linked with {linked}"))
    _warn(reply.warnings)
    current_invocation().say(
        f"{len(reply.memories)} of {reply.total} memories, {len(reply.notes)} notes"
    )


def context(reply: MemoryContextReply) -> None:
    """Print the text for an assistant."""
    click.echo(clean_lines(reply.text))
    _warn(reply.warnings)
    current_invocation().say(
        f"{len(reply.memories)} memories, {reply.tokens} of"
        f" {reply.budget_tokens} tokens; {len(reply.left_out)} left out"
    )


def inspected(reply: MemoryInspectReply) -> None:
    """Show everything about a memory."""
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
    facts += [(one.kind, _target(one)) for one in memory.relations]
    facts += [(f"{one.kind} it", one.target) for one in reply.related_from]
    print_facts(facts)
    _warn(memory.warnings)
    click.echo()
    _print_history(reply.history)


def listed(reply: MemoryListReply) -> None:
    """Show memories, one per line."""
    rows = [
        (
            one.id,
            one.type,
            one.namespace,
            f"{one.confidence:g}",
            f"{one.importance:g}",
            f"{one.access_count}",
            one.title,
        )
        for one in reply.memories
    ]
    if rows:
        headings = ("id", "type", "namespace", "confidence", "importance", "used", "title")
        print_table(headings, rows, right=("confidence", "importance", "used"))
    _warn(reply.warnings)
    current_invocation().say(f"{len(rows)} of {reply.total} memories")


def history(reply: MemoryHistoryReply) -> None:
    """Show what was reported about memories."""
    _print_history(reply.entries)


def _print_history(entries: Sequence[ValidationView]) -> None:
    rows = [
        (
            one.at,
            one.kind,
            "" if one.after is None else f"{one.before:g} -> {one.after:g}",
            one.title,
            one.comment,
        )
        for one in entries
    ]
    if rows:
        print_table(("when", "what", "confidence", "memory", "comment"), rows)


def health(reply: MemoryHealthReply) -> None:
    """Show the memories that need attention."""
    rows = [
        ("contradiction", f"{one.one} and {one.other}", one.reason) for one in reply.contradictions
    ]
    for word, ailing in (
        ("stale", reply.stale),
        ("orphaned", reply.orphaned),
        ("duplicate", reply.doubles),
        ("unreadable", reply.unreadable),
    ):
        rows += [(word, one.path, one.reason) for one in ailing]
    if rows:
        print_table(("what", "memory", "why"), rows)
    average = reply.average_confidence
    current_invocation().say(
        f"{reply.total} memories, {reply.golden} golden rules, average confidence"
        f" {'-' if average is None else f'{average:.2f}'}; {len(rows)} to look at"
    )


def _target(relation: RelationView) -> str:
    path = relation.path or f"{relation.target} (gone)"
    return path if relation.weight == 1 else f"{path} ({relation.weight:g})"


def _indented(text: str) -> str:
    return "\n".join(f"      {line}" for line in clean_lines(text).splitlines())


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        current_invocation().say(warning)
