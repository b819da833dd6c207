"""The files of the built web interface, and two pages made by the server.

Those two are the page at `/` where there is no interface, and the docs; they load and run nothing,
and their one style sheet is inline and allowed by its hash.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from aiohttp import hdrs, web

from notewell.base.errors import NotFoundError
from notewell.doors.web.auth import KEY_PARAMETER
from notewell.doors.web.openapi import Parameter, parameters
from notewell.doors.web.routes import ROUTES, Route

# No page turns a string into HTML or a script, and the browser enforces that (trusted types), so
# that text of a note stays text. The one policy named makes the address of the worker.
INTERFACE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types notewell-worker"
)
# Names that the build gives to files: with other contents they have another name.
_HASHED = re.compile(r"-[A-Z0-9]{8}\.(?:js|css|woff2)$")
_FOR_EVER = "public, max-age=31536000, immutable"
# Headers that scripts, styles and fonts do without which are kept for ever: these are never
# compared with a newer version, and are no pages that could be framed or opened by others.
_NOT_OF_SCRIPTS = (
    hdrs.ETAG,
    hdrs.LAST_MODIFIED,
    hdrs.ACCEPT_RANGES,
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",
    "X-Frame-Options",
)
# Nor have they forms or addresses of their own.
_FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The policy of a worker decides what it may fetch.
_WORKER_POLICY = "default-src 'none'; connect-src 'self'"
_MOST_TEXT_BYTES = 1_000_000  # the German texts have a tenth of it
# What the server offers to other clients because it has pages: `/#/graph?path=…&vault=…`.
FEATURES = ("graph_view",)


def find_built(static: Path) -> Path | None:
    """Return the folder of the built interface; None if it was not built."""
    return static if (static / "index.html").is_file() else None


def add_interface(app: web.Application, static: Path) -> None:
    """Serve the files of the interface. They contain nothing of a vault and need no token.

    Browsers that take gzip get `FILE.gz`, which the build put beside each file. Replies about
    notes are not compressed: their length would tell of secrets next to text that others chose.
    """

    async def worker(_request: web.Request) -> web.FileResponse:
        # At the root, because a worker only controls addresses below its own.
        return web.FileResponse(
            static / "sw.js",
            headers={"Content-Security-Policy": _WORKER_POLICY, hdrs.CACHE_CONTROL: "no-cache"},
        )

    app.router.add_static("/static", static, name="static")
    app.router.add_get("/sw.js", worker, name="worker")
    app.on_response_prepare.append(_let_files_be_kept)


def add_texts(app: web.Application, folder: Path) -> None:
    """Serve `folder`/LANGUAGE.json: interface texts of a language that somebody added.

    They need no token: the page that asks for one is shown in this language too.
    """

    async def texts(request: web.Request) -> web.FileResponse:
        file = folder / f"{request.match_info['language']}.json"
        if not await asyncio.to_thread(_is_of_texts, file):
            raise NotFoundError(f"There are no texts of this language: {file.name}.")
        return web.FileResponse(file, headers={hdrs.CACHE_CONTROL: "no-cache"})

    app.router.add_get("/texts/{language:[a-z]{2,3}}.json", texts, name="texts")


def _is_of_texts(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= _MOST_TEXT_BYTES


def interface(static: Path) -> web.FileResponse:
    """Serve the page of the interface."""
    headers = {"Content-Security-Policy": INTERFACE_POLICY}
    return web.FileResponse(static / "index.html", headers=headers)


async def _let_files_be_kept(request: web.Request, response: web.StreamResponse) -> None:
    """Let browsers keep files: for ever where the name has a hash, else for ten minutes.

    The first load has many small files, and each header counts in all of them.
    """
    if request.match_info.route.name != "static" or response.status >= 400:
        return
    if _HASHED.search(request.path) is None:
        # Page and worker ask for the icon, one after the other.
        response.headers[hdrs.CACHE_CONTROL] = "max-age=600"
        return
    response.headers[hdrs.CACHE_CONTROL] = _FOR_EVER
    response.headers["Content-Security-Policy"] = _FILE_POLICY
    for name in _NOT_OF_SCRIPTS:
        response.headers.popall(name, None)


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 3rem auto; }
body { padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { padding: 0.8rem 1rem; border: 1px solid #8886; border-radius: 6px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.8rem 0.25rem 0; }
td { border-top: 1px solid #8884; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_START_PAGE = """
<h1>Notewell is running</h1>
<p>This installation has no web interface: it was made without Node.js. Get Node 20 or
newer and run <code>make web</code> in the repository. Everything else works.</p>
<h2>From the terminal</h2>
<pre>notewell search "how do bees find their way"
notewell similar Garden/Bees.md
notewell status</pre>
<h2>From a program</h2>
<pre>curl -H "Authorization: Bearer $(notewell token show)" \\
  "{url}/api/search?q=bees&amp;limit=3"</pre>
{session}
"""
_SIGNED_IN = (
    '<p>This browser may ask the server: read <a href="/api/docs?{query}">the routes</a>.</p>'
)
_SIGNED_OUT = (
    "<p>To use the server from this browser, open the link with the token that"
    " <code>notewell serve</code> printed.</p>"
)
_REFUSED = "<p>This token or link is not valid, or no longer.</p>"
# Opening a link changes nothing; the button sends what the link has.
_SIGN_IN = (
    "<p>Let this browser use the server?</p>"
    '<form method="post" action="/">{fields}<button>Sign in</button></form>'
)
_FIELD = '<input type="hidden" name="{name}" value="{value}">'


def start_page(url: str, *, key: str = "", refused: bool = False) -> web.Response:
    """Make the page of `/` that says how to use a server without a web interface.

    `key` is the page key of a browser that is signed in; `refused`: its secret was wrong.
    """
    session = _SIGNED_IN.format(query=escape(urlencode({KEY_PARAMETER: key}))) if key else ""
    session = session or (_REFUSED if refused else "") + _SIGNED_OUT
    return _page("Notewell", _START_PAGE.format(url=escape(url), session=session))


def sign_in_page(fields: Mapping[str, str]) -> web.Response:
    """Make the page of a link that signs in, for a server without a web interface."""
    inputs = "".join(
        _FIELD.format(name=escape(name), value=escape(value)) for name, value in fields.items()
    )
    page = _page("Notewell", "<h1>Notewell</h1>" + _SIGN_IN.format(fields=inputs))
    page.headers["Content-Security-Policy"] = PAGE_POLICY.replace(
        "form-action 'none'", "form-action 'self'"
    )
    # With no referrer at all, browsers send forms as if they came from nowhere (`Origin: null`).
    page.headers["Referrer-Policy"] = "strict-origin"
    return page


def docs(version: str, query: str = "") -> web.Response:
    """Make the page of `/api/docs` from the table of routes; its link gets the `query` as well."""
    intro = (
        f"<h1>Notewell {escape(version)}: HTTP API</h1>"
        "<p>Every route but <code>/api/health</code> needs"
        " <code>Authorization: Bearer TOKEN</code>."
        " Errors are problem documents (RFC 9457) with a stable <code>code</code>. For programs:"
        f' <a href="/api/openapi.json{escape(query)}">openapi.json</a>.</p>'
    )
    return _page("Notewell: HTTP API", intro + "".join(_section(route) for route in ROUTES))


def _section(route: Route) -> str:
    rows = "".join(_row(parameter) for parameter in parameters(route.model))
    table = (
        f"<table><tr><th>Name</th><th>Values</th><th>Default</th><th></th></tr>{rows}</table>"
        if rows
        else "<p>No parameters.</p>"
    )
    where = "JSON body" if route.endpoint.method != "GET" else "Query string"
    return (
        f"<h2><code>{route.endpoint.method} {escape(route.endpoint.path)}</code></h2>"
        f"<p>{escape(route.endpoint.summary)}. {where}; answers {route.endpoint.status} with"
        f" <code>{escape(route.reply_name)}</code>.</p>{table}"
    )


def _row(parameter: Parameter) -> str:
    default = "required" if parameter.required else parameter.default
    return (
        f"<tr><td><code>{escape(parameter.name)}</code></td><td>{escape(parameter.values)}</td>"
        f"<td>{escape(default)}</td><td>{escape(parameter.about)}</td></tr>"
    )


def _page(title: str, body: str) -> web.Response:
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )
    return web.Response(
        text=text,
        content_type="text/html",
        headers={"Content-Security-Policy": PAGE_POLICY},
    )
