"""Notes that say nearly the same.

Texts are compared by their shingles, runs of three words: the share of all shingles of two notes
that both have (Broder 1997, "On the resemblance and containment of documents"). Shingles that many
notes have are a template's and do not count. The text of two notes is never merged by machine: the
suggestion marks the one that fewer notes link to.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.mentions import WORD, property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

if TYPE_CHECKING:
    import numpy.typing as npt

NAME: GardenCheck = "near_duplicates"
MIN_RESEMBLANCE = 0.45
PROPERTY = "duplicate_of"
_WORDS = 3  # of a shingle
_FEWEST = 20  # shingles of a note that is compared, without those of templates
_TEMPLATE = 5  # a shingle that more notes have is a template's
_SKETCH = 96  # the smallest hashes of a note, by which pairs are found
_SKETCH_SHARE = 0.2  # of a sketch that a pair worth comparing has in common


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to mark one note of each pair that is nearly the same."""
    shingles = {}
    for note in garden.tended_notes():
        body = None if PROPERTY in note.properties else garden.read(note.path)
        if body is not None:
            shingles[note.path] = shingles_of(body)
    for first, other, resemblance in pairs(_own(shingles)):
        kept, marked = _rank(garden, first, other)
        yield _suggest(garden, kept, marked, resemblance)


def shingles_of(body: NoteBody) -> npt.NDArray[np.uint32]:
    """The hashes of a note's shingles, ascending, each once."""
    words = [word[0].casefold() for word in WORD.finditer(body.text, body.start)]
    runs = (" ".join(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1))
    hashes = np.fromiter((zlib.crc32(run.encode("utf-8", "replace")) for run in runs), np.uint32)
    return np.unique(hashes)


def _own(shingles: Mapping[str, npt.NDArray[np.uint32]]) -> dict[str, npt.NDArray[np.uint32]]:
    """The shingles of notes without those of templates; notes that have few are left out."""
    if not shingles:
        return {}
    hashes, counts = np.unique(np.concatenate(list(shingles.values())), return_counts=True)
    common = hashes[counts > _TEMPLATE]
    own = {path: np.setdiff1d(some, common, assume_unique=True) for path, some in shingles.items()}
    return {path: some for path, some in own.items() if len(some) >= _FEWEST}


def pairs(shingles: Mapping[str, npt.NDArray[np.uint32]]) -> Iterator[tuple[str, str, float]]:
    """Yield the pairs that resemble each other, and how much, best first; each note once."""
    alike = sorted(
        (-_resemblance(shingles[first], shingles[other]), first, other)
        for first, other in _candidates(shingles)
    )
    used: set[str] = set()
    for resemblance, first, other in alike:
        if -resemblance >= MIN_RESEMBLANCE and not {first, other} & used:
            used.update((first, other))
            yield first, other, -resemblance


def _candidates(shingles: Mapping[str, npt.NDArray[np.uint32]]) -> Iterator[tuple[str, str]]:
    having: dict[int, list[str]] = defaultdict(list)
    shared: Counter[tuple[str, str]] = Counter()
    for path, hashes in sorted(shingles.items()):
        for shingle_hash in hashes[:_SKETCH].tolist():
            shared.update((other, path) for other in having[shingle_hash])
            having[shingle_hash].append(path)
    for (first, other), count in shared.items():
        if count >= _SKETCH_SHARE * min(_SKETCH, len(shingles[first]), len(shingles[other])):
            yield first, other


def _resemblance(one: npt.NDArray[np.uint32], other: npt.NDArray[np.uint32]) -> float:
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def _rank(garden: Garden, one: str, other: str) -> tuple[NoteFacts, NoteFacts]:
    """The note to keep and the one to mark: linked from more notes, older, first by path.

    Of "Bees" and "Bees copy", or "2.4.2" and "2.4.2-rc-1", the shorter name is kept.
    """

    def rank(path: str) -> tuple[int, float, str]:
        return (-len(garden.linked_from.get(path, ())), garden.notes[path].touched, path)

    kept, marked = sorted((one, other), key=rank)
    short, long = sorted((garden.notes[one].name, garden.notes[other].name), key=len)
    if short != long and long.startswith(short) and not long[len(short)].isalnum():
        kept, marked = sorted((one, other), key=lambda path: garden.notes[path].name != short)
    return garden.notes[kept], garden.notes[marked]


def _suggest(
    garden: Garden, kept: NoteFacts, marked: NoteFacts, resemblance: float
) -> SuggestionView:
    link = property_link(garden, kept.path)
    return suggestion(
        NAME,
        marked.path,
        f"{marked.name} says what {kept.name} says",
        f"{resemblance:.0%} of the runs of three words in {marked.path} and {kept.path} are in"
        " both.",
        round(resemblance, 2),
        edits=(SuggestedEdit(marked.path, marked.hash, set={PROPERTY: link}),),
        subject=f"{kept.path}\n{kept.hash}\n{marked.hash}",
    )
