"""Count the work of one search: calls of functions and rows read from SQLite.

    python tests/bench/calls.py [--vault FOLDER]

Prints one line of JSON with the mean of 60 requests of each kind: `calls` are those of functions, in
Python and built in (cProfile), `rows` those that SQLite gave. Counts hold on any machine, whatever
else it does. The vault (by default the sample vault) is indexed into a temporary folder with a made
model, whose own calls do not count; queries are drawn from it: names, words of a name with one of the
text, and rows of words of the text. `tests/bench/test_calls.py` pins the counts of the sample vault.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # run as a script
    sys.path.insert(0, str(ROOT))

from notewell.base.types import FloatArray, SearchRules, StoredNote, VaultRecord  # noqa: E402
from notewell.contract.search import SearchRequest, SimilarRequest  # noqa: E402
from notewell.index.analyze import words  # noqa: E402
from notewell.index.embedded import EmbeddedIndex  # noqa: E402
from notewell.search import run  # noqa: E402
from notewell.search.context import Caches, SearchContext  # noqa: E402
from notewell.search.query.terms import says_little  # noqa: E402
from notewell.search.show import similar  # noqa: E402
from tests.search.library import HashedWords, index_vault  # noqa: E402

SAMPLE = ROOT / "sidecar" / "notewell" / "doors" / "sample" / "vault"
REQUESTS = 60
_OF_TEXT = 4  # words
_MISSPELT = "quikc"  # the words of the vault are listed when one is corrected for the first time


class UncountedModel(HashedWords):
    """The made model; while it works, nothing is counted."""

    def __init__(self, profile: cProfile.Profile) -> None:
        self._profile = profile
        self.counts = False

    def embed_query(self, text: str) -> FloatArray:
        """The vector of a text (dimensions,)."""
        if not self.counts:
            return super().embed_query(text)
        self._profile.disable()
        try:
            return super().embed_query(text)
        finally:
            self._profile.enable()


class Counter:
    """Searches one vault and counts."""

    def __init__(self, index: EmbeddedIndex, root: Path, model: UncountedModel) -> None:
        self._index = index
        self._record = VaultRecord(id="counted", name="counted", path=root)
        self._rules = SearchRules()
        self._caches = Caches.of(self._record, self._rules)
        self._model = model

    def search(self, query: str, **wanted: Any) -> None:
        """Search as the engine does."""
        request = SearchRequest(query, **wanted)
        model = None if request.mode == "keyword" else self._model
        run.search(
            SearchContext(self._index, self._record, self._rules, self._caches, request, model)
        )

    def similar(self, path: str) -> None:
        """Find the notes that are like one."""
        request = SimilarRequest(path)
        similar.similar(
            self._index, self._model, request, self._rules, self._record, semantic_reason=None
        )


def count(vault: Path) -> dict[str, dict[str, int]]:
    """The mean calls and rows of one request, by its kind."""
    profile = cProfile.Profile()
    model = UncountedModel(profile)
    with tempfile.TemporaryDirectory() as folder, _opened(Path(folder), vault, model) as index:
        counter = Counter(index, vault, model)
        notes = _drawn(sorted(index.all_notes(), key=lambda note: note.path))
        queries = _queries(index, notes)
        kinds: Mapping[str, Callable[[int], None]] = {
            "hybrid": lambda n: counter.search(queries[n]),
            "keyword": lambda n: counter.search(queries[n], mode="keyword"),
            "typing": lambda n: counter.search(queries[n][:-1], typing=True),
            "similar": lambda n: counter.similar(notes[n].path),
        }
        rows = _count_rows(index)
        found: dict[str, dict[str, int]] = {}
        for kind, ask in kinds.items():
            ask(0)  # what is made once for an index is not the work of one search
            counter.search(_MISSPELT)
            profile.clear()
            before = rows()
            model.counts = True
            profile.enable()
            for n in range(1, REQUESTS + 1):
                ask(n)
            profile.disable()
            model.counts = False
            read = rows() - before
            calls = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
            found[kind] = {
                "calls": round((calls - read) / REQUESTS),  # `row` is called once for each
                "rows": round(read / REQUESTS),
            }
    return found


@contextmanager
def _opened(folder: Path, vault: Path, model: UncountedModel) -> Iterator[EmbeddedIndex]:
    index = EmbeddedIndex.open(folder / "index", writable=True)
    try:
        index_vault(index, vault, model)
        yield index
    finally:
        index.close()


def _count_rows(index: EmbeddedIndex) -> Callable[[], int]:
    """Count the rows that this thread's connection gives from now on."""
    counted = [0]

    def row(_cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
        counted[0] += 1
        return values

    index._store.reader.row_factory = row
    return lambda: counted[0]


def _drawn(notes: Sequence[StoredNote]) -> list[StoredNote]:
    """The notes of the requests, spread over all, each as often as needed; the first one warms up."""
    step = max(1, len(notes) // (REQUESTS + 1))
    return [notes[n * step % len(notes)] for n in range(REQUESTS + 1)]


def _queries(index: EmbeddedIndex, notes: Sequence[StoredNote]) -> list[str]:
    queries = []
    for n, note in enumerate(notes):
        text = [
            word
            for chunk in index.chunks_of(note.id)
            for word in words(chunk.text)
            if not says_little(word)
        ]
        name = words(note.title)
        forms = (name, [*name[:1], *text[n % 7 :][:1]], text[n % 5 :][:_OF_TEXT])
        queries.append(" ".join(forms[n % len(forms)] or name))
    return queries


def main() -> None:
    """Print the counts of a vault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vault", type=Path, default=SAMPLE, help="a folder with notes")
    print(json.dumps(count(parser.parse_args().vault)))  # noqa: T201


if __name__ == "__main__":
    main()
