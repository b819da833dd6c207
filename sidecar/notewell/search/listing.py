"""Lists notes that conditions alone find, without a score: the latest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from notewell.base.types import IdArray, StoredNote
from notewell.contract.search import Result
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote, Ranking
from notewell.search.results import Uri, list_notes
from notewell.search.retrieve import KeywordResult
from notewell.search.scope import NO_NOTES, Scope
from notewell.search.snippet import Snippets


def latest(index: IndexReader, ids: IdArray) -> list[StoredNote]:
    """The notes with these ids, those that were modified last first."""
    wanted = set(ids.tolist())
    listed = [note for note in index.all_notes() if note.id in wanted]
    listed.sort(key=lambda note: (-(note.modified or 0.0), note.path))
    return listed


def without_words(
    scope: Scope, keyword: KeywordResult, ranking: Ranking, shown: Sequence[RankedNote]
) -> IdArray:
    """Ids of the notes that meet a query although neither words nor meaning found them."""
    if scope.notes is None:
        return NO_NOTES
    found = [each.note_id for each in shown]  # also those that are shown for a file in them
    found_ids = np.concatenate((ranking.notes.ids, keyword.matches.note_ids, found))
    return np.setdiff1d(scope.notes, found_ids.astype(np.int64))


def unscored(
    index: IndexReader, others: IdArray, room: int, snippets: Snippets, uri: Uri
) -> tuple[Result, ...]:
    """Results for the latest of the `others`, which come after those with scores."""
    if room <= 0 or not len(others):
        return ()
    return list_notes(index, latest(index, others)[:room], snippets, uri, match="related")
