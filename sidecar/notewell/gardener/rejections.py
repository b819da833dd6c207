"""What a person said no to in one vault as the contract shows it, and how it may come again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from notewell.contract.garden import RejectionsReply, RejectionView
from notewell.errors import NotFoundError
from notewell.gardener.state import State, StateFile


class Rejections:
    """The rejected suggestions of one vault. Any thread may call."""

    def __init__(self, vault: str, file: StateFile) -> None:
        """Nothing is read before the first call."""
        self._vault = vault
        self._file = file

    def reply(self, limit: int) -> RejectionsReply:
        """The rejections, newest first, at most `limit`."""
        return self._reply(self._file.load(), limit)

    def forget(self, ids: Collection[str], limit: int) -> RejectionsReply:
        """Let suggestions come again; returns the rejections that are left.

        In plans that are kept they stay rejected. Raises NotFoundError if one was not rejected.
        """

        def without(state: State) -> State:
            if missing := [one for one in ids if one not in state.rejected]:
                raise NotFoundError(
                    f"No suggestion {missing[0]} was rejected. `notewell garden rejections` lists"
                    " those that were.",
                    code="suggestion_not_found",
                )
            kept = {key: one for key, one in state.rejected.items() if key not in ids}
            return replace(state, rejected=kept)

        return self._reply(self._file.change(without), limit)

    def _reply(self, state: State, limit: int) -> RejectionsReply:
        newest = sorted(state.rejected.items(), key=lambda one: one[1].at, reverse=True)
        views = tuple(
            RejectionView(key, one.check, one.path, one.title, one.at)
            for key, one in newest[:limit]
        )
        return RejectionsReply(self._vault, views, len(state.rejected))
