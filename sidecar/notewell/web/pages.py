"""The two pages the server makes itself: what stands at `/` without a web interface, and the docs.

Neither loads or runs anything; the one style sheet is inline and allowed by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape

from aiohttp import web

from notewell.web.parameters import Parameter, parameters
from notewell.web.route import Route
from notewell.web.routes import ROUTES

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
_SHELL = """
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
<p>{session}</p>
"""
_SIGNED_IN = (
    'This browser may ask the server: read <a href="/api/docs">the routes</a> or'
    ' <a href="/api/status">the state of the index</a>.'
)
_SIGNED_OUT = (
    "To ask the server from this browser, open the link with the token that"
    " <code>notewell serve</code> printed."
)


def shell(url: str, *, signed_in: bool) -> web.Response:
    """Make the page of `/` that says how to use a server without a web interface."""
    session = _SIGNED_IN if signed_in else _SIGNED_OUT
    return _page("Notewell", _SHELL.format(url=escape(url), session=session))


def docs(version: str) -> web.Response:
    """Make the page of `/api/docs` from the table of routes."""
    intro = (
        f"<h1>Notewell {escape(version)}: HTTP API</h1>"
        "<p>Every route but <code>/api/health</code> needs"
        " <code>Authorization: Bearer TOKEN</code>."
        " Errors are problem documents (RFC 9457) with a stable <code>code</code>. For programs:"
        ' <a href="/api/openapi.json">openapi.json</a>.</p>'
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
