"""Attacks on what features do beyond searching, on a real server: nothing outside the vault is read or written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import pytest

SECRET = "launch code 4711"
DAY = "Daily/2026-11-21.md"
NOTES = {
    DAY: "## Gleanings\n\n- [Bees](https://bees.example/a)\n",
    "A.md": "See [[Bee]] and [[Bees]].\n",
    "B.md": "The [[Bees]] hive. #Bee #bee\n",
    "Bees.md": "Bees.\n",
}
Reply: TypeAlias = tuple[int, Any]


class Server:
    """A server of its own, asked with its own token."""

    def __init__(self, root: Path, vault: Path) -> None:
        """Start it, and index the vault first."""
        self.vault, self.outside = vault, root / "outside"
        environ = os.environ | {
            "NOTEWELL_DATA_DIR": str(root / "data"),
            "NOTEWELL_CONFIG": str(root / "config.toml"),
            "NOTEWELL_OFFLINE": "1",
        }
        run = [sys.executable, "-m", "notewell"]
        subprocess.run(
            [*run, "index", str(vault)], env=environ, check=True, capture_output=True, timeout=120
        )
        self.process = subprocess.Popen(
            [*run, "serve", "--port", "0", "--handshake"],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=vault,
        )
        assert self.process.stdout is not None
        hello = json.loads(self.process.stdout.readline())
        self.port, self.token = hello["port"], hello["token"]

    def ask(self, method: str, route: str, body: object = None, /, **query: object) -> Reply:
        address = f"{route}?{urlencode(query)}" if query else route
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, address, sent, headers)
            reply = connection.getresponse()
            raw = reply.read()
        assert SECRET.encode() not in raw
        try:
            return reply.status, json.loads(raw)
        except ValueError:
            return reply.status, raw

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("attacked")
    vault, outside = root / "vault", root / "outside"
    (vault / "Daily").mkdir(parents=True)
    outside.mkdir()
    (root / "allowed").mkdir()
    (root / "allowed" / "Paper.md").write_text("# Paper\n", encoding="utf-8")
    (root / "allowed" / "way out").symlink_to(outside)
    (root / "allowed" / "secret.md").symlink_to(outside / "secret.md")
    (outside / "secret.md").write_text(f"---\nkind: x\n---\n{SECRET}\n", encoding="utf-8")
    for path, text in NOTES.items():
        (vault / path).write_text(text, encoding="utf-8")
    (vault / "way out").symlink_to(outside)
    (vault / "Link.md").symlink_to(outside / "secret.md")
    allow = json.dumps([str(root / "allowed")])
    (root / "config.toml").write_text(f"[documents]\nallow = {allow}\n", encoding="utf-8")
    started = Server(root, vault)
    yield started
    started.close()
    assert (outside / "secret.md").read_text(encoding="utf-8").endswith(f"{SECRET}\n")
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]


OUT = ("..", "../outside", "way out", "/etc", "/", "~", "\\\\server\\x", "a\0b")


@pytest.mark.parametrize("out", OUT, ids=repr)
@pytest.mark.parametrize("route", ["/api/documents", "/api/sources"])
def test_no_place_outside_what_is_allowed_is_indexed(server: Server, route: str, out: str) -> None:
    allowed = server.vault.parent / "allowed"
    place = out if out.startswith(("/", "~", "\\")) else f"{allowed}/{out}"
    status, reply = server.ask("POST", route, {"place": place})
    assert status in {400, 403, 404}, reply
    assert reply["code"]


def test_documents_that_are_allowed_leave_links_out_of_their_folder_unread(server: Server) -> None:
    place = str(server.vault.parent / "allowed")
    status, reply = server.ask("POST", "/api/documents", {"place": place, "namespace": "Papers"})
    assert status in {200, 202}, reply
    for name in ("secret.md", "way out/secret.md", "../outside/secret.md"):
        status, _ = server.ask("GET", "/api/note", path=f".documents/Papers/allowed/{name}")
        assert status in {400, 404}
    _, found = server.ask("GET", "/api/search", q=SECRET[:-5], weak="true")
    assert "secret" not in json.dumps(found["results"])


@pytest.mark.parametrize("namespace", ["", ".", "..", ".gleanings", "a/b", "a\0b", "../../x"])
def test_no_namespace_is_a_path_or_that_of_saved_links(server: Server, namespace: str) -> None:
    place = str(server.vault.parent / "allowed")
    status, _ = server.ask("POST", "/api/documents", {"place": place, "namespace": namespace})
    assert status == 400


EDITED = (
    "../outside/secret.md",
    "way out/secret.md",
    "Link.md",
    ".obsidian/app.json",
    ".notewell.toml",
    ".documents/Papers/allowed/Paper.md",
    f".documents/.gleanings/{DAY}/0123456789ab.md",
    "/etc/passwd",
)


@pytest.mark.parametrize("path", EDITED)
def test_no_property_is_written_outside_the_notes(server: Server, path: str) -> None:
    edit = {"path": path, "set": {"kind": "y"}}
    status, reply = server.ask("POST", "/api/note/properties", edit)
    assert status in {400, 403, 404, 409}, reply
    status, reply = server.ask("POST", "/api/note/properties/batch", {"edits": [edit]})
    assert status >= 400 or (reply["changed"], len(reply["refused"])) == (0, 1)
    assert not (server.vault / ".documents").exists()
    assert (server.vault.parent / "allowed/Paper.md").read_text(encoding="utf-8") == "# Paper\n"


SAVED = (
    f".documents/.gleanings/{DAY}/../../../outside/secret.md",
    ".documents/.gleanings/../../outside/secret.md/0123456789ab.md",
    ".documents/.gleanings/way out/secret.md/0123456789ab.md",
    ".documents/.gleanings/Link.md/0123456789ab.md",
    f".documents/.gleanings/{DAY}/0123456789ab.md",
    f".documents/.gleanings/{DAY}",
    ".documents/.gleanings",
)


@pytest.mark.parametrize("path", SAVED)
@pytest.mark.parametrize("route", ["/api/note", "/api/file", "/api/ledger", "/api/similar"])
def test_no_path_of_a_saved_link_leads_elsewhere(server: Server, route: str, path: str) -> None:
    status, reply = server.ask("GET", route, path=path)
    assert status < 500, reply
    if route != "/api/ledger":
        assert status in {400, 404}, reply


def test_a_saved_link_is_no_file_that_is_sent(server: Server) -> None:
    _, found = server.ask("GET", "/api/search", q="type:gleaning")
    (path,) = (result["path"] for result in found["results"])
    assert server.ask("GET", "/api/file", path=path)[0] in {400, 404}


@pytest.mark.parametrize("plan", ["..", "../../x", "20261122-103000", "%00", "a" * 300])
@pytest.mark.parametrize("end", ["", "/apply", "/reject", "/undo"])
def test_no_plan_is_found_by_a_path(server: Server, plan: str, end: str) -> None:
    address = f"/api/garden/plans/{quote(plan, safe='%')}{end}"
    status, reply = server.ask("POST" if end else "GET", address, {} if end else None)
    assert status in {400, 404}, reply


def test_a_plan_writes_what_it_showed_and_no_suggestion_of_another(server: Server) -> None:
    status, plan = server.ask("POST", "/api/garden/plans", {})
    assert status == 200, plan
    paths = {edit["path"] for suggestion in plan["suggestions"] for edit in suggestion["edit"]}
    assert paths <= {*NOTES}
    before = {path: (server.vault / path).read_text(encoding="utf-8") for path in NOTES}
    address = f"/api/garden/plans/{plan['id']}/apply"
    for only in (["0123456789ab"], ["../../x"]):
        status, reply = server.ask("POST", address, {"only": only})
        assert status >= 400 or reply["applied"] == [], reply
    assert before == {path: (server.vault / path).read_text(encoding="utf-8") for path in NOTES}


@pytest.mark.parametrize(
    "change", [{"on": "../x"}, {"folder": "../outside"}, {"path": "/etc"}, {"on": True, "x": 1}]
)
def test_the_file_for_phones_is_written_nowhere_else(server: Server, change: object) -> None:
    status, reply = server.ask("POST", "/api/phone-index", change)
    assert status == 400, reply
