"""Options that every command takes, before or after its name, and what follows from them."""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from notewell.base.config import ENV_CONFIG, ENV_DATA, load_settings, user_file
from notewell.base.errors import ConfigError, NotewellError, UsageError, near
from notewell.base.packages import PACKAGES
from notewell.base.support.logs import log_to_terminal
from notewell.base.types import LogFormat, Settings
from notewell.doors.cli.output import print_message
from notewell.engine.feature import load, sections
from notewell.engine.known_vaults import KnownVaults
from notewell.features import FEATURES

if TYPE_CHECKING:  # loaded where they are used
    from click.shell_completion import CompletionItem

    from notewell.base.types import VaultRecord
    from notewell.engine.configuration import Configuration
    from notewell.engine.open_vaults import Vaults

JSON_FLAGS = frozenset({"--json", "--handshake"})  # with these, a program reads stdout
_META = "notewell.doors.cli"
_ABOUT = "notewell.doors.cli.vault"  # the vault that a command is about, where several are known
_COMMAND = re.compile("`notewell ([^`]+)`")
_SHORT_FLAGS = re.compile("-(h|[vq]+)")
_LOG_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Invocation:
    """The shared options of one command line."""

    data_dir: Path | None = None
    config: Path | None = None
    offline: bool = False
    verbose: int = 0
    quiet: bool = False
    json: bool = False
    log_format: str | None = None

    def settings(
        self, *, vault: Path | None = None, flags: Mapping[str, object] | None = None
    ) -> Settings:
        """Merge all layers of settings. `flags` has setting keys; None in it means "not given"."""
        return load_settings(
            flags=self._flags(flags),
            environ=self._environ(),
            vault=vault,
            features=sections(FEATURES),
        )

    def configuration(self, *, flags: Mapping[str, object] | None = None) -> Configuration:
        """Return the layers that `settings` merges, for showing and changing them."""
        from notewell.engine.configuration import Configuration  # noqa: PLC0415 - few commands need it

        return Configuration(self._environ(), self._flags(flags), sections(FEATURES))

    def config_file(self) -> Path:
        """Return the path of the per-user configuration file, which may not exist."""
        return user_file(self._environ())

    def _flags(self, flags: Mapping[str, object] | None) -> dict[str, object]:
        shared = {
            "data_dir": self.data_dir,
            "offline": self.offline or None,
            "log.format": self.log_format,
        }
        return {**(flags or {}), **shared}

    def _environ(self) -> dict[str, str]:
        named = {ENV_CONFIG: self.config, ENV_DATA: self.data_dir}
        given = {name: str(path) for name, path in named.items() if path is not None}
        return {**os.environ, **given}

    def known(self) -> KnownVaults:
        """Return the known vaults, each with its own settings; opens no index."""
        return KnownVaults(self.settings(), for_vault=self._for_vault(None))

    def vault(self, word: str | None) -> VaultRecord:
        """Return the known vault that `word` names, which the messages of the command are about."""
        known = self.known()
        return self.about(known.find(word, cwd=Path.cwd()), known)

    def about(self, record: VaultRecord, known: KnownVaults | None = None) -> VaultRecord:
        """Have commands in messages name `record`, if there are others; returns it."""
        if len((known or self.known()).records()) > 1:
            click.get_current_context().meta[_ABOUT] = record.name
        return record

    def vaults(
        self,
        *,
        fetch_missing: bool = False,
        say: Callable[[str], None] | None = None,
        flags: Mapping[str, object] | None = None,
    ) -> Vaults:
        """Return the known vaults, to open their indexes in this process; close them when done."""
        # The engine takes longer to load than a running server takes to answer.
        from notewell.engine.open_vaults import Vaults  # noqa: PLC0415

        return Vaults(
            self.settings(flags=flags),
            for_vault=self._for_vault(flags),
            fetch_missing=fetch_missing,
            say=say or self.say,
            features=FEATURES,
        )

    def _for_vault(self, flags: Mapping[str, object] | None) -> Callable[[Path], Settings]:
        return cache(lambda folder: self.settings(vault=folder, flags=flags))

    def say(self, message: str) -> None:
        """Print a message for people on stderr, unless --quiet is given."""
        if not self.quiet:
            print_message(runnable(message))

    def warn(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self.say(f"note: {warning}")

    def start_logging(self) -> None:
        """Send log records to stderr, as many as `--verbose` asks for."""
        level = logging.ERROR if self.quiet else _LOG_LEVELS[min(self.verbose, 2)]
        log_to_terminal(cache(self._log_format), level=level)

    def _log_format(self) -> LogFormat:
        """Return the format in the settings; errors in them are reported elsewhere."""
        try:
            return self.settings().log.format
        except ConfigError:
            return "text"


def agree(question: str, *, yes: bool) -> None:
    """Have a person agree to what needs consent; `yes` is that of the command's `--yes`.

    Raises UsageError where nobody can be asked: without a terminal, and where a program reads.
    """
    if yes:
        return
    if current_invocation().json or not sys.stdin.isatty():
        raise UsageError(f"{question} There is no terminal to ask at: agree with --yes.")
    click.confirm(question, abort=True, err=True)


def runnable(text: str) -> str:
    """Return a message whose `notewell …` commands do what it says wherever they are run.

    Those that concern a vault name the one that this command is about, and all name the data
    directory and the configuration that this command was given, and the program by its path where
    no shell would find it.
    """
    ctx = click.get_current_context(silent=True)
    if ctx is None:  # another thread
        return text
    return _COMMAND.sub(lambda match: f"`{_program()} {_runnable(ctx, match[1])}`", text)


def _runnable(ctx: click.Context, line: str) -> str:
    command: click.Command | None = ctx.find_root().command
    words = line.split()
    rest = words
    while isinstance(command, click.Group) and rest:
        command, rest = command.get_command(ctx, rest[0]), rest[1:]
    if command is None:
        return line
    options: Mapping[str, object] = ctx.meta.get(_META, {})
    given = [
        f"--{name.replace('_', '-')} {shlex.quote(str(options[name]))}"
        for name in ("data_dir", "config")
        if name in options
    ]
    vault = ctx.meta.get(_ABOUT)
    if vault is not None:
        given = [*_naming(command, rest, shlex.quote(vault)), *given]
    return " ".join([line, *given])


def _program() -> str:
    """Return how a shell here starts `notewell`: by its path outside its environment."""
    beside = Path(sys.executable).with_name("notewell")
    if shutil.which("notewell") is not None or not beside.is_file():
        return "notewell"
    here = Path.cwd()
    inside = beside.relative_to(here) if beside.is_relative_to(here) else beside
    return shlex.quote(str(inside))


def _naming(command: click.Command, words: list[str], vault: str) -> list[str]:
    """Return what has to be added to a command with these words for it to name a vault."""
    if any("--vault" in param.opts for param in command.params):
        return [] if "--vault" in words else [f"--vault {vault}"]
    arguments = [
        param.metavar or "" for param in command.params if isinstance(param, click.Argument)
    ]
    if not any(argument.startswith("[VAULT]") for argument in arguments):
        return []
    options = [param for param in command.params if isinstance(param, click.Option)]
    valued = {name for option in options if not option.is_flag for name in option.opts}
    pairs = pairwise(["", *words])
    named = any(not word.startswith("-") and before not in valued for before, word in pairs)
    return [] if named else [vault]


def current_invocation(ctx: click.Context | None = None) -> Invocation:
    """Return the shared options that were read so far."""
    options = (ctx or click.get_current_context()).meta.get(_META, {})
    return Invocation(**options)


def _remember(ctx: click.Context, param: click.Parameter, value: object) -> None:
    # `notewell --offline index` and `notewell index --offline` are the same; an option that
    # was not given at the inner place must not undo the outer one.
    name = param.name or ""
    if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
        ctx.meta.setdefault(_META, {})[name] = value


def expect_json(ctx: click.Context, *, wanted: bool) -> None:
    """Store, before parsing, whether errors are printed as JSON too, those of parsing included."""
    ctx.meta.setdefault(_META, {})["json"] = wanted


SHARED: tuple[click.Option, ...] = (
    click.Option(
        ["--data-dir"],
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Folder with the indexes and the list of vaults.",
        expose_value=False,
        callback=_remember,
    ),
    click.Option(
        ["--config"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Read this configuration file instead of the per-user one.",
        expose_value=False,
        callback=_remember,
    ),
    click.Option(
        ["--offline"],
        is_flag=True,
        help="Never use the network.",
        expose_value=False,
        callback=_remember,
    ),
    click.Option(
        ["--log-format"],
        type=click.Choice(["text", "json"]),
        help="Write log lines for people, or as JSON.",
        expose_value=False,
        callback=_remember,
    ),
    click.Option(
        ["-v", "--verbose"],
        count=True,
        help="Log more; twice for everything.",
        expose_value=False,
        callback=_remember,
    ),
    click.Option(
        ["-q", "--quiet"],
        is_flag=True,
        help="Print only results and errors.",
        expose_value=False,
        callback=_remember,
    ),
)


class Command(click.Command):
    """A command that also takes the shared options, in a section of their own in its help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *SHARED]

    def invoke(self, ctx: click.Context) -> object:
        """Run it, with logging as the shared options, now complete, want it."""
        invocation = current_invocation(ctx)
        invocation.start_logging()
        _check_on(ctx, invocation)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        own = [option for option in options if option not in SHARED]
        for title, params in (("Options", own), ("Shared options", SHARED)):
            records = [r for p in params if (r := p.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)


def _check_on(ctx: click.Context, invocation: Invocation) -> None:
    """Raise UsageError where the settings switch the feature of a command off."""
    root = ctx.find_root().command
    owners = root.owners if isinstance(root, Group) else {}
    named = [owners[word] for word in ctx.command_path.split() if word in owners]
    off = invocation.settings().features.off if named else ()
    for owner in named:
        if owner in off:
            rest = ",".join(name for name in off if name != owner)
            change = f"notewell config set features.off {rest}".strip()
            raise UsageError(f"The feature {owner} is switched off. `{change}` switches it on.")


class QueryCommand(Command):
    """A command whose argument is the rest of the line: words, also such as begin with a dash.

    `notewell search bees -tomato --limit 3` is the query "bees -tomato".
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options, wherever they are, apart from the words."""
        options, words = self._apart(ctx, args)
        return super().parse_args(ctx, [*options, "--", *words])

    def _apart(self, ctx: click.Context, args: list[str]) -> tuple[list[str], list[str]]:
        """Return the options with their values, and the words of the query."""
        own_options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        with_value = {
            name
            for option in own_options
            if not option.is_flag and not option.count
            for name in option.opts
        }
        options: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for arg in rest:
            if arg == "--":
                words += rest
            elif arg.startswith("--") or _SHORT_FLAGS.fullmatch(arg):
                options.append(arg)
                options += islice(rest, 1 if arg in with_value else 0)
            else:
                words.append(arg)
        return options, words


class Group(click.Group):
    """A group of commands; shared options go before or after any of the names.

    `members` are commands beside its own, by name, which are loaded when they are needed. `owners`
    are the features of commands, by their names; only the outermost group knows them.
    """

    command_class = Command
    members: Mapping[str, str] = MappingProxyType({})
    owners: Mapping[str, str] = MappingProxyType({})

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, then the shared ones."""
        return [*super().get_params(ctx), *SHARED]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order of use, as they were added."""
        return [*self.commands, *self.members]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.members:
            return super().get_command(ctx, cmd_name)
        command: click.Command = load(self.members[cmd_name])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name; a misspelled one is told the nearest."""
        name = args[0]
        if name == "help" and "help" not in self.list_commands(ctx):
            # What many try first: `help` is `--help`, and `help search` is `search --help`.
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            return self.resolve_command(ctx, [*args[1:], "--help"])
        unknown = self.get_command(ctx, name) is None and not name.startswith("-")
        if unknown and not ctx.resilient_parsing:
            meant = near(name, self.list_commands(ctx))
            hint = f" Did you mean '{meant}'?" if meant else ""
            package = next((row.name for row in PACKAGES if name in row.commands), None)
            if package:
                hint = f" It comes with the package {package}: run pip install {package}."
            raise click.UsageError(f"No such command '{name}'.{hint}", ctx=ctx)
        return super().resolve_command(ctx, args)


Group.group_class = Group


def json_option(function: AnyFunction) -> AnyFunction:
    """Give a command `--json`; its function gets `as_json`."""
    option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    return option(function)


def complete_vaults(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """Return the known vaults whose names begin so; by id where a shell would split the name."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells need it

    try:
        records = current_invocation(ctx).known().records()
    except NotewellError:  # a shell that completes has no place for errors
        return []
    words = [
        (record.name if " " not in record.name else record.id, record.name) for record in records
    ]
    return [
        CompletionItem(word, help=name)
        for word, name in words
        if word.startswith(incomplete) or name.casefold().startswith(incomplete.casefold())
    ]


def vault_option(function: AnyFunction) -> AnyFunction:
    """Give a command `--vault`; its function gets `vault`, None where it is left out."""
    option = click.option(
        "--vault",
        metavar="VAULT",
        shell_complete=complete_vaults,
        help="Folder, name or id of the vault. Left out: that of the current folder, or the"
        " default.",
    )
    return option(function)
