"""The table of peers, with the fusion of the two others, and looking peers up by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from notewell.errors import MissingExtraError, UsageError
from notewell.evaluate.peers import bm25, cosine
from notewell.evaluate.peers.peer import Peer, PeerIndexes, PeerKind

RRF_K = 60
_PARTS = (bm25.KIND, cosine.KIND)


class FusedPeers:
    """Fuses two peers by rank, the usual hybrid search that people build from these packages.

    Reciprocal rank fusion of the notes that each part finds: the sum of 1 / (60 + rank).

    Source: Cormack, Clarke and Büttcher 2009, with their constant of 60.
    """

    def __init__(self, parts: Sequence[Peer]) -> None:
        """Take the peers to fuse."""
        self._parts = tuple(parts)

    def rank(self, query: str, limit: int) -> list[str]:
        """See `Peer.rank`. Each part gives its first `limit` notes."""
        scores: dict[str, float] = {}
        for part in self._parts:
            for rank, path in enumerate(part.rank(query, limit), start=1):
                scores[path] = scores.get(path, 0.0) + 1 / (RRF_K + rank)
        return sorted(scores, key=lambda path: -scores[path])[:limit]


def _build(indexes: PeerIndexes) -> FusedPeers:
    return FusedPeers([indexes.get(kind) for kind in _PARTS])


_FUSED = PeerKind(
    "+".join(kind.name for kind in _PARTS),
    tuple(module for kind in _PARTS for module in kind.modules),
    _build,
)
PEERS: Mapping[str, PeerKind] = {kind.name: kind for kind in (*_PARTS, _FUSED)}


def find_peers(names: str) -> tuple[PeerKind, ...]:
    """Find the peers in a list of names with commas between, each once, in that order.

    Raises UsageError for a name that is unknown or missing, MissingExtraError where a peer's
    package is not installed.
    """
    wanted = dict.fromkeys(name.strip() for name in names.split(","))
    for name in wanted:
        if name not in PEERS:
            raise UsageError(
                f"There is no peer called '{name}' to measure against."
                f" Name one or several of: {', '.join(PEERS)}.",
                code="unknown_peer",
            )
    found = tuple(PEERS[name] for name in wanted)
    missing = [
        kind.name for kind in found if any(find_spec(module) is None for module in kind.modules)
    ]
    if missing:
        raise MissingExtraError(
            f"Measuring against {', '.join(missing)} needs packages that are not installed."
            " Run pip install '.[compare]' in Notewell's source folder."
        )
    return found
