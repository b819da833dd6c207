"""The project's one HTTP client: requests, replies, retries and server-sent events.

It stands on the standard library's http.client, because a terminal command starts anew each time:
importing another client costs more than the whole command may take (aiohttp's alone 140 ms). It is
synchronous, opens one connection a request, and ignores the environment's proxies: a key or a note
goes to the address that a person chose and to no other.
"""

from __future__ import annotations

from notewell.base.support.http.client import HttpClient, ServerEvent, StreamedReply, parse_events
from notewell.base.support.http.connection import (
    Cancel,
    HttpError,
    HttpReply,
    HttpRequest,
    Json,
    Retry,
    Tls,
    error_words,
    is_loopback,
    parse_json,
)

__all__ = [
    "Cancel",
    "HttpClient",
    "HttpError",
    "HttpReply",
    "HttpRequest",
    "Json",
    "Retry",
    "ServerEvent",
    "StreamedReply",
    "Tls",
    "error_words",
    "is_loopback",
    "parse_events",
    "parse_json",
]
