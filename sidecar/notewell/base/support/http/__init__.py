"""HTTP: the one client, server-sent events, and addresses of the public internet."""

from notewell.base.support.http.client import HttpClient
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
from notewell.base.support.http.events import ServerEvent, parse_events
from notewell.base.support.http.streamed import StreamedReply

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
