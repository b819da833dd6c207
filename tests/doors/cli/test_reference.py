"""docs/cli.md equals the reference generated from the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from notewell.doors.cli.app import cli
from notewell.doors.cli.reference import reference_page

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(cli), (
        "write it anew: notewell cli-reference > docs/cli.md"
    )


@pytest.mark.parametrize("command", list(commands(cli)), ids=lambda command: str(command.name))
def test_every_command_and_option_has_help(command: click.Command) -> None:
    assert command.help
    for param in command.params:
        assert not isinstance(param, click.Option) or param.help, param.name
