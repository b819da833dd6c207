"""Which model answers: the one that is wanted, or the earlier one until the wanted one can.

Of the wanted model and the one that answered last, the one that covers more passages answers; when
they cover the same, or nothing is left to embed, it is the wanted one. So a change of models never
makes a search worse, and going back to a model whose vectors are kept changes over at once. The
passages that are embedded, and their sizes, are those of the wanted model all along.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from notewell.errors import ModelError
from notewell.index.embedded.index import Index
from notewell.models.model_slots import ModelSlot
from notewell.models.resilient import Degraded, Degrading
from notewell.types import Embedder, ModelKey, ModelRules

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelState:
    """The models of a vault at a moment. `wanted`, called `name`, is None while not loaded."""

    name: str
    answering: ModelKey | None = None
    wanted: ModelKey | None = None
    reason: str | None = None  # why the wanted one is not loaded
    degraded: Degraded | None = None  # how what answers, or embeds, works instead of as it was set

    @property
    def switching(self) -> ModelKey | None:
        """The model that is being prepared while another one answers."""
        return self.wanted if self.answering not in {None, self.wanted} else None


class Models:
    """The embedders of one vault. Any thread asks; the one that writes calls `advance`."""

    def __init__(
        self, index: Index, rules: ModelRules, load: Callable[[ModelRules, bool], Embedder]
    ) -> None:
        """`load(rules, fetch)` gives an embedder or raises ModelError; `fetch` may download."""
        self._index = index
        self._rules = rules
        self._load = load
        self._lock = threading.RLock()
        self._wanted = ModelSlot(self._load_wanted)
        self._earlier: Embedder | None = None
        self._sought = False

    @property
    def wanted(self) -> Embedder | None:
        """The embedder of the model in the settings, if it is loaded; never waits."""
        return self._wanted.embedder

    @property
    def writing(self) -> Embedder | None:
        """What cuts and embeds passages: the wanted one, in its absence the earlier one."""
        return self._wanted.embedder or self._earlier

    @property
    def answering(self) -> Embedder | None:
        """The embedder that fits the vectors that answer now."""
        model = self._index.vectors.model
        for embedder in (self._wanted.embedder, self._earlier):
            if embedder is not None and embedder.key == model:
                return embedder
        return None

    @property
    def reason(self) -> str | None:
        """Why the wanted model is not loaded, for people; None when it is."""
        return self._wanted.reason

    @property
    def state(self) -> ModelState:
        """For `status`."""
        answering, wanted = self.answering, self.wanted
        return ModelState(
            self._rules.name,
            answering=None if answering is None else answering.key,
            wanted=None if wanted is None else wanted.key,
            reason=self.reason,
            degraded=_degraded(answering) or _degraded(wanted),
        )

    def load(self, *, fetch: bool) -> bool:
        """Load what is not loaded yet, and decide which model answers; waits.

        Returns whether the wanted model is there.
        """
        with self._lock:
            there = self._wanted.load(fetch=fetch) is not None
            if not there and not self._sought:
                self._sought = True
                earlier = self._index.answering_key()
                if earlier is not None and earlier.name != self._rules.name:
                    self._answer_by_earlier(earlier)
            return there

    def advance(self, *, complete: bool) -> bool:
        """Let the wanted model answer if it covers as much as the earlier one.

        `complete` says that nothing is left to embed. Returns whether the models changed over.
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

    def steadily(self, ask: Callable[[Embedder | None], T]) -> T:
        """Ask with the embedder that answers; once more, where the models changed meanwhile."""
        while True:
            model = self._index.vectors.model
            try:
                found = ask(self.answering)
            except ModelError:
                if self._index.vectors.model == model:
                    raise
            else:
                if self._index.vectors.model == model:
                    return found

    def close(self) -> None:
        """Let the embedders go."""
        with self._lock:
            self._drop_earlier()
            self._wanted.close()

    def _load_wanted(self, fetch: bool) -> Embedder:
        embedder = self._load(self._rules, fetch)
        try:
            self._choose(embedder)
        except BaseException:  # whatever it is: nobody else could close it
            embedder.close()
            raise
        return embedder

    def _choose(self, wanted: Embedder) -> None:
        """Decide which model answers from here on."""
        self._remember_folder(wanted.key)
        earlier = self._index.answering_key()
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
        return self._index.covered(wanted.key) < self._index.covered(earlier)

    def _answer_by_earlier(self, model: ModelKey) -> bool:
        """Load the model that answered last, from this computer alone, and let it answer."""
        if self._earlier is not None:
            return self._earlier.key == model
        rules = replace(
            self._rules,
            name=model.name,
            quantisation="fp32" if model.quantisation == "fp32" else "int8",
            folder=self._index.meta(_folder_of(model)) or None,
        )
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

    def _remember_folder(self, model: ModelKey) -> None:
        """Write down where the weights lie, for the day when the settings name another model."""
        folder = self._rules.folder or ""
        if self._index.writable and (self._index.meta(_folder_of(model)) or "") != folder:
            self._index.set_meta(_folder_of(model), folder)

    def _drop_earlier(self) -> None:
        earlier, self._earlier = self._earlier, None
        if earlier is not None:
            earlier.close()


def _folder_of(model: ModelKey) -> str:
    return f"folder of {model}"


def _degraded(embedder: object) -> Degraded | None:
    return embedder.degraded if isinstance(embedder, Degrading) else None
