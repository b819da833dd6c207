"""The work queue: merged, never lost while open, and woken at its end."""

from __future__ import annotations

import threading

from recollect.ingest.queue import Work, WorkQueue


def test_what_waits_is_merged_into_one_run() -> None:
    queue = WorkQueue()
    queue.submit(Work(paths=("b.md",)))
    queue.submit(Work(paths=("a.md",)))

    assert queue.take() == Work(paths=("a.md", "b.md"))
    assert not queue.waiting


def test_the_whole_vault_covers_single_notes() -> None:
    assert Work(paths=("a.md",)).merged(Work()) == Work()
    assert Work(full=True).merged(Work(paths=("a.md",))) == Work(full=True)
    assert Work().merged(Work(confirm_removals=True)) == Work(confirm_removals=True)


def test_a_waiting_taker_gets_what_is_submitted() -> None:
    queue = WorkQueue()
    taken: list[Work | None] = []
    taker = threading.Thread(target=lambda: taken.append(queue.take()))
    taker.start()
    queue.submit(Work(full=True))
    taker.join(10)

    assert taken == [Work(full=True)]


def test_closing_wakes_the_taker() -> None:
    queue = WorkQueue()
    taken: list[Work | None] = [Work()]
    taker = threading.Thread(target=lambda: taken.append(queue.take()))
    taker.start()
    queue.close()
    taker.join(10)

    assert taken[-1] is None
    assert queue.closed
