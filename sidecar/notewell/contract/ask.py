"""Asking a language model: questions, the events of an answer, conversations, models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Le, MaxLen, MinLen

from notewell.contract.codec import from_json
from notewell.contract.fields import Doc, NotePath, Pattern, SearchText
from notewell.contract.request import EVENT_STREAM, Endpoint, Request
from notewell.contract.search import Result
from notewell.errors import ServerError
from notewell.types.frozen import frozen

AskEventKind = Literal["notice", "found", "step", "text", "answer", "error"]


@frozen
class AskNotice:
    """What is sent to the provider, reported before it is sent. `local`: it stays on this computer.

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
class AskFailed:
    """Why there is no answer."""

    code: str
    detail: str


AskEventData: TypeAlias = AskNotice | AskFound | AskStep | AskText | AskReply | AskFailed


@frozen
class AskEventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: AskEventKind
    data: AskEventData


@frozen
class AskEvent:
    """One event of an answer; an `answer` or an `error` is the last."""

    kind: AskEventKind
    data: AskEventData


_EVENT_DATA: Mapping[str, tuple[AskEventKind, type[AskEventData]]] = {
    "notice": ("notice", AskNotice),
    "found": ("found", AskFound),
    "step": ("step", AskStep),
    "text": ("text", AskText),
    "answer": ("answer", AskReply),
    "error": ("error", AskFailed),
}


def read_event(kind: str, data: bytes) -> AskEvent:
    """Decode one event of a stream; raises ServerError where its kind or data are unknown."""
    if kind not in _EVENT_DATA:
        raise ServerError(f"The server sent an event that this version does not know: {kind!r}.")
    known, record = _EVENT_DATA[kind]
    return AskEvent(known, from_json(record, data))


@frozen
class ModelView:
    """A model of the provider; limits in tokens. `rank` 1 is used if no model is named."""

    name: str
    rank: int
    input_limit: int
    output_limit: int | None
    known: bool  # whether the limit is known, from the provider or a table


@frozen
class AskModelsReply:
    """The models of the configured provider, best first; the list is `age_s` seconds old."""

    provider: str
    host: str
    chosen: str | None
    budget_tokens: int | None
    age_s: float
    models: tuple[ModelView, ...]


@frozen
class AskSavedReply:
    """The note that a conversation was saved as. `undo` is the number that undoes the write."""

    vault: str
    path: str
    undo: int | None


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
