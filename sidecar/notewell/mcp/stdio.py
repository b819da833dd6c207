"""The server on stdin and stdout, for an assistant that starts it as its own process.

Nothing but the protocol is written to stdout: the SDK keeps that stream for itself and points
whatever else writes there to stderr, and log lines go to stderr anyway.
"""

from __future__ import annotations

import asyncio

from mcp.server.stdio import stdio_server

from notewell.mcp.server import build
from notewell.mcp.source import Source


def serve(source: Source, *, allow_write: bool) -> None:
    """Answer until stdin closes."""
    asyncio.run(_serve(source, allow_write=allow_write))


async def _serve(source: Source, *, allow_write: bool) -> None:
    server = build(source, may_write=lambda _: allow_write)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
