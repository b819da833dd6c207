"""`notewell config`: what is set, and where."""

from __future__ import annotations

import click

from notewell.cli.options import Group, invocation, json_option
from notewell.cli.output import emit_object, print_facts
from notewell.config.edit import settings_by_key


@click.group(cls=Group)
def config() -> None:
    """Show the configuration."""


@config.command("show")
@json_option
def show_config(as_json: bool) -> None:
    """Show every setting as it stands after all layers are merged."""
    values = settings_by_key(invocation().settings())
    if as_json:
        emit_object(values)
    else:
        print_facts([(key, _text(value)) for key, value in values.items()])


@config.command("path")
def config_path() -> None:
    """Print where the per-user configuration file is looked for."""
    click.echo(invocation().config_file())


def _text(value: object) -> str:
    if value is None:
        return "(automatic)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    return str(value)
