"""Links that lead to no note although the note that was meant is probably there.

A target is looked for by its name alone (the note was moved), by a name that differs in case,
accents, separators or a plural s, and by edit distance (Damerau 1964: a letter too many, missing,
replaced, or two exchanged). Where several notes fit equally well, nothing is suggested.

Where no note fits and several notes link the same name, a note of that name is suggested, in the
folder in which Obsidian would make it.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from notewell.api.notes import day_in_name, link_name
from notewell.api.types import frozen
from notewell.api.vault import Link
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.mentions import (
    fold_name,
    letters_of,
    link_target,
    slipped_names,
    slips,
)
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView, TextEdit
from notewell.vault.link_targets import ATTACHMENTS

NAME: GardenCheck = "broken_links"
MIN_CONFIDENCE = 0.7
_MAKE_CONFIDENCE = 0.7  # that a note is missing
_FEWEST = 2  # notes that link a name of which a note is made
# What Obsidian refuses in names of files, and names of other files and of months.
_NO_NOTE = re.compile(r'[\\:*?"<>|#^\[\]]|%%|\.\w{1,12}$|^[\d\s.-]+$')
_SHORTEST = 6  # letters of a name with a mistake; below, another word is as likely


@frozen
class _Meant:
    """The note that a broken link probably means, how sure that is, and why."""

    path: str
    confidence: float
    why: str


class _Names:
    """The names and aliases of all notes, by their letters."""

    def __init__(self, garden: Garden) -> None:
        self.by_letters: Mapping[str, set[str]] = defaultdict(set)
        for note in garden.notes.values():
            for name in (note.name, *note.aliases):
                self.by_letters[letters_of(name)].add(note.path)
        self._slipped: Mapping[str, set[str]] | None = None

    def meant(self, target: str) -> _Meant | None:
        name = letters_of(posixpath.basename(link_name(target)))
        if not name:
            return None
        if same := self.by_letters.get(name):
            moved = "/" in target
            why = "a note of this name is elsewhere" if moved else "a name with the same letters"
            return _only(same, 0.97 if moved else 0.95, why)
        if len(name) < _SHORTEST:
            return None
        if self._slipped is None:
            self._slipped = slipped_names(self.by_letters)
        close = {
            path
            for key in slips(name)
            for known in self._slipped.get(key, ())
            if len(known) >= _SHORTEST and _digits(known) == _digits(name)
            for path in self.by_letters[known]
        }
        return _only(close, 0.75 + 0.01 * min(len(name), 20), "a name that differs in one letter")


def _digits(name: str) -> str:
    return "".join(filter(str.isdecimal, name))


def _only(paths: set[str], confidence: float, why: str) -> _Meant | None:
    return _Meant(next(iter(paths)), confidence, why) if len(paths) == 1 else None


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest the target that each broken link means."""
    names: _Names | None = None
    missing: dict[str, list[tuple[NoteFacts, Link]]] = defaultdict(list)
    for note in garden.tended_notes():
        broken = [link for link, target in note.links if target is None and _is_note(link)]
        if not broken:
            continue
        body = garden.read(note.path)
        if body is None:
            continue
        names = names or _Names(garden)
        for link in broken:
            meant = names.meant(link.target)
            if meant is not None and meant.path != note.path:
                yield from _suggest(garden, note, body, link, meant)
            elif meant is None and link.kind == "wikilink" and not link.embed:
                missing[fold_name(link.target)].append((note, link))
    yield from _missing_notes(garden, missing.values())


def _missing_notes(
    garden: Garden, missing: Iterable[list[tuple[NoteFacts, Link]]]
) -> Iterator[SuggestionView]:
    """Suggest a note for each name that several notes link and none has."""
    for links in missing:
        note, link = links[0]
        paths = tuple(dict.fromkeys(note.path for note, _ in links))
        name = link.target.strip().strip("/")
        if len(paths) < _FEWEST or not name or _NO_NOTE.search(name) or day_in_name(name):
            continue
        folder = note.folder if garden.new_notes is None else garden.new_notes
        path = f"{name}.md" if "/" in name or not folder else f"{folder}/{name}.md"
        if ".." in path.split("/") or garden.names.files_named(name):
            continue
        shown = ", ".join(paths[:3]) + (" and others" if len(paths) > 3 else "")
        yield suggestion(
            NAME,
            note.path,
            f"[[{name}]] → a new note",
            f"{len(paths)} notes link to {name}, which is no note, and none has a name like it:"
            f" {shown}. Reject this to leave the links as they are.",
            _MAKE_CONFIDENCE,
            edits=(SuggestedEdit(path, "", create="\n"),),
            subject=f"\n{path}",
        )


def _is_note(link: Link) -> bool:
    return bool(link.target) and not link.target.lower().endswith(ATTACHMENTS)


def _suggest(
    garden: Garden, note: NoteFacts, body: NoteBody, link: Link, meant: _Meant
) -> Iterator[SuggestionView]:
    written = body.text[link.start : link.end]
    at = link.target_in(written)
    if meant.confidence < MIN_CONFIDENCE or link.start < body.start or at is None:
        return
    start, old = at
    new = _retarget(garden, link, meant.path)
    if new is None or new == old:
        return
    line = body.line_at(link.start)
    replacement = TextEdit(line, link.start + start - body.start, old, new)
    yield suggestion(
        NAME,
        note.path,
        f"[[{link.target}]] → {garden.notes[meant.path].name}",
        f"Line {line} links to {link.target}, which is no note; {meant.why}: {meant.path}.",
        round(meant.confidence, 2),
        edits=(SuggestedEdit(note.path, note.hash, (replacement,)),),
        subject=f"{old}\n{meant.path}",
    )


def _retarget(garden: Garden, link: Link, path: str) -> str | None:
    if link.kind == "markdown":
        return quote(path, safe="/")
    target = link_target(garden, path)
    return None if set("[]|#^") & set(target) else target
