"""The reference page of the command line, generated from the help of the commands."""

from __future__ import annotations

from collections.abc import Iterator

import click

from notewell.cli.options import Command

_WIDTH = 90
_HEAD = """\
# Command line

Generated from `--help`; to generate it again: `notewell cli-reference > docs/cli.md`.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found (vault, note or index), 130 interrupted.
Results go to stdout, everything else to stderr. With `--json`, stdout is exactly one JSON
document; an error is one too: `{"error": code, "detail": message}`.
"""


@click.command("cli-reference", cls=Command, hidden=True)
def reference() -> None:
    """Print this reference as Markdown."""
    root = click.get_current_context().find_root().command
    click.echo(reference_page(root), nl=False)


def reference_page(root: click.Command) -> str:
    """Return the page for `root` and everything under it."""
    name = root.name or ""
    context = click.Context(
        root, info_name=name, terminal_width=_WIDTH, help_option_names=["-h", "--help"]
    )
    sections = [_HEAD, *(_section(ctx) for ctx in _walk(context))]
    return "\n".join(sections)


def _walk(ctx: click.Context) -> Iterator[click.Context]:
    yield ctx
    if not isinstance(ctx.command, click.Group):
        return
    for name in ctx.command.list_commands(ctx):
        command = ctx.command.get_command(ctx, name)
        if command is not None and not command.hidden:
            yield from _walk(
                click.Context(command, info_name=name, parent=ctx, terminal_width=_WIDTH)
            )


def _section(ctx: click.Context) -> str:
    level = "##" if ctx.parent is None or ctx.parent.parent is None else "###"
    return f"{level} {ctx.command_path}\n\n```text\n{ctx.get_help()}\n```\n"
