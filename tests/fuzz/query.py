"""The query grammar: any text is parsed, described, and applied to notes as a filter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.base.errors import QueryTooLongError
from notewell.base.types import Batch, ChunkSizes, NotePut
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.search.query.conditions import allowed
from notewell.search.query.date_mentions import find_date
from notewell.search.query.language import describe_query
from notewell.search.query.parser import parse
from notewell.vault.chunk import chunk
from notewell.vault.readers import READERS
from notewell.vault.readers.reader import FileFacts
from tests.fuzz.mutation import made_of, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target
from tests.in_memory import InMemoryIndex

SEEDS = tuple(
    text.encode()
    for text in (
        "bees in spring",
        '"garden on the roof" -draft',
        "tag:garden/roof OR (path:Work status:done)",
        "[rating:>3] [due:null] [status:draft OR done]",
        "created:2026-01..2026-02 modified:>=2025-12-31",
        'file:"Zürich plan" -tag:#work [[Daily note#Part|shown]]',
        "-(a OR -(b c) OR modified:7d) type:person",
        "notes of last week, 3rd of March 2026",
        "漢字 かな 한국어 naïve ﬁn İstanbul",
    )
)
PIECES = (
    *(
        text.encode()
        for text in (
            '"', "(", ")", "-", " ", " OR ", "[", "]", "[[", "]]", "!", ":", "#", "|", "..", ">=",
            "<", "path:", "file:", "tag:", "type:", "status:", "created:", "modified:", "today",
            "7d", "99999999d", "2026", "2026-13-45", "0000-00-00", "9999-12-31", "null", "\u201c",
            "yesterday", "last week", "word", "a", "OR", "-(", "[a:", "tag:#", '\\"',
        )
    ),
    *odd_bytes(),
)  # fmt: skip
NOW = 1_773_576_000.0
NOTES = {
    "Garden/Bees.md": "---\ntags: [garden/roof]\nrating: 5\nstatus: done\ncreated: 2026-01-03\n---\n"
    "# Bees\n\nBees in spring need a garden on the roof. [[Zürich plan]]\n",
    "Work/Zürich plan.md": "---\ntype: person\ndue: null\nrating: ['>3', 1e400]\n---\nA word of a 漢字.\n",
    "Daily/2026-03-14.md": "- [ ] the day #work\n",
}


def _put(path: str, text: str) -> NotePut:
    read = READERS[".md"].read(text.encode(), FileFacts(path, modified=NOW - 86_400))
    chunks = chunk(
        read.note, count_tokens=lambda part: len(part.split()), sizes=ChunkSizes(64, 12, 6)
    )
    return NotePut(read.note, chunks, len(text), 1, path.encode()[:16].ljust(16))


def _generator(_seed: int, _inputs: int) -> Generate:
    def generate(rng: random.Random) -> bytes:
        return made_of(rng, PIECES) if rng.random() < 0.3 else mutate(rng, SEEDS, PIECES)

    return generate


@contextmanager
def _opened() -> Iterator[Check]:
    index = InMemoryIndex()
    index.apply(Batch(puts=tuple(_put(path, text) for path, text in NOTES.items())))

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")  # as arguments of a command are
        try:
            parsed = parse(text, now=NOW)
        except QueryTooLongError:
            if len(text) <= MAX_QUERY_CHARS:
                raise
            return
        describe_query(parsed)
        if len(parsed.text) > 3 * len(text):
            raise FaultError(f"{len(parsed.text)} characters were made of {len(text)}")
        allowed(parsed.condition, index)
        find_date(parsed.text, NOW)

    try:
        yield check
    finally:
        index.close()


QUERY = Target("query", _opened, _generator)
