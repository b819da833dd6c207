"""Brings the notes of a source up to date: asks for what changed, and goes on where it stopped.

Pages are asked for in batches; each batch is kept in one transaction, and a list of those still to
be asked for stands beside them. So a sync that ends at any instant loses at most one batch.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from notewell.base.errors import CancelledError, NotewellError, SourceError, UsageError
from notewell.base.support.http import HttpClient
from notewell.base.support.http.connection import is_loopback
from notewell.contract.request import iso
from notewell.contract.search import UNLOGGED, Passage, Result, SearchReply, SearchRequest
from notewell.contract.status import Trigger
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.engine.ingest.plan import guard
from notewell.engine.runs import RunProgress
from notewell.features.sources import known
from notewell.features.sources.feeds import Reach, feed_of
from notewell.features.sources.known import SourceState
from notewell.features.sources.page_store import PageAddresses, PageStore
from notewell.features.sources.pages import (
    Feed,
    Item,
    SourceDocument,
    SourcePage,
    Unread,
    write_text,
)
from notewell.features.sources.requests import SourceSyncReply, SyncSource
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
from notewell.search.query.language import parse
from notewell.search.query.terms import function_words
from notewell.search.show.snippets import Snippet, Snippets

BATCH = 50  # pages; what Roam gives at once

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Synced:
    """The counts of a sync. `held` pages are missing and stay until a person confirms that."""

    changed: int
    removed: int
    held: int
    unread: int


def sync(
    store: PageStore,
    feed: Feed,
    progress: RunProgress,
    *,
    remove_missing: bool = False,
) -> Synced:
    """Fetch, convert and write what changed.

    `remove_missing`: a person says that pages which are missing are gone, however many. Raises what
    the feed raises, CancelledError, and OSError where the disk refuses. What was done until then
    stays.
    """
    known = store.edited()
    stamps = feed.stamps(known)
    if stamps is None:
        wanted = None
    else:
        stale = [uid for uid, edited in stamps.items() if known.get(uid) != edited or not edited]
        wanted = tuple(dict.fromkeys((*(u for u in store.pending() if u in stamps), *stale)))
        store.expect(wanted)
    seen: set[str] = set()
    changed = unread = 0
    for batch in _batches(feed.items(wanted) if wanted is None or wanted else (), BATCH):
        progress.check()
        pages = [one for one in batch if not isinstance(one, Unread)]
        unread += _tell(batch, progress)
        changed += _keep(store, pages, seen, progress)
    removed, held = 0, 0
    if stamps is not None or not unread:  # of an export that was cut off the rest is unknown
        present = seen if stamps is None else stamps.keys()
        gone = [uid for uid in known if uid not in present]
        kept = () if remove_missing else guard(gone, len(known))
        going = [uid for uid in gone if uid not in set(kept)]
        store.remove(going)
        removed, held = len(going), len(kept)
        progress.counts["removed"] += removed
    for _ in store.write():
        progress.check()
        progress.counts["written"] += 1
    return Synced(changed, removed, held, unread)


def _keep(
    store: PageStore,
    pages: Iterable[SourcePage | SourceDocument],
    seen: set[str],
    progress: RunProgress,
) -> int:
    """Put the pages that are new or changed; returns how many."""
    changed = []
    for page in pages:
        if page.uid in seen:
            progress.problem(page.uid, "two pages of the source have this uid; the first is kept")
            continue
        seen.add(page.uid)
        progress.counts["read"] += 1
        if store.is_known(page):
            store.touch(page.uid, page.edited)
        else:
            changed.append(page)
    for problem in store.put(changed):
        progress.problem(None, problem)
    progress.counts["changed"] += len(changed)
    return len(changed)


def _tell(batch: Iterable[Item], progress: RunProgress) -> int:
    unread = [one for one in batch if isinstance(one, Unread)]
    for one in unread:
        progress.problem(one.name, one.why)
    return len(unread)


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


class SourceSync:
    """Brings the notes of one vault up to date with their source. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self.limiter = RateLimiter()  # also of those who ask the source between syncs
        self._vault = vault
        self._record = vault.record

    def begin(
        self, *, remove_missing: bool = False, trigger: Trigger = "manual"
    ) -> SourceSyncReply:
        """Start a sync in a thread.

        Raises UsageError for a vault that has no source, SourceError if the source is not known
        any more, and AlreadyRunningError.
        """
        if not self._record.is_converted:
            raise UsageError(
                f"{self._record.name} is a folder of notes and needs no sync: it is watched.",
                code="no_source",
            )
        state = known.load(known.folder_of(self._record))
        run = self._vault.runs.begin(
            "sync", trigger, lambda progress: self._run(progress, state, remove=remove_missing)
        )
        return SourceSyncReply(self._record.name, str(run))

    def _run(self, progress: RunProgress, state: SourceState, *, remove: bool) -> None:
        try:
            done = self._synced(progress, state, remove=remove)
        except CancelledError:
            self._save(replace(state, state="incomplete"))
            raise
        except OSError as error:
            why = f"The notes cannot be written: {error.strerror or error}. The next sync goes on."
            self._save(state.ended("failed", time.time(), error=why))
            raise SourceError(why) from error
        except NotewellError as error:
            self._save(state.ended("failed", time.time(), error=error.message))
            raise
        self._save(_ended(state, done))
        self._vault.reindex()

    def _synced(self, progress: RunProgress, state: SourceState, *, remove: bool) -> Synced:
        offline = self._vault.settings.offline
        feed = feed_of(state.spec, Reach(token_of, progress.wait, offline, self.limiter))
        store = PageStore(known.folder_of(self._record), self._record.path, state.spec.outline)
        try:
            return sync(store, feed, progress, remove_missing=remove)
        finally:
            store.close()

    def _save(self, state: SourceState) -> None:
        try:
            known.save(known.folder_of(self._record), state)
        except OSError as error:
            raise SourceError(
                f"The state of {self._record.name} cannot be written: {error.strerror or error}."
            ) from error


def opened(vault: OpenVault) -> OpenFeature:
    """The source of a vault, if its notes are converted from one."""
    syncs = SourceSync(vault)
    live = LiveText(vault, syncs.limiter)
    return OpenFeature(
        answers={SyncSource: lambda one: syncs.begin(remove_missing=one.remove_missing)},
        runs={"sync": lambda: syncs.begin(trigger="schedule")},
        refresh=live.refreshed,
    )


def _ended(state: SourceState, done: Synced) -> SourceState:
    if done.held:
        why = (
            f"{done.held:,} pages are missing in the source and stay here until you confirm that"
            " they are gone: `notewell sources sync NAME --remove-missing`."
        )
        return state.ended("held", time.time(), error=why, held=done.held)
    if done.unread:
        pages = "1 page" if done.unread == 1 else f"{done.unread:,} pages"
        why = f"{pages} could not be read; `notewell runs show ID` tells why (ID: see `runs list`)."
        return state.ended("incomplete", time.time(), error=why)
    return state.ended("ready", time.time())


# Shows in results what their blocks say at the source now, where it answers at once.
#
# Ranking is that of the index and does not wait. After it, one request asks for the blocks shown,
# for `BUDGET_S` at most; an answer that comes later is kept for the next search. Results whose text
# could not be compared say of when they are.

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
        self._offline = vault.settings.offline
        self._chars = vault.settings.search.snippet_chars
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
            state, list(dict.fromkeys(one.uid for row in shown for one in row.values()))
        )
        snippets = Snippets(_weights(request), self._chars)
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
            asking = self._begun(state, missing)
            if asking is not None:
                asking.done.wait(BUDGET_S)
        cached = self._cached
        return {uid: cached[uid][1] for uid in uids if self._is_fresh(uid)}

    def _is_fresh(self, uid: str) -> bool:
        found = self._cached.get(uid)
        return found is not None and found[0] + _FRESH_S > time.monotonic()

    def _begun(self, state: SourceState, uids: Sequence[str]) -> _Asking | None:
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
                    state.spec, token, self._limiter, offline=self._offline
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
        ids = [each for each in blocks if each is not None]
        note = result.path.removesuffix(".md")
        found = {each: self._addresses.block_of(note, each) for each in ids}
        return {each: _Shown(*block) for each, block in found.items() if block is not None}

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
        made = self._snippet(result, own, known, snippets)
        passages = []
        for one in result.passages:
            other = self._snippet(one, blocks.get(one.block or ""), known, snippets)
            passages.append(replace(one, snippet=other.text, highlights=other.highlights))
        return replace(
            result,
            snippet=made.text,
            highlights=made.highlights,
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
    found = tokens(parse(request.q, plain=request.plain, scopes=True).text)
    light = function_words(found)
    return dict.fromkeys([word for word in found if word not in light] or found, 1.0)


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
