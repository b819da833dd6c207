"""Properties that nearly all notes of a folder have, with the same value, and one of them lacks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from notewell.api.types import PropertyValue, frozen
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.mentions import letters_of
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

NAME: GardenCheck = "missing_properties"
MIN_SHARE = 0.9  # of the folder's other notes
_MIN_SAME = 0.9  # of those that have the property, for a value to be suggested
_MIN_NOTES = 6  # of a folder
_MARKS = re.compile(r"^\W+")
_TEMPLATES = re.compile(r"(?<!\w)templates?$", re.IGNORECASE)
_OWN = frozenset({"gardener", "gardener-ignore", "duplicate_of", "related", "title", "aliases"})


@frozen
class Usual:
    """A property that a folder's notes have: its share of them, and the value that is usual."""

    name: str
    share: float
    count: int
    value: PropertyValue


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest the properties that notes lack."""
    folders: dict[str, list[NoteFacts]] = defaultdict(list)
    for note in garden.tended_notes():
        if not _is_of_folder(note) and _TEMPLATES.search(note.folder) is None:
            folders[note.folder].append(note)
    for notes in folders.values():
        if len(notes) < _MIN_NOTES:
            continue
        expected = usual_properties(notes)
        for note in notes:
            own = {name.lower() for name in note.properties}
            for property_ in expected:
                if property_.name.lower() not in own:
                    yield _suggest(note, property_, len(notes) - 1)


def _is_of_folder(note: NoteFacts) -> bool:
    """True for the note that is about its folder: "🗂️ Books" in the folder Books."""
    name = _MARKS.sub("", note.name)
    return letters_of(name) == letters_of(note.folder.rpartition("/")[2])


def usual_properties(notes: list[NoteFacts]) -> tuple[Usual, ...]:
    """The properties that nearly all of some notes have; one that lacks it is not counted."""
    having: dict[str, list[PropertyValue]] = defaultdict(list)
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for note in notes:
        for name, value in note.properties.items():
            having[name.lower()].append(value)
            spelled[name.lower()][name] += 1
    usual = []
    for name, values in having.items():
        share = len(values) / (len(notes) - 1)
        if name in _OWN or not share >= MIN_SHARE or len(values) == len(notes):
            continue
        value = _usual_value(values)
        if value is not None:
            usual_name = spelled[name].most_common(1)[0][0]
            usual.append(Usual(usual_name, min(share, 1.0), len(values), value))
    return tuple(sorted(usual, key=lambda one: one.name))


def _usual_value(values: list[PropertyValue]) -> PropertyValue:
    """The value that nearly all are; None if there is none."""
    best = max(values, key=lambda value: sum(value == other for other in values[:200]))
    same = sum(value == best and type(value) is type(best) for value in values)
    empty = best in ("", ()) or (isinstance(best, tuple) and None in best)
    return best if same >= _MIN_SAME * len(values) and not empty else None


def _suggest(note: NoteFacts, usual: Usual, others: int) -> SuggestionView:
    return suggestion(
        NAME,
        note.path,
        f"{usual.name}: {usual.value}",
        f"{usual.count} of the other {others} notes of its folder have the property {usual.name},"
        " with this value.",
        round(usual.share, 2),
        edits=(SuggestedEdit(note.path, note.hash, set={usual.name: usual.value}),),
        subject=f"{usual.name}\n{usual.value}",
    )
