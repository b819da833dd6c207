"""`notewell undo`: taking back what Notewell wrote to a vault."""

from __future__ import annotations

import click

from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.documents_memory import UndoneDocument, WritesDocument
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import clean_lines, emit, print_table
from notewell.contract.writes import UndoRequest, WritesRequest


@click.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--list", "listing", is_flag=True, help="Show what can be taken back.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Most to show.",
)
@vault_option
@json_option
def undo(
    *, number: int | None, listing: bool, limit: int, vault: str | None, as_json: bool
) -> None:
    """Take back what was written to the vault: the write NUMBER, or the newest.

    A note that was changed since is left alone. Undoing is a write too, and can be taken back.
    """
    with answers(invocation(), vault) as (_, source):
        document = source.document(WritesRequest(limit) if listing else UndoRequest(number))
    if as_json:
        emit(document)
    elif listing:
        _print(parse(document, WritesDocument))
    else:
        done = parse(document, UndoneDocument)
        click.echo(clean_lines(done["path"]))
        again = f"; `notewell undo {done['undo']}` does it again" if done["undo"] else ""
        invocation().say(f"as it was before{again}")


def _print(document: WritesDocument) -> None:
    rows = [
        (
            str(one["number"]),
            one["at"] or "",
            f"{one['action']}{' (undone)' if one['undone'] else ''}",
            one["path"],
        )
        for one in document["writes"]
    ]
    if rows:
        print_table(("number", "when", "what", "note"), rows, right=("number",))
    invocation().say(f"{len(rows)} writes")
