"""The removal guard: notes that vanish in great number stay indexed until a person confirms.

The usual cause is a drive that is not mounted, a sync tool at work, or another vault in the
folder, and not a deletion on purpose. The held removal is stored in the index, so that every
process reports it and a restart does not forget it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from notewell.engine.ingest.events import Guarded
from notewell.index.port import Index, IndexReader

# Up to this many notes may always go, unless they are all there are.
FEW = 4
# More notes than the count, and more than the share of all notes, are too many at once: of a small
# vault more than half, of a large one more than a fifth.
LIMITS = ((FEW, 0.5), (50, 0.2))

_HELD = "guard"


def guard(lost: Sequence[str], total: int) -> tuple[str, ...]:
    """The paths that must not be removed, because too many are missing at once; else ().

    `total` is the number of notes in the index, those that are missing included.
    """
    gone = len(lost)
    everything = total <= gone and gone > 1  # one note is deleted by hand, even if it is the only
    if everything or any(gone > count and gone > share * total for count, share in LIMITS):
        return tuple(lost)
    return ()


def held_removal(index: IndexReader) -> Guarded | None:
    """The removal that waits for a person's decision, as the last run stored it."""
    stored = index.meta(_HELD)
    if not stored:
        return None
    found = json.loads(stored)
    return Guarded(gone=found["gone"], total=found["total"], since=found["since"])


def hold_removal(index: Index, held: Guarded | None) -> None:
    """Store that a removal waits, or that none does."""
    if held == held_removal(index):
        return
    stored = {"gone": held.gone, "total": held.total, "since": held.since} if held else None
    index.set_meta(_HELD, json.dumps(stored) if stored else "")
