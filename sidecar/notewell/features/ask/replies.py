"""Replies about questions: the events of an answer, conversations, models and services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from notewell.base.types.frozen import frozen
from notewell.contract.search import Result

AskEventKind = Literal["notice", "found", "step", "text", "answer", "error"]
LocalServer = Literal["ollama", "lm-studio", "llama.cpp"]
ChatService = Literal["openai", "anthropic", "gemini", "mistral", "openrouter"]
KeyPlace = Literal["environment", "keyring", "none"]


@frozen
class AskNotice:
    """A notice of what the provider is sent, before it is. `local`: it stays on this computer.

    `conversation` is the id of the conversation that the question belongs to.
    """

    provider: str
    host: str
    model: str
    local: bool
    leaves: str
    conversation: str


@frozen
class AskFound:
    """The notes found by keyword, shown before the model answers."""

    results: tuple[Result, ...]


@frozen
class AskStep:
    """A tool that the model used, and its outcome. `n` counts from 1.

    `code` and `output` are a program that was run and what it printed; null for other tools.
    """

    n: int
    tool: str
    about: str
    outcome: str
    code: str | None = None
    output: str | None = None


@frozen
class AskText:
    """A piece of the answer, as it arrives. `AskReply.answer` is the final text."""

    text: str


@frozen
class AskSource:
    """A source, with the number that citations use. `cited`: the answer cites it. `uri` opens it.

    `line` (from 1) is that of the first passage the model was given; null where it was given the
    whole note, or a web page.
    """

    n: int
    path: str
    title: str
    uri: str
    cited: bool
    line: int | None = None


@frozen
class AskReply:
    """An answer. `standalone` is the question as it was searched for, `asked` the time of asking.

    `grounded`: it cites the notes. `general`: it is the model's own knowledge. `partial`: it ended
    early, for the reason in `warnings`. `cancelled` (only in conversations): it or the server was
    stopped, and `answer` is what had arrived by then. `invalid` are citations of sources that do
    not exist; they were removed from the answer.
    """

    question: str
    standalone: str
    vault: str
    conversation: str
    model: str
    answer: str
    sources: tuple[AskSource, ...]
    grounded: bool
    general: bool
    partial: bool
    invalid: tuple[int, ...]
    steps: int
    warnings: tuple[str, ...]
    asked: str
    cancelled: bool = False


@frozen
class AskFailed:
    """The reason why there is no answer."""

    code: str
    detail: str


AskEventData: TypeAlias = AskNotice | AskFound | AskStep | AskText | AskReply | AskFailed
EVENTS: Mapping[str, type] = {
    "notice": AskNotice,
    "found": AskFound,
    "step": AskStep,
    "text": AskText,
    "answer": AskReply,
    "error": AskFailed,
}


@frozen
class AskEventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: AskEventKind
    data: AskEventData


@frozen
class AskEventsReply:
    """The events of an answer that were asked for. `done`: no other event will come.

    The pieces of text that came together are one event, with the `id` of the last. An answer that
    was stopped is `done` without an event `answer` or `error`.
    """

    id: str
    events: tuple[AskEventReply, ...]
    done: bool


@frozen
class AskStoppedReply:
    """The answer that was stopped."""

    id: str


@frozen
class AskConversationReply:
    """A stored conversation: a turn for each question, oldest first."""

    vault: str
    conversation: str
    turns: tuple[AskReply, ...]


@frozen
class AskConversationView:
    """A stored conversation: its first question, and the time of its last one."""

    conversation: str
    question: str
    turns: int
    asked: str


@frozen
class AskConversationsReply:
    """The stored conversations, the most recent first."""

    vault: str
    conversations: tuple[AskConversationView, ...]


@frozen
class AskForgottenReply:
    """The conversation that was deleted."""

    vault: str
    conversation: str


@frozen
class AskSavedReply:
    """The note that a conversation was saved as. `undo` is the number that undoes the write."""

    vault: str
    path: str
    undo: int | None


@frozen
class LocalModels:
    """A program on the server's computer that serves language models; the best model first."""

    server: LocalServer
    title: str
    address: str
    models: tuple[str, ...]


@frozen
class LocalModelsReply:
    """The programs found running on the server's computer."""

    found: tuple[LocalModels, ...]


@frozen
class ChatServiceView:
    """A service outside the server's computer, and the host that notes would be sent to."""

    name: ChatService
    title: str
    host: str


@frozen
class AskSetupReply:
    """The service that answers questions now. `host` is null where nothing does.

    `service` is null for programs on the server's computer and for addresses of one's own. `model`
    is null where the best is taken. `key`: where the key for it is; keys themselves are never told.
    `keyring`: whether the server's computer can store one.
    """

    service: ChatService | None
    host: str | None
    local: bool
    model: str | None
    key: KeyPlace
    keyring: bool
    services: tuple[ChatServiceView, ...]
