"""One index run in the caller's thread, embeddings included."""

from __future__ import annotations

from collections.abc import Callable

from notewell.base.types import Progress
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.writer import Writer


def run_index(
    writer: Writer,
    models: Models,
    work: Work,
    progress: Callable[[Progress], None] | None,
    *,
    fetch_missing: bool,
) -> RunTotals:
    """Do `work`, and download the model if it is missing and may be fetched."""
    models.load(fetch=False)
    totals = writer.run(work, progress)
    # The notes are findable by keyword already; only now may a download take its time.
    if models.wanted is None and fetch_missing and models.load(fetch=True):
        totals = totals.then(writer.run(Work(), progress))
    return totals
