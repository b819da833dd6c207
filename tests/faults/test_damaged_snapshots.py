"""What searches keep of all notes (facts, names, words), damaged: it is made again, the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import Batch
from notewell.index.embedded import EmbeddedIndex
from notewell.search.facts import names_cache, note_facts, word_list
from notewell.search.facts.names_cache import NamesCache
from notewell.search.facts.note_facts import FactsCache
from notewell.search.facts.word_list import WordListCache
from tests.faults.damage import harms
from tests.faults.index_operations import notes, open_index

PLACES = 12


def facts(index: EmbeddedIndex, root: Path) -> list[object]:
    found = FactsCache(root, ()).current(index)
    return [found.ids.tolist(), np.nan_to_num(found.table, nan=-1.0).tolist()]


def names(index: EmbeddedIndex, _root: Path) -> list[object]:
    return [
        sorted((key, part.tolist()) for key, part in NamesCache().current(index).arrays().items())
    ]


def words(index: EmbeddedIndex, _root: Path) -> list[object]:
    return list(WordListCache().current(index).words)


KEPT: dict[str, Callable[[EmbeddedIndex, Path], list[object]]] = {
    "facts": facts,
    "names": names,
    "words": words,
}


@pytest.mark.parametrize("kind", KEPT)
def test_a_damaged_snapshot_of_all_notes_changes_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, least in ((note_facts, "_MIN_CHANGED"), (names_cache, "_MIN_CHANGED")):
        monkeypatch.setattr(module, least, 0)  # as if there were many notes
    monkeypatch.setattr(word_list, "_MIN_SAVED", 1)
    whole = tmp_path / "whole"
    with closing(open_index(whole)) as index:
        index.apply(Batch(puts=tuple(notes(changed=True).values())))
        right = KEPT[kind](index, whole)
    snapshot = f"index/{kind}.snapshot"
    for number, harm in enumerate(harms(whole / snapshot, 7, changed=PLACES)):
        root = tmp_path / str(number)
        shutil.copytree(whole, root)
        harm.do(root / snapshot)
        with closing(open_index(root)) as index:
            assert KEPT[kind](index, root) == right, harm
        with closing(EmbeddedIndex.open(root / "index", writable=False)) as index:
            assert KEPT[kind](index, root) == right, harm
