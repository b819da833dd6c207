"""The first results as they are shown: read by a model and near-duplicates made one, where asked.

Both are optional. What fails is skipped, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from notewell.contract.search import Removed, SearchRequest
from notewell.errors import ModelError, NotewellError
from notewell.index.port import IndexReader
from notewell.search.duplicates import MAX_COMPARED, duplicates
from notewell.search.rank import RankedNote, Ranking
from notewell.search.rerank import HEAD, rerank
from notewell.search.trace import TOP, Trace
from notewell.types import Reranker, SearchRules

FindReranker = Callable[[], Reranker]  # raises an error of ours where there is none


@dataclass(slots=True)
class Arrangement:
    """Arranges the results of one search. `warnings` name what was skipped."""

    index: IndexReader
    request: SearchRequest
    rules: SearchRules
    reranker: FindReranker | None
    trace: Trace
    warnings: list[str] = field(default_factory=list)
    repeated: int = 0  # near-duplicates left out
    read_by: str | None = None  # the model that read the first results

    def of(self, ranking: Ranking, text: str) -> Sequence[RankedNote]:
        """The notes of the reply, in order; `text` is what was searched for."""
        limit = self.request.limit
        reads = _either(self.request.rerank, self.rules.rerank)
        collapses = _either(self.request.collapse, self.rules.collapse)
        wanted = max(limit, HEAD) if reads else limit
        if collapses:
            wanted = max(wanted, min(2 * wanted, max(wanted, MAX_COMPARED)))
        notes: Sequence[RankedNote] = ranking.top(wanted, self.rules.passages)
        if reads:
            notes = self._read(notes, text)
        if collapses:
            notes = self._collapsed(notes)
        return notes[:limit]

    def _read(self, notes: Sequence[RankedNote], text: str) -> Sequence[RankedNote]:
        """The notes in the order that a model gives them, too; as they are where none can."""
        if self.reranker is None or not notes:
            return notes
        try:
            model = self.reranker()
            budget_s = self.rules.rerank_ms / 1000
            reranked = rerank(self.index, model, text, notes, budget_s=budget_s)
        except NotewellError as error:
            why = error.brief if isinstance(error, ModelError) else error.message
            self.warnings.append(f"Results are not reranked: {why}")
            return notes
        self.read_by = model.name
        self.trace.stage(
            "rerank",
            count_in=len(notes),
            count_out=reranked.read,
            top=lambda: self._paths(reranked.notes),
        )
        return reranked.notes

    def _collapsed(self, notes: Sequence[RankedNote]) -> Sequence[RankedNote]:
        repeated = duplicates(self.index, notes)
        self.repeated = len(repeated)
        kept = [note for note in notes if note.note_id not in repeated]
        paths = self._paths([note for note in notes if note.note_id in repeated][:TOP])
        removed = [Removed("near_duplicate", len(repeated), tuple(paths))] if repeated else []
        self.trace.stage(
            "collapse",
            count_in=len(notes),
            count_out=len(kept),
            removed=removed,
            top=lambda: self._paths(kept),
        )
        return kept

    def _paths(self, notes: Sequence[RankedNote]) -> list[str]:
        known = self.index.notes([note.note_id for note in notes])
        return [known[note.note_id].path for note in notes if note.note_id in known]


def _either(asked: bool | None, rule: bool) -> bool:
    return rule if asked is None else asked
