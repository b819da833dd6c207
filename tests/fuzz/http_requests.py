"""Requests for the HTTP interface: by schemathesis, by its document, and changed ones.

schemathesis thinks about each request for milliseconds, so it makes some thousands. Their values,
those of the document's examples, and random ones of each schema are then combined anew.
"""

from __future__ import annotations

import json
import random
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from tests.doors.mcp.conftest import NOTES, TOKEN
from tests.fuzz.mutation import ODD, change_json, mutate, odd_bytes
from tests.fuzz.schema_values import Values
from tests.fuzz.target import Generate

# A stream without end, and what chooses a language model: with one that does not run, each later
# question waits seconds for it.
LEFT_OUT = ("events", "ask_use")
_BY_SCHEMATHESIS, _MOST_EXAMPLES = 0.05, 50  # share of all requests; of one operation
_PATHS = (*NOTES, "Garden", "Garden/", "../x.md", "Garden/Bees", "/Garden/Bees.md", "")
_NAMED_BY_PATH = frozenset({"path", "source", "target", "note", "folder"})
_PIECES = (
    b" ", b"\r\n", b"\r\n\r\n", b": ", b"%00", b"%ff", b"%2e%2e/", b"?", b"&", b"=", b"#", b"//", b"/api/",
    b"HTTP/1.1", b"HTTP/1.0", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"{", b"}",
    b'"', b"Host: x\r\n", b"Expect: 100-continue\r\n", b"Content-Encoding: gzip\r\n", b"Range: bytes=0-\r\n",
    b"Origin: null\r\n", b"Accept-Encoding: \r\n", b"Cookie: a=b\r\n", b"[[", b"limit=-1", b"vault=Home",
    *odd_bytes(),
)  # fmt: skip
# Headers that a server reads, with values that it may meet; most requests have none of them.
_HEADERS = (
    "Accept: text/html", "Accept: */*;q=nan", "Accept-Encoding: gzip, br;q=0", "Accept-Language: \xe9",
    "Range: bytes=5-1", "Range: bytes=-9999999999999999999", "If-None-Match: *", 'If-None-Match: W/"x"',
    "If-Modified-Since: Sat, 31 Feb 2026 25:61:61 GMT", "Origin: http://127.0.0.1", "Origin: null",
    "Sec-Fetch-Site: cross-site", "Cookie: notewell=a; notewell=b", "Cookie: ;=;", "Notewell-Page-Key: ",
    "Content-Type: text/plain", "Content-Type: application/json; charset=utf-16", "Content-Encoding: gzip",
    "X-Forwarded-For: ::1, x", "X-Forwarded-Proto: ftp", "Forwarded: for=_", "Last-Event-ID: 1e9",
    "Expect: 100-continue", "Upgrade: websocket", "TE: trailers", "X-Long: " + "a" * 7000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operation:
    """A route of the document; `body` is its schema, if it has one."""

    method: str
    path: str
    parameters: tuple[Mapping[str, Any], ...]
    body: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Parts:
    """A request before it is written down. The path has its parameters in it."""

    method: str
    path: str
    query: list[tuple[str, str]]
    body: object | None


def generator(number: int, inputs: int) -> Generate:
    """Requests for every route; a quarter of them as schemathesis or the schema gives them."""
    described = document(ROUTES, "1")
    values = Values(described["components"]["schemas"], _PATHS, _NAMED_BY_PATH)
    operations = _operations(described, values)
    examples = int(_BY_SCHEMATHESIS * inputs / len(operations))
    made = _by_schemathesis(described, number, max(1, min(_MOST_EXAMPLES, examples)), values)

    def generate(rng: random.Random) -> bytes:
        if rng.random() < _BY_SCHEMATHESIS:
            parts = rng.choice(made)
        else:
            parts = _by_document(rng, rng.choice(operations), values)
        kind = rng.random()
        if kind > 0.25:
            parts = _changed(rng, parts)
        headers = rng.choices(_HEADERS, k=rng.choice((0, 0, 0, 1, 2)))
        message = _message(parts, headers if kind > 0.25 else [])
        return mutate(rng, [message], _PIECES) if kind > 0.85 else message

    return generate


def _operations(described: Mapping[str, Any], values: Values) -> list[Operation]:
    """Every operation but LEFT_OUT; the values of its examples are learnt."""
    found = []
    for path, item in described["paths"].items():
        for method, told in item.items():
            if told["operationId"] in LEFT_OUT:
                continue
            parameters = tuple(told.get("parameters", ()))
            for each in parameters:
                if "example" in each:
                    values.learn(each["name"], each["example"])
            content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
            for name, value in content.get("example", {}).items():
                values.learn(name, value)
            found.append(Operation(method.upper(), path, parameters, content.get("schema")))
    return found


def _by_schemathesis(
    described: Mapping[str, Any], number: int, examples: int, values: Values
) -> list[Parts]:
    schema = schemathesis.openapi.from_dict(dict(described)).exclude(operation_id=list(LEFT_OUT))
    made: list[Parts] = []

    def collect(operation: Any) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def keep(case: schemathesis.Case) -> None:
            body = case.body if isinstance(case.body, (dict, list, str, int, float)) else None
            named = {**case.path_parameters, **case.query}
            for name, value in (named | (body if isinstance(body, dict) else {})).items():
                values.learn(name, value)
            query = [(name, _text(value)) for name, value in case.query.items()]
            made.append(Parts(case.method, _filled(case.path, case.path_parameters), query, body))

        keep()

    for found in schema.get_all_operations():
        collect(found.ok())
    return made


def _by_document(rng: random.Random, operation: Operation, values: Values) -> Parts:
    """Random values for what an operation takes, whether valid together or not."""
    inside: dict[str, Any] = {}
    query: list[tuple[str, str]] = []
    for each in operation.parameters:
        name = each["name"]
        if each["in"] == "path":
            inside[name] = values.value(rng, name, each["schema"])
        elif name != "vault" and rng.random() < (0.98 if each["required"] else 0.2):
            query.append((name, _text(values.value(rng, name, each["schema"]))))
    body = None if operation.body is None else values.object(rng, operation.body)
    if body is not None and rng.random() < 0.9:
        body.pop("vault", None)
    return Parts(operation.method, _filled(operation.path, inside), query, body)


def _filled(path: str, parameters: Mapping[str, Any]) -> str:
    for name, value in parameters.items():
        quoted = urllib.parse.quote(_text(value), safe="", errors="replace")
        path = path.replace("{" + name + "}", quoted)
    return path


def _text(value: object) -> str:
    """A value as it stands in an address."""
    return value if isinstance(value, str) else json.dumps(value)


def _changed(rng: random.Random, parts: Parts) -> Parts:
    """Name the vault and notes that exist, so that requests get past the first check, and change."""
    query = []
    for name, value in parts.query:
        if name == "vault" and rng.random() < 0.9:
            continue
        if name in _NAMED_BY_PATH and rng.random() < 0.5:
            query.append((name, rng.choice(_PATHS)))
        elif rng.random() < 0.1:
            at = rng.randint(0, len(value))
            query.append((name, value[:at] + rng.choice(ODD) + value[at:]))
        else:
            query.append((name, value))
    body = parts.body
    if isinstance(body, dict):
        body = {name: value for name, value in body.items() if name != "vault"}
    if body is not None and rng.random() < 0.3:
        body = change_json(rng, body)
    method = parts.method if rng.random() < 0.98 else rng.choice(("PUT", "HEAD", "OPTIONS", "POST"))
    return Parts(method, parts.path, query, body)


def _message(parts: Parts, headers: list[str]) -> bytes:
    """The request as HTTP/1.1 writes it; the token is right."""
    query = urllib.parse.urlencode(parts.query, errors="replace")
    path = parts.path + (f"?{query}" if query else "")
    body = b"" if parts.body is None else json.dumps(parts.body).encode()
    lines = [
        f"{parts.method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {TOKEN}",
        f"Content-Length: {len(body)}",
        *(["Content-Type: application/json"] if body else []),
        *headers,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body
