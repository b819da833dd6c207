"""Steering the writer of a vault: pausing and resuming it, dropping its queue, trying again."""

from __future__ import annotations

from notewell.contract.changes import AcceptedReply
from notewell.engine.ingest.writer import Writer
from notewell.index.port import IndexReader


class QueueControl:
    """Any thread may call. Each reply says how much the request concerned."""

    def __init__(self, writer: Writer, index: IndexReader) -> None:
        """Nothing is changed yet."""
        self._writer = writer
        self._index = index

    def pause(self) -> AcceptedReply:
        """Pause the writer until `resume`; searching goes on. Returns how much is queued."""
        self._writer.pause()
        return self._accepted(self._writer.queue.waiting)

    def resume(self) -> AcceptedReply:
        """Resume the writer. Returns how much is queued."""
        self._writer.resume()
        return self._accepted(self._writer.queue.waiting)

    def cancel(self) -> AcceptedReply:
        """Drop the queue and stop the running work; commits stay. Returns how much was queued."""
        waiting = self._writer.queue.waiting
        self._writer.queue.cancel()
        return self._accepted(waiting)

    def retry(self) -> AcceptedReply:
        """Try every failed note again."""
        return self._accepted(self._writer.retry())

    def _accepted(self, count: int) -> AcceptedReply:
        return AcceptedReply(count, self._index.generation)
