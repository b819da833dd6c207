"""A server whose database is away says so, and goes on by itself when it is back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from notewell.base.types import ModelRules
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell_postgres.engine import delete_in_database, move_to_database
from tests.doors.web.fakes import Connect
from tests.postgres_gate import gate
from tests.postgres_server import Server
from tests.vaults import settings_in

SEARCH = "/api/search?q=kettle&mode=keyword"


async def test_a_server_without_its_database_says_so_and_recovers(
    postgres: Server, tmp_path: Path, connect: Connect
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "A.md").write_text("The kettle boils.\n", encoding="utf-8")
    settings = settings_in(
        tmp_path,
        model=ModelRules(),
    )
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        record = vaults.add(folder)
        vaults.open(record, writable=True).index_now()
    index = settings.data_dir / "vaults" / record.id
    with gate(postgres.port) as way, closing(Vaults(settings, features=FEATURES)) as vaults:
        url = replace(postgres, port=way.port).url()
        move_to_database(index, url, str(tmp_path), say=lambda _: None, keep=False)
        vaults.open(record, writable=False)
        client = await connect(vaults)

        async def got(path: str) -> tuple[int, str | None]:
            reply = await client.get(path)
            body = await reply.json()
            return reply.status, body.get("code") or body.get("state")

        assert await got("/api/status") == (200, "ready")
        way.shut()
        for path in ("/api/status", SEARCH):
            assert await got(path) == (503, "database_unreachable")
        assert (await got("/api/health"))[0] == 200
        way.open()
        assert await got("/api/status") == (200, "ready")
        assert (await got(SEARCH))[0] == 200
    delete_in_database(postgres.url(), str(tmp_path))
