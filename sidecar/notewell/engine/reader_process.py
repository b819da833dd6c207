"""A process that searches indexes which another process writes: a reader of `reader_pool.py`.

It maps the same snapshots. Its parent asks it only while it has all that was saved, and has it read
the index again after a change. What it cannot answer as its parent would, and what fails, the
parent does itself, and tells what failed. Messages are pickled: they come from this program.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

from notewell.base.errors import ModelError
from notewell.base.support.program import release_freed_memory
from notewell.base.types import Embedder, FloatArray, ModelKey, ModelRules
from notewell.contract.search import SearchReply
from notewell.engine.feature import files, open_source
from notewell.engine.ingest.active_model import Models
from notewell.engine.reader_pool import AskedSearch, Embed, LentModel, Opening, send
from notewell.engine.searcher import Searcher
from notewell.index.engines import open_index
from notewell.index.port import Index
from notewell.models.fetch import fetch
from notewell.models.loading import describe_model, load_embedder
from notewell.models.query_table_file import find_table_in
from notewell.models.tokens import KnownText, read_tokenizer, read_words
from notewell.search.weights import UNTUNED, Tuning

# Of memory: between them some tens of megabytes are freed, as by each reading of a changed index.
_SEARCHES_PER_RELEASE = 100

log = logging.getLogger(__name__)


class ServerEmbedder:
    """The server's model, as a reader uses it: the server embeds queries, its text is known here.

    A reader is many megabytes smaller so, and the vectors of the last queries are kept once.
    """

    def __init__(self, model: LentModel, text: KnownText, embed: Embed) -> None:
        self._text: Any = text
        self.cosines = model.cosines
        self.embed_query = embed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._text, name)

    def embed_passages(self, _texts: Sequence[str]) -> FloatArray:
        raise ModelError("A process that searches embeds no passages.")

    def close(self) -> None:
        """The model is the server's to close."""


@dataclass(slots=True)
class _Opened:
    """A vault that is open here; `tuning` are the factors of the search that is done."""

    wanted: Opening
    index: Index
    models: Models
    searcher: Searcher
    tuning: Tuning = UNTUNED

    @classmethod
    def of(cls, wanted: Opening, embed: Embed) -> _Opened:
        """Open the index to read, and load what every search needs."""
        vault, settings = wanted.vault, wanted.vault.settings
        index = open_index(vault.directory, writable=False)
        models = Models(index, settings.model, partial(_load, wanted, embed))
        uri = open_source(vault.features, vault.record, settings).uri
        folder = vault.record.data_folder(settings.data_dir)
        searcher = Searcher(
            index,
            vault.record,
            settings,
            models,
            lambda: opened.tuning,
            find_table=find_table_in(folder, files(vault.features)),
            uri=uri,
        )
        opened = cls(wanted, index, models, searcher)
        if wanted.model is not None:
            models.load(fetch=False)
        return opened

    def search(self, asked: AskedSearch) -> SearchReply | None:
        """The reply; None where it might be another than the parent's."""
        if self.index.generation != asked.generation:
            return None
        if asked.model is not None:
            answering = self.models.for_search()
            if answering is None or answering.key != asked.model.key:
                return None
        self.tuning = asked.tuning
        return self.searcher.search(asked.request)

    def close(self) -> None:
        self.searcher.close()
        self.models.close()
        self.index.close()


def _load(wanted: Opening, embed: Embed, rules: ModelRules, _fetch: bool) -> Embedder:
    """The model of the server, or the same model here where its text cannot be known without."""
    model, model_dir = wanted.model, wanted.vault.settings.model_dir
    if model is not None and (text := _known_text(rules, model.key, model_dir)) is not None:
        return cast("Embedder", ServerEmbedder(model, text, embed))
    return load_embedder(
        rules, model_dir=model_dir, offline=True, fetch_missing=False, say=lambda _: None
    )


def _known_text(rules: ModelRules, key: ModelKey, model_dir: Path) -> KnownText | None:
    """The tokens and token vectors of the model with this key, without its runtime.

    None if the key is not of the model that `rules` name, or if that model needs its runtime.
    """
    spec, folder = describe_model(rules)
    if spec is None or spec.runtime != "onnx":
        return None
    files = fetch(spec, model_dir=model_dir, folder=folder, offline=True)
    if (spec.name, files.weights_hash) != (key.name, key.weights_hash):
        return None
    return KnownText(spec, key, read_tokenizer(spec, files), read_words(files, model_dir))


class VaultSearcher:
    """Message loop of a reader process: opens vaults and runs searches.

    `ask` gives the server's vector of a query, or why there is none.
    """

    def __init__(self, ask: Callable[[str], FloatArray | str]) -> None:
        self._opened: dict[str, _Opened] = {}
        self._ask = ask
        self._known: tuple[str, FloatArray | str] | None = None

    def answer(self, message: Opening | AskedSearch) -> int | SearchReply | None:
        """The generation at which a vault is open, or the reply of a search.

        None where this process could not answer alike, False where something failed.
        """
        try:
            if isinstance(message, AskedSearch):
                self._known = message.known
                return self._opened[message.vault].search(message)
            return self._open(message)
        except Exception as error:  # noqa: BLE001 - the parent searches itself, and tells what fails
            log.debug("not answered: %s", type(error).__name__)
            return False

    def _embed(self, text: str) -> FloatArray:
        """The vector of a query: the one that came with the search, or of the server."""
        known = self._known
        vector = known[1] if known is not None and known[0] == text else self._ask(text)
        if isinstance(vector, str):
            raise ModelError(vector)
        return vector

    def _open(self, wanted: Opening) -> int:
        """Open a vault, or read what was saved since; returns the generation of its index."""
        known = self._opened.pop(wanted.vault.record.key, None)
        if known is not None and known.wanted != wanted:
            known.close()
            known = None
        opened = known or _Opened.of(wanted, self._embed)
        opened.index.refresh()
        opened.searcher.prepare()
        self._opened[wanted.vault.record.key] = opened
        return opened.index.generation


def main() -> None:
    """Answer messages on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends this
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing else may be among the replies
    serve(sys.stdin.buffer, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer messages until there are no more."""
    ahead: deque[AskedSearch] = deque()  # searches that came while this one asked for a vector

    def ask(text: str) -> FloatArray | str:
        send(replies, text)
        while isinstance(message := pickle.load(requests), AskedSearch):  # noqa: S301 - from the parent
            ahead.append(message)
        return cast("FloatArray | str", message)

    reader = VaultSearcher(ask)
    for number in count(1):
        try:
            message = ahead.popleft() if ahead else pickle.load(requests)  # noqa: S301 - from the parent
        except EOFError:
            return
        send(replies, reader.answer(message))
        if isinstance(message, Opening) or not number % _SEARCHES_PER_RELEASE:
            release_freed_memory()


if __name__ == "__main__":
    main()
