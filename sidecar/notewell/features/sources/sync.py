"""Brings the notes of a source up to date: asks for what changed, and goes on where it stopped.

Pages are asked for in batches; each batch is kept in one transaction, and a list of those still to
be asked for stands beside them. So a sync that ends at any instant loses at most one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

from notewell.features.sources.page_store import PageStore
from notewell.features.sources.pages import Feed, Item, SourceDocument, SourcePage, Unread

BATCH = 50  # pages; what Roam gives at once

T = TypeVar("T")


class Watch(Protocol):
    """Counts what a sync does, and ends it."""

    def check(self) -> None:
        """Raise CancelledError if the sync has to stop."""
        ...

    def count(self, what: str, number: int = 1) -> None:
        """Count what was done, under a word for people."""
        ...

    def problem(self, path: str | None, why: str) -> None:
        """Tell of something that went wrong without ending the sync."""
        ...


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
    watch: Watch,
    *,
    guard: Callable[[Sequence[str], int], Sequence[str]],
    remove_missing: bool = False,
) -> Synced:
    """Fetch, convert and write what changed.

    `guard(missing, known)` gives those missing pages that are not removed without a person's word;
    `remove_missing` is that word. Raises what the feed raises, CancelledError, and OSError where
    the disk refuses. What was done until then stays.
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
        watch.check()
        pages = [one for one in batch if not isinstance(one, Unread)]
        unread += _tell(batch, watch)
        changed += _keep(store, pages, seen, watch)
    removed, held = 0, 0
    if stamps is not None or not unread:  # of an export that was cut off the rest is unknown
        present = seen if stamps is None else stamps.keys()
        gone = [uid for uid in known if uid not in present]
        kept = () if remove_missing else guard(gone, len(known))
        going = [uid for uid in gone if uid not in set(kept)]
        store.remove(going)
        removed, held = len(going), len(kept)
        watch.count("removed", removed)
    for _ in store.write():
        watch.check()
        watch.count("written")
    return Synced(changed, removed, held, unread)


def _keep(
    store: PageStore, pages: Iterable[SourcePage | SourceDocument], seen: set[str], watch: Watch
) -> int:
    """Put the pages that are new or changed; returns how many."""
    changed = []
    for page in pages:
        if page.uid in seen:
            watch.problem(page.uid, "two pages of the source have this uid; the first is kept")
            continue
        seen.add(page.uid)
        watch.count("read")
        if store.is_known(page):
            store.touch(page.uid, page.edited)
        else:
            changed.append(page)
    for problem in store.put(changed):
        watch.problem(None, problem)
    watch.count("changed", len(changed))
    return len(changed)


def _tell(batch: Iterable[Item], watch: Watch) -> int:
    unread = [one for one in batch if isinstance(one, Unread)]
    for one in unread:
        watch.problem(one.name, one.why)
    return len(unread)


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
