"""The tables in PostgreSQL, their migrations, and what the server must have.

All vaults of a schema share the tables: each row has its `vault_id`, and row-level security shows a
role the vaults that it, or a role that it is a member of, has made. It is forced, so that it holds
for the owner of the tables too. A migration is appended, never changed.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from notewell.api.errors import NotFoundError
from notewell.base.errors import IndexFailure
from notewell_postgres.connection import Database, Session

LEAST_SERVER = 15
_LOCK = 7_205_759_403  # the advisory lock of migrations: any number that no other program uses
_LEAST_EXTENSION = (0, 8)  # iterative index scans, without which filters lose results

_VAULTS = """
CREATE TABLE vaults (
  id serial PRIMARY KEY, name text NOT NULL, owner name NOT NULL DEFAULT current_user,
  identity text NOT NULL, generation bigint NOT NULL DEFAULT 0,
  text_generation bigint NOT NULL DEFAULT 0, next_note bigint NOT NULL DEFAULT 1,
  next_chunk bigint NOT NULL DEFAULT 1, model_active integer, model_vectors integer,
  analysis text NOT NULL DEFAULT '', template bytea NOT NULL DEFAULT '',
  fence bigint NOT NULL DEFAULT 0, holder text, holder_pid integer, lease_until timestamptz,
  complete boolean NOT NULL DEFAULT true, UNIQUE (owner, name));
ALTER TABLE vaults ENABLE ROW LEVEL SECURITY;
ALTER TABLE vaults FORCE ROW LEVEL SECURITY;
CREATE POLICY of_role ON vaults USING (EXISTS (
  SELECT FROM pg_roles r WHERE r.rolname = owner AND pg_has_role(current_user, r.oid, 'MEMBER')))
"""
# `vector_hash` names the text whose vector stands for a chunk: its own, or that of the passage it
# replaced until its own is embedded. `awaiting`: a chunk of the note lacks its own vector.
# documents.py describes `note_terms`, `documents` and `postings`; `terms` counts documents by
# field.
_POSTINGS_KEY = "PRIMARY KEY (vault_id, token, note_id)"
_POSTINGS_OF_NOTE = "CREATE INDEX postings_of_note ON postings (vault_id, note_id)"
_TABLES = {
    "meta": "key text, value text NOT NULL, PRIMARY KEY (vault_id, key)",
    "notes": (
        "id bigint, path text NOT NULL, title text NOT NULL, aliases text NOT NULL,"
        " tags text NOT NULL, properties text NOT NULL, description text, created float8,"
        " modified float8, size bigint NOT NULL, mtime_ns bigint NOT NULL,"
        " content_hash bytea NOT NULL, warnings text NOT NULL, kept_title text,"
        " generation bigint NOT NULL, awaiting boolean NOT NULL,"
        " PRIMARY KEY (vault_id, id), UNIQUE (vault_id, path) DEFERRABLE INITIALLY DEFERRED"
    ),
    "removed_notes": "id bigint, generation bigint NOT NULL, PRIMARY KEY (vault_id, id)",
    "chunks": (
        "id bigint, note_id bigint NOT NULL, ordinal integer NOT NULL, headings text NOT NULL,"
        " block text, parent text, start bigint NOT NULL, stop bigint NOT NULL,"
        " lines bytea NOT NULL, text_hash bytea NOT NULL, vector_hash bytea,"
        " header text NOT NULL, text text NOT NULL, PRIMARY KEY (vault_id, id)"
    ),
    "documents": (
        "chunk_id bigint, note_id bigint NOT NULL, lengths bytea NOT NULL, words text NOT NULL,"
        " PRIMARY KEY (vault_id, chunk_id)"
    ),
    "note_terms": (
        "note_id bigint, generation bigint NOT NULL, terms bytea NOT NULL, lines bytea NOT NULL,"
        " PRIMARY KEY (vault_id, note_id)"
    ),
    "postings": (f'token text COLLATE "C", note_id bigint, places bytea NOT NULL, {_POSTINGS_KEY}'),
    "terms": (
        'token text COLLATE "C", title integer NOT NULL, headings integer NOT NULL,'
        " tags integer NOT NULL, path integer NOT NULL, body integer NOT NULL,"
        " template integer NOT NULL, stems integer NOT NULL, PRIMARY KEY (vault_id, token)"
    ),
    "links": (
        "note_id bigint, ordinal integer, target text NOT NULL, display text, heading text,"
        " block text, embed integer NOT NULL, kind text NOT NULL, line bigint NOT NULL,"
        " start bigint NOT NULL, stop bigint NOT NULL, PRIMARY KEY (vault_id, note_id, ordinal)"
    ),
    "ledger": (
        "path text, state text NOT NULL, rule text, reason text, warnings text NOT NULL,"
        " attempts integer NOT NULL, size bigint NOT NULL, mtime_ns bigint NOT NULL,"
        " updated float8 NOT NULL, PRIMARY KEY (vault_id, path)"
    ),
    "vault_models": "model_id integer, place bigserial, PRIMARY KEY (vault_id, model_id)",
    "vectors": (
        "model_id integer, text_hash bytea, vector halfvec NOT NULL,"
        " PRIMARY KEY (vault_id, model_id, text_hash)"
    ),
    "arrays": (
        "name text, content text NOT NULL, arrays bytea NOT NULL, PRIMARY KEY (vault_id, name)"
    ),
}
_INDEXES = """
CREATE INDEX notes_by_generation ON notes (vault_id, generation);
CREATE INDEX terms_by_generation ON note_terms (vault_id, generation);
CREATE INDEX notes_awaiting ON notes (vault_id, modified DESC NULLS LAST, id DESC) WHERE awaiting;
CREATE INDEX removed_by_generation ON removed_notes (vault_id, generation);
CREATE INDEX chunks_of_note ON chunks (vault_id, note_id);
CREATE INDEX chunks_by_hash ON chunks (vault_id, text_hash);
CREATE INDEX chunks_by_vector ON chunks (vault_id, vector_hash);
CREATE INDEX documents_of_note ON documents (vault_id, note_id);
CREATE TABLE models (
  id serial PRIMARY KEY, name text NOT NULL, weights_hash text NOT NULL,
  quantisation text NOT NULL, dimensions integer NOT NULL,
  UNIQUE (name, weights_hash, quantisation))
"""


def _first(session: Session) -> None:
    session.execute(_VAULTS)
    for name, columns in _TABLES.items():
        session.execute(
            f"CREATE TABLE {name} (vault_id integer NOT NULL REFERENCES vaults (id)"
            f" ON DELETE CASCADE, {columns});"
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;"
            f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY;"
            f"CREATE POLICY of_role ON {name}"
            " USING (vault_id = ANY (ARRAY(SELECT v.id FROM vaults v)))"
        )
    session.execute(f"{_INDEXES}; {_POSTINGS_OF_NOTE}")


# The tables with many rows for each note. To check the vault of every row by a foreign key took
# half of the time that the database needs to write a note; `delete_vault` takes their rows away.
_UNCHECKED = ("chunks", "documents", "note_terms", "postings", "terms", "links", "vectors")


def _second(session: Session) -> None:
    for name in _UNCHECKED:
        session.execute(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {name}_vault_id_fkey")


MIGRATIONS = (_first, _second)


def delete_vault(session: Session, vault: int) -> None:
    """Delete a vault with all of its rows, in one transaction."""
    with session.transaction():
        for name in _UNCHECKED:
            session.execute(f"DELETE FROM {name} WHERE vault_id = $1", vault)
        session.execute("DELETE FROM vaults WHERE id = $1", vault)


_MANY_ROWS = 1000  # passages and vectors, after which counts of the tables are old


def analyse(session: Session, written: int) -> None:
    """Let the server count its tables where it never has, or after so much was written.

    Else its plans are for other tables, and read all of them. Its autovacuum does the same, later.
    """
    ((known,),) = session.read(
        "SELECT reltuples >= 0 FROM pg_class WHERE oid = to_regclass('postings')"
    )
    if not known or written >= _MANY_ROWS:
        session.execute(f"ANALYZE {', '.join(_TABLES)}")


def insert_ordered(session: Session, vault: int) -> None:
    """Insert the rows of `staged` into the postings of a vault, clustered by word.

    So they are read, word by word. Written note by note, each would be on a page of its own, and in
    a table that does not fit into memory each row would take a read of its indexes. These are made
    again at the end, where no other vault has to be searched: the table is locked meanwhile.
    """
    ((alone,),) = session.read(
        "SELECT count(*) = 1 AND pg_has_role((SELECT relowner FROM pg_class"
        " WHERE oid = to_regclass('postings')), 'USAGE') FROM vaults"
    )
    if alone:
        session.execute(
            "ALTER TABLE postings DROP CONSTRAINT postings_pkey; DROP INDEX postings_of_note"
        )
    session.execute(
        "INSERT INTO postings (vault_id, token, note_id, places)"
        " SELECT $1, token, note_id, places FROM staged ORDER BY token, note_id",
        vault,
    )
    if alone:
        session.execute(
            f"ALTER TABLE postings ADD {_POSTINGS_KEY}; {_POSTINGS_OF_NOTE}; ANALYZE postings"
        )


def prepare(database: Database, *, writable: bool) -> None:
    """Check the server, and bring the tables up to date; a reader only checks them.

    Raises:
        IndexFailure: the server is too old, lacks pgvector, or the tables are of a newer version.
        NotFoundError: there are no tables, and it is opened for reading.
        NotewellError: the database cannot be reached, or refuses.

    """
    session = database.session()
    try:
        _check_server(session, database.server)
        place = _extension(session, database.server, writable=writable)
        schema = database.address.schema
        if place not in {"public", schema}:
            database.search_path = f'"{schema}", public, "{place}"'
            session.execute(f"SET search_path = {database.search_path}")
        _check_tables(session, database, writable=writable)
    finally:
        session.close()


def _check_server(session: Session, server: str) -> None:
    ((number,),) = session.read("SELECT current_setting('server_version_num')::int")
    if number // 10_000 < LEAST_SERVER:
        raise IndexFailure(
            f"The server at {server} is PostgreSQL {number // 10_000}; Notewell needs"
            f" {LEAST_SERVER} or newer. Upgrade it, or name another.",
            code="database_too_old",
        )


def _extension(session: Session, server: str, *, writable: bool) -> str:
    """The schema of pgvector, which a writer installs where the server allows it."""
    extension = _read_installed(session)
    if not extension and writable:
        try:
            session.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except IndexFailure as error:
            raise _no_extension(server) from error
        extension = _read_installed(session)
    if not extension:
        raise _no_extension(server)
    version, place = extension[0]
    if tuple(int(part) for part in version.split(".")[:2]) < _LEAST_EXTENSION:
        raise IndexFailure(
            f"The database at {server} has pgvector {version}; Notewell needs 0.8 or newer. Install"
            " it on the server, then run: ALTER EXTENSION vector UPDATE",
            code="no_pgvector",
        )
    return str(place)


def _read_installed(session: Session) -> list[tuple[str, str]]:
    return [
        (str(version), str(place))
        for version, place in session.read(
            "SELECT e.extversion, n.nspname FROM pg_extension e JOIN pg_namespace n"
            " ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
        )
    ]


def _no_extension(server: str) -> IndexFailure:
    return IndexFailure(
        f"The database at {server} lacks pgvector. Install it on the server, for instance from the"
        " package postgresql-NN-pgvector, then run as its administrator in this database: CREATE"
        " EXTENSION vector",
        code="no_pgvector",
    )


def _check_tables(session: Session, database: Database, *, writable: bool) -> None:
    schema = database.address.schema
    version = _version(session, schema)
    if version > len(MIGRATIONS):
        raise IndexFailure(
            f"The tables at {database.server} were written by a newer version of Notewell (schema"
            f" {version}, this one knows {len(MIGRATIONS)}). Update Notewell.",
            code="index_too_new",
        )
    if version == len(MIGRATIONS):
        return
    if not writable:
        raise NotFoundError(
            f"There is no index at {database.server} yet, or one that is out of date. Open it"
            " for writing first: `notewell index`."
        )
    with session.transaction():
        session.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        session.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        session.execute(
            f'CREATE TABLE IF NOT EXISTS "{schema}".migrations'
            " (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())"
        )
        for number in range(_version(session, schema), len(MIGRATIONS)):
            MIGRATIONS[number](session)
            session.execute("INSERT INTO migrations (version) VALUES ($1)", number + 1)


def _version(session: Session, schema: str) -> int:
    """The number of migrations that a schema has had; another writer may be about to make it."""
    known = session.read("SELECT to_regclass($1)", f'"{schema}".migrations')
    if known[0][0] is None:
        return 0
    ((version,),) = session.read("SELECT coalesce(max(version), 0) FROM migrations")
    return int(version)
