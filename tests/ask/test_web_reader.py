"""Reading web pages: public addresses only, within limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from notewell.ask import web_reader
from notewell.ask.web_reader import Pages
from notewell.errors import ProviderError


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
        "no address",
    ],
)
def test_private_addresses_are_never_reached(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise AssertionError(place)

    monkeypatch.setattr(web_reader.socket, "create_connection", connect)
    public = Pages("", resolve=lambda *_: ("93.184.216.34", place))
    with pytest.raises(ProviderError) as refused:
        public.read("https://example.com/")

    assert refused.value.code == "web_refused"


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
def test_only_the_webs_own_ports_are_read(url: str) -> None:
    with pytest.raises(ProviderError):
        Pages("", resolve=lambda *_: ("93.184.216.34",)).read(url)


PAGE = b"""<!doctype html><title>Bees &amp; hives</title><script>steal()</script>
<nav>Menu</nav><h1>Bees</h1><p>They fly.</p><style>p {}</style>"""


class Web(BaseHTTPRequestHandler):
    """A small web: a page, a redirect inwards, a loop, a picture, a search."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        status, kind, body = {
            "/": (200, "text/html; charset=utf-8", PAGE),
            "/in": (302, "http://inside.example/", b""),
            "/loop": (302, "/loop", b""),
            "/picture": (200, "image/png", b"x"),
            "/nowhere": (302, "http://[::1", b""),
            "/letters": (200, "text/html; charset=none-such", PAGE),
            "/markup": (200, "text/html", b"<![odd[ ]]>"),
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


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """Serve it here, where a public address is made to lead."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    real = web_reader.socket.create_connection

    def connect(place: tuple[str, int], *rest: object, **more: object) -> object:
        here = ("127.0.0.1", server.server_address[1])
        return real(here if place[0] == "93.184.216.34" else place, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(web_reader.socket, "create_connection", connect)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def resolve(host: str, _port: int) -> tuple[str, ...]:
    return ("10.0.0.1",) if host == "inside.example" else ("93.184.216.34",)


@pytest.mark.usefixtures("web")
def test_a_page_is_read_as_a_reader_sees_it() -> None:
    page = Pages("", resolve=resolve).read("http://example.com/")

    assert page.title == "Bees & hives"
    assert page.text == "Bees\nThey fly."


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    "path", ["in", "loop", "picture", "missing", "nowhere", "letters", "markup"]
)
def test_redirects_inwards_loops_and_pictures_are_refused(path: str) -> None:
    with pytest.raises(ProviderError):
        Pages("", resolve=resolve).read(f"http://example.com/{path}")


@pytest.mark.parametrize("name", ["a..b", "ü" * 70, "\x00"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ProviderError):
        Pages("").read(f"http://{name}/")


def test_the_chosen_search_is_asked_and_may_stand_on_this_computer(
    web: ThreadingHTTPServer,
) -> None:
    endpoint = f"http://127.0.0.1:{web.server_address[1]}"
    found = Pages(f"{endpoint}/search?q={{query}}").search("bees fly")

    assert [(page.url, page.title, page.text) for page in found] == [
        ("https://a.example", "A", "Of bees")
    ]
    with pytest.raises(ProviderError):
        Pages(f"{endpoint}/?q={{query}}").search("bees")
    assert not Pages("").can_search
