"""How much the model has worked for an index in its whole life, and how much was spared it."""

from __future__ import annotations

import json
from dataclasses import asdict

from notewell.base.types.frozen import frozen
from notewell.index.port import Index, IndexReader

_STORED = "model_work"


@frozen
class ModelWork:
    """Totals over the life of an index.

    `embedded` counts texts sent to the model, `seconds` is the time they took, and `reused` counts
    passages of notes that were read and whose vectors were there already.
    """

    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0

    @property
    def saved_seconds(self) -> float:
        """How long the model would have taken for the reused passages, at its own speed."""
        return self.seconds / self.embedded * self.reused if self.embedded else 0.0


def model_work(index: IndexReader) -> ModelWork:
    """The totals so far."""
    stored = index.meta(_STORED)
    return ModelWork(**json.loads(stored)) if stored else ModelWork()


def add_model_work(
    index: Index, *, embedded: int = 0, reused: int = 0, seconds: float = 0.0
) -> None:
    """Add to the totals."""
    if not embedded and not reused:
        return
    before = model_work(index)
    total = ModelWork(
        before.embedded + embedded, before.reused + reused, round(before.seconds + seconds, 3)
    )
    index.set_meta(_STORED, json.dumps(asdict(total)))
