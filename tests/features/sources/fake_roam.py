"""A small Roam on two loopback addresses, which enforces the rules that its documentation states.

The first address only redirects to the second one. A token is read from `X-Authorization` alone,
the list of a pull has to be one text, and after 50 requests in a minute it answers 429.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "roam-graph-token-" + "t" * 20
DESKTOP_TOKEN = "roam-graph-local-token-" + "t" * 29


@dataclass
class FakeRoam:
    """The graph, the faults to inject, and what was asked."""

    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    now: Callable[[], float] = lambda: 0.0
    faults: deque[tuple[int, str]] = field(default_factory=deque)  # status and words, used once
    broken: frozenset[str] = frozenset()  # pulls with one of these pages always fail
    grants: str = "yes"  # what a person answers in the desktop program's window
    is_offline: bool = False  # whether the graph is on that computer alone
    answering: threading.Event = field(default_factory=threading.Event)  # cleared: it takes long
    asked: list[dict[str, Any]] = field(default_factory=list)  # for tokens
    elsewhere: str = ""  # where the first address redirects to, instead of the second
    pulled: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    base: str = ""
    peer: str = ""
    _sent: deque[float] = field(default_factory=deque)

    def put(self, uid: str, title: str, *texts: str, edited: int, own: int = 1) -> None:
        """Put a page; `edited` is the time of its last block, `own` its own."""
        self.pages[uid] = {
            ":block/uid": uid,
            ":node/title": title,
            ":edit/time": own,
            ":block/children": [
                {
                    ":block/uid": f"{uid}-{n}",
                    ":block/string": text,
                    ":block/order": n,
                    ":edit/time": edited,
                }
                for n, text in reversed(list(enumerate(texts)))
            ],
        }

    def answer(self, action: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Answer a request to the servers' interface."""
        while self._sent and self._sent[0] <= self.now() - 60:
            self._sent.popleft()
        if len(self._sent) >= 50:
            self.refused.append("too many")
            return 429, {"message": "too many requests"}
        self._sent.append(self.now())
        if self.faults:
            status, words = self.faults.popleft()
            return status, {"message": words}
        if action == "q":
            return 200, {"result": self.rows(body["query"], body["args"])}
        eids = body["eids"]
        if not isinstance(eids, str):
            return 400, {"message": "eids must be a string"}
        uids = re.findall(r'\[:block/uid "([^"]+)"\]', eids)
        if self.broken & set(uids):
            return 500, {"message": "this cannot be pulled"}
        self.pulled += uids
        return 200, {"result": [self.pages.get(uid) or self.block(uid) for uid in uids]}

    def block(self, uid: str) -> dict[str, Any] | None:
        """A block of any page."""
        blocks = (each for page in self.pages.values() for each in page[":block/children"])
        return next((block for block in blocks if block[":block/uid"] == uid), None)

    def rows(self, query: str, values: list[Any]) -> list[list[Any]]:
        """The rows of the three queries that are asked."""
        if "[?uid ...]" in query:
            blocks = [found for uid in values[0] if (found := self.block(uid))]
            self.pulled += values[0]
            return [[block[":block/uid"], block[":block/string"]] for block in blocks]
        if "?since" not in query:
            return [[uid, page[":edit/time"]] for uid, page in self.pages.items()]
        found = []
        for uid, page in self.pages.items():
            times = [each[":edit/time"] for each in page[":block/children"]]
            if times and max(times) >= values[0]:
                found.append([uid, max(times)])
        return found


class _Handler(BaseHTTPRequestHandler):
    roam: FakeRoam

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.roam.answering.wait(10)
        *_, graph, action = self.path.split("/")
        port = int(self.server.server_address[1])
        if f":{port}" in self.roam.base:
            self._reply(308, {}, (self.roam.elsewhere or self.roam.peer) + self.path)
        elif self.path.startswith("/api/graph/"):
            if self.headers.get("X-Authorization") != f"Bearer {TOKEN}" or graph != "mine":
                self._reply(401, {"message": "this token is not valid"})
            else:
                self._reply(*self.roam.answer(action, json.loads(raw)))
        elif self.path == "/api/graphs/tokens/request":
            self._reply(*self._token(json.loads(raw)))
        else:
            self._reply(*self._desktop(json.loads(raw)))

    def _token(self, body: dict[str, Any]) -> tuple[int, Any]:
        self.roam.asked.append(body)
        if not {"graph", "description", "accessLevel"} <= body.keys():
            return 400, {"success": False, "error": {"code": "VALIDATION_ERROR", "message": "no"}}
        refusals = {"USER_REJECTED": 403, "GRAPH_BLOCKED": 403, "REQUEST_IN_PROGRESS": 409}
        if self.roam.grants == "yes":
            return 200, {"success": True, "token": DESKTOP_TOKEN, "graphName": body["graph"]}
        status = refusals.get(self.roam.grants, 408)
        return status, {"success": False, "error": {"code": self.roam.grants, "message": "no"}}

    def _desktop(self, body: dict[str, Any]) -> tuple[int, Any]:
        if self.headers.get("Authorization") != f"Bearer {DESKTOP_TOKEN}":
            return 401, {"success": False, "error": {"message": "this token is not valid"}}
        if self.roam.is_offline and not self.path.endswith("?type=offline"):
            return 401, {"success": False, "error": {"code": "WRONG_GRAPH_TYPE", "message": "no"}}
        first, *rest = body["args"]
        if body["action"] == "data.q":
            return 200, {"success": True, "result": self.roam.rows(first, rest)}
        uid = json.loads(rest[0].removeprefix("[:block/uid ").removesuffix("]"))
        return 200, {"success": True, "result": self.roam.pages.get(uid)}

    def _reply(self, status: int, said: Any, location: str = "") -> None:
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def running(roam: FakeRoam) -> Iterator[FakeRoam]:
    """Serve it on two ports of loopback."""
    roam.answering.set()
    handler = type("Handler", (_Handler,), {"roam": roam})
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2)]
    roam.base, roam.peer = (f"http://127.0.0.1:{server.server_address[1]}" for server in servers)
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield roam
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()
