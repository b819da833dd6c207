"""Embeds many texts by a service that fails, as the second pass of a first index does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notewell.base.errors import ModelError
from notewell.base.types import FloatArray
from notewell.models.remote.client import Breaker
from notewell.models.remote.embedder import RemoteEmbedder

_ATTEMPTS = 400
_REST_S = 600.0  # longer than the circuit breaker rests


def embed_all(
    open_with: Callable[[Breaker], RemoteEmbedder], texts: Sequence[str]
) -> dict[int, FloatArray]:
    """The vectors by the places of their texts: what has arrived is stored and not sent again.

    Every tenth attempt begins with a new embedder, as after a restart.
    """
    stored: dict[int, FloatArray] = {}
    now = [0.0]
    embedder: RemoteEmbedder | None = None
    for attempt in range(_ATTEMPTS):
        todo = [row for row in range(len(texts)) if row not in stored]
        if not todo:
            break
        if embedder is None or attempt % 10 == 9:
            if embedder is not None:
                embedder.close()
            embedder = open_with(Breaker(clock=lambda: now[0]))
        try:
            for piece in embedder.embed_pieces([texts[row] for row in todo], [""] * len(todo)):
                for row, found in zip(piece.rows, piece.vectors, strict=True):
                    stored[todo[row]] = found
        except ModelError:
            now[0] += _REST_S
    if embedder is not None:
        embedder.close()
    return stored
