"""When failed work is retried, and when a vault is checked for changes without a request."""

from __future__ import annotations

from notewell.base.types import LedgerEntry
from notewell.engine.ingest.pace import MOST_ATTEMPTS, after_failure, next_retry, seconds_until


def failed(path: str, attempts: int) -> LedgerEntry:
    return LedgerEntry(path, "failed", attempts=attempts)


def test_a_retry_waits_longer_each_time() -> None:
    waits = []
    for attempts in range(1, MOST_ATTEMPTS):
        retry = next_retry([failed("a.md", attempts)], 100.0)
        assert retry is not None
        assert retry.paths == ("a.md",)
        waits.append(retry.at - 100.0)

    assert waits == [5.0, 20.0, 80.0, 320.0]


def test_a_note_is_retried_a_limited_number_of_times() -> None:
    assert next_retry([failed("a.md", MOST_ATTEMPTS)], 0.0) is None
    assert next_retry([], 0.0) is None


def test_the_next_retry_is_the_earliest() -> None:
    retry = next_retry([failed("a.md", 3), failed("b.md", 1), failed("c.md", 9)], 0.0)

    assert retry is not None
    assert (retry.at, retry.paths) == (5.0, ("a.md", "b.md"))


def test_the_wait_after_a_failed_run_grows() -> None:
    assert [after_failure(n) for n in (1, 2, 3)] == [30.0, 60.0, 120.0]
    assert after_failure(10_000) == 3600.0


def test_a_clock_set_back_makes_waiting_tasks_due() -> None:
    assert seconds_until(100.0, 40.0, longest=3600.0) == 60.0
    assert seconds_until(100.0, 130.0, longest=3600.0) <= 0
    assert seconds_until(1e9, 40.0, longest=3600.0) <= 0
