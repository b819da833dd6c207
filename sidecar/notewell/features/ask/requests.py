"""Requests to a language model about the notes, and about what answers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from notewell.api.requests import Doc, Endpoint, NotePath, Pattern, Request, SearchText, request_to
from notewell.api.search import Result
from notewell.api.types import Ge, Le, MaxLen, MinLen, frozen
from notewell.contract.context import AskModelsReply
from notewell.contract.request import EVENT_STREAM

AskEventKind = Literal["notice", "found", "step", "permission", "text", "answer", "error"]
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
class AskPermission:
    """A question to the person: whether the model may read the web page at `address`.

    `id` is sent back by `POST /api/ask/permit`. The page is requested only if it is allowed, and
    not without an answer within two minutes.
    """

    id: str
    address: str
    host: str


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


AskEventData: TypeAlias = (
    AskNotice | AskFound | AskStep | AskPermission | AskText | AskReply | AskFailed
)
EVENTS: Mapping[str, type] = {
    "notice": AskNotice,
    "found": AskFound,
    "step": AskStep,
    "permission": AskPermission,
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
class AskPermittedReply:
    """The question about an address that was answered, and the answer."""

    id: str
    allowed: bool


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


ConversationId = Annotated[str, Pattern("^[0-9a-f]{16}$")]
AnswerId = Annotated[str, Pattern("^[0-9a-f]{32}$")]
MODEL_NAME_CHARS = 200
_EXAMPLE_ID = "0123456789abcdef"
_EXAMPLE_ANSWER = _EXAMPLE_ID * 2


@request_to(
    Endpoint(
        "POST",
        "/api/ask",
        "ask",
        "Answer a question from the notes with the configured language model (server-sent events)",
        media=EVENT_STREAM,
        json_reply=AskEventsReply,
        events=EVENTS,
        required_scope="read",
        rate_class="heavy",
        timed=False,
        example={"question": "How do bees find their way?"},
    )
)
class AskRequest(Request[AskEventReply]):
    """A question to the configured language model; the answer is a stream of events."""

    question: Annotated[SearchText, MinLen(1), Doc("What to answer from the notes")]
    conversation: Annotated[ConversationId | None, Doc("Id of a conversation to continue")] = None
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("Model of the configured provider; left out, the one in the settings, or the best"),
    ] = None
    stream: Annotated[
        Literal["poll"] | None,
        Doc("Reply at once with an id; GET /api/ask/{id} has the events, for who cannot stream"),
    ] = None
    may_ask: Annotated[
        bool, Doc("The client shows the person events `permission`, and sends what they decide")
    ] = False


@request_to(
    Endpoint(
        "GET",
        "/api/ask/{id}",
        "ask_events",
        "The events of an answer after a number, waiting for the next one",
        timed=False,
        long_poll=True,
        of_vault=False,
        example={"id": _EXAMPLE_ANSWER},
    )
)
class AskEventsRequest(Request[AskEventsReply]):
    """The next events of an answer, for clients that cannot read a stream.

    Waits until there is one. An answer whose events nobody asks for is stopped after a minute.
    """

    id: Annotated[AnswerId, Doc("Id of the answer")]
    after: Annotated[int, Ge(0), Doc("The last event that was received; 0 for none")] = 0
    wait: Annotated[int, Ge(0), Le(30), Doc("Seconds to wait for an event")] = 20


@request_to(
    Endpoint(
        "POST",
        "/api/ask/stop",
        "ask_stop",
        "Stop an answer",
        required_scope="read",
        of_vault=False,
        example={"id": _EXAMPLE_ANSWER},
    )
)
class StopAnswerRequest(Request[AskStoppedReply]):
    """Stop an answer whose events are asked for."""

    id: Annotated[AnswerId, Doc("Id of the answer")]


@request_to(
    Endpoint(
        "POST",
        "/api/ask/permit",
        "ask_permit",
        "Allow a web page that an answer asks for, or refuse it",
        required_scope="read",
        changes=False,
        example={"id": _EXAMPLE_ANSWER, "allow": False},
    )
)
class PermitAddressRequest(Request[AskPermittedReply]):
    """The person's answer to an event `permission`."""

    id: Annotated[AnswerId, Doc("Id of the event's question")]
    allow: Annotated[bool, Doc("Whether the page may be read")]


@request_to(
    Endpoint(
        "GET",
        "/api/ask/models",
        "ask_models",
        "The language models of the configured provider, best first",
        timed=False,
    )
)
class AskModelsRequest(Request[AskModelsReply]):
    """The language models of the configured provider."""

    refresh: Annotated[bool, Doc("Ask the provider for a new list")] = False


@request_to(
    Endpoint(
        "GET",
        "/api/ask/conversation",
        "ask_conversation",
        "A stored conversation: its questions, answers and sources",
        example={"conversation": _EXAMPLE_ID},
    )
)
class ConversationRequest(Request[AskConversationReply]):
    """One stored conversation."""

    conversation: Annotated[ConversationId, Doc("Id of the conversation")]


@request_to(
    Endpoint(
        "GET",
        "/api/ask/conversations",
        "ask_conversations",
        "The stored conversations, the most recent first",
    )
)
class ConversationsRequest(Request[AskConversationsReply]):
    """All stored conversations."""


@request_to(
    Endpoint(
        "POST",
        "/api/ask/forget",
        "ask_forget",
        "Delete a stored conversation",
        changes=False,
        example={"conversation": _EXAMPLE_ID},
    )
)
class ForgetConversationRequest(Request[AskForgottenReply]):
    """Delete a stored conversation."""

    conversation: Annotated[ConversationId, Doc("Id of the conversation")]


@request_to(
    Endpoint(
        "POST",
        "/api/ask/save",
        "ask_save",
        "Save a conversation as a note",
        example={"conversation": _EXAMPLE_ID, "path": "Answers/Bees.md"},
    )
)
class SaveConversationRequest(Request[AskSavedReply]):
    """Write a conversation to the vault as a note."""

    conversation: ConversationId
    path: Annotated[NotePath, Doc("Path of the new note")]


@request_to(
    Endpoint(
        "GET",
        "/api/ask/local",
        "ask_local",
        "Look for Ollama, LM Studio and llama.cpp on the server's computer",
        required_scope="admin",
        rate_class="heavy",
        timed=False,
        of_vault=False,
    )
)
class LocalModelsRequest(Request[LocalModelsReply]):
    """The programs on the server's computer that serve language models."""


@request_to(
    Endpoint(
        "POST",
        "/api/ask/use",
        "ask_use",
        "Answer questions with a language model that runs on the server's computer",
        required_scope="admin",
        timed=False,
        example={"server": "ollama"},
    )
)
class UseLocalModelRequest(Request[AskModelsReply]):
    """Answer questions with a program on the server's computer, from now on.

    It is written to the settings file; the address is the program's own, on the loopback interface.
    """

    server: LocalServer
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("One of its models; left out, the best"),
    ] = None


@request_to(
    Endpoint(
        "GET",
        "/api/ask/setup",
        "ask_setup",
        "What answers questions, and which services could",
        required_scope="admin",
    )
)
class AskSetupRequest(Request[AskSetupReply]):
    """The service that answers questions, and those that could."""


@request_to(
    Endpoint(
        "POST",
        "/api/ask/setup",
        "change_ask_setup",
        "Answer questions with a service, store its key, or answer none",
        required_scope="admin",
        example={"service": "anthropic", "host": "api.anthropic.com"},
    )
)
class ChangeAskSetupRequest(Request[AskSetupReply]):
    """Answer questions with a service from now on, or with nothing.

    A client names a service of the list, never an address; others are set on the server's computer.
    """

    service: Annotated[ChatService | None, Doc("The service; null answers no questions")] = None
    host: Annotated[
        Annotated[str, MaxLen(255)] | None,
        Doc("The host of the service, as the person who agreed to send notes there read it"),
    ] = None
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("One of its models; left out, the best"),
    ] = None
    key: Annotated[
        Annotated[str, MaxLen(1000)] | None,
        Doc("Its key, for the keyring of the server's computer; an empty one is removed"),
    ] = None


REQUESTS = (
    AskRequest,
    AskModelsRequest,
    LocalModelsRequest,
    UseLocalModelRequest,
    AskSetupRequest,
    ChangeAskSetupRequest,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    SaveConversationRequest,
    StopAnswerRequest,
    PermitAddressRequest,
    AskEventsRequest,
)
