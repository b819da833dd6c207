"""Correct the statistics of living documents while the writer is idle.

Tantivy counts a deleted document in the mean lengths of BM25 until its segment is merged with
others (its frequencies are corrected at every query), and offers neither a merge on demand nor
other means. So a small index is written again as a whole; in a larger one documents without a chunk
are added, with as many tokens as it takes to make every mean what it has to be.

The mean of a large index is rounded to a share of a token: then whole numbers of documents and
tokens give exactly that mean, whatever was deleted before, and a new index of the same notes has
the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notewell.index.embedded import reads
from notewell.index.embedded.keywords import logger
from notewell.index.embedded.postings import TEXT_FIELDS, Postings
from notewell.index.embedded.store import Store
from notewell.index.lexical import (
    stored_length,
)

WRITTEN_AGAIN = 2_000  # documents: an index of no more is written again as a whole, in a second
_SHARES = 1024  # of a token: what means are rounded up to
_LEAST_SHARES = 32  # of a field that hardly any document has: else few tokens would need many
_MOST_ADDED = 1.25  # times the documents; beyond, all are written again, which takes seconds
_SAME = 5e-7  # relative: tantivy computes with 32 bits
_LONGEST = 65_560  # tokens of a document for balance; tantivy stores this length exactly
_PARTS = 32  # documents that any number of tokens below `_LONGEST` can be divided into
_ATTEMPTS = 4  # after balancing, tantivy may merge segments, which drops deleted documents


def expunge(store: Store, postings: Postings) -> None:
    """Take deleted documents out of the statistics: scores become those of a new index.

    Raises:
        IndexFailure: the disk refuses.

    """
    database, _, generation = reads.generations(store)
    if postings.belongs_to() != (database, generation):
        return
    if postings.living_count > WRITTEN_AGAIN:
        _balance(store, postings, database, generation)
    elif postings.document_count > postings.living_count:
        postings.put_all_again(reads.texts(store), database=database, generation=generation)
        postings.finish_merges()


def _balance(store: Store, postings: Postings, database: str, generation: int) -> None:
    """Make the mean lengths that tantivy computes those of living documents, rounded."""
    for _ in range(_ATTEMPTS):
        if _is_balanced(postings):
            return
        postings.finish_merges()  # what is merged later would be out of balance
        postings.put_balance(())
        least = _least_count(postings)
        if least > postings.document_count * _MOST_ADDED:
            postings.put_all_again(reads.texts(store), database=database, generation=generation)
            postings.finish_merges()
            least = _least_count(postings)
        postings.put_balance(_documents(postings, least))
        postings.finish_merges()
    logger.info("The keyword index still counts documents that are deleted.")


def _is_balanced(postings: Postings) -> bool:
    return all(
        abs(postings.mean_length(name) * _SHARES - shares) <= _SAME * shares
        for name, shares in _mean_lengths(postings).items()
    )


def _mean_lengths(postings: Postings) -> dict[str, int]:
    """The mean length of each field, in shares of a token."""
    count = postings.living_count
    return {
        name: max(-(-length * _SHARES // count), _LEAST_SHARES)
        for name, length in postings.living_lengths().items()
    }


def _tokens(postings: Postings) -> dict[str, int]:
    """The tokens that tantivy counts in each field."""
    count = postings.document_count
    return {name: round(postings.mean_length(name) * count) for name in TEXT_FIELDS}


def _least_count(postings: Postings) -> int:
    """The least number of documents whose means are as low as those of living documents."""
    tokens = _tokens(postings)
    needed = [
        -(-tokens[name] * _SHARES // wanted) for name, wanted in _mean_lengths(postings).items()
    ]
    return max(postings.document_count + _PARTS, *needed)


def _documents(postings: Postings, least: int) -> Iterator[Mapping[str, int]]:
    """The documents to add, by their tokens in each field, so that there are `least` or more.

    With them, the number of documents is a multiple of `_SHARES`.
    """
    wanted, tokens, there = _mean_lengths(postings), _tokens(postings), postings.document_count
    while True:
        multiple = -(-least // _SHARES)
        missing = {name: wanted[name] * multiple - tokens[name] for name in TEXT_FIELDS}
        count = multiple * _SHARES - there
        if count >= max(missing.values()) // _LONGEST + _PARTS:
            break
        least += _SHARES
    for _ in range(count):
        document = {  # tantivy stores the length of each of these exactly
            name: stored_length(min(rest, _LONGEST), at_most=True)
            for name, rest in missing.items()
            if rest
        }
        missing = {name: rest - document.get(name, 0) for name, rest in missing.items()}
        yield document
