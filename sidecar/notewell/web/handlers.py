"""One function a route: from a checked request to a reply. Nothing here blocks the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notewell import API_VERSION
from notewell.contract.changes import AcceptedReply, SyncReply
from notewell.contract.log import (
    ClearedReply,
    LogReply,
    OpenedReply,
    VerdictReply,
)
from notewell.contract.notes import NoteReply
from notewell.contract.search import SearchReply
from notewell.contract.server import HealthReply, VaultsReply
from notewell.contract.status import LedgerReply, StatusReply
from notewell.engine.event_stream import Following
from notewell.web.metrics import VaultFigures
from notewell.web.request_models import Asked, VaultAsked
from notewell.web.schema import (
    EventsAsked,
    LedgerAsked,
    NoteAsked,
    ReindexAsked,
    SearchAsked,
    SimilarAsked,
    SimilarTextAsked,
)
from notewell.web.schema_changes import ChangesAsked, GuardAsked, SyncAsked
from notewell.web.schema_explore import ExploreAsked
from notewell.web.schema_log import LogAsked, LogClearAsked, OpenedAsked, VerdictAsked
from notewell.web.site import Site

if TYPE_CHECKING:
    from notewell.engine.explore import Explored


async def health(site: Site, _asked: Asked) -> HealthReply:
    """Say that the server is there; tells nothing of a vault."""
    return HealthReply(status="ok", version=site.version, api=API_VERSION, features=site.features)


async def vaults(site: Site, _asked: Asked) -> VaultsReply:
    """List the known vaults."""
    return await site.known_vaults()


async def status(site: Site, asked: VaultAsked) -> StatusReply:
    """Report where a vault's index stands."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.status)


async def search(site: Site, asked: SearchAsked) -> SearchReply:
    """Find notes."""
    engine = site.engine(asked.vault)
    reply = await engine.call(engine.search, asked.request())
    site.metrics.searched(reply)
    return reply


async def similar(site: Site, asked: SimilarAsked | SimilarTextAsked) -> SearchReply:
    """Find notes like a note or a text."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.similar, asked.request())


async def note(site: Site, asked: NoteAsked) -> NoteReply:
    """Show a note with all that is known of it."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.note, asked.path)


async def explore(site: Site, asked: ExploreAsked) -> Explored:
    """Answer a question about a vault as a whole."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.explore, asked.question())


async def ledger(site: Site, asked: LedgerAsked) -> LedgerReply:
    """Show what became of each file."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.ledger, state=asked.state, path=asked.path)


async def opened(site: Site, asked: OpenedAsked) -> OpenedReply:
    """Note which result was opened."""
    engine = site.engine(asked.vault)
    return await engine.call(
        engine.history.opened,
        query_id=asked.query_id,
        query=asked.q,
        path=asked.path,
        rank=asked.rank,
    )


async def verdict(site: Site, asked: VerdictAsked) -> VerdictReply:
    """Keep what a person says of a note as the answer to a query."""
    engine = site.engine(asked.vault)
    said = None if asked.verdict == "clear" else asked.verdict
    return await engine.call(engine.history.judge, asked.q, asked.path, said)


async def log(site: Site, asked: LogAsked) -> LogReply:
    """List the newest searches."""
    engine = site.engine(asked.vault)
    since = asked.since.timestamp() if asked.since is not None else None
    return await engine.call(engine.history.log, limit=asked.limit, since=since)


async def log_clear(site: Site, asked: LogClearAsked) -> ClearedReply:
    """Delete the log."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.history.clear, keep_verdicts=asked.keep_verdicts)


async def reindex(site: Site, asked: ReindexAsked) -> AcceptedReply:
    """Queue a look at the vault."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.reindex, full=asked.full, paths=tuple(asked.paths))


async def changes(site: Site, asked: ChangesAsked) -> AcceptedReply:
    """Take on what a client saw change."""
    engine = site.engine(asked.vault)
    told = [change.change() for change in asked.changes]
    return await engine.call_in_order(engine.note_changes, told)


async def sync(site: Site, asked: SyncAsked) -> SyncReply:
    """Compare a client's files with what the server has."""
    engine = site.engine(asked.vault)
    return await engine.call_in_order(engine.sync, asked.files)


async def guard(site: Site, asked: GuardAsked) -> AcceptedReply:
    """Hear a person's word on notes that are gone all at once."""
    engine = site.engine(asked.vault)
    return await engine.call_in_order(engine.settle_guard, remove=asked.remove)


async def queue_pause(site: Site, asked: VaultAsked) -> AcceptedReply:
    """Let indexing rest."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.pause)


async def queue_resume(site: Site, asked: VaultAsked) -> AcceptedReply:
    """Let indexing go on."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.resume)


async def queue_retry(site: Site, asked: VaultAsked) -> AcceptedReply:
    """Try failed notes again."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.retry)


async def queue_cancel(site: Site, asked: VaultAsked) -> AcceptedReply:
    """Drop the work that waits."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.cancel)


async def events(site: Site, asked: EventsAsked) -> Following:
    """Follow what happens to a vault."""
    return site.engine(asked.vault).follow(after=asked.after)


async def metrics(site: Site, _asked: Asked) -> str:
    """Give the figures of this server and of its open vaults."""
    figures = []
    for record in site.vaults.served():
        hold = site.vaults.held(record)
        if hold is not None:
            with hold as engine:
                figures.append(VaultFigures(await engine.call(engine.status), engine.tally()))
    return site.metrics.page(figures)
