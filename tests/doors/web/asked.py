"""A fake of `ask`: an answer in two parts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from notewell.base.support.http import Cancel
from notewell.base.types import AskRules
from notewell.contract.context import AskModelsReply, ModelView
from notewell.contract.request import StreamEvent
from notewell.features.ask.requests import (
    AskConversationReply,
    AskConversationsReply,
    AskConversationView,
    AskForgottenReply,
    AskModelsRequest,
    AskReply,
    AskRequest,
    AskSavedReply,
    AskSource,
    AskText,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    SaveConversationRequest,
)
from tests.waiting import HANG_S


class FakeAsking:
    """Answers every question alike; `asked` is the engine's. `slow` waits to be cancelled."""

    def __init__(self, asked: list[object]) -> None:
        self._asked = asked
        self.slow = False
        self.breaks = False
        self.cancelled = threading.Event()

    @property
    def answers(self) -> Mapping[type, Callable[[Any], object]]:
        return {
            AskModelsRequest: self.models,
            ConversationRequest: self.conversation,
            ConversationsRequest: self.conversations,
            ForgetConversationRequest: self.forget,
            SaveConversationRequest: self.save,
        }

    def answer(self, asked: AskRequest, cancel: Cancel) -> Iterator[StreamEvent]:
        self._asked.append(asked)
        yield StreamEvent("text", AskText("By the "))
        if self.breaks:
            raise RuntimeError(asked.question)
        if self.slow:
            try:
                cancel.wait(HANG_S)
            finally:
                self.cancelled.set()
        yield StreamEvent("text", AskText("sun [1]."))
        yield StreamEvent("answer", answer(asked.question))

    def use_rules(self, rules: AskRules) -> None:
        self._asked.append(rules)

    def conversation(self, request: ConversationRequest) -> AskConversationReply:
        self._asked.append(request.conversation)
        return AskConversationReply("Home", request.conversation, (answer("How do bees fly?"),))

    def models(self, request: AskModelsRequest) -> AskModelsReply:
        self._asked.append(request.refresh)
        model = ModelView("test-model", 1, 8192, None, known=False)
        return AskModelsReply("openai", "127.0.0.1", "test-model", 2048, 0.0, (model,))

    def conversations(self, _request: ConversationsRequest) -> AskConversationsReply:
        view = AskConversationView("0123456789abcdef", "Why?", 1, "2026-03-02T10:00:00+00:00")
        return AskConversationsReply("Home", (view,))

    def forget(self, request: ForgetConversationRequest) -> AskForgottenReply:
        self._asked.append(("forget", request.conversation))
        return AskForgottenReply("Home", request.conversation)

    def save(self, request: SaveConversationRequest) -> AskSavedReply:
        self._asked.append((request.conversation, request.path))
        return AskSavedReply("Home", request.path, 3)


def answer(question: str) -> AskReply:
    return AskReply(
        question=question,
        standalone=question,
        vault="Home",
        conversation="0123456789abcdef",
        model="test-model",
        answer="By the sun [1].",
        sources=(AskSource(1, "Garden/Bees.md", "Bees", "obsidian://open", cited=True, line=3),),
        grounded=True,
        general=False,
        partial=False,
        invalid=(),
        steps=1,
        warnings=(),
        asked="2026-03-02T10:00:00+00:00",
    )
