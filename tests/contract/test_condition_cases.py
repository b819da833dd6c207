"""The notes that meet conditions, in cases that the plugin's own index must find in the same way.

`conditions.json` holds some notes and, for each query, the paths that it finds. With
NOTEWELL_TEST_UPDATE_CONTRACT=1 the paths are written anew; notes and queries are edited by hand.
`tests/plugin/conditions.test.ts` reads the same file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import Batch, NotePut, SearchRules, VaultRecord, VaultRules
from notewell.contract.search import SearchRequest
from notewell.index.port import Index
from notewell.search import run
from notewell.search.context import Caches, SearchContext
from notewell.vault import files, walker
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from tests.in_memory import InMemoryIndex
from tests.search.library import HashedWords

CASES = Path(__file__).with_name("conditions.json")
UPDATE = os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1"


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Dates in queries are local time; the file's are those of UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _write(root: Path, notes: dict[str, Any]) -> None:
    for path, note in notes.items():
        values = note["properties"].items()
        lines = "".join(
            f"{name}: {json.dumps(each, ensure_ascii=False)}\n" for name, each in values
        )
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        text = f"---\n{lines}---\n{note['body']}" if lines else note["body"]
        (root / path).write_text(text, encoding="utf-8")


def _index(root: Path, notes: dict[str, Any], index: Index) -> None:
    words, puts = HashedWords(), []
    for file in walker.walk(root, VaultRules()).files:
        source = files.read(file, max_bytes=1_000_000)
        modified = datetime.fromisoformat(notes[file.path]["modified"]).timestamp()
        note = parse(file.path, source, modified=modified)
        chunks = chunk(note, count_tokens=words.count_tokens, sizes=words.sizes)
        puts.append(NotePut(note, chunks, file.size, file.mtime_ns, source.content_hash))
    index.apply(Batch(puts=tuple(puts), model=None))


def _found(index: Index, query: str, root: Path) -> list[str]:
    request = SearchRequest(query, mode="keyword", limit=100, weak=True, everything=True)
    record = VaultRecord("v1", "vault", root)
    rules = SearchRules()
    context = SearchContext(index, record, rules, Caches.of(record, rules), request)
    reply = run.search(context)
    return sorted(result.path for result in reply.results)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system cannot set a time zone")
def test_the_cases_say_what_a_search_finds(tmp_path: Path) -> None:
    kept = json.loads(CASES.read_text("utf-8"))
    _write(tmp_path / "vault", kept["notes"])
    index = InMemoryIndex()
    _index(tmp_path / "vault", kept["notes"], index)
    queries = [case["query"] for case in kept["cases"]]
    found = [{"query": q, "found": _found(index, q, tmp_path / "vault")} for q in queries]
    if UPDATE:
        written = json.dumps({"notes": kept["notes"], "cases": found}, indent=1, ensure_ascii=False)
        CASES.write_text(written + "\n", "utf-8")
    assert found == json.loads(CASES.read_text("utf-8"))["cases"]
    assert len(found) > 40
