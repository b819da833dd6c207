"""`total` counts the notes that meet a query, however many of them are ranked."""

from __future__ import annotations

import pytest

from tests.search.library import Library, MakeLibrary

COUNT = 640
# Every note has "bees", every third "honey", every fortieth says it in a property alone.
NOTES = {
    f"{'Log' if number % 2 else 'Plan'}/{number}.md": (
        f"---\nkind: {'honey' if number % 40 == 7 else 'other'}\n---\n"
        f"Bees number {number}{' and honey' if number % 3 == 0 else ''}.\n"
    )
    for number in range(COUNT)
} | {"Moths.md": "Moths at night.\n", "Dragonflies.md": "Water.\n"}
HONEY = sum("honey" in text for text in NOTES.values())
LOGGED = sum("honey" in text and path.startswith("Log/") for path, text in NOTES.items())


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("limit", [1, 10, 100, 1000])
@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("bees", COUNT),
        ("bees honey", COUNT),
        ("honey", HONEY),
        ("honey path:log", LOGGED),
        ("bees -honey", COUNT - HONEY),
        ('bees -"and honey"', sum("and honey" not in each for each in NOTES.values()) - 2),
        ('"honey"', HONEY),
        ("dragonflies", 1),
        ("[kind:honey]", COUNT // 40),
        ("nothing", 0),
    ],
)
def test_by_words_it_counts_the_notes_with_one_of_them(
    library: Library, query: str, count: int, limit: int
) -> None:
    reply = library.search(query, mode="keyword", limit=limit)

    assert reply.total == count
    assert len(reply.results) == min(count, limit)


@pytest.mark.parametrize("query", ["bees", "bees honey", "honey path:log", "moths"])
@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_by_meaning_it_counts_the_nearest_notes_as_well(
    library: Library, query: str, mode: str
) -> None:
    few = library.search(query, mode=mode, limit=5)
    listed = library.search(query, mode=mode, limit=1000)

    by_words = library.search(query, mode="keyword", limit=5).total if mode == "hybrid" else 0
    assert len(few.results) == 5
    assert listed.total == len(listed.results) >= few.total >= by_words


@pytest.mark.parametrize("limit", [10, 1000])
@pytest.mark.parametrize("query", ["bees", "bees moths", "moths", '"honey"'])
def test_weak_matches_are_in_it_and_counted(library: Library, query: str, limit: int) -> None:
    reply = library.search(query, mode="keyword", limit=limit, weak=False)

    assert reply.total == library.search(query, mode="keyword", limit=limit).total
    found = reply.total - reply.filtered.get("weak", 0)
    assert len(reply.results) == min(found, limit)


def test_what_is_left_out_by_default_is_not_in_it(make_library: MakeLibrary) -> None:
    library = make_library(
        {f"{number}.md": "Bees.\n" for number in range(200)}
        | {f"Old {number}.md": "---\nstatus: inactive\n---\nBees.\n" for number in range(90)}
    )

    reply = library.search("bees", mode="keyword")

    assert (reply.total, reply.filtered) == (200, {"status": 90})
    assert library.search("bees", mode="keyword", everything=True).total == 290
    assert library.search("bees", mode="keyword", hidden=frozenset({"7.md"})).total == 199


def test_the_trace_says_how_many_the_limit_leaves_out(library: Library) -> None:
    reply = library.search("bees", mode="keyword", limit=10, explain=True)

    assert reply.explain is not None
    stage = next(stage for stage in reply.explain.stages if stage.name == "limit")
    assert (stage.count_in, stage.count_out) == (COUNT, 10)
    assert [(part.reason, part.count) for part in stage.removed] == [("limit", COUNT - 10)]
