"""Questions that wait for an answer: kept, listed, taken back."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Pattern, Request, request_to
from notewell.api.types import MaxLen, MinLen, frozen

QuestionId = Annotated[str, Pattern("^[0-9a-f]{8}$"), Doc("Id of the question")]


@frozen
class ToldAnswer:
    """A sentence that answers a question, from a note that was written after it was asked.

    `at` says when it was noticed, `is_new` that nobody has been shown it yet.
    """

    text: str
    path: str
    line: int
    confidence: float
    at: str
    is_new: bool


@frozen
class StandingQuestion:
    """A question that waits for an answer; `answers` are those noticed, the newest first."""

    id: str
    text: str
    added: str
    answers: tuple[ToldAnswer, ...] = ()


@frozen
class QuestionsReply:
    """The questions that wait, the newest first; `new` counts answers that nobody was shown."""

    vault: str
    questions: tuple[StandingQuestion, ...]
    new: int


@request_to(
    Endpoint(
        "GET",
        "/api/questions",
        "questions",
        "Questions that wait for an answer, and what was written since that answers them",
        rate_class="search",
    )
)
class QuestionsRequest(Request[QuestionsReply]):
    """The questions that wait for an answer; notes that changed are looked at first."""


@request_to(
    Endpoint(
        "POST",
        "/api/questions",
        "add_question",
        "Keep a question: notes written from now on that answer it are noticed",
        rate_class="search",
        example={"text": "Did anyone find out when the bees swarm?"},
    )
)
class AddQuestion(Request[QuestionsReply]):
    """Keep a question until a note answers it. What the notes say already is never told."""

    text: Annotated[str, MinLen(3), MaxLen(500), Doc("The question")]


@request_to(
    Endpoint(
        "POST",
        "/api/questions/shown",
        "questions_shown",
        "Say that the answers of a question were shown",
        example={"id": "01234567"},
    )
)
class QuestionShown(Request[QuestionsReply]):
    """A person has seen the answers of a question: they are no longer new."""

    id: QuestionId


@request_to(
    Endpoint(
        "DELETE",
        "/api/questions",
        "remove_question",
        "Keep a question no longer",
        example={"id": "01234567"},
    )
)
class RemoveQuestion(Request[QuestionsReply]):
    """Keep a question no longer; it is forgotten with its answers."""

    id: QuestionId


STANDING = (QuestionsRequest, AddQuestion, QuestionShown, RemoveQuestion)
