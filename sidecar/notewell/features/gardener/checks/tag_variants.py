"""Tags that are one tag in several spellings: case, plural, separators, nesting.

The spelling that most notes have is kept; the others become it in properties and in the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from notewell.api.types import frozen
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.mentions import code_hidden, letters_of
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView, TextEdit
from notewell.vault.properties import TAG_CHARS

NAME: GardenCheck = "tag_variants"
MOST_NOTES = 100  # that one suggestion edits
_CASE, _SEPARATORS, _PLURAL, _NESTING = 0.95, 0.9, 0.8, 0.7
_JOINTS = re.compile(r"[-_]")
_PROPERTIES = frozenset({"tags", "tag"})
_IN_LIST = re.compile(r"[^,\s]+")


@frozen
class Variant:
    """A spelling of a tag, the one that is usual, how sure it is the same tag, and why."""

    tag: str
    usual: str
    confidence: float
    why: str


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest one spelling for each tag that has several."""
    uses: dict[str, list[str]] = defaultdict(list)
    for note in garden.notes.values():
        for tag in note.tags:
            uses[tag].append(note.path)
    for variant in variants({tag: len(paths) for tag, paths in uses.items()}):
        notes = [garden.notes[path] for path in uses[variant.tag] if path in garden.tended]
        if 0 < len(notes) == len(uses[variant.tag]) <= MOST_NOTES:
            yield from _suggest(garden, variant, notes, len(uses[variant.usual]))


def variants(counts: Mapping[str, int]) -> Iterator[Variant]:
    """Yield the spellings that another is more usual than; `counts` are notes by tag."""
    groups: dict[str, list[str]] = defaultdict(list)
    for tag in counts:
        groups[letters_of(tag)].append(tag)
    for letters, tags in sorted(groups.items()):
        if letters and len(tags) > 1:
            # Of spellings that are equally frequent, the plain one: lower case, without joints.
            usual = min(tags, key=lambda tag: (-counts[tag], tag != tag.lower(), len(tag), tag))
            for tag in sorted(tags):
                if tag != usual:
                    yield Variant(tag, usual, *_how(tag, usual))


def _how(tag: str, usual: str) -> tuple[float, str]:
    one, other = tag.casefold(), usual.casefold()
    if one == other:
        return _CASE, "upper and lower case"
    if one.count("/") != other.count("/"):
        return _NESTING, "nesting"
    if _JOINTS.sub("", one) == _JOINTS.sub("", other):
        return _SEPARATORS, "separators"
    return _PLURAL, "the plural or accents"


def _suggest(
    garden: Garden, variant: Variant, notes: list[NoteFacts], usual: int
) -> Iterator[SuggestionView]:
    edits = []
    for note in notes:
        body = garden.read(note.path)
        edit = None if body is None else _edit(note, body, variant)
        if edit is None:
            return  # a tag that is left in one note has two spellings still
        edits.append(edit)
    many = "1 note says" if len(notes) == 1 else f"{len(notes)} notes say"
    yield suggestion(
        NAME,
        notes[0].path,
        f"#{variant.tag} → #{variant.usual}",
        f"{many} #{variant.tag}, {usual} #{variant.usual}; they differ in {variant.why}.",
        variant.confidence,
        edits=tuple(edits),
        subject=f"{variant.tag}\n{variant.usual}",
    )


def _edit(note: NoteFacts, body: NoteBody, variant: Variant) -> SuggestedEdit | None:
    """The edit that respells a tag in one note; None if it is not found there."""
    pattern = re.compile(rf"(?<!\S)#{re.escape(variant.tag)}(?!{TAG_CHARS}|/)")
    replacements = tuple(
        TextEdit(
            line=body.line_at(match.start()),
            start=match.start() - body.start,
            old=match[0],
            new=f"#{variant.usual}",
        )
        for match in pattern.finditer(code_hidden(body), body.start)
    )
    swap = {}
    for name, value in body.properties.items():
        if name.lower() in _PROPERTIES:
            words = _respell(value, variant)
            if words:
                swap[name] = words
    if not replacements and not swap:
        return None
    return SuggestedEdit(note.path, note.hash, replacements, swap=swap)


def _respell(value: object, variant: Variant) -> dict[str, str]:
    """The texts of a property that name the tag, and what they become."""
    texts = value if isinstance(value, tuple) else (value,)
    return {
        text: changed
        for text in texts
        if isinstance(text, str)
        and (changed := _IN_LIST.sub(lambda word: _one(word[0], variant), text)) != text
    }


def _one(word: str, variant: Variant) -> str:
    mark = "#" if word.startswith("#") else ""
    return f"{mark}{variant.usual}" if word.strip("#/") == variant.tag else word
