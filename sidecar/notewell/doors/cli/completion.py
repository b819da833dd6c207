"""`notewell completion`: what a shell needs to complete commands, vaults, notes and tags."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from notewell.doors.cli.options import Command, current_invocation

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
