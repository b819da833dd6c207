"""The `notewell` command: its groups, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Sequence
from copy import copy
from typing import Any, NoReturn

import click

import notewell.doors.cli.completion  # noqa: F401 - registers our way to complete in bash
from notewell import API_VERSION, __version__
from notewell.base.errors import NotewellError
from notewell.doors.cli.options import (
    JSON_FLAGS,
    SHARED,
    Group,
    current_invocation,
    expect_json,
    runnable,
)
from notewell.doors.cli.output import emit_object, print_error
from notewell.engine.feature import Feature, commands, load
from notewell.features import FEATURES

PROJECT = "Notewell for Obsidian"  # distinguishes our program from others called notewell
_INTERRUPTED = 130  # 128 + SIGINT, as shells count


# In the order of use: what `--help` shows, then what is in a group. Each is loaded when it is
# needed: loading all of them takes longer than an answer.
_SHOWN = ("Commands", "Groups of commands")
SECTIONS = {
    "Commands": {
        "search": "notewell.doors.cli.search:search",
        "similar": "notewell.doors.cli.search:similar",
        "index": "notewell.doors.cli.index:index",
        "serve": "notewell.doors.cli.serve:serve",
        "demo": "notewell.doors.cli.serve:demo",
        "mcp": "notewell.doors.cli.mcp:mcp",
        "status": "notewell.doors.cli.status:status",
    },
    "Groups of commands": {
        "vaults": "notewell.doors.cli.vaults:vaults",
        "models": "notewell.doors.cli.models:models",
        "config": "notewell.doors.cli.installation:config",
    },
    "status": {
        "ledger": "notewell.doors.cli.status:ledger",
        "stats": "notewell.doors.cli.status:stats",
        "queue": "notewell.doors.cli.index:queue",
    },
    "vaults": {},
    "garden": {},
    "improve": {
        "verdict": "notewell.doors.cli.past_searches:verdict",
        "log": "notewell.doors.cli.past_searches:log",
    },
    "devices": {"token": "notewell.doors.cli.tokens:token"},
    "system": {
        "doctor": "notewell.doors.cli.installation:doctor",
        "features": "notewell.doors.cli.features:features",
        "plugin": "notewell.doors.cli.plugin:plugin",
        "service": "notewell.doors.cli.service:service",
        "completion": "notewell.doors.cli.completion:completion",
    },
}
_GROUPS = {
    "improve": "Past searches, verdicts, and how good the search is.",
    "devices": "Let phones, browsers and programs in.",
    "system": "Check, keep running, back up and move this installation.",
}
_HIDDEN = {"cli-reference": "notewell.doors.cli.reference:reference"}
_EXAMPLES = """\b
Example: notewell search slugs at night -snails    (without those on snails)
"""


class Root(Group):
    """The outermost group, where errors of commands become one line and an exit code.

    Commands of groups answer without the group's name as well: `notewell log` is
    `notewell improve log`.
    """

    def __init__(self, *args: Any, features: Sequence[Feature] = FEATURES, **kwargs: Any) -> None:
        """`features` are those whose commands it has."""
        super().__init__(*args, **kwargs)
        self._sections = commands(features, SECTIONS)
        self.owners = {
            name: feature.name
            for feature in features
            if feature.is_optional
            for name in feature.command_names
        }
        self._grouped = {
            name: group for name, group in self._sections.items() if name not in _SHOWN
        }
        self._places = _HIDDEN | {
            name: place for names in self._sections.values() for name, place in names.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of use."""
        return [*self._places, *_GROUPS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command by its name; one of a group is hidden here."""
        if cmd_name in _GROUPS:
            group = Group(cmd_name, help=_GROUPS[cmd_name])
            group.members = self._grouped[cmd_name]
            return group
        if cmd_name not in self._places:
            return super().get_command(ctx, cmd_name)
        command = load(self._places[cmd_name])
        if isinstance(command, Group):
            command.members = self._grouped.get(cmd_name, {})
        if any(cmd_name in names for names in self._grouped.values()):
            command = copy(command)
            command.hidden = True
        return command if isinstance(command, click.Command) else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options; those of all commands in one line."""
        for title in _SHOWN:
            names = [*self._sections[title], *(_GROUPS if title == _SHOWN[-1] else ())]
            shown = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(62))
                        for name, command in shown
                        if command is not None
                    ]
                )
        shared = ", ".join(option.opts[-1] for option in SHARED)
        formatter.write_paragraph()
        formatter.write_text(f"Options: --version, --help; of all commands: {shared}")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; first note whether the caller reads JSON."""
        options = args[: args.index("--")] if "--" in args else args
        expect_json(ctx, wanted=not JSON_FLAGS.isdisjoint(options))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; turn its errors into messages and exit codes."""
        try:
            return super().invoke(ctx)
        except NotewellError as error:
            _fail(ctx, error.code, error.message, error.exit_code)
        except click.ClickException as error:
            if current_invocation(ctx).json:
                emit_object({"error": "bad_request", "detail": error.format_message()})
            raise
        except (click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            print_error("interrupted")
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # click ends quietly where the reader of a pipe has gone
            _fail(ctx, "os_error", _os_message(error), 1)
        except Exception as error:  # noqa: BLE001 - the outermost boundary; nothing is swallowed
            traceback.print_exc()
            _fail(ctx, "bug", f"this is a bug, please report it: {error!r}", 1)


def _fail(ctx: click.Context, code: str, message: str, exit_code: int) -> NoReturn:
    message = runnable(message)
    if current_invocation(ctx).json:
        emit_object({"error": code, "detail": message})
    print_error(message)
    ctx.exit(exit_code)


def _os_message(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001 - click's signature
    if not value or ctx.resilient_parsing:
        return
    if current_invocation(ctx).json:
        emit_object({"name": PROJECT, "version": __version__, "api": API_VERSION})
    else:
        click.echo(f"notewell {__version__}")
    ctx.exit()


def _only_with_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001 - click's signature
    # `--version` is eager and has exited; every other `--json` belongs after a command's name.
    if value and not ctx.resilient_parsing:
        raise click.NoSuchOption("--json", ctx=ctx)


@click.group(
    cls=Root,
    name="notewell",
    invoke_without_command=True,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option("--json", is_flag=True, expose_value=False, hidden=True, callback=_only_with_version)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find what you already know, in your own notes, on this computer alone.

    `notewell` alone says what to do next. The name of a group may be left out.
    """
    if ctx.invoked_subcommand is None:
        # Reads settings and asks servers; commands load what they need themselves.
        from notewell.doors.cli.status import show_overview  # noqa: PLC0415

        show_overview(current_invocation(ctx))


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a note in another script must not end a terminal's output
            reconfigure(errors="backslashreplace")
    cli(prog_name="notewell")
    raise SystemExit(0)
