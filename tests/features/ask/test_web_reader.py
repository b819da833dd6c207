"""Reading web pages: public addresses only, within limits."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from notewell.base.errors import ProviderError
from notewell.features.ask import web_reader
from notewell.features.ask.web_reader import WebPages


@pytest.mark.parametrize(
    "place",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "192.0.0.8",
        "192.88.99.1",
        "198.18.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:20::1",
        "2001:db8::1",
        "2620:4f:8000::1",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fec0::1",
        "ff02::1",
        "2606:4700::1%eth0",
        "no address",
    ],
)
def test_private_addresses_are_never_reached(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise AssertionError(place)

    monkeypatch.setattr(socket, "create_connection", connect)
    public = WebPages("", resolve=lambda *_: ("93.184.216.34", place))
    with pytest.raises(ProviderError) as refused:
        public.read("https://example.com/")

    assert refused.value.code == "web_refused"


@pytest.mark.parametrize("place", ["93.184.216.34", "2606:4700::1", "2a00:1450:4001::200e"])
def test_public_addresses_are_reached(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(address: tuple[str, int], *_: object) -> None:
        raise OSError(f"reached {address[0]}")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(ProviderError, match=f"reached {place}"):
        WebPages("", resolve=lambda *_: (place,)).read("https://example.com/")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://example.com:8765/",
        "https://example.com:80/",
        "http://user:secret@example.com/",
        "http:///",
        "http://example.com:99999/",
        "javascript:alert(1)",
        "https://[::1",
        "http://[v1.x]/",
        "http://exa mple.com/",
        "",
    ],
)
def test_only_default_web_ports_are_allowed(url: str) -> None:
    with pytest.raises(ProviderError):
        WebPages("", resolve=lambda *_: ("93.184.216.34",)).read(url)


NO_MARKUP = "<![odd[ ]]>"
PAGE = b"""<!doctype html><title>Bees &amp; hives</title><script>steal()</script>
<nav>Menu</nav><h1>Bees</h1><p>They fly.</p><style>p {}</style>"""


class Web(BaseHTTPRequestHandler):
    """A small web: a page, a redirect inwards, a loop, a picture, a search."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/drip":
            self._drip()
            return
        status, kind, body = {
            "/": (200, "text/html; charset=utf-8", PAGE),
            "/in": (302, "http://inside.example/", b""),
            "/loop": (302, "/loop", b""),
            "/picture": (200, "image/png", b"x"),
            "/nowhere": (302, "http://[::1", b""),
            "/letters": (200, "text/html; charset=none-such", PAGE),
            "/markup": (200, "text/html", NO_MARKUP.encode()),
            "/search?q=bees%20fly": (
                200,
                "application/json",
                b'{"results": [{"url": "https://a.example", "title": "A", "content": "Of bees"}]}',
            ),
        }.get(self.path, (404, "text/plain", b""))
        self.send_response(status)
        self.send_header("Location" if status == 302 else "Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        """A page that never ends, and is never silent for long."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b"x")
                time.sleep(0.02)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """Serve it here, where a public address is made to lead."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    real = socket.create_connection

    def connect(place: tuple[str, int], *rest: object, **more: object) -> object:
        here = ("127.0.0.1", server.server_address[1])
        return real(here if place[0] == "93.184.216.34" else place, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", connect)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def resolve(host: str, _port: int) -> tuple[str, ...]:
    return ("10.0.0.1",) if host == "inside.example" else ("93.184.216.34",)


@pytest.mark.usefixtures("web")
def test_only_the_visible_text_of_a_page_is_read() -> None:
    page = WebPages("", resolve=resolve).read("http://example.com/")

    assert page.title == "Bees & hives"
    assert page.text == "Bees\nThey fly."


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize("path", ["in", "loop", "picture", "missing", "nowhere", "letters"])
def test_redirects_to_private_addresses_loops_and_images_are_refused(path: str) -> None:
    with pytest.raises(ProviderError):
        WebPages("", resolve=resolve).read(f"http://example.com/{path}")


@pytest.mark.usefixtures("web")
def test_markup_that_the_parser_refuses_is_refused() -> None:
    pages = WebPages("", resolve=resolve)
    try:
        HTMLParser().feed(NO_MARKUP)
    except AssertionError:
        with pytest.raises(ProviderError):
            pages.read("http://example.com/markup")
    else:  # Python 3.13.5 passes over it
        assert pages.read("http://example.com/markup").text == ""


@pytest.mark.parametrize("name", ["a..b", "ü" * 70, "\x00"])
def test_an_invalid_host_name_is_refused(name: str) -> None:
    with pytest.raises(ProviderError):
        WebPages("").read(f"http://{name}/")


def test_the_configured_search_is_used_and_can_be_local(
    web: ThreadingHTTPServer,
) -> None:
    endpoint = f"http://127.0.0.1:{web.server_address[1]}"
    found = WebPages(f"{endpoint}/search?q={{query}}").search("bees fly")

    assert [(page.url, page.title, page.text) for page in found] == [
        ("https://a.example", "A", "Of bees")
    ]
    with pytest.raises(ProviderError):
        WebPages(f"{endpoint}/?q={{query}}").search("bees")
    assert not WebPages("").can_search


@pytest.mark.usefixtures("web")
def test_a_page_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_reader, "MAX_SECONDS", 0.3)
    with pytest.raises(ProviderError, match="took longer"):
        WebPages("", resolve=resolve).read("http://example.com/drip")


@pytest.mark.usefixtures("web")
def test_redirects_share_the_time_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1000, 10))
    monkeypatch.setattr(web_reader, "_now", lambda: float(next(now)))
    with pytest.raises(ProviderError, match="took longer"):
        WebPages("", resolve=resolve).read("http://example.com/loop")
