"""The query grammar's cases, which the plugin's parser must read in the same way.

`queries.json` holds each query with the text that is scored, the condition that must hold, the phrases
and the warnings; and `lists` where what meets the condition needs no word of the text. With NOTEWELL_TEST_UPDATE_CONTRACT=1 the results are written anew; the queries are
edited by hand. `tests/plugin/query.test.ts` reads the same file. `cases/scopes.json` has those that need the text
of notes. Groups and patterns as the value of a filter, which the server alone reads, are in neither
(`tests/search/query/test_nested_values.py`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from notewell.search.query.language import describe
from notewell.search.query.parser import parse

CASES = Path(__file__).with_name("queries.json")
SCOPES = CASES.parent / "cases" / "scopes.json"
UPDATE = os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1"


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Dates in queries are local time; the file's are those of UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _read(query: str, now: float, *, scopes: bool) -> dict[str, object]:
    parsed = parse(query, now=now, scopes=scopes)
    return {
        "query": query,
        "text": parsed.text,
        "condition": describe(parsed.condition),
        "phrases": list(parsed.phrases),
        "warnings": list(parsed.warnings),
    } | ({"lists": True} if parsed.lists else {})


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system cannot set a time zone")
@pytest.mark.parametrize("file", [CASES, SCOPES])
def test_the_cases_say_what_the_parser_reads(file: Path) -> None:
    kept = json.loads(file.read_text("utf-8"))
    now = datetime.fromisoformat(kept["now"]).timestamp()
    read = [_read(case["query"], now, scopes=file == SCOPES) for case in kept["cases"]]
    if UPDATE:
        written = json.dumps({"now": kept["now"], "cases": read}, indent=1, ensure_ascii=False)
        file.write_text(written + "\n", "utf-8")
    assert read == json.loads(file.read_text("utf-8"))["cases"]
    assert len(read) > (80 if file == CASES else 20)
