"""Completion by shells: commands, notes by name or path, filters of a query and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from notewell.base.errors import NotewellError
from notewell.doors.cli.backends import backend_for
from notewell.doors.cli.options import Command, current_invocation

if TYPE_CHECKING:
    from notewell.contract.search import Completion

_HOW = {
    "bash": 'Add this line to ~/.bashrc: eval "$(notewell completion bash)"',
    "zsh": 'Add this line to ~/.zshrc, below compinit: eval "$(notewell completion zsh)"',
    "fish": "Save it: notewell completion fish > ~/.config/fish/completions/notewell.fish",
}


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(tuple(_HOW)))
def completion(shell: str) -> None:
    """Print what SHELL reads to complete commands, options, vaults, notes and filters."""
    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click has all that are offered
        raise click.UsageError(f"there is no completion for {shell}")
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "notewell", "_NOTEWELL_COMPLETE").source())
    current_invocation().say(_HOW[shell])


_MOST = 30


def complete_notes(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem[Any]]:
    """Notes whose path or title begins like the word."""
    suggestions = (*_ask(ctx, f"[[{incomplete}"), *_ask(ctx, f'path:"{incomplete}'))
    paths = dict.fromkeys(offer.path or offer.text for offer in suggestions if _is_note(offer))
    return [CompletionItem(path) for path in paths]


def complete_query(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem[Any]]:
    """Filters and their values, as `tag:garden`; plain words of a query are not completed."""
    sign = "-" if incomplete.startswith("-") else ""
    field = incomplete.removeprefix("-").partition(":")[0]
    if field not in FIELDS or ":" not in incomplete:
        begun = [name for name in sorted(FIELDS) if field and name.startswith(field)]
        return [CompletionItem(f"{sign}{name}:") for name in begun]
    suggestions = _ask(ctx, incomplete.removeprefix("-"))
    values = (offer.insert.strip() for offer in suggestions)
    return [
        CompletionItem(f"{sign}{value}")
        for value in values
        if " " not in value and '"' not in value
    ]


def _is_note(one: Completion) -> bool:
    return one.path is not None or (one.kind == "path" and not one.text.endswith("/"))


def _ask(ctx: click.Context, prefix: str) -> tuple[Completion, ...]:
    """Completions of the vault that the line names; none where there is no index or an error."""
    # Every command imports this module; the records of searches take a twentieth of its start.
    from notewell.contract.search import CompleteRequest  # noqa: PLC0415

    try:
        with backend_for(current_invocation(ctx), ctx.params.get("vault")) as (_, backend):
            return backend.answer(CompleteRequest(prefix=prefix, limit=_MOST)).completions
    except NotewellError:  # a shell that completes has no place for errors
        return ()


# Filters of a query whose values are completed.
FIELDS = frozenset(("tag", "path", "file", "type", "status"))


class Bash(BashComplete):
    """Bash with what its own script does not do.

    Bash splits words at colons, so `tag:gar` comes as three; and it puts what is completed into the
    line as it is, so blanks get a backslash, which `read` in the script would take out once.
    """

    _split = ""  # what bash took for a word of its own

    def get_completion_args(self) -> tuple[list[str], str]:
        """Join a filter with its value."""
        args, incomplete = super().get_completion_args()
        if incomplete == ":" and args:
            args, incomplete = [*args, ":"], ""
        if args[-1:] == [":"] and args[-2:-1] and args[-2].removeprefix("-") in FIELDS:
            self._split = f"{args[-2]}:"
            args, incomplete = args[:-2], f"{self._split}{incomplete}"
        return args, incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Without what bash has split off already, and with escaped blanks."""
        value = str(item.value).removeprefix(self._split).replace(" ", "\\\\ ")
        return f"{item.type},{value}"


add_completion_class(Bash)
