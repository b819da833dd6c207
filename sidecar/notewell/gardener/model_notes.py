"""Which notes a language model should look at next. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from notewell.gardener.garden import Garden, NoteFacts
from notewell.gardener.state import Checked

AGAIN = timedelta(days=1)  # the earliest that a changed note is looked at again
SKIPPED = timedelta(days=7)  # the same for a note of which the model said nothing usable
MOST_REMEMBERED = 20_000  # notes


def due(
    garden: Garden, topics: str, checked: Mapping[str, Checked], now: datetime
) -> tuple[NoteFacts, ...]:
    """The notes to look at, those that were written last first.

    Those that were never looked at, and those that changed since and were looked at more than a
    day ago. Notes that were skipped come after seven days, whether they changed or not. Daily notes
    are left out, and so are those of the folder `topics`: topics, index notes and instructions.
    """
    own = f"{topics.strip('/')}/".casefold()
    found = [
        note
        for note in garden.tended_notes()
        if not note.path.casefold().startswith(own)
        and not garden.is_daily(note)
        and _is_due(note, checked.get(note.path), now)
    ]
    return tuple(sorted(found, key=lambda note: (-note.touched, note.path)))


def _is_due(note: NoteFacts, before: Checked | None, now: datetime) -> bool:
    if before is None:
        return True
    waited = now - datetime.fromisoformat(before.at)
    if before.skipped:
        return waited >= SKIPPED
    return before.hash != note.content_hash.hex() and waited >= AGAIN


def remembered(
    before: Mapping[str, Checked],
    notes: Iterable[NoteFacts],
    skipped: Iterable[str],
    now: datetime,
) -> Mapping[str, Checked]:
    """What is known of notes after a check of some; the longest known ones are forgotten."""
    left = set(skipped)
    at = now.isoformat(timespec="seconds")
    fresh = {
        note.path: Checked(note.content_hash.hex(), at, skipped=note.path in left) for note in notes
    }
    after = {**{path: one for path, one in before.items() if path not in fresh}, **fresh}
    return dict(list(after.items())[-MOST_REMEMBERED:])
