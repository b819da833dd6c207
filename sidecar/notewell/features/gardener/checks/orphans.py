"""Notes that no link leads to or from, and the notes that could link to them."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.features.gardener.garden import (
    Garden,
    Neighbour,
    NoteFacts,
    centre_vectors,
    neighbours,
)
from notewell.features.gardener.mentions import property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

NAME: GardenCheck = "orphans"
UNTOUCHED_S = 7 * 24 * 3600.0  # a note being written has no links yet
MOST = 3  # notes to link from
MIN_COSINE = 0.5  # centred
PROPERTY = "related"


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest up to three notes to link each orphan from."""
    orphans = [note.path for note in garden.tended_notes() if _is_orphan(garden, note)]
    if not orphans or len(garden.known) < 2:
        return
    for path, around in neighbours(garden, orphans, centre_vectors(garden), most=4 * MOST):
        orphan = garden.notes[path]
        fit = [
            neighbour
            for neighbour in around
            if neighbour.path in garden.tended and neighbour.cosine >= MIN_COSINE
        ]
        for neighbour in fit[:MOST]:
            yield _suggest(garden, orphan, neighbour)


def _is_orphan(garden: Garden, note: NoteFacts) -> bool:
    if note.touched > garden.now - UNTOUCHED_S or garden.is_daily(note):
        return False
    out = any(target not in {None, note.path} for _, target in note.links)
    return not out and not garden.linked_from.get(note.path)


def _suggest(garden: Garden, orphan: NoteFacts, near: Neighbour) -> SuggestionView:
    source = garden.notes[near.path]
    sentence = garden.sentence(source.path, orphan.path)
    why = f"; it says “{sentence}”" if sentence else ""
    link = property_link(garden, orphan.path)
    name = next(
        (property_ for property_ in source.properties if property_.lower() == PROPERTY), PROPERTY
    )
    return suggestion(
        NAME,
        orphan.path,
        f"link {orphan.name} from {source.name}",
        f"No link leads to or from {orphan.path}. {source.path} is similar{why}.",
        round(min(near.cosine, 1.0), 2),
        edits=(SuggestedEdit(source.path, source.hash, add={name: (link,)}),),
        subject=source.path,
    )
