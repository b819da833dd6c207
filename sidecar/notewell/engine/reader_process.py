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
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO

from notewell.base.support.program import release_freed_memory
from notewell.base.types import Embedder, ModelRules
from notewell.contract.search import SearchReply
from notewell.engine.feature import open_source, query_table
from notewell.engine.ingest.active_model import Models
from notewell.engine.reader_pool import Asked, SearchedVault, send
from notewell.engine.searcher import Searcher
from notewell.index.engines import open_index
from notewell.index.port import Index
from notewell.models.loading import load_embedder
from notewell.search.rank.evidence import UNTUNED, Tuning

_SEARCHES_PER_RELEASE = 100  # of memory; between them, some tens of megabytes are freed

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Opened:
    """A vault that is open here; `tuning` are the factors of the search that is done."""

    vault: SearchedVault
    index: Index
    models: Models
    searcher: Searcher
    tuning: Tuning = UNTUNED

    @classmethod
    def of(cls, vault: SearchedVault) -> _Opened:
        """Open the index to read, and load its model and what every search needs."""
        settings = vault.settings

        def load(rules: ModelRules, _fetch: bool) -> Embedder:
            return load_embedder(
                rules,
                model_dir=settings.model_dir,
                offline=True,
                fetch_missing=False,
                say=lambda _: None,
            )

        index = open_index(vault.directory, writable=False)
        models = Models(index, settings.model, load)
        uri = open_source(vault.features, vault.record, settings).uri
        tables = query_table(vault.features, vault.record.data_folder(settings.data_dir))
        searcher = Searcher(
            index,
            vault.record,
            settings,
            models,
            lambda: opened.tuning,
            find_table=tables,
            uri=uri,
        )
        opened = cls(vault, index, models, searcher)
        models.load(fetch=False)
        return opened

    def search(self, asked: Asked) -> SearchReply | None:
        """The reply; None where it might be another than the parent's."""
        if self.index.generation != asked.generation:
            return None
        if asked.model is not None:
            answering = self.models.for_search()
            if answering is None or answering.key != asked.model:
                return None
        self.tuning = asked.tuning
        return self.searcher.search(asked.request)

    def close(self) -> None:
        self.searcher.close()
        self.models.close()
        self.index.close()


class Reader:
    """Answers messages one after the other: a vault to open, or a search of one that is open."""

    def __init__(self) -> None:
        self._opened: dict[str, _Opened] = {}

    def answer(self, message: SearchedVault | Asked) -> int | SearchReply | None:
        """The generation at which a vault is open, or the reply of a search.

        None where this process could not answer alike, False where something failed.
        """
        try:
            if isinstance(message, Asked):
                return self._opened[message.vault].search(message)
            return self._open(message)
        except Exception as error:  # noqa: BLE001 - the parent searches itself, and tells what fails
            log.debug("not answered: %s", type(error).__name__)
            return False

    def _open(self, vault: SearchedVault) -> int:
        """Open a vault, or read what was saved since; returns the generation of its index."""
        known = self._opened.pop(vault.record.id, None)
        if known is not None and known.vault != vault:
            known.close()
            known = None
        opened = known or _Opened.of(vault)
        opened.index.refresh()
        opened.searcher.prepare()
        self._opened[vault.record.id] = opened
        return opened.index.generation


def main() -> None:
    """Answer messages on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends this
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing else may be among the replies
    serve(Reader(), sys.stdin.buffer, replies)


def serve(reader: Reader, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer messages until there are no more."""
    for number in count(1):
        try:
            message = pickle.load(requests)  # noqa: S301 - from the parent alone
        except EOFError:
            return
        send(replies, reader.answer(message))
        if not number % _SEARCHES_PER_RELEASE:
            release_freed_memory()


if __name__ == "__main__":
    main()
