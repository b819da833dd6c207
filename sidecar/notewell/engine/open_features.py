"""The features of one open vault: who answers a request, does a search, is told of an event."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from notewell.base.errors import NotewellError, NotFoundError
from notewell.base.support.http import Cancel
from notewell.contract.request import Request, StreamEvent
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import RunKind
from notewell.engine.feature import Event, Feature, OpenFeature, OpenVault, Search, load

if TYPE_CHECKING:
    from notewell.base.types import Settings

R = TypeVar("R")
log = logging.getLogger(__name__)

_MOST_LINE = 200  # characters of what a feature tells of a note


class OpenFeatures:
    """The features of one vault, each opened when it is first needed. Any thread may call."""

    def __init__(self, features: Sequence[Feature], vault: OpenVault) -> None:
        self._features = tuple(features)
        self._vault = vault
        self._opened: dict[str, OpenFeature] = {}
        # A feature with sources of its own has to do with vaults of these kinds alone.
        self._here = tuple(
            feature
            for feature in features
            if not (kinds := feature.provided("source")) or vault.record.source in kinds
        )
        self._opening = threading.RLock()  # a feature may ask another while it is opened

    def open(self, feature: Feature) -> OpenFeature:
        """Open a feature, once."""
        with self._opening:
            if feature.name not in self._opened:
                self._opened[feature.name] = load(feature.answers)(self._vault)
            return self._opened[feature.name]

    def close(self) -> None:
        """End what features do."""
        with self._opening:
            for feature in self._opened.values():
                feature.close()

    # --- requests and searches ---------------------------------------------------------------

    def answer(self, request: Request[R]) -> R:
        """Answer a request; NotFoundError where no feature does."""
        answer = self._opened_for(type(request)).answers.get(type(request))
        if answer is None:  # a server does
            raise _missing(request.endpoint.name)
        reply: Any = answer(request)
        answered: R = reply
        return answered

    def stream(self, request: Request[Any], cancel: Cancel) -> Iterator[StreamEvent]:
        """The events of a stream that answers a request, until it ends or `cancel` ends it."""
        yield from self._opened_for(type(request)).streams[type(request)](request, cancel)

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search by `search`, or by the feature that does what else the request wants."""
        if request.as_of is not None or request.ever:
            wanted, shown = "past", "A search of the past"
        elif isinstance(request.expand, str):
            wanted, shown = request.expand, f"A search with `expand={request.expand}`"
        else:
            return search(request)
        for feature in self._features:
            if wanted in feature.provided("search"):
                return self.open(feature).searches[wanted](request, search)
        raise _missing(shown)

    def _opened_for(self, request: type[Request[Any]]) -> OpenFeature:
        for feature in self._features:
            asked = feature.answers and feature.requests
            if asked and request in load(feature.requests):
                return self.open(feature)
        raise _missing(request.endpoint.name)

    def runs(self) -> Mapping[RunKind, Callable[[], object]]:
        """Functions that begin a run of each kind; a feature is opened when its run is due."""
        return {
            kind: partial(self._begin, feature, kind)
            for feature in self._here
            for kind in feature.runs
        }

    def _begin(self, feature: Feature, kind: RunKind) -> None:
        self.open(feature).runs[kind]()

    # --- events ------------------------------------------------------------------------------

    def vault_opened(self) -> None:
        """Tell that a writer begins to serve the vault."""
        for feature in self._following("vault_opened"):
            self._tell(feature, "vault_opened")

    def notes_changed(self, paths: Sequence[str]) -> None:
        """Tell which notes are new, changed or gone."""
        for feature in self._following("note_changed"):
            for path in paths:
                self._tell(feature, "note_changed", path)

    def note_lines(self, path: str) -> tuple[str, ...]:
        """The lines that features tell of a note that is read."""
        following = self._following("note_shown")
        told = (self._tell(feature, "note_shown", path) for feature in following)
        return tuple(" ".join(str(line).split())[:_MOST_LINE] for line in told if line)

    def settings_changed(self, settings: Settings) -> None:
        """Tell that other settings are in force."""
        for feature in self._following("settings_changed"):
            self._tell(feature, "settings_changed", settings)

    def search_requested(self, request: SearchRequest) -> SearchRequest:
        """The request that is searched for."""
        for feature in self._following("search_requested"):
            request = self._tell(feature, "search_requested", request) or request
        return request

    def results_ready(self, request: SearchRequest, reply: SearchReply) -> SearchReply:
        """The reply as it is shown."""
        for feature in self._following("results_ready"):
            reply = self._tell(feature, "results_ready", request, reply) or reply
        return reply

    def _following(self, event: Event) -> Iterator[Feature]:
        return (feature for feature in self._here if event in feature.events)

    def _tell(self, feature: Feature, event: Event, *about: object) -> Any:
        """Call the function of an event; one that fails harms nothing but its feature."""
        try:
            return self.open(feature).events[event](*about)
        except Exception as error:  # noqa: BLE001 - a feature may be somebody else's
            # The message of an unforeseen error may quote a note.
            why = error.message if isinstance(error, NotewellError) else type(error).__name__
            log.warning("The feature %s failed at %s: %s", feature.name, event, why)
            return None


def _missing(name: str) -> NotFoundError:
    return NotFoundError(f"{name} needs a feature that is not installed.", code="feature_missing")
