"""What goes out, what comes back, and the one error of both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPMessage
from typing import Literal, TypeAlias

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
_SHOWN_CHARS = 300
ErrorKind = Literal[
    "address",  # the URL is not valid
    "connection",  # nobody listens, or the connection broke
    "certificate",  # TLS does not trust the server
    "timeout",  # the server is silent, or the whole reply takes too long
    "truncated",  # the reply ended before its announced length
    "too_large",  # the reply is larger than the caller accepts
    "not_json",  # JSON was expected
    "redirect",  # too many redirects, or one that must not be followed
]


class HttpError(Exception):
    """A request without a usable reply. A reply with an error status is not an HttpError."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        """`message` is a short reason for people, without the URL, which may carry a secret."""
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Headers and body stay out of its repr, because they may carry a key.

    `address` is the IP address to connect to where the caller has checked it; the host of `url`
    is still the name in the Host header and in TLS.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)
    address: str | None = None

    @classmethod
    def post_json(cls, url: str, value: Json, headers: Mapping[str, str]) -> Request:
        """A POST request with a JSON body."""
        return cls(
            "POST",
            url,
            {"Content-Type": "application/json", **headers},
            json.dumps(value).encode(),
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply. `headers` ignores the case of names."""

    status: int
    headers: HTTPMessage
    body: bytes

    def json(self) -> Json:
        """The body as JSON. Raises HttpError ("not_json")."""
        return parse_json(self.body)


def parse_json(raw: bytes | str) -> Json:
    """Parse JSON in UTF-8. Raises HttpError ("not_json")."""
    try:
        value: Json = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpError("not_json", f"not JSON: {error}") from error
    return value


def error_words(raw: bytes) -> str:
    """What an error reply says, in the JSON shapes of model servers; else its beginning."""
    try:
        body = json.loads(raw)
        inner = body.get("error", body)
        words = inner.get("message", inner) if isinstance(inner, dict) else inner
    except (ValueError, AttributeError, RecursionError):
        words = raw.decode("utf-8", "replace")
    return " ".join(str(words).split())[:_SHOWN_CHARS]
