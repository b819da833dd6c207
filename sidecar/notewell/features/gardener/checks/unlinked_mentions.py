"""Names of notes that a note says without linking them.

How likely a mention deserves a link is told from how often the vault links that name where it
stands ("keyphraseness" of Mihalcea and Csomai 2007, "Wikify!"), from whether its letters have the
case of the name, from how many words it has, and from how many notes say it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from notewell.api.types import frozen
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.mentions import (
    Mention,
    NameFinder,
    fold_name,
    is_in_table,
    is_markup,
    link_to,
    prose_of,
)
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView, TextEdit

NAME: GardenCheck = "unlinked_mentions"
MIN_CONFIDENCE = 0.7
# Of a logistic function, fitted on two vaults (docs/gardener.md), in the order of `signs`.
_WEIGHTS = (0.79, 0.52, 0.32, 0.96, 0.51, -0.42, -0.71)
_MOST_WORDS = 4
# A word beside a mention, with nothing but spaces between, that begins no sentence.
_WORD_BEFORE = re.compile(r"(?<=[\w,;] )([^\W\d_][\w-]*) \Z")
_WORD_AFTER = re.compile(r" ([^\W\d_])")


@frozen
class NameUse:
    """The use of a name: the note it means, and how many notes link it or only say it.

    `alike_linked` and `alike_said` are those that write it in the same case as the mention.
    """

    target: str
    linked: int
    said: int
    alike_linked: int
    alike_said: int


@frozen
class UnlinkedMention:
    """A mention in a note that does not link the target.

    `in_name`: the word before or behind it begins with a capital letter in the middle of a
    sentence.
    """

    note: str
    mention: Mention
    use: NameUse
    in_name: bool

    def signs(self) -> tuple[float, ...]:
        """Signs of how likely a mention deserves a link."""
        use, words = self.use, len(self.mention.name.split())
        return (
            1.0,
            math.log((use.linked + 0.5) / (use.said + 1.0)),
            math.log((use.alike_linked + 0.5) / (use.alike_said + 1.0)),
            self.mention.exact,
            min(words, _MOST_WORDS),
            math.log1p(use.said),
            self.in_name,
        )

    def confidence(self) -> float:
        """The probability that the mention deserves a link, 0..1.

        It is no surer than a few links of this name allow, however well the rest looks.
        """
        score = sum(weight * sign for weight, sign in zip(_WEIGHTS, self.signs(), strict=True))
        return min(1.0 / (1.0 + math.exp(-score)), (self.use.linked + 1.5) / (self.use.linked + 2))


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest a link for the first mention of each note in each note."""
    for mention in mentions(garden):
        confidence = mention.confidence()
        if confidence >= MIN_CONFIDENCE:
            note = garden.notes[mention.note]
            body = garden.read(note.path)
            if body is not None:
                yield from _suggest(garden, note, body, mention, confidence)


def mentions(garden: Garden) -> Iterator[UnlinkedMention]:
    """Yield the first mention of each note in each tended note that does not link it."""
    targets = _targets(garden)
    finder = NameFinder(name for names in targets.values() for name in names.written)
    linked: Counter[str] = Counter()  # of names, folded and as they are written
    said: Counter[str] = Counter()
    firsts: list[_First] = []
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
        said.update({f"\n{text[mention.start : mention.end]}" for mention in first.values()})
        linked.update(_linked_names(note, body))
        if note.path in garden.tended:
            for mention in _worth(note, first.values(), targets):
                written = text[mention.start : mention.end]
                firsts.append(_First(note.path, mention, written, in_name(text, mention)))
    for first_mention in firsts:
        name, alike = first_mention.mention.name, f"\n{first_mention.written}"
        target = targets[name].target
        use = NameUse(target, linked[name], said[name], linked[alike], said[alike])
        yield UnlinkedMention(first_mention.path, first_mention.mention, use, first_mention.in_name)


@frozen
class _First:
    """The first mention in a note of a note that it does not link, and how it is written."""

    path: str
    mention: Mention
    written: str
    in_name: bool


def in_name(text: str, mention: Mention) -> bool:
    """True if a mention is probably a part of another name, as in "JSON Canvas"."""
    before = _WORD_BEFORE.search(text, max(0, mention.start - 40), mention.start)
    after = _WORD_AFTER.match(text, mention.end)
    return bool((before and before[1][0].isupper()) or (after and after[1][0].isupper()))


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
            paths[fold_name(name)].add(note.path)
            written[fold_name(name)].add(name.strip())
    return {
        name: _Target(next(iter(names)), tuple(sorted(written[name])))
        for name, names in paths.items()
        if len(names) == 1 and garden.tended.issuperset(names)
    }


def _linked_names(note: NoteFacts, body: NoteBody) -> set[str]:
    """The names that the text of a note shows as links; properties are no text.

    Each is there folded, and as it is written behind a line's end, which no name has.
    """
    shown = {
        link.display or link.target.rpartition("/")[2]
        for link, target in note.links
        if target is not None and link.start >= body.start
    }
    return {*map(fold_name, shown), *(f"\n{name}" for name in shown)}


def _worth(
    note: NoteFacts, of_note: Iterable[Mention], targets: Mapping[str, _Target]
) -> Iterator[Mention]:
    """The mentions of notes that a note neither is nor links, the first of each note."""
    known = {target for _, target in note.links} | {note.path}
    for mention in sorted(of_note, key=lambda mention: mention.start):
        target = targets[mention.name].target
        if target not in known:
            known.add(target)
            yield mention


def _suggest(
    garden: Garden, note: NoteFacts, body: NoteBody, mention: UnlinkedMention, confidence: float
) -> Iterator[SuggestionView]:
    start, end, use = mention.mention.start, mention.mention.end, mention.use
    old, line = body.text[start:end], body.line_at(start)
    new = link_to(garden, use.target, old, in_table=is_in_table(body.text, start))
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


def _around(text: str, start: int, end: int) -> str:
    """The words around a mention, on its line."""
    first = max(text.rfind("\n", 0, start) + 1, start - 60)
    stop = text.find("\n", end)
    last = min(len(text) if stop < 0 else stop, end + 60)
    return " ".join(text[first:last].split())
