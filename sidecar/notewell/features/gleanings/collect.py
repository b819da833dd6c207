"""Collects the gleanings of a vault: from daily notes, and from the notes made of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from notewell.api.errors import UnreadableNoteError, UsageError, WriteError
from notewell.api.files import StateFile
from notewell.api.notes import DailyNotes, day_in_name, edit_properties, is_document
from notewell.api.types import PropertyValue, frozen
from notewell.api.vault import IndexReader, Source, StoredNote
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.parse import Found, SavedLink, domain, gleaning_id, read_entries
from notewell.features.gleanings.requests import GleaningStatus, GleaningView, StatusChange
from notewell.vault.parse import one_line_end

NAME = "gleanings.json"
MOST_CHANGES = 100  # of one gleaning's status
_BUSY_SECONDS = 10.0
_STATUSES = get_args(GleaningStatus)
TYPE = "gleaning"
# `gone`: the host answers that there is no such page, or does not answer at all; `unknown` says
# nothing about the page: it wants a password, is busy, fails, or must not be asked.
Verdict = Literal["alive", "moved", "gone", "unknown"]


@frozen
class Checked:
    """The result of one check. `status` None: there was no reply; `url` is the last address."""

    verdict: Verdict
    reason: str
    at: str
    status: int | None = None
    kind: str = ""
    url: str = ""
    title: str = ""
    description: str = ""


@frozen
class Mark:
    """The status of one gleaning, its changes, newest first, and the days it failed on.

    `title` and `description` are those that its page has, "" if it was not read.
    """

    status: GleaningStatus = "active"
    reason: str = ""
    history: tuple[StatusChange, ...] = ()
    failed: tuple[str, ...] = ()
    title: str = ""
    description: str = ""

    def with_status(self, status: GleaningStatus, reason: str, *, at: str, by: str) -> Mark:
        """Return the mark with another status, which its history has."""
        change = StatusChange(at, status, reason, by)
        history = (change, *self.history)[:MOST_CHANGES]
        return replace(self, status=status, reason=reason, history=history)


@frozen
class GleaningState:
    """`marks` by id; `read` has the path of each daily note that was extracted, by content hash."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    read: Mapping[str, str] = field(default_factory=dict)


class GleaningFile(StateFile[GleaningState]):
    """The file of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> GleaningState:
        """Every gleaning is active, and no day was read."""
        return GleaningState()

    def decode(self, raw: bytes) -> GleaningState:
        """The state of a file; raises ValueError if it is damaged.

        A status that is no status counts as active.
        """
        try:
            stored = json.loads(raw)
            marks = {key: _mark(value) for key, value in stored["marks"].items()}
            return GleaningState(
                marks, {str(key): str(path) for key, path in stored["read"].items()}
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not in the form that is expected: {error}") from error

    def encode(self, state: GleaningState) -> bytes:
        stored = {"format": 1, **asdict(state)}
        return json.dumps(stored, ensure_ascii=False, indent=1).encode("utf-8", "replace")

    def unusable(self, error: Exception) -> WriteError:
        """The error where the file cannot be read or written."""
        return WriteError(
            f"The file of gleanings cannot be used ({self.file}: {error}). Check the data"
            " directory's disk, or move the file away: statuses stay in the notes.",
            code="gleanings_unusable",
        )

    def mark(self, key: str, edit: Callable[[Mark], Mark]) -> Mark:
        """Change what is known of one gleaning; returns it."""
        changed = self.change(
            lambda state: replace(
                state, marks={**state.marks, key: edit(state.marks.get(key, Mark()))}
            )
        )
        return changed.marks[key]


def _mark(stored: Any) -> Mark:
    status = stored.get("status")
    changes = tuple(
        StatusChange(change["at"], change["status"], str(change["reason"]), str(change["by"]))
        for change in stored.get("history", ())
    )
    return Mark(
        status=status if status in _STATUSES else "active",
        reason=str(stored.get("reason", "")),
        history=changes,
        failed=tuple(map(str, stored.get("failed", ()))),
        title=str(stored.get("title", "")),
        description=str(stored.get("description", "")),
    )


@frozen
class Day:
    """A daily note: its path, its date ("2026-11-22", or "" if unknown), and what it has."""

    path: str
    date: str
    content_hash: bytes
    found: Found


@frozen
class Seen:
    """A place where a link was saved."""

    path: str
    date: str
    entry: SavedLink


@frozen
class Gleaning:
    """One address with all places where it was saved, the first day first; never none."""

    id: str
    seen: tuple[Seen, ...]

    @property
    def url(self) -> str:
        """Its address, as it was first written."""
        return self.seen[0].entry.url

    @property
    def title(self) -> str:
        """The first title that a person wrote; else the host."""
        return next((seen.entry.title for seen in self.seen if seen.entry.title), domain(self.url))

    @property
    def bare(self) -> bool:
        """True if nobody wrote a title."""
        return not any(seen.entry.title for seen in self.seen)

    @property
    def description(self) -> str:
        """The first description that a person wrote."""
        return next((seen.entry.description for seen in self.seen if seen.entry.description), "")

    @property
    def days(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(seen.path for seen in self.seen))


class Collection:
    """Reads daily notes; one that did not change is read once. Any thread may call."""

    def __init__(
        self, index: IndexReader, source: Source, daily: DailyNotes, rules: GleaningRules
    ) -> None:
        """`rules` name the headings, and the folders whose notes are daily notes too."""
        self._index = index
        self._source = source
        self._daily = daily
        self._rules = rules
        self._folders = tuple(
            f"{folder.strip('/')}/".casefold() for folder in rules.daily_folders if folder
        )
        self._known: dict[tuple[str, bytes], Day] = {}
        self._reading = threading.Lock()

    def days(self) -> tuple[Day, ...]:
        """The daily notes that have any entry, good or malformed, in the order of their dates."""
        with self._reading:
            known: dict[tuple[str, bytes], Day] = {}
            manifest = self._index.manifest()
            for note in self._index.all_notes():
                if is_document(note.path):
                    continue
                entry = manifest.get(note.path)
                if entry is None or not self._is_daily(note):
                    continue
                key = (note.path, entry.content_hash)
                day = self._known.get(key) or self._read(note)
                if day is not None:
                    known[key] = day
            self._known = known
        with_any = (day for day in known.values() if day.found.entries or day.found.malformed)
        return tuple(sorted(with_any, key=lambda one: (one.date, one.path)))

    def made(self) -> Mapping[str, GleaningView]:
        """The gleanings that have a note, as the index has it, by id."""
        views = (
            _view_of_note(note) for note in self._index.all_notes() if not is_document(note.path)
        )
        return {view.id: view for view in views if view is not None}

    def _is_daily(self, note: StoredNote) -> bool:
        if not note.path.lower().endswith(".md"):
            return False
        return note.path.casefold().startswith(self._folders) or self._daily.holds(
            note.path, note.properties
        )

    def _read(self, note: StoredNote) -> Day | None:
        try:
            read = self._source.read(self._source.stamp(note.path))
        except UnreadableNoteError:
            return None  # it is being changed; the index will follow
        date = self._daily.day(note.path, note.properties) or day_in_name(note.path)
        text = one_line_end(read.text)
        entries = read_entries(text, read.note.headings, self._rules.headings)
        return Day(note.path, date.isoformat() if date else "", read.content_hash, entries)


def gleanings_of(days: Sequence[Day]) -> Mapping[str, Gleaning]:
    """The gleanings of daily notes by id, in the order in which they were first saved."""
    by_id: dict[str, Gleaning] = {}
    for day in days:
        for entry in day.found.entries:
            key, seen = gleaning_id(entry.url), Seen(day.path, day.date, entry)
            before = by_id.get(key)
            by_id[key] = (
                Gleaning(key, (seen,))
                if before is None
                else replace(before, seen=(*before.seen, seen))
            )
    return by_id


def _view_of_note(note: StoredNote) -> GleaningView | None:
    """The gleaning of a note, as far as the note tells; None where it is of none."""
    properties = {name.lower(): value for name, value in note.properties.items()}
    key = properties.get("gleaning_id")
    if properties.get("type") != TYPE or not isinstance(key, str | int):
        return None
    url, days = _text(properties.get("url")), tuple(_sources(properties.get("source")))
    try:
        host = domain(url)
    except UsageError:  # a person changed the property
        host = ""
    return GleaningView(
        id=str(key),
        title=_text(properties.get("title")) or note.title,
        url=url,
        domain=host,
        description=_text(properties.get("description")),
        created=_text(properties.get("created")) or None,
        source=days[0] if days else note.path,
        line=1,
        days=days,
        status=_status(properties.get("status")),
        reason=_text(properties.get("reason")),
        note=note.path,
    )


def _status(value: PropertyValue) -> GleaningStatus:
    """Parse a status; an unknown value counts as active."""
    known: GleaningStatus
    for known in _STATUSES:
        if value == known:
            return known
    return "active"


def _sources(value: PropertyValue) -> Iterator[str]:
    for item in value if isinstance(value, tuple) else (value,):
        target = _text(item).strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
        if target:
            yield target if target.lower().endswith(".md") else f"{target}.md"


def _text(value: PropertyValue) -> str:
    return "" if value is None or isinstance(value, tuple | Mapping) else str(value)


def note_path(folder: str, key: str) -> str:
    """The path at which the note of a gleaning is made."""
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
    parts = [f"# {title}", *([description] if description else []), *_fetched_lines(fetched)]
    given = {name: value for name, value in properties.items() if value is not None}
    return edit_properties("\n\n".join(parts) + "\n", given)


def shown_title(gleaning: Gleaning, mark: Mark) -> str:
    """The title that a person wrote, else that of the page, else the host."""
    return mark.title if gleaning.bare and mark.title else gleaning.title


def sources(gleaning: Gleaning) -> PropertyValue:
    """The links to its daily notes: one, or a list."""
    links = tuple(f"[[{path.removesuffix('.md')}]]" for path in gleaning.days)
    return links[0] if len(links) == 1 else links


def _fetched_lines(fetched: Checked | None) -> list[str]:
    if fetched is None or fetched.status is None:
        return []
    kind = f", {fetched.kind}" if fetched.kind else ""
    return [f"Fetched {fetched.at}: status {fetched.status}{kind}."]
