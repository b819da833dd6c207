"""The built web interface: its shell and files, the offline worker, and a page to be framed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from aiohttp import hdrs, web

# Text of a note can only become text: no page of ours turns a string into HTML or a script, and
# the browser holds it to that (trusted types). The one policy named makes the worker's address.
INTERFACE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types notewell-worker"
)
# Where Obsidian's own windows come from: on a computer, an iPhone, an Android phone.
OBSIDIAN_ORIGINS = ("app://obsidian.md", "capacitor://localhost", "http://localhost")
_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[a-z0-9.*:\[\]-]+", re.IGNORECASE)
# A worker's own policy rules what it may fetch.
_WORKER_POLICY = "default-src 'none'; connect-src 'self'"

# What the server offers to other clients because it has pages: `/#/graph?path=…&vault=…`, and
# the page of `/embed/ask`.
FEATURES = ("graph_view", "ask_view")


def built(static: Path) -> Path | None:
    """The folder of the built interface; None where it was not built."""
    return static if (static / "index.html").is_file() else None


def embed_policy(allowed_origins: Iterable[str]) -> str:
    """What the framed page may do, and in whose windows: Obsidian's, and those of allowed origins.

    It has no cookie and no token, so a window that frames it and has no token learns nothing. An
    entry that is no origin could end the directive and begin another one: it is left out.
    """
    known = (origin for origin in allowed_origins if _ORIGIN.fullmatch(origin))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none';"
        f" frame-ancestors {' '.join((*OBSIDIAN_ORIGINS, *known))};"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )


def add_interface(app: web.Application, static: Path, allowed_origins: Iterable[str]) -> None:
    """Serve the files of the interface. They hold nothing of a vault and need no token."""
    framed = embed_policy(allowed_origins)

    async def worker(_request: web.Request) -> web.FileResponse:
        # At the root, for a worker may only look after addresses beneath its own.
        return web.FileResponse(
            static / "sw.js",
            headers={"Content-Security-Policy": _WORKER_POLICY, hdrs.CACHE_CONTROL: "no-cache"},
        )

    async def embedded(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(static / "embed.html", headers={"Content-Security-Policy": framed})

    app.router.add_static("/static", static, name="static")
    app.router.add_get("/sw.js", worker, name="worker")
    app.router.add_get("/embed/ask", embedded, name="embed")
    app.on_response_prepare.append(_let_files_be_kept)
    app.on_response_prepare.append(_let_page_be_framed)


def shell(static: Path) -> web.FileResponse:
    """The page that the interface lives in."""
    headers = {"Content-Security-Policy": INTERFACE_POLICY}
    return web.FileResponse(static / "index.html", headers=headers)


async def _let_files_be_kept(request: web.Request, response: web.StreamResponse) -> None:
    """Files are asked about each time and sent again only when they have changed."""
    if request.match_info.route.name == "static" and response.status < 400:
        response.headers[hdrs.CACHE_CONTROL] = "no-cache"


async def _let_page_be_framed(request: web.Request, response: web.StreamResponse) -> None:
    """`X-Frame-Options` knows no list of origins; the page's own policy has one in its place."""
    if request.match_info.route.name == "embed" and response.status < 400:
        response.headers.popall("X-Frame-Options", None)
