"""Properties that nearly all notes of a folder have and one of them lacks.

Where they have the same value, that is suggested, else the property without a value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

NAME: GardenCheck = "missing_properties"
MIN_SHARE = 0.9  # of the folder's other notes
_MIN_SAME = 0.9  # of those that have the property, for a value to be suggested
_MIN_NOTES = 6  # of a folder
_OWN = frozenset({"gardener", "gardener-ignore", "duplicate_of", "related", "title", "aliases"})


@frozen
class Usual:
    """A property that a folder's notes have: its share of them, and the value that is usual."""

    name: str
    share: float
    count: int
    value: PropertyValue
    same: bool


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest the properties that notes lack."""
    folders: dict[str, list[NoteFacts]] = defaultdict(list)
    for note in garden.tended_notes():
        if note.name.casefold() != note.folder.rpartition("/")[2].casefold():  # the folder's own
            folders[note.folder].append(note)
    for notes in folders.values():
        if len(notes) < _MIN_NOTES:
            continue
        expected = usual_properties(notes)
        for note in notes:
            own = {name.lower() for name in note.properties}
            for one in expected:
                if one.name.lower() not in own:
                    yield _suggested(note, one, len(notes) - 1)


def usual_properties(notes: list[NoteFacts]) -> tuple[Usual, ...]:
    """The properties that nearly all of some notes have; one that lacks it is not counted."""
    having: dict[str, list[PropertyValue]] = defaultdict(list)
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for note in notes:
        for name, value in note.properties.items():
            having[name.lower()].append(value)
            spelled[name.lower()][name] += 1
    found = []
    for name, values in having.items():
        share = len(values) / (len(notes) - 1)
        if name in _OWN or not share >= MIN_SHARE or len(values) == len(notes):
            continue
        value, same = _usual_value(values)
        usual_name = spelled[name].most_common(1)[0][0]
        found.append(Usual(usual_name, min(share, 1.0), len(values), value, same))
    return tuple(sorted(found, key=lambda one: one.name))


def _usual_value(values: list[PropertyValue]) -> tuple[PropertyValue, bool]:
    """The value that nearly all are, or an empty one of their kind."""
    best = max(values, key=lambda one: sum(one == other for other in values[:200]))
    same = sum(one == best and type(one) is type(best) for one in values)
    if same >= _MIN_SAME * len(values) and best not in (None, "", ()):
        return best, True
    lists = sum(isinstance(one, tuple) for one in values) * 2 > len(values)
    return (() if lists else ""), False


def _suggested(note: NoteFacts, usual: Usual, others: int) -> SuggestionView:
    value = f"{usual.value}" if usual.same else "no value yet"
    return suggestion(
        NAME,
        note.path,
        f"{usual.name}: {value}",
        f"{usual.count} of the other {others} notes of its folder have the property {usual.name}"
        + (", with this value." if usual.same else "."),
        round(usual.share, 2),
        edits=(SuggestedEdit(note.path, note.hash, set={usual.name: usual.value}),),
        subject=f"{usual.name}\n{usual.value}",
    )
