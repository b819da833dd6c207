"""Searches at the same time: one after the other, but nobody waits for another's model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import FloatArray, ModelRules, VaultRecord
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.searcher import SearchTurns
from notewell.features import FEATURES
from tests.search.library import HashedWords
from tests.vaults import settings_in

WAIT_S = 20.0
WORDS = ("bread", "water", "river", "garden", "moon", "city")


class SlowModel(HashedWords):
    """Embeds queries only when it is allowed to, as a busy service does."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.allowed = threading.Event(), threading.Event()
        self.allowed.set()

    def embed_query(self, text: str) -> FloatArray:
        self.asked.set()
        assert self.allowed.wait(WAIT_S)
        return super().embed_query(text)


@pytest.fixture
def model() -> SlowModel:
    return SlowModel()


@pytest.fixture
def engine(tmp_path: Path, model: SlowModel) -> Iterator[Engine]:
    vault = tmp_path / "vault"
    vault.mkdir()
    for number, word in enumerate(WORDS):
        text = f"The {word} is old. {WORDS[number - 1].title()} is by the {word}.\n"
        (vault / f"{word.title()}.md").write_text(text, encoding="utf-8")
    settings = settings_in(tmp_path)

    def load(_rules: ModelRules, **_asked: Any) -> SlowModel:
        return model

    record = VaultRecord("v1", "vault", vault)
    engine = Engine.open(
        record, tmp_path / "index", settings, writable=True, load_model=load, features=FEATURES
    )
    engine.index_now()
    yield engine
    engine.close()


def scores(replies: Sequence[SearchReply]) -> list[list[tuple[str, float]]]:
    return [[(result.path, result.score) for result in reply.results] for reply in replies]


def ask(engine: Engine, query: str, mode: Any = "hybrid") -> SearchReply:
    return engine.search(SearchRequest(query, mode=mode, weak=True))


def test_a_search_does_not_wait_for_the_model_of_another(engine: Engine, model: SlowModel) -> None:
    model.allowed.clear()
    model.asked.clear()
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(ask, engine, "river")
        try:
            assert model.asked.wait(WAIT_S)
            quick = threads.submit(ask, engine, "bread", "keyword").result(WAIT_S)
            assert not slow.done()
        finally:
            model.allowed.set()
        found = slow.result(WAIT_S)

    assert quick.results[0].path == "Bread.md"
    assert found.results[0].path == "River.md"


def test_searches_at_the_same_time_find_what_they_find_alone(engine: Engine) -> None:
    queries = [f"{word} {other}" for word in WORDS for other in WORDS if word != other]
    alone = scores([ask(engine, query) for query in queries])

    with ThreadPoolExecutor(8) as threads:
        together = scores(list(threads.map(lambda query: ask(engine, query), queries)))

    assert together == alone


def test_one_thread_at_a_time_has_the_turn() -> None:
    turns, inside, most = SearchTurns(), [0], [0]

    def work(_: int) -> None:
        with turns.take_turn():
            for _ in range(50):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1
                with turns.aside():
                    pass

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))

    assert (inside[0], most[0]) == (0, 1)


def test_a_model_that_fails_leaves_the_turn_to_the_next() -> None:
    turns = SearchTurns()

    with pytest.raises(OSError, match="gone"), turns.take_turn(), turns.aside():
        raise OSError("gone")

    with ThreadPoolExecutor(1) as threads, turns.take_turn():
        other = threads.submit(lambda: turns.take_turn().__enter__())
        assert not other.done()
    other.result(WAIT_S)
