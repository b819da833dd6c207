"""Topics: the notes of a folder that notes name in their property `topics`."""

from __future__ import annotations

from typing import Literal

from notewell.api.requests import Endpoint, Request, request_to
from notewell.api.types import frozen


@frozen
class TopicView:
    """A topic, and how many notes name it."""

    name: str
    path: str
    aliases: tuple[str, ...]
    notes: int


@frozen
class TopicFolder:
    """A folder of topics; `purpose` is the beginning of its index note."""

    path: str
    purpose: str


@frozen
class TopicsReply:
    """The topics of a vault. `instructions` are a person's for whoever gives notes topics."""

    vault: str
    topics: tuple[TopicView, ...]
    folders: tuple[TopicFolder, ...]
    instructions: str | None


@frozen
class UnknownTopic:
    """A value of `topics` that is no topic; `nearest` is the path of one that is spelled alike."""

    note: str
    value: str
    nearest: str | None


@frozen
class AlikeTopics:
    """Two topics, by path, that may be one: alike in name, or in meaning (a cosine)."""

    one: str
    other: str
    score: float
    by: Literal["name", "meaning"]


@frozen
class TopicCheckReply:
    """Problems of the topics; `unused` are paths of topics that no note names."""

    vault: str
    unknown: tuple[UnknownTopic, ...]
    unused: tuple[str, ...]
    alike: tuple[AlikeTopics, ...]


@request_to(
    Endpoint("GET", "/api/topics", "topics", "The topics of a vault, and how many notes name each")
)
class TopicsRequest(Request[TopicsReply]):
    """The topics of a vault."""


@request_to(
    Endpoint(
        "POST",
        "/api/topics/check",
        "check_topics",
        "Values that are no topic, unused topics, topics that are alike",
        required_scope="read",
        rate_class="heavy",
    )
)
class CheckTopics(Request[TopicCheckReply]):
    """Look for problems of the topics of a vault; nothing is changed."""


REQUESTS = (TopicsRequest, CheckTopics)
