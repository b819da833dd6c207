"""The events that a vault's features are told, by a real engine that indexes and searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from notewell.base.types import SearchRules, VaultRules
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import Event, Feature, OpenFeature, OpenVault
from notewell.engine.open_vaults import Vaults
from tests.vaults import settings_in, write_notes

EVENTS: tuple[Event, ...] = (
    "vault_opened",
    "note_changed",
    "note_shown",
    "search_requested",
    "results_ready",
    "settings_changed",
)


@dataclass
class Listener:
    """A feature that notes what it is told; `replies` says what it answers to each event."""

    told: list[tuple[str, object]] = field(default_factory=list)
    opened: int = 0

    def open_feature(self, vault: OpenVault) -> OpenFeature:
        """Follow all events."""
        self.opened += 1
        return OpenFeature(
            events={
                "vault_opened": lambda: self.told.append(("vault_opened", vault.record.name)),
                "note_changed": lambda path: self.told.append(("note_changed", path)),
                "note_shown": lambda path: f"read\n{path} " + "x" * 300,
                "search_requested": self._search,
                "results_ready": self._show,
                "settings_changed": lambda settings: self.told.append(
                    ("settings_changed", settings.search.snippet_chars)
                ),
            }
        )

    def _search(self, request: SearchRequest) -> SearchRequest:
        self.told.append(("search_requested", request.q))
        return replace(request, q=request.q.replace("insects", "bees"))

    def _show(self, request: SearchRequest, reply: SearchReply) -> SearchReply:
        self.told.append(("results_ready", request.q))
        return replace(reply, results=reply.results[:1])

    def of(self, event: str) -> list[object]:
        """What it was told of one event."""
        return [about for told, about in self.told if told == event]


LISTENER = Listener()


def open_listener(vault: OpenVault) -> OpenFeature:
    """The place that the row names."""
    return LISTENER.open_feature(vault)


def open_failing(_vault: OpenVault) -> OpenFeature:
    """A feature that cannot be opened."""
    raise RuntimeError("a mistake of somebody else")


def row(events: tuple[Event, ...], opened: str = "open_listener", **more: object) -> Feature:
    """A feature of this module."""
    return Feature("listener", answers=f"{__name__}:{opened}", events=events, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def listener() -> Listener:
    LISTENER.__init__()  # type: ignore[misc]
    return LISTENER


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "Home"
    write_notes(root, {"Bees.md": "bees hum", "Hives.md": "bees live in hives", "Tea.md": "tea"})
    return root


def opened(tmp_path: Path, notes: Path, *features: Feature) -> Iterator[Engine]:
    """An engine with these features alone."""
    vaults = Vaults(settings_in(tmp_path, vault=VaultRules(watch="off")), features=features)
    yield vaults.open(vaults.add(notes), writable=True)
    vaults.close()


def test_every_changed_moved_and_removed_note_is_told(
    tmp_path: Path, notes: Path, listener: Listener
) -> None:
    for engine in opened(tmp_path, notes, row(("note_changed",))):
        engine.index_now()
        assert sorted(map(str, listener.of("note_changed"))) == ["Bees.md", "Hives.md", "Tea.md"]
        listener.told.clear()
        (notes / "Bees.md").rename(notes / "Wasps.md")
        (notes / "Tea.md").unlink()
        (notes / "Hives.md").write_text("hives are warm", encoding="utf-8")
        engine.index_now(confirm_removals=True)
        told = set(map(str, listener.of("note_changed")))
        assert told == {"Bees.md", "Wasps.md", "Tea.md", "Hives.md"}
        listener.told.clear()
        engine.index_now()
        assert listener.told == []


def test_a_search_is_shown_to_the_feature_before_and_after(
    tmp_path: Path, notes: Path, listener: Listener
) -> None:
    for engine in opened(tmp_path, notes, row(("search_requested", "results_ready"))):
        engine.index_now()
        reply = engine.search(SearchRequest("insects", mode="keyword"))
        assert [result.path for result in reply.results] in (["Bees.md"], ["Hives.md"])
        assert listener.told == [("search_requested", "insects"), ("results_ready", "insects")]


def test_a_note_that_is_read_has_the_lines_of_features(tmp_path: Path, notes: Path) -> None:
    for engine in opened(tmp_path, notes, row(("note_shown",))):
        engine.index_now()
        (line,) = engine.note(NoteRequest("Tea.md")).lines
        assert line.startswith("read Tea.md xxx")
        assert len(line) == 200


def test_new_settings_are_told(tmp_path: Path, notes: Path, listener: Listener) -> None:
    for engine in opened(tmp_path, notes, row(("settings_changed",))):
        rules = SearchRules(snippet_chars=77)
        engine.use_settings(replace(engine.vault.settings(), search=rules))
        assert listener.told == [("settings_changed", 77)]


def test_a_feature_is_opened_by_its_first_event_and_only_for_those_of_its_row(
    tmp_path: Path, notes: Path, listener: Listener
) -> None:
    for engine in opened(tmp_path, notes, row(("results_ready",))):
        engine.index_now()
        assert listener.opened == 0
        engine.search(SearchRequest("bees", mode="keyword"))
        engine.search(SearchRequest("tea", mode="keyword"))
        assert listener.opened == 1
        assert listener.of("note_changed") == []


def test_a_feature_that_fails_stops_neither_index_nor_search(tmp_path: Path, notes: Path) -> None:
    for engine in opened(tmp_path, notes, row(EVENTS, "open_failing")):
        assert engine.index_now().notes == 3
        found = engine.search(SearchRequest("bees", mode="keyword")).results
        assert {result.path for result in found} == {"Bees.md", "Hives.md"}


def test_a_feature_of_one_kind_of_vaults_is_not_told_of_others(
    tmp_path: Path, notes: Path, listener: Listener
) -> None:
    elsewhere = row(EVENTS, provides={"source:roam": f"{__name__}:open_failing"})
    for engine in opened(tmp_path, notes, elsewhere):
        engine.index_now()
        engine.search(SearchRequest("bees", mode="keyword"))
    assert listener.told == []
