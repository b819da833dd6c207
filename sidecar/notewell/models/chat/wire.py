"""HTTP to a language model's provider, and turns and lists of models built from its replies.

Requests are JSON, replies JSON or server-sent events. Redirects are not followed, so that a
key goes only to the address that a person chose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from notewell.base.errors import ProviderError
from notewell.base.support.http import (
    Cancel,
    HttpClient,
    HttpError,
    HttpRequest,
    Json,
    Retry,
    StreamedReply,
    error_words,
    parse_json,
)
from notewell.base.types.frozen import frozen
from notewell.models.chat import ToolCall, Turn

FIRST_PAUSE_S = 1.0
SILENCE_S = 120.0  # a local model may load for a minute before its first word
MAX_BYTES = 8 * 1024 * 1024  # of one reply
_HEADERS = {"Accept": "application/json, text/event-stream"}


@frozen
class ChatEndpoint:
    """Where a provider listens. `secret` is removed from every message about a failure."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    secret: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """The host name, which tells a person where their text is sent."""
        return urlsplit(self.base_url).hostname or ""


class ChatWire:
    """Requests to one endpoint on behalf of one caller."""

    def __init__(
        self, endpoint: ChatEndpoint, cancel: Cancel, *, first_pause_s: float = FIRST_PAUSE_S
    ) -> None:
        """Nothing is opened yet. `first_pause_s` is the back-off before the second attempt."""
        self._endpoint = endpoint
        self._cancel = cancel
        self._client = HttpClient(
            timeout_s=SILENCE_S, max_bytes=MAX_BYTES, retry=Retry(first_pause_s=first_pause_s)
        )

    def get(self, path: str) -> Json:
        """Read a JSON document. Raises ProviderError."""
        request = HttpRequest("GET", self._url(path), {**_HEADERS, **self._endpoint.headers})
        with self._reply(request) as reply:
            return parse_json(reply.read())

    def events(self, path: str, body: Json) -> Iterator[Mapping[str, Json]]:
        """Send JSON and read the events of the reply, each a JSON object.

        An endpoint that does not stream sends a single event. Raises ProviderError if the
        connection breaks, or an event is not JSON.
        """
        headers = {**_HEADERS, **self._endpoint.headers}
        with self._reply(HttpRequest.post_json(self._url(path), body, headers)) as reply:
            if "event-stream" not in reply.headers.get("Content-Type", ""):
                yield self._object(parse_json(reply.read()))
                return
            for event in reply.events():
                if event.data == "[DONE]":
                    return
                yield self._object(parse_json(event.data))

    @contextmanager
    def _reply(self, request: HttpRequest) -> Iterator[StreamedReply]:
        """The reply to a request, its status 200; every failure is a ProviderError."""
        begun = False
        try:
            with self._client.stream(request, self._cancel) as reply:
                begun = True
                if reply.status != 200:
                    raise self._refusal(reply)
                yield reply
        except HttpError as error:
            raise self._failure(error, begun=begun) from error

    def _url(self, path: str) -> str:
        return f"{self._endpoint.base_url.rstrip('/')}{path}"

    def _failure(self, error: HttpError, *, begun: bool) -> ProviderError:
        if error.kind == "not_json":
            return self._error("sent something that is not JSON")
        if error.kind == "too_large":
            return self._error("sent a reply that is too large")
        if begun:
            return self._error(f"closed the connection before its answer was complete ({error})")
        return self._error(f"does not answer ({error})")

    def _refusal(self, reply: StreamedReply) -> ProviderError:
        """The error for a status, with the provider's own explanation."""
        with suppress(HttpError):
            reason = error_words(reply.read())
            if reply.status in {401, 403}:
                return self._error(
                    f"refused the request: the key is missing or wrong ({reason}); docs/ask.md"
                    " says where to set it",
                    code="provider_key",
                )
            return self._error(f"answered with status {reply.status} ({reason})")
        return self._error(f"answered with status {reply.status}")

    def _object(self, value: Json) -> Mapping[str, Json]:
        if not isinstance(value, Mapping):
            raise self._error("sent something that is not an event")
        if value.get("error"):
            raise self._error(f"failed ({error_words(json.dumps(value).encode())})")
        return value

    def _error(self, what: str, *, code: str | None = None) -> ProviderError:
        if self._endpoint.secret:
            what = what.replace(self._endpoint.secret, "…")
        return ProviderError(f"The language model at {self._endpoint.host} {what}.", code=code)


class TurnBuilder(Protocol):
    """Builds a turn from the events of one protocol."""

    @property
    def finished(self) -> bool:
        """True if the model finished its turn."""

    def add(self, event: Mapping[str, Json]) -> str:
        """Add an event; returns the text in it."""

    def turn(self) -> Turn: ...


def collect_turn(
    events: Iterable[Mapping[str, Json]], builder: TurnBuilder
) -> Iterator[str | Turn]:
    """Pieces of text as they arrive, then the turn. Raises ProviderError if it is incomplete."""
    for event in events:
        piece = builder.add(event)
        if piece:
            yield piece
    if not builder.finished:
        raise ProviderError("The language model's answer ended before it was complete; ask again.")
    yield builder.turn()


@dataclass(slots=True)
class CallParts:
    """A tool call that is still arriving: its arguments come in pieces of JSON."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def whole(self, *, no_id: str = "") -> ToolCall:
        """The complete call; `no_id` replaces a missing id, and {} missing arguments."""
        return ToolCall(self.id or no_id, self.name, self.arguments or "{}")


def listed_models(listing: Json) -> tuple[Mapping[str, Json], ...]:
    """The models of a list that have an id. Raises ProviderError if it is not a list of models."""
    models = listing.get("data") if isinstance(listing, Mapping) else None
    if not isinstance(models, Sequence) or isinstance(models, str):
        raise ProviderError("The provider's reply is not a list of models; check `ask.base_url`.")
    return tuple(model for model in models if isinstance(model, Mapping) and "id" in model)


def limit(model: Mapping[str, Json], names: Sequence[str]) -> int | None:
    """The first of these fields that holds a number of tokens; None where none does."""
    for name in names:
        value = model.get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None
