"""The built web interface: its shell, its files, and the worker that keeps them offline."""

from __future__ import annotations

from pathlib import Path

from aiohttp import hdrs, web

# Text of a note can only become text: no page of ours turns a string into HTML or a script, and
# the browser holds it to that (trusted types). The one policy named makes the worker's address.
INTERFACE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types recollect-worker"
)
# A worker's own policy rules what it may fetch.
_WORKER_POLICY = "default-src 'none'; connect-src 'self'"

# What the server offers to other clients because it has pages: `/#/graph?path=…&vault=…`.
FEATURES = ("graph_view",)


def built(static: Path) -> Path | None:
    """The folder of the built interface; None where it was not built."""
    return static if (static / "index.html").is_file() else None


def add_interface(app: web.Application, static: Path) -> None:
    """Serve the files of the interface. They hold nothing of a vault and need no token."""

    async def worker(_request: web.Request) -> web.FileResponse:
        # At the root, for a worker may only look after addresses beneath its own.
        return web.FileResponse(
            static / "sw.js",
            headers={"Content-Security-Policy": _WORKER_POLICY, hdrs.CACHE_CONTROL: "no-cache"},
        )

    app.router.add_static("/static", static, name="static")
    app.router.add_get("/sw.js", worker, name="worker")
    app.on_response_prepare.append(_let_files_be_kept)


def shell(static: Path) -> web.FileResponse:
    """The page that the interface lives in."""
    headers = {"Content-Security-Policy": INTERFACE_POLICY}
    return web.FileResponse(static / "index.html", headers=headers)


async def _let_files_be_kept(request: web.Request, response: web.StreamResponse) -> None:
    """Files are asked about each time and sent again only when they have changed."""
    if request.match_info.route.name == "static" and response.status < 400:
        response.headers[hdrs.CACHE_CONTROL] = "no-cache"
