"""`notewell undo`: takes back what Notewell wrote to a vault."""

from __future__ import annotations

import click

from notewell.api.commands import (
    Command,
    Say,
    Table,
    answer,
    clean_lines,
    current_invocation,
    json_option,
    printer,
    request_argument,
    request_options,
    vault_option,
)
from notewell.features.writes.requests import UndoneReply, UndoRequest, WritesRequest, WriteView


def _action(write: WriteView) -> str:
    return f"{write.action} (undone)" if write.undone else write.action


_show_writes = printer(
    Table(
        "writes", {">number": "{number}", "when": "{at:time}", "what": _action, "note": "{path}"}
    ),
    Say("{writes:count write}"),
)


@click.command(cls=Command)
@request_argument(UndoRequest, "number", "NUMBER")
@click.option("--list", "listing", is_flag=True, help="List what can be undone.")
@request_options(WritesRequest, "limit")
@vault_option
@json_option
def undo(
    *, number: int | None, listing: bool, limit: int, vault: str | None, as_json: bool
) -> None:
    """Undo what was written to the vault: the write NUMBER, or the newest.

    Writes that were made together are undone together. A note that was changed since is left
    alone. Undoing is a write too, and can be undone.
    """
    if listing:
        answer(vault, WritesRequest(limit), _show_writes, as_json=as_json)
    else:
        answer(vault, UndoRequest(number), _show_undone, as_json=as_json)


def _show_undone(undone: UndoneReply) -> None:
    for path in undone.paths:
        click.echo(clean_lines(path))
    for write in undone.refused:
        current_invocation().say(clean_lines(write.why))
    again = f" (redo: `notewell undo {undone.undo}`)" if undone.undo else ""
    current_invocation().say(f"undone{again}")
