"""Asks the development queries of the engine, a process for each collection.

The figures of a query are kept with a digest of the package's code, so that only what has changed
is asked again.
"""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

import notewell
from notewell.base.types import Match, Settings, Signal
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import System, ndcg

from .query import DevQuery

CUT = 10  # nDCG@10, of the results that a search shows
FIRST = 3  # results whose relevance is kept
MODES = (System("hybrid", "hybrid"), System("keyword", "keyword"), System("semantic", "semantic"))
_ROUND = 5  # digits of a stored figure


def without(signal: Signal) -> System:
    """The product without one of its signals."""
    return System(f"without {signal}", "hybrid", ignore=frozenset({signal}))


@dataclass(frozen=True)
class Answered:
    """The figures of a query: nDCG@10 by system, and what the hybrid search says of its results.

    A query that nothing answers has no nDCG. `matches`: how relevant the first three results are
    said to be, and whether they are right.
    """

    ndcg: Mapping[str, float]
    confidence: float | None
    matches: tuple[tuple[Match, bool], ...] = ()


@dataclass(frozen=True)
class Job:
    """The queries of one collection; `folder` has its notes. `cache` is the file of known figures."""

    vault: str
    folder: Path
    queries: Sequence[DevQuery]
    systems: Sequence[System]
    settings: Settings
    cache: Path


def measure(jobs: Sequence[Job], *, processes: int) -> dict[str, Answered]:
    """Ask all queries. Returns the figures by the query's id."""
    found: dict[str, Answered] = {}
    spawn = multiprocessing.get_context("spawn")  # the engine has threads, which a fork would lose
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        for each in pool.map(ask, jobs):
            found.update(each)
    return found


def ask(job: Job) -> dict[str, Answered]:
    """Bring the index of one collection up to date and ask its queries."""
    code = _code()
    known = _read(job.cache, code)
    asked = [(query, system) for query in job.queries for system in job.systems]
    missing = [(query, system) for query, system in asked if _key(query, system) not in known]
    if missing:
        try:
            with closing(Vaults(job.settings, fetch_missing=True, features=FEATURES)) as vaults:
                record = vaults.add(job.folder, name=job.vault)
                # Not beside another writer: what it has not embedded yet would be measured as wrong.
                engine = vaults.open(record, writable=True)
                engine.index_now()
                engine.wait_for_model()
                for query, system in missing:
                    reply = engine.search(_request(query, system))
                    known[_key(query, system)] = _judged(query, reply)
        finally:  # what was asked before an interruption is kept
            _write(job.cache, code, known)
    return {query.id: _figures(query, job.systems, known) for query in job.queries}


# nDCG, confidence and the relevance of the first results, by `_key`.
_Row = tuple[float | None, float | None, tuple[tuple[Match, bool], ...]]
_Known = dict[str, _Row]


def _judged(query: DevQuery, reply: SearchReply) -> _Row:
    paths = [result.path for result in reply.results]
    gain = ndcg(paths, query.relevant, CUT) if query.relevant else None
    first = reply.results[:FIRST]
    matches = [
        (result.match, result.path in query.relevant)
        for result in first
        if result.match is not None
    ]
    return gain, reply.confidence, tuple(matches)


def _figures(query: DevQuery, systems: Sequence[System], known: _Known) -> Answered:
    rows = {system.name: known[_key(query, system)] for system in systems}
    gains = {name: row[0] for name, row in rows.items() if row[0] is not None}
    _, confidence, matches = rows[MODES[0].name]
    return Answered(gains, confidence, matches)


def _request(query: DevQuery, system: System) -> SearchRequest:
    return SearchRequest(
        q=query.text,
        limit=CUT,
        mode=system.mode,
        plain=True,
        ignore=system.ignore,
        weak=True,
        hidden=frozenset(query.hidden),
    )


def _key(query: DevQuery, system: System) -> str:
    return f"{query.id} {system.name}"


def _code() -> str:
    """A digest of the package's code."""
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(Path(notewell.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _read(cache: Path, code: str) -> _Known:
    if not cache.is_file():
        return {}
    stored = orjson.loads(cache.read_bytes())
    if stored["code"] != code:
        return {}
    return {
        key: (row[0], row[1], tuple((match, right) for match, right in row[2]))
        for key, row in stored["figures"].items()
    }


def _write(cache: Path, code: str, known: _Known) -> None:
    cache.parent.mkdir(parents=True, exist_ok=True)
    unfinished = cache.with_suffix(".new")
    unfinished.write_bytes(orjson.dumps({"code": code, "figures": known}))
    unfinished.replace(cache)


def jobs_of(
    queries: Iterable[DevQuery],
    folders: Mapping[str, Path],
    systems: Sequence[System],
    settings: Settings,
    work: Path,
) -> list[Job]:
    """One job for each collection, the largest first; its index is in `work`, by its name.

    The way of embedding is part of the name of the cache, so that ways can be compared.
    """
    asked: dict[str, list[DevQuery]] = {}
    for query in queries:
        asked.setdefault(query.vault, []).append(query)
    return [
        Job(
            vault=vault,
            folder=folders[vault],
            queries=found,
            systems=systems,
            settings=replace(settings, data_dir=work / vault, state_dir=work / vault / "state"),
            cache=work / "figures" / f"{vault}-{_way(settings)}.json",
        )
        for vault, found in sorted(asked.items(), key=lambda item: -len(item[1]))
    ]


def _way(settings: Settings) -> str:
    """How passages are cut and embedded, for the name of a file."""
    late = "-late" if settings.model.late_chunking else ""
    return f"{settings.model.name}-{settings.chunking.method}{late}"


def stored(figures: Mapping[str, Answered]) -> bytes:
    """The figures of every query as JSON, to compare a later run with."""
    rows = {
        key: {name: round(gain, _ROUND) for name, gain in one.ndcg.items()}
        for key, one in sorted(figures.items())
        if one.ndcg
    }
    return orjson.dumps(rows)


def earlier(path: Path) -> dict[str, dict[str, float]]:
    """Read a file that `stored` made: nDCG@10 by query id and system."""
    rows: dict[str, dict[str, float]] = orjson.loads(path.read_bytes())
    return rows
