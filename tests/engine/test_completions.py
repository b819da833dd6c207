"""Completions of queries, with a real engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notewell.contract.notes import NeighborsRequest
from notewell.contract.search import CompleteReply, CompleteRequest
from notewell.engine.answers import answer
from notewell.engine.engine import Engine
from tests.vaults import indexed, tiny_rules, write_notes

NOTES = {
    ".obsidian/daily-notes.json": '{"folder": "Days"}',
    "Days/2026-01-01.md": "[[Bees]] and [[Roof]].",
    "Bees.md": "---\ntags: [garden]\naliases: [Honey]\n---\nBees in the garden. See [[Hive]], ![[bee.png]].",
    "Hive.md": "The hive. [[Bees]] [[Smoker]] [[Smoker]]",
    "Roof.md": "---\ntags: [garden/roof]\n---\nA garden on the roof: bees and a hive.",
    "Alone.md": "Nothing to see.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = tmp_path_factory.mktemp("completions")
    with indexed(home, NOTES, model=tiny_rules(home)) as opened:
        yield opened


def test_completions_include_a_new_note(engine: Engine) -> None:
    def completions(prefix: str) -> dict[str, int]:
        reply = answer(engine, CompleteRequest(prefix))
        assert isinstance(reply, CompleteReply)
        return {completion.insert: completion.count for completion in reply.completions}

    assert completions("tag:gar") == {"tag:garden": 2, "tag:garden/roof": 1}
    assert completions("[[bee") == {"[[Bees]]": 2}

    write_notes(engine.record.path, {"New.md": "[[Alone]] #gargoyle"})
    engine.index_now()

    assert "tag:gargoyle" in completions("tag:gar")
    assert answer(engine, NeighborsRequest("Alone.md")).total == 1
