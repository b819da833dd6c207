"""Names of notes that a note says without linking them.

How likely a mention deserves a link is told from how often the vault links that name where it
stands ("keyphraseness" of Mihalcea and Csomai 2007, "Wikify!"), from whether its letters have the
case of the name, from how many words it has, and from how many notes say it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from notewell.base.types import Link
from notewell.base.types.frozen import frozen
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.mentions import (
    Mention,
    NameFinder,
    folded,
    is_markup,
    link_to,
    prose_of,
)
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView, TextEdit

NAME: GardenCheck = "unlinked_mentions"
MIN_CONFIDENCE = 0.7
# Of a logistic function, fitted on half of the vaults (docs/gardener.md).
_BIAS, _LINKED, _EXACT, _WORDS, _SAID = 1.0, 0.75, 0.78, 0.3, -0.36
_MOST_WORDS = 4


@frozen
class NameUse:
    """The use of a name: the note it means, and how many notes link it or only say it."""

    target: str
    linked: int
    said: int


@frozen
class UnlinkedMention:
    """A mention in a note that does not link the target."""

    note: str
    mention: Mention
    use: NameUse

    def confidence(self) -> float:
        """The probability that the mention deserves a link, 0..1."""
        use, words = self.use, len(self.mention.name.split())
        odds = math.log((use.linked + 0.5) / (use.said + 1.0))
        score = (
            _BIAS
            + _LINKED * odds
            + _EXACT * self.mention.exact
            + _WORDS * min(words, _MOST_WORDS)
            + _SAID * math.log1p(use.said)
        )
        return 1.0 / (1.0 + math.exp(-score))


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest a link for the first mention of each note in each note."""
    for found in mentions(garden):
        confidence = found.confidence()
        if confidence >= MIN_CONFIDENCE:
            note = garden.notes[found.note]
            body = garden.read(note.path)
            if body is not None:
                yield from _suggested(garden, note, body, found, confidence)


def mentions(garden: Garden) -> Iterator[UnlinkedMention]:
    """Yield the first mention of each note in each tended note that does not link it."""
    targets = _targets(garden)
    finder = NameFinder(name for names in targets.values() for name in names.written)
    linked: Counter[str] = Counter()
    firsts: list[tuple[str, Mention]] = []
    said: Counter[str] = Counter()
    for note in garden.notes.values():
        body = garden.read(note.path)
        if body is None:
            continue
        first: dict[str, Mention] = {}
        text = prose_of(note, body)
        for mention in finder.find(text):
            if mention.name not in first and not is_markup(text, mention.start, mention.end):
                first[mention.name] = mention
        said.update(first.keys())
        linked.update(_linked(note, body))
        if note.path in garden.tended:
            firsts += _worth(note, first.values(), targets)
    for path, mention in firsts:
        use = NameUse(targets[mention.name].target, linked[mention.name], said[mention.name])
        yield UnlinkedMention(path, mention, use)


@frozen
class _Target:
    target: str
    written: tuple[str, ...]


def _targets(garden: Garden) -> Mapping[str, _Target]:
    """The names that mean one note only, folded."""
    paths: dict[str, set[str]] = defaultdict(set)
    written: dict[str, set[str]] = defaultdict(set)
    for note in garden.notes.values():
        for name in {note.name, note.title, *note.aliases}:
            paths[folded(name)].add(note.path)
            written[folded(name)].add(name.strip())
    return {
        name: _Target(next(iter(found)), tuple(sorted(written[name])))
        for name, found in paths.items()
        if len(found) == 1 and garden.tended.issuperset(found)
    }


def _linked(note: NoteFacts, body: NoteBody) -> set[str]:
    """The names that the text of a note shows as links, folded; properties are no text."""
    return {
        folded(_shown(link))
        for link, target in note.links
        if target is not None and link.start >= body.start
    }


def _shown(link: Link) -> str:
    return link.display or link.target.rpartition("/")[2]


def _worth(
    note: NoteFacts, found: Iterable[Mention], targets: Mapping[str, _Target]
) -> Iterator[tuple[str, Mention]]:
    """The mentions of notes that a note neither is nor links, the first of each note."""
    known = {target for _, target in note.links} | {note.path}
    for mention in sorted(found, key=lambda one: one.start):
        target = targets[mention.name].target
        if target not in known:
            known.add(target)
            yield note.path, mention


def _suggested(
    garden: Garden, note: NoteFacts, body: NoteBody, found: UnlinkedMention, confidence: float
) -> Iterator[SuggestionView]:
    start, end, use = found.mention.start, found.mention.end, found.use
    old, line = body.text[start:end], body.line_at(start)
    new = link_to(garden, note.path, use.target, old, in_table=_in_table(body.text, start))
    if new is None:
        return
    others = f"{use.linked} notes link this name, {use.said} say it without a link"
    yield suggestion(
        NAME,
        note.path,
        f"{old} → {garden.notes[use.target].name}",
        f"Line {line} says “{_around(body.text, start, end)}”; {others}.",
        round(confidence, 2),
        edits=(
            SuggestedEdit(
                note.path,
                note.hash,
                (TextEdit(line, start - body.start, old, new),),
            ),
        ),
        subject=use.target,
    )


def _in_table(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return text[start:at].lstrip(" >").startswith("|")


def _around(text: str, start: int, end: int) -> str:
    """The words around a mention, on its line."""
    first = max(text.rfind("\n", 0, start) + 1, start - 60)
    stop = text.find("\n", end)
    last = min(len(text) if stop < 0 else stop, end + 60)
    return " ".join(text[first:last].split())
