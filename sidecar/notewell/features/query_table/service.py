"""Fits the query table of one vault in the background, and again when it has become another."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import cast

import filelock
import numpy as np

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotewellError, WriteError
from notewell.api.files import disk
from notewell.api.types import FloatArray
from notewell.api.vault import Embedder, RunProgress
from notewell.base.types import TeachesQueries
from notewell.features.query_table.fit import Lessons, agreement, fit, measure_agreement, table_of
from notewell.features.query_table.texts import Asker, common_words, names_of, near_words, spans
from notewell.models.query_table import WORDPIECE, QueryTable, TableHead, TokenVocabulary
from notewell.models.query_table_file import TableFile

_LOOK_S = 60.0  # between looks whether it is due; it begins at most once an hour
_HOUR_S = 3600.0
_WEEK_S = 7 * 86400.0
_LEAST_PASSAGES = 50
_MOST_WAITING = 0.02  # of the passages, for their vectors
_GROWN = 1.2
_FALLEN = 0.03
_SPANS, _NAMES, _INVENTED, _REPLACED = 60_000, 20_000, 10_000, 60_000
_HELD_OUT, _CHECKED = 2000, 300
_PROCESSOR_S = 200.0  # of embedding; what is not embedded by then is left out
_AT_ONCE = 64
_SEED = 7

log = logging.getLogger(__name__)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The query table of a vault, fitted when it is due while a writer serves the vault.

    Not by the schedule: it would be the next run of every vault at nearly all times.
    """
    work, closing = TableWork(vault), threading.Event()

    def look() -> None:
        while not closing.wait(_LOOK_S):
            try:
                work.begin_due()
            except NotewellError as error:
                log.warning("the query table is not fitted: %s", error.message)

    looks = threading.Thread(target=look, name="query-table", daemon=True)
    return OpenFeature(events={"vault_opened": looks.start}, close=closing.set)


class TableWork:
    """Fits the query table of one vault. Any thread."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._file = TableFile(vault.folder)

    def begin_due(self) -> None:
        """Begin to fit the table if there is none, the vault grew or the table is old.

        Raises as `RunLog.start`.
        """
        if not self._is_due():
            return
        latest = self._vault.runs.log.latest("table")
        if latest is None or not 0 <= time.time() - latest < _HOUR_S:
            self._vault.runs.begin("table", "schedule", self.work)

    def _is_due(self) -> bool:
        index = self._vault.index
        model, passages, vectors = index.vectors.model, index.chunk_count, index.vectors.count
        if model is None or vectors < max(_LEAST_PASSAGES, (1 - _MOST_WAITING) * passages):
            return False
        table = self._vault.query_table(model)
        if table is None or self._is_outgrown(table):
            return True
        return time.time() - table.head.made > _WEEK_S

    def _is_outgrown(self, table: QueryTable) -> bool:
        return self._vault.index.vectors.count > _GROWN * table.head.passages

    def work(self, progress: RunProgress) -> None:
        """Fit the table; one that fits still, by its agreement with the model, stays.

        Raises:
            ModelError: the model cannot embed.
            WriteError: the file cannot be written.
            CancelledError: the run was cancelled.

        """
        embedder = self._vault.embedder()
        model: object = embedder
        document = model.tokenizer_document() if isinstance(model, TeachesQueries) else None
        vocabulary = None if document is None else TokenVocabulary.of(document)
        if embedder is None or vocabulary is None:
            return  # a model of a service, or one that cuts texts in another way
        before = self._vault.query_table(embedder.key)
        try:
            with self._turn(progress):
                self._fit(_Made(self._vault, embedder, vocabulary, progress), before)
        except OSError as error:
            raise WriteError(
                f"The query table cannot be written ({error.strerror or error}); queries are"
                " answered by the model as before. Make room on the disk of the data directory."
            ) from error

    @contextmanager
    def _turn(self, progress: RunProgress) -> Iterator[None]:
        """One vault after the other, in whatever process, so that each has its processor time."""
        folder = self._vault.settings().data_dir
        lock = filelock.FileLock(
            folder / "query-table.lock", thread_local=False, mode=disk.FILE_MODE
        )
        while not lock.is_locked:
            progress.check()
            with suppress(filelock.Timeout):
                lock.acquire(timeout=1.0)
        try:
            yield
        finally:
            lock.release()

    def _fit(self, made: _Made, before: QueryTable | None) -> None:
        if before is not None and not self._is_outgrown(before) and made.agrees(before):
            table = replace(before, head=replace(before.head, made=time.time()))
        else:
            table = made.table()
        self._file.store(table)


class _Made:
    """One table being made: what it is made of, and the processor time that is left."""

    def __init__(
        self,
        vault: OpenVault,
        embedder: Embedder,
        vocabulary: TokenVocabulary,
        progress: RunProgress,
    ) -> None:
        self._vault, self._key, self._vocabulary = vault, embedder.key, vocabulary
        self._embed = cast("TeachesQueries", embedder).embed_queries
        self._progress = progress
        self._left = _PROCESSOR_S
        self._chance = random.Random(_SEED)  # noqa: S311 - of texts to learn from
        self._tokenizer = vocabulary.tokenizer()

    def agrees(self, table: QueryTable) -> bool:
        """True if a table agrees with the model nearly as well as when it was made."""
        texts = spans(self._vault.index, _CHECKED, random.Random())  # noqa: S311 - as above
        return agreement(table, texts, self._vectors(texts)) > table.head.agreement - _FALLEN

    def table(self) -> QueryTable:
        index, chance = self._vault.index, self._chance
        said = spans(index, _SPANS, chance)
        chance.shuffle(said)
        count = min(_HELD_OUT, len(said) // 10)
        held, said = said[:count], said[count:]
        names = names_of(index)
        names = chance.sample(names, min(len(names), _NAMES))
        self._keep([*said, *held, *names])
        tokens = [
            token.removeprefix("##").replace("\u2581", "") or token
            for token in self._vocabulary.tokens
        ]
        known = self._vectors(tokens, _PROCESSOR_S / 2)
        alone = np.zeros((len(tokens), known.shape[1]), np.float32)
        alone[: len(known)] = known
        held_vectors = self._vectors(held)
        lessons = self._lessons([*said, *names, *self._others(said, alone)])
        fitted = fit(lessons, alone, self._check)
        passages = index.vectors.count
        head = TableHead(str(self._key), time.time(), passages, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0))
        table = table_of(fitted, self._vocabulary, head)
        table = measure_agreement(table, held[: len(held_vectors)], held_vectors)
        self._progress.counts.update(
            texts=len(lessons.tokens),
            tokens=self._vocabulary.size,
            agreement=round(100 * table.head.agreement),
        )
        return table

    def _keep(self, said: Sequence[str]) -> None:
        """Leave the tokens that get a row: all of WordPiece's, of a larger vocabulary the vault's.

        Rows of a quarter of a million tokens would take gigabytes while they are fitted.
        """
        if self._vocabulary.kind != WORDPIECE:
            found = sorted({token for text in said for token in self._tokens(text)})
            self._vocabulary = self._vocabulary.only([self._vocabulary.tokens[at] for at in found])
            self._tokenizer = self._vocabulary.tokenizer()

    def _others(self, said: Sequence[str], alone: FloatArray) -> list[str]:
        """Texts with words that the vault may lack."""
        words = common_words(self._vocabulary.tokens, said)
        english = self._vocabulary.kind == WORDPIECE
        near: dict[str, list[str]] = {}
        if english:
            place = {token: at for at, token in enumerate(self._vocabulary.tokens)}
            wanted = {word for text in said for word in text.lower().split()}
            near = near_words(words, alone[[place[word] for word in words]], wanted)
        asker = Asker(words, near, self._chance, english)
        replaced: Iterator[str] = asker.replaced(said) if english else iter(())
        return [*islice(asker.invented(), _INVENTED), *islice(replaced, _REPLACED)]

    def _lessons(self, texts: list[str]) -> Lessons:
        self._chance.shuffle(texts)
        vectors = self._vectors(texts)
        return Lessons([self._tokens(text) for text in texts[: len(vectors)]], vectors)

    def _tokens(self, text: str) -> list[int]:
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [id_ for id_ in ids if id_ < self._vocabulary.size]

    def _vectors(self, texts: Sequence[str], spared_s: float = 0.0) -> FloatArray:
        """The model's vectors of the first texts: of all, if there is time enough.

        `spared_s` of the processor time is left for others.
        """
        found: list[FloatArray] = []
        for start in range(0, len(texts), _AT_ONCE):
            self._check()
            if self._left <= spared_s and found:
                break
            began = time.process_time()
            found.append(self._embed(texts[start : start + _AT_ONCE]))
            self._left -= time.process_time() - began
        return np.concatenate(found) if found else np.empty((0, 0), np.float32)

    def _check(self) -> None:
        self._progress.check()
        self._vault.give_way()
