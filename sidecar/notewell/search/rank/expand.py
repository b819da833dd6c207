"""Expands short queries with terms and a vector from the first results, and with linked titles.

Pseudo-relevance feedback: the first results are taken to be relevant. The query's vector moves
towards their passages (Rocchio 1971, "Relevance feedback in information retrieval"), and their
terms with the highest tf-idf are added to the query. If the query is the display text of links,
the titles of the notes that these links lead to are added too, because people name notes in their
own words. The measured effects are in docs/search.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from notewell.base.types import FloatArray, IdArray
from notewell.index.analyze import stem, tokens, words
from notewell.index.arrays import without
from notewell.index.lexical import QueryTerm, idf
from notewell.index.note_terms import field_weights
from notewell.index.port import IndexReader
from notewell.search.context import SearchContext
from notewell.search.query.note_scope import Scope
from notewell.search.query.terms import Terms, says_little
from notewell.search.query.text_matching import fold
from notewell.search.rank import retrieve
from notewell.search.rank.candidates import Candidates
from notewell.search.rank.fixed_fusion import plan
from notewell.search.rank.ranking import fuse
from notewell.search.rank.retrieve import Retrieved

MIN_WORDS = 3  # queries with fewer words are short
FEEDBACK_RESULTS = 5  # first results that are taken to be relevant
FEEDBACK_SHARE = np.float32(0.4)  # weight of their mean vector; the query's own is 1
FEEDBACK_TERMS = 3
TERM_WEIGHT = 0.1  # of a feedback term; a word of the query has 1
TITLE_WEIGHT = 0.3  # of a word in a linked title
_MIN_PASSAGES = 2  # with a feedback term; a word of only one passage belongs to its own topic
_MIN_LETTERS = 3
_COMMON_SHARE = 0.05  # of all passages; a word that more of them have says nothing of a topic
_COMMON_DOCUMENTS = 10  # passages that a word may be in, however small the vault is
# Addresses, paths, names of files, code: what is between two spaces is no word of a sentence.
_NOT_PROSE = re.compile(r"[/\\_=<>{}@|`$]|\w[.:]\w|::")
_MAX_TARGETS = 3  # notes with such links to them; with more, the text is too general
_MAX_LINKING = 50  # notes that contain the query as a phrase
_MAX_LINK_WORDS = 8  # words of a query that may be the text of a link


def is_wanted(context: SearchContext, text: str) -> bool:
    """Tell whether a query is short, and the request or else the rules expand such queries."""
    requested = context.request.expand
    enabled = context.rules.expand if requested is None else requested
    return enabled and is_short(text)


def retrieve_expanded(
    context: SearchContext, text: str, first: Retrieved, scope: Scope
) -> Retrieved:
    """Retrieve again with a query expanded by the `first` hits."""
    index, terms, keyword, semantic = context.index, first.terms, first.keyword, first.semantic
    limit = retrieve.depth(context.request.limit)
    passages = top_passages(retrieve.merge_hits(index, keyword.chunks, semantic))
    added: tuple[QueryTerm, ...] = ()
    if context.request.mode != "semantic":
        added = expansion_terms(index, text, terms, passages, scope)
    if added:
        keyword = retrieve.search_terms(
            index,
            terms,
            (*terms.query, *added),
            scope,
            limit=limit,
            weights=field_weights(context.rules),
            names=keyword.names,
        )
    if first.vector is not None:
        vector = feedback_vector(index, first.vector, passages)
        semantic = retrieve.semantic_candidates(index, vector, keyword, scope, limit=limit)
    tokens = tuple(term.token for term in added)
    return replace(first, keyword=keyword, semantic=semantic, expanded=tokens)


def is_short(text: str) -> bool:
    """Tell whether a query has fewer than MIN_WORDS different words."""
    return len(set(words(text))) < MIN_WORDS


def top_passages(chunks: Candidates) -> IdArray:
    """Chunk ids of the best passage of each of the first results, by both scores."""
    order = np.argsort(-fuse(chunks, plan("convex", None)).fused, kind="stable")
    first = np.sort(np.unique(chunks.note_ids[order], return_index=True)[1])
    return chunks.ids[order[first[:FEEDBACK_RESULTS]]]


def feedback_vector(index: IndexReader, vector: FloatArray, passages: IdArray) -> FloatArray:
    """The query's vector, moved towards the mean of the passages' vectors; unit length."""
    rows = index.vectors.of_chunks(passages)[1]
    if not len(rows):
        return vector
    moved = vector + FEEDBACK_SHARE * rows.mean(axis=0)
    unit: FloatArray = moved / np.linalg.norm(moved)
    return unit


def expansion_terms(
    index: IndexReader, text: str, terms: Terms, passages: IdArray, scope: Scope
) -> tuple[QueryTerm, ...]:
    """The terms to add to the query: from linked titles, and from the first passages."""
    titles = linked_titles(index, text, scope)
    weights = {token: TITLE_WEIGHT for title in titles for token in tokens(title)}
    for token in feedback_tokens(index, terms, passages):
        weights.setdefault(token, TERM_WEIGHT)
    return tuple(
        QueryTerm(token, weight) for token, weight in weights.items() if token not in terms.weights
    )


def feedback_tokens(index: IndexReader, terms: Terms, passages: IdArray) -> list[str]:
    """The tokens with the highest tf-idf that several passages have and the query has not."""
    known = {stem(token) for token in terms.weights}
    counts: Counter[str] = Counter()
    passage_counts: Counter[str] = Counter()
    for chunk in index.chunks(passages.tolist()).values():
        for token, count in Counter(prose_words(chunk.text)).items():
            if stem(token) not in known:
                counts[token] += count
                passage_counts[token] += 1
    documents = index.keywords.document_count
    most = max(_COMMON_DOCUMENTS, _COMMON_SHARE * documents)
    tf_idf = {}
    for token, passage_count in passage_counts.items():
        frequency = min(index.keywords.document_frequency(token), documents)
        if passage_count >= _MIN_PASSAGES and frequency <= most:
            tf_idf[token] = (1.0 + math.log(counts[token])) * idf(frequency, documents)
    return sorted(tf_idf, key=lambda token: (-tf_idf[token], token))[:FEEDBACK_TERMS]


def prose_words(text: str) -> Iterator[str]:
    """The words of running text: without function words, numbers, emoji, addresses and code."""
    for run in text.split():
        if _NOT_PROSE.search(run):
            continue
        for word in words(run):
            if _is_informative(word) and not says_little(word):
                yield word


def linked_titles(index: IndexReader, text: str, scope: Scope) -> Sequence[str]:
    """Titles of the notes that links displayed as `text` lead to; none if these are many.

    Only links in notes of the `scope` count.
    """
    phrase = words(text)
    if not 0 < len(phrase) <= _MAX_LINK_WORDS:
        return ()
    linking = without(index.keywords.notes_with_phrase(phrase), scope.excluded)
    if scope.notes is not None:
        linking = np.intersect1d(linking, scope.notes, assume_unique=True)
    if not 0 < len(linking) <= _MAX_LINKING:
        return ()
    targets = Counter(_targets(index, linking.tolist(), fold(text)))
    if not 0 < len(targets) <= _MAX_TARGETS:
        return ()
    notes = index.notes(list(targets))
    return [note.title for note in notes.values()]


def _targets(index: IndexReader, linking: Sequence[int], text: str) -> Iterator[int]:
    """Ids of the notes that links in the given notes lead to, if the link shows `text`."""
    for note_id in linking:
        for link, target in index.graph.links_out(note_id):
            if target is not None and link.display and fold(link.display) == text:
                yield target


def _is_informative(token: str) -> bool:
    has_letters = any(letter.isalpha() for letter in token)
    return has_letters and (len(token) >= _MIN_LETTERS or not token.isascii())
