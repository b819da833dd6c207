"""What asking a language model answers: events on the way, and the answer at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from notewell.contract.search import Result

AskEventKind = Literal["notice", "found", "step", "text", "answer", "error"]


@dataclass(frozen=True, slots=True)
class AskNotice:
    """What leaves this computer, said before anything does. `local`: it stays on it.

    `conversation` is the one that the question belongs to, by which it may be read again.
    """

    provider: str
    host: str
    model: str
    local: bool
    leaves: str
    conversation: str


@dataclass(frozen=True, slots=True)
class AskFound:
    """What keywords find, while the model thinks."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class AskStep:
    """A tool that is used, and what came of it. `n` counts from 1."""

    n: int
    tool: str
    about: str
    outcome: str


@dataclass(frozen=True, slots=True)
class AskText:
    """A piece of the answer, as it comes. `AskReply.answer` is what counts in the end."""

    text: str


@dataclass(frozen=True, slots=True)
class AskSource:
    """A source, numbered as citations name it. `cited`: the answer does. `uri` opens it.

    `line` (from 1) is where the passage stands that the model was given first; null where it was
    given the whole note, or a page of the web.
    """

    n: int
    path: str
    title: str
    uri: str
    cited: bool
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AskReply:
    """An answer. `standalone` is the question as it was searched for, `asked` is when.

    `grounded`: it cites the notes. `general`: it is the model's own knowledge. `partial`: it ended
    early, for the reason in `warnings`. `cancelled`, of conversations alone: it was stopped, or the
    server was, and `answer` is what had come, maybe nothing. `invalid` are citations of sources
    that there are none of; they were taken out.
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


@dataclass(frozen=True, slots=True)
class AskConversationReply:
    """A conversation as it was kept: a turn for each question, oldest first."""

    vault: str
    conversation: str
    turns: tuple[AskReply, ...]


@dataclass(frozen=True, slots=True)
class AskConversationView:
    """A conversation that is kept: the question it began with, and when it was last asked."""

    conversation: str
    question: str
    turns: int
    asked: str


@dataclass(frozen=True, slots=True)
class AskConversationsReply:
    """The conversations that are kept, the one asked last first."""

    vault: str
    conversations: tuple[AskConversationView, ...]


@dataclass(frozen=True, slots=True)
class AskForgottenReply:
    """The conversation that is no longer kept."""

    vault: str
    conversation: str


@dataclass(frozen=True, slots=True)
class AskFailed:
    """Why there is no answer."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class AskEventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: AskEventKind
    data: AskNotice | AskFound | AskStep | AskText | AskReply | AskFailed


@dataclass(frozen=True, slots=True)
class AskEvent:
    """One event of an answer; an `answer` or an `error` is the last."""

    kind: AskEventKind
    data: AskNotice | AskFound | AskStep | AskText | AskReply | AskFailed


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model of the provider; limits in tokens. `rank` 1 is used where none is named."""

    name: str
    rank: int
    input_limit: int
    output_limit: int | None
    known: bool  # whether the provider told the limit, or a table did


@dataclass(frozen=True, slots=True)
class AskModelsReply:
    """The models of the configured provider, best first; `age_s` since they were fetched."""

    provider: str
    host: str
    chosen: str | None
    budget_tokens: int | None
    age_s: float
    models: tuple[ModelView, ...]


@dataclass(frozen=True, slots=True)
class AskSavedReply:
    """The note that a conversation was saved as. `undo` is a number for undoing."""

    vault: str
    path: str
    undo: int | None
