"""Attachments: found as Obsidian finds them, of known kinds only, and never from outside the vault."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from notewell.base.types import ServerRules, VaultRules
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.doors.web.fakes import Client, Connect, FakeVaults
from tests.vault.pdf_files import pdf
from tests.vaults import settings_in

PNG = b"\x89PNG\r\n\x1a\n rest"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


@pytest.fixture
async def client(connect: Connect, tmp_path: Path) -> Client:
    root = tmp_path / "Garden"
    for path, raw in {
        "Notes/Bees.md": b"![[bee.png]]",
        "Notes/near.png": PNG,
        "Pictures/deep/bee.png": PNG,
        "assets/kept.png": PNG,
        "drawing.svg": SVG,
        "fake.png": b"<html><script>alert(1)</script>",
        "page.html": b"<html>",
        "Papers/wings.pdf": pdf([["One."], ["Two."]]),
        "Private/secret.png": PNG,
        ".obsidian/app.json": b'{"attachmentFolderPath": "assets", "userIgnoreFilters": ["Private/"]}',
        ".obsidian/icon.png": PNG,
    }.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)
    (tmp_path / "outside.png").write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    settings = settings_in(
        tmp_path,
        vault=VaultRules(watch="off"),
        server=ServerRules(),
    )
    vaults = Vaults(settings, features=FEATURES)
    vaults.open(vaults.add(root), writable=True).index_now()
    vaults.serve(vaults.records())
    return await connect(cast("FakeVaults", vaults))


@pytest.mark.parametrize(
    "asked",
    [
        {"path": "Pictures/deep/bee.png"},
        {"path": "bee.png", "from": "Notes/Bees.md"},
        {"path": "near.png", "from": "Notes/Bees.md"},
        {"path": "../Pictures/deep/bee.png", "from": "Notes/Bees.md"},
        {"path": "kept.png", "from": "Notes/Bees.md"},
    ],
)
async def test_a_picture_is_found_as_obsidian_finds_it(
    client: Client, asked: dict[str, str]
) -> None:
    answer = await client.get("/api/file", params=asked)

    assert (answer.status, answer.content_type, await answer.read()) == (200, "image/png", PNG)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_drawing_may_run_nothing(client: Client) -> None:
    answer = await client.get("/api/file", params={"path": "drawing.svg"})

    assert answer.content_type == "image/svg+xml"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "sandbox" in answer.headers["Content-Security-Policy"]


async def test_a_page_of_a_pdf_is_sent_as_a_picture(client: Client) -> None:
    asked = {"path": "wings.pdf", "from": "Notes/Bees.md"}
    whole = await client.get("/api/file", params=asked)
    page = await client.get("/api/file", params={**asked, "page": "2"})

    assert (whole.content_type, page.content_type) == ("application/pdf", "image/png")
    assert (await page.read()).startswith(PNG[:8])
    assert page.headers["Content-Disposition"] == "inline"


async def test_what_a_browser_has_is_neither_drawn_nor_sent_again(
    client: Client, tmp_path: Path
) -> None:
    asked = {"path": "wings.pdf", "from": "Notes/Bees.md", "page": "1"}
    first = await client.get("/api/file", params=asked)
    known = {"If-None-Match": first.headers["ETag"]}
    again = await client.get("/api/file", params=asked, headers=known)
    other = await client.get("/api/file", params={**asked, "page": "2"}, headers=known)
    (tmp_path / "Garden" / "Papers" / "wings.pdf").write_bytes(pdf([["Three."]]))
    changed = await client.get("/api/file", params=asked, headers=known)

    assert (first.status, again.status, await again.read()) == (200, 304, b"")
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"] == "private, no-cache"
    assert (other.status, changed.status) == (200, 200)
    assert changed.headers["ETag"] != first.headers["ETag"]


@pytest.mark.parametrize(
    ("asked", "status", "why"),
    [
        ({"path": "wings.pdf", "page": "3"}, 404, "has 2 pages, no page 3"),
        ({"path": "wings.pdf", "page": "-1"}, 400, "its number"),
        ({"path": "wings.pdf", "page": "1" * 400}, 400, "its number"),
        ({"path": "kept.png", "page": "1"}, 400, "is not a PDF"),
    ],
)
async def test_a_page_that_is_not_there_is_said(
    client: Client, asked: dict[str, str], status: int, why: str
) -> None:
    answer = await client.get("/api/file", params=asked)

    assert (answer.status, why in (await answer.text())) == (status, True)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("Notes/Bees.md", 400),
        ("page.html", 400),
        ("fake.png", 400),
        ("", 400),
        ("gone.png", 404),
        (".obsidian/icon.png", 404),
        ("Private/secret.png", 404),
        ("secret.png", 404),
        ("icon.png", 404),
        ("../outside.png", 404),
        ("/etc/passwd.png", 400),
        ("link.png", 400),
        ("a\0b.png", 400),
        ("x" * 5000 + ".png", 404),
    ],
)
async def test_nothing_else_is_sent(client: Client, path: str, status: int) -> None:
    answer = await client.get("/api/file", params={"path": path})

    assert (answer.status, answer.content_type) == (status, "application/problem+json")


async def test_a_stranger_gets_no_file(client: Client) -> None:
    answer = await client.get(
        "/api/file", params={"path": "drawing.svg"}, headers={"Authorization": "Bearer no"}
    )
    assert answer.status == 401
