"""Tells how much of a query the fields that describe a note say: tags, headings, properties.

A word there tells what a note is about, more surely than one somewhere in its text. What the note's
names say is not counted again: they have an addend of their own (name_matches.py).
"""

from __future__ import annotations

import numpy as np

from notewell.base.types import FloatArray
from notewell.index.note_fields import FIELD_BITS
from notewell.index.note_postings import NoteMatches
from notewell.index.port import IndexReader
from notewell.search.terms import Terms

_NAMES = np.uint16(sum(FIELD_BITS[name] for name in ("title", "file_name", "aliases")))
_DESCRIBING = np.uint16(
    sum(
        FIELD_BITS[name]
        for name in ("headings", "tags", "properties", "description", "author", "topics")
    )
)
# A single word is in too many headings and properties to tell notes apart by that; of a long query
# they never say much.
_LEAST_WORDS, _MOST_WORDS = 2, 8


def described(index: IndexReader, terms: Terms, matches: NoteMatches) -> FloatArray:
    """How much more of the query the notes say with their describing fields than by names alone.

    An array (n,) between 0 and 1, aligned with `matches`: the squared share of the query, by idf,
    in names and describing fields together, less the squared share in the names.
    """
    more = np.zeros(len(matches.note_ids), np.float32)
    found = np.flatnonzero(matches.fields & _DESCRIBING)
    total = terms.total_idf(known=False)
    if not _LEAST_WORDS <= len(terms.weights) <= _MOST_WORDS or total <= 0.0 or not len(found):
        return more
    query = terms.query
    masks = index.keywords.fields_of(query, matches.note_ids[found]).masks
    worth = np.array([term.weight * terms.idf[term.token] for term in query]) / total
    named = np.minimum(((masks & _NAMES) != 0) @ worth, 1.0)
    said = np.minimum(((masks & (_NAMES | _DESCRIBING)) != 0) @ worth, 1.0)
    more[found] = said**2 - named**2
    return more
