"""Copies of an index's database for backups, and the checks of a copy before it is used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from notewell.base.errors import IndexDamagedError, NotFoundError
from notewell.base.support import private
from notewell.index.embedded import note_sums, part_sums, tables
from notewell.index.embedded.checksums import checksum
from notewell.index.embedded.damaged_rows import DamagedRowError
from notewell.index.embedded.store import DATABASE, connect_read_only, explained

# Without vectors, every passage waits for its own, as those of a note that was never embedded.
_WITHOUT_VECTORS = """
DELETE FROM vectors;
UPDATE chunks SET vector_hash = NULL;
UPDATE notes SET awaiting = 1 WHERE id IN (SELECT note_id FROM chunks);
UPDATE ledger SET state = 'keyword_only' WHERE state = 'indexed'
  AND path IN (SELECT path FROM notes WHERE awaiting = 1);
"""


def copy_index(directory: Path, file: Path, *, vectors: bool) -> None:
    """Copy the database of an index, as it is at one moment, into a new private file.

    Another process may write the index meanwhile. Everything that is derived from the database is
    left out, and without `vectors` those too, so that they have to be computed again.

    Raises:
        NotFoundError: there is no index.
        IndexFailure: it cannot be read, or the copy cannot be written.

    """
    source = directory / DATABASE
    if not source.is_file():
        raise NotFoundError(f"There is no index in {directory}.")
    private.make_file(file)
    with (
        explained(directory),
        closing(connect_read_only(source)) as original,
        closing(sqlite3.connect(file, isolation_level=None)) as copy,
    ):
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        # Of an older format there may be columns that these statements do not know.
        tables.migrate(copy)
        if not vectors:
            copy.execute("BEGIN")
            for statement in _WITHOUT_VECTORS.split(";\n"):
                copy.execute(statement)
            copy.execute("COMMIT")
            copy.execute("VACUUM")


def check_copy(file: Path) -> None:
    """Check that a file is a whole database of an index, and has nothing that runs by itself.

    Raises:
        IndexDamagedError: it is not.
        IndexFailure: a newer version of the program wrote it.

    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            copy.execute("PRAGMA trusted_schema = OFF")
            version = tables.version_of(copy)
            # Not the quick one, which does not compare indexes with their tables.
            ((sound,),) = copy.execute("PRAGMA integrity_check(1)").fetchall()
            ((foreign,),) = copy.execute(
                "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')"
                " OR sql LIKE 'CREATE VIRTUAL%'"
            ).fetchall()
            if version == tables.SCHEMA_VERSION:
                note_sums.check_notes(copy)
                part_sums.check_parts(copy)
    except (sqlite3.Error, DamagedRowError) as error:
        raise IndexDamagedError(f"{file.name} is not the database of an index: {error}.") from error
    if version == 0 or sound != "ok" or foreign:
        raise IndexDamagedError(f"{file.name} is not the database of an index.")


def check_notes(directory: Path) -> None:
    """Check the rows of every note of an index; a damaged one is repaired by the next writer.

    Raises:
        IndexDamagedError: one is not what was written.
        IndexFailure: the database cannot be read.

    """
    with (
        explained(directory),
        closing(connect_read_only(directory / DATABASE)) as connection,
    ):
        if tables.version_of(connection) == tables.SCHEMA_VERSION:
            note_sums.check_notes(connection)
            part_sums.check_parts(connection)


def damaged_vectors(directory: Path) -> int:
    """How many stored vectors of an index differ from their checksums.

    Raises:
        IndexFailure: the database cannot be read.

    """
    with (
        explained(directory),
        closing(connect_read_only(directory / DATABASE)) as connection,
    ):
        if tables.version_of(connection) != tables.SCHEMA_VERSION:
            return 0  # older ones are checked when they are brought up to date
        rows = connection.execute("SELECT model_id, text_hash, vector, checksum FROM vectors")
        return sum(
            checksum(model, text_hash, vector) != stored
            for model, text_hash, vector, stored in rows
        )
