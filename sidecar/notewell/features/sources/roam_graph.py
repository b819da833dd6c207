"""A graph of Roam as a feed: which pages changed, and their blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from notewell.errors import SourceError
from notewell.features.sources.pages import Item, Unread
from notewell.features.sources.roam_api import RoamApi
from notewell.features.sources.roam_page import DATABASE, page_of
from notewell.support.http import Json

BATCH = 50  # pages of one pull

_PAGES = "[:find ?uid ?t :where [?p :node/title] [?p :block/uid ?uid] [?p :edit/time ?t]]"
# A page's own time does not move when one of its blocks is edited.
_CHANGED = (
    "[:find ?uid (max ?t) :in $ ?since :where [?b :edit/time ?t] [(>= ?t ?since)]"
    " [?b :block/page ?p] [?p :block/uid ?uid]]"
)


class RoamGraph:
    """The pages of a graph. The methods are those of `Feed`."""

    def __init__(self, api: RoamApi) -> None:
        """Nothing is asked yet."""
        self._api = api

    def stamps(self, known: Mapping[str, int]) -> Mapping[str, int]:
        """See `Feed.stamps`. Asks for all pages, and for what changed since the last one known."""
        pages = {uid: _time(edited) for uid, edited in _pairs(self._api.query(_PAGES))}
        since = max(known.values(), default=0)
        changed: dict[str, int] = {}
        if since:
            changed = {uid: _time(t) for uid, t in _pairs(self._api.query(_CHANGED, since))}
        return {uid: max(changed.get(uid, 0), known.get(uid, 0), own) for uid, own in pages.items()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`."""
        wanted = list(uids or ())
        for start in range(0, len(wanted), BATCH):
            yield from self._batch(wanted[start : start + BATCH])

    def _batch(self, uids: Sequence[str]) -> Iterator[Item]:
        try:
            trees = self._api.pull(uids)
        except SourceError as error:
            if len(uids) == 1:
                yield Unread(uids[0], error.message)
                return
            if error.code != SourceError.code:  # the token or the graph, not one page
                raise
            for uid in uids:  # one of them is the reason; the others are read
                yield from self._batch((uid,))
            return
        for uid, tree in zip(uids, trees, strict=True):
            yield _item(uid, tree)


def _item(uid: str, tree: Json) -> Item:
    if not isinstance(tree, dict):
        return Unread(uid, "Roam has no such page any more")
    try:
        return page_of(tree, DATABASE)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Unread(uid, f"it is no page of Roam: {error}")


def _pairs(rows: Sequence[Sequence[Json]]) -> Iterator[tuple[str, Json]]:
    for row in rows:
        if len(row) == 2 and isinstance(row[0], str):
            yield row[0], row[1]


def _time(value: Json) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0
