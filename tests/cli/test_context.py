"""`notewell context` and `notewell mcp`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.support import CommandLine


@pytest.mark.usefixtures("indexed")
def test_the_context_is_printed_with_its_sources(notewell: CommandLine) -> None:
    ran = notewell("context", "bees", "--budget", "500", "--fill")
    assert ran.exit_code == 0
    assert '<retrieved_document n="1"' in ran.stdout
    assert "Sources:\n[1] " in ran.stdout
    assert "of 500 tokens (estimate)" in ran.stderr


@pytest.mark.usefixtures("indexed")
def test_as_json_it_is_the_routes_document(notewell: CommandLine) -> None:
    document = json.loads(notewell("context", "bees", "--json").stdout)
    assert document["tokens"] <= document["budget_tokens"] == 4000
    assert document["sources"][0]["n"] == 1


@pytest.mark.usefixtures("indexed")
def test_nothing_found_prints_nothing(notewell: CommandLine) -> None:
    ran = notewell("context", '"no such phrase anywhere"')
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "0 notes" in ran.stderr


@pytest.mark.usefixtures("indexed")
def test_a_budget_that_is_too_small_is_refused(notewell: CommandLine) -> None:
    assert notewell("context", "bees", "--budget", "10", fails=2).stdout == ""


def test_an_assistant_is_not_given_an_unknown_vault(notewell: CommandLine, vault: Path) -> None:
    notewell("index", vault)
    ran = notewell("mcp", "--vault", "Elsewhere", fails=3)
    assert (ran.exit_code, ran.stdout) == (3, "")
    assert "known: Notes" in ran.stderr
