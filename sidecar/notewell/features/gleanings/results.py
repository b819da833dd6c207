"""Saved links as notes of the index: each is found as a result of its own before a note is made.

They stand below `.documents/.gleanings/`, then the path of the daily note, then the id, and have
the text that the note of an extraction would have. Once that note is there, they are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zlib import crc32

from notewell.api.errors import NotewellError, UnreadableNoteError
from notewell.api.files import read_plain
from notewell.api.notes import DOCUMENTS, DailyNotes, day_in_name
from notewell.api.types import Settings, VaultRecord
from notewell.api.vault import FileRef, Source, Walk
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.collect import (
    NAME,
    Day,
    Gleaning,
    GleaningFile,
    Mark,
    gleanings_of,
    note_path,
    note_text,
)
from notewell.features.gleanings.parse import read_entries
from notewell.vault.added_notes import SourceWithMore
from notewell.vault.parse import one_line_end
from notewell.vault.read_notes import is_ordinary
from notewell.vault.readers.reader import ORDINARY_BYTES

ROOT = f"{DOCUMENTS}/.gleanings"
_KINDS = ("folder", "mirror")  # whose notes are files
_MOST_OF_DAY = 1000
_NS = 1_000_000_000


def with_gleanings(own: Source, record: VaultRecord, settings: Settings) -> Source:
    """The source of a vault's notes and of the links saved in them that have no note."""
    if record.source not in _KINDS or not settings.of(GleaningRules).headings:
        return own
    return _WithGleanings(own, record, settings)


class _WithGleanings(SourceWithMore):
    """A vault's own notes and its saved links as one `Source`.

    Daily notes are known by their paths alone: a walk reads no other note.
    """

    def __init__(self, own: Source, record: VaultRecord, settings: Settings) -> None:
        """`own` are the notes of the vault."""
        super().__init__(own, ROOT, settings.vault)
        self._vault = record.path
        self._saved = settings.of(GleaningRules)
        self._folders = tuple(
            f"{folder.strip('/')}/".casefold() for folder in self._saved.daily_folders
        )
        self._headings = tuple(heading.strip("# ").casefold() for heading in self._saved.headings)
        self._daily = DailyNotes.read(record.path)
        self._state = GleaningFile(record.data_folder(settings.data_dir))
        self._state_file = record.data_folder(settings.data_dir) / NAME
        self._days: dict[FileRef, Day | None] = {}
        self._marks: tuple[tuple[int, int], Mapping[str, Mark]] = ((-1, -1), {})

    def list(self, within: Sequence[str] = ()) -> Walk:
        asked = tuple(path for path in within if self._is_added(path))
        notes = tuple(path for path in within if not self._is_added(path))
        walk = self._own.list(notes) if notes or not within else Walk((), ())
        days, beside = list(walk.files), [f"{ROOT}/{path}" for path in notes]
        if any(self._is_made(path) for path in notes):
            days += self._find_extracted()
            beside += [f"{ROOT}/{day}" for day in self._state.load().read.values()]
        files = {file.path: file for file in self._files(days)}
        for path in asked:
            below = self._files(self._own.list(_day_of(path)).files)
            files |= {file.path: file for file in below if f"{file.path}/".startswith(f"{path}/")}
        return Walk(
            files=tuple(sorted((*walk.files, *files.values()), key=lambda file: file.path)),
            excluded=walk.excluded,
            warnings=walk.warnings,
            unread=(*walk.unread, *(f"{ROOT}/{path}" for path in walk.unread)),
            others=walk.others,
            beside=tuple(dict.fromkeys((*walk.beside, *beside))),
        )

    def _address(self, path: str) -> str:
        """The address of the daily note, at the `line` where the link is saved.

        Obsidian ignores the line; the plugin and the terminal use it.
        """
        day, _, name = path.removeprefix(f"{ROOT}/").rpartition("/")
        address = self._own.uri(day)
        try:
            one = self._of_day(self._own.stamp(day)).get(name.removesuffix(".md"))
        except NotewellError:
            return address
        return address if one is None else f"{address}&line={one.seen[0].entry.line}"

    def _files(self, notes: Sequence[FileRef]) -> Iterator[FileRef]:
        """The stamps of the saved links of those of the notes that are daily notes."""
        for note in notes:
            for gleaning in self._of_day(note).values():
                if not self._has_note(gleaning.id):
                    yield self._stamp(gleaning, note)[0]

    def _find(self, path: str) -> tuple[FileRef, bytes]:
        day, _, name = path.removeprefix(f"{ROOT}/").rpartition("/")
        try:
            note = self._own.stamp(day)
        except NotewellError as error:
            raise UnreadableNoteError(error.message, code="vanished") from error
        one = self._of_day(note).get(name.removesuffix(".md"))
        if one is None or self._has_note(one.id):
            raise UnreadableNoteError(
                "No saved link has this path; `notewell gleanings list` shows them.",
                code="vanished",
            )
        return self._stamp(one, note)

    def _stamp(self, one: Gleaning, note: FileRef) -> tuple[FileRef, bytes]:
        """The stamp of a link, and its text.

        Its time is the start of its day, so that an edit of the day makes no link new; the fraction
        of the second tells texts of one size apart.
        """
        text = note_text(one, self._known().get(one.id, Mark()), None).encode("utf-8", "replace")
        day = one.seen[0].date
        seconds = (
            int(datetime.fromisoformat(f"{day}T00:00+00:00").timestamp())
            if day
            else note.mtime_ns // _NS
        )
        path = f"{ROOT}/{note.path}/{one.id}.md"
        return FileRef(path, note.disk_path, len(text), seconds * _NS + crc32(text) % _NS), text

    def _of_day(self, note: FileRef) -> Mapping[str, Gleaning]:
        if not self._is_daily(note.path) or not is_ordinary(note):
            return {}
        if note not in self._days:
            self._days = {
                gleaning: day for gleaning, day in self._days.items() if gleaning.path != note.path
            }
            self._days[note] = self._read_day(note)
        day = self._days[note]
        return {} if day is None else gleanings_of((day,))

    def _read_day(self, note: FileRef) -> Day | None:
        """A daily note's links; None without any. Most have none: they are not even parsed."""
        try:
            raw = read_plain(note.disk_path, most=ORDINARY_BYTES)
            text = raw.decode("utf-8", "replace").casefold()
            if not any(heading in text for heading in self._headings):
                return None
            read = self._own.read(note)
        except (OSError, UnreadableNoteError):
            return None
        own = one_line_end(read.text)
        day_entries = read_entries(own, read.note.headings, self._saved.headings)
        day = self._daily.day(note.path, {}) or day_in_name(note.path)
        entries = day_entries.entries[:_MOST_OF_DAY]
        if not entries:
            return None
        return Day(
            note.path,
            day.isoformat() if day else "",
            read.content_hash,
            type(day_entries)(entries, day_entries.malformed),
        )

    def _is_daily(self, path: str) -> bool:
        if not path.lower().endswith(".md"):
            return False
        return path.casefold().startswith(self._folders) or self._daily.holds(path, {})

    def _has_note(self, key: str) -> bool:
        return (self._vault / note_path(self._saved.folder, key)).exists()

    def _is_made(self, path: str) -> bool:
        """True if a note of an extraction may be at a path, or below it."""
        folder = self._saved.folder.strip("/")
        return not folder or f"{path}/".startswith(f"{folder}/") or folder.startswith(f"{path}/")

    def _find_extracted(self) -> Iterator[FileRef]:
        """The daily notes that were extracted; their links come back if a note is gone."""
        for day in set(self._state.load().read.values()):
            try:
                yield self._own.stamp(day)
            except NotewellError:
                continue

    def _known(self) -> Mapping[str, Mark]:
        """The marks of the file, which is read again when it has changed."""
        seen = _version(self._state_file)
        if seen != self._marks[0]:
            self._marks = (seen, self._state.load().marks)
        return self._marks[1]


def _day_of(path: str) -> tuple[str, ...]:
    """The daily note or the folder whose links a path asks for; () for all."""
    if path == ROOT:
        return ()
    inner = path.removeprefix(f"{ROOT}/")
    above = inner.rpartition("/")[0]
    return (above if above.lower().endswith(".md") else inner,)


def _version(file: Path) -> tuple[int, int]:
    try:
        seen = file.stat()
    except OSError:
        return (0, 0)
    return seen.st_mtime_ns, seen.st_size
