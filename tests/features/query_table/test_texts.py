"""The texts that a query table is fitted to."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np

from notewell.features.query_table.texts import Asker, common_words, names_of, near_words, spans
from notewell.index.embedded import EmbeddedIndex
from tests.search.library import HashedWords, index_vault

BEES = "Bees *carry* nectar home in June."
CHINESE = "蜜蜂在花园里采蜜。"


def test_spans_and_names_are_the_vault_s_own(tmp_path: Path) -> None:
    head = "---\naliases: [Bee house]\n---\n# Honey harvest\n\n"
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/Hive.md").write_text(f"{head}{BEES}\n", encoding="utf-8")
    (tmp_path / "vault/蜂.md").write_text(f"{CHINESE}\n", encoding="utf-8")
    with closing(EmbeddedIndex.open(tmp_path / "index", writable=True)) as index:
        index_vault(index, tmp_path / "vault", HashedWords())

        found = spans(index, 50, random.Random(1))
        names = names_of(index)
        again = spans(index, 50, random.Random(1))

    assert {"Bee house", "Hive", "Honey harvest", "蜂"} <= set(names)
    assert any(text in BEES for text in found)
    assert any(2 <= len(text) <= 6 and text in CHINESE for text in found)
    assert found == again


def test_near_words_stand_for_those_of_the_vault() -> None:
    words = ["house", "home", "bee", "wasp"]
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    near = near_words(words, vectors, {"bee", "house", "hive"})

    assert near["bee"]
    assert "bee" not in near["bee"]
    assert set(near) == {"bee", "house"}
    asker = Asker(words, {"bee": ["wasp"]}, random.Random(1), english=True)
    made = list(islice(asker.replaced(["a bee house", "one"]), 40))
    assert any("wasp house" in text for text in made)
    assert all("bee" not in text.split() for text in made)
    assert all(text.strip() and "{}" not in text for text in islice(asker.invented(), 200))


def test_words_are_the_model_s_or_else_the_vault_s() -> None:
    assert common_words(["the", "bee", "##s", "!"], []) == ["the", "bee"]
    assert common_words(["▁die", "▁bie", "ne"], ["die Biene", "die 2 Bienen"])[0] == "die"
