"""Requests of the core that features send by `OpenVault.ask`, and their replies."""

from notewell.contract.context import ContextReply, ContextRequest, ContextSource
from notewell.contract.notes import NeighborsRequest
from notewell.contract.search import UNLOGGED, Passage, Result, SearchReply, SearchRequest

__all__ = [
    "UNLOGGED",
    "ContextReply",
    "ContextRequest",
    "ContextSource",
    "NeighborsRequest",
    "Passage",
    "Result",
    "SearchReply",
    "SearchRequest",
]
