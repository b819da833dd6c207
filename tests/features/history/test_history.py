"""Searches of the past, which equal those of a checkout, and the versions of notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import NotewellError, SourceError, UsageError
from notewell.base.types import FloatArray, ModelRules, Settings, VaultRecord
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.history.requests import HistoryReply, HistoryRequest
from tests.features.history.repository import Repository, needs_git
from tests.tiny_model import write_tiny_model

BEES = "Bees dance to tell where flowers are.\n"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("repo"), "vault")
    made.commit("2025-01-10", {"Bees.md": BEES, "Trams.md": "The city has trams.\n"}, "Begin")
    made.commit("2025-02-10", {"Bees.md": f"{BEES}Smoke calms them.\n"}, "Smoke")
    made.commit("2025-03-10", {"Bees.md": "Honey is food.\n", "Trams.md": None}, "Rewrite")
    made.commit("2025-04-10", {"Wasps.md": "Wasps make paper.\n"}, "Wasps")
    return made


def opened(vault: Path, folder: Path, weights: Path) -> Engine:
    rules = ModelRules(name="tiny", folder=str(weights), quantisation="fp32")
    settings = Settings(folder, folder, folder, offline=True, model=rules)
    record = VaultRecord("v1", "Notes", vault)
    engine = Engine.open(record, folder / "index", settings, writable=True, features=FEATURES)
    engine.index_now()
    return engine


@pytest.fixture(scope="module")
def engine(
    repository: Repository, weights: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    made = opened(repository.vault, tmp_path_factory.mktemp("data"), weights)
    yield made
    made.close()


def searched(engine: Engine, query: str, **fields: object) -> SearchReply:
    return engine.search(SearchRequest(query, weak=True, **fields))  # type: ignore[arg-type]


def paths(reply: SearchReply) -> list[str]:
    return [result.path for result in reply.results]


@pytest.mark.parametrize(
    ("day", "query", "found"),
    [
        ("2025-01-31", "trams", ["Trams.md"]),
        ("2025-01-31", "smoke", []),
        ("2025-02-10", "smoke", ["Bees.md"]),
        ("2025-03-31", "trams", []),
        ("2025-03-31", "wasps", []),
    ],
)
def test_a_day_has_the_notes_of_that_day(
    engine: Engine, day: str, query: str, found: list[str]
) -> None:
    reply = searched(engine, query, as_of=day, mode="keyword")
    assert paths(reply) == found
    assert all(result.as_of == day for result in reply.results)


def test_results_equal_those_of_a_checkout(
    engine: Engine, repository: Repository, weights: Path, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "then"), "HEAD~2")
    checkout = opened(tmp_path / "then" / "vault", tmp_path / "data", weights)
    for query in ("bees", "trams in the city", "where do flowers grow", "smoke -trams"):
        then, past = searched(checkout, query), searched(engine, query, as_of="2025-02-28")
        assert [(result.path, result.score, result.snippet) for result in past.results] == [
            (result.path, result.score, result.snippet) for result in then.results
        ]
        assert past.confidence == then.confidence
    checkout.close()
    repository.git("worktree", "remove", "--force", str(tmp_path / "then"))


def test_ever_finds_what_is_gone_beside_what_is_there(engine: Engine) -> None:
    gone = searched(engine, "trams", ever=True, mode="keyword")
    assert [(result.path, result.current) for result in gone.results] == [("Trams.md", False)]

    rewritten = searched(engine, "flowers", ever=True, mode="keyword").results
    assert [(result.path, result.current) for result in rewritten] == [("Bees.md", False)]
    assert "dance" in rewritten[0].snippet

    there = searched(engine, "honey", ever=True, mode="keyword").results
    assert [(result.path, result.current) for result in there] == [("Bees.md", None)]


def test_what_changed_its_marks_only_is_not_gone(weights: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.commit("2025-01-10", {"Plan.md": "# Dues of May\n\n- [ ] due 3 May, pay Bo\n"})
    repository.commit("2025-01-11", {"Plan.md": "Dues of May\n\n- [ ] **due** 3 May, pay Bo\n"})
    repository.commit("2025-01-12", {"Plan.md": "```js code\n- [ ] due 5 May, pay Bo\n"})
    repository.commit("2025-01-13", {"Plan.md": "- [ ] due 5 May, pay Bo\n"})
    engine = opened(repository.vault, tmp_path / "data", weights)
    gone = [
        result.snippet
        for result in searched(engine, "due may", ever=True, mode="keyword").results
        if result.current is False
    ]
    assert len(gone) == 1
    assert "3 May" in gone[0]
    assert "Dues of May" in gone[0]  # no heading, below which the other line never stood
    engine.close()


def test_an_ordinary_search_knows_nothing_of_the_past(engine: Engine) -> None:
    assert paths(searched(engine, "trams", mode="keyword")) == []


def test_texts_that_the_index_has_are_not_embedded_again(
    repository: Repository, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = opened(repository.vault, tmp_path, weights)
    model = fresh.vault.embedder()
    assert model is not None
    embed, embedded = model.embed_passages, list[str]()

    def counting(texts: Sequence[str]) -> FloatArray:
        embedded.extend(texts)
        return embed(texts)

    monkeypatch.setattr(model, "embed_passages", counting)
    found = searched(fresh, "honey", as_of="2025-03-20").results
    assert (embedded, found[0].path) == ([], "Bees.md")
    searched(fresh, "honey", as_of="2025-01-20")
    assert len(embedded) == 2
    fresh.close()


@pytest.mark.parametrize("day", ["yesterday", "2025-13-01", "9999-12-31", ""])
def test_what_is_no_day_is_refused(engine: Engine, day: str) -> None:
    with pytest.raises(UsageError, match="2025-03-01"):
        searched(engine, "bees", as_of=day)


def test_a_day_before_the_first_commit_is_told(engine: Engine) -> None:
    with pytest.raises(UsageError, match="begins after"):
        searched(engine, "bees", as_of="2020-01-01")


def asked(engine: Engine, query: str, path: str | None = None, limit: int = 20) -> HistoryReply:
    return engine.answer(HistoryRequest(query, path, limit))


def test_versions_tell_the_lines_that_came_and_went(engine: Engine) -> None:
    reply = asked(engine, "dancing bees", "Bees.md")
    assert [(version.added, version.removed) for version in reply.versions] == [
        ((), (BEES.strip(),)),
        ((BEES.strip(),), ()),
    ]
    assert reply.first == reply.versions[-1]
    assert reply.first is not None
    assert reply.first.at.startswith("2025-01-10")


def test_all_notes_are_looked_through_without_a_path(engine: Engine) -> None:
    reply = asked(engine, "the trams", limit=1)
    assert (reply.total, len(reply.versions)) == (2, 1)
    assert reply.first is not None
    assert (reply.first.path, reply.first.subject) == ("Trams.md", "Begin")


def test_without_words_all_changes_are_told(engine: Engine) -> None:
    assert [version.subject for version in asked(engine, "", "Bees.md").versions] == [
        "Rewrite",
        "Smoke",
        "Begin",
    ]


def test_a_vault_without_history_is_told(weights: Path, tmp_path: Path) -> None:
    needs_git()
    (tmp_path / "vault").mkdir()
    plain = opened(tmp_path / "vault", tmp_path / "data", weights)
    for ask in (
        lambda: asked(plain, "bees"),
        lambda: searched(plain, "bees", as_of="2025-01-01"),
        lambda: searched(plain, "bees", ever=True),
    ):
        with pytest.raises(SourceError, match="no history"):
            ask()
    plain.close()


def test_without_the_feature_the_past_is_not_searched(
    repository: Repository, weights: Path, tmp_path: Path
) -> None:
    rules = ModelRules(name="tiny", folder=str(weights), quantisation="fp32")
    settings = Settings(tmp_path, tmp_path, tmp_path, offline=True, model=rules)
    record = replace(VaultRecord("v1", "Notes", repository.vault))
    engine = Engine.open(record, tmp_path / "index", settings, writable=True)
    with pytest.raises(NotewellError, match="feature"):
        searched(engine, "bees", as_of="2025-02-01")
    engine.close()
