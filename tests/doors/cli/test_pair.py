"""`notewell pair`: what it prints, and what it says about a server that only listens here."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from notewell.engine.access import Devices
from tests.doors.cli.support import CommandLine


def test_it_prints_a_link_for_a_browser_and_one_for_obsidian(
    notewell: CommandLine, tmp_path: Path
) -> None:
    done = notewell("pair", "--url", "https://notes.home.arpa/")
    browser, obsidian = done.stdout.splitlines()

    assert browser.startswith("https://notes.home.arpa/#/pair?code=")
    assert obsidian.startswith("obsidian://notewell-pair?url=https%3A%2F%2Fnotes.home.arpa&code=")
    assert "once, within 10 minutes" in done.stderr
    (code,) = parse_qs(urlsplit(obsidian).query)["code"]
    paired = Devices(tmp_path / "data" / "state").pair(code, "phone")
    assert paired is not None


def test_it_says_that_only_this_computer_reaches_the_server(notewell: CommandLine) -> None:
    alone = notewell("pair")

    assert "Only this computer reaches that address" in alone.stderr
    assert "docs/home-server.md" in alone.stderr
    assert "Only this computer" not in notewell("pair", "--url", "https://box.ts.net").stderr


def test_a_qr_code_is_drawn_beside_the_links(notewell: CommandLine) -> None:
    done = notewell("pair", "--qr")

    assert "\u2584" in done.stderr
    assert len(done.stdout.splitlines()) == 2


def test_a_terminal_draws_no_code_of_an_address_that_no_phone_can_open(
    notewell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)

    assert "\u2584" in notewell("pair", "--url", "https://box.ts.net").stderr
    assert "\u2584" not in notewell("pair").stderr


def test_programs_get_json(notewell: CommandLine) -> None:
    made = json.loads(notewell("pair", "--scope", "read", "--json").stdout)

    assert made["scope"] == "read"
    assert made["loopback"] is True
    assert made["code"] in made["url"]
    assert made["code"] in made["obsidian"]


def test_neither_a_hostile_address_nor_administration_is_taken(notewell: CommandLine) -> None:
    assert "an address is" in notewell("pair", "--url", "https://a@evil.example", fails=2).stderr
    notewell("pair", "--scope", "admin", fails=2)


def test_links_that_nobody_used_can_be_cancelled(notewell: CommandLine, tmp_path: Path) -> None:
    code = json.loads(notewell("pair", "--json").stdout)["code"]

    assert "One link is not valid any more." in notewell("pair", "--cancel").stdout
    assert Devices(tmp_path / "data" / "state").pair(code, "phone") is None
    assert json.loads(notewell("pair", "--cancel", "--json").stdout) == {"cancelled": 0}
