"""The notes of a source that is no folder: kept as Markdown files in the data directory.

A database of the vault holds the pages as they came, so that a page whose references changed is
written again without asking for it. A page is in the database first and in its file after that;
one that was not written when a process ended is written by the next sync.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from notewell.api.errors import SourceError, on_error
from notewell.api.files import disk
from notewell.api.types import VaultRecord, VaultRules
from notewell.features.sources import known
from notewell.features.sources.pages import (
    SourceDocument,
    SourcePage,
    Target,
    anchor_of,
    file_path,
    load_page,
    write_page,
)
from notewell.features.sources.spec import TYPES, OutlineKind, SourceSpec
from notewell.vault.mirror import Mirror
from notewell.vault.sources import FolderSource

DATABASE = "source-pages.db"
_FORMAT = 1
_SCHEMA = """
CREATE TABLE page (
    uid TEXT PRIMARY KEY, title TEXT NOT NULL, path TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
    edited INTEGER NOT NULL, digest BLOB NOT NULL, stored BLOB, unwritten INTEGER NOT NULL
);
CREATE INDEX page_by_path ON page (path);
CREATE TABLE name (folded TEXT NOT NULL, page TEXT NOT NULL, alias INTEGER NOT NULL);
CREATE INDEX name_by_folded ON name (folded);
CREATE INDEX name_by_page ON name (page);
CREATE TABLE block (uid TEXT PRIMARY KEY, page TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX block_by_page ON block (page);
CREATE TABLE used (block TEXT NOT NULL, page TEXT NOT NULL);
CREATE INDEX used_by_block ON used (block);
CREATE INDEX used_by_page ON used (page);
CREATE TABLE pending (uid TEXT PRIMARY KEY);
"""
_NOTE = (
    "SELECT page.path FROM name JOIN page ON page.uid = name.page"
    " WHERE name.folded = ? ORDER BY name.alias LIMIT 1"
)
_BLOCK = (
    "SELECT page.path, block.text FROM block JOIN page ON page.uid = block.page WHERE block.uid = ?"
)
_MANY = 200  # names that changed: from so many on all pages are written again
_ROAM = "https://roamresearch.com/#/app"


class PageStore:
    """The notes of one source on disk. One thread at a time."""

    def __init__(self, folder: Path, notes: Path, kind: OutlineKind) -> None:
        """Open or make the store: its database in `folder`, its files in `notes`.

        Raises SourceError if it cannot be used.
        """
        self.notes = notes
        self._kind = kind
        disk.make_folder(folder)
        disk.make_folder(notes)
        self._database = _open(folder / DATABASE)
        self._renamed: set[str] = set()  # titles whose path is another one now

    def close(self) -> None:
        self._database.close()

    # --- what is there ---------------------------------------------------------------------

    def edited(self) -> dict[str, int]:
        """The uid of every page with the time of change it came with."""
        return dict(self._database.execute("SELECT uid, edited FROM page"))

    def pending(self) -> tuple[str, ...]:
        """The pages that a sync which did not end still had to ask for."""
        return tuple(uid for (uid,) in self._database.execute("SELECT uid FROM pending"))

    def is_known(self, item: SourcePage | SourceDocument) -> bool:
        """True if the store has exactly this page or file."""
        rows = self._database.execute("SELECT digest FROM page WHERE uid = ?", (item.uid,))
        return bool(rows.fetchone() == (item.digest(),))

    def note(self, title: str) -> str | None:
        return _path_in(self._database.execute(_NOTE, (title.casefold(),)).fetchall())

    def block(self, uid: str) -> Target | None:
        return _target_in(self._database.execute(_BLOCK, (uid,)).fetchall(), uid)

    # --- changing --------------------------------------------------------------------------

    def expect(self, uids: Sequence[str]) -> None:
        """Remember which pages this sync has to ask for, until they are `put`."""
        with self._database:
            self._database.execute("DELETE FROM pending")
            self._database.executemany(
                "INSERT INTO pending VALUES (?)", [(uid,) for uid in dict.fromkeys(uids)]
            )

    def put(self, items: Sequence[SourcePage | SourceDocument]) -> tuple[str, ...]:
        """Keep pages and files, in one transaction; `write` makes their files.

        Returns what is wrong with them, for people.
        """
        problems: list[str] = []
        with self._database:
            for item in items:
                self._forget_parts(item.uid)
                if isinstance(item, SourcePage):
                    problems += self._put_page(item)
                else:
                    self._put_file(item)
                self._database.execute("DELETE FROM pending WHERE uid = ?", (item.uid,))
        return tuple(problems)

    def touch(self, uid: str, edited: int) -> None:
        """Note that a page which is the same was looked at."""
        with self._database:
            self._database.execute("UPDATE page SET edited = ? WHERE uid = ?", (edited, uid))
            self._database.execute("DELETE FROM pending WHERE uid = ?", (uid,))

    def remove(self, uids: Sequence[str]) -> None:
        """Delete pages with their files. Raises OSError."""
        for uid in uids:
            row = self._row(uid)
            if row is None:
                continue
            _, path, stored = row
            with suppress(FileNotFoundError):
                self._file(path, stored).unlink()
            with self._database:
                self._renamed.update(self._names(uid))
                self._forget_parts(uid)
                self._database.execute("DELETE FROM page WHERE uid = ?", (uid,))

    def write(self) -> Iterator[str]:
        """Write the files of pages that changed or whose references did; gives their paths.

        Raises OSError where the disk refuses; the rest is written by the next call.
        """
        self._mark_renamed()
        unwritten = self._database.execute("SELECT uid FROM page WHERE unwritten").fetchall()
        for (uid,) in unwritten:
            row = self._row(uid)
            if row is None:
                continue
            edited, path, stored = row
            if stored is not None:
                page = write_page(load_page(stored), self._kind, path, self)
                self._replace(self._file(path, stored), page.content, edited)
                with self._database:
                    self._database.execute("DELETE FROM used WHERE page = ?", (uid,))
                    self._database.executemany(
                        "INSERT INTO used VALUES (?, ?)", [(block, uid) for block in page.used]
                    )
            with self._database:
                self._database.execute("UPDATE page SET unwritten = 0 WHERE uid = ?", (uid,))
            yield path

    def _put_page(self, page: SourcePage) -> Iterator[str]:
        path = self._place(page.uid, file_path(page.title))
        self._store_row(page, page.title, path, page.dump(), page.digest())
        names = [(page.title, 0), *((alias, 1) for alias in page.aliases)]
        if page.day:
            names.append((page.day, 1))
        self._database.executemany(
            "INSERT INTO name VALUES (?, ?, ?)",
            [(name.casefold(), page.uid, alias) for name, alias in names],
        )
        for block in page.blocks:
            if not block.uid:
                continue
            added = self._database.execute(
                "INSERT OR IGNORE INTO block VALUES (?, ?, ?)", (block.uid, page.uid, block.text)
            )
            if not added.rowcount:
                yield f"the block {block.uid} of {page.title} is also in another page"
            self._mark_users(block.uid)

    def _put_file(self, document: SourceDocument) -> None:
        head, dot, ending = document.path.rpartition(".")
        path = self._place(document.uid, file_path(head) + dot + ending, whole=True)
        self._replace(self.notes / path, document.content, document.edited)
        self._store_row(document, document.path, path, None, document.digest())

    def _store_row(
        self,
        item: SourcePage | SourceDocument,
        title: str,
        path: str,
        stored: bytes | None,
        digest: bytes,
    ) -> None:
        before = self._row(item.uid)
        if before is not None and before[1] != path:
            with suppress(OSError):
                self._file(before[1], before[2]).unlink()
        if (before is None or before[1] != path) and stored is not None:
            self._renamed.add(title.casefold())
        self._database.execute(
            "INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (item.uid, title, path, path.casefold(), item.edited, digest, stored, 1),
        )

    def _place(self, uid: str, wanted: str, *, whole: bool = False) -> str:
        """The wanted path, or with a number where another page has it; `whole` has an ending."""
        head, dot, ending = wanted.rpartition(".") if whole else (wanted, "", "")
        path, number = wanted, 1
        while self._database.execute(
            "SELECT 1 FROM page WHERE folded = ? AND uid != ?", (path.casefold(), uid)
        ).fetchone():
            number += 1
            path = f"{head} {number}{dot}{ending}"
        return path

    def _forget_parts(self, uid: str) -> None:
        blocks = self._database.execute("SELECT uid FROM block WHERE page = ?", (uid,)).fetchall()
        for (block,) in blocks:
            self._mark_users(block)
        for table in ("block", "name", "used"):
            self._database.execute(f"DELETE FROM {table} WHERE page = ?", (uid,))  # noqa: S608

    def _mark_users(self, block: str) -> None:
        """Have the pages written again in which the text of this block is."""
        self._database.execute(
            "UPDATE page SET unwritten = 1 WHERE uid IN (SELECT page FROM used WHERE block = ?)",
            (block,),
        )

    def _names(self, uid: str) -> set[str]:
        rows = self._database.execute("SELECT folded FROM name WHERE page = ?", (uid,))
        return {name for (name,) in rows}

    def _mark_renamed(self) -> None:
        """Have the pages written again that name a page whose path is new."""
        with self._database:
            if len(self._renamed) > _MANY:
                self._database.execute("UPDATE page SET unwritten = 1 WHERE stored IS NOT NULL")
            elif self._renamed:
                naming = [
                    (uid,)
                    for uid, stored in self._database.execute(
                        "SELECT uid, stored FROM page WHERE stored IS NOT NULL AND NOT unwritten"
                    )
                    if any(name in stored.decode().casefold() for name in self._renamed)
                ]
                self._database.executemany("UPDATE page SET unwritten = 1 WHERE uid = ?", naming)
        self._renamed.clear()

    def _row(self, uid: str) -> tuple[int, str, bytes | None] | None:
        row = self._database.execute(
            "SELECT edited, path, stored FROM page WHERE uid = ?", (uid,)
        ).fetchone()
        return (row[0], row[1], row[2]) if row else None

    def _file(self, path: str, stored: bytes | None) -> Path:
        return self.notes / (path if stored is None else f"{path}.md")

    def _replace(self, file: Path, content: bytes, edited: int) -> None:
        """Write a file unless it has this content; its time is that of the source."""
        with suppress(OSError):
            if file.read_bytes() == content:
                return
        disk.replace(file, content)
        if edited:
            with suppress(OSError, OverflowError):
                os.utime(file, (edited / 1000, edited / 1000))


class PageAddresses:
    """Finds the uid behind the path of a note and the id of a block. Any thread may ask.

    It is a `Resolver` too: what it does not find, or cannot read now, is unknown.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / DATABASE
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None

    def uid(self, path: str, anchor: str | None) -> str | None:
        """The uid of a block of a note, or of its page; None if there is none."""
        block = None if anchor is None else self.block_of(path, anchor)
        if block is not None:
            return block[0]
        pages = self._rows("SELECT uid FROM page WHERE path = ?", path)
        return str(pages[0][0]) if pages else None

    def block_of(self, path: str, anchor: str) -> tuple[str, str] | None:
        """The uid and the text of a block of a note; None if there is none."""
        blocks = self._rows(
            "SELECT block.uid, block.text FROM block JOIN page ON page.uid = block.page"
            " WHERE page.path = ?",
            path,
        )
        return next(((uid, text) for uid, text in blocks if anchor_of(uid) == anchor), None)

    def note(self, title: str) -> str | None:
        return _path_in(self._rows(_NOTE, title.casefold()))

    def block(self, uid: str) -> Target | None:
        return _target_in(self._rows(_BLOCK, uid), uid)

    def _rows(self, sql: str, value: str) -> list[tuple[str, ...]]:
        """The rows of a query; none, if the database cannot be read."""
        with self._lock, suppress(sqlite3.Error):
            if self._database is None and self._file.exists():
                self._database = sqlite3.connect(
                    f"{self._file.as_uri()}?mode=ro", uri=True, check_same_thread=False
                )
                weakref.finalize(self, self._database.close)
            if self._database is not None:
                return self._database.execute(sql, (value,)).fetchall()
        return []


def _path_in(rows: Sequence[tuple[str, ...]]) -> str | None:
    return rows[0][0] if rows else None


def _target_in(rows: Sequence[tuple[str, ...]], uid: str) -> Target | None:
    return Target(rows[0][0], anchor_of(uid), rows[0][1]) if rows else None


def _open(file: Path) -> sqlite3.Connection:
    try:
        database = sqlite3.connect(file, timeout=10, isolation_level="IMMEDIATE")
        with on_error(database.close):
            disk.restrict(file)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT;")
            elif version != _FORMAT:
                raise SourceError(f"{file} is of another version of Notewell; add the source again")
    except sqlite3.Error as error:
        raise SourceError(
            f"{file} cannot be used ({error}); remove the source and add it again"
        ) from error
    return database


class ImportedSource(FolderSource):
    """The notes of a source as the last sync left them."""

    watched = False

    def __init__(self, record: VaultRecord, rules: VaultRules) -> None:
        """`rules` say which of the notes are indexed; all types that exports have are read."""
        super().__init__(record, replace(rules, types=tuple(dict.fromkeys((*rules.types, *TYPES)))))
        self._folder = known.folder_of(record)
        self._addresses = PageAddresses(self._folder)
        self._spec: SourceSpec | None = None

    def uri(self, path: str, anchor: str | None = None) -> str:
        """See `Source.uri`: where the source itself opens; "" where it has no address."""
        try:
            if self._spec is None:
                self._spec = known.load(self._folder).spec
        except SourceError:
            return ""
        return _address(self._spec, path, anchor, self._addresses)

    def receiver(self) -> Mirror | None:
        """See `Source.receiver`: only a sync changes these notes."""
        return None


def _address(spec: SourceSpec, path: str, anchor: str | None, addresses: PageAddresses) -> str:
    uid = addresses.uid(path.removesuffix(".md") if spec.form != "text" else path, anchor)
    if uid is None:
        return ""
    graph = quote(spec.graph, safe="")
    if spec.form.startswith("roam"):
        return f"{_ROAM}/{graph}/page/{quote(uid, safe='')}"
    if spec.form == "logseq":
        name = path.removesuffix(".md")
        part = f"page={quote(name, safe='')}" if uid.endswith(".md") else f"block-id={uid}"
        return f"logseq://graph/{graph}?{part}"
    place = Path(spec.place)
    return (place / uid).as_uri() if place.is_dir() else ""
