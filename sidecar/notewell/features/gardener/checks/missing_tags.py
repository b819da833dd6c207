"""Tags that the notes similar to a note have and it lacks. Only tags that are in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from notewell.features.gardener.garden import (
    NEIGHBOURS,
    Garden,
    NoteFacts,
    Vote,
    centre_vectors,
    neighbours,
    votes,
)
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

NAME: GardenCheck = "missing_tags"
MIN_SHARE = 0.8  # of the votes
_MIN_USES = 5  # notes that have a tag before it is suggested
_MIN_VOTERS = 4
_PROPERTIES = ("tags", "tag")


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest tags for each note."""
    tags = tags_in_use(garden)
    if not tags or len(garden.known) <= NEIGHBOURS:
        return
    paths = [note.path for note in garden.tended_notes() if not garden.is_daily(note)]
    for path, around in neighbours(garden, paths, centre_vectors(garden)):
        note = garden.notes[path]
        for vote in votes(around, tags):
            if vote.share < MIN_SHARE:
                break
            if len(vote.notes) >= _MIN_VOTERS and not _has(note, vote.what):
                yield _suggest(note, vote)


def tags_in_use(garden: Garden) -> Mapping[str, frozenset[str]]:
    """The tags of each note that several notes have, in their most frequent spelling."""
    spellings: dict[str, Counter[str]] = {}
    for note in garden.notes.values():
        for tag in note.tags:
            spellings.setdefault(tag.casefold(), Counter())[tag] += 1
    usual = {
        key: min(variants, key=lambda one: (-variants[one], one))
        for key, variants in spellings.items()
        if variants.total() >= _MIN_USES
    }
    return {
        note.path: frozenset(usual[tag.casefold()] for tag in note.tags if tag.casefold() in usual)
        for note in garden.notes.values()
        if note.tags
    }


def _has(note: NoteFacts, tag: str) -> bool:
    wanted = tag.casefold()
    return any(
        own == wanted or own.startswith(f"{wanted}/") for own in map(str.casefold, note.tags)
    )


def _suggest(note: NoteFacts, vote: Vote) -> SuggestionView:
    names = ", ".join(vote.notes[:3])
    name = next(
        (property_ for property_ in note.properties if property_.lower() in _PROPERTIES), "tags"
    )
    return suggestion(
        NAME,
        note.path,
        f"#{vote.what}",
        f"{len(vote.notes)} of the {NEIGHBOURS} notes most similar to it have #{vote.what},"
        f" among them {names}.",
        round(min(vote.share, 1.0), 2),
        edits=(SuggestedEdit(note.path, note.hash, add={name: (vote.what,)}),),
        subject=vote.what.casefold(),
    )
