"""A server that only reads follows what another one writes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from notewell.base.errors import IndexFailure
from notewell.base.types import Batch
from notewell.engine.follower import Follower
from notewell.index.engines import open_index
from notewell.index.port import Index
from tests.index.conftest import Material
from tests.waiting import until


@pytest.fixture
def indexes(tmp_path: Path) -> Iterator[tuple[Index, Index]]:
    """A writer's index, and the same one as a reader has it."""
    with ExitStack() as stack:
        opened = []
        for writable in (True, False):
            index = open_index(tmp_path / "index", writable=writable)
            stack.callback(index.close)
            opened.append(index)
        yield opened[0], opened[1]


def test_what_a_writer_commits_is_served(indexes: tuple[Index, Index]) -> None:
    writer, reader = indexes
    follower = Follower(reader, every_s=0.01)
    follower.start()
    writer.apply(Batch(puts=(Material().note("A.md", "the kettle boils"),)))

    until(lambda: reader.note_at("A.md") is not None and reader.generation == writer.generation)

    follower.stop()
    follower.stop()


def test_a_lost_index_is_told_once_and_so_is_its_return(
    indexes: tuple[Index, Index], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "notewell.engine.follower")
    _, reader = indexes
    answers: list[int] = []

    def refresh() -> bool:
        answers.append(len(answers))
        if len(answers) < 4:
            raise IndexFailure("The database does not answer.")
        return False

    monkeypatch.setattr(reader, "refresh", refresh)
    follower = Follower(reader, every_s=0.01)
    follower.start()
    until(lambda: len(answers) > 5)
    follower.stop()

    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
