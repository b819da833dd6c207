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

import filelock

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotewellError, WriteError
from notewell.api.files import disk
from notewell.api.types import FloatArray
from notewell.api.vault import ModelKey, RunProgress
from notewell.features.query_table.fit import Lessons, agreement, fit, measure_agreement, table_of
from notewell.features.query_table.teacher import Teacher
from notewell.features.query_table.texts import Asker, common_words, names_of, near_words, spans
from notewell.models.query_table import WORDPIECE, QueryTable, TableHead
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
        model, counts = index.vectors.model, index.counts()
        passages, vectors = counts.chunks, counts.vectors
        if model is None or vectors < max(_LEAST_PASSAGES, (1 - _MOST_WAITING) * passages):
            return False
        table = self._vault.query_table(model)
        if table is None or self._is_outgrown(table):
            return True
        return time.time() - table.head.made > _WEEK_S

    def _is_outgrown(self, table: QueryTable) -> bool:
        return self._vault.index.counts().vectors > _GROWN * table.head.passages

    def work(self, progress: RunProgress) -> None:
        """Fit the table; one that fits still, by its agreement with the model, stays.

        Raises:
            ModelError: the model cannot embed.
            WriteError: the file cannot be written.
            CancelledError: the run was cancelled.

        """
        embedder = self._vault.embedder()

        def check() -> None:
            progress.check()
            self._vault.give_way()

        teacher = Teacher.of(embedder, seconds=_PROCESSOR_S, check=check)
        if embedder is None or teacher is None:
            return
        before = self._vault.query_table(embedder.key)
        try:
            with self._turn(progress):
                self._fit(_Material(self._vault, embedder.key, teacher, progress), before)
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

    def _fit(self, material: _Material, before: QueryTable | None) -> None:
        if before is not None and not self._is_outgrown(before) and material.agrees(before):
            table = replace(before, head=replace(before.head, made=time.time()))
        else:
            table = material.table()
        self._file.store(table)


class _Material:
    """The vault and the teacher that one table is fitted to."""

    def __init__(
        self, vault: OpenVault, key: ModelKey, teacher: Teacher, progress: RunProgress
    ) -> None:
        self._vault, self._key, self._teacher = vault, key, teacher
        self._progress = progress
        self._chance = random.Random(_SEED)  # noqa: S311 - of texts to learn from

    def agrees(self, table: QueryTable) -> bool:
        """True if a table agrees with the model nearly as well as when it was made."""
        texts = spans(self._vault.index, _CHECKED, random.Random())  # noqa: S311 - as above
        vectors = self._teacher.vectors(texts)
        return agreement(table, texts, vectors) > table.head.agreement - _FALLEN

    def table(self) -> QueryTable:
        index, chance, teacher = self._vault.index, self._chance, self._teacher
        said = spans(index, _SPANS, chance)
        chance.shuffle(said)
        count = min(_HELD_OUT, len(said) // 10)
        held, said = said[:count], said[count:]
        names = names_of(index)
        names = chance.sample(names, min(len(names), _NAMES))
        teacher.keep_tokens_of([*said, *held, *names])
        alone = teacher.alone(_PROCESSOR_S / 2)
        held_vectors = teacher.vectors(held)
        lessons = self._lessons([*said, *names, *self._others(said, alone)])
        fitted = fit(lessons, alone, teacher.check)
        passages = index.counts().vectors
        head = TableHead(str(self._key), time.time(), passages, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0))
        table = table_of(fitted, teacher.vocabulary, head)
        table = measure_agreement(table, held[: len(held_vectors)], held_vectors)
        self._progress.counts.update(
            texts=len(lessons.tokens),
            tokens=teacher.vocabulary.size,
            agreement=round(100 * table.head.agreement),
        )
        return table

    def _others(self, said: Sequence[str], alone: FloatArray) -> list[str]:
        """Texts with words that the vault may lack."""
        vocabulary = self._teacher.vocabulary
        words = common_words(vocabulary.tokens, said)
        english = vocabulary.kind == WORDPIECE
        near: dict[str, list[str]] = {}
        if english:
            place = {token: at for at, token in enumerate(vocabulary.tokens)}
            wanted = {word for text in said for word in text.lower().split()}
            near = near_words(words, alone[[place[word] for word in words]], wanted)
        asker = Asker(words, near, self._chance, english)
        replaced: Iterator[str] = asker.replaced(said) if english else iter(())
        return [*islice(asker.invented(), _INVENTED), *islice(replaced, _REPLACED)]

    def _lessons(self, texts: list[str]) -> Lessons:
        self._chance.shuffle(texts)
        vectors = self._teacher.vectors(texts)
        return Lessons(self._teacher.tokens(texts[: len(vectors)]), vectors)
