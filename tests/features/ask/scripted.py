"""A fake language model on loopback that replies from a script, in either provider's protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.waiting import HANG_S


@dataclass(frozen=True)
class Says:
    """A turn: text in pieces, and tools to use. `how` bends it."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None  # the body, as it is
    drop: bool = False  # end the connection in the middle
    finish: str | None = None
    stream: bool = True
    hold: threading.Event | None = None  # wait for this in the middle


class ScriptedModel:
    """Serves one script, a turn a request; `asked` has the bodies of the requests."""

    def __init__(
        self, turns: Sequence[Says], models: Sequence[Any] = ({"id": "test-model"},)
    ) -> None:
        self.turns = list(turns)
        self.models = list(models)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.listed = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(model) -> type[BaseHTTPRequestHandler]:  # noqa: C901, N805 - `self` is the handler's
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                model.listed += 1
                self._send(200, json.dumps({"data": model.models}).encode(), {})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(body)
                model.headers.append(dict(self.headers))
                turn = model.turns.pop(0)
                if turn.raw is not None or turn.status != 200:
                    self._send(
                        turn.status, turn.raw or b'{"error": {"message": "no"}}', turn.headers
                    )
                    return
                speak = _openai if self.path.endswith("/chat/completions") else _anthropic
                self._stream(turn, speak(turn))

            def _stream(self, turn: Says, events: Sequence[str]) -> None:
                if not turn.stream:
                    self._send(200, events[0].encode(), {"Content-Type": "application/json"})
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                middle = len(events) // 2
                for event in events[: middle - 1]:
                    self._event(event)
                if turn.hold is not None:
                    turn.hold.wait(HANG_S)
                for event in () if turn.drop else events[middle - 1 :]:
                    self._event(event)

            def _event(self, event: str) -> None:
                with suppress(OSError):  # whoever asked has gone
                    self.wfile.write(f"data: {event}\n\n".encode())
                    self.wfile.flush()

            def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        return Handler


def _pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def _openai(turn: Says) -> list[str]:
    finish = turn.finish or ("tool_calls" if turn.calls else "stop")
    if not turn.stream:
        message = {"role": "assistant", "content": turn.text}
        return [json.dumps({"choices": [{"message": message, "finish_reason": finish}]})]
    events: list[Any] = [
        {"choices": [{"delta": {"content": piece}}]} for piece in _pieces(turn.text)
    ]
    for index, (name, given) in enumerate(turn.calls):
        function = {"name": name, "arguments": ""}
        events.append(_call({"index": index, "id": f"call_{index}", "function": function}))
        events += [
            _call({"index": index, "function": {"arguments": piece}})
            for piece in _pieces(_arguments(given))
        ]
    events += [{"choices": [{"delta": {}, "finish_reason": finish}]}, {"choices": [], "usage": {}}]
    return [*map(json.dumps, events), "[DONE]"]


def _call(call: Any) -> Any:
    return {"choices": [{"delta": {"tool_calls": [call]}}]}


def _anthropic(turn: Says) -> list[str]:
    events: list[Any] = [
        {"type": "message_start", "message": {}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        for piece in _pieces(turn.text)
    ]
    for index, (name, given) in enumerate(turn.calls, 1):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in _pieces(_arguments(given))
        ]
    reason = turn.finish or ("tool_use" if turn.calls else "end_turn")
    events += [
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]
    return list(map(json.dumps, events))


Script = Callable[..., ScriptedModel]
