"""The HTTP client, against a real server on loopback."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from notewell.base.errors import CancelledError
from notewell.base.support.http import (
    Cancel,
    HttpClient,
    HttpError,
    HttpReply,
    HttpRequest,
    Retry,
    Tls,
    parse_json,
)
from tests.models.loopback import nobody, silence
from tests.waiting import HANG_S

Answer = Callable[[BaseHTTPRequestHandler], None]
NOW = 1_780_000_000.0


class Server:
    """Answers each request with the next of its answers; the last one is repeated."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append((self.command, self.path, dict(self.headers), body))
                answers = server.answers
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            do_GET = do_POST = handle_any  # noqa: N815 - the base class's names

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self._thread.start()

    def says(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def close(self) -> None:
        self.closing.set()
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def reply(status: int = 200, body: bytes = b"{}", /, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def raw(*pieces: bytes) -> Answer:
    """Send these bytes, and end the connection."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()

    return answer


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Pauses(list[float]):
    """Records the pauses instead of making them."""

    def policy(self, **options: object) -> Retry:
        given = {"now": lambda: NOW, "jitter": lambda: 0.0, "sleep": self.append, **options}
        return Retry(**given)  # type: ignore[arg-type]


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


def get(server: Server, client: HttpClient, path: str = "/") -> HttpReply:
    return client.send(HttpRequest("GET", server.url + path))


def error_of(work: Callable[[], object]) -> str:
    with pytest.raises(HttpError) as raised:
        work()
    return raised.value.kind


# --- requests and replies -----------------------------------------------------------------------


def test_json_is_sent_and_received(server: Server) -> None:
    server.says(reply(201, b'{"n": [1, null]}', X_Request_Id="7"))

    request = HttpRequest.post_json(f"{server.url}/a/b?q=1", {"text": "Zürich"}, {"X-Key": "k"})
    got = HttpClient().send(request)

    assert (got.status, got.json(), got.headers["x-request-id"]) == (201, {"n": [1, None]}, "7")
    [(method, path, headers, body)] = server.requests
    assert (method, path, json.loads(body)) == ("POST", "/a/b?q=1", {"text": "Zürich"})
    assert headers["Content-Type"] == "application/json"
    assert headers["Host"] == f"127.0.0.1:{server.port}"
    assert headers["X-Key"] == "k"


def test_an_address_without_a_path_requests_the_root(server: Server) -> None:
    server.says(reply())
    get(server, HttpClient(), "?a=b")

    assert server.requests[0][1] == "/?a=b"


def test_the_repr_of_a_request_hides_headers_and_body() -> None:
    request = HttpRequest.post_json("http://a", "private", {"Authorization": "Bearer secret"})

    assert "secret" not in repr(request)
    assert "private" not in repr(request)


def test_an_error_status_is_a_reply(server: Server) -> None:
    server.says(reply(404, b"gone"))

    assert get(server, HttpClient()).body == b"gone"


@pytest.mark.parametrize("text", [b"<html>", b"\xff", b"", b"[" * 100_000])
def test_a_reply_that_is_not_json_is_an_error(text: bytes) -> None:
    assert error_of(lambda: parse_json(text)) == "not_json"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "ftp://example.com/",
        "http://",
        "http://a:99999/",
        "http://a:0/",
        "http://[::1",
        "http://exa mple.com/",
        "http://a..b/",
        "http://" + "ü" * 70,
        "http://127.0.0.1:9/a b",
        "http://127.0.0.1:9/ü",
    ],
)
def test_an_invalid_address_is_not_sent(url: str) -> None:
    sends = HttpClient(retry=Retry(sleep=lambda _: pytest.fail("retried")))

    assert error_of(lambda: sends.send(HttpRequest("GET", url))) in {"address", "connection"}


def test_a_header_cannot_inject_another(server: Server) -> None:
    server.says(reply())
    request = HttpRequest("GET", server.url, {"X-Key": "a\r\nX-Other: b"})

    assert error_of(lambda: HttpClient().send(request)) == "address"


def test_the_environments_proxies_are_ignored(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, nobody())
    server.says(reply())

    assert get(server, HttpClient()).status == 200


def test_a_checked_address_is_used_with_the_original_host_name(server: Server) -> None:
    server.says(reply())
    url = f"http://name.invalid:{server.port}/"
    HttpClient().send(HttpRequest("GET", url, address="127.0.0.1"))

    assert server.requests[0][2]["Host"] == f"name.invalid:{server.port}"


# --- limits -------------------------------------------------------------------------------------


def test_a_reply_above_the_limit_is_refused(server: Server) -> None:
    client = HttpClient(max_bytes=10)
    server.says(
        reply(200, b"x" * 10),
        reply(200, b"x" * 11),
        raw(CHUNKED, b"8\r\n12345678\r\n", b"8\r\n12345678\r\n", b"0\r\n\r\n"),
        raw(OK, b"\r\n", b"x" * 11),
    )

    assert get(server, client).body == b"x" * 10
    for _ in ("announced", "chunked", "until the end"):
        assert error_of(lambda: get(server, client)) == "too_large"


def test_the_beginning_of_a_large_reply_can_be_read(server: Server) -> None:
    server.says(reply(200, b"0123456789" * 100_000))

    with HttpClient().stream(HttpRequest("GET", server.url)) as stream:
        assert stream.read_at_most(12) == b"012345678901"


@pytest.mark.parametrize(
    "answer",
    [
        raw(OK, b"Content-Length: 10\r\n\r\n", b"half"),
        raw(CHUNKED, b"a\r\nhalf"),
        raw(CHUNKED, b"4\r\nhalf\r\n"),
    ],
    ids=["length", "chunk", "chunks"],
)
def test_an_incomplete_reply_is_an_error_and_retried(
    server: Server, pauses: Pauses, answer: Answer
) -> None:
    server.says(answer, reply(200, b"whole"))
    client = HttpClient()

    with client.stream(HttpRequest("GET", server.url)) as stream:
        assert error_of(stream.read) == "truncated"
    server.says(answer, reply(200, b"whole"))
    assert get(server, HttpClient(retry=pauses.policy())).body == b"whole"
    assert pauses == [1.0]


def test_a_silent_server_times_out(pauses: Pauses) -> None:
    client = HttpClient(timeout_s=0.05, retry=pauses.policy(tries=2))
    with silence() as url:
        assert error_of(lambda: client.send(HttpRequest("GET", url))) == "timeout"
    assert pauses == [1.0]


def test_silence_within_a_reply_times_out(server: Server) -> None:
    def pause(handler: BaseHTTPRequestHandler) -> None:
        raw(OK, b"Content-Length: 4\r\n\r\n", b"ha")(handler)
        server.closing.wait()

    server.says(pause)
    assert error_of(lambda: get(server, HttpClient(timeout_s=0.05))) == "timeout"


def test_a_deadline_ends_a_slow_reply(server: Server) -> None:
    def trickle(handler: BaseHTTPRequestHandler) -> None:
        raw(OK, b"\r\n")(handler)
        while not server.closing.wait(0.01):
            handler.wfile.write(b"x")

    server.says(trickle)
    client = HttpClient(timeout_s=20, deadline_s=0.1)

    with pytest.raises(HttpError, match=r"took longer than 0\.1 s") as raised:
        get(server, client)
    assert raised.value.kind == "timeout"


def test_an_unreachable_server_is_an_error_after_all_attempts(pauses: Pauses) -> None:
    client = HttpClient(retry=pauses.policy())

    assert error_of(lambda: client.send(HttpRequest("GET", nobody()))) == "connection"
    assert pauses == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    "answer", [raw(), raw(b"nonsense\r\n\r\n"), raw(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000)]
)
def test_a_reply_that_is_not_http_is_an_error(server: Server, answer: Answer) -> None:
    server.says(answer)

    assert error_of(lambda: get(server, HttpClient())) == "connection"


# --- retries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_a_retryable_status_is_retried(server: Server, pauses: Pauses, status: int) -> None:
    server.says(reply(status), reply(status), reply(200, b"now"))

    assert get(server, HttpClient(retry=pauses.policy())).body == b"now"
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize("status", [204, 302, 400, 401, 403, 404, 409, 413, 422, 501])
def test_other_statuses_are_final(server: Server, pauses: Pauses, status: int) -> None:
    server.says(reply(status))

    assert get(server, HttpClient(retry=pauses.policy())).status == status
    assert (pauses, len(server.requests)) == ([], 1)


def test_without_a_policy_nothing_is_retried(server: Server) -> None:
    server.says(reply(503))

    assert get(server, HttpClient()).status == 503
    assert len(server.requests) == 1


def test_the_last_reply_is_returned_after_all_attempts(server: Server, pauses: Pauses) -> None:
    server.says(reply(429, b"1"), reply(429, b"2"), reply(429, b"3"))

    assert get(server, HttpClient(retry=pauses.policy(tries=3))).body == b"3"
    assert len(pauses) == 2


@pytest.mark.parametrize(
    ("value", "pause"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        (formatdate(NOW + 12, usegmt=True), 12.0),
        (formatdate(NOW - 5, usegmt=True), 0.0),
        ("soon", 1.0),
        ("nan", 1.0),
        ("", 1.0),
    ],
)
def test_the_retry_after_header_takes_precedence(
    server: Server, pauses: Pauses, value: str, pause: float
) -> None:
    server.says(reply(429, b"", Retry_After=value), reply())
    get(server, HttpClient(retry=pauses.policy()))

    assert pauses == [pytest.approx(pause)]


@pytest.mark.parametrize("value", ["31", "inf", formatdate(NOW + 3600, usegmt=True)])
def test_too_long_a_retry_after_is_not_waited_for(
    server: Server, pauses: Pauses, value: str
) -> None:
    server.says(reply(429, b"", Retry_After=value))

    assert get(server, HttpClient(retry=pauses.policy())).status == 429
    assert pauses == []


def test_pauses_double_up_to_a_limit_and_jitter_takes_up_to_half(
    server: Server, pauses: Pauses
) -> None:
    server.says(reply(503))
    jitter = iter([0.0, 1.0, 0.5, 0.0])
    policy = pauses.policy(tries=5, longest_pause_s=3.0, jitter=lambda: next(jitter))
    get(server, HttpClient(retry=policy))

    assert pauses == [1.0, 1.0, 2.25, 3.0]


def test_a_stream_is_retried_until_its_headers_arrive(server: Server, pauses: Pauses) -> None:
    server.says(reply(503), raw(), raw(OK, b"Content-Length: 10\r\n\r\n", b"half"))
    client = HttpClient(retry=pauses.policy())

    with client.stream(HttpRequest("GET", server.url)) as stream:
        assert error_of(stream.read) == "truncated"
    assert len(server.requests) == 3


# --- server-sent events -------------------------------------------------------------------------


def events(server: Server, *pieces: bytes) -> list[tuple[str, str, str]]:
    server.says(raw(OK, b"Content-Type: text/event-stream\r\n\r\n", *pieces))
    with HttpClient().stream(HttpRequest("GET", server.url)) as stream:
        return [(event.kind, event.data, event.id) for event in stream.events()]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_parsed_as_in_the_html_standard(server: Server, end: str) -> None:
    lines = [
        "\ufeff: a comment",
        "data: one",
        "data:two",
        "data:  three",
        "data",
        "",
        "event: piece",
        "id: 5",
        "retry: 10",
        "unknown: x",
        "data: {}",
        "",
        "event: without data",
        "",
        "id: 6\0",
        "data: ü: 蜂",
        "",
        "",
    ]
    text = end.join(lines).encode()

    expected = [
        ("message", "one\ntwo\n three\n", ""),
        ("piece", "{}", "5"),
        ("message", "ü: 蜂", "5"),
    ]
    assert events(server, text) == expected
    assert events(server, *(text[at : at + 1] for at in range(len(text)))) == expected


def test_an_event_without_its_blank_line_is_yielded_at_the_end(server: Server) -> None:
    assert events(server, b"data: one\n\ndata: two") == [
        ("message", "one", ""),
        ("message", "two", ""),
    ]
    assert events(server, b"") == []
    assert events(server, b"data: one\r") == [("message", "one", "")]


def test_an_event_is_yielded_as_soon_as_it_is_complete(server: Server) -> None:
    read = threading.Event()

    def wait(handler: BaseHTTPRequestHandler) -> None:
        raw(OK, b"\r\n", b"data: one\n\ndata: t")(handler)
        assert read.wait(HANG_S)
        raw(b"wo\n\n")(handler)

    server.says(wait)
    with HttpClient().stream(HttpRequest("GET", server.url)) as stream:
        arriving = stream.events()
        assert next(arriving).data == "one"
        read.set()
        assert [event.data for event in arriving] == ["two"]


def test_a_broken_stream_is_an_error_after_its_events(server: Server) -> None:
    server.says(raw(CHUNKED, b"b\r\ndata: one\n\n\r\n", b"b\r\ndata"))
    with HttpClient().stream(HttpRequest("GET", server.url)) as stream:
        arriving = stream.events()
        assert next(arriving).data == "one"
        assert error_of(lambda: next(arriving)) == "truncated"


# --- cancelling ---------------------------------------------------------------------------------


def test_cancelling_ends_the_wait_for_a_reply(server: Server) -> None:
    cancel = Cancel()

    def hold(_: BaseHTTPRequestHandler) -> None:
        cancel.cancel()
        server.closing.wait()

    server.says(hold)
    with pytest.raises(CancelledError):
        HttpClient(retry=Retry()).send(HttpRequest("GET", server.url), cancel)
    assert len(server.requests) == 1


def test_cancelling_ends_a_stream(server: Server) -> None:
    cancel = Cancel()

    def hold(handler: BaseHTTPRequestHandler) -> None:
        raw(OK, b"\r\n", b"data: one\n\n")(handler)
        server.closing.wait()

    server.says(hold)
    with HttpClient().stream(HttpRequest("GET", server.url), cancel) as stream:
        arriving = stream.events()
        assert next(arriving).data == "one"
        cancel.cancel()
        with pytest.raises(CancelledError):
            next(arriving)


def test_cancelling_ends_a_pause(server: Server) -> None:
    cancel = Cancel()

    def busy(handler: BaseHTTPRequestHandler) -> None:
        reply(503, b"", Retry_After="29")(handler)
        threading.Timer(0.05, cancel.cancel).start()

    server.says(busy)
    with pytest.raises(CancelledError):
        HttpClient(retry=Retry()).send(HttpRequest("GET", server.url), cancel)


def test_a_cancelled_request_is_not_sent(server: Server) -> None:
    cancel = Cancel()
    cancel.cancel()

    with pytest.raises(CancelledError):
        HttpClient().send(HttpRequest("GET", server.url), cancel)
    assert server.requests == []


# --- redirects ----------------------------------------------------------------------------------

SECRET = {"Authorization": "Bearer secret", "Accept": "text/plain"}


def test_redirects_are_followed_only_on_request(server: Server) -> None:
    moved = reply(302, b"", Location="/new")
    server.says(moved, reply(200, b"new"))
    request = HttpRequest("GET", f"{server.url}/old", SECRET)

    assert HttpClient().send(request).status == 302
    server.says(moved, reply(200, b"new"))
    assert HttpClient(redirects=1).send(request).body == b"new"
    assert [seen[1] for seen in server.requests] == ["/old", "/old", "/new"]
    assert server.requests[-1][2]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("status", "method", "body"), [(303, "GET", b""), (301, "GET", b""), (308, "POST", b'"text"')]
)
def test_a_redirect_keeps_or_drops_the_body_by_its_status(
    server: Server, status: int, method: str, body: bytes
) -> None:
    server.says(reply(status, b"", Location="/new"), reply())
    HttpClient(redirects=1).send(HttpRequest.post_json(server.url, "text", {}))

    assert (server.requests[-1][0], server.requests[-1][3]) == (method, body)


def test_a_key_and_a_body_are_never_sent_to_another_origin(server: Server) -> None:
    elsewhere = f"http://localhost:{server.port}/new"
    client = HttpClient(redirects=1)
    server.says(reply(302, b"", Location=elsewhere), reply())
    client.send(HttpRequest("GET", server.url, SECRET))

    assert "Authorization" not in server.requests[-1][2]
    assert server.requests[-1][2]["Accept"] == "text/plain"
    server.says(reply(307, b"", Location=elsewhere), reply())
    posted = HttpRequest.post_json(server.url, "text", SECRET)
    assert error_of(lambda: client.send(posted)) == "redirect"


@pytest.mark.parametrize("location", ["/loop", "file:///etc/passwd", "http://[::1"])
def test_a_redirect_loop_or_invalid_target_is_an_error(server: Server, location: str) -> None:
    server.says(reply(302, b"", Location=location))
    client = HttpClient(redirects=3)

    assert error_of(lambda: get(server, client)) in {"redirect", "address"}


def test_a_redirect_cannot_leave_a_checked_address(server: Server) -> None:
    server.says(reply(302, b"", Location="/new"))
    request = HttpRequest("GET", server.url, address="127.0.0.1")

    assert error_of(lambda: HttpClient(redirects=3).send(request)) == "redirect"


# --- TLS ----------------------------------------------------------------------------------------


@pytest.fixture
def tls_files(tmp_path: Path) -> tuple[str, str]:
    """A self-signed certificate for another name, and its key."""
    files = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    try:
        subprocess.run(
            [*command, "-subj", "/CN=notes.example", "-out", files[0], "-keyout", files[1]],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("needs the program openssl")
    return files


def test_a_self_signed_certificate_is_trusted_only_by_its_file(
    server: Server, tls_files: Sequence[str]
) -> None:
    certificate, key = tls_files
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    server.says(reply(200, b"secure"))
    request = HttpRequest("GET", f"https://127.0.0.1:{server.port}/")

    by_file = HttpClient(tls=Tls(certificate, check_hostname=False))
    assert by_file.send(request).body == b"secure"
    assert error_of(lambda: HttpClient(tls=Tls(certificate)).send(request)) == "certificate"
    assert error_of(lambda: HttpClient().send(request)) == "certificate"
    missing = HttpClient(tls=Tls("/nowhere.pem"))
    assert error_of(lambda: missing.send(request)) == "connection"


# --- what it costs ------------------------------------------------------------------------------


def test_importing_it_loads_nothing_heavy() -> None:
    check = (
        "import sys, notewell.base.support.http;"
        "sys.exit(bool({'aiohttp', 'asyncio', 'numpy', 'pydantic'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
