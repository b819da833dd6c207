"""Links that lead to no note: what they are meant for, how often, and from where."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable
from dataclasses import dataclass

from notewell.types import Link

# Obsidian's own "accepted file formats" that are no notes. The index has notes alone, so whether
# such a file is there is not known here.
_ATTACHMENTS = (
    *(".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
    *(".flac", ".m4a", ".mp3", ".ogg", ".wav", ".3gp"),
    *(".mkv", ".mov", ".mp4", ".ogv", ".webm"),
    *(".pdf", ".canvas", ".base"),
)


@dataclass(frozen=True, slots=True)
class Dangling:
    """A target that no note answers to, as it is written most; `sources` are ids, ascending."""

    target: str
    links: int
    sources: tuple[int, ...]


def dangling(
    unresolved: Iterable[tuple[int, Link]], *, within: Container[int]
) -> tuple[tuple[Dangling, ...], int]:
    """The targets, those that most notes name first, and how many links name attachments.

    Links to attachments are not among the targets. Only links out of the notes in `within` count.
    """
    attachments = 0
    found: dict[str, tuple[dict[str, int], set[int]]] = {}
    for source, link in unresolved:
        if source not in within:
            continue
        if _is_attachment(link.target):
            attachments += 1
            continue
        spellings, sources = found.setdefault(_folded(link.target), ({}, set()))
        spellings[link.target] = spellings.get(link.target, 0) + 1
        sources.add(source)
    targets = [
        Dangling(
            max(spellings, key=lambda one: (spellings[one], one)),
            sum(spellings.values()),
            tuple(sorted(sources)),
        )
        for spellings, sources in found.values()
    ]
    targets.sort(key=lambda one: (-len(one.sources), -one.links, one.target))
    return tuple(targets), attachments


def _is_attachment(target: str) -> bool:
    return target.lower().endswith(_ATTACHMENTS)


def _folded(target: str) -> str:
    return unicodedata.normalize("NFC", target).casefold().removesuffix(".md").strip()
