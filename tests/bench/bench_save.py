"""Time from saving a note until a search finds it, compared with rebuilding rank-bm25.

A note of 5 chunks is written to the large vault and its path given to the running engine, as the
watcher does after its delay; then it is searched for, again whenever the index has changed, until
a search finds the new text. (Searches without a pause would take half of the processor from the
thread that writes: that measured them, not the save.)
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import repository  # noqa: F401 - so that `tests` can be imported
from corpus import Words
from figures import Figure, options, write
from peer_stack import tokenize
from rank_bm25 import BM25Okapi
from stack import Stack, prepare

from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import Change
from notewell.engine.engine import Engine
from notewell.index.embedded import EmbeddedIndex
from notewell.models.catalogue import TOKENIZER_FILE
from tests.index.inside import postings_of, view_of

SAVES, QUICK_SAVES = 10, 3
NOTE = "saved while measured.md"
CHUNKS = 5
WORDS_A_CHUNK = 150
_PAUSE_S, _SEARCH_S = 0.0005, 0.05  # between looks at the index, and searches where it is the same
_PATIENCE_S = 60
_SAME_TEXT = 0.7  # a paragraph and its own chunk are above 0.8, other random texts below 0.5


@dataclass(frozen=True)
class Saves:
    """Seconds from the save to the first search that finds it."""

    keyword_s: tuple[float, ...]
    semantic_s: tuple[float, ...]


def main() -> None:
    """Measure both and write the figures."""
    chosen = options(__doc__ or "")
    stack = prepare(quick=chosen.quick)
    saves = measure_saves(stack, QUICK_SAVES if chosen.quick else SAVES)
    rebuild_s = measure_rebuild(stack)
    chunks = "5k (quick)" if chosen.quick else "100k"
    details = {"ours": saves, "rebuild_s": rebuild_s}
    write(chosen.json, rows(saves, rebuild_s, chunks), details)


def rows(saves: Saves, rebuild_s: float, chunks: str) -> list[Figure]:
    """The rows of the table that this script fills."""
    beside = f"rebuilding rank-bm25: {rebuild_s:.1f} s"
    return [
        Figure(
            f"save of a 5-chunk note to searchable, {side}, {chunks} chunks",
            f"at most {aim} ms",
            beside,
            f"{statistics.median(seconds) * 1000:.0f} ms",
            statistics.median(seconds) / rebuild_s,
            f"median of {len(seconds)}, slowest {max(seconds) * 1000:.0f} ms; debounce not counted",
        )
        for side, aim, seconds in (
            ("keyword", 40, saves.keyword_s),
            ("semantic", 120, saves.semantic_s),
        )
    ]


def measure_saves(stack: Stack, saves: int) -> Saves:
    """Save the note repeatedly with new text; keyword and semantic searches on separate saves."""
    words = Words.of_tokenizer(stack.model_folder / TOKENIZER_FILE)
    path = stack.vault / NOTE
    with stack.engine(writable=True) as engine:
        engine.start()
        _wait(lambda: engine.status().state == "ready")
        try:
            # Texts never saved before: the vectors of those from an earlier run are kept.
            run = time.time_ns()
            keyword = [_keyword(engine, path, words, run + turn) for turn in range(saves + 1)]
            run += saves + 1
            semantic = [_semantic(engine, path, words, run + turn) for turn in range(saves + 1)]
        finally:
            path.unlink(missing_ok=True)
            engine.work.take([Change("delete", NOTE)])
            _wait(lambda: engine.status().queue.pending == 0)
    return Saves(tuple(keyword[1:]), tuple(semantic[1:]))  # the first one warms up


def measure_rebuild(stack: Stack) -> float:
    """Seconds to build rank-bm25 over the same chunks, without tokenising."""
    with closing(EmbeddedIndex.open(stack.directory, writable=False)) as index:
        tokens = [
            tokenize(chunk.text) for note in index.all_notes() for chunk in index.chunks_of(note.id)
        ]
    began = time.perf_counter()
    BM25Okapi(tokens)
    return time.perf_counter() - began


def _keyword(engine: Engine, path: Path, words: Words, number: int) -> float:
    """Find the note by a word that no other text contains."""
    _settle(engine)
    marker = f"zq{number}marker"
    began = _save(engine, path, _text(words, number, marker))
    request = SearchRequest(marker, mode="keyword", limit=1, plain=True)
    return _until(engine, lambda: bool(engine.search(request).results), began)


def _semantic(engine: Engine, path: Path, words: Words, number: int) -> float:
    """Find the note by its last paragraph, at a cosine that no other text reaches."""
    _settle(engine)
    text = _text(words, number, "")
    began = _save(engine, path, text)
    request = SearchRequest(text.split("\n\n")[-1], mode="semantic", limit=1, plain=True)
    return _until(engine, lambda: _closest(engine.search(request)) > _SAME_TEXT, began)


def _save(engine: Engine, path: Path, text: str) -> float:
    path.write_text(text, encoding="utf-8")
    began = time.perf_counter()
    engine.work.take([Change("modify", NOTE)])
    return began


def _closest(reply: SearchReply) -> float:
    return max((result.raw.cosine or 0.0 for result in reply.results), default=0.0)


def _settle(engine: Engine) -> None:
    _wait(lambda: engine.status().semantic == "ready" and engine.status().state == "ready")


def _until(engine: Engine, found: Callable[[], bool], began: float) -> float:
    searched, seen = began, _state(engine)
    while True:
        while (state := _state(engine)) == seen and time.perf_counter() - searched < _SEARCH_S:
            time.sleep(_PAUSE_S)
        searched, seen = time.perf_counter(), state
        if found():
            return time.perf_counter() - began
        if searched - began > _PATIENCE_S:
            raise RuntimeError("the saved note was never found")


def _state(engine: Engine) -> tuple[int, int]:
    """What changes when words or vectors can be found; cheap to look at."""
    index = engine.vault.index
    assert isinstance(index, EmbeddedIndex)
    structures = index._structures
    return postings_of(structures.keywords).commits, id(view_of(structures.vectors))


def _wait(done: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + _PATIENCE_S
    while not done():
        if time.perf_counter() > deadline:
            raise RuntimeError("the engine did not come to rest")
        time.sleep(0.01)


def _text(words: Words, number: int, marker: str) -> str:
    """Five sections of one chunk each; all of the text depends on `number`."""
    generator = np.random.default_rng(number)
    sections = [
        f"## Part {part}\n\n{marker} {' '.join(words.draw(generator, WORDS_A_CHUNK))}."
        for part in range(CHUNKS)
    ]
    return "\n\n".join(sections)


if __name__ == "__main__":
    main()
