"""Notes that a query names by their title, file name or an alias."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Batch, StoredNote
from notewell.index.embedded import EmbeddedIndex
from notewell.search.facts import names_cache
from notewell.search.facts.name_table import Derived, NameTable, name_key, names_of
from notewell.search.facts.names_cache import NamesCache
from notewell.search.rank.name_matches import MOST, NameMatches, find_names
from tests.search.library import Library, MakeLibrary, index_vault


def note(number: int, path: str, title: str | None = None, *aliases: str) -> StoredNote:
    return StoredNote(
        id=number,
        path=path,
        title=title or path.rpartition("/")[2].removesuffix(".md"),
        aliases=aliases,
        tags=(),
        properties={},
        description=None,
        created=None,
        modified=None,
        size=1,
        warnings=(),
    )


def table(*notes: StoredNote) -> NameTable:
    return NameTable.empty().updated(np.array([note.id for note in notes], np.int64), notes)


PLUGINS = (
    note(1, "Plugins/obsidian-dataview.md"),
    note(2, "Plugins/obsidian-kanban.md", None, "Kanban Board"),
    note(3, "Plugins/obsidian-tasks-plugin.md"),
    note(4, "Plugins/obsidian-git.md"),
    note(5, "Plugins/obsidian-calendar-plugin.md"),
    note(6, "Guides/Dataview for gardeners with many beds.md"),
    note(7, "Guides/Obsidian plugin guide.md"),
    note(8, "Bees.md", "Bees and their hives", "Honey-Bees", "Пчёлы", "Bienenstöcke"),
    note(9, "日本語入門.md"),
)
VAULT = table(*PLUGINS)


def found(query: str, **options: object) -> list[int]:
    """Ids of the notes, best first."""
    matches = find_names(VAULT, query, **options)  # type: ignore[arg-type]
    return matches.note_ids[np.argsort(-matches.scores, kind="stable")].tolist()


def exact(query: str) -> list[int]:
    matches = find_names(VAULT, query)
    return matches.note_ids[matches.exact].tolist()


def test_of_many_names_that_begin_so_the_shortest_come_first() -> None:
    many = [note(n, f"s{n:03} of the many.md") for n in range(1, 301)]
    matches = find_names(table(*many, note(301, "sz.md")), "s", typing=True)

    assert matches.note_ids[np.argmax(matches.begun)] == 301


@pytest.mark.parametrize(
    "query",
    [
        "Bees and their hives",
        "bees",
        "BEES.md",
        "honey bees",
        "honeybees",
        "HoneyBees",
        "honey_bees",
        "пчелы",
        "ПЧЁЛЫ",
        "bienenstocke",
    ],
)
def test_a_query_that_is_a_name_matches_exactly(query: str) -> None:
    assert exact(query) == [8]
    matches = find_names(VAULT, query)
    assert matches.scores[matches.exact].tolist() == [1.0]


def test_words_in_another_order_are_not_the_same_name() -> None:
    assert exact("their hives and bees") == []
    assert found("hives bees")[0] == 8


@pytest.mark.parametrize("query", ["dataview plugin", "obsidian dataview", "Dataview"])
def test_words_that_names_repeat_count_little(query: str) -> None:
    assert found(query)[0] == 1


def test_a_match_must_come_from_one_name_of_a_note() -> None:
    """Words in two names of one note do not add up."""
    both = table(note(1, "red.md", None, "garden"), note(2, "red garden.md"))
    matches = find_names(both, "red garden")
    assert matches.scores[1] == 1.0
    assert matches.scores[0] < 0.5


def test_query_words_in_no_name_lower_the_score() -> None:
    kanban = find_names(VAULT, "kanban").scores.max()
    assert find_names(VAULT, "kanban xylophone").scores.max() < kanban / 2


THEMES = table(
    note(1, "Themes/Minimal.md"),
    note(2, "Themes/Minimal Edge.md"),
    note(3, "Plugins/Minimal.md"),
    note(4, "Plugins/Theme picker.md"),
    note(5, "Minimal.md"),
)


@pytest.mark.parametrize(
    "query", ["minimal theme", "Theme: minimal", "the minimal themes", "minmal theme"]
)
def test_a_note_is_asked_for_by_its_name_and_its_folder(query: str) -> None:
    alternatives = {"minmal": {"minimal": 0.5}}
    matches = find_names(THEMES, query, alternatives=alternatives)
    scores = dict(zip(matches.note_ids.tolist(), matches.scores.tolist(), strict=True))
    assert scores.pop(1) == 1.0
    assert max(scores.values()) < 0.5
    assert not matches.exact.any()


@pytest.mark.parametrize(
    "query",
    ["theme", "the minimal", "themes of", "dark minimal theme", "how to get a minimal theme"],
)
def test_a_folder_adds_nothing_to_a_name_that_says_nothing_or_too_little(query: str) -> None:
    named = table(note(1, "Themes/Minimal.md"), note(2, "Themes/Of.md"), note(3, "Dark.md"))
    assert (find_names(named, query).scores < 1.0).all()


def test_a_question_is_no_name_and_kind() -> None:
    named = table(note(1, "Plugins/Writing.md"), note(2, "Plugins/Kanban.md"))
    assert find_names(named, "write plugin").scores.max() == 1.0
    assert find_names(named, "how to write a plugin").scores.max() < 1.0


def test_names_in_scripts_without_spaces_match() -> None:
    assert exact("日本語入門") == [9]
    assert found("日本語") == [9]
    assert found("語") == [9]
    assert found("入門書") == [9]


def test_words_match_joined_or_separated() -> None:
    assert found("data view for gardeners")[0] == 6
    assert found("obsidiankanban")[0] == 2


def test_the_last_word_matches_as_a_prefix() -> None:
    assert 1 not in found("datav")
    assert found("datav", typing=True)[0] == 1
    assert found("obsidian ka", typing=True)[0] == 2
    assert found("obsidian dataview ", typing=True)[0] == 1


def test_an_unknown_word_matches_the_beginning_of_a_name() -> None:
    assert found("datav", unknown={"datav"})[0] == 1
    assert found("bees and th", unknown={"th"})[0] == 8


def test_corrected_words_match_in_place_of_typed_ones() -> None:
    corrected = {"kanbna": {"kanban": 0.5}}
    wanted = find_names(VAULT, "kanban").scores.max()
    assert find_names(VAULT, "kanbna", alternatives=corrected).scores.max() == wanted


@pytest.mark.parametrize("query", ["", "  ", "!?", "xylophone", ".md"])
def test_a_query_without_a_matching_name_has_no_matches(query: str) -> None:
    matches = find_names(VAULT, query)
    assert matches.note_ids.tolist() == []
    assert find_names(NameTable.empty(), "bees").note_ids.tolist() == []


def test_the_best_matches_and_all_exact_ones_are_returned() -> None:
    many = [note(number, f"{number}/apple.md") for number in range(1, MOST + 11)]
    more = [note(number + 1000, f"apple tree {number}.md") for number in range(MOST)]
    matches = find_names(table(*many, *more), "apple")
    assert matches.note_ids.tolist() == [each.id for each in many]
    assert matches.exact.all()
    matches = find_names(table(*many, *more), "apple tree")
    assert len(matches.note_ids) == MOST


def test_a_long_query_is_looked_up_by_its_rarest_words() -> None:
    assert found(" ".join(f"w{number}" for number in range(500)) + " kanban") == [2]


NAMES = st.text("abc AB-_é日本9", max_size=8)


@given(st.lists(st.tuples(NAMES, NAMES), max_size=6), NAMES, st.booleans())
def test_scores_are_between_0_and_1_and_all_notes_of_a_name_are_found(
    names: list[tuple[str, str]], query: str, typing: bool
) -> None:
    notes = [note(at, f"{path}.md", title or "x") for at, (path, title) in enumerate(names)]
    matches = find_names(table(*notes), query, typing=typing, unknown={query.lower()})
    assert matches.note_ids.tolist() == sorted(set(matches.note_ids.tolist()))
    assert ((matches.scores > 0) & (matches.scores <= 1)).all()
    key = name_key(query)
    bearers = [
        note.id
        for note in notes
        if key and key in {name_key(note.title), name_key(note.path.removesuffix(".md"))}
    ]
    assert matches.note_ids[matches.exact].tolist() == bearers


@given(st.data())
def test_an_updated_table_equals_a_rebuilt_one(data: st.DataObject) -> None:
    def notes(of: list[int]) -> list[StoredNote]:
        folders = st.sampled_from(("", "a/", "b/ab/"))
        return [
            note(each, f"{data.draw(folders)}{data.draw(NAMES)}.md", data.draw(NAMES) or "x")
            for each in of
        ]

    before = {note.id: note for note in notes([1, 2, 3, 4])}
    changed = notes([2, 5])
    after = {1: before[1], 3: before[3], **{each.id: each for each in changed}}
    ids = np.array(sorted(after), np.int64)
    updated = table(*before.values()).updated(ids, changed)
    anew = table(*(after[each] for each in ids.tolist()))
    saved = updated.arrays()
    derived = {field.name for field in fields(Derived)}
    loaded = NameTable.from_arrays(saved)
    earlier = NameTable.from_arrays({each: saved[each] for each in saved.keys() - derived})
    assert loaded is not None
    assert earlier is not None
    for query in ("a", "ab", "abc", "日本", "a b", data.draw(NAMES)):
        wanted = find_names(anew, query)
        for other in (updated, loaded, earlier):
            matches = find_names(other, query)
            assert matches.note_ids.tolist() == wanted.note_ids.tolist()
            assert np.allclose(matches.scores, wanted.scores)
    frequencies = Counter(stem for each in after.values() for stem in stems_of(each))
    for other in (updated, loaded, earlier):
        assert {each: other.df[at] for each, at in other.stem_ids.items() if other.df[at]} == (
            frequencies
        )


def stems_of(one: StoredNote) -> set[str]:
    """The stems of all names of a note."""
    return {stem for name in names_of(one) for stem in (*name.stems, *name.wholes)}


# --- the cache ----------------------------------------------------------------------------------


@pytest.fixture
def library(make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(names_cache, "_MIN_CHANGED", 0)  # as if there were many notes
    return make_library({"Apple tree.md": "one\n", "Birch.md": "two\n"})


def paths(cache: NamesCache, library: Library, query: str) -> list[str]:
    matches = find_names(cache.current(library.index), query)
    return [note.path for note in library.index.notes(matches.note_ids.tolist()).values()]


def test_the_cache_follows_the_index(library: Library) -> None:
    cache = NamesCache()
    assert paths(cache, library, "apple") == ["Apple tree.md"]
    library.index.apply(Batch(removes=("Apple tree.md",), model=library.embedder.key))
    assert paths(cache, library, "apple") == []
    (library.record.path / "Pear tree.md").write_text("---\naliases: Apple\n---\n")
    index_vault(library.index, library.record.path, library.embedder)
    assert paths(cache, library, "apple") == ["Apple tree.md", "Pear tree.md"]


def test_a_changed_text_leaves_the_table_as_it_is(library: Library) -> None:
    cache = NamesCache()
    before = cache.current(library.index)
    (library.record.path / "Birch.md").write_text("another text\n")
    index_vault(library.index, library.record.path, library.embedder)
    assert cache.current(library.index) is before


def test_the_next_start_loads_the_snapshot(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    NamesCache().current(library.index)
    monkeypatch.setattr(EmbeddedIndex, "all_notes", lambda _: pytest.fail("notes were read"))
    assert paths(NamesCache(), library, "birch") == ["Birch.md"]


def test_a_snapshot_of_a_later_generation_is_not_used(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    NamesCache().current(library.index)
    monkeypatch.setattr(library.index, "_text_generation", 0)  # a copy put back is older
    read: list[Path] = []
    all_notes = library.index.all_notes
    monkeypatch.setattr(library.index, "all_notes", lambda: read.append(Path()) or all_notes())
    NamesCache().current(library.index)
    assert read


def test_an_emoji_beside_a_name_is_no_part_of_it() -> None:
    assert name_key("🗂️ Daily notes") == name_key("Daily notes")
    assert name_key("🌱") != name_key("🌍") != ""
    named = table(note(1, "🗂️ Daily notes.md"), note(2, "daily-note-calendar.md"))
    found = find_names(named, "daily notes")
    assert found.note_ids[found.exact].tolist() == [1]


def test_a_part_of_a_name_with_one_word_of_several_counts_a_tenth() -> None:
    names = table(note(1, "white noise.md"), note(2, "task.md"), note(3, "checkbox sounds.md"))
    alone = dict(zip(*_scores(find_names(names, "noise")), strict=True))
    of_several = dict(zip(*_scores(find_names(names, "noise finish task")), strict=True))
    assert of_several[1] < 0.1 * alone[1]
    assert of_several[2] > of_several[1]  # its whole name was asked for


def _scores(matches: NameMatches) -> tuple[list[int], list[float]]:
    return matches.note_ids.tolist(), matches.scores.tolist()
