"""Conditions find what they say, on every engine: words, phrases and dates in all places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.contract.search import Result, SearchReply
from notewell.engine.feature import engines
from notewell.features import FEATURES
from notewell.index.engines import ENGINES, open_index
from notewell_postgres.address import parse, write
from tests import in_memory
from tests.search.library import HashedWords, Library, index_vault

ADDED = {**engines(FEATURES), "in_memory": in_memory.ENGINE}

NOTES = {
    "Novel.md": "---\nauthor: Jane Doe\ntopics:\n  - '[[Sync conflicts]]'\n  - Gardens\n"
    "description: A quiet harbour town\nstage: first draft\n---\nA story by the sea.\n",
    "Card.md": "---\nwriter: Jane Doe\nstage: final\nrating: 5\n---\n",
    "Split.md": "---\nauthors: [Jane, Doe]\nstages: [first, draft]\n---\nSome text.\n",
    "Nested.md": "---\nperson: {first: Ann Lee, last: Mobile Roe}\n---\nSome text.\n",
    "Jane.md": "# Doe\n\nSome text about nothing.\n",
    "Met.md": "In the evening I met **Jane** Doe.\n",
    "Short.md": "---\naliases: [The Other Name]\ntags: [area/deep-work]\n---\nSome text.\n",
    "Deep.md": "# A quiet place\n\n## Far away\n\nSome text.\n",
    "Phones/Charger.md": "A mobile phone needs it.\n",
    "Film.md": "A YouTube video, seen with iPadOS and found on github.\n",
    "Link.md": "---\nsee: '[Old harbour](Places/Old%20harbour.md)'\n---\nSome text.\n",
}


def _open(engine: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Library]:
    if engine == "postgres":
        address, _ = parse(request.getfixturevalue("postgres").url())
        write(folder / "index", replace(address, vault=str(folder)))
    root = folder / "My Notes"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    index = open_index(folder / "index", writable=True, engine=engine, added=ADDED)
    words = HashedWords()
    index_vault(index, root, words)
    yield Library(root, index, words)
    index.close()


@pytest.fixture(scope="module", params=sorted({*ENGINES, *ADDED}))
def library(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    yield from _open(request.param, tmp_path_factory.mktemp("library"), request)


def found(library: Library, query: str, **asked: object) -> set[str]:
    return set(library.paths(query, mode="keyword", limit=100, **asked))


def result(reply: SearchReply, path: str) -> Result:
    return next(result for result in reply.results if result.path == path)


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ('"Jane Doe"', {"Novel.md", "Card.md", "Met.md"}),
        ('"jane  DOE"', {"Novel.md", "Card.md", "Met.md"}),
        ('"Doe"', {"Novel.md", "Card.md", "Split.md", "Jane.md", "Met.md"}),
        ('"Sync conflicts"', {"Novel.md"}),
        ('"quiet harbour"', {"Novel.md"}),
        ('"harbour town"', {"Novel.md"}),
        ('"first draft"', {"Novel.md"}),
        ('"Ann Lee"', {"Nested.md"}),
        ('"Lee Mobile"', set()),
        ('"Doe final"', set()),
        ('"writer Jane"', set()),
        ('"Other Name"', {"Short.md"}),
        ('"deep-work"', {"Short.md"}),
        ('"quiet place"', {"Deep.md"}),
        ('"place Far"', set()),
        ('"old harbour"', {"Link.md"}),
        ('"Phones/Charger"', {"Phones/Charger.md"}),
        ('"a youtube video"', {"Film.md"}),
        ('"a YouTube VIDEO"', {"Film.md"}),
        ('"with ipados and"', {"Film.md"}),
        ('"on GitHub"', {"Film.md"}),
        ('"you tube"', set()),
    ],
)
def test_a_phrase_is_found_wherever_words_are(
    library: Library, words: str, paths: set[str]
) -> None:
    assert found(library, words) == paths
    assert found(library, f"-{words}") == set(NOTES) - paths


@pytest.mark.parametrize(
    ("word", "paths"),
    [
        ("mobile", {"Nested.md", "Phones/Charger.md"}),
        ("harbour", {"Novel.md", "Link.md"}),
        ("draft", {"Novel.md", "Split.md"}),
        ("gardens", {"Novel.md"}),
        ("charger", {"Phones/Charger.md"}),
        ("5", {"Card.md"}),
        ("deep-work", {"Short.md"}),
        ("first-draft", {"Novel.md"}),
        ("youtube", {"Film.md"}),
        ("YouTube", {"Film.md"}),
        ("GitHub", {"Film.md"}),
        ("garden", set()),  # another form of a word is another word
    ],
)
def test_an_excluded_word_is_absent_wherever_it_would_be_found(
    library: Library, word: str, paths: set[str]
) -> None:
    assert found(library, f"-{word}") == set(NOTES) - paths
    assert found(library, word) >= paths
    assert found(library, f"some -{word}") == found(library, "some") - paths


def test_a_phrase_in_a_property_is_told(library: Library) -> None:
    reply = library.search('"jane doe"', mode="keyword", weak=False)

    told = {
        result.path: [(reason.kind, reason.text) for reason in result.reasons]
        for result in reply.results
    }
    assert told == {
        "Novel.md": [("phrase", "author: Jane Doe")],
        "Card.md": [],  # its passage is the line of its properties
        "Met.md": [],
    }
    card = result(reply, "Card.md")
    assert card.snippet.startswith("writer: Jane Doe")
    assert all(result.match in {"strong", "related"} for result in reply.results)


def test_a_phrase_in_an_alias_a_tag_or_a_link_is_told(library: Library) -> None:
    def told(query: str) -> list[str]:
        (only,) = library.search(query, mode="keyword").results
        return [reason.text for reason in only.reasons]

    assert told('"other name"') == ["alias: The Other Name"]
    assert told('"area deep" OR "area/deep"') == ["tag: area/deep-work"]
    assert told('"sync conflicts"') == ["topics: Sync conflicts"]
    assert told('"old harbour"') == ["see: Old harbour"]
    assert told('"quiet place"') == []  # the heading is shown


def test_the_condition_is_explained(library: Library) -> None:
    reply = library.search('"jane doe"', mode="keyword", explain=True)

    assert reply.explain is not None
    stage = next(stage for stage in reply.explain.stages if stage.name == "filter")
    assert (stage.count_in, stage.count_out) == (len(NOTES), 3)
    assert [part.reason for part in stage.removed] == ["phrase"]


@pytest.mark.parametrize("mode", ["keyword", "hybrid", "semantic"])
@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ('"jane doe" OR path:phones', {"Novel.md", "Card.md", "Met.md", "Phones/Charger.md"}),
        ("harbour OR tag:area", {"Novel.md", "Link.md", "Short.md"}),
        ("(harbour OR quuxly) OR tag:area", {"Novel.md", "Link.md", "Short.md"}),
        ("quuxly OR tag:area", {"Short.md"}),
        ("(quuxly OR [rating]) -path:novel", {"Card.md"}),
        ("+ OR tag:area", {"Short.md"}),
    ],
)
def test_an_alternative_without_words_finds_all_its_notes(
    library: Library, query: str, paths: set[str], mode: str
) -> None:
    for limit in (1, 2, 100):
        reply = library.search(query, mode=mode, limit=limit, weak=False)
        assert (reply.total, len(reply.results)) == (len(paths), min(limit, len(paths)))
        assert {result.path for result in reply.results} <= paths
        assert "weak" not in reply.filtered
    scores = [result.score for result in reply.results]
    assert scores == sorted(scores, reverse=True)


def test_notes_without_the_words_come_last(library: Library) -> None:
    reply = library.search("harbour OR path:e", mode="keyword", limit=100)

    assert {result.path for result in reply.results[:2]} == {"Novel.md", "Link.md"}
    rest = reply.results[2:]
    assert {each.score for each in rest} == {0.0}
    assert {each.match for each in rest} == {"related"}
    times = [each.modified or "" for each in rest]
    assert times == sorted(times, reverse=True)
    assert library.paths("harbour OR path:e", mode="keyword", min_score=0.01, limit=100) == [
        result.path for result in reply.results[:2]
    ]


def test_words_that_are_only_scored_must_find_a_note(library: Library) -> None:
    assert found(library, "evening (harbour OR path:phones)") == {"Novel.md", "Link.md"}
    assert found(library, "phone (harbour OR path:phones)") == {
        "Novel.md",
        "Link.md",
        "Phones/Charger.md",
    }
