"""Queries that are the words of a tag."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .notes import Notes
from .query import DevQuery
from .words import content

KIND = "tag"
_MOST_NOTES = 10
_INLINE = re.compile(r"(?<![\w/#&])#([^\W\d_][\w/-]*)")
_CODE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|https?://\S+")


def tags(notes: Notes) -> Iterator[DevQuery]:
    """Each tag that up to ten notes have, as words and as it is written."""
    holders: dict[str, set[str]] = {}
    for note in notes:
        if "Template" in note.path:
            continue
        inline = _INLINE.findall(_CODE.sub(" ", note.body))
        for tag in (*note.properties.get("tags", ()), *inline):
            holders.setdefault(tag.lower().strip("#/"), set()).add(note.path)
    for tag, paths in holders.items():
        if len(paths) > _MOST_NOTES or not content(tag, notes.lang):
            continue
        relevant = dict.fromkeys(sorted(paths), 1)
        words = " ".join(re.split(r"[/_-]+", tag))
        yield DevQuery(notes.name, KIND, "words", notes.lang, words, relevant)
