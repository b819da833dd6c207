"""Requests to a language model about the notes, and about what answers them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from notewell.base.types.frozen import frozen
from notewell.contract.chat import AskModelsReply
from notewell.contract.fields import Doc, NotePath, Pattern, SearchText
from notewell.contract.request import EVENT_STREAM, Endpoint, Request
from notewell.features.ask.replies import (
    EVENTS,
    AskConversationReply,
    AskConversationsReply,
    AskEventReply,
    AskEventsReply,
    AskForgottenReply,
    AskSavedReply,
    AskSetupReply,
    AskStoppedReply,
    ChatService,
    LocalModelsReply,
    LocalServer,
)

ConversationId = Annotated[str, Pattern("^[0-9a-f]{16}$")]
AnswerId = Annotated[str, Pattern("^[0-9a-f]{32}$")]
MODEL_NAME_CHARS = 200
_EXAMPLE_ID = "0123456789abcdef"
_EXAMPLE_ANSWER = _EXAMPLE_ID * 2


@frozen
class AskRequest(Request[AskEventReply]):
    """A question to the configured language model; the answer is a stream of events."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask",
        "ask",
        "Answer a question from the notes with the configured language model (server-sent events)",
        media=EVENT_STREAM,
        instead=AskEventsReply,
        events=EVENTS,
        needs="read",
        rate_class="heavy",
        timed=False,
        example={"question": "How do bees find their way?"},
    )
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


@frozen
class AskEventsRequest(Request[AskEventsReply]):
    """The next events of an answer, for clients that cannot read a stream.

    Waits until there is one. An answer whose events nobody asks for is stopped after a minute.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/{id}",
        "ask_events",
        "The events of an answer after a number, waiting for the next one",
        timed=False,
        waits=True,
        of_vault=False,
        example={"id": _EXAMPLE_ANSWER},
    )
    id: Annotated[AnswerId, Doc("Id of the answer")]
    after: Annotated[int, Ge(0), Doc("The last event that was received; 0 for none")] = 0
    wait: Annotated[int, Ge(0), Le(30), Doc("Seconds to wait for an event")] = 20


@frozen
class StopAnswerRequest(Request[AskStoppedReply]):
    """Stop an answer whose events are asked for."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/stop",
        "ask_stop",
        "Stop an answer",
        needs="read",
        of_vault=False,
        example={"id": _EXAMPLE_ANSWER},
    )
    id: Annotated[AnswerId, Doc("Id of the answer")]


@frozen
class AskModelsRequest(Request[AskModelsReply]):
    """The language models of the configured provider."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/models",
        "ask_models",
        "The language models of the configured provider, best first",
        timed=False,
    )
    refresh: Annotated[bool, Doc("Ask the provider for a new list")] = False


@frozen
class ConversationRequest(Request[AskConversationReply]):
    """One stored conversation."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/conversation",
        "ask_conversation",
        "A stored conversation: its questions, answers and sources",
        example={"conversation": _EXAMPLE_ID},
    )
    conversation: Annotated[ConversationId, Doc("Id of the conversation")]


@frozen
class ConversationsRequest(Request[AskConversationsReply]):
    """All stored conversations."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/conversations",
        "ask_conversations",
        "The stored conversations, the most recent first",
    )


@frozen
class ForgetConversationRequest(Request[AskForgottenReply]):
    """Delete a stored conversation."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/forget",
        "ask_forget",
        "Delete a stored conversation",
        changes=False,
        example={"conversation": _EXAMPLE_ID},
    )
    conversation: Annotated[ConversationId, Doc("Id of the conversation")]


@frozen
class SaveConversationRequest(Request[AskSavedReply]):
    """Write a conversation to the vault as a note."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/save",
        "ask_save",
        "Save a conversation as a note",
        example={"conversation": _EXAMPLE_ID, "path": "Answers/Bees.md"},
    )
    conversation: ConversationId
    path: Annotated[NotePath, Doc("Path of the new note")]


@frozen
class LocalModelsRequest(Request[LocalModelsReply]):
    """The programs on the server's computer that serve language models."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/local",
        "ask_local",
        "Look for Ollama, LM Studio and llama.cpp on the server's computer",
        needs="admin",
        rate_class="heavy",
        timed=False,
        of_vault=False,
    )


@frozen
class UseLocalModelRequest(Request[AskModelsReply]):
    """Answer questions with a program on the server's computer, from now on.

    It is written to the settings file; the address is the program's own, on the loopback interface.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/use",
        "ask_use",
        "Answer questions with a language model that runs on the server's computer",
        needs="admin",
        timed=False,
        example={"server": "ollama"},
    )
    server: LocalServer
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("One of its models; left out, the best"),
    ] = None


@frozen
class AskSetupRequest(Request[AskSetupReply]):
    """The service that answers questions, and those that could."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/setup",
        "ask_setup",
        "What answers questions, and which services could",
        needs="admin",
    )


@frozen
class ChangeAskSetupRequest(Request[AskSetupReply]):
    """Answer questions with a service from now on, or with nothing.

    A client names a service of the list, never an address; others are set on the server's computer.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/setup",
        "change_ask_setup",
        "Answer questions with a service, store its key, or answer none",
        needs="admin",
        example={"service": "anthropic", "host": "api.anthropic.com"},
    )
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
    AskEventsRequest,
)
