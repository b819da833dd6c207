"""Memories on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click

from notewell.cli import documents_memory as shapes
from notewell.cli.options import invocation
from notewell.cli.output import clean_lines, print_facts, print_table


def changed(document: shapes.MemoryChangedDocument, done: str) -> None:
    """Say what became of a memory."""
    memory = document["memory"]
    undo = f"; `notewell undo {document['undo']}` takes it back" if document["undo"] else ""
    what = "was so already" if document["existing"] else done
    golden = ", a golden rule" if memory["golden"] else ""
    click.echo(f"{memory['id']}  {clean_lines(memory['path'])}")
    invocation().say(f"{what}: confidence {memory['confidence']:g}{golden}{undo}")


def forgotten(document: shapes.MemoryForgottenDocument) -> None:
    """Say that a memory is gone."""
    click.echo(clean_lines(document["path"]))
    invocation().say(f"forgotten; `notewell undo {document['undo']}` brings it back")


def recalled(document: shapes.RecallDocument, *, explain: bool) -> None:
    """Show what was found, best first."""
    for found in document["memories"]:
        memory = found["memory"]
        about = f"{memory['type']}, confidence {memory['confidence']:g}"
        click.echo(f"{found['score']:.2f}  {memory['id']}  {clean_lines(memory['path'])} ({about})")
        click.echo(_indented(memory["content"]))
        for word, ids in (
            ("superseded by", found["superseded_by"]),
            ("contradicted by", found["contradicted_by"]),
        ):
            if ids:
                click.echo(_indented(f"{word} {', '.join(ids)}"))
        if explain:
            click.echo(_indented(found["why"]))
    _warn(document["warnings"])
    invocation().say(f"{len(document['memories'])} of {document['total']} memories")


def context(document: shapes.MemoryContextDocument) -> None:
    """Print the text itself."""
    click.echo(clean_lines(document["text"]))
    _warn(document["warnings"])
    invocation().say(
        f"{len(document['memories'])} memories, {document['tokens']} of"
        f" {document['budget_tokens']} tokens; {len(document['left_out'])} had no room"
    )


def inspected(document: shapes.MemoryInspectDocument) -> None:
    """Show everything about a memory."""
    memory = document["memory"]
    click.echo(f"{clean_lines(memory['content'])}\n")
    facts = [(name, f"{memory[name] or ''}") for name in ("id", "path", "type", "namespace")]
    facts += [(name, f"{memory[name]:g}") for name in ("importance", "confidence")]
    facts += [(name, memory[name] or "-") for name in ("provenance", "created", "accessed")]
    facts.append(("used", f"{memory['access_count']} times"))
    facts += [(one["kind"], _target(one)) for one in memory["relations"]]
    facts += [(f"{one['kind']} it", one["target"]) for one in document["related_from"]]
    print_facts(facts)
    _warn(memory["warnings"])
    click.echo()
    history(document["history"])


def listed(document: shapes.MemoryListDocument) -> None:
    """Show memories, a line each."""
    rows = [
        (
            one["id"],
            one["type"],
            one["namespace"],
            f"{one['confidence']:g}",
            f"{one['importance']:g}",
            f"{one['access_count']}",
            one["title"],
        )
        for one in document["memories"]
    ]
    if rows:
        headings = ("id", "type", "namespace", "confidence", "importance", "used", "title")
        print_table(headings, rows, right=("confidence", "importance", "used"))
    _warn(document["warnings"])
    invocation().say(f"{len(rows)} of {document['total']} memories")


def history(entries: Sequence[shapes.ValidationDocument]) -> None:
    """Show what was said of memories."""
    rows = [
        (
            one["at"],
            one["kind"],
            "" if one["after"] is None else f"{one['before']:g} -> {one['after']:g}",
            one["title"],
            one["comment"],
        )
        for one in entries
    ]
    if rows:
        print_table(("when", "what", "confidence", "memory", "comment"), rows)


def health(document: shapes.MemoryHealthDocument) -> None:
    """Show what a person should look at."""
    rows = [
        ("contradiction", f"{one['one']} and {one['other']}", one["reason"])
        for one in document["contradictions"]
    ]
    for word, ailing in (
        ("stale", document["stale"]),
        ("orphaned", document["orphaned"]),
        ("double", document["doubles"]),
        ("unreadable", document["unreadable"]),
    ):
        rows += [(word, one["path"], one["reason"]) for one in ailing]
    if rows:
        print_table(("what", "memory", "why"), rows)
    average = document["average_confidence"]
    invocation().say(
        f"{document['total']} memories, {document['golden']} golden rules, average confidence"
        f" {'-' if average is None else f'{average:.2f}'}; {len(rows)} to look at"
    )


def _target(relation: shapes.RelationDocument) -> str:
    path = relation["path"] or f"{relation['target']} (gone)"
    return path if relation["weight"] == 1 else f"{path} ({relation['weight']:g})"


def _indented(text: str) -> str:
    return "\n".join(f"      {line}" for line in clean_lines(text).splitlines())


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        invocation().say(warning)
