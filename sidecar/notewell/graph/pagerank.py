"""PageRank: how often a reader who follows links at random would come by each note.

Page, Brin, Motwani and Winograd 1999, "The PageRank citation ranking", by power iteration.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from notewell.graph.network import Network

DAMPING = 0.85  # how often the reader follows a link rather than opening any note
_TOLERANCE = 1e-10  # summed change at which a round changes no digit that is shown
_MAX_ROUNDS = 200


def pagerank(network: Network) -> Mapping[int, float]:
    """The share of visits of every note; all together are 1. Notes without links lead anywhere."""
    count = len(network)
    if not count:
        return {}
    place = {note: at for at, note in enumerate(network.out)}
    pairs = [(place[note], place[near]) for note, out in network.out.items() for near in out]
    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    degree = np.bincount(sources, minlength=count).astype(np.float64)
    ends = degree == 0
    rank = np.full(count, 1.0 / count)
    for _ in range(_MAX_ROUNDS):
        given = np.divide(rank, degree, out=np.zeros(count), where=~ends)
        followed = np.bincount(targets, weights=given[sources], minlength=count)
        anywhere = (DAMPING * rank[ends].sum() + 1.0 - DAMPING) / count
        after = DAMPING * followed + anywhere
        change = float(np.abs(after - rank).sum())
        rank = after
        if change < _TOLERANCE:
            break
    return dict(zip(network.out, rank.tolist(), strict=True))
