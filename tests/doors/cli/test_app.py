"""Errors become one line and an exit code; commands import only what they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from notewell import API_VERSION, __version__
from notewell.base.errors import ModelUnavailableError
from notewell.doors.cli.app import Root, cli
from notewell.doors.cli.options import Command, current_invocation, json_option
from tests.doors.cli.support import CommandLine
from tests.waiting import PROCESS_S


def run(*args: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        check=False,
        **how,
    )


def raising(error: BaseException) -> Root:
    @click.command(cls=Command)
    @json_option
    def fall(as_json: bool) -> None:
        raise error

    root = Root(name="notewell")
    root.add_command(fall)
    return root


def test_the_package_can_be_run_as_a_module() -> None:
    result = run("-m", "notewell", "--version")

    assert result.stdout == f"notewell {__version__}\n"
    assert result.returncode == 0


@pytest.mark.parametrize("args", [("--version", "--json"), ("--json", "--version")])
def test_the_version_as_json_identifies_the_project(args: tuple[str, ...]) -> None:
    result = run("-m", "notewell", *args)

    assert json.loads(result.stdout) == {
        "name": "Notewell for Obsidian",
        "version": __version__,
        "api": API_VERSION,
    }
    assert result.stderr == ""
    assert result.returncode == 0


def test_json_before_a_command_is_refused_without_version() -> None:
    result = run("-m", "notewell", "--json", "status")

    assert result.returncode == 2
    assert "No such option '--json'" in result.stderr


def test_help_fits_a_screen_and_every_command_is_there_or_in_a_group(notewell: CommandLine) -> None:
    shown = notewell("--help").stdout
    assert len(shown.splitlines()) <= 40

    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    listed = {name for name in commands if f"\n  {name} " in shown}
    assert len(listed) < 30
    grouped = {
        inner
        for name in listed
        if isinstance(group := commands[name], click.Group)
        for inner in group.list_commands(context)
    }
    assert set(commands) - listed - {"cli-reference"} <= grouped
    assert all(one is not None and one.hidden for n, one in commands.items() if n not in listed)


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("status", ("runs", "list")),
        ("status", ("ledger",)),
        ("improve", ("log", "--limit", 3)),
        ("vaults", ("documents", "list")),
        ("devices", ("token", "list")),
    ],
)
@pytest.mark.usefixtures("indexed")
def test_a_command_of_a_group_answers_without_the_group(
    notewell: CommandLine, group: str, command: tuple[object, ...]
) -> None:
    assert notewell.json(*command) == notewell.json(group, *command)


def test_alone_it_shows_how_to_begin(notewell: CommandLine) -> None:
    shown = notewell().stdout

    assert "No vault is known yet." in shown
    assert "notewell demo" in shown


def test_alone_it_shows_the_vaults_and_what_to_do_next(
    notewell: CommandLine, vault: Path, tmp_path: Path
) -> None:
    notewell("vaults", "add", vault)
    assert "not indexed yet" in notewell().stdout
    assert "notewell index Notes" in notewell().stdout

    notewell("index", vault)
    shown = notewell().stdout
    assert "indexed, no server" in shown
    assert "notewell search" in shown
    assert "notewell serve" in shown
    assert "notewell index" not in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(notewell: CommandLine, shell: str) -> None:
    ran = notewell("completion", shell)

    assert "_NOTEWELL_COMPLETE" in ran.stdout
    assert "Add this line" in ran.stderr or "Save it" in ran.stderr


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("notewell sea", ["search"]),
        ("notewell search bees --lim", ["--limit"]),
        ("notewell search bees --vault N", ["Notes"]),
        ("notewell index no", ["Notes"]),
        ("notewell vaults remove ", ["Notes"]),
    ],
)
def test_a_shell_completes_commands_options_and_vaults(
    notewell: CommandLine, vault: Path, typed: str, completed: list[str]
) -> None:
    notewell("vaults", "add", vault)
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)}
    ran = run("-m", "notewell", env={**os.environ, **words, "_NOTEWELL_COMPLETE": "bash_complete"})

    assert [line.removeprefix("plain,") for line in ran.stdout.splitlines()] == completed


def test_bash_completes_notes_and_tags(notewell: CommandLine, vault: Path) -> None:
    (vault / "Garden").mkdir(exist_ok=True)
    (vault / "Garden" / "Wind breaks.md").write_text("#garden\n\nHedges against wind.\n")
    notewell("index", vault)
    escaped = "Garden/Wind\\\\ breaks.md"  # `read` takes out one backslash
    for typed, completed in (
        (["similar", "wind"], [escaped]),
        (["graph", "path", "Garden/Bees.md", "Garden/W"], [escaped]),
        (["search", "spring", "tag", ":", "gar"], ["garden"]),
        (["search", "ta"], ["tag:"]),
        (["search", "spring", "bees"], []),
    ):
        words = {"COMP_WORDS": " ".join(["notewell", *typed]), "COMP_CWORD": str(len(typed))}
        environ = {**os.environ, **words, "_NOTEWELL_COMPLETE": "bash_complete"}
        ran = run("-m", "notewell", env=environ)
        lines = [line.removeprefix("plain,") for line in ran.stdout.splitlines() if line]
        assert lines == completed, typed


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys, notewell.doors.cli\n"
        "heavy = {'numpy', 'onnxruntime', 'tantivy', 'aiohttp', 'pydantic', 'rich.console', 'networkx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )

    assert run("-c", program).stdout.strip() == "[]"


def test_an_error_is_one_line_and_its_exit_code() -> None:
    error = ModelUnavailableError("the model is not there; get it with `notewell models get`")
    result = CliRunner().invoke(raising(error), ["fall"])

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"notewell: {error.message}\n"


def test_an_error_is_a_json_document_with_json_output() -> None:
    result = CliRunner().invoke(raising(ModelUnavailableError("gone")), ["fall", "--json"])

    assert json.loads(result.stdout) == {"error": "model_unavailable", "detail": "gone"}
    assert result.stderr == "notewell: gone\n"


@pytest.mark.parametrize("args", [["fall", "--jsn", "--json"], ["fal", "--json"]])
def test_wrong_usage_is_exit_2_and_a_json_document(args: list[str]) -> None:
    result = CliRunner().invoke(raising(ValueError()), args)

    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] == "bad_request"
    assert "Usage:" in result.stderr


def test_an_option_after_two_dashes_is_text() -> None:
    result = CliRunner().invoke(raising(ValueError()), ["fall", "--", "--json"])

    assert (result.exit_code, result.stdout) == (2, "")


def test_an_interrupt_is_exit_130() -> None:
    result = CliRunner().invoke(raising(KeyboardInterrupt()), ["fall"])

    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_full_disk_is_reported_in_one_line() -> None:
    error = OSError(28, "No space left on device", "/data/notewell.db")
    result = CliRunner().invoke(raising(error), ["fall"])

    assert result.exit_code == 1
    assert result.stderr == "notewell: /data/notewell.db: No space left on device\n"


def test_a_bug_keeps_its_traceback() -> None:
    result = CliRunner().invoke(raising(ZeroDivisionError("oh")), ["fall", "--json"])

    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert json.loads(result.stdout)["error"] == "bug"


@pytest.mark.parametrize("args", [["--data-dir", "x", "show"], ["show", "--data-dir", "x"]])
def test_shared_options_go_before_or_after_the_command(args: list[str]) -> None:
    @click.command(cls=Command)
    def show() -> None:
        click.echo(current_invocation().data_dir)

    root = Root(name="notewell")
    root.add_command(show)

    assert CliRunner().invoke(root, args).stdout == "x\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes end differently elsewhere")
def test_a_closed_pipe_is_not_an_error() -> None:
    command = f'"{sys.executable}" -m notewell cli-reference | head -n 1'
    result = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=PROCESS_S, check=False
    )

    assert result.stdout == "# Command line\n"
    assert result.stderr == ""


def test_help_may_be_asked_for_as_a_command(notewell: CommandLine) -> None:
    for words, option in (
        (["help"], ["--help"]),
        (["help", "search"], ["search", "--help"]),
        (["help", "garden", "plan"], ["garden", "plan", "--help"]),
        (["garden", "help"], ["garden", "--help"]),
    ):
        assert notewell(*words).stdout == notewell(*option).stdout

    assert "Did you mean 'search'?" in notewell("help", "serch", fails=2).stderr
