"""The log on a real disk: no entry lost, no waiting, and nothing written that must not be."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import QueryLogError
from notewell.base.querylog import (
    NAME,
    Judged,
    Opened,
    QueryEntry,
    QueryLog,
    database,
    delete,
    fold,
)
from notewell.base.querylog.database import BURST_SECONDS

FIRST = QueryEntry(
    "q0", 1000.0, "http", "bees", "hybrid", 1.5, 7, (("Bees.md", 1.0), ("Hive.md", 0.5))
)
Make = Callable[..., QueryLog]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    opened: list[QueryLog] = []

    def maker(folder: Path = tmp_path / "index", *, enabled: bool = True) -> QueryLog:
        opened.append(QueryLog(folder, enabled=enabled))
        return opened[-1]

    yield maker
    for each in opened:
        each.close()


def asked(number: int, text: str, *, after: float = 60.0, door: str = "http") -> QueryEntry:
    return replace(FIRST, id=f"q{number}", at=FIRST.at + number * after, text=text, door=door)


def texts(log: QueryLog) -> list[str]:
    return [query.text for query, _ in log.latest(1000, None)[1]][::-1]


def open_result(log: QueryLog, query: str, path: str, *, query_id: str | None = None) -> bool:
    def make_opened(found: QueryEntry | None) -> Opened | None:
        return Opened(FIRST.at + 1, query, path, query_id=found.id if found else None)

    return log.add_opened(make_opened, query_id=query_id, query=query)


def test_searches_are_stored_with_their_results(make: Make) -> None:
    log = make()

    assert log.add(FIRST)

    assert log.latest(10, None) == (1, ((FIRST, ()),))


def test_the_log_persists_for_the_next_process(make: Make, tmp_path: Path) -> None:
    log = make()
    log.add(FIRST)
    log.judge(Judged(1.0, "Bees", "Wasps.md", "never_for_this"))
    log.close()

    again = make()

    assert texts(again) == ["bees"]
    assert [each.path for each in again.never(" bees")] == ["Wasps.md"]
    assert not again.never("bee")


def test_the_file_is_readable_by_its_owner_only(make: Make, tmp_path: Path) -> None:
    log = make()
    log.add(FIRST)
    log.close()

    [file] = (tmp_path / "index").iterdir()
    assert file.name == NAME
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_disabled_log_writes_nothing(make: Make, tmp_path: Path) -> None:
    log = make(enabled=False)

    assert not log.add(FIRST)
    assert log.latest(10, None) == (0, ())
    assert log.never("bees") == ()
    assert log.clear(keep_verdicts=False).queries == 0
    log.close()

    assert not (tmp_path / "index").exists()


def test_a_disabled_log_can_be_read_and_cleared(make: Make) -> None:
    earlier = make()
    earlier.add(FIRST)
    earlier.judge(Judged(1.0, "bees", "Wasps.md", "never_for_this"))
    earlier.close()

    log = make(enabled=False)

    assert (texts(log), len(log.never("bees"))) == (["bees"], 1)
    cleared = log.clear(keep_verdicts=False)
    assert (cleared.queries, cleared.verdicts) == (1, 1)
    assert (texts(log), log.never("bees")) == ([], ())


def test_a_query_is_logged_once_while_typed(make: Make) -> None:
    log = make()
    for number, text in enumerate(("b", "be", "bee", "bees ", "bees home")):
        log.add(asked(number, text, after=0.3))
    log.add(asked(5, "wasps", after=0.3))

    assert texts(log) == ["bees home", "wasps"]


def test_a_query_with_an_opened_result_is_not_replaced(make: Make) -> None:
    log = make()
    log.add(FIRST)
    open_result(log, "bees", "Bees.md", query_id="q0")
    log.add(asked(1, "bees home", after=1.0))

    assert texts(log) == ["bees", "bees home"]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text("abé ", min_size=1, max_size=6),
            st.sampled_from(("plugin", "web")),
            st.floats(0.1, 2 * BURST_SECONDS),
        ),
        max_size=25,
    )
)
def test_only_queries_typed_further_are_merged(typed: list[tuple[str, str, float]]) -> None:
    kept_book, at = database.LogDatabase(None), 0.0
    queries: list[QueryEntry] = []
    for number, (text, door, pause) in enumerate(typed):
        at += pause
        queries.append(replace(FIRST, id=str(number), at=at, text=text, door=door))
    kept_book.add(queries)
    kept = {query.id for query in kept_book.latest(1000, None)[1]}
    kept_book.close()

    for query in queries:
        after = [q for q in queries if q.door == query.door and q.at > query.at][:1]
        typed_on = (
            bool(after)
            and after[0].at - query.at <= BURST_SECONDS
            and fold(after[0].text).startswith(fold(query.text))
        )
        assert (query.id in kept) == (not typed_on)


def test_only_the_newest_rows_are_kept(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "MAX_ROWS", 3)
    log = make()
    for number in range(6):
        log.add(asked(number, f"query {number}"))
        open_result(log, f"query {number}", "Bees.md", query_id=f"q{number}")

    assert texts(log) == ["query 3", "query 4", "query 5"]
    assert len(log.judgements().opened) == 3


def test_since_and_limit_select_entries(make: Make) -> None:
    log = make()
    for number in range(5):
        log.add(asked(number, f"query {number}"))

    total, newest = log.latest(2, FIRST.at + 60)

    assert total == 4
    assert [query.text for query, _ in newest] == ["query 4", "query 3"]


def test_a_verdict_replaces_the_earlier_one_and_can_be_cleared(make: Make) -> None:
    log = make()
    log.judge(Judged(1.0, "bees", "A.md", "never_for_this"))
    log.judge(Judged(2.0, "BEES ", "A.md", "this_was_it"))

    assert log.never("bees") == ()
    assert [verdict.verdict for verdict in log.judgements().verdicts] == ["this_was_it"]

    log.withdraw("bees", "A.md")
    assert log.judgements().verdicts == ()


def test_clearing_leaves_no_text_on_disk(make: Make, tmp_path: Path) -> None:
    log = make()
    log.add(replace(FIRST, text="zanzibar secret"))
    log.judge(Judged(1.0, "zanzibar verdict", "A.md", "never_for_this"))

    log.clear(keep_verdicts=True)
    assert [each.path for each in log.never("zanzibar verdict")] == ["A.md"]
    assert b"zanzibar secret" not in (tmp_path / "index" / NAME).read_bytes()

    log.clear(keep_verdicts=False)
    log.close()
    assert all(b"zanzibar" not in file.read_bytes() for file in (tmp_path / "index").iterdir())


def test_a_failing_disk_logs_one_warning_and_fails_no_search(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "index").write_text("a file where a folder should be", encoding="utf-8")
    log = make()

    with caplog.at_level(logging.WARNING):
        for number in range(5):
            log.add(asked(number, f"query {number}"))
        with pytest.raises(QueryLogError, match="query log"):
            log.judge(Judged(1.0, "bees", "A.md", "this_was_it"))
        log.close()

    assert len([r for r in caplog.records if "not logged" in r.message]) == 1
    assert not log.add(FIRST)


def test_a_full_disk_is_survived(make: Make, tmp_path: Path) -> None:
    log = make()
    log.add(FIRST)
    assert texts(log) == ["bees"]
    # As SQLite itself reports a disk that is full: no page more than there are.
    pages = log._database._connection.execute  # type: ignore[union-attr]
    log._call(lambda _: pages("PRAGMA max_page_count = 1"), writes=True)
    many = replace(FIRST, id="big", at=2000.0, text="x" * 4000, results=(("long.md" * 9000, 1.0),))

    assert log.add(many)
    assert texts(log) == ["bees"]

    log.add(asked(3, "after that"))
    assert texts(log) == ["bees", "after that"]


def test_a_damaged_file_is_moved_aside_and_deleted_with_the_log(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / NAME).write_bytes(b"no database at all" * 500)

    log = make()
    log.add(FIRST)

    assert texts(log) == ["bees"]
    assert (folder / f"{NAME}.damaged").exists()
    log.close()
    (folder / "other.txt").touch()
    delete(folder)
    assert [file.name for file in folder.iterdir()] == ["other.txt"]


def test_a_file_of_a_newer_version_is_left_alone(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    with sqlite3.connect(folder / NAME) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()

    log = make()
    log.add(FIRST)

    with pytest.raises(QueryLogError, match="version 99"):
        log.latest(1, None)


def test_two_processes_can_write_concurrently(make: Make) -> None:
    one, two = make(), make()
    for number in range(20):
        one.add(asked(2 * number, f"one {number}"))
        two.add(asked(2 * number + 1, f"two {number}", door="cli"))
    assert {one.latest(1, None)[0], two.latest(1, None)[0]} <= set(range(1, 41))
    one.close()
    two.close()

    assert len(texts(make())) == 40
