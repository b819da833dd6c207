"""A real server on loopback, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from notewell.base.types import Settings
from notewell.doors.web.server import serve
from tests.doors.web.fakes import TOKEN, FakeVaults


@asynccontextmanager
async def serving(vaults: FakeVaults, folder: Path) -> AsyncIterator[None]:
    """Serve `vaults` while the block runs; `folder` is where the server keeps its data."""
    listening = asyncio.Event()
    task = asyncio.create_task(
        serve(
            vaults,
            Settings(data_dir=folder, model_dir=folder, state_dir=folder),
            host="127.0.0.1",
            port=0,
            token=TOKEN,
            handshake=False,
            ready=lambda _: listening.set(),
        )
    )
    await listening.wait()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
