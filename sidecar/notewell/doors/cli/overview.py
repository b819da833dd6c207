"""What `notewell` alone shows: the known vaults, whether a server runs, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from notewell import __version__
from notewell.base.types import VaultRecord
from notewell.doors.cli.backend import server_for
from notewell.doors.cli.options import Invocation
from notewell.doors.cli.output import print_facts, print_table
from notewell.engine.vaults.known import KnownVaults


@dataclass(frozen=True, slots=True)
class _Vault:
    """A known vault; `url` is that of the server that has it open."""

    record: VaultRecord
    indexed: bool
    url: str | None

    def row(self) -> tuple[str, str, str, str]:
        """Return its row of the table."""
        default = "yes" if self.record.default else ""
        return self.record.name, default, self.state(), str(self.record.path)

    def state(self) -> str:
        """Return in words whether it can be searched, and what keeps its index up to date."""
        if self.url is not None:
            return f"served at {self.url}"
        return "indexed, no server" if self.indexed else "not indexed yet"


def show_overview(invocation: Invocation) -> None:
    """Print the state of this installation and the commands that make sense next."""
    known = invocation.known()
    found = [_look(known, record) for record in known.records()]
    click.echo(f"Notewell {__version__}\n")
    if found:
        rows = [one.row() for one in found]
        print_table(("vault", "default", "state", "folder"), rows)
    else:
        click.echo("No vault is known yet.")
    click.echo("\nNext:")
    print_facts([(f"  {command}", what) for command, what in _next(found)])


def _look(known: KnownVaults, record: VaultRecord) -> _Vault:
    server = server_for(known, record)
    indexed = next(known.directory(record).glob("index.db"), None) is not None
    return _Vault(record, indexed=indexed, url=server.info.url if server is not None else None)


def _next(found: Sequence[_Vault]) -> Iterator[tuple[str, str]]:
    if not found:
        yield "notewell demo", "try Notewell with a sample vault"
        yield "notewell index FOLDER", "make your notes findable"
    for one in found:
        if not one.indexed and one.url is None:
            yield f"notewell index {shlex.quote(one.record.name)}", "make its notes findable"
    if any(one.indexed or one.url for one in found):
        yield "notewell search WORDS", "find notes by meaning and by keyword"
    if found and not any(one.url for one in found):
        yield "notewell serve", "keep the index up to date, for browsers and Obsidian too"
    yield "notewell --help", "all commands"
