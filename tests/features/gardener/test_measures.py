"""What measures the checks runs with the checks as they are."""

from __future__ import annotations

import random

import pytest

from tests.eval.gardening.gardens import NO_VECTORS
from tests.eval.gardening.hidden import MEASURES

_WORDS = " ".join(f"word{n}" for n in range(120))
TEXTS = {
    f"Folder/Note {n}.md": f"---\nkind: note\ntags: [bees, Bees/wild]\n---\n# Note {n}\n\n"
    f"See [[Note {(n + 1) % 20}]] and [[Note {(n + 2) % 20}]]. Item{n} {_WORDS} {n} {n * 7}.\n"
    for n in range(20)
}


@pytest.mark.parametrize("check", sorted(MEASURES))
def test_each_measure_counts(check: str) -> None:
    count = MEASURES[check](TEXTS, NO_VECTORS, random.Random(1))  # type: ignore[index]
    assert 0 <= count.right <= count.made or check == "near_duplicates"
