"""Gleanings of one vault as the contract shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError, ReadOnlyError
from notewell.api.notes import DailyNotes, PropertyEdit, read_frontmatter
from notewell.api.vault import RunProgress
from notewell.contract.status import Trigger
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.collect import (
    Collection,
    Gleaning,
    GleaningFile,
    Mark,
    gleanings_of,
    note_path,
    shown_title,
)
from notewell.features.gleanings.extract import (
    Extracted,
    Extraction,
    LinkToCheck,
    Upkeep,
    Web,
)
from notewell.features.gleanings.parse import domain
from notewell.features.gleanings.requests import (
    DomainCount,
    ExtractGleanings,
    ExtractReply,
    GleaningReply,
    GleaningRequest,
    GleaningsReply,
    GleaningsRequest,
    GleaningStatsReply,
    GleaningStatsRequest,
    GleaningStatus,
    GleaningView,
    MaintainGleanings,
    MaintainReply,
    MarkGleaning,
)
from notewell.vault.parse import one_line_end

_FETCH_SECONDS = 5.0
_MOST_DOMAINS = 20


def _web(seconds: float) -> Web:
    return Web(seconds=seconds)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The gleanings of a vault, with what answers each request."""
    gleanings = Gleanings(vault)
    return OpenFeature(
        answers={
            ExtractGleanings: gleanings.extract,
            GleaningsRequest: gleanings.reply,
            GleaningStatsRequest: lambda _: gleanings.stats(),
            GleaningRequest: lambda one: gleanings.show(one.id),
            MarkGleaning: gleanings.mark,
            MaintainGleanings: lambda one: gleanings.maintain(dry_run=one.dry_run),
        },
        runs={
            "extract": gleanings.begin_extract,
            "maintain": lambda: gleanings.maintain(trigger="schedule"),
        },
    )


class Gleanings:
    """The gleanings of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault, web: Callable[[float], Web] = _web) -> None:
        """`web` makes a client whose checks take at most so many seconds."""
        self._open = vault
        self._vault = vault.record.name
        self._rules = vault.settings().of(GleaningRules)
        self._web = web
        daily = DailyNotes.read(vault.record.path)
        self._collection = Collection(vault.index, vault.source, daily, self._rules)
        self.state = GleaningFile(vault.folder)

    # --- reading ---------------------------------------------------------------------------

    def reply(self, request: GleaningsRequest) -> GleaningsReply:
        words = request.q.casefold().split()
        views = [view for view in self._views().values() if _fits(view, request.status, words)]
        views.sort(key=lambda view: (view.created or "", view.id), reverse=True)
        return GleaningsReply(self._vault, tuple(views[: request.limit]), len(views))

    def show(self, key: str) -> GleaningReply:
        """One gleaning with the changes of its status."""
        view = self._views().get(key)
        if view is None:
            raise NotFoundError(
                f"There is no gleaning {key}. `notewell gleanings list` shows all.",
                code="gleaning_not_found",
            )
        mark = self.state.load().marks.get(key, Mark())
        return GleaningReply(self._vault, view, mark.history)

    def stats(self) -> GleaningStatsReply:
        views = self._views().values()
        domains = Counter(view.domain for view in views).most_common(_MOST_DOMAINS)
        statuses: dict[GleaningStatus, int] = {"active": 0, "inactive": 0, "hidden": 0}
        for view in views:
            statuses[view.status] += 1
        return GleaningStatsReply(
            self._vault,
            len(views),
            sum(view.note is not None for view in views),
            statuses,
            tuple(DomainCount(name, count) for name, count in domains),
        )

    # --- changing --------------------------------------------------------------------------

    def extract(self, request: ExtractGleanings, trigger: Trigger = "manual") -> ExtractReply:
        """Make notes of the links; raises AlreadyRunningError while this is being done."""
        web = self._check_web(_FETCH_SECONDS) if request.fetch else None
        extraction = self._extraction(web)
        done: list[Extracted] = []
        errors: list[int] = []

        def work(progress: RunProgress) -> None:
            done.append(extraction.run(progress, full=request.full, dry_run=request.dry_run))
            errors.append(progress.counts["errors"])

        run = self._open.runs.now("extract", trigger, work)
        (one,) = done
        return ExtractReply(
            vault=self._vault,
            run=str(run),
            files=one.files,
            found=one.found,
            created=0 if request.dry_run else len(one.ids),
            skipped=one.skipped,
            ids=tuple(one.ids),
            errors=errors[0],
            undo=one.undo,
        )

    def begin_extract(self) -> None:
        """Extract in a thread, as the schedule does."""
        extraction = self._extraction(None)
        self._open.runs.begin(
            "extract",
            "schedule",
            lambda progress: extraction.run(progress, full=False, dry_run=False),
        )

    def mark(self, request: MarkGleaning) -> GleaningReply:
        """Give a gleaning a status by hand: in its note, and in what is known of it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        view = self.show(request.id).gleaning
        self._write_status(request.id, view.note, request.status, request.reason)
        mark = self.state.mark(
            request.id,
            lambda mark: replace(
                mark.with_status(request.status, request.reason, at=now, by="hand"), failed=()
            ),
        )
        for day in view.days if view.note is None else ():
            self._open.changed(day)
        shown = replace(view, status=request.status, reason=request.reason)
        return GleaningReply(self._vault, shown, mark.history)

    def maintain(self, *, dry_run: bool = False, trigger: Trigger = "manual") -> MaintainReply:
        """Begin to check the links in a thread."""
        upkeep = Upkeep(self._check_web(10.0), self.state, self._store_status)
        links = tuple(self._links())
        run = self._open.runs.begin(
            "maintain", trigger, lambda progress: upkeep.run(progress, links, dry_run=dry_run)
        )
        return MaintainReply(self._vault, str(run))

    # --- parts -----------------------------------------------------------------------------

    def _check_web(self, seconds: float) -> Web:
        offline = self._open.settings().offline
        if offline or not self._rules.web:
            why = "--offline" if offline else "the setting `gleanings.web` is off"
            raise ReadOnlyError(
                f"Nothing is requested from the web: {why}. `web = true` under [gleanings] in the"
                " configuration lets Notewell request the addresses that you saved, and no others.",
                code="web_off",
            )
        return self._web(seconds)

    def _extraction(self, web: Web | None) -> Extraction:
        self._open.open_writer()  # refuses before a run begins
        return Extraction(self._open, self._collection, self.state, web)

    def _store_status(self, key: str, status: GleaningStatus, reason: str) -> None:
        existing = self._collection.made().get(key)
        self._write_status(key, None if existing is None else existing.note, status, reason)

    def _write_status(
        self, key: str, note: str | None, status: GleaningStatus, reason: str
    ) -> None:
        """Write a status to the note of a gleaning, also if the index does not have it yet."""
        writer = self._open.writer
        path = note_path(self._rules.folder, key) if note is None else note
        if writer is None:
            return
        given = {"status": status} | ({"reason": reason} if reason else {})
        change = PropertyEdit(set=given, remove=() if reason else ("reason",))

        def edit(text: str) -> str:
            mine = read_frontmatter(one_line_end(text)).properties.get("gleaning_id")
            return change(text) if str(mine) == key else text

        try:
            written = writer.edit(path, edit, seen=None, action="gleanings status")
        except NotFoundError:
            return  # it has none, or it was deleted just now
        if written.number is not None:
            self._open.changed(path)

    def _links(self) -> Iterator[LinkToCheck]:
        marks = self.state.load().marks
        links = gleanings_of(self._collection.days())
        for key, view in self._views().items():
            if view.status != "hidden":
                mark = replace(marks.get(key, Mark()), status=view.status, reason=view.reason)
                bare = key in links and links[key].bare
                yield LinkToCheck(key, view.url, view.note or view.source, bare, mark)

    def _views(self) -> Mapping[str, GleaningView]:
        marks = self.state.load().marks
        existing = self._collection.made()
        gleanings = gleanings_of(self._collection.days())
        views = {
            key: _found_view(gleaning, existing.get(key), marks.get(key, Mark()))
            for key, gleaning in gleanings.items()
        }
        return views | {key: gleaning for key, gleaning in existing.items() if key not in gleanings}


def _fits(view: GleaningView, status: GleaningStatus | None, words: list[str]) -> bool:
    text = f"{view.title}\n{view.description}\n{view.url}".casefold()
    return status in {None, view.status} and all(word in text for word in words)


def _found_view(one: Gleaning, existing: GleaningView | None, mark: Mark) -> GleaningView:
    """A gleaning of daily notes, with title and status of its note where one is made."""
    first = one.seen[0]
    return GleaningView(
        id=one.id,
        title=existing.title if existing is not None else shown_title(one, mark),
        url=one.url,
        domain=domain(one.url),
        description=one.description or (existing or mark).description,
        created=first.date or None,
        source=first.path,
        line=first.entry.line,
        days=one.days,
        status=(existing or mark).status,
        reason=(existing or mark).reason,
        note=existing.note if existing is not None else None,
    )
