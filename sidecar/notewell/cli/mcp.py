"""`notewell mcp`: the vault's tools for an assistant that speaks the Model Context Protocol."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from notewell.cli.options import Command, invocation


@click.command(cls=Command)
@click.option(
    "--vault",
    metavar="VAULT",
    help="Answer for this vault alone. Left out: for all known ones, by default for the one the"
    " current folder lies in.",
)
@click.option(
    "--allow-write",
    is_flag=True,
    help="Let the assistant index again, and write memories where a folder was chosen for them.",
)
def mcp(vault: str | None, *, allow_write: bool) -> None:
    """Serve an assistant on stdin and stdout.

    Assistants start this by themselves: name `notewell` as the command and `mcp` as its argument.
    A running server answers where there is one; else the index is opened here.
    """
    from notewell.mcp.local import LocalSource  # noqa: PLC0415 - pydantic, tokenizers
    from notewell.mcp.server import serve_stdio  # noqa: PLC0415 - loads the protocol's SDK

    inv = invocation()
    known = inv.known()
    only = known.find(vault, cwd=Path.cwd()) if vault is not None else None
    with closing(LocalSource(known, inv.vaults, only=only, cwd=Path.cwd())) as source:
        serve_stdio(source, allow_write=allow_write)
