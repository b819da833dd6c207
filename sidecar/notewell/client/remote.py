"""Client of a running server: finds it by the file it leaves beside an index, and asks it.

A terminal command starts anew each time, so nothing here imports numpy, and replies come back as
the JSON bytes of their HTTP route.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlencode, urlsplit

from notewell import API_VERSION
from notewell.errors import NotewellError, ServerError
from notewell.support.http import HttpClient, HttpError, Request, Tls

if TYPE_CHECKING:  # these load numpy
    from notewell.contract.memory_requests import MemoryRequest
    from notewell.contract.questions import ContextQuestion, Question
    from notewell.types import LedgerState, SearchRequest, SimilarRequest, Verdict

SERVER_FILE = "server.json"  # web/server.py writes it
HEALTH_SECONDS = 1.0
ANSWER_SECONDS = 60.0
EVENT_SECONDS = 60.0  # between two; a stream says that it lives every 15

Parameter: TypeAlias = str | int | float | bool | None
QueueAction = Literal["pause", "resume", "retry", "cancel"]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a running server leaves in `SERVER_FILE`. `vaults` are the ids it serves."""

    url: str
    token: str = field(repr=False)
    pid: int
    api: int
    version: str
    vaults: tuple[str, ...]
    certificate: str | None = None  # the file it proves itself by, over HTTPS


def running_server(directory: Path) -> ServerInfo | None:
    """Find the server that writes the index in `directory`.

    None where there is none: no file, an unreadable or stale one, another contract, or nothing
    that answers at that address within a second.
    """
    info = _read(directory / SERVER_FILE)
    if info is None or info.api != API_VERSION or not _is_alive(info.pid):
        return None
    try:
        # Without the token: should another program have the port now, it learns nothing.
        status, body = _exchange(info, "GET", "/api/health", timeout=HEALTH_SECONDS)
        health = json.loads(body)
    except (HttpError, ValueError):
        return None
    speaks = isinstance(health, dict) and health.get("api") == API_VERSION
    return info if status == 200 and speaks else None


class Remote:
    """Asks a running server about one vault; each method gives the JSON of its HTTP route.

    A problem document becomes the error it stands for; a server that does not answer, or not in
    JSON, is ServerError.
    """

    def __init__(self, info: ServerInfo, *, vault: str | None = None) -> None:
        """`vault` (id or name) may be left out where the server has one."""
        self.info = info
        self._vault = vault

    def search(self, request: SearchRequest) -> bytes:
        """Search the vault."""
        asked: dict[str, Parameter] = {
            "q": request.query,
            "limit": request.limit,
            "mode": request.mode,
            "plain": request.plain,
            "fusion": request.fusion,
            "alpha": request.alpha,
            "min_score": request.min_score,
            "everything": request.everything,
            "recency": request.recency,
            "graph": request.graph,
            "collapse": request.collapse,
            "expand": request.expand,
            "rerank": request.rerank,
            "ignore": ",".join(sorted(request.ignore)) or None,
            "typing": request.typing,
            "explain": request.explain,
            "door": request.door or "none",
        }
        return self._get("/api/search", asked)

    def similar(self, request: SimilarRequest) -> bytes:
        """Notes like a note, or like a text."""
        if request.text is not None:
            body = {"text": request.text, "limit": request.limit, "explain": request.explain}
            return self._post("/api/similar", body)
        asked: dict[str, Parameter] = {
            "path": request.path,
            "heading": request.heading,
            "line": request.line,
            "limit": request.limit,
            "unlinked": request.unlinked,
            "links": request.links,
            "direction": request.direction,
            "decay": request.decay,
            "explain": request.explain,
        }
        return self._get("/api/similar", asked)

    def status(self) -> bytes:
        """Where the index stands."""
        return self._get("/api/status", {})

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> bytes:
        """What became of each file, or of those asked for."""
        return self._get("/api/ledger", {"state": state, "path": path})

    def stats(self, *, limit: int) -> bytes:
        """The vault in figures, with at most `limit` names in each list."""
        return self._get("/api/stats", {"limit": limit})

    def note(self, path: str) -> bytes:
        """A note with all that is known of it."""
        return self._get("/api/note", {"path": path})

    def explore(self, question: Question) -> bytes:
        """A question about the vault as a whole; its fields are its route's parameters."""
        return self._get(question.route, asdict(question))

    def remember(self, asked: MemoryRequest) -> bytes:
        """Ask something of the memories, or tell them; its fields are its route's parameters."""
        send = self._post if asked.writes else self._get
        return send(asked.route, asdict(asked))

    def context(self, question: ContextQuestion) -> bytes:
        """What a language model should read to answer."""
        return self._post(question.route, asdict(question))

    def ask(self, question: str, conversation: str | None) -> Iterator[tuple[str, bytes]]:
        """The events of a language model's answer: kind and data of each."""
        body = {"question": question, "conversation": conversation, "vault": self._vault}
        given = {name: value for name, value in body.items() if value is not None}
        try:
            yield from _events(self.info, "/api/ask", json.dumps(given).encode())
        except HttpError as error:
            raise _no_answer(self.info, error) from error

    def ask_models(self, *, refresh: bool) -> bytes:
        """The language models that may be asked."""
        return self._get("/api/ask/models", {"refresh": refresh})

    def ask_conversation(self, conversation: str) -> bytes:
        """A conversation as it was kept."""
        return self._get("/api/ask/conversation", {"conversation": conversation})

    def ask_conversations(self) -> bytes:
        """The conversations that are kept."""
        return self._get("/api/ask/conversations", {})

    def ask_forget(self, conversation: str) -> bytes:
        """Keep a conversation no longer."""
        return self._post("/api/ask/forget", {"conversation": conversation})

    def ask_save(self, conversation: str, path: str) -> bytes:
        """Save a conversation as a note."""
        return self._post("/api/ask/save", {"conversation": conversation, "path": path})

    def writes(self, *, limit: int) -> bytes:
        """What was written to the vault, newest first."""
        return self._get("/api/writes", {"limit": limit})

    def undo(self, number: int | None) -> bytes:
        """Take a write to the vault back; None is the newest."""
        return self._post("/api/writes/undo", {"number": number})

    def log(self, *, limit: int, since: str | None = None) -> bytes:
        """The newest searches; `since` is a time in ISO 8601, with its zone."""
        return self._get("/api/log", {"limit": limit, "since": since})

    def clear_log(self, *, keep_verdicts: bool) -> bytes:
        """Delete the log of searches."""
        return self._post("/api/log/clear", {"keep_verdicts": keep_verdicts})

    def judge(self, query: str, path: str, verdict: Verdict | None) -> bytes:
        """Say what a note is as the answer to a query; None takes it back."""
        said = {"q": query, "path": path, "verdict": verdict or "clear"}
        return self._post("/api/verdict", said)

    def reindex(self, *, full: bool = False, paths: Sequence[str] = ()) -> bytes:
        """Have the server look at the vault again; comes back when that is queued."""
        return self._post("/api/reindex", {"full": full, "paths": list(paths)})

    def queue(self, action: QueueAction) -> bytes:
        """Pause or resume indexing, retry what failed, or cancel what waits."""
        return self._post(f"/api/queue/{action}", {})

    def guard(self, *, remove: bool) -> bytes:
        """Say whether notes that are gone all at once shall be removed."""
        return self._post("/api/guard", {"remove": remove})

    def _get(self, route: str, asked: Mapping[str, Parameter]) -> bytes:
        parameters = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in {**asked, "vault": self._vault}.items()
            if value is not None
        }
        return self._ask("GET", f"{route}?{urlencode(parameters)}")

    def _post(self, route: str, body: Mapping[str, object]) -> bytes:
        named = {**body, "vault": self._vault} if self._vault is not None else body
        return self._ask("POST", route, json.dumps(named).encode())

    def _ask(self, method: str, target: str, body: bytes | None = None) -> bytes:
        try:
            status, answer = _exchange(
                self.info,
                method,
                target,
                timeout=ANSWER_SECONDS,
                token=self.info.token,
                body=body,
            )
        except HttpError as error:
            raise _no_answer(self.info, error) from error
        if status >= 400:
            raise _as_error(status, answer)
        return answer


def _exchange(
    server: ServerInfo,
    method: str,
    target: str,
    *,
    timeout: float,
    token: str | None = None,
    body: bytes | None = None,
) -> tuple[int, bytes]:
    """Send one request and read its reply: status and body. Raises HttpError."""
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    reply = _client(server, timeout).send(Request(method, server.url + target, headers, body))
    return reply.status, reply.body


def _events(server: ServerInfo, target: str, body: bytes) -> Iterator[tuple[str, bytes]]:
    """Send one request and read the events of its reply: kind and data. Raises HttpError."""
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    request = Request("POST", server.url + target, headers, body)
    with _client(server, EVENT_SECONDS).stream(request) as reply:
        if reply.status >= 400:
            raise _as_error(reply.status, reply.read())
        for event in reply.events():
            yield event.kind, event.data.encode()


def _client(server: ServerInfo, timeout: float) -> HttpClient:
    # The certificate names the server as other devices know it; here it is known by its file.
    tls = Tls(ca_file=server.certificate, check_hostname=False)
    return HttpClient(timeout_s=timeout, connect_s=timeout, max_bytes=None, tls=tls)


def _no_answer(server: ServerInfo, error: Exception) -> ServerError:
    why = str(error) or type(error).__name__
    return ServerError(
        f"The server at {server.url} does not answer ({why})."
        " If it has stopped, run the command again."
    )


def _read(file: Path) -> ServerInfo | None:
    try:
        stored = json.loads(file.read_bytes())
        info = ServerInfo(
            url=str(stored["url"]),
            token=str(stored["token"]),
            pid=int(stored["pid"]),
            api=int(stored["api"]),
            version=str(stored["version"]),
            vaults=tuple(str(vault) for vault in stored["vaults"]),
            certificate=stored.get("certificate"),
        )
        urlsplit(info.url).port  # noqa: B018 - raises where the address is none
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return info


def _is_alive(pid: int) -> bool:
    """Tell whether the process runs; on Windows signal 0 would end it, so the port decides."""
    if pid <= 0:
        return False  # would mean a whole group of processes
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True  # somebody else's, but alive
    except (OSError, OverflowError):
        return False
    return True


def _as_error(status: int, body: bytes) -> NotewellError:
    """Build the error that a problem document stands for: by its code, else by its status."""
    try:
        problem = json.loads(body)
        detail, code = str(problem["detail"]), str(problem["code"])
    except (ValueError, KeyError, TypeError):
        return ServerError(f"The server answered with status {status} and no explanation.")
    kinds = list(_kinds(NotewellError))
    named = [kind for kind in kinds if kind.code == code]
    alike = [kind for kind in kinds if kind.http_status == status]
    return next(iter(named + alike), ServerError)(detail, code=code)


def _kinds(kind: type[NotewellError]) -> list[type[NotewellError]]:
    """Return an error class and all below it, parents first."""
    return [kind, *(below for child in kind.__subclasses__() for below in _kinds(child))]
