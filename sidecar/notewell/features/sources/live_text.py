"""Shows in results what their blocks say at the source now, where it answers at once.

Ranking is that of the index and does not wait. After it, one request asks for the blocks shown,
for `BUDGET_S` at most; an answer that comes later is kept for the next search. Results whose text
could not be compared say of when they are.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from notewell.api import OpenVault
from notewell.api.errors import NotewellError, SourceError
from notewell.api.requests import iso
from notewell.api.search import UNLOGGED, Passage, Result, SearchReply, SearchRequest
from notewell.api.text import function_words, parse
from notewell.base.support.http import HttpClient, is_loopback
from notewell.features.sources import known
from notewell.features.sources.known import SourceState
from notewell.features.sources.page_store import PageAddresses
from notewell.features.sources.pages import (
    write_text,
)
from notewell.features.sources.roam_api import (
    SERVERS,
    Pace,
    RateLimiter,
    RoamApi,
    RoamDesktop,
    RoamServers,
    desktop_port,
    token_of,
)
from notewell.features.sources.spec import SourceSpec
from notewell.index.analyze import tokens
from notewell.search.show.snippets import Snippets
from notewell.search.show.windows import Snippet

BUDGET_S = 0.3
_FRESH_S = 30.0  # for which an answer counts as the current text
_PAUSE_S = 60.0  # after the source failed or refused
_KEPT_FREE = 10  # requests of a minute, for a sync
_MOST_BLOCKS = 100  # of one request
_MOST_CACHED = 2_000
_TIMEOUT_S = 5.0  # an answer that comes late is still of use to the next search
_MAX_BYTES = 4 * 1024 * 1024
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A block that a result shows: its uid, and its text as it was indexed, in Roam's markup."""

    uid: str
    indexed: str


@dataclass(slots=True)
class _Asking:
    """A request that is on its way. `done` is set when its answer is cached, or there is none."""

    done: threading.Event = field(default_factory=threading.Event)


class LiveText:
    """Refreshes the results of one vault. Any thread may call; one request is sent at a time."""

    def __init__(self, vault: OpenVault, limiter: RateLimiter) -> None:
        self._record = vault.record
        self._limiter = limiter
        self._settings = vault.settings
        self._folder = known.folder_of(vault.record)
        self._addresses = PageAddresses(self._folder)
        self._changing = threading.Lock()
        self._asking: _Asking | None = None
        self._source: RoamApi | None = None
        self._cached: dict[str, tuple[float, str | None]] = {}  # uid: when asked, its text
        self._silent_until = 0.0

    def refreshed(self, request: SearchRequest, reply: SearchReply) -> SearchReply:
        """The reply with the current text of its blocks, and marks where that is not known."""
        if self._record.source != "roam" or request.door == UNLOGGED or not reply.results:
            return reply
        try:
            state = known.load(self._folder)
        except SourceError:
            return reply
        if not is_live(state.spec):
            return reply
        shown = [self._blocks(result) for result in reply.results]
        texts = self._known(
            state, list(dict.fromkeys(block.uid for row in shown for block in row.values()))
        )
        snippets = Snippets(_weights(request), self._settings().search.snippet_chars)
        results = (
            self._result(result, blocks, texts, snippets, state.last)
            for result, blocks in zip(reply.results, shown, strict=True)
        )
        return replace(reply, results=tuple(results))

    # --- asking ---

    def _known(self, state: SourceState, uids: Sequence[str]) -> Mapping[str, str | None]:
        """The text of blocks now, as far as it can be known within the budget."""
        missing = [uid for uid in uids if not self._is_fresh(uid)][:_MOST_BLOCKS]
        if missing:
            asking = self._begin(state, missing)
            if asking is not None:
                asking.done.wait(BUDGET_S)
        cached = self._cached
        return {uid: cached[uid][1] for uid in uids if self._is_fresh(uid)}

    def _is_fresh(self, uid: str) -> bool:
        cached = self._cached.get(uid)
        return cached is not None and cached[0] + _FRESH_S > time.monotonic()

    def _begin(self, state: SourceState, uids: Sequence[str]) -> _Asking | None:
        """Ask in a thread; None where that is not possible now, so that no search waits in vain."""
        with self._changing:
            busy = self._asking is not None or time.monotonic() < self._silent_until
            if busy or self._limiter.left() <= _KEPT_FREE:
                return None
            self._asking = asking = _Asking()
        threading.Thread(
            target=self._ask, args=(asking, state, uids), name="live-text", daemon=True
        ).start()
        return asking

    def _ask(self, asking: _Asking, state: SourceState, uids: Sequence[str]) -> None:
        began = time.monotonic()
        try:
            if self._source is None:
                token = token_of(state.spec)
                self._source = current_texts(
                    state.spec, token, self._limiter, offline=self._settings().offline
                )
            if self._source is not None:
                self._keep(uids, self._source.texts(uids), began)
            else:
                self._silent_until = began + _PAUSE_S
        except NotewellError as error:
            self._source = None
            self._silent_until = time.monotonic() + _PAUSE_S
            log.info("%s is shown as it was indexed: %s", self._record.name, error.message)
        finally:
            with self._changing:
                self._asking = None
            asking.done.set()

    def _keep(self, uids: Iterable[str], texts: Mapping[str, str], asked: float) -> None:
        cached = self._cached | {uid: (asked, texts.get(uid)) for uid in uids}
        while len(cached) > _MOST_CACHED:
            cached.pop(next(iter(cached)))
        self._cached = cached

    # --- showing ---

    def _blocks(self, result: Result) -> dict[str, _Shown]:
        """The blocks that a result shows, by their ids in the note."""
        blocks = (result.block, *(passage.block for passage in result.passages))
        ids = [block for block in blocks if block is not None]
        note = result.path.removesuffix(".md")
        by_id = {block_id: self._addresses.block_of(note, block_id) for block_id in ids}
        return {block_id: _Shown(*block) for block_id, block in by_id.items() if block is not None}

    def _result(
        self,
        result: Result,
        blocks: Mapping[str, _Shown],
        known: Mapping[str, str | None],
        snippets: Snippets,
        last: float | None,
    ) -> Result:
        own = blocks.get(result.block or "")
        current = own is not None and known.get(own.uid) is not None
        snippet = self._snippet(result, own, known, snippets)
        passages = []
        for passage in result.passages:
            other = self._snippet(passage, blocks.get(passage.block or ""), known, snippets)
            passages.append(replace(passage, snippet=other.text, highlights=other.highlights))
        return replace(
            result,
            snippet=snippet.text,
            highlights=snippet.highlights,
            passages=tuple(passages),
            current=current,
            as_of=None if current else iso(last),
        )

    def _snippet(
        self,
        shown: Result | Passage,
        block: _Shown | None,
        known: Mapping[str, str | None],
        snippets: Snippets,
    ) -> Snippet:
        """That of a block that says something else now, within what was shown around it."""
        text = None if block is None else known.get(block.uid)
        if block is None or text is None or text == block.indexed:
            return Snippet(shown.snippet, shown.highlights, 0)
        before, now = self._line(block.indexed), self._line(text)
        around = before and before in shown.snippet
        return snippets.make(shown.snippet.replace(before, now, 1) if around else now)

    def _line(self, text: str) -> str:
        return " ".join(write_text(text, "roam", self._addresses).text.split())


def _weights(request: SearchRequest) -> dict[str, float]:
    """The words to highlight: those of the query, function words only if there are no others."""
    words = tokens(parse(request.q, plain=request.plain, scopes=True).text)
    light = function_words(words)
    return dict.fromkeys([word for word in words if word not in light] or words, 1.0)


def is_live(spec: SourceSpec) -> bool:
    """True if a source can be asked at all."""
    return spec.form in {"roam", "roam-desktop"}


def current_texts(
    spec: SourceSpec, token: str, limiter: RateLimiter, *, offline: bool
) -> RoamApi | None:
    """The client that asks a source; None where it may not be asked: without a token, or offline.

    Raises SourceError if Roam's desktop program is not found.
    """
    if not is_live(spec) or not token:
        return None
    client = HttpClient(timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES)
    if spec.form == "roam-desktop":
        port = desktop_port(Path(spec.place) if spec.place else Path.home())
        return RoamDesktop(spec.graph, token, port, client)
    place = spec.place or SERVERS
    if offline and not is_loopback(urlsplit(place).hostname or ""):
        return None
    pace = Pace(lambda _: None)
    return RoamServers(spec.graph, token, pace, place, client, limiter=limiter)
