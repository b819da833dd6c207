"""Brings the notes of a source up to date: asks for what changed, and goes on where it stopped.

Pages are asked for in batches; each batch is kept in one transaction, and a list of those still to
be asked for stands beside them. So a sync that ends at any instant loses at most one batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import CancelledError, NotewellError, SourceError, UsageError
from notewell.api.vault import RunProgress
from notewell.contract.status import Trigger
from notewell.engine.ingest.plan import guard
from notewell.features.sources import known
from notewell.features.sources.feeds import Reach, feed_of
from notewell.features.sources.known import SourceState
from notewell.features.sources.live_text import LiveText
from notewell.features.sources.page_store import PageStore
from notewell.features.sources.pages import (
    Feed,
    Item,
    SourceDocument,
    SourcePage,
    Unread,
)
from notewell.features.sources.requests import SourceSyncReply, SyncSource
from notewell.features.sources.roam_api import (
    RateLimiter,
    token_of,
)

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
        pages = [page for page in batch if not isinstance(page, Unread)]
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
    unread = [item for item in batch if isinstance(item, Unread)]
    for page in unread:
        progress.problem(page.name, page.why)
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
            done = self._sync(progress, state, remove=remove)
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
        self._save(_state_after(state, done))
        self._vault.reindex()

    def _sync(self, progress: RunProgress, state: SourceState, *, remove: bool) -> Synced:
        offline = self._vault.settings().offline
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


def open_feature(vault: OpenVault) -> OpenFeature:
    """The source of a vault, if its notes are converted from one."""
    syncs = SourceSync(vault)
    live = LiveText(vault, syncs.limiter)
    return OpenFeature(
        answers={SyncSource: lambda one: syncs.begin(remove_missing=one.remove_missing)},
        runs={"sync": lambda: syncs.begin(trigger="schedule")},
        events={"results_ready": live.refreshed},
    )


def _state_after(state: SourceState, done: Synced) -> SourceState:
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
