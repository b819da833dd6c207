"""Lists the open ends of one vault; what was read of a note is kept until the note changes."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import UnreadableNoteError, WriteError
from notewell.api.files import StateFile
from notewell.api.notes import DailyNotes, day_in_name, is_document
from notewell.api.text import words
from notewell.api.types import frozen
from notewell.api.vault import StoredNote
from notewell.features.open_ends.closing import DoneStatement, DoneStatements, statements_in
from notewell.features.open_ends.lines import is_transcript, lines_of
from notewell.features.open_ends.requests import (
    DismissOpenEnd,
    OpenEnd,
    OpenEndsReply,
    OpenEndsRequest,
    OpenWeek,
)
from notewell.features.open_ends.rules import Said, said_in

FILE = "open-ends.json"
_BUSY_SECONDS = 10.0
_TEMPLATE = 3  # notes that have a sentence, from which it is a part of their template
# Properties of notes whose words are somebody else's.
_FOREIGN = frozenset({"source", "url", "author", "authors", "isbn", "doi"})
_TEMPLATES = re.compile(
    r"(?:^|/)(?:[\w ]*)templates?(?:/|\.md$)|(?:^|/)[\w ]*clippings/", re.IGNORECASE
)


def open_feature(vault: OpenVault) -> OpenFeature:
    """Answer for one vault."""
    ends = OpenEnds(vault)
    return OpenFeature(answers={OpenEndsRequest: ends.list_ends, DismissOpenEnd: ends.dismiss})


@frozen
class _NoteRead:
    """A note that was read: the ends that it leaves open, and what it says was done."""

    path: str
    title: str
    day: date
    said: tuple[Said, ...]
    statements: tuple[DoneStatement, ...]


class DismissedFile(StateFile[frozenset[str]]):
    """The ids of the open ends that are shown no longer, in the data folder of a vault."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / FILE, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> frozenset[str]:
        return frozenset()

    def decode(self, raw: bytes) -> frozenset[str]:
        try:
            return frozenset(map(str, json.loads(raw)["dismissed"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"it is no list of open ends ({error!r})") from error

    def encode(self, state: frozenset[str]) -> bytes:
        return json.dumps({"dismissed": sorted(state)}, indent=1).encode()

    def unusable(self, error: Exception) -> WriteError:
        return WriteError(
            f"{self.file} with the dismissed open ends cannot be used: {error}. Restore it from a"
            " backup, or delete it to begin anew."
        )


class OpenEnds:
    """The open ends of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._file = DismissedFile(vault.folder)
        self._lock = threading.Lock()
        self._read: dict[str, tuple[tuple[int, int], _NoteRead | None]] = {}  # by path
        self._open: tuple[tuple[str, int], tuple[tuple[date, OpenEnd], ...]] | None = None

    def list_ends(self, request: OpenEndsRequest) -> OpenEndsReply:
        """The open ends, the newest week first."""
        dismissed = self._file.load()
        folder = request.folder.strip("/")
        every = self._all()
        wanted = [
            (day, end)
            for day, end in every
            if end.id not in dismissed
            and request.kind in {"", end.kind}
            and (not folder or end.path.startswith(f"{folder}/"))
        ]
        weeks: dict[date, list[OpenEnd]] = defaultdict(list)
        for day, end in wanted[: request.limit]:
            weeks[day - timedelta(days=day.weekday())].append(end)
        return OpenEndsReply(
            self._vault.record.name,
            tuple(OpenWeek(start.isoformat(), tuple(ends)) for start, ends in weeks.items()),
            len(wanted),
            len({end.id for _, end in every} & dismissed),
        )

    def dismiss(self, request: DismissOpenEnd) -> OpenEndsReply:
        """Show an open end no longer, or again. Raises WriteError."""
        changed = {request.id}
        self._file.change(lambda ids: ids | changed if request.dismissed else ids - changed)
        return self.list_ends(OpenEndsRequest())

    def _all(self) -> tuple[tuple[date, OpenEnd], ...]:
        """All open ends with the day of their note, the newest first, dismissed ones included."""
        with self._lock:
            index = self._vault.index
            index.refresh()
            state = (index.identity, index.generation)
            if self._open is None or self._open[0] != state:
                self._open = (state, tuple(self._find(list(self._notes()))))
            return self._open[1]

    def _find(self, notes: list[_NoteRead]) -> Iterator[tuple[date, OpenEnd]]:
        statements = DoneStatements([told for note in notes for told in note.statements])
        newest = sorted(notes, key=lambda note: (note.day, note.path), reverse=True)
        all_said = [(_id_of(said), note, said) for note in newest for said in note.said]
        having = Counter(id_ for id_, _ in {(id_, note.path) for id_, note, _ in all_said})
        seen: set[str] = set()
        for id_, note, said in all_said:
            if id_ in seen or having[id_] >= _TEMPLATE:
                continue
            if statements.take_up(said, note.path, note.day):
                continue
            seen.add(id_)
            uri = self._vault.source.uri(note.path)
            line = said.line.number
            end = OpenEnd(id_, said.kind, said.text, note.path, note.title, line, uri)
            yield note.day, end

    def _notes(self) -> Iterator[_NoteRead]:
        """The person's own notes, each read anew only where it changed."""
        daily = DailyNotes.read(self._vault.record.path)
        kept: dict[str, tuple[tuple[int, int], _NoteRead | None]] = {}
        for note in self._vault.index.all_notes():
            stamp = (note.mtime_ns, note.size)
            known = self._read.get(note.path)
            if known is None or known[0] != stamp:
                self._vault.give_way()
                known = (stamp, self._read_note(note, daily))
            kept[note.path] = known
            if known[1] is not None:
                yield known[1]
        self._read = kept

    def _read_note(self, note: StoredNote, daily: DailyNotes) -> _NoteRead | None:
        if not _is_own(note):
            return None
        source = self._vault.source
        try:
            text = source.read(source.stamp(note.path)).text
        except UnreadableNoteError:
            return None  # the index has it as before; the next look finds out
        if is_transcript(text):
            return None
        lines = list(lines_of(text))
        day = daily.day(note.path, note.properties) or day_in_name(note.path) or _day_of(note)
        return _NoteRead(
            note.path,
            note.title,
            day,
            tuple(said_in(lines)),
            tuple(statements_in(note.path, day, lines)),
        )


def _is_own(note: StoredNote) -> bool:
    """Tell whether a note is what the person wrote: no template, no clipping, no document."""
    if is_document(note.path) or not note.path.endswith(".md") or _TEMPLATES.search(note.path):
        return False
    return _FOREIGN.isdisjoint(name.casefold() for name in note.properties)


def _day_of(note: StoredNote) -> date:
    moment = note.created or note.modified or note.mtime_ns / 1e9
    try:
        return datetime.fromtimestamp(moment, UTC).date()
    except (OverflowError, OSError, ValueError):
        return date.min + timedelta(days=7)


def _id_of(said: Said) -> str:
    """The id of a sentence by its words: it stays when the note is moved or reformatted."""
    digest = hashlib.blake2b(" ".join(words(said.text)).encode("utf-8", "replace"), digest_size=8)
    return digest.hexdigest()
