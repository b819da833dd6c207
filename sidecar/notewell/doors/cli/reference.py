"""The reference page of the command line, generated from the help of the commands."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from textwrap import wrap
from typing import TypeAlias

import click

from notewell.doors.cli.options import Command, json_option, vault_option

_WIDTH = 150
_SHARED_BY = 3  # commands of a group from which on an option is explained once
_HEAD = """\
# Command line

Generated from the commands; to generate it again: `notewell cli-reference > docs/cli.md`.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found (vault, note or index), 130 interrupted.
Results go to stdout, everything else to stderr. With `--json`, stdout is exactly one JSON
document; an error is one too: `{"error": code, "detail": message}`.

All commands take these options, before or after their names, but `--vault` and `--json` only where
a heading has them:
"""


@click.command("cli-reference", cls=Command, hidden=True)
def reference() -> None:
    """Print this reference as Markdown."""
    root = click.get_current_context().find_root().command
    click.echo(reference_page(root), nl=False)


@click.command(cls=Command)
@vault_option
@json_option
def _example() -> None:
    """A command that has the common options alone."""


def reference_page(root: click.Command) -> str:
    """Return the page for `root` and everything under it."""
    context = click.Context(root, info_name=root.name, help_option_names=["-h", "--help"])
    common = click.Context(_example, help_option_names=["-h", "--help"])
    lines = [_HEAD, *_explain(_example.get_params(common), common), ""]
    lines += [*_text(root.help), "", *_code(root.epilog), ""]
    for command in _commands(context):
        lines += [*_section(command, "##", {}), ""]
        inner = list(_commands(command))
        shared = _shared_options(inner)
        plain = [command for command in inner if not _own(command).keys() - shared.keys()]
        if plain:
            lines += [
                *_list((_usage(context, ()), context.command.help or "") for context in plain),
                "",
            ]
        if shared:
            lines += ["Options of several of these commands:", *_list(shared), ""]
        for inner_command in inner:
            if inner_command not in plain:
                lines += [*_section(inner_command, "###", shared), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


# Names of options with their metavars, and their help texts, in the order of the help.
Records: TypeAlias = "Mapping[tuple[str, str], object]"


def _section(context: click.Context, level: str, shared: Records) -> Iterator[str]:
    """A command as its usage, its text, and the options that are explained nowhere else."""
    own = [record for record in _own(context) if record not in shared]
    yield f"{level} {_usage(context, [name for names, _ in own for name in names.split()])}"
    yield from _text(context.command.help)
    yield from _list(own)


def _usage(context: click.Context, explained: Collection[str]) -> str:
    """The command line, with the options that are not `explained` below it."""
    words = [context.command_path]
    for param in context.command.params:
        name = max(param.opts, key=len)
        if not isinstance(param, click.Option):
            words.append(param.make_metavar(context))
        elif param.required or name not in explained:
            words.append(name if param.required else f"[{name}]")
    return " ".join(words)


def _commands(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield inner
        if context.parent is not None:
            yield from _commands(inner)


def _own(context: click.Context) -> Records:
    """The records of a command's options but `--vault` and `--json`, in their order."""
    common = {"--vault", "--json"}
    params = (param for param in context.command.params if not common.intersection(param.opts))
    options = (param for param in params if isinstance(param, click.Option))
    records = (option.get_help_record(context) for option in options)
    return dict.fromkeys(record for record in records if record is not None)


def _shared_options(commands: Iterable[click.Context]) -> Records:
    """The options that several commands of a group have with the same text, each name once."""
    counts = Counter(record for command in commands for record in _own(command))
    usual = {record[0]: record for record, _ in reversed(counts.most_common())}
    return {
        record: count
        for record, count in counts.items()
        if count >= _SHARED_BY and usual[record[0]] == record
    }


def _explain(params: Iterable[click.Parameter], context: click.Context) -> Iterator[str]:
    records = (param.get_help_record(context) for param in params)
    yield from _list(record for record in records if record is not None)


def _list(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    for names, text in records:
        yield f"- `{names}`: {' '.join(text.split())}"


def _text(text: str | None) -> list[str]:
    words = " ".join(inspect.cleandoc(text or "").split())
    return wrap(words, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _code(text: str | None) -> list[str]:
    head, _, rest = (text or "").replace("\b\n", "").partition("\n")
    return [head, "", "```text", *rest.rstrip().splitlines(), "```"]
