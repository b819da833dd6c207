"""The pages: public, with a strict policy, cached without becoming out of date."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from notewell.base.types import ServerRules
from notewell.doors.web.pages import INTERFACE_POLICY
from tests.doors.web.fakes import Connect


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

    assert first.headers["Cache-Control"] == "max-age=600"  # a visit, not for ever
    assert (first.status, again.status) == (200, 304)


async def test_files_with_a_hash_in_their_name_are_never_asked_for_again(
    connect: Connect, static: Path
) -> None:
    (static / "app-AB12CD34.js").write_text("export {}", encoding="utf-8")
    client = await connect(token=None, static=static)

    kept = await client.get("/static/app-AB12CD34.js")
    missing = await client.get("/static/app-AB12CD35.js")

    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "ETag" not in kept.headers  # each header counts in a first load of many files
    assert "frame-ancestors 'none'" in kept.headers["Content-Security-Policy"]
    assert kept.headers["X-Content-Type-Options"] == "nosniff"
    assert missing.status == 404
    assert missing.headers["Cache-Control"] == "no-store"


async def test_files_travel_compressed_to_browsers_that_take_it(
    connect: Connect, static: Path
) -> None:
    (static / "app.js.gz").write_bytes(gzip.compress(b"export {}"))
    client = await connect(token=None, static=static)

    packed = await client.get("/static/app.js", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/static/app.js", headers={"Accept-Encoding": "identity"})

    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert await packed.text() == await plain.text() == "export {}"
    assert packed.content_type == plain.content_type


@pytest.mark.parametrize("path", ["/", "/sw.js", "/static/app.js", "/api/docs", "/api/health"])
async def test_no_page_may_be_framed(connect: Connect, static: Path, path: str) -> None:
    client = await connect(static=static, rules=ServerRules(allowed_origins=("https://a.example",)))

    answer = await client.get(path)

    assert answer.status == 200
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "a.example" not in answer.headers["Content-Security-Policy"]


async def test_a_server_with_pages_says_that_it_shows_graphs(
    connect: Connect, static: Path, tmp_path: Path
) -> None:
    with_pages = await connect(token=None, static=static)
    without = await connect(token=None, static=tmp_path / "nowhere")

    assert "graph_view" in (await (await with_pages.get("/api/health")).json())["features"]
    assert "graph_view" not in (await (await without.get("/api/health")).json())["features"]
    assert (await without.get("/sw.js")).status in {401, 404}
    assert "make web" in await (await without.get("/")).text()


async def test_texts_of_a_further_language_are_a_file_in_the_data_folder(
    connect: Connect, tmp_path: Path
) -> None:
    (tmp_path / "fr.json").write_text('{"Search": "Recherche"}', encoding="utf-8")
    client = await connect(token=None, texts=tmp_path)

    there = await client.get("/texts/fr.json")
    missing = await client.get("/texts/pl.json")
    elsewhere = await client.get("/texts/..%2Fsecret.json")

    assert await there.json() == {"Search": "Recherche"}
    assert missing.status == 404
    assert elsewhere.status == 401  # it names no route, and is refused like any other
