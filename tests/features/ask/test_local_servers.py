"""Finding programs on this computer that serve language models."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from notewell.features.ask.local_servers import Known, address_of, find_servers, rules_of


@contextmanager
def _serving(status: int, body: object) -> Iterator[int]:
    """A program on the loopback interface that answers every request alike; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raw = json.dumps(body).encode() if not isinstance(body, bytes) else body
            self.send_response(status if self.path == "/v1/models" else 404)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_running_program_is_found_with_its_models_without_those_that_embed() -> None:
    listed = {"data": [{"id": "nomic-embed-text"}, {"id": "gemma2"}, {"id": "qwen3:8b"}]}
    with _serving(200, listed) as port:
        (found,) = find_servers({"ollama": Known("Ollama", port)})
    assert (found.server, found.title) == ("ollama", "Ollama")
    assert found.models == ("qwen3:8b", "gemma2")
    assert found.address == f"http://127.0.0.1:{port}/v1"


def test_other_programs_and_none_are_not_found() -> None:
    for status, body in ((404, {}), (200, b"<html>"), (200, {"data": []}), (200, {"data": [{}]})):
        with _serving(status, body) as port:
            assert find_servers({"llama.cpp": Known("llama.cpp", port)}) == ()
    assert find_servers({"lm-studio": Known("LM Studio", port)}) == ()  # nothing listens any more


def test_what_is_set_sends_notes_to_this_computer_only() -> None:
    rules = rules_of("lm-studio", None)
    assert rules == {
        "provider": "openai",
        "base_url": "http://127.0.0.1:1234/v1",
        "model": "",
    }
    assert address_of("ollama") == "http://127.0.0.1:11434/v1"
