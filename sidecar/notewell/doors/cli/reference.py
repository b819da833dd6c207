"""The reference page of the command line, generated from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from notewell.doors.cli.options import SHARED, Command, json_option, vault_option

_WIDTH = 90
_HEAD = """\
# Command line

Generated from `--help`; to generate it again: `notewell cli-reference > docs/cli.md`.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found (vault, note or index), 130 interrupted.
Results go to stdout, everything else to stderr. With `--json`, stdout is exactly one JSON
document; an error is one too: `{"error": code, "detail": message}`.

All commands take these options, before or after their names; `--vault` and `--json` only those that
list them.

```text
{common}
```
"""
# Explained once, at the top of the page; commands say which of the first two they take.
_COMMON = ("--vault", "--json", "-h,", *(option.opts[0] for option in SHARED))


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
    head = _HEAD.replace("{common}", _common_options())
    return "\n".join([head, *(_section(ctx) for ctx in _walk(context))])


@click.command(cls=Command)
@vault_option
@json_option
def _example() -> None:
    """A command that has the common options alone."""


def _common_options() -> str:
    context = click.Context(_example, terminal_width=_WIDTH, help_option_names=["-h", "--help"])
    formatter = context.make_formatter()
    records = [one.get_help_record(context) for one in _example.get_params(context)]
    formatter.write_dl([one for one in records if one is not None])
    return formatter.getvalue().rstrip("\n")


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
    return f"{level} {ctx.command_path}\n\n```text\n{_own(ctx.get_help())}\n```\n"


def _own(text: str) -> str:
    """The help of a command without what the top of the page explains."""
    text = text.partition("\n\nShared options:\n")[0]
    head, options, rest = text.partition("\n\nOptions:\n")
    own, gap, after = rest.partition("\n\n")
    records = re.split(r"\n(?=  -)", own)
    kept = [one for one in records if not one.lstrip().startswith(_COMMON)]
    named = [name for name in _COMMON[:2] if any(one.lstrip().startswith(name) for one in records)]
    if named:
        kept.append(f"  {', '.join(named)}")
    return head + (options + "\n".join(kept) if kept else "") + gap + after
