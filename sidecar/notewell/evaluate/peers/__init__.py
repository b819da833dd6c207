"""Other search packages that an evaluation can run on the same notes and queries.

A new peer is a module with a class that satisfies `Peer`, and a row in `registry.PEERS`.
"""

from notewell.evaluate.peers.peer import NotePassages, Peer, PeerIndexes, PeerKind, PeerModel
from notewell.evaluate.peers.registry import PEERS, find_peers

__all__ = [
    "PEERS",
    "NotePassages",
    "Peer",
    "PeerIndexes",
    "PeerKind",
    "PeerModel",
    "find_peers",
]
