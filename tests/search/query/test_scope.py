"""The notes that a search excludes by default."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from notewell.base.types import Batch, SearchRules
from notewell.search.facts.note_facts import FactsCache
from notewell.search.query import parser
from notewell.search.query.note_scope import may_mean_daily_notes, mentions_date
from tests.search.library import Library, MakeLibrary, index_vault

NOTES = {
    "Bees.md": "Bees make honey.\n",
    "Wasps.md": "Wasps make no honey.\n",
    "Hives.md": "---\nstatus: active\n---\nA hive of honey.\n",
    "Old.md": "---\nStatus: Inactive\n---\nOld honey.\n",
    "Hidden.md": "---\nstatus: [draft, hidden]\n---\nHidden honey.\n",
    "2026-03-02.md": "Took honey today.\n",
    "Diary.md": "---\ntype: daily\n---\nHoney again.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def paths(library: Library, text: str, **asked: Any) -> set[str]:
    return set(library.paths(text, limit=100, **asked))


def test_shelved_and_daily_notes_are_left_out_and_counted(library: Library) -> None:
    reply = library.search("honey", mode="keyword")
    assert {result.path for result in reply.results} == {"Bees.md", "Wasps.md", "Hives.md"}
    assert reply.filtered == {"status": 2, "daily": 2}
    assert paths(library, "honey", mode="keyword", everything=True) == set(NOTES)


@pytest.mark.parametrize(
    "text",
    [
        "honey 2026-03-02",
        "honey 2026-03",
        "honey 2 March 2026",
        "honey march 2026",
        "honey 2026/03/02",
        "honey 2.3.2026",
        "honey gestern",
        "honey last week",
        "honey в марте 2026",
        "honey 2026年3月",
        "daily honey",
        "honey type:daily",
        "honey path:2026",
        "honey modified:>2001",
        "Journal: honey",
    ],
)
def test_a_query_that_names_daily_notes_finds_them(library: Library, text: str) -> None:
    reply = library.search(text, limit=100)
    assert "daily" not in reply.filtered
    assert {result.path for result in reply.results} & {"2026-03-02.md", "Diary.md"}


@pytest.mark.parametrize("ruled_out", ["-type:reference", "-path:Archive", "-modified:>2100"])
def test_what_a_query_rules_out_names_no_daily_notes(library: Library, ruled_out: str) -> None:
    reply = library.search(f"honey {ruled_out}", limit=100)
    assert reply.filtered.get("daily") == 2


def test_a_query_for_a_status_finds_it(library: Library) -> None:
    assert paths(library, "honey status:hidden") == {"Hidden.md"}
    assert "Old.md" in paths(library, "honey -status:active", mode="keyword")


def test_conditions_alone_list_daily_notes_but_no_shelved_ones(library: Library) -> None:
    assert paths(library, "-path:Wasps") >= {"2026-03-02.md", "Diary.md", "Bees.md"}
    assert paths(library, "[status]") == {"Hives.md"}
    assert paths(library, "[status:inactive OR active]") == {"Hives.md"}


def test_the_settings_switch_both_rules_off(make_library: MakeLibrary) -> None:
    library = make_library(NOTES)
    library.rules = SearchRules(shelved_status=(), daily_notes="always")
    assert paths(library, "honey", mode="keyword") == set(NOTES)


def test_a_vault_of_daily_notes_is_searched(make_library: MakeLibrary) -> None:
    library = make_library({f"2026-03-{day:02}.md": "Honey.\n" for day in range(1, 8)})
    assert len(library.search("honey").results) == 7


def test_which_queries_name_a_time() -> None:
    for text in ("what happened in 2026-03", "created:2025 bees", "bees (tag:a OR -modified:7d)"):
        assert mentions_date(parser.parse(text))
    assert not mentions_date(parser.parse("bees 2026 12345-67"))
    assert may_mean_daily_notes(parser.parse("tag:a"))
    assert not may_mean_daily_notes(parser.parse("bees tag:a"))


def test_note_facts_are_updated_for_each_changed_note(make_library: MakeLibrary) -> None:
    library = make_library({"A.md": "one\n", "B.md": "two\n", "2026-01-01.md": "day\n"})
    cache = FactsCache(library.record.path, ("hidden",))
    before = cache.current(library.index)
    assert cache.current(library.index) is before
    assert len(before.daily) == 1
    (library.record.path / "B.md").write_text("---\nstatus: hidden\n---\ntwo\n")
    index_vault(library.index, library.record.path, library.embedder)
    library.index.apply(Batch(removes=("A.md",), model=library.embedder.key))
    after = cache.current(library.index)
    assert len(after.ids) == 2
    assert len(after.shelved) == 1
    times = after.times(np.array([int(after.ids[0]), 999]), created=False)
    assert np.isfinite(times[0])
    assert np.isnan(times[1])


def test_note_facts_change_with_the_settings_of_daily_notes(make_library: MakeLibrary) -> None:
    library = make_library({"Log/One.md": "one\n", "Log/02.03.2026.md": "day\n"})
    cache = FactsCache(library.record.path, ())
    assert not len(cache.current(library.index).daily)
    folder = library.record.path / ".obsidian"
    folder.mkdir()
    said = {"folder": "Log", "format": "DD.MM.YYYY"}
    (folder / "daily-notes.json").write_text(json.dumps(said))
    (library.record.path / "Log/One.md").write_text("one more\n")
    index_vault(library.index, library.record.path, library.embedder)
    assert len(cache.current(library.index).daily) == 1


def test_a_note_with_unreadable_metadata_is_kept(make_library: MakeLibrary) -> None:
    library = make_library(
        {"A.md": "---\nstatus: {a: 1}\n---\nhoney\n", "B.md": "---\n: [\nhoney\n"}
    )
    assert len(library.search("honey", mode="keyword").results) == 2
