"""The routes of asking a language model; an answer is a stream of events."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from notewell.ask.agent import Asked
from notewell.ask.service import AskDesk
from notewell.contract.ask import (
    AskConversationReply,
    AskConversationsReply,
    AskEventReply,
    AskFailed,
    AskForgottenReply,
    AskModelsReply,
    AskSavedReply,
)
from notewell.engine.event_stream import Following, Told
from notewell.support.http import Cancel
from notewell.types import MAX_QUERY_CHARS
from notewell.web.events import EVENT_STREAM
from notewell.web.request_models import Flag, NotePath, QueryText, VaultAsked
from notewell.web.route import Route
from notewell.web.site import Site

_log = logging.getLogger(__name__)

_UNFORESEEN = "Something failed inside Notewell; its log says where. Please report it."
_MOST_WAITING = 10_000  # pieces of an answer that wait for a slow reader

Conversation = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class AskAsked(VaultAsked):
    """`POST /api/ask`."""

    question: QueryText = Field(
        min_length=1,
        description="What to answer from the notes",
        json_schema_extra={"maxLength": MAX_QUERY_CHARS},
    )
    conversation: Conversation | None = Field(None, description="Id of one to go on with")
    model: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Of the configured provider; left out, the one that is set, or the best"
    )


class AskModelsAsked(VaultAsked):
    """`GET /api/ask/models`."""

    refresh: Flag = Field(default=False, description="Ask the provider anew")


class AskConversationAsked(VaultAsked):
    """`GET /api/ask/conversation` and `POST /api/ask/forget`."""

    conversation: Conversation = Field(description="Its id")


class AskSaveAsked(VaultAsked):
    """`POST /api/ask/save`."""

    conversation: Conversation
    path: NotePath = Field(description="Of the new note")


@dataclass(frozen=True, slots=True)
class _Numbered:
    id: int
    kind: str
    data: object


async def ask(site: Site, asked: AskAsked) -> Following:
    """Begin an answer in a thread of its own; it ends when nobody listens any more."""
    answering = _Answering(site.engine(asked.vault).asking, asked)
    following = Following(answering.begin, most_waiting=_MOST_WAITING)
    answering.follow(following)
    return following


async def models(site: Site, asked: AskModelsAsked) -> AskModelsReply:
    """List the provider's models."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.asking.models, refresh=asked.refresh)


async def conversation(site: Site, asked: AskConversationAsked) -> AskConversationReply:
    """Read a conversation again."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.asking.conversation, asked.conversation)


async def conversations(site: Site, asked: VaultAsked) -> AskConversationsReply:
    """List the conversations."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.asking.conversations)


async def forget(site: Site, asked: AskConversationAsked) -> AskForgottenReply:
    """Delete a conversation."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.asking.forget, asked.conversation)


async def save(site: Site, asked: AskSaveAsked) -> AskSavedReply:
    """Write a conversation as a note."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.asking.save, asked.conversation, asked.path)


class _Answering:
    """One answer in a thread, told to one listener."""

    def __init__(self, desk: AskDesk, asked: AskAsked) -> None:
        self._desk = desk
        self._asked = Asked(asked.question, asked.conversation, asked.model)
        self._cancel = Cancel()
        self._tell: Callable[[Told], None] = lambda _: None
        self._following: Following | None = None

    def begin(
        self, listener: Callable[[Told], None]
    ) -> tuple[tuple[Told, ...], Callable[[], None]]:
        """As `Following` subscribes; unsubscribing cancels."""
        self._tell = listener
        return (), self._cancel.cancel

    def follow(self, following: Following) -> None:
        """Start answering; the stream ends with the answer."""
        self._following = following
        threading.Thread(target=self._run, name="ask", daemon=True).start()

    def _run(self) -> None:
        told = 0
        try:
            for event in self._desk.answer(self._asked, self._cancel):
                self._tell(_Numbered(told := told + 1, event.kind, event.data))
        except Exception as error:  # noqa: BLE001 - the end of the thread: who listens hears of it
            # The message might quote a note, so only the places are logged.
            places = "".join(traceback.format_tb(error.__traceback__))
            _log.error("an answer failed: %s\n%s", type(error).__name__, places)
            self._tell(_Numbered(told + 1, "error", AskFailed("internal", _UNFORESEEN)))
        finally:
            if self._following is not None:
                self._following.end_soon()


ASK_ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/api/ask",
        name="ask",
        summary="An answer from the notes, by the configured language model, as server-sent events",
        asked=AskAsked,
        handle=ask,
        reply=AskEventReply,
        media=EVENT_STREAM,
        needs="read",
        counts_as="heavy",
        timed=False,
        example={"question": "How do bees find their way?"},
    ),
    Route(
        method="GET",
        path="/api/ask/models",
        name="ask_models",
        summary="The language models of the configured provider, best first",
        asked=AskModelsAsked,
        handle=models,
        reply=AskModelsReply,
        timed=False,
    ),
    Route(
        method="GET",
        path="/api/ask/conversation",
        name="ask_conversation",
        summary="A conversation that was kept: its questions, answers and sources",
        asked=AskConversationAsked,
        handle=conversation,
        reply=AskConversationReply,
        example={"conversation": "0123456789abcdef"},
    ),
    Route(
        method="GET",
        path="/api/ask/conversations",
        name="ask_conversations",
        summary="The conversations that are kept, the one asked last first",
        asked=VaultAsked,
        handle=conversations,
        reply=AskConversationsReply,
    ),
    Route(
        method="POST",
        path="/api/ask/forget",
        name="ask_forget",
        summary="Keep a conversation no longer",
        asked=AskConversationAsked,
        handle=forget,
        reply=AskForgottenReply,
        example={"conversation": "0123456789abcdef"},
    ),
    Route(
        method="POST",
        path="/api/ask/save",
        name="ask_save",
        summary="Save a conversation as a note",
        asked=AskSaveAsked,
        handle=save,
        reply=AskSavedReply,
        example={"conversation": "0123456789abcdef", "path": "Answers/Bees.md"},
    ),
)
