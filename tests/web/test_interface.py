"""The pages as they are served: open to all, strict in what they may do, kept without being stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.web.interface import INTERFACE_POLICY
from tests.web.fakes import Connect


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "index.html").write_text("<title>The interface</title>", encoding="utf-8")
    (folder / "app.js").write_text("export {}", encoding="utf-8")
    (folder / "sw.js").write_text("self", encoding="utf-8")
    return folder


async def test_the_pages_may_run_and_ask_nothing_but_what_is_the_servers(
    connect: Connect, static: Path
) -> None:
    client = await connect(token=None, static=static)

    policy = (await client.get("/")).headers["Content-Security-Policy"]

    assert policy == INTERFACE_POLICY
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "frame-ancestors 'none'" in policy


async def test_the_worker_stands_at_the_root_and_may_ask_its_server(
    connect: Connect, static: Path
) -> None:
    client = await connect(token=None, static=static)

    worker = await client.get("/sw.js")

    assert worker.status == 200
    assert worker.content_type in {"text/javascript", "application/javascript"}
    assert "connect-src 'self'" in worker.headers["Content-Security-Policy"]
    assert worker.headers["Cache-Control"] == "no-cache"


async def test_files_are_sent_again_only_when_they_have_changed(
    connect: Connect, static: Path
) -> None:
    client = await connect(token=None, static=static)

    first = await client.get("/static/app.js")
    again = await client.get("/static/app.js", headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "no-cache"
    assert (first.status, again.status) == (200, 304)


async def test_a_server_with_pages_says_that_it_shows_graphs(
    connect: Connect, static: Path, tmp_path: Path
) -> None:
    with_pages = await connect(token=None, static=static)
    without = await connect(token=None, static=tmp_path / "nowhere")

    assert "graph_view" in (await (await with_pages.get("/api/health")).json())["features"]
    assert "graph_view" not in (await (await without.get("/api/health")).json())["features"]
    assert (await without.get("/sw.js")).status in {401, 404}
    assert "make web" in await (await without.get("/")).text()
