"""A fake of `ask`: an answer in two parts."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from notewell.contract.ask import (
    AskConversationReply,
    AskConversationsReply,
    AskConversationView,
    AskEvent,
    AskForgottenReply,
    AskModelsReply,
    AskReply,
    AskRequest,
    AskSavedReply,
    AskSource,
    AskText,
    ModelView,
)
from notewell.support.http import Cancel
from notewell.types import AskRules
from tests.waiting import HANG_S


class FakeAsking:
    """Answers every question alike; `asked` is the engine's. `slow` waits to be cancelled."""

    def __init__(self, asked: list[object]) -> None:
        self._asked = asked
        self.slow = False
        self.breaks = False
        self.cancelled = threading.Event()

    def answer(self, asked: AskRequest, cancel: Cancel) -> Iterator[AskEvent]:
        self._asked.append(asked)
        yield AskEvent("text", AskText("By the "))
        if self.breaks:
            raise RuntimeError(asked.question)
        if self.slow:
            try:
                cancel.wait(HANG_S)
            finally:
                self.cancelled.set()
        yield AskEvent("text", AskText("sun [1]."))
        yield AskEvent("answer", answer(asked.question))

    def use_rules(self, rules: AskRules) -> None:
        self._asked.append(rules)

    def conversation(self, conversation: str) -> AskConversationReply:
        self._asked.append(conversation)
        return AskConversationReply("Home", conversation, (answer("How do bees fly?"),))

    def models(self, *, refresh: bool = False) -> AskModelsReply:
        self._asked.append(refresh)
        model = ModelView("test-model", 1, 8192, None, known=False)
        return AskModelsReply("openai", "127.0.0.1", "test-model", 2048, 0.0, (model,))

    def conversations(self) -> AskConversationsReply:
        view = AskConversationView("0123456789abcdef", "Why?", 1, "2026-03-02T10:00:00+00:00")
        return AskConversationsReply("Home", (view,))

    def forget(self, conversation: str) -> AskForgottenReply:
        self._asked.append(("forget", conversation))
        return AskForgottenReply("Home", conversation)

    def save(self, conversation: str, path: str) -> AskSavedReply:
        self._asked.append((conversation, path))
        return AskSavedReply("Home", path, 3)


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
