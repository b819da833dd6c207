"""Every command, with right and with wrong arguments: exit codes, no traceback, a next step."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from notewell.doors.cli.app import cli
from tests.doors.cli.support import NOTES, write_notes

Run = Callable[..., Result]

# Right arguments of commands that need no server, model, terminal or network. An index is there.
RIGHT: dict[str, tuple[str, ...]] = {
    "search": ("bees",),
    "similar": ("City.md",),
    "status": (),
    "status ledger": ("City.md",),
    "status stats": (),
    "status runs list": (),
    "status runs show": ("1",),
    "improve log": (),
    "improve log clear": (),
    "improve verdict": ("bees", "City.md", "--never"),
    "improve tune": (),
    "archaeology": ("bees",),
    "context": ("bees",),
    "properties": ("City.md", "--set", "status=done", "--dry-run"),
    "undo": ("--list",),
    "graph neighbors": ("City.md",),
    "graph stats": (),
    "graph hubs": (),
    "topics list": (),
    "topics check": (),
    "gleanings list": (),
    "gleanings stats": (),
    "gleanings extract": ("--dry-run",),
    "garden plan": (),
    "memory list": (),
    "vaults list": (),
    "vaults documents list": (),
    "vaults sources list": (),
    "models list": (),
    "config show": (),
    "config path": (),
    "devices token list": (),
    "system service print": (),
    "system completion": ("bash",),
    "system phone-index show": (),
    "system engine show": (),
}
# Wrong arguments: their exit code, and a word of the next step that is told.
WRONG: dict[str, tuple[tuple[str, ...], int, str]] = {
    "search": (("bees", "--mode", "guess"), 2, "hybrid"),
    "similar": (("Citi.md",), 3, "did you mean City.md"),
    "evidence": ((), 2, "--help"),
    "index": (("Nowhere",), 3, "notewell index FOLDER"),
    "serve": (("Nowhere",), 3, "notewell index FOLDER"),
    "mcp": (("--tools", "gardn"), 2, "garden"),
    "status": (("--vault", "Nots"), 3, "did you mean 'Notes'"),
    "status ledger": (("--state", "lost"), 2, "indexed"),
    "status queue pause": ((), 3, "notewell index"),
    "status runs show": (("99",), 3, "runs list"),
    "improve verdict": (("bees", "City.md"), 2, "--yes"),
    "improve eval": ((), 2, "--"),
    "properties": (("City.md", "--set", "status"), 2, "status=done"),
    "undo": (("99",), 3, "keeps the newest"),
    "graph neighbors": (("Citi.md",), 3, "did you mean City.md"),
    "gleanings show": (("ffffffffffff",), 3, "gleanings list"),
    "garden apply": (("20200101-000000",), 3, "garden show"),
    "memory store": (("Bees fly.",), 1, "memory.folder"),
    "memory inspect": (("mem-none",), 3, "memory"),
    "vaults add": ((), 2, "FOLDER"),
    "vaults remove": (("Nots",), 3, "did you mean 'Notes'"),
    "vaults documents clear": (("Papers",), 3, "known"),
    "vaults sources sync": (("Roam",), 3, "sources import"),
    "models get": (("nothing",), 3, "Known models"),
    "config set": (("serve.port", "1"), 2, "did you mean"),
    "devices token revoke": (("Phone",), 3, "token list"),
    "system pack export": (("x.jsonl", "--to", "qdrant"), 2, "--yes"),
    "system phone-index on": ((), 2, "--yes"),
    "system restore": (("none.tar",), 3, "check its name"),
}
NEXT_STEP = re.compile(
    r"`notewell |--[a-z]|did you mean|Did you mean|known|check|choose|name |give |Try |set |such as",
    re.IGNORECASE,
)


def leaves(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command that is no group, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from leaves(command, (*above, name))
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield " ".join((*above, name)), command


COMMANDS = dict(leaves(cli))


@pytest.fixture
def run(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(indexed.parent)

    def ran(command: str, *args: str) -> Result:
        return CliRunner().invoke(cli, [*command.split(), *args], prog_name="notewell")

    return ran


def check_error(ran: Result, code: int) -> None:
    shown = (ran.stdout, ran.stderr, ran.exception)
    assert ran.exit_code == code, shown
    assert "Traceback" not in ran.output, shown
    assert "this is a bug" not in ran.output, shown
    assert NEXT_STEP.search(ran.stderr), shown


def test_the_walk_names_commands_that_there_are() -> None:
    assert (RIGHT.keys() | WRONG.keys()) - COMMANDS.keys() == set()


def test_every_right_use_ends_well(run: Run) -> None:
    for command, args in RIGHT.items():
        ran = run(command, *args)
        assert ran.exit_code == 0, (command, ran.stdout, ran.stderr, ran.exception)
        options = {name for param in COMMANDS[command].params for name in param.opts}
        if "--json" in options:
            json.loads(run(command, *args, "--json").stdout)


def test_every_wrong_use_says_what_to_do(run: Run) -> None:
    wrong = []
    for command, (args, code, told) in WRONG.items():
        ran = run(command, *args)
        fine = NEXT_STEP.search(ran.stderr) and told in ran.stderr
        if ran.exit_code != code or "Traceback" in ran.output or not fine:
            wrong.append((command, ran.exit_code, ran.output))
    assert wrong == []


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_unknown_options_are_refused(command: str) -> None:
    ran = CliRunner().invoke(cli, [*command.split(), "--no-such-option"], prog_name="notewell")
    check_error(ran, 2)


@pytest.mark.parametrize(
    "command",
    [
        name
        for name, one in sorted(COMMANDS.items())
        if any(isinstance(param, click.Argument) and param.required for param in one.params)
    ],
)
def test_missing_arguments_are_named(command: str) -> None:
    ran = CliRunner().invoke(cli, command.split(), prog_name="notewell")
    check_error(ran, 2)


def test_without_a_vault_commands_say_how_to_begin(tmp_path: Path) -> None:
    write_notes(tmp_path / "Elsewhere", NOTES)
    for command, args in RIGHT.items():
        if "--vault" not in {name for param in COMMANDS[command].params for name in param.opts}:
            continue
        ran = CliRunner().invoke(cli, [*command.split(), *args], prog_name="notewell")
        if ran.exit_code:
            check_error(ran, 3)
            assert "notewell index FOLDER" in ran.stderr
