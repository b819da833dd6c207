"""Answers that a client fetches by polling: the events of each, kept until they are fetched."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from notewell.api.errors import NotFoundError
from notewell.base.errors import BusyError
from notewell.engine.event_loop import EventStream
from notewell.features.ask.requests import (
    AskEventReply,
    AskEventsReply,
    AskText,
)

_GATHER_S = 0.12  # after a piece of text, so that a fast model does not cause a request a word


@dataclass(slots=True)
class _Running:
    """An answer with its events so far; `last_polled` is the loop's time of the latest request."""

    caller: object
    stream: EventStream
    last_polled: float
    events: list[AskEventReply] = field(default_factory=list)
    done: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class PolledAnswers:
    """The running answers of one server, and the finished ones for `kept_s` seconds.

    An answer that nobody asks for during `patience_s` is stopped.
    """

    max_running: int = 32
    max_per_caller: int = 8
    patience_s: float = 60.0
    kept_s: float = 600.0
    _answers: dict[str, _Running] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def admit(self, caller: object) -> None:
        """Raise BusyError where too many answers run."""
        self._forget()
        running = [answer for answer in self._answers.values() if not answer.done]
        own = [answer for answer in running if answer.caller == caller]
        if len(running) >= self.max_running or len(own) >= self.max_per_caller:
            raise BusyError(
                f"{len(running)} questions are being answered, which is the maximum. Wait for an"
                " answer, or stop one.",
                code="too_many_answers",
                retry_after=10.0,
            )

    def keep(self, caller: object, stream: EventStream, held: AsyncExitStack) -> AskEventsReply:
        """Collect the events of `stream`; `held` is closed when it ends."""
        number = secrets.token_hex(16)
        answer = _Running(caller, stream, _now())
        self._answers[number] = answer
        task = asyncio.create_task(self._follow(answer, held))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return AskEventsReply(number, (), done=False)

    async def events(
        self, caller: object, number: str, after: int, wait_s: float
    ) -> AskEventsReply:
        """The events after `after`; waits for one at most `wait_s`. Raises NotFoundError."""
        answer = self._find(caller, number)
        answer.last_polled = _now()
        if wait_s > 0 and not answer.done and len(answer.events) <= after:
            await _wait_for_change(answer, wait_s)
            if answer.events and answer.events[-1].event == "text" and not answer.done:
                await asyncio.sleep(_GATHER_S)
        answer.last_polled = _now()
        return AskEventsReply(number, _join(answer.events[after:]), done=answer.done)

    def stop(self, caller: object, number: str) -> None:
        """Stop an answer; one that has ended already stays as it is. Raises NotFoundError."""
        self._find(caller, number).stream.end()

    async def end(self) -> None:
        """Stop all answers, because the server stops."""
        for answer in self._answers.values():
            answer.stream.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _find(self, caller: object, number: str) -> _Running:
        """The answer of a caller. One of another caller is as unknown as one that never was."""
        answer = self._answers.get(number)
        if answer is None or answer.caller != caller:
            raise NotFoundError(
                "There is no such answer (any more). The conversation may have it.",
                code="answer_not_found",
            )
        return answer

    def _forget(self) -> None:
        """Drop the finished answers that nobody asked for in a while."""
        oldest = _now() - self.kept_s
        for number, answer in list(self._answers.items()):
            if answer.done and answer.last_polled < oldest:
                del self._answers[number]

    async def _follow(self, answer: _Running, held: AsyncExitStack) -> None:
        async with held:
            try:
                while await self._take(answer):
                    answer.changed.set()
            finally:
                answer.stream.end()
                answer.done = True
                answer.changed.set()

    async def _take(self, answer: _Running) -> bool:
        """Wait for the next event; False if there is none. Stops an answer nobody wants."""
        if _now() - answer.last_polled > self.patience_s:
            answer.stream.end()
        try:
            async with asyncio.timeout(self.patience_s):
                event: Any = await answer.stream.next()
        except TimeoutError:
            return True
        if event is None:
            return False
        answer.events.append(AskEventReply(event.id, event.kind, event.data))
        return True


def _join(events: Sequence[AskEventReply]) -> tuple[AskEventReply, ...]:
    """The events, with each run of pieces of text as one event."""
    joined: list[AskEventReply] = []
    for event in events:
        last = joined[-1].data if joined else None
        if isinstance(event.data, AskText) and isinstance(last, AskText):
            joined[-1] = replace(event, data=AskText(last.text + event.data.text))
        else:
            joined.append(event)
    return tuple(joined)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _wait_for_change(answer: _Running, wait_s: float) -> None:
    answer.changed.clear()
    try:
        async with asyncio.timeout(wait_s):
            await answer.changed.wait()
    except TimeoutError:
        return
