"""The link graph: building it from the database, loading its snapshot, updating it.

python tests/bench/bench_graph.py --json FILE [--quick]
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import repository  # noqa: F401 - so that `tests` can be imported
from figures import Figure, Times, options, write

from notewell.base.types import Batch, Link, Note, NoteMove, NotePut
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.structures import build_graph
from tests.index.inside import store_of

NOTES, LINKS = 6_571, 38_930  # of the largest vault in the shared data
QUICK_NOTES, QUICK_LINKS = 600, 3_500
ROUNDS = 5


def main() -> None:
    """Measure and write the figures."""
    chosen = options(__doc__.partition("\n")[0])
    notes, links = (QUICK_NOTES, QUICK_LINKS) if chosen.quick else (NOTES, LINKS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with_links = EmbeddedIndex.open(folder, writable=True)
        with_links.apply(Batch(puts=_notes(notes, links)))
        built = [_seconds_to_build(with_links) for _ in range(ROUNDS)]
        renamed = [_seconds_to_rename(with_links, turn) for turn in range(ROUNDS)]
        with_links.close()
        loaded = [_seconds_to_load(folder) for _ in range(ROUNDS)]
    build, load, rename = Times.of(built), Times.of(loaded), Times.of(renamed)
    what = f"graph of {notes:,} notes and {links:,} links"
    write(
        chosen.json,
        [
            Figure(f"{what}, built", "at most 1.0 s", "", str(build)),
            Figure(f"{what}, loaded", "at most 0.1 s", "", str(load)),
        ],
        {"build": build, "load": load, "batch_with_a_rename": rename},
    )


def _notes(notes: int, links: int) -> tuple[NotePut, ...]:
    """Notes in folders; most links lead to a few notes, and one in fifty has no target."""
    chance = np.random.default_rng(7)
    sources = np.bincount(chance.integers(0, notes, links), minlength=notes)
    aimed = (notes * chance.random(links) ** 3).astype(int).tolist()
    lost = (chance.random(links) < 0.02).tolist()
    puts = []
    for number, count in enumerate(sources.tolist()):
        path = f"{number % 60}/Note {number}.md"
        out = tuple(_link(aimed.pop(), lost.pop()) for _ in range(count))
        note = Note(path, f"Note {number}", (f"n{number}",), (), {}, None, None, None, (), out, ())
        puts.append(NotePut(note, (), 1, 1, b"0" * 16))
    return tuple(puts)


def _link(number: int, lost: bool) -> Link:
    target = f"Lost {number}" if lost else f"Note {number}"
    return Link(target, "shown", None, None, embed=False, kind="wikilink", line=1, start=0, end=9)


def _seconds_to_build(index: EmbeddedIndex) -> float:
    began = time.perf_counter()
    build_graph(store_of(index))
    return time.perf_counter() - began


def _seconds_to_load(folder: Path) -> float:
    index = EmbeddedIndex.open(folder, writable=False)
    began = time.perf_counter()
    len(index.graph)
    seconds = time.perf_counter() - began
    index.close()
    return seconds


def _seconds_to_rename(index: EmbeddedIndex, turn: int) -> float:
    """Time one batch: database, keyword index and graph."""
    len(index.graph)
    path = next(path for path in index.manifest() if path.endswith(f"/Note {turn}.md"))
    began = time.perf_counter()
    index.apply(Batch(moves=(NoteMove(path, f"moved/Note {turn}.md", 1, 1),)))
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
