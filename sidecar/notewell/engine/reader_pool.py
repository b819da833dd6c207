"""Shares searches with other processes, so that several processors search at the same time.

Python runs in one thread at a time, so one process searches on one processor. The server answers
all requests itself: who may ask, how often, what is logged. It hands over only the work of a search
and gets a reply, which it sends as if it were its own. So there is nothing that processes would
have to agree on, and a reader that is killed loses nothing: its search is done here instead.

A search that comes alone is done here, where it costs least. Readers are started when searches have
waited for each other for some time, and end when nobody has asked them for ten minutes.
"""

from __future__ import annotations

import logging
import pickle
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, cast

from notewell.base.errors import ModelError, on_error
from notewell.base.support import interrupt
from notewell.base.support.program import searcher_command
from notewell.base.types import (
    CosineScale,
    Embedder,
    FloatArray,
    ModelKey,
    Settings,
    VaultRecord,
    knows_cosines,
)
from notewell.base.types.frozen import frozen
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.feature import Feature
from notewell.models.resilient import usable_processors
from notewell.search.query.parser import parse
from notewell.search.weights import Tuning

_WAITED, _WITHIN_S = 12, 10.0  # searches that had to wait within so many seconds: a reader starts
_REST_S = 60.0  # after a start that failed, or was of no use: the next may be as well
_HUNG_S = 4.0  # after which a search is taken back: well within the time limit of a request
# Reading a changed index takes at most a fifth of a reader's time; far less where it had changed
# again before a search came.
_READING_SHARE, _READING_IN_VAIN = 5, 50
# Searches that a reader is given at once: it does the next one while the server takes the reply.
_AHEAD = 2
_IDLE_S = 600.0  # without a search, after which a reader ends and gives its memory back
_LOOK_S = 0.5  # how often both are looked at, and whether anybody still waits for a search
# What talking to a process that has ended raises, and reading half of what it sent.
_ENDED = (OSError, EOFError, ValueError, pickle.UnpicklingError)

Embed = Callable[[str], FloatArray]  # the vector of a query (dimensions,); raises ModelError

log = logging.getLogger(__name__)


@frozen
class SearchedVault:
    """The parts that a reader needs to search a vault; `directory` has its index."""

    record: VaultRecord
    directory: Path
    settings: Settings
    features: tuple[Feature, ...]


@frozen
class LentModel:
    """The server's model as a reader knows it; it embeds the queries for its readers too."""

    key: ModelKey
    cosines: CosineScale | None

    @classmethod
    def of(cls, embedder: Embedder) -> LentModel:
        """The model of an embedder."""
        model: object = embedder
        return cls(embedder.key, model.cosines if knows_cosines(model) else None)


@frozen
class Opening:
    """A vault that a reader is to open, or to read again, for searches with this model or none."""

    vault: SearchedVault
    model: LentModel | None


@frozen
class AskedSearch:
    """A search of a vault, by its id, at a generation of its index.

    `model` is that of the vectors, None for a search by words; `tuning` are the vault's factors.
    `known` is the text of the query with its vector, or why it has none, if it was embedded ahead.
    """

    vault: str
    generation: int
    model: LentModel | None
    tuning: Tuning
    request: SearchRequest
    known: tuple[str, FloatArray | str] | None = None


def reader_count(setting: Literal["auto"] | int) -> int:
    """The most readers of a server: those that are set, or one fewer than processors."""
    return max(usable_processors() - 1, 1) if setting == "auto" else setting


def send(stream: BinaryIO, message: object) -> None:
    """Write a message."""
    pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


class _Reader:
    """A reader's process. Its replies are read in the order in which it was asked.

    `taken` is how many searches it has, `_AHEAD` while it may have no other.
    """

    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - a fixed command of our own
            searcher_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.vaults: dict[str, tuple[Opening, int]] = {}  # open, each at a generation
        self.reads_again = 0.0  # when it may
        self.was_of_use = True  # has answered since it last read
        self.opening: str | None = None
        self.used = time.monotonic()
        self.taken = _AHEAD
        self._sending, self._last_reply = threading.Lock(), threading.Lock()

    def has_open(self, wanted: Opening, generation: int) -> bool:
        """True if it has the vault open, with these settings and model, and all that was saved."""
        known, at = self.vaults.get(wanted.vault.record.key, (None, 0))
        if known is None or known.vault is not wanted.vault or at != generation:
            return False
        return wanted.model in {None, known.model}

    def open(self, wanted: Opening) -> bool:
        """Have it open a vault, or read what changed in it. Raises one of `_ENDED`."""
        self.opening, begun = wanted.vault.record.key, time.monotonic()
        self._send(wanted)
        generation = self._answer()
        opened = isinstance(generation, int) and not isinstance(generation, bool)
        if opened:
            self.vaults[self.opening] = wanted, cast("int", generation)
        self.opening, self.used = None, time.monotonic()
        share = _READING_SHARE if self.was_of_use else _READING_IN_VAIN
        self.reads_again = self.used + (share - 1) * (self.used - begun)
        self.was_of_use = False
        return opened

    def search(self, asked: AskedSearch, embed: Embed | None) -> SearchReply | None:
        """Its reply, which may need the vector of a query; None if it has none.

        Raises one of `_ENDED`, and what `embed` raises but for ModelError, which it is told.
        """
        own = threading.Lock()
        with own:
            with self._sending:
                before, self._last_reply = self._last_reply, own
                self._send(asked)
            with before:
                self.used = time.monotonic()
                reply = self._answer()
                while isinstance(reply, str) and embed is not None:
                    vector = _vector(reply, embed)
                    with self._sending:
                        self._send(vector)
                    reply = self._answer()
        self.used = time.monotonic()
        if isinstance(reply, SearchReply):
            self.was_of_use = True
            return reply
        if reply is None:  # it has another model or generation: opened anew, later
            self.vaults.pop(asked.vault, None)
        return None

    def _send(self, message: Opening | AskedSearch | FloatArray | str) -> None:
        send(cast("BinaryIO", self.process.stdin), message)

    def _answer(self) -> object:
        return pickle.load(cast("BinaryIO", self.process.stdout))  # noqa: S301 - of our own process

    @property
    def searching(self) -> bool:
        return self.taken > 0 and self.opening is None

    def is_of_no_use(self) -> bool:
        """True if it should have answered long ago, or nobody has asked it for long."""
        return time.monotonic() - self.used > (_HUNG_S if self.searching else _IDLE_S)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(*_ENDED):  # what could not be sent any more
                cast("BinaryIO", stream).close()


def _embed(asked: AskedSearch, embed: Embed) -> AskedSearch:
    """The search with its vector: the query is embedded while it waits for a process.

    A reader that asks for a vector waits for this process, which may be at work. If the query is
    corrected, its reader asks for another; if it is searched here, the vector is still kept.
    """
    text = parse(asked.request.q, plain=asked.request.plain, scopes=True).text
    if text and not asked.request.typing:
        return replace(asked, known=(text, _vector(text, embed)))
    return asked


def _vector(text: str, embed: Embed) -> FloatArray | str:
    """The vector of a query, or why there is none."""
    try:
        return embed(text)
    except ModelError as error:
        return error.message


class ReaderPool:
    """The readers of one server, at most `most`. Any thread may call; nothing is started yet."""

    def __init__(self, most: int = 0) -> None:
        """With `most` 0, every search is done here."""
        self.most = most
        self._changed = threading.Condition()
        self._all: list[_Reader] = []
        self._here = 0  # searches that are done in this process
        self._waited: deque[float] = deque(maxlen=_WAITED)
        self._starting, self._rests_until, self._closed = False, 0.0, False

    def search(
        self,
        vault: SearchedVault,
        asked: AskedSearch,
        here: Callable[[], SearchReply],
        embed: Embed | None = None,
    ) -> SearchReply:
        """The reply of this process if it is free, else of the reader that has least to do.

        `here` searches in this process. `embed` is that of the model that is asked with. Raises
        what `here` raises.
        """
        asked = asked if embed is None or not self._all else _embed(asked, embed)
        reader = self._take(Opening(vault, asked.model), asked.generation)
        if reader is not None:
            reply = self._by(reader, asked, embed)
            if reply is not None:
                return reply
            with self._changed:
                self._here += 1
        try:
            return here()
        finally:
            with self._changed:
                self._here -= 1
                self._changed.notify_all()

    def ready(self) -> tuple[int, ...]:
        """The numbers of the processes of the readers that are free."""
        with self._changed:
            return tuple(reader.process.pid for reader in self._all if not reader.taken)

    def forget(self, vault: str) -> None:
        """End the readers that have a vault open, because its index is closed."""
        with self._changed:
            readers = [reader for reader in self._all if vault in (*reader.vaults, reader.opening)]
        for reader in readers:
            self._drop(reader)

    def close(self) -> None:
        """End all readers; nothing is handed over any more."""
        with self._changed:
            self._closed = True
            readers = list(self._all)
        for reader in readers:
            self._drop(reader)

    def _take(self, wanted: Opening, generation: int) -> _Reader | None:
        """Wait for a process to search a vault; None is this one, which counts the search."""
        waited = False
        with self._changed:
            while True:
                fitting = [reader for reader in self._all if reader.has_open(wanted, generation)]
                if not self._here or not fitting:
                    if self._here:
                        self._wish(wanted, generation)  # meanwhile threads take turns
                    self._here += 1
                    return None
                reader = min(fitting, key=lambda one: one.taken)
                if reader.taken and not waited:
                    waited = True
                    self._wish(wanted, generation)
                if reader.taken < _AHEAD:
                    if not reader.taken:
                        reader.used = time.monotonic()
                    reader.taken += 1
                    return reader
                self._changed.wait(_LOOK_S)
                interrupt.check()

    def _wish(self, wanted: Opening, generation: int) -> None:
        """Note that a search has to wait; after some, another reader gets ready for its vault."""
        if not self.most or self._starting or self._closed:
            return
        now = time.monotonic()
        self._waited.append(now)
        often = len(self._waited) == _WAITED and now - self._waited[0] < _WITHIN_S
        free = [reader for reader in self._all if not reader.taken]
        stale = [reader for reader in free if not reader.has_open(wanted, generation)]
        unready = next((reader for reader in stale if now >= reader.reads_again), None)
        if not often or now < self._rests_until:
            return
        if unready is None and len(self._all) >= self.most:
            return
        if unready is not None:
            unready.taken = _AHEAD
        self._starting = True
        self._waited.clear()
        begin = threading.Thread(
            target=self._begin, args=(wanted, unready), name="start-reader", daemon=True
        )
        begin.start()

    def _begin(self, wanted: Opening, reader: _Reader | None) -> None:
        """Have a reader open a vault, a new one if none is given."""
        ready = False
        try:
            if reader is None:
                reader = _Reader()
                with self._changed:
                    self._all.append(reader)
                    first = len(self._all) == 1
                if first:
                    threading.Thread(target=self._watch, name="readers", daemon=True).start()
            ready = reader.open(wanted)
        except _ENDED as error:
            log.debug("a process that searches could not be started: %s", error)
        with self._changed:
            self._starting = False
            if not ready:
                self._rests_until = time.monotonic() + _REST_S
            ready = ready and not self._closed
            if ready and reader is not None:
                reader.taken = 0
                self._changed.notify_all()
        if reader is not None and not ready:
            self._drop(reader)

    def _by(self, reader: _Reader, asked: AskedSearch, embed: Embed | None) -> SearchReply | None:
        """The reply of a reader that was taken; None if it has none, or has ended.

        A reader is dropped whose search fails here: its next reply would be to this search.
        """
        try:
            with on_error(partial(self._drop, reader)):
                reply = reader.search(asked, embed)
        except _ENDED:
            log.warning("A process that searches has ended; the server does its search.")
            return None
        with self._changed:
            if asked.vault not in reader.vaults:
                self._rests_until = time.monotonic() + _REST_S
            reader.taken -= 1
            self._changed.notify_all()
        return reply

    def _watch(self) -> None:
        """End readers that are of no use, as long as there are some."""
        while readers := list(self._all):
            for reader in filter(_Reader.is_of_no_use, readers):
                if reader.searching:
                    reader.process.kill()  # whoever has taken it learns that it has ended
                else:
                    self._drop(reader)
            time.sleep(_LOOK_S)

    def _drop(self, reader: _Reader) -> None:
        with self._changed:
            if reader in self._all:
                self._all.remove(reader)
            self._changed.notify_all()
        reader.end()
