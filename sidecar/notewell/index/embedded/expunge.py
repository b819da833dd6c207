"""Drops deleted documents from the keyword index, where that is cheap.

Tantivy counts a deleted document in the mean lengths of BM25 until its segment is merged with
others (its frequencies are corrected in keywords.py at every query). Tantivy's policy merges when
eight segments are of one size, and takes all segments up to 10,000 documents for one size; it
offers neither another policy nor a merge on demand. So some small notes are written again, each in
a commit of its own, until there are eight segments; a small index is written again as a whole.

An index of more than 10,000 documents is left as it is: so many other documents go into its mean
lengths that the deleted ones hardly change them.
"""

from __future__ import annotations

import logging

from notewell.index.embedded import reads
from notewell.index.embedded.postings import Postings
from notewell.index.embedded.store import Store

_WRITTEN_AGAIN = 200  # documents: an index of no more is written again as a whole
_WRITTEN_AGAIN_AT_MOST = 2_000  # so is one of no more, where tantivy does not merge: a second
_MERGED = 10_000  # documents: tantivy's `min_layer_size`
_MERGED_AT = 8  # segments: tantivy's `min_num_segments`
_NOTES = 3 * _MERGED_AT  # written again, at most: each may be all there is of a segment

logger = logging.getLogger(__name__)


def expunge(store: Store, postings: Postings) -> None:
    """Drop deleted documents, so that scores are those of an index made afresh.

    Raises:
        IndexFailure: the disk refuses.

    """
    deleted = postings.document_count - postings.searcher.num_docs
    if not deleted or postings.document_count > _MERGED:
        return
    database, _, generation = reads.generations(store)
    if postings.belongs_to() != (database, generation):
        return
    if postings.document_count > _WRITTEN_AGAIN and _merge(store, postings):
        return
    if postings.document_count > _WRITTEN_AGAIN_AT_MOST:
        logger.info("The keyword index still counts documents that are deleted.")
        return
    postings.put_all_again(reads.texts(store), database=database, generation=generation)
    postings.finish_merges()


def _merge(store: Store, postings: Postings) -> bool:
    """Make tantivy merge its segments; returns whether no deleted documents are left."""
    for note in list(reads.smallest_texts(store, _NOTES)):
        postings.put_again([note])
        if postings.searcher.num_segments >= _MERGED_AT:
            postings.finish_merges()
        if postings.document_count == postings.searcher.num_docs:
            return True
    return False
