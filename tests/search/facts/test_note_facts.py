"""The cache of facts about notes, from one start to the next."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import Batch
from notewell.index.embedded import EmbeddedIndex
from notewell.search.facts import note_facts
from notewell.search.facts.note_facts import Facts, FactsCache
from tests.search.library import Library, MakeLibrary, index_vault

SHELVED = ("hidden",)


@pytest.fixture
def library(make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(note_facts, "_MIN_CHANGED", 0)  # as if there were many notes
    hidden = "---\nstatus: hidden\n---\nthree\n"
    return make_library({"A.md": "one\n", "Log/02.03.2026.md": "two\n", "C.md": hidden})


@pytest.fixture
def asked(library: Library, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The generations after which notes were read, one for each reading."""
    seen: list[int] = []
    read = EmbeddedIndex.notes_changed_since
    monkeypatch.setattr(
        EmbeddedIndex,
        "notes_changed_since",
        lambda index, since: seen.append(since) or read(index, since),
    )
    return seen


def known(library: Library, shelved: tuple[str, ...] = SHELVED) -> Facts:
    """The facts that a new process has."""
    return FactsCache(library.record.path, shelved).current(library.index)


def test_note_facts_are_loaded_from_the_cache_at_the_next_start(
    library: Library, asked: list[int]
) -> None:
    made, kept = known(library), known(library)
    assert asked == [-1]
    assert kept.ids.tolist() == made.ids.tolist()
    assert np.array_equal(kept.table, made.table, equal_nan=True)
    assert len(kept.shelved) == 1


def test_only_notes_changed_since_are_read(library: Library, asked: list[int]) -> None:
    known(library)
    generation = library.index.text_generation
    library.index.apply(Batch(removes=("A.md",), model=library.embedder.key))
    assert len(known(library).ids) == 2
    (library.record.path / "C.md").write_text("three\n")
    index_vault(library.index, library.record.path, library.embedder)
    assert not len(known(library).shelved)
    assert asked[:2] == [-1, generation]


def test_changed_status_settings_are_applied_at_a_start(library: Library, asked: list[int]) -> None:
    known(library)
    assert not len(known(library, ("old",)).shelved)
    assert asked == [-1, -1]


def test_changed_settings_of_daily_notes_are_applied_at_a_start(library: Library) -> None:
    assert not len(known(library).daily)
    settings: Path = library.record.path / ".obsidian/daily-notes.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"folder": "Log", "format": "DD.MM.YYYY"}))
    assert len(known(library).daily) == 1


def test_cached_facts_of_a_later_generation_are_not_used(
    library: Library, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    known(library)
    monkeypatch.setattr(library.index, "_text_generation", 0)  # a copy put back is older
    known(library)
    assert asked == [-1, -1]


def test_facts_of_few_notes_are_not_cached(
    make_library: MakeLibrary, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_facts, "_MIN_CHANGED", 1000)
    library = make_library({"A.md": "one\n"})
    known(library)
    known(library)
    assert asked == [-1, -1]
