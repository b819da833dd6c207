"""Makes the development sets, asks them, and writes the tables: `run.py --development`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from notewell.base.types import Settings, Signal
from notewell.features.evaluate.datasets import read_queries
from notewell_eval.corpora import write_vault

from .measure import MODES, Answered, earlier, jobs_of, measure, stored, without
from .query import DevQuery, Half
from .sets import COLLECTIONS, Locate, make_sets
from .tables import markdown

_TEST_SETS = (("known-obsidian-help-en", "known-obsidian-help-en"),)
_PROCESSES = 2  # each with one thread; measurements use two processors


@dataclass(frozen=True)
class Options:
    """What to measure: a half or both, some sets or all, signals to leave out, an earlier run."""

    work: Path
    half: Half | None = None
    sets: Sequence[str] | None = None
    ignored: Sequence[Signal] = ()
    against: Path | None = None


def all_sets(locate: Locate) -> dict[str, list[DevQuery]]:
    """All sets whose data are there, without queries of the test sets."""
    forbidden: set[str] = set()
    for archive, folder in _TEST_SETS:
        place = locate(archive, folder)
        if place is not None:
            forbidden |= {query.text.casefold() for query in read_queries(place / "queries.jsonl")}
    return make_sets(locate, frozenset(forbidden))


def run(
    locate: Locate, settings: Settings, options: Options, say: Callable[[str], None]
) -> tuple[str, bytes] | None:
    """Measure. Returns the tables and the figures of each query; None where there is no data."""
    wanted = set(options.sets) if options.sets else None
    queries = [
        query
        for name, found in all_sets(locate).items()
        for query in found
        if wanted is None or name in wanted
        if options.half in (None, query.half)
    ]
    if not queries:
        return None
    say(f"development: {len(queries)} queries")
    systems = (*MODES, *(without(signal) for signal in options.ignored))
    places = folders(locate, {query.vault for query in queries}, options.work)
    jobs = jobs_of(queries, places, systems, settings, options.work)
    figures = measure(jobs, processes=_PROCESSES)
    return _text(queries, figures, [system.name for system in systems], options), stored(figures)


def _text(
    queries: Sequence[DevQuery],
    figures: dict[str, Answered],
    systems: Sequence[str],
    options: Options,
) -> str:
    before = earlier(options.against) if options.against else None
    half = f"the half `{options.half}`" if options.half else "both halves"
    return f"Queries: {half}.\n{markdown(queries, figures, systems, before)}"


def folders(locate: Locate, vaults: set[str], work: Path) -> dict[str, Path]:
    """The notes of each collection; those of a corpus are written first."""
    found = {}
    for collection in COLLECTIONS:
        folder = (
            locate(collection.archive, collection.folder) if collection.name in vaults else None
        )
        if folder is not None and collection.qrels is not None:
            folder = write_vault(folder / "corpus.jsonl", work / "corpora").folder
        if folder is not None:
            found[collection.name] = folder
    return found
