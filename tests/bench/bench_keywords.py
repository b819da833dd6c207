"""Keyword search with queries of 8 terms, memory and start-up, compared with rank-bm25.

    python tests/bench/bench_keywords.py --json FILE [--quick]

Both index the same chunks, as tokens of our analyzer. rank-bm25 scores one field, ours six.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from corpus import SECTIONS, SEED, TOPIC_WORDS, TOPICS, Words, note, queries
from figures import Figure, Times, options, write
from rank_bm25 import BM25Okapi

from notewell.base.config import load_settings
from notewell.index.analyze import tokens
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.postings import Postings
from notewell.index.lexical import ChunkText, QueryTerm, SearchText
from notewell.models.catalogue import TOKENIZER_FILE, find
from notewell.models.fetch import fetch

CHUNKS, QUICK_CHUNKS = 100_000, 5_000
QUERIES, PEER_QUERIES = 200, 12  # a peer's question takes a third of a second
ROUNDS = 3
TOP = 100


def main() -> None:
    """Index the same chunks with both, query them in turn, write the figures."""
    chosen = options(__doc__.partition("\n")[0])
    files = fetch(find("all-MiniLM-L6-v2"), model_dir=load_settings(environ=os.environ).model_dir)
    words = Words.of_tokenizer(files.folder / TOKENIZER_FILE)
    chunks = QUICK_CHUNKS if chosen.quick else CHUNKS
    notes = list(_notes(words, chunks // SECTIONS))
    asked = [tokens(query) for query in queries(words, QUERIES)]
    with tempfile.TemporaryDirectory() as folder:
        build, update, disk = _indexed(Path(folder), notes)
        opened = time.perf_counter()
        postings = Postings(Path(folder))
        keywords = Keywords(postings)
        ours = [_seconds(keywords, asked[0])]
        start = time.perf_counter() - opened
        peer_before, peer_began = _resident(), time.perf_counter()
        peer = BM25Okapi([tokens(c.text) for each in notes for c in each.chunks])
        peer_build, peer_memory = time.perf_counter() - peer_began, _resident() - peer_before
        theirs: list[float] = []
        for number in range(ROUNDS):
            ours += [_seconds(keywords, query) for query in asked]
            theirs += _peer_seconds(peer, asked[number::ROUNDS][: PEER_QUERIES // ROUNDS])
        postings.close()
    mine, other = Times.of(ours[1:]), Times.of(theirs)
    rows = [
        Figure(
            f"keyword query of 8 terms, {chunks:,} chunks",
            "at most 1/250",
            f"rank-bm25 {other}",
            str(mine),
            mine.p50 / other.p50,
        ),
        Figure(
            f"a note of {SECTIONS} chunks changed, until its words are found",
            "at most 40 ms",
            f"rank-bm25 rebuilds in {peer_build:.1f} s",
            str(update),
            update.p50 / 1000 / peer_build,
        ),
    ]
    details = {
        "chunks": chunks,
        "build_s": round(build, 2),
        "peer_build_s": round(peer_build, 2),
        "disk_mb": round(disk / 1e6, 1),
        "peer_memory_mb": round(peer_memory / 1e6),
        "open_and_first_query_ms": round(start * 1000, 2),
        "ours": mine,
        "rank_bm25": other,
        "update": update,
    }
    write(chosen.json, rows, details)


def _notes(words: Words, count: int) -> Iterator[SearchText]:
    generator = np.random.default_rng(SEED)
    topics = [words.rare(generator, TOPIC_WORDS) for _ in range(TOPICS)]
    titles = [" ".join(words.rare(generator, 3)).capitalize() for _ in range(count)]
    for number in range(count):
        parts = note(number, words, topics, titles).split("\n## ")[1:]
        chunks = tuple(
            ChunkText(number * SECTIONS + n, (part.partition("\n")[0],), part)
            for n, part in enumerate(parts)
        )
        yield SearchText(number, f"{titles[number]}.md", titles[number], (), (), chunks)


def _indexed(folder: Path, notes: Sequence[SearchText]) -> tuple[float, Times, int]:
    """Build the index. Returns the seconds, the times of single updates, the bytes on disk."""
    postings = Postings(folder)
    began = time.perf_counter()
    postings.update(notes, gone=(), database="bench", generation=1)
    built = time.perf_counter() - began
    updates = []
    for turn, changed in enumerate(notes[:20]):
        began = time.perf_counter()
        postings.update([changed], gone=(), database="bench", generation=turn + 2)
        updates.append(time.perf_counter() - began)
    postings.close()
    return built, Times.of(updates), sum(file.stat().st_size for file in folder.iterdir())


def _seconds(keywords: Keywords, query: Sequence[str]) -> float:
    began = time.perf_counter()
    keywords.search([QueryTerm(token) for token in query], limit=TOP)
    return time.perf_counter() - began


def _peer_seconds(peer: BM25Okapi, asked: Sequence[Sequence[str]]) -> list[float]:
    seconds = []
    for query in asked:
        began = time.perf_counter()
        scores = peer.get_scores(query)
        np.argpartition(-scores, TOP)[:TOP]
        seconds.append(time.perf_counter() - began)
    return seconds


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
