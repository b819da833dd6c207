"""Makes notes of gleanings: one for each address, once, with all its days."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from notewell.base.errors import (
    ChangedNoteError,
    NotFoundError,
    UnreadableNoteError,
    UsageError,
    WriteError,
)
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.engine.runs import RunProgress
from notewell.features.gleanings.collect import (
    Collection,
    Day,
    Gleaning,
    MadeNote,
    Mark,
    State,
    StateFile,
    gleanings_of,
)
from notewell.features.gleanings.parse import domain
from notewell.features.gleanings.requests import GleaningStatus
from notewell.features.gleanings.web import Checked, Web
from notewell.vault.edit_properties import PropertyEdit, edit_properties
from notewell.vault.write import VaultWriter

TYPE = "gleaning"


def note_path(folder: str, key: str) -> str:
    """Where the note of a gleaning is made."""
    folder = folder.strip("/")
    return f"{folder}/{key}.md" if folder else f"{key}.md"


def note_text(gleaning: Gleaning, mark: Mark, fetched: Checked | None) -> str:
    """The text of a new note: its properties, title, description, and what was fetched."""
    title = shown_title(gleaning, mark)
    description = gleaning.description or mark.description
    first = gleaning.seen[0]
    time = f"T{first.entry.time}" if first.entry.time and first.date else ""
    properties: dict[str, PropertyValue] = {
        "title": title,
        "url": gleaning.url,
        "date": first.date or None,
        "timestamp": f"{first.date}{time}" if first.date else None,
        "tags": (TYPE,),
        "type": TYPE,
        "status": mark.status,
        "migrated_from": first.path,
        "domain": domain(gleaning.url),
        "created": first.date or None,
        "source": sources(gleaning),
        "gleaning_id": gleaning.id,
        "description": " ".join(description.split()) or None,
        "reason": mark.reason or None,
    }
    parts = [f"# {title}", *([description] if description else []), *_fetched(fetched)]
    given = {name: value for name, value in properties.items() if value is not None}
    return edit_properties("\n\n".join(parts) + "\n", given)


def shown_title(gleaning: Gleaning, mark: Mark) -> str:
    """The title that a person wrote, else that of the page, else the host."""
    return mark.title if gleaning.bare and mark.title else gleaning.title


def sources(gleaning: Gleaning) -> PropertyValue:
    """The links to its daily notes: one, or a list."""
    links = tuple(f"[[{path.removesuffix('.md')}]]" for path in gleaning.days)
    return links[0] if len(links) == 1 else links


def _fetched(fetched: Checked | None) -> list[str]:
    if fetched is None or fetched.status is None:
        return []
    kind = f", {fetched.kind}" if fetched.kind else ""
    return [f"Fetched {fetched.at}: status {fetched.status}{kind}."]


ACTION = "gleanings extract"
# The journal keeps 500 writes; a batch has to fit as a whole to be undone as one.
_BATCH = 200
_BETWEEN_REQUESTS_S = 1.0


@dataclass(slots=True)
class Extracted:
    """What an extraction did; `undo` undoes the last notes written together."""

    files: int = 0
    found: int = 0
    skipped: int = 0
    ids: list[str] = field(default_factory=list)
    undo: int | None = None


@frozen
class Extraction:
    """The parts that an extraction needs. `changed` is called with the path of each note written.

    `web` reads titles of bare addresses; None: it may not.
    """

    collection: Collection
    state: StateFile
    writer: VaultWriter
    folder: str
    changed: Callable[[str], None]
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
        made = self.collection.made()
        done.files, done.found = len(new), len(wanted)
        missing = [every[key] for key in wanted if key not in made]
        known = [(every[key], made[key]) for key in wanted if key in made]
        done.skipped = len(known)
        if dry_run:
            done.ids = [one.id for one in missing]
        else:
            fetched = self._fetched(missing, progress)
            pen = _Pen(self.writer, self.state.load().marks, fetched, done)
            self._write((*((one, None) for one in missing), *known), progress, pen)
            self.state.change(lambda before: _with_read(before, days, new))
        created = 0 if dry_run else len(done.ids)
        counts = {"files": done.files, "found": done.found, "created": created}
        progress.counts.update(counts | {"skipped": done.skipped})
        return done

    def _fetched(self, missing: Sequence[Gleaning], progress: RunProgress) -> Mapping[str, Checked]:
        """What the pages of bare addresses say, read one after the other."""
        found: dict[str, Checked] = {}
        hosts: dict[str, float] = {}
        for one in missing if self.web is not None else ():
            if self.web is None or not one.bare:
                continue
            wait_for_host(hosts, domain(one.url), progress)
            checked = self.web.check(one.url, read=True)
            found[one.id] = checked
            if checked.title or checked.description:
                self.state.mark(one.id, partial(with_page, page=checked))
        return found

    def _write(
        self, todo: Sequence[tuple[Gleaning, MadeNote | None]], progress: RunProgress, pen: _Pen
    ) -> None:
        left = iter(todo)
        while batch := tuple(islice(left, _BATCH)):
            written: list[str] = []
            with self.writer.journal.batch():
                for one, note in batch:
                    progress.check()
                    path = note.path if note is not None else note_path(self.folder, one.id)
                    try:
                        done = pen.extend(one, note) if note is not None else pen.create(one, path)
                    except (WriteError, UnreadableNoteError, UsageError, NotFoundError) as error:
                        progress.problem(path, error.message)
                        continue
                    written += [path] if done else []
            for path in written:
                self.changed(path)


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

    def extend(self, one: Gleaning, note: MadeNote) -> bool:
        """Add to a note the days that it lacks; False if it has them all."""
        if not set(one.days) - set(note.days):
            return False
        edit = PropertyEdit(set={"source": sources(one)})
        number = self.writer.edit(note.path, edit, seen=None, action=ACTION).number
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


def _with_read(before: State, days: Sequence[Day], new: Sequence[Day]) -> State:
    """The state with what was read; daily notes that are gone or have changed are forgotten."""
    current = {day.content_hash.hex(): day.path for day in days}
    kept = dict(_still(before.read, current))
    return replace(before, read=kept | {day.content_hash.hex(): day.path for day in new})


def _still(read: Mapping[str, str], current: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((key, current[key]) for key in read if key in current)


_FAILURES = 2  # on different days


@frozen
class Link:
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
    state: StateFile
    store_status: Callable[[str, GleaningStatus, str], None]

    def run(self, progress: RunProgress, links: Sequence[Link], *, dry_run: bool) -> None:
        """Check links one after the other, with a second between two requests to a host.

        Hosts that do not answer count only if another one does: without a network none is dead.
        """
        hosts: dict[str, float] = {}
        silent: list[tuple[Link, Checked]] = []
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

    def _apply(self, link: Link, checked: Checked, progress: RunProgress) -> None:
        before = self.state.load().marks.get(link.id, link.mark)
        after = judged(replace(before, status=link.mark.status, reason=link.mark.reason), checked)
        self.state.mark(link.id, lambda _: after)
        if after.status != link.mark.status:
            word = "restored" if after.status == "active" else "dead"
            progress.counts[word] += 1
            self.store_status(link.id, after.status, after.reason)


def judged(mark: Mark, checked: Checked) -> Mark:
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
