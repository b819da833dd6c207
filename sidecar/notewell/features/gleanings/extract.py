"""Makes notes of gleanings, one for each address, and checks on the web whether pages still exist.

Every request, of a redirect too, goes only to the public web (`support.http`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from html.parser import HTMLParser
from itertools import islice
from urllib.parse import urljoin

from notewell.api import OpenVault
from notewell.api.errors import (
    ChangedNoteError,
    NotFoundError,
    UnreadableNoteError,
    UsageError,
    WriteError,
)
from notewell.api.notes import PropertyEdit
from notewell.api.types import frozen
from notewell.api.vault import RunProgress, VaultWriter
from notewell.base.support.http import HttpClient, HttpError, StreamedReply
from notewell.base.support.http.addresses import MALFORMED, Resolve, public_request, resolve
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.collect import (
    Checked,
    Collection,
    Day,
    Gleaning,
    GleaningFile,
    GleaningState,
    Mark,
    Verdict,
    gleanings_of,
    note_path,
    note_text,
    sources,
)
from notewell.features.gleanings.parse import domain
from notewell.features.gleanings.requests import GleaningStatus, GleaningView

MAX_BYTES = 64 * 1024  # of a page; the title is at its beginning
MAX_REDIRECTS = 4
_AGENT = "Notewell (checks the links its user saved)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_SHOWN_CHARS = 300

ACTION = "gleanings extract"
# The journal keeps 500 writes; a batch has to fit as a whole to be undone as one.
_BATCH = 200
_BETWEEN_REQUESTS_S = 1.0
_FAILURES = 2  # on different days


class Web:
    """Checks addresses of the public web, one at a time."""

    def __init__(
        self,
        *,
        seconds: float = 10.0,
        resolve: Resolve = resolve,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` is the longest time of one check, with all its redirects."""
        self._seconds = seconds
        self._resolve = resolve
        self._now = now

    def check(self, url: str, *, read: bool = False) -> Checked:
        """Ask for a page by HEAD, by GET where HEAD is not allowed; `read`: by GET, with its title.

        Never raises for what a page or its host does.
        """
        at = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            return self._follow(url, at, "GET" if read else "HEAD", read=read)
        except HttpError as error:
            lost = error.kind in {"connection", "timeout", "certificate"}
            return Checked("gone" if lost else "unknown", str(error)[:_SHOWN_CHARS], at)
        except MALFORMED as error:
            return Checked("unknown", f"its reply is not valid ({type(error).__name__})", at)

    def _follow(self, url: str, at: str, method: str, *, read: bool) -> Checked:
        deadline, permanent, first = self._now() + self._seconds, True, url
        for _ in range(MAX_REDIRECTS + 2):  # one more for the second method
            request = public_request(
                url, {"User-Agent": _AGENT}, method=method, resolve=self._resolve
            )
            with self._client(deadline - self._now()).stream(request) as reply:
                if reply.status in {405, 501} and method == "HEAD":
                    method = "GET"
                    continue
                location = reply.headers.get("Location")
                if reply.status not in _REDIRECTS or location is None:
                    moved = url != first and permanent
                    return _check(reply, url, at, moved=moved, read=read)
                permanent = permanent and reply.status in {301, 308}
            url = urljoin(url, location)
        return Checked("unknown", "it redirects too often", at)

    def _client(self, seconds: float) -> HttpClient:
        if seconds <= 0:
            raise HttpError("timeout", f"took longer than {self._seconds:g} s")
        return HttpClient(timeout_s=seconds, connect_s=seconds, deadline_s=seconds, max_bytes=None)


def _check(reply: StreamedReply, url: str, at: str, *, moved: bool, read: bool) -> Checked:
    status, kind = reply.status, reply.headers.get_content_type()
    if 200 <= status < 300:
        title, description = _about(reply, kind) if read else ("", "")
        verdict: Verdict = "moved" if moved else "alive"
        return Checked(verdict, "", at, status, kind, url, title, description)
    verdict = "gone" if status in _GONE else "unknown"
    return Checked(verdict, f"it answers with status {status}", at, status, kind, url)


def _about(reply: StreamedReply, kind: str) -> tuple[str, str]:
    """The title and the description of a page; "" for what it does not have."""
    if kind not in {"text/html", "application/xhtml+xml"}:
        return "", ""
    raw = reply.read_at_most(MAX_BYTES)
    charset = reply.headers.get_content_charset()
    head = _Head()
    head.feed(raw.decode(charset or "utf-8", "replace"))
    title = head.meta.get("og:title") or "".join(head.title)
    description = head.meta.get("og:description") or head.meta.get("description", "")
    return _one_line(title), _one_line(description)


class _Head(HTMLParser):
    """Collects the title of an HTML page and the contents of its `meta` elements by name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.meta: dict[str, str] = {}
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and not self.title
        if tag == "meta":
            given = dict(attrs)
            name = given.get("property") or given.get("name") or ""
            self.meta.setdefault(name.lower(), given.get("content") or "")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_SHOWN_CHARS]


@dataclass(slots=True)
class Extracted:
    """The result of an extraction; `undo` undoes the last notes written together."""

    files: int = 0
    found: int = 0
    skipped: int = 0
    ids: list[str] = field(default_factory=list)
    undo: int | None = None


@frozen
class Extraction:
    """The parts of an extraction. `web` reads titles of bare addresses; None: it may not."""

    vault: OpenVault
    collection: Collection
    state: GleaningFile
    web: Web | None = None

    def run(self, progress: RunProgress, *, full: bool, dry_run: bool) -> Extracted:
        """Extract what is new, or with `full` all; a malformed entry is an error of the run."""
        state, done = self.state.load(), Extracted()
        days = self.collection.days()
        new = [day for day in days if full or day.content_hash.hex() not in state.read]
        for day in new:
            for bad in day.found.malformed:
                progress.problem(day.path, f"line {bad.line}: {bad.why}")
        # All days of an address belong to its note, also those that were read before.
        every, wanted = gleanings_of(days), gleanings_of(new)
        existing = self.collection.made()
        done.files, done.found = len(new), len(wanted)
        missing = [every[key] for key in wanted if key not in existing]
        known = [(every[key], existing[key]) for key in wanted if key in existing]
        done.skipped = len(known)
        if dry_run:
            done.ids = [gleaning.id for gleaning in missing]
        else:
            fetched = self._fetch(missing, progress)
            pen = _Pen(self.vault.open_writer(), self.state.load().marks, fetched, done)
            self._write((*((gleaning, None) for gleaning in missing), *known), progress, pen)
            self.state.change(lambda before: _with_read(before, days, new))
            for day in new:
                self.vault.changed(day.path)  # its links that have a note are no results any more
        created = 0 if dry_run else len(done.ids)
        counts = {"files": done.files, "found": done.found, "created": created}
        progress.counts.update(counts | {"skipped": done.skipped})
        return done

    def _fetch(self, missing: Sequence[Gleaning], progress: RunProgress) -> Mapping[str, Checked]:
        """The pages of bare addresses, read one after the other."""
        pages: dict[str, Checked] = {}
        hosts: dict[str, float] = {}
        for gleaning in missing if self.web is not None else ():
            if self.web is None or not gleaning.bare:
                continue
            wait_for_host(hosts, domain(gleaning.url), progress)
            checked = self.web.check(gleaning.url, read=True)
            pages[gleaning.id] = checked
            if checked.title or checked.description:
                self.state.mark(gleaning.id, partial(with_page, page=checked))
        return pages

    def _write(
        self, todo: Sequence[tuple[Gleaning, GleaningView | None]], progress: RunProgress, pen: _Pen
    ) -> None:
        left, folder = iter(todo), self.vault.settings().of(GleaningRules).folder
        while batch := tuple(islice(left, _BATCH)):
            written: list[str] = []
            with self.vault.open_writer().journal.batch():
                for gleaning, note in batch:
                    progress.check()
                    path = (note and note.note) or note_path(folder, gleaning.id)
                    try:
                        if note is None:
                            done = pen.create(gleaning, path)
                        else:
                            done = pen.extend(gleaning, note, path)
                    except (WriteError, UnreadableNoteError, UsageError, NotFoundError) as error:
                        progress.problem(path, error.message)
                        continue
                    written += [path] if done else []
            for path in written:
                self.vault.changed(path)


@frozen
class _Pen:
    """Writes the notes of one run, and counts them in `done`."""

    writer: VaultWriter
    marks: Mapping[str, Mark]
    fetched: Mapping[str, Checked]
    done: Extracted

    def create(self, one: Gleaning, path: str) -> bool:
        """Make a note; False if somebody made it just now, and the index does not have it yet."""
        text = note_text(one, self.marks.get(one.id, Mark()), self.fetched.get(one.id))
        try:
            number = self.writer.create(path, text, action=ACTION).number
        except ChangedNoteError:
            number = None
        if number is None:
            self.done.skipped += 1
            return False
        self.done.ids.append(one.id)
        self.done.undo = number
        return True

    def extend(self, one: Gleaning, note: GleaningView, path: str) -> bool:
        """Add to a note the days that it lacks; False if it has them all."""
        if not set(one.days) - set(note.days):
            return False
        edit = PropertyEdit(set={"source": sources(one)})
        number = self.writer.edit(path, edit, seen=None, action=ACTION).number
        if number is not None:
            self.done.undo = number
        return number is not None


def with_page(mark: Mark, page: Checked) -> Mark:
    """A mark with the title and description of the page, where it has them."""
    return replace(
        mark,
        title=page.title or mark.title,
        description=page.description or mark.description,
    )


def wait_for_host(hosts: dict[str, float], host: str, progress: RunProgress) -> None:
    """Wait until a second has passed since the last request to a host."""
    progress.check()
    wait = hosts.get(host, 0.0) + _BETWEEN_REQUESTS_S - time.monotonic()
    if wait > 0:
        progress.wait(wait)
    hosts[host] = time.monotonic()


def _with_read(before: GleaningState, days: Sequence[Day], new: Sequence[Day]) -> GleaningState:
    """The state with what was read; daily notes that are gone or have changed are forgotten."""
    current = {day.content_hash.hex(): day.path for day in days}
    kept = {key: current[key] for key in before.read if key in current}
    return replace(before, read=kept | {day.content_hash.hex(): day.path for day in new})


@frozen
class LinkToCheck:
    """A link to check. `bare`: nobody wrote a title, so the page's is wanted."""

    id: str
    url: str
    path: str
    bare: bool
    mark: Mark


@frozen
class Upkeep:
    """The parts of a check. `store_status` writes a status to the note, where there is one."""

    web: Web
    state: GleaningFile
    store_status: Callable[[str, GleaningStatus, str], None]

    def run(self, progress: RunProgress, links: Sequence[LinkToCheck], *, dry_run: bool) -> None:
        """Check links one after the other, with a second between two requests to a host.

        Hosts that do not answer count only if another one does: without a network none is dead.
        """
        hosts: dict[str, float] = {}
        silent: list[tuple[LinkToCheck, Checked]] = []
        answered = False
        for link in links:
            wait_for_host(hosts, domain(link.url), progress)
            read = link.bare and not link.mark.title
            checked = self.web.check(link.url, read=read)
            progress.counts["checked"] += 1
            progress.counts[checked.verdict] += 1
            if checked.verdict in {"gone", "unknown"}:
                progress.problem(link.path, f"{link.url}: {checked.reason}")
            if checked.status is None and checked.verdict == "gone":
                silent.append((link, checked))
                continue
            answered = answered or checked.status is not None
            if not dry_run:
                self._apply(link, checked, progress)
        if silent and not answered:
            progress.problem(None, "no host answered: this computer seems to be offline")
        elif not dry_run:
            for link, checked in silent:
                self._apply(link, checked, progress)

    def _apply(self, link: LinkToCheck, checked: Checked, progress: RunProgress) -> None:
        before = self.state.load().marks.get(link.id, link.mark)
        after = judge(replace(before, status=link.mark.status, reason=link.mark.reason), checked)
        self.state.mark(link.id, lambda _: after)
        if after.status != link.mark.status:
            word = "restored" if after.status == "active" else "dead"
            progress.counts[word] += 1
            self.store_status(link.id, after.status, after.reason)


def judge(mark: Mark, checked: Checked) -> Mark:
    """The mark after one check. Hidden ones are never judged."""
    if mark.status == "hidden" or checked.verdict == "unknown":
        return mark
    if checked.verdict != "gone":
        mark = replace(with_page(mark, checked), failed=())
        if mark.status == "inactive":
            return mark.with_status("active", "", at=checked.at, by="maintain")
        return mark
    day = checked.at[:10]
    failed = mark.failed if day in mark.failed else (*mark.failed, day)[-_FAILURES:]
    mark = replace(mark, failed=failed)
    if mark.status == "active" and len(failed) >= _FAILURES:
        return mark.with_status("inactive", checked.reason, at=checked.at, by="maintain")
    return mark
