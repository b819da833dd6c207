"""The tuning of one vault: fitted to its log, stored beside it, used by its searches.

The file is read again when it changes, so that every process that has the vault open uses it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

import orjson

from notewell import querylog
from notewell.contract.log import TunedWeight, TuneGain, TuneOutcome, TuneReply, TuneRequest
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.search_history import SearchHistory
from notewell.search.evidence import UNTUNED, Tuning
from notewell.support import atomic
from notewell.types import Settings, VaultRecord

log = logging.getLogger(__name__)

NAME = "tuning.json"
_LEAST, _MOST = 0.5, 2.0  # what a file may hold


class VaultTuning:
    """Fits, stores and reads the factors of one vault. Any thread may call."""

    def __init__(
        self,
        record: VaultRecord,
        settings: Settings,
        history: SearchHistory,
        search: Callable[[SearchRequest], SearchReply],
    ) -> None:
        """`search` is the vault's own; the file is in the folder of the vault's log."""
        self._vault = record.name
        self._file = querylog.folder(settings.data_dir, record.id) / NAME
        self._history = history
        self._search = search
        self._read: tuple[tuple[int, int] | None, Tuning] = (None, UNTUNED)

    def current(self) -> Tuning:
        """The factors that searches use; a look at the file's time, no more, if it is the same."""
        try:
            found = self._file.stat()
        except OSError:
            return UNTUNED
        version = (found.st_mtime_ns, found.st_size)
        if self._read[0] != version:
            self._read = (version, _load(self._file))
        return self._read[1]

    def tune(self, request: TuneRequest) -> TuneReply:
        """Fit the factors; store them if `apply` is set and the gain is sure, or `reset` them.

        Raises QueryLogError or OSError if a file cannot be read or written.
        """
        # The fit is no part of a search, and few vaults are ever tuned.
        from notewell.evaluate import tune  # noqa: PLC0415
        from notewell.evaluate.golden import golden_set  # noqa: PLC0415

        used = self.current()
        if request.reset:
            self._file.unlink(missing_ok=True)
            return self._reply("reset", used, UNTUNED)
        known = self._history.judgements()
        judged = golden_set(self._vault, known)
        count = len(judged.queries)
        if count >= tune.MIN_QUERIES:
            results = tune.ask(judged, tune.query_weights(judged, known), self._search)
            count = len(results)
        if count < tune.MIN_QUERIES:
            return self._reply(
                "too_few", used, used, queries=count, missing=tune.MIN_QUERIES - count
            )
        fitted = tune.fit_and_check(results, used)
        gain = TuneGain(
            fitted.before, fitted.after, fitted.gain.difference, fitted.gain.low, fitted.gain.high
        )
        outcome: TuneOutcome = "no_sure_gain"
        if fitted.sure and fitted.tuning != used:
            outcome = "applied" if request.apply else "better"
        if outcome == "applied":
            self._store(fitted.tuning)
        return self._reply(outcome, used, fitted.tuning, queries=count, gain=gain)

    def _store(self, tuning: Tuning) -> None:
        atomic.replace(self._file, orjson.dumps(asdict(tuning), option=orjson.OPT_INDENT_2))

    def _reply(
        self,
        outcome: TuneOutcome,
        used: Tuning,
        found: Tuning,
        *,
        queries: int = 0,
        missing: int = 0,
        gain: TuneGain | None = None,
    ) -> TuneReply:
        weights = {
            one.name: TunedWeight(
                round(getattr(used, one.name), 4), round(getattr(found, one.name), 4)
            )
            for one in fields(Tuning)
        }
        return TuneReply(self._vault, outcome, queries, missing, weights, gain)


def delete(folder: Path) -> None:
    """Delete the tuning in the folder of a vault's log."""
    (folder / NAME).unlink(missing_ok=True)


def _load(file: Path) -> Tuning:
    """The factors in the file, each within its bounds; the default ones if it is damaged."""
    try:
        stored = orjson.loads(file.read_bytes())
        factors = {one.name: float(stored.get(one.name, 1.0)) for one in fields(Tuning)}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("%s is ignored: it cannot be read (%s)", file, error)
        return UNTUNED
    return Tuning(**{name: min(max(one, _LEAST), _MOST) for name, one in factors.items()})
