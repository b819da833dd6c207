"""Two peers fused by rank, the usual hybrid search that people build from these packages."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.evaluate.peers import bm25, cosine
from notewell.evaluate.peers.peer import Peer, PeerIndexes, PeerKind

RRF_K = 60
_PARTS = (bm25.KIND, cosine.KIND)


class FusedPeers:
    """Reciprocal rank fusion of the notes that each part finds: the sum of 1 / (60 + rank).

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


KIND = PeerKind(
    "+".join(kind.name for kind in _PARTS),
    tuple(module for kind in _PARTS for module in kind.modules),
    _build,
)
