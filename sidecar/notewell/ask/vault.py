"""What answering needs of a vault. Importing it loads nothing of the rest of this room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from notewell.contract.context import ContextReply, ContextRequest
from notewell.contract.graph import NeighborsReply, NeighborsRequest
from notewell.contract.notes import NoteReply
from notewell.contract.search import SearchReply, SearchRequest
from notewell.types import CountTokens


@dataclass(frozen=True, slots=True)
class Vault:
    """The functions of a vault's engine that tools use. `waiting` counts notes not indexed yet."""

    name: str
    search: Callable[[SearchRequest], SearchReply]
    assemble: Callable[[ContextRequest], ContextReply]
    note: Callable[[str], NoteReply]
    neighbors: Callable[[NeighborsRequest], NeighborsReply]
    count_tokens: CountTokens
    waiting: Callable[[], int]
