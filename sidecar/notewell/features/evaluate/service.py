"""Fits the weights of the ranking to the judged queries of one vault."""

from __future__ import annotations

from dataclasses import fields

from notewell.engine.feature import OpenFeature, OpenVault
from notewell.features.evaluate.requests import (
    TunedWeight,
    TuneGain,
    TuneOutcome,
    TuneReply,
    TuneRequest,
)
from notewell.features.evaluate.tuning import TuningFile
from notewell.search.rank.evidence import UNTUNED, Tuning


def opened(vault: OpenVault) -> OpenFeature:
    """The tuning of a vault, with what answers its request."""
    return OpenFeature(answers={TuneRequest: VaultTuning(vault).tune})


class VaultTuning:
    """Fits and stores the factors of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        """Nothing is read yet."""
        self._vault = vault
        self._file = TuningFile(vault.folder)

    def tune(self, request: TuneRequest) -> TuneReply:
        """Fit the factors; store them if `apply` is set and the gain is sure, or `reset` them.

        Raises QueryLogError or OSError if a file cannot be read or written.
        """
        # The fit is no part of a search, and few vaults are ever tuned.
        from notewell.features.evaluate import fit  # noqa: PLC0415
        from notewell.features.evaluate.golden import golden_set  # noqa: PLC0415

        used = self._file.current()
        if request.reset:
            self._file.delete()
            return self._reply("reset", used, UNTUNED)
        known = self._vault.judgements()
        judged = golden_set(self._vault.record.name, known)
        count = len(judged.queries)
        if count >= fit.MIN_QUERIES:
            results = fit.ask(judged, fit.query_weights(judged, known), self._vault.ask)
            count = len(results)
        if count < fit.MIN_QUERIES:
            return self._reply(
                "too_few", used, used, queries=count, missing=fit.MIN_QUERIES - count
            )
        fitted = fit.fit_and_check(results, used)
        gain = TuneGain(
            fitted.before, fitted.after, fitted.gain.difference, fitted.gain.low, fitted.gain.high
        )
        outcome: TuneOutcome = "no_sure_gain"
        if fitted.sure and fitted.tuning != used:
            outcome = "applied" if request.apply else "better"
        if outcome == "applied":
            self._file.store(fitted.tuning)
        return self._reply(outcome, used, fitted.tuning, queries=count, gain=gain)

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
        return TuneReply(self._vault.record.name, outcome, queries, missing, weights, gain)
