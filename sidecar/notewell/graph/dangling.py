"""Links that lead to no note: their targets, how often each is linked, and from which notes."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable
from dataclasses import dataclass

from notewell.types import Link
from notewell.vault.readers import link_name

# The files beside notes that Obsidian accepts ("accepted file formats"). The index has only notes,
# so it does not know whether such a file exists.
ATTACHMENTS = (
    *(".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
    *(".flac", ".m4a", ".mp3", ".ogg", ".wav", ".3gp"),
    *(".mkv", ".mov", ".mp4", ".ogv", ".webm"),
    *(".pdf", ".canvas", ".base"),
)


@dataclass(frozen=True, slots=True)
class DanglingLinks:
    """The links to one target, in its most frequent spelling; `sources` are note ids, ascending."""

    target: str
    links: int
    sources: tuple[int, ...]


def dangling_links(
    unresolved: Iterable[tuple[int, Link]], *, within: Container[int]
) -> tuple[tuple[DanglingLinks, ...], int]:
    """The targets, those linked from most notes first, and the number of links to attachments.

    Links to attachments are not among the targets. Only links out of the notes in `within` count.
    """
    attachments = 0
    found: dict[str, tuple[dict[str, int], set[int]]] = {}
    for source, link in unresolved:
        if source not in within:
            continue
        if link.target.lower().endswith(ATTACHMENTS):
            attachments += 1
            continue
        spellings, sources = found.setdefault(_folded(link.target), ({}, set()))
        spellings[link.target] = spellings.get(link.target, 0) + 1
        sources.add(source)
    targets = [
        DanglingLinks(
            max(spellings, key=lambda one: (spellings[one], one)),
            sum(spellings.values()),
            tuple(sorted(sources)),
        )
        for spellings, sources in found.values()
    ]
    targets.sort(key=lambda one: (-len(one.sources), -one.links, one.target))
    return tuple(targets), attachments


def _folded(target: str) -> str:
    """The key that all spellings of a target share."""
    return link_name(unicodedata.normalize("NFC", target).casefold()).strip()
