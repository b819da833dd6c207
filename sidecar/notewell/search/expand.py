"""More of what a short query may mean: from what it found first, and from what links call it.

Pseudo-relevance feedback: what the first results say is taken for what the query means. On the
side of meaning the query's vector moves towards their passages (Rocchio 1971, "Relevance feedback
in information retrieval"); on the side of words their most telling tokens are asked for as well.
And people name notes in their own words: where the query is the text of links, the names of the
notes that these lead to are asked for too. What each is worth is in docs/search.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.index.analyze import tokens, words
from notewell.index.bm25 import QueryTerm, idf
from notewell.index.port import IndexReader
from notewell.search import retrieve
from notewell.search.candidates import Candidates
from notewell.search.fuse import fuse, plan
from notewell.search.matching import fold
from notewell.search.retrieve import LookedUp
from notewell.search.scope import Scope
from notewell.search.terms import Terms, function_words
from notewell.types import ChunkHits, FloatArray, IdArray

SHORT = 3  # words from which on a query says enough
FIRST = 5  # results that are taken for answers
FEEDBACK = np.float32(0.4)  # of their mean, against 1 of the query's vector
TERMS = 3
TERM_WEIGHT = 0.1  # against 1 of a word of the query
_IN_AT_LEAST = 2  # of the first results; what one alone says is its own topic
_LEAST_LETTERS = 3
NAME_WEIGHT = 0.3
_MOST_NAMED = 3  # notes that links call so; of more, the text says nothing in particular
_MOST_LINKING = 50  # notes that hold the query's words side by side
_MOST_WORDS = 8  # of a link's text that a query may be


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """What both sides found: by the words, and near the query's `vector`, where there is one.

    `expanded` are the tokens that were asked for beside the query's own.
    """

    words: LookedUp
    vector: FloatArray | None
    meaning: ChunkHits
    expanded: tuple[str, ...] = ()


def widened(
    index: IndexReader, text: str, sides: Sides, among: Scope, *, limit: int, by_words: bool
) -> Sides:
    """Ask again, for what `text` may mean by what it found; `by_words` for more tokens as well."""
    terms, meaning = sides.words.terms, sides.meaning
    first = first_passages(retrieve.both(index, sides.words.chunks, meaning))
    if sides.vector is not None:
        nearer = moved(index, sides.vector, first)
        meaning = retrieve.by_meaning(index, nearer, limit=limit, notes=among.notes)
        meaning = retrieve.remaining(index, meaning, among.without)
    more = related(index, text, terms, first, among) if by_words else ()
    found = sides.words
    if more:
        found = retrieve.looked_up(
            index,
            terms,
            (*terms.query, *more),
            limit=limit,
            notes=among.notes,
            without=among.without,
        )
    return Sides(found, sides.vector, meaning, tuple(term.token for term in more))


def is_short(text: str) -> bool:
    """Whether a query has so few words that more may help."""
    return len(set(words(text))) < SHORT


def first_passages(chunks: Candidates) -> IdArray:
    """The best passage of each of the first results, as both sides see them."""
    order = np.argsort(-fuse(chunks, plan("convex", None)).fused, kind="stable")
    first = np.sort(np.unique(chunks.note_ids[order], return_index=True)[1])
    return chunks.ids[order[first[:FIRST]]]


def moved(index: IndexReader, vector: FloatArray, passages: IdArray) -> FloatArray:
    """The query's vector, moved towards those of the passages; unit length."""
    rows = index.vectors.of_chunks(passages)[1]
    if not len(rows):
        return vector
    nearer = vector + FEEDBACK * rows.mean(axis=0)
    unit: FloatArray = nearer / np.linalg.norm(nearer)
    return unit


def related(
    index: IndexReader, text: str, terms: Terms, passages: IdArray, among: Scope
) -> tuple[QueryTerm, ...]:
    """The tokens to ask for as well: of what links call so, and of the first passages."""
    named = called(index, text, among)
    weights = {token: NAME_WEIGHT for title in named for token in tokens(title)}
    for token in telling(index, terms, passages):
        weights.setdefault(token, TERM_WEIGHT)
    return tuple(
        QueryTerm(token, weight) for token, weight in weights.items() if token not in terms.weights
    )


def telling(index: IndexReader, terms: Terms, passages: IdArray) -> list[str]:
    """The tokens with the highest tf-idf that several of the passages have, the query's not."""
    counts: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for chunk in index.chunks(passages.tolist()).values():
        for token, count in Counter(tokens(chunk.text)).items():
            if token not in terms.weights and _says_something(token):
                counts[token] += count
                held[token] += 1
    documents = index.keywords.document_count
    light = function_words(counts)
    worth = {
        token: (1.0 + math.log(counts[token])) * idf(_found(index, token, documents), documents)
        for token, notes in held.items()
        if notes >= _IN_AT_LEAST and token not in light
    }
    return sorted(worth, key=lambda token: (-worth[token], token))[:TERMS]


def called(index: IndexReader, text: str, among: Scope) -> Sequence[str]:
    """The titles of the few notes that links with just this text, in notes of `among`, lead to."""
    phrase = words(text)
    if not 0 < len(phrase) <= _MOST_WORDS:
        return ()
    linking = np.setdiff1d(index.keywords.notes_with_phrase(phrase), among.without)
    if among.notes is not None:
        linking = np.intersect1d(linking, among.notes)
    if not 0 < len(linking) <= _MOST_LINKING:
        return ()
    targets = Counter(_targets(index, linking.tolist(), fold(text)))
    if not 0 < len(targets) <= _MOST_NAMED:
        return ()
    notes = index.notes(list(targets))
    return [note.title for note in notes.values()]


def _targets(index: IndexReader, linking: Sequence[int], text: str) -> Iterator[int]:
    """The notes that links of the given notes lead to, if `text` is what they show."""
    for note_id in linking:
        for link, target in index.graph.links_out(note_id):
            if target is not None and link.display and fold(link.display) == text:
                yield target


def _found(index: IndexReader, token: str, documents: int) -> int:
    return min(index.keywords.document_frequency(token), documents)


def _says_something(token: str) -> bool:
    return not token.isdigit() and (len(token) >= _LEAST_LETTERS or not token.isascii())
