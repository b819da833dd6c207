"""`notewell phone-index`: a file in the vault by which phones know meaning without a server."""

from __future__ import annotations

from contextlib import closing

import click

from notewell.api.commands import (
    Group,
    Invocation,
    agree,
    answer,
    asking,
    clean,
    current_invocation,
    json_option,
    print_facts,
    print_reply,
    server_for,
    vault_option,
)
from notewell.engine.client import Backend, LocalBackend
from notewell.features.phone.requests import (
    PhoneIndexReply,
    PhoneIndexRequest,
    PhoneIndexSize,
    SwitchPhoneIndex,
)

_MEGABYTE = 1_000_000


def _show(reply: PhoneIndexReply) -> None:
    facts = [("phone index", "on" if reply.on else "off"), ("file", clean(reply.place))]
    if reply.bytes is None:
        facts.append(("size", "not written"))
    else:
        facts.append(("size", f"{reply.bytes / _MEGABYTE:,.1f} MB, written {reply.written}"))
        facts.append(("holds", f"{reply.notes:,} notes, {reply.passages:,} passages"))
        facts.append(("queries", _queries(reply.table_bytes)))
    if reply.expected is not None:
        facts.append(("written now", _size(reply.expected)))
        if reply.expected.shortened:
            facts.append(("", reply.expected.shortened))
    if reply.problem:
        facts.append(("problem", clean(reply.problem)))
    print_facts(facts)


def _size(expected: PhoneIndexSize) -> str:
    return (
        f"about {expected.bytes / _MEGABYTE:,.1f} MB, in the vault and in a phone's memory:"
        f" {expected.notes:,} notes, {expected.passages:,} passages; queries"
        f" {_queries(expected.table_bytes)}"
    )


def _queries(table_bytes: int) -> str:
    if not table_bytes:
        return "by words alone"
    return f"by words and meaning ({table_bytes / _MEGABYTE:,.1f} MB)"


@click.group(cls=Group)
def phone_index() -> None:
    """Write a file into the vault by which phones know meaning without a server.

    It holds vectors, the paths of notes and hashes of their content, but no text. Sync tools copy
    it with the vault; on the phone, Notewell's setting "Load on mobile" uses it. Off by default.
    """


phone_index.add_command(
    asking(
        "show",
        PhoneIndexRequest,
        "Show whether the file is there, and how large it is or would be.",
        _show,
    )
)


@phone_index.command("on")
@click.option("--yes", is_flag=True, help="Do not ask.")
@vault_option
@json_option
def switch_on(*, yes: bool, vault: str | None, as_json: bool) -> None:
    """Write the file now, and at most once an hour while a server runs."""
    if not yes:
        answer(vault, PhoneIndexRequest(), _announce, as_json=False)
    agree("Write this file into the vault?", yes=yes)
    _switch(current_invocation(), vault, on=True, as_json=as_json)


@phone_index.command("off")
@vault_option
@json_option
def switch_off(*, vault: str | None, as_json: bool) -> None:
    """Delete the file, and write it no more."""
    _switch(current_invocation(), vault, on=False, as_json=as_json)


def _switch(invocation: Invocation, vault: str | None, *, on: bool, as_json: bool) -> None:
    """Have the vault's server do it; without one, do it here."""
    record = invocation.vault(vault)
    server = server_for(invocation.known(), record)
    if server is not None:
        print_reply(server, SwitchPhoneIndex(on), _show, as_json=as_json)
        return
    from notewell.features.phone.service import switch  # noqa: PLC0415 - loads numpy and more

    with closing(invocation.vaults()) as vaults:
        engine = vaults.open(record, writable=False)
        switch(invocation.configuration(), engine, on=on)
        backend: Backend = LocalBackend(engine)
        print_reply(backend, PhoneIndexRequest(), _show, as_json=as_json)


def _announce(reply: PhoneIndexReply) -> None:
    """Say what would be written where, before it is."""
    click.echo(f"This file is written into the vault: {clean(reply.place)}", err=True)
    if reply.expected is not None:
        click.echo(f"{_size(reply.expected)}.", err=True)
        if reply.expected.shortened:
            click.echo(reply.expected.shortened, err=True)
    click.echo(
        "It holds vectors, paths and hashes, no text. A server replaces it at most once an hour,"
        " and sync tools copy it each time.",
        err=True,
    )
