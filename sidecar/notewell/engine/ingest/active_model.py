"""Chooses the embedding model for searches while a vault changes from one model to another.

Searches use whichever of the configured and the previous model has vectors for more passages, and
the configured one if both have the same number or nothing is left to embed. So a change of models
never makes searches worse, and returning to a model whose vectors are stored takes effect at once.
New passages are always split for and embedded by the configured model.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from notewell.base.errors import ModelError, on_error
from notewell.base.types import LATE, Embedder, ModelKey, ModelRules
from notewell.base.types.frozen import frozen
from notewell.index.port import Index
from notewell.models.pool import ModelSlot
from notewell.models.resilient import Degraded, Degrading

T = TypeVar("T")

# What tells a service, besides consent, which is never stored with an index.
_SERVICE_RULES = (
    "name",
    "provider",
    "base_url",
    "dimensions",
    "query_prefix",
    "passage_prefix",
)

log = logging.getLogger(__name__)


@frozen
class ModelState:
    """The models of a vault. `wanted` is the configured one, None while it is not loaded."""

    name: str
    answering: ModelKey | None = None
    wanted: ModelKey | None = None
    reason: str | None = None  # why the configured model is not loaded
    degraded: Degraded | None = None  # how a model works after a failure

    @property
    def switching(self) -> ModelKey | None:
        """The model whose vectors are being computed while another one serves searches."""
        return self.wanted if self.answering not in {None, self.wanted} else None


class Models:
    """The embedders of one vault. Thread-safe; only the writer calls `advance`."""

    def __init__(
        self, index: Index, rules: ModelRules, load: Callable[[ModelRules, bool], Embedder]
    ) -> None:
        """`load(rules, fetch)` returns an embedder or raises ModelError; `fetch`: may download."""
        self._index = index
        self._rules = rules
        self._load = load
        self._lock = threading.RLock()
        self._wanted = ModelSlot(self._load_wanted)
        self._earlier: Embedder | None = None
        self._sought = False
        self.served = False  # whether a writer loads them by itself

    @property
    def wanted(self) -> Embedder | None:
        """The embedder of the configured model, if it is loaded; never blocks."""
        return self._wanted.embedder

    @property
    def writing(self) -> Embedder | None:
        """The embedder for new passages: the configured one, or else the previous one."""
        return self._wanted.embedder or self._earlier

    @property
    def answering(self) -> Embedder | None:
        """The embedder of the vectors that searches use now."""
        model = self._index.vectors.model
        for embedder in (self._wanted.embedder, self._earlier):
            if embedder is not None and embedder.key == model:
                return embedder
        return None

    @property
    def reason(self) -> str | None:
        """Why the configured model is not loaded, for people; None if it is."""
        return self._wanted.reason

    @property
    def state(self) -> ModelState:
        answering, wanted = self.answering, self.wanted
        return ModelState(
            self._rules.name,
            answering=None if answering is None else answering.key,
            wanted=None if wanted is None else wanted.key,
            reason=self.reason,
            degraded=_degradation_of(answering) or _degradation_of(wanted),
        )

    def load(self, *, fetch: bool) -> bool:
        """Load missing models and choose the one for searches; blocks.

        Returns whether the configured model is loaded.
        """
        with self._lock:
            there = self._wanted.load(fetch=fetch) is not None
            if not there and not self._sought:
                self._sought = True
                earlier = self._index.current_model_key()
                if earlier is not None and earlier.name.partition("@")[0] != self._rules.name:
                    self._answer_by_earlier(earlier)
            return there

    def for_search(self) -> Embedder | None:
        """The embedder that answers, of those on this computer; a server's writer loads them."""
        if not self.served:
            self.load(fetch=False)
        return self.answering

    def use_consent(self, hosts: tuple[str, ...]) -> None:
        """Send notes to these hosts alone; models are loaded again by the next `load`."""
        with self._lock:
            self._rules = replace(self._rules, consent=hosts)
            if self._rules.provider == "local" and self._earlier is None:
                return
            self._drop_earlier()
            self._wanted.close()
            self._sought = False

    def advance(self, *, complete: bool) -> bool:
        """Use the configured model for searches if it has as many vectors as the previous one.

        `complete` means that nothing is left to embed. Returns whether the model was changed.
        """
        wanted = self.wanted
        with self._lock:
            if wanted is None or self._earlier is None:
                return False
            if not complete and self._covers_less(wanted, self._earlier.key):
                return False
            self._index.use_model(wanted.key, wanted.dimensions)
            log.info("%s answers from now on, instead of %s.", wanted.key, self._earlier.key)
            self._drop_earlier()
            return True

    def with_one_model(self, ask: Callable[[Embedder | None], T]) -> T:
        """Call `ask` with the current embedder, and again if the model was changed meanwhile."""
        while True:
            model = self._index.vectors.model
            try:
                answer = ask(self.answering)
            except ModelError:
                if self._index.vectors.model == model:
                    raise
            else:
                if self._index.vectors.model == model:
                    return answer

    def close(self) -> None:
        with self._lock:
            self._drop_earlier()
            self._wanted.close()

    def _load_wanted(self, fetch: bool) -> Embedder:
        embedder = self._load(self._rules, fetch)
        with on_error(embedder.close):
            self._choose(embedder)
        return embedder

    def _choose(self, wanted: Embedder) -> None:
        self._remember_folder(wanted.key)
        self._remember_service(wanted.key)
        earlier = self._index.current_model_key()
        if (
            earlier is not None
            and earlier != wanted.key
            and self._covers_less(wanted, earlier)
            and self._answer_by_earlier(earlier)
        ):
            log.info("%s answers until %s covers as much.", earlier, wanted.key)
            return
        self._index.use_model(wanted.key, wanted.dimensions)
        self._drop_earlier()

    def _covers_less(self, wanted: Embedder, earlier: ModelKey) -> bool:
        return self._index.covered_chunks(wanted.key) < self._index.covered_chunks(earlier)

    def _answer_by_earlier(self, model: ModelKey) -> bool:
        """Load the previous model without downloading and use it for searches."""
        if self._earlier is not None:
            return self._earlier.key == model
        rules = self._rules_of(model)
        try:
            embedder = self._load(rules, False)
        except ModelError as error:
            log.info("%s cannot answer meanwhile: %s", model, error.message)
            return False
        if embedder.key != model:
            log.info("%s cannot answer meanwhile: its files are now %s", model, embedder.key)
            embedder.close()
            return False
        self._index.use_model(embedder.key, embedder.dimensions)
        self._earlier = embedder
        return True

    def _rules_of(self, model: ModelKey) -> ModelRules:
        kept = self._index.meta(_service_of(model))
        if kept:
            service = json.loads(kept)
            return replace(self._rules, **{**service, "folder": None})
        return replace(
            self._rules,
            name=model.name,
            quantisation="fp32" if model.quantisation.startswith("fp32") else "int8",
            late_chunking=model.quantisation.endswith(LATE),
            folder=self._index.meta(_folder_of(model)) or None,
            provider="local",
        )

    def _remember_service(self, model: ModelKey) -> None:
        """Store which service has the model, likewise."""
        rules = self._rules
        if rules.provider == "local" or not self._index.writable:
            return
        kept = json.dumps({name: getattr(rules, name) for name in _SERVICE_RULES})
        if self._index.meta(_service_of(model)) != kept:
            self._index.set_meta(_service_of(model), kept)

    def _remember_folder(self, model: ModelKey) -> None:
        """Store the folder of the weights, in case the settings name another model later."""
        folder = self._rules.folder or ""
        if self._index.writable and (self._index.meta(_folder_of(model)) or "") != folder:
            self._index.set_meta(_folder_of(model), folder)

    def _drop_earlier(self) -> None:
        earlier, self._earlier = self._earlier, None
        if earlier is not None:
            earlier.close()


def _folder_of(model: ModelKey) -> str:
    return f"folder of {model}"


def _service_of(model: ModelKey) -> str:
    return f"service of {model}"


def _degradation_of(embedder: object) -> Degraded | None:
    return embedder.degraded if isinstance(embedder, Degrading) else None
