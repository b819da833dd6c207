"""Where tools work: who answers for a vault, found anew for each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from notewell.mcp.tool import Desk

T = TypeVar("T")


class Source(Protocol):
    """Finds who answers for a vault, and runs a tool's work there."""

    async def run(self, vault: str | None, work: Callable[[Desk], T]) -> T:
        """Run `work` in a thread, with the vault of that name or id, else the default one.

        Raises NotFoundError where there is no such vault, and whatever `work` raises.
        """
        ...
