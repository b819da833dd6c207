"""Checking saved links against a small web on this computer."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from notewell.contract.status import RunRequest
from notewell.engine.engine import Engine
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.collect import Checked, GleaningFile, Mark
from notewell.features.gleanings.extract import Web, judge
from notewell.features.gleanings.requests import ExtractGleanings, GleaningsRequest, GleaningView
from notewell.features.gleanings.service import Gleanings
from tests.vaults import QUIET, indexed, write_notes
from tests.waiting import until

PAGE = b"""<!doctype html><html><head><title>Plain title</title>
<meta property="og:title" content="Bees &amp; hives"><meta name="description" content="They
fly."></head><body>x</body></html>"""
NAMES = ("alive", "dead", "moved", "slow", "huge", "inwards", "busy", "locked", "nohead", "lost")


class Site(BaseHTTPRequestHandler):
    """Hosts by name, all at one public address."""

    asked: ClassVar[list[str]] = []

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        host = self.headers["Host"].partition(".")[0]
        self.asked.append(f"{self.command} {host}")
        status, headers = {
            "dead": (404, {}),
            "moved": (301, {"Location": "http://alive.example/new"}),
            "inwards": (302, {"Location": "http://inside.example/secret"}),
            "busy": (503, {}),
            "locked": (401, {}),
            "nohead": (405 if self.command == "HEAD" else 200, {}),
        }.get(host, (200, {}))
        if host == "slow":
            time.sleep(1.5)
        with contextlib.suppress(OSError):
            self.send_response(status)
            for name, value in {"Content-Type": "text/html", **headers}.items():
                self.send_header(name, value)
            if host != "huge":
                self.send_header("Content-Length", str(len(PAGE) if status == 200 else 0))
            self.end_headers()
            if body and status == 200:
                self.wfile.write(PAGE)
            while body and host == "huge":
                self.wfile.write(b" " * 65536)


def resolve(host: str, _port: int) -> tuple[str, ...]:
    if host == "lost.example":
        raise OSError("no such name")
    return ("10.0.0.1",) if host == "inside.example" else ("93.184.216.34",)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Site]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    real = socket.create_connection

    def connect(place: tuple[str, int], *rest: object, **more: object) -> object:
        assert place[0] == "93.184.216.34", f"{place} must not be reached"
        return real(("127.0.0.1", server.server_address[1]), *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", connect)
    Site.asked = []
    yield Site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    lines = "".join(f"- http://{name}.example/\n" for name in NAMES)
    text = f"## Gleanings\n{lines}"
    write_notes(tmp_path / "vault", {"Daily/2026-11-21.md": text})
    sections = {"gleanings": GleaningRules(web=True)}
    with indexed(
        tmp_path, name="Notes", offline=False, vault=QUIET, of_features=sections
    ) as opened:
        yield opened


def views(engine: Engine) -> dict[str, GleaningView]:
    found = engine.answer(GleaningsRequest()).gleanings
    return {gleaning.domain.partition(".")[0]: gleaning for gleaning in found}


def check(engine: Engine) -> dict[str, int]:
    gleanings = Gleanings(engine.vault, lambda _: Web(seconds=0.7, resolve=resolve))
    run = gleanings.maintain().run
    shown = until(
        lambda: (one := engine.answer(RunRequest(run))).result != "running" and one, seconds=60
    )
    assert shown.result == "done"
    return dict(shown.counts)


def test_links_are_checked_and_only_the_dead_become_inactive(
    engine: Engine, site: type[Site], tmp_path: Path
) -> None:
    first = check(engine)
    assert {name: first[name] for name in ("alive", "moved", "gone", "unknown")} == {
        "alive": 3,  # one without HEAD, one that is huge
        "moved": 1,
        "gone": 3,  # 404, too slow, no such name
        "unknown": 3,  # 401, 503, and a redirect into the network
    }
    assert {view.status for view in views(engine).values()} == {"active"}  # one day is not enough
    assert views(engine)["alive"].title == "Bees & hives"  # a bare address has a title now
    assert views(engine)["alive"].description == "They fly."
    assert not [each for each in site.asked if "inside" in each]

    state = GleaningFile(engine.vault.folder)
    for key in state.load().marks:  # as if that had been yesterday
        state.mark(key, lambda mark: replace(mark, failed=tuple("2026-11-20" for _ in mark.failed)))
    assert check(engine)["dead"] == 3
    inactive = {name for name, one in views(engine).items() if one.status == "inactive"}
    assert inactive == {"dead", "slow", "lost"}
    assert views(engine)["dead"].reason == "it answers with status 404"

    engine.answer(ExtractGleanings())
    note = tmp_path / "vault" / "L/Gleanings" / f"{views(engine)['dead'].id}.md"
    assert "status: inactive" in note.read_text(encoding="utf-8")


def test_a_link_that_lives_again_is_restored_and_a_hidden_one_never_touched() -> None:
    alive = Checked("alive", "", "2026-11-22T10:00:00+00:00", 200)
    gone = Checked("gone", "it answers with status 404", "2026-11-23T10:00:00+00:00", 404)
    dead = Mark("inactive", "dead", failed=("2026-11-20", "2026-11-21"))

    assert judge(dead, alive).status == "active"
    assert judge(dead, alive).failed == ()
    assert judge(dead, alive).history[0].by == "maintain"
    hidden = Mark("hidden", "read")
    assert judge(hidden, gone) == judge(hidden, alive) == hidden
    once = judge(Mark(), gone)
    assert (once.status, judge(once, gone).status) == ("active", "active")  # twice on one day
    assert judge(once, replace(gone, verdict="unknown")).status == "active"


def test_without_a_network_no_link_dies(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> None:
        raise OSError("network is unreachable")

    monkeypatch.setattr(socket, "create_connection", offline)
    assert check(engine)["gone"] == len(NAMES)
    marks = GleaningFile(engine.vault.folder).load().marks
    assert all(mark.failed == () for mark in marks.values())
