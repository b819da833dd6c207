"""Queries of one vault, and arrays that other packages store with it. All may run in any thread."""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.api.errors import NotewellError
from notewell.api.vault import StoredChunk, StoredNote
from notewell.base.types import (
    LEDGER_STATES,
    IdArray,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    PassageText,
    embedded_text,
)
from notewell.index.lexical import FIRST_PLACEHOLDER, placeholder
from notewell.index.port import NamedArrays, NoteBasics
from notewell.index.row_values import (
    CHUNK_COLUMNS,
    LEDGER_COLUMNS,
    MANIFEST_COLUMNS,
    NOTE_COLUMNS,
    chunk_of,
    ledger_of,
    note_of,
    properties,
)
from notewell_postgres.connection import Database, Row
from notewell_postgres.rows import is_path, paths_held

if TYPE_CHECKING:
    import numpy.typing as npt


_NOTES_AT_ONCE = 500
_MOST_WITH_HASH = 16
logger = logging.getLogger(__name__)

_WITHIN = (
    "(path = ANY($2) OR EXISTS (SELECT FROM unnest($2::text[]) f"
    " WHERE starts_with(path, f || '/')))"
)


class VaultReads:
    """The part of the port that reads the rows of one vault."""

    def __init__(self, database: Database, vault: int) -> None:
        self._database = database
        self._vault = vault

    def _rows(self, sql: str, *values: object) -> list[Row]:
        """Rows of a query whose first value is the vault."""
        return self._database.read(sql, self._vault, *values)

    def _generations(self) -> tuple[int, int]:
        """The generation, and the one in which text changed last."""
        rows = self._rows("SELECT generation, text_generation FROM vaults WHERE id = $1")
        generation, text_generation = rows[0] if rows else (0, 0)
        return int(generation), int(text_generation)

    def meta(self, key: str) -> str | None:
        rows = self._rows("SELECT value FROM meta WHERE vault_id = $1 AND key = $2", key)
        return str(rows[0][0]) if rows else None

    def all_meta(self) -> dict[str, str]:
        rows = self._rows("SELECT key, value FROM meta WHERE vault_id = $1")
        return {str(key): str(value) for key, value in rows}

    # --- notes ---

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        rows = self._rows(
            f"SELECT {NOTE_COLUMNS} FROM notes WHERE vault_id = $1 AND id = ANY($2) ORDER BY id",
            list(ids),
        )
        return {row[0]: note_of(row) for row in rows}

    def paths(self, ids: Sequence[int]) -> dict[int, str]:
        rows = self._rows(
            "SELECT id, path FROM notes WHERE vault_id = $1 AND id = ANY($2)", list(ids)
        )
        return {int(note_id): str(path) for note_id, path in rows}

    def note_at(self, path: str) -> StoredNote | None:
        if not is_path(path):
            return None
        rows = self._rows(
            f"SELECT {NOTE_COLUMNS} FROM notes WHERE vault_id = $1 AND path = $2", path
        )
        return note_of(rows[0]) if rows else None

    def all_notes(self) -> tuple[StoredNote, ...]:
        rows = self._rows(f"SELECT {NOTE_COLUMNS} FROM notes WHERE vault_id = $1 ORDER BY id")
        return tuple([note_of(row) for row in rows])

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        ids = self._rows("SELECT id FROM notes WHERE vault_id = $1 ORDER BY id")
        changed = self._rows(
            "SELECT id, path, properties, created, modified FROM notes"
            " WHERE vault_id = $1 AND generation > $2 ORDER BY id",
            since,
        )
        return np.array([row[0] for row in ids], np.int64), tuple(
            [
                NoteBasics(id_, path, properties(packed), created, modified)
                for id_, path, packed, created, modified in changed
            ]
        )

    # --- passages ---

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        rows = self._rows(
            f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.vault_id = $1 AND c.id = ANY($2)",
            list(ids),
        )
        chunks = {row[0]: chunk_of(row) for row in rows}
        bare = [chunk_id - FIRST_PLACEHOLDER for chunk_id in ids if chunk_id >= FIRST_PLACEHOLDER]
        if bare:
            chunks |= {chunk.id: chunk for chunk in map(placeholder, self._bare(bare))}
        return dict(sorted(chunks.items()))

    def _bare(self, note_ids: Sequence[int]) -> list[int]:
        rows = self._rows(
            "SELECT id FROM notes n WHERE vault_id = $1 AND id = ANY($2) AND NOT EXISTS"
            " (SELECT FROM chunks c WHERE c.vault_id = $1 AND c.note_id = n.id)",
            note_ids,
        )
        return [row[0] for row in rows]

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        rows = self._rows(
            f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.vault_id = $1 AND c.note_id = $2"
            " ORDER BY c.ordinal",
            note_id,
        )
        return tuple(chunk_of(row) for row in rows)

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        rows = self._rows(
            f"SELECT {CHUNK_COLUMNS} FROM chunks c"
            " WHERE c.vault_id = $1 AND c.note_id = ANY($2) AND c.ordinal = 0",
            list(note_ids),
        )
        return {chunk.note_id: chunk for chunk in map(chunk_of, rows)}

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        least = bytes.fromhex(digits + "0" * (len(digits) % 2))
        most = bytes.fromhex(digits + "f" * (len(digits) % 2)) + b"\xff" * 16
        rows = self._rows(
            f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.vault_id = $1"
            f" AND c.text_hash BETWEEN $2 AND $3 ORDER BY c.id LIMIT {_MOST_WITH_HASH}",
            least, most,
        )  # fmt: skip
        return tuple(chunk_of(row) for row in rows)

    def passages(self) -> Iterator[PassageText]:
        after = 0
        while notes := self._rows(
            "SELECT id FROM notes WHERE vault_id = $1 AND id > $2 ORDER BY id LIMIT $3",
            after, _NOTES_AT_ONCE,
        ):  # fmt: skip
            ids = [row[0] for row in notes]
            after = ids[-1]
            for path, title, header, text in self._rows(
                "SELECT n.path, n.title, c.header, c.text FROM notes n LEFT JOIN chunks c"
                " ON c.vault_id = $1 AND c.note_id = n.id"
                " WHERE n.vault_id = $1 AND n.id = ANY($2) ORDER BY n.id, c.ordinal",
                ids,
            ):
                yield PassageText(path, title if text is None else embedded_text(header, text))

    # --- files ---

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        sql = f"SELECT {MANIFEST_COLUMNS} FROM notes WHERE vault_id = $1"
        rows = self._rows(f"{sql} AND {_WITHIN}", paths_held(within)) if within else self._rows(sql)
        return {row[1]: ManifestEntry(*row) for row in rows}

    def ledger(
        self,
        *,
        state: LedgerState | None = None,
        path: str | None = None,
        rule: str | None = None,
    ) -> tuple[LedgerEntry, ...]:
        if path is not None and not is_path(path):
            return ()
        rows = self._rows(
            f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE vault_id = $1"
            " AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR path = $3)"
            " AND ($4::text IS NULL OR rule = $4)"
            ' ORDER BY path COLLATE "C"',
            state, path, rule,
        )  # fmt: skip
        return tuple(ledger_of(row) for row in rows)

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        if not within:
            return self.ledger()
        rows = self._rows(
            f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE vault_id = $1 AND {_WITHIN}"
            ' ORDER BY path COLLATE "C"',
            paths_held(within),
        )
        return tuple(ledger_of(row) for row in rows)

    def _ledger_counts(self) -> dict[LedgerState, int]:
        """The number of files in each state."""
        rows = self._rows("SELECT state, count(*) FROM ledger WHERE vault_id = $1 GROUP BY state")
        counted = {row[0]: int(row[1]) for row in rows}
        return {state: counted.get(state, 0) for state in LEDGER_STATES}

    def _note_count(self) -> int:
        return int(self._rows("SELECT count(*) FROM notes WHERE vault_id = $1")[0][0])

    def former_titles(self) -> int:
        count_of = "SELECT count(*) FROM notes WHERE vault_id = $1 AND kept_title IS NOT NULL"
        return int(self._rows(count_of)[0][0])

    def _bytes_on_disk(self) -> int:
        """The size of the tables of all vaults: the database does not tell them apart."""
        rows = self._database.read(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = $1 AND c.relkind = 'r'",
            self._database.address.schema,
        )
        return int(rows[0][0])


class PostgresArrayCache:
    """Implements `ArrayCache` of the port."""

    def __init__(self, database: Database, vault: int, *, writable: bool) -> None:
        self._database = database
        self._vault = vault
        self._writable = writable

    def load(self, name: str, content: str) -> NamedArrays | None:
        rows = self._database.read(
            "SELECT arrays FROM arrays WHERE vault_id = $1 AND name = $2 AND content = $3",
            self._vault, name, content,
        )  # fmt: skip
        if not rows:
            return None
        try:
            with np.load(io.BytesIO(rows[0][0]), allow_pickle=False) as stored:
                return {key: stored[key] for key in stored.files}
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            logger.warning("The stored arrays %s are damaged (%s).", name, error)
            return None

    def save(self, name: str, content: str, arrays: NamedArrays) -> None:
        if not self._writable:
            return
        packed = io.BytesIO()
        named: dict[str, npt.NDArray[Any]] = dict(arrays)
        np.savez(packed, allow_pickle=False, **named)
        try:
            self._database.read(
                "INSERT INTO arrays (vault_id, name, content, arrays) VALUES ($1, $2, $3, $4)"
                " ON CONFLICT (vault_id, name) DO UPDATE SET content = excluded.content,"
                " arrays = excluded.arrays",
                self._vault, name, content, packed.getvalue(),
            )  # fmt: skip
        except NotewellError as error:
            logger.warning("%s was not saved: %s", name, error.message)
