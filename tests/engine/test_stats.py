"""Statistics of a vault, from a real index."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.types import Settings, VaultRecord
from notewell.contract.manage import NamedCount, StatsReply
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from tests.vaults import indexed

NOTES = {
    "Bees.md": "---\ntype: Insect\ntags: [garden/hive, Spring]\n---\nSee [[Compost]].",
    "Garden/Compost.md": "---\ntype: [insect, soil]\ncreated: 2026-03-02\n---\nWarm. #garden",
    "Garden/Deep/Roof.md": "Nothing of the kind.",
    "Empty.md": "",
}


@pytest.fixture(scope="module")
def stats(tmp_path_factory: pytest.TempPathFactory) -> StatsReply:
    home = tmp_path_factory.mktemp("stats")
    with indexed(home, NOTES, name="Home") as engine:
        return engine.stats(limit=3)


def test_every_note_counts_once_for_each_kind(stats: StatsReply) -> None:
    assert (stats.vault, stats.notes, stats.links) == ("Home", 4, 1)
    assert stats.files["keyword_only"] + stats.files["indexed"] == 4
    assert stats.folders == (NamedCount(None, 2), NamedCount("Garden", 2))
    assert NamedCount(None, 2) in stats.types


def test_a_nested_tag_counts_for_its_parents(stats: StatsReply) -> None:
    assert stats.tags == (
        NamedCount("garden", 2),
        NamedCount("garden/hive", 1),
        NamedCount("spring", 1),
    )


def test_months_are_in_order_and_have_both_kinds_of_time(stats: StatsReply) -> None:
    months = [month.month for month in stats.months]

    assert months == sorted(months)
    assert sum(month.modified for month in stats.months) == 4
    assert any(month.month == "2026-03" and month.created == 1 for month in stats.months)


def test_sizes_are_those_of_the_files(stats: StatsReply) -> None:
    sizes = {path: len(text.encode()) for path, text in NOTES.items()}

    assert stats.sizes.notes == sum(sizes.values())
    assert [(n.path, n.bytes) for n in stats.sizes.largest][:2] == sorted(
        sizes.items(), key=lambda item: -item[1]
    )[:2]
    assert stats.sizes.index > 0


def test_an_empty_vault_has_statistics(tmp_path: Path) -> None:
    (tmp_path / "Empty").mkdir()
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    record = VaultRecord("a1", "Empty", tmp_path / "Empty")
    engine = Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)

    reply = engine.stats(limit=3)
    engine.close()

    assert (reply.notes, reply.sizes.notes, reply.types, reply.models) == (0, 0, (), ())
