"""Reads the database of Zotero: items with their fields, people, tags, annotations and notes.

Tables and columns are those of Zotero 6 and 7, as `resource/schema/userdata.sql` in
https://github.com/zotero/zotero has them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from notewell.api.errors import SourceError

DATABASE = "zotero.sqlite"
_WAIT_S = 2  # for Zotero to finish a change
_UNDER_WAY = bytes.fromhex("d9d505f920a163d7")

_ITEMS = """
SELECT items.itemID, items.key, itemTypes.typeName, groups.groupID,
       items.dateAdded, items.dateModified
FROM items
JOIN itemTypes ON itemTypes.itemTypeID = items.itemTypeID
JOIN libraries ON libraries.libraryID = items.libraryID
LEFT JOIN groups ON groups.libraryID = items.libraryID
LEFT JOIN itemNotes ON itemNotes.itemID = items.itemID
LEFT JOIN itemAttachments ON itemAttachments.itemID = items.itemID
WHERE itemTypes.typeName != 'annotation' AND libraries.type != 'feed'
  AND itemNotes.parentItemID IS NULL AND itemAttachments.parentItemID IS NULL
  AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
"""
_FIELDS = """
SELECT itemData.itemID, fields.fieldName, itemDataValues.value
FROM itemData
JOIN fields ON fields.fieldID = itemData.fieldID
JOIN itemDataValues ON itemDataValues.valueID = itemData.valueID
"""
_PEOPLE = """
SELECT itemCreators.itemID, creators.firstName, creators.lastName
FROM itemCreators JOIN creators ON creators.creatorID = itemCreators.creatorID
ORDER BY itemCreators.itemID, itemCreators.orderIndex
"""
_TAGS = """
SELECT itemTags.itemID, tags.name FROM itemTags JOIN tags ON tags.tagID = itemTags.tagID
ORDER BY tags.name
"""
_NOTES = """
SELECT COALESCE(itemNotes.parentItemID, itemNotes.itemID), itemNotes.note, items.dateModified
FROM itemNotes JOIN items ON items.itemID = itemNotes.itemID
WHERE itemNotes.itemID NOT IN (SELECT itemID FROM deletedItems)
ORDER BY items.dateAdded, items.itemID
"""
_ANNOTATIONS = """
SELECT COALESCE(files.parentItemID, files.itemID), marks.text, marks.comment, marks.pageLabel,
       items.dateModified
FROM itemAnnotations AS marks
JOIN items ON items.itemID = marks.itemID
JOIN itemAttachments AS files ON files.itemID = marks.parentItemID
WHERE marks.itemID NOT IN (SELECT itemID FROM deletedItems)
  AND files.itemID NOT IN (SELECT itemID FROM deletedItems)
ORDER BY files.itemID, marks.sortIndex
"""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A place that was marked in a file: its text, what was written about it, the page's label."""

    text: str
    comment: str
    page: str


@dataclass(slots=True)
class LibraryItem:
    """An item of a library. `group` is None in a person's own; `notes` are HTML; times: seconds."""

    key: str
    kind: str
    group: int | None
    added: float
    modified: float
    fields: dict[str, str] = field(default_factory=dict)
    people: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def database_of(library: Path) -> Path:
    """The database of a library: in its folder, or the file itself."""
    return library / DATABASE if library.suffix != ".sqlite" else library


def read_library(database: Path) -> Sequence[LibraryItem]:
    """All items that are not in the bin, also those of groups, by key.

    Raises SourceError where the database cannot be read now, also while Zotero changes it.
    """
    try:
        return _read(f"{database.absolute().as_uri()}?mode=ro")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise _unreadable(database, error) from error
    except sqlite3.Error as error:
        raise _unreadable(database, error) from error
    return _read_locked(database)


def _read_locked(database: Path) -> Sequence[LibraryItem]:
    """Read beside a running Zotero, which holds its lock all the time.

    SQLite is told that nobody writes (`immutable`), so what is read counts only if nobody did: the
    file is the same after it, and no change is under way. What is in a write-ahead log is read once
    it is in the database.
    """
    try:
        before = _version(database)
        items = _read(f"{database.absolute().as_uri()}?mode=ro&immutable=1") if before else ()
        if before is None or _version(database) != before:
            raise SourceError(f"{database} is being changed by Zotero; it is read again later.")
    except (OSError, sqlite3.Error) as error:
        raise _unreadable(database, error) from error
    return items


def _version(database: Path) -> tuple[int, int] | None:
    """Time and size of the database; None while a change is under way.

    The journal of a change begins with a mark, which is overwritten when the change is complete.
    Source: https://www.sqlite.org/fileformat2.html#the_rollback_journal
    """
    try:
        with database.with_name(f"{database.name}-journal").open("rb") as journal:
            if journal.read(len(_UNDER_WAY)) == _UNDER_WAY:
                return None
    except FileNotFoundError:
        pass
    status = database.stat()
    return status.st_mtime_ns, status.st_size


def _unreadable(database: Path, error: Exception) -> SourceError:
    return SourceError(
        f"{database} cannot be read as a library of Zotero ({error}). Set zotero.library to the"
        " folder that Zotero names in its settings, under Advanced, Files and Folders."
    )


def _read(uri: str) -> Sequence[LibraryItem]:
    with closing(sqlite3.connect(uri, uri=True, timeout=_WAIT_S)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        items = {row[0]: _item(row) for row in connection.execute(_ITEMS)}
        for number, name, value in _known(connection.execute(_FIELDS), items):
            items[number].fields[_text(name)] = _text(value)
        for number, first, last in _known(connection.execute(_PEOPLE), items):
            items[number].people.append(" ".join(filter(None, (_text(first), _text(last)))))
        for number, tag in _known(connection.execute(_TAGS), items):
            items[number].tags.append(_text(tag))
        for number, text, comment, page, changed in _known(connection.execute(_ANNOTATIONS), items):
            mark = Annotation(_text(text), _text(comment), _text(page))
            if mark.text or mark.comment:
                items[number].annotations.append(mark)
                items[number].modified = max(items[number].modified, _time(changed))
        for number, note, changed in _known(connection.execute(_NOTES), items):
            items[number].notes.append(_text(note))
            items[number].modified = max(items[number].modified, _time(changed))
    return sorted(items.values(), key=lambda item: (item.group or 0, item.key))


def _known(rows: sqlite3.Cursor, items: Mapping[int, LibraryItem]) -> Iterator[tuple[Any, ...]]:
    return (row for row in rows if row[0] in items)


def _item(row: Sequence[object]) -> LibraryItem:
    _, key, kind, group, added, modified = row
    number = group if isinstance(group, int) else None
    return LibraryItem(_text(key), _text(kind), number, _time(added), _time(modified))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _time(value: object) -> float:
    """Seconds of a time as SQLite writes it, which is UTC; 0 for what is no time."""
    try:
        return datetime.fromisoformat(_text(value)).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
