"""Servers in processes of their own share an index: one of them is killed, or stands still."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import IndexInUseError
from notewell.base.types import Batch
from notewell_postgres.address import DatabaseAddress, parse
from notewell_postgres.index import PostgresIndex
from notewell_postgres.opening import delete_at, open_at
from tests import postgres_server
from tests.index.conftest import Material
from tests.postgres_process import OtherServer, other_server
from tests.postgres_server import Server
from tests.waiting import until


@pytest.fixture
def address(postgres: Server, tmp_path: Path) -> Iterator[DatabaseAddress]:
    vault = replace(parse(postgres.url())[0], vault=str(tmp_path))
    yield vault
    delete_at(vault, postgres.password)


@pytest.fixture
def writer(postgres: Server, address: DatabaseAddress) -> Iterator[OtherServer]:
    with other_server(postgres.url(), address.vault, "writer") as started:
        assert started.says("put A.md first kettle") == "ok"
        yield started


def test_another_server_writes_as_soon_as_the_writer_was_killed(
    postgres: Server, address: DatabaseAddress, writer: OtherServer, make: Material
) -> None:
    with other_server(postgres.url(), address.vault, "reader") as reader:
        assert reader.says("find kettle") == "ok first kettle"
        with pytest.raises(IndexInUseError):
            open_at(address, postgres.password, writable=True)
        writer.process.kill()

        index = until(lambda: opened_for_writing(postgres, address))
        try:
            index.apply(Batch(puts=(make.note("B.md", "second kettle"),), model=make.model))
            assert reader.says("find kettle") == "ok first kettle; second kettle"
        finally:
            index.close()


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: no process can be stopped there")
def test_a_server_that_stood_still_longer_than_its_lease_never_writes_again(
    postgres: Server, address: DatabaseAddress, writer: OtherServer, make: Material
) -> None:
    writer.process.send_signal(signal.SIGSTOP)  # its connection stays, and nobody renews the lease
    with pytest.raises(IndexInUseError):
        open_at(address, postgres.password, writable=True)
    postgres_server.sql(  # thirty seconds pass
        postgres,
        "UPDATE notewell.vaults SET lease_until = now() - interval '1 s'"
        f" WHERE name = '{address.vault}'",
    )

    index = open_at(address, postgres.password, writable=True)
    try:
        index.apply(Batch(puts=(make.note("B.md", "second kettle"),), model=make.model))
        writer.process.send_signal(signal.SIGCONT)
        assert writer.says("put C.md third kettle") == IndexInUseError.code
    finally:
        index.close()
    assert writer.says("put C.md third kettle") == "lease_lost"
    assert writer.says("find kettle") == "ok first kettle; second kettle"


def opened_for_writing(postgres: Server, address: DatabaseAddress) -> PostgresIndex | None:
    """The index, as soon as the database has noticed that the writer is gone."""
    try:
        return open_at(address, postgres.password, writable=True)
    except IndexInUseError:
        return None
