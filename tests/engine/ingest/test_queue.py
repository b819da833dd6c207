"""The work queue: merging, priorities, no lost work while open, and waking at its end."""

from __future__ import annotations

import threading

from notewell.engine.ingest.queue import MOST_PATHS, Work, WorkQueue, is_nothing
from tests.waiting import HANG_S


def test_waiting_work_is_merged_into_one_run() -> None:
    queue = WorkQueue()
    queue.submit(Work(paths=("b.md",)))
    queue.submit(Work(paths=("a.md", "b.md")))

    assert queue.take() == Work(paths=("a.md", "b.md"))


def test_the_whole_vault_covers_single_notes() -> None:
    assert Work(paths=("a.md",)).merged(Work()) == Work()
    assert Work(full=True).merged(Work(paths=("a.md",))) == Work(full=True)
    assert Work(paths=("a.md",)).merged(Work(retitle=True)) == Work(retitle=True)
    assert Work().merged(Work(confirm_removals=True)) == Work(confirm_removals=True)


def test_saved_notes_come_before_the_backlog() -> None:
    queue = WorkQueue()
    queue.submit(Work(full=True))
    queue.submit(Work(paths=("saved.md",), saved=True))

    assert queue.saved_waiting
    assert queue.take() == Work(paths=("saved.md",), saved=True)
    assert queue.take() == Work(full=True)


def test_very_many_paths_become_one_run_over_the_vault() -> None:
    queue = WorkQueue()
    for n in range(MOST_PATHS + 1):
        queue.submit(Work(paths=(f"{n}.md",), saved=True))

    assert queue.take() == Work()


def test_a_paused_queue_keeps_its_work() -> None:
    queue = WorkQueue()
    queue.submit(Work())
    queue.pause()
    taken: list[Work | None] = []
    taker = threading.Thread(target=lambda: taken.append(queue.take()))
    taker.start()
    taker.join(0.05)
    assert taken == []

    queue.resume()
    taker.join(HANG_S)
    assert taken == [Work()]


def test_cancelling_drops_waiting_work_and_stops_the_running_one() -> None:
    queue = WorkQueue()
    queue.submit(Work())
    queue.take()
    queue.submit(Work(paths=("a.md",), saved=True))

    queue.cancel()

    assert queue.cancelled
    assert not queue.saved_waiting
    queue.submit(Work())
    queue.take()
    assert not queue.cancelled


def test_work_counts_until_it_is_done() -> None:
    queue = WorkQueue()
    queue.submit(Work())
    assert queue.waiting == 1
    queue.take()
    assert queue.waiting == 1
    queue.mark_done()
    assert queue.waiting == 0


def test_take_returns_when_a_scheduled_task_is_due() -> None:
    work = WorkQueue().take(lambda: 0.0)

    assert work is not None
    assert is_nothing(work)


def test_a_waiting_take_returns_submitted_work() -> None:
    queue = WorkQueue()
    taken: list[Work | None] = []
    taker = threading.Thread(target=lambda: taken.append(queue.take()))
    taker.start()
    queue.submit(Work(full=True))
    taker.join(HANG_S)

    assert taken == [Work(full=True)]


def test_closing_ends_a_waiting_take() -> None:
    queue = WorkQueue()
    taken: list[Work | None] = [Work()]
    taker = threading.Thread(target=lambda: taken.append(queue.take()))
    taker.start()
    queue.close()
    taker.join(HANG_S)

    assert taken[-1] is None
    assert queue.closed
