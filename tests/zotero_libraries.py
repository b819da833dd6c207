"""Made libraries of Zotero, with the tables and columns that the package reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_SCHEMA = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT UNIQUE);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, dateAdded TEXT, dateModified TEXT,
                    libraryID INT, key TEXT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT UNIQUE);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, path TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, text TEXT,
                              comment TEXT, pageLabel TEXT, sortIndex TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted TEXT);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
INSERT INTO groups VALUES (77, 2, 'Reading circle');
"""
_WHEN = "2024-03-05 10:00:00"


class MadeLibrary:
    """A library in a folder, as Zotero would leave it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "zotero.sqlite"
        self.connection = sqlite3.connect(self.file)
        self.connection.executescript(_SCHEMA)

    def add(
        self, key: str, kind: str = "journalArticle", *, library: int = 1, **fields: str
    ) -> int:
        """An item with its fields; returns its number."""
        number = self._new(key, kind, library)
        for name, value in fields.items():
            self._run("INSERT OR IGNORE INTO fields (fieldName) VALUES (?)", name)
            self._run("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", value)
            self._run(
                "INSERT INTO itemData SELECT ?, fieldID, valueID FROM fields, itemDataValues"
                " WHERE fieldName = ? AND value = ?",
                number,
                name,
                value,
            )
        return number

    def person(self, item: int, first: str, last: str) -> None:
        cursor = self._run("INSERT INTO creators VALUES (NULL, ?, ?, 0)", first, last)
        place = self._run("SELECT count(*) FROM itemCreators WHERE itemID = ?", item).fetchone()[0]
        self._run("INSERT INTO itemCreators VALUES (?, ?, 1, ?)", item, cursor.lastrowid, place)

    def tag(self, item: int, name: str) -> None:
        cursor = self._run("INSERT INTO tags VALUES (NULL, ?)", name)
        self._run("INSERT INTO itemTags VALUES (?, ?, 0)", item, cursor.lastrowid)

    def note(self, item: int | None, html: str, key: str = "NOTE") -> int:
        number = self._new(f"{key}{item}", "note")
        self._run("INSERT INTO itemNotes VALUES (?, ?, ?, '')", number, item, html)
        return number

    def file_of(self, item: int) -> int:
        number = self._new(f"FILE{item}", "attachment")
        self._run("INSERT INTO itemAttachments VALUES (?, ?, 'storage:a.pdf')", number, item)
        return number

    def annotate(self, file: int, text: str | None, comment: str | None, page: str) -> int:
        number = self._new(f"MARK{file}{page}", "annotation")
        order = f"{int(page):05}"
        self._run(
            "INSERT INTO itemAnnotations VALUES (?, ?, 1, ?, ?, ?, ?)",
            *(number, file, text, comment, page, order),
        )
        return number

    def delete(self, item: int) -> None:
        self._run("INSERT INTO deletedItems VALUES (?, ?)", item, _WHEN)

    def save(self) -> None:
        self.connection.commit()

    def close(self) -> None:
        self.save()
        self.connection.close()

    def _new(self, key: str, kind: str, library: int = 1) -> int:
        self._run("INSERT OR IGNORE INTO itemTypes (typeName) VALUES (?)", kind)
        cursor = self._run(
            "INSERT INTO items SELECT NULL, itemTypeID, ?, ?, ?, ? FROM itemTypes WHERE typeName = ?",
            *(_WHEN, _WHEN, library, key, kind),
        )
        return int(cursor.lastrowid or 0)

    def _run(self, sql: str, *values: object) -> sqlite3.Cursor:
        return self.connection.execute(sql, values)
