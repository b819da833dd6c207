"""Roam's two programming interfaces: the one of its servers, and the one of its desktop program.

Both answer Datalog queries and pulls of its database. That of the servers redirects to the machine
that has the graph, which is only followed within Roam's own hosts, and takes 50 requests a minute
for a graph; it does not work for encrypted graphs. That of the desktop program works for them.
Facts: https://roamresearch.com/#/app/developer-documentation and docs/sources.md.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from notewell.api.errors import SourceError
from notewell.base.config import ENV_ROAM_TOKEN, secret
from notewell.base.support.http import (
    HttpClient,
    HttpError,
    HttpReply,
    HttpRequest,
    Json,
    error_words,
    is_loopback,
)
from notewell.features.sources.spec import SourceSpec
from notewell.models.keys import find_kept_key, write_key

_ANSWER_S = 330.0  # the program waits 300 seconds for the person
_PREFIX = "roam-graph-local-token-"
_TOLD = {
    "USER_REJECTED": "It was denied there.",
    "GRAPH_BLOCKED": "It was denied there for ever; Roam's settings of the graph allow it again.",
    "REQUEST_IN_PROGRESS": "Roam is asking already: answer in its window, then try again.",
    "TIMEOUT": "Nobody answered within five minutes.",
}
PER_MINUTE = 50  # requests of a graph
_MINUTE_S = 60.0
SERVERS = "https://api.roamresearch.com"
_HOSTS = ".api.roamresearch.com"
_TRIES = 6
_LONGEST_PAUSE_S = 60.0
_TIMEOUT_S = 40.0  # a query may take 20 seconds there
_MAX_BYTES = 256 * 1024 * 1024
_TOO_MANY = 429
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_SELECTOR = (
    "[:block/uid :node/title :block/string :block/order :block/heading :create/time :edit/time"
    " {:block/children ...}]"
)
_TEXT_SELECTOR = "[:block/uid :block/string]"
_TEXTS = "[:find ?uid ?s :in $ [?uid ...] :where [?b :block/uid ?uid] [?b :block/string ?s]]"
_PORT_FILE = ".roam-local-api.json"
_LOCAL_API = 1  # the version that is expected
_WRONG_KIND = b"WRONG_GRAPH_TYPE"  # the token is one of an offline graph of this name


def requested_token(graph: str, port: int, client: HttpClient | None = None) -> str:
    """The token that a person grants; reading is all that is asked for.

    `port` is where the desktop program listens. Raises SourceError if it is not granted.
    """
    body: Json = {
        "graph": graph,
        "description": "Notewell (search)",
        "accessLevel": "read-only",
        "ai": True,  # assistants may read what is found
    }
    url = f"http://127.0.0.1:{port}/api/graphs/tokens/request"
    client = client or HttpClient(timeout_s=_ANSWER_S)
    try:
        said = client.send(HttpRequest.post_json(url, body, {})).json()
    except HttpError as error:
        raise SourceError(
            f"Roam's desktop program cannot be asked for a token ({error}). Start it, or make a"
            " token in its settings under Graph.",
            code="no_token",
        ) from error
    token = said.get("token") if isinstance(said, dict) else None
    if isinstance(token, str) and token.startswith(_PREFIX):
        return token
    raise SourceError(f"Roam gave no token to read {graph}. {_reason(said)}", code="no_token")


def _reason(said: Json) -> str:
    error = said.get("error") if isinstance(said, dict) else None
    if not isinstance(error, dict):
        return str(error or "Its answer has none.")
    return _TOLD.get(str(error.get("code")), str(error.get("message") or "It does not say why."))


def token_of(spec: SourceSpec) -> str:
    """The token for a source; that of the keyring counts before the environment's. "" for none."""
    return find_kept_key(_name(spec)) or secret(ENV_ROAM_TOKEN) or ""


def keep_token(spec: SourceSpec, token: str) -> None:
    """Keep a token in the keyring; "" removes it. Raises as `write_key` does."""
    write_key(_name(spec), token, ENV_ROAM_TOKEN)


def _name(spec: SourceSpec) -> str:
    """The place is part of the name, so that no token goes elsewhere."""
    return f"{spec.form} {spec.place} {spec.graph}"


class RateLimiter:
    """Rate limiter of requests to one graph, shared by all that ask it. Any thread may use it."""

    def __init__(
        self, per_minute: int = PER_MINUTE, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = per_minute
        self._now = now
        self._sent: deque[float] = deque()
        self._lock = threading.Lock()

    def wait_s(self) -> float:
        """Take the place of one request; or, if there is none, the seconds until there is."""
        with self._lock:
            self._forget()
            if len(self._sent) >= self._most:
                return self._sent[0] + _MINUTE_S - self._now()
            self._sent.append(self._now())
            return 0.0

    def left(self) -> int:
        """The number of requests that may be sent now."""
        with self._lock:
            self._forget()
            return self._most - len(self._sent)

    def exhaust(self) -> None:
        """Send nothing for a minute: the server says that there were too many."""
        with self._lock:
            self._sent = deque([self._now()] * self._most)

    def _forget(self) -> None:
        while self._sent and self._sent[0] + _MINUTE_S <= self._now():
            self._sent.popleft()


class RoamApi(Protocol):
    """Asks one graph. Raises SourceError where it cannot be asked, and what `Pace.wait` raises."""

    def query(self, query: str, *values: int) -> Sequence[Sequence[Json]]:
        """The rows that a Datalog query finds."""

    def pull(self, uids: Sequence[str]) -> Sequence[Json]:
        """The trees below blocks or pages, in the order of `uids`; None for what is not there."""

    def texts(self, uids: Sequence[str]) -> Mapping[str, str]:
        """The text of each block that there is, by uid, as it is now."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits between requests. `wait` may raise CancelledError, to end a sync."""

    wait: Callable[[float], None]
    now: Callable[[], float] = time.monotonic
    per_minute: int = PER_MINUTE


@dataclass(slots=True)
class RoamServers:
    """The interface of Roam's servers. Used by one thread."""

    graph: str
    token: str = field(repr=False)
    pace: Pace
    base: str = SERVERS
    client: HttpClient = field(
        default_factory=lambda: HttpClient(timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES)
    )
    limiter: RateLimiter | None = None  # of all that ask this graph; None: of this alone
    _peer: str | None = None

    def __post_init__(self) -> None:
        """Count the requests, where nobody does."""
        if self.limiter is None:
            self.limiter = RateLimiter(self.pace.per_minute, self.pace.now)

    def query(self, query: str, *values: int) -> Sequence[Sequence[Json]]:
        reply = self._ask("q", {"query": query, "args": list(values)})
        if not isinstance(reply, list) or not all(isinstance(row, list) for row in reply):
            raise SourceError("Roam's answer to a query is no list of rows.")
        return reply

    def pull(self, uids: Sequence[str]) -> Sequence[Json]:
        reply = self._ask("pull-many", {"eids": _eids(uids), "selector": _SELECTOR})
        if not isinstance(reply, list) or len(reply) != len(uids):
            raise SourceError("Roam's answer to a pull does not fit what was asked for.")
        return reply

    def texts(self, uids: Sequence[str]) -> Mapping[str, str]:
        """See `RoamApi.texts`: one request, none where that would be too many."""
        limiter = self.limiter
        if limiter is not None and limiter.wait_s() > 0:
            raise SourceError("Roam was asked too often within a minute.")
        try:
            body = {"eids": _eids(uids), "selector": _TEXT_SELECTOR}
            reply = self._send("pull-many", body)
        except HttpError as error:
            self._peer = None
            raise SourceError(f"Roam cannot be reached: {error}.") from error
        if reply.status == _TOO_MANY and limiter is not None:
            limiter.exhaust()
        if reply.status != 200:
            raise _refusal(reply.status, error_words(reply.body), self.graph)
        reply_texts = _result(reply)
        rows = reply_texts if isinstance(reply_texts, list) else []
        return _strings(
            (row.get(":block/uid"), row.get(":block/string"))
            for row in rows
            if isinstance(row, dict)
        )

    def _ask(self, route: str, body: Mapping[str, Json]) -> Json:
        for number in range(1, _TRIES + 1):
            self._keep_pace()
            try:
                reply = self._send(route, body)
            except HttpError as error:
                self._peer = None  # the graph may have moved to another machine
                if number == _TRIES:
                    raise SourceError(f"Roam cannot be reached: {error}.") from error
                self.pace.wait(_pause(number, None))
                continue
            if reply.status == 200:
                return _result(reply)
            words = error_words(reply.body)
            if reply.status not in _AGAIN or number == _TRIES:
                raise _refusal(reply.status, words, self.graph)
            self._peer = None
            self.pace.wait(_pause(number, reply.headers.get("Retry-After")))
        raise SourceError("Roam did not answer.")

    def _send(self, route: str, body: Mapping[str, Json]) -> HttpReply:
        """Ask the machine that is known to have the graph, or whatever the first one names."""
        path = f"/api/graph/{quote(self.graph, safe='')}/{route}"
        # The common header for tokens is dropped on the way to the other machine; Roam reads this.
        headers = {"X-Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        url = (self._peer or self.base) + path
        reply = self.client.send(HttpRequest.post_json(url, body, headers))
        if reply.status not in {307, 308}:
            return reply
        target = reply.headers.get("Location", "")
        if not _may_follow(self.base, target):
            raise SourceError(
                f"Roam's server leads to {urlsplit(target).hostname}, which is not Roam's."
                " Nothing was sent there."
            )
        place = urlsplit(target)
        self._peer = f"{place.scheme}://{place.netloc}"
        return self.client.send(HttpRequest.post_json(target, body, headers))

    def _keep_pace(self) -> None:
        """Wait until another request is within the limit."""
        while self.limiter is not None and (left := self.limiter.wait_s()) > 0:
            self.pace.wait(left)


@dataclass(slots=True)
class RoamDesktop:
    """The interface of Roam's desktop program on this computer. Used by one thread."""

    graph: str
    token: str = field(repr=False)
    port: int
    client: HttpClient = field(
        default_factory=lambda: HttpClient(timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES)
    )
    _kind: str = ""  # of a graph that is on this computer alone, "?type=offline"

    def query(self, query: str, *values: int) -> Sequence[Sequence[Json]]:
        reply = self._ask("data.q", [query, *values])
        if not isinstance(reply, list) or not all(isinstance(row, list) for row in reply):
            raise SourceError("Roam's answer to a query is no list of rows.")
        return reply

    def pull(self, uids: Sequence[str]) -> Sequence[Json]:
        return [
            self._ask("data.pull", [_SELECTOR, f"[:block/uid {json.dumps(uid)}]"]) for uid in uids
        ]

    def texts(self, uids: Sequence[str]) -> Mapping[str, str]:
        reply = self._ask("data.q", [_TEXTS, list(uids)])
        rows = reply if isinstance(reply, list) else []
        return _strings(row for row in rows if isinstance(row, list) and len(row) == 2)

    def _ask(self, action: str, values: Sequence[Json]) -> Json:
        body: Json = {"action": action, "args": list(values), "expectedApiVersion": _LOCAL_API}
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"http://127.0.0.1:{self.port}/api/{quote(self.graph, safe='')}"
        try:
            reply = self.client.send(HttpRequest.post_json(url + self._kind, body, headers))
            if not self._kind and _WRONG_KIND in reply.body:
                self._kind = "?type=offline"
                reply = self.client.send(HttpRequest.post_json(url + self._kind, body, headers))
            said = reply.json()
        except HttpError as error:
            raise SourceError(
                f"Roam's desktop program cannot be asked ({error}). Start it, and open the graph."
            ) from error
        if isinstance(said, dict) and said.get("success") is True:
            return said.get("result")
        raise _refusal(reply.status, error_words(reply.body), self.graph)


def _eids(uids: Sequence[str]) -> str:
    """The interface wants this list as one text in EDN, whose strings are those of JSON."""
    return f"[{' '.join(f'[:block/uid {json.dumps(uid)}]' for uid in uids)}]"


def _strings(pairs: Iterable[Sequence[Json]]) -> dict[str, str]:
    return {uid: text for uid, text in pairs if isinstance(uid, str) and isinstance(text, str)}


def desktop_port(home: Path) -> int:
    """The port at which the desktop program listens. Raises SourceError if it says none."""
    file = home / _PORT_FILE
    try:
        port = json.loads(file.read_text(encoding="utf-8"))["port"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(
            "Roam's desktop program was not found here. Install and start it, and switch on its"
            " local API."
        ) from error
    if not isinstance(port, int) or not 0 < port < 65536:
        raise SourceError(f"{file} names no port.")
    return port


def _may_follow(base: str, target: str) -> bool:
    """True if a redirect stays with Roam, or on this computer where it began here."""
    place, start = urlsplit(target), urlsplit(base)
    host = place.hostname or ""
    if is_loopback(start.hostname or ""):
        return is_loopback(host)
    return place.scheme == "https" and host.endswith(_HOSTS)


def _pause(number: int, wanted: str | None) -> float:
    try:
        return min(max(float(wanted or ""), 0.0), _LONGEST_PAUSE_S)
    except ValueError:
        return float(min(2.0**number, _LONGEST_PAUSE_S))


def _result(reply: HttpReply) -> Json:
    try:
        said = reply.json()
    except HttpError as error:
        raise SourceError(f"Roam's answer cannot be read: {error}.") from error
    if not isinstance(said, dict) or "result" not in said:
        raise SourceError("Roam's answer has no result.")
    result: Json = said["result"]
    return result


def _refusal(status: int, words: str, graph: str) -> SourceError:
    if "encrypted" in words.lower():
        return SourceError(
            f"The graph {graph} is encrypted, which Roam's servers cannot read. Use its desktop"
            " program: `notewell sources add roam GRAPH --desktop`; or import an export.",
            code="encrypted_graph",
        )
    if status in {401, 403} or "token" in words.lower():
        return SourceError(
            f"Roam refuses the token of the graph {graph}: {words}. Make one for reading in Roam's"
            " settings under Graph, then `notewell sources token`.",
            code="token_refused",
        )
    return SourceError(f"Roam answered {status}: {words}")
