"""Connections to one database, for synchronous callers in any thread.

The driver is asynchronous; its event loop runs in a thread of its own, and callers wait for what
they ask. Reads take a connection of a pool, and ask once more where it was lost; changes have a
`Session`, whose connection is theirs alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import asyncpg

from notewell.api.errors import ConfigError, NotewellError, on_error
from notewell.base.errors import AccessError, IndexFailure, QueryTimeoutError
from notewell_postgres.address import DatabaseAddress

# The connection ended, and nothing was committed by what was asked: it may be asked again.
LOST: tuple[type[BaseException], ...] = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    OSError,
)

_REFUSED = (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError)


class DatabaseGoneError(IndexFailure, code="database_unreachable"):
    """The database does not answer; a later attempt may."""


@contextmanager
def translate_errors(server: str) -> Iterator[None]:
    """Turn the driver's errors into ours. `server` is an address without its password."""
    try:
        yield
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
        raise _meaning(error, server) from error
    except asyncio.IncompleteReadError as error:
        raise _gone(server, error) from error


def _meaning(error: Exception, server: str) -> NotewellError:
    if isinstance(error, _REFUSED):
        return AccessError(
            f"The database at {server} refused the password or the user. Set"
            " NOTEWELL_POSTGRES_PASSWORD, or store the right one with `notewell engine password`.",
            code="database_refused",
        )
    if isinstance(error, (*LOST, TimeoutError)):
        return _gone(server, error)
    return _refusal(error, server)


def _refusal(error: Exception, server: str) -> NotewellError:
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        return ConfigError(
            f"There is no such database at {server}. Create it with `createdb`, or name another."
        )
    if isinstance(error, (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)):
        return QueryTimeoutError(
            f"The database at {server} took too long. Try again; if that stays so, look at its"
            " load (docs/scale.md)."
        )
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return IndexFailure(
            f"The user of {server} lacks a right there ({_first_line(error)}). docs/scale.md says"
            " which rights the user needs.",
            code="database_refused",
        )
    if isinstance(error, (asyncpg.DiskFullError, asyncpg.OutOfMemoryError)):
        return IndexFailure(
            f"The disk or the memory of {server} is full; nothing was changed.", code="disk_full"
        )
    return IndexFailure(
        f"The database at {server} failed: {type(error).__name__}, {_first_line(error)}. Try again."
    )


def _gone(server: str, error: BaseException) -> DatabaseGoneError:
    return DatabaseGoneError(
        f"The database at {server} does not answer ({type(error).__name__}). Searches and changes"
        " go on as soon as it does; check that it runs and can be reached."
    )


def _first_line(error: BaseException) -> str:
    """The message alone: its details may quote a row."""
    return str(error).partition("\n")[0]


Result = TypeVar("Result")
Row = Sequence[Any]  # columns, typed by the query

_MOST_CONNECTIONS = 8
_CONNECT_SECONDS = 10.0
_READ_MS, _WRITE_MS = 30_000, 600_000
_LOCK_MS = 60_000
# How far searches of an approximate index of vectors look (pgvector's README): candidates that are
# held while the graph is walked, and how many of the index are seen for one narrow filter.
SCAN = (
    "SET hnsw.ef_search = 800; SET hnsw.iterative_scan = relaxed_order;"
    " SET hnsw.max_scan_tuples = 200000"
)
_ATTEMPTS = 3  # of a read whose connection was lost: the pool may hold several that died


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="postgres", daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._loop.is_closed():
            work.close()
            raise IndexFailure("The index is closed.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        with on_error(future.cancel):
            return future.result()

    def close(self) -> None:
        """End it. Calling it twice is no error."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()


class Session:
    """One connection: its statements see each other, and may be one transaction."""

    def __init__(self, loop: Loop, connection: asyncpg.Connection, server: str) -> None:
        """Use an open connection."""
        self._loop = loop
        self.connection = connection
        self._server = server
        self._binds_halfvecs = False

    def read(self, sql: str, *values: object) -> list[Row]:
        with translate_errors(self._server):
            rows: list[Row] = self._loop.wait(self.connection.fetch(sql, *values))
        return rows

    def execute(self, sql: str, *values: object) -> None:
        """Run a statement; several, separated by semicolons, where there are no values."""
        with translate_errors(self._server):
            self._loop.wait(self.connection.execute(sql, *values))

    def copy(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Add rows in the binary form of COPY; the table may have no row-level security."""
        with translate_errors(self._server):
            self._loop.wait(
                self.connection.copy_records_to_table(table, records=rows, columns=columns)
            )

    def bind_halfvecs(self) -> None:
        """Take halfvecs as values of statements from now on, as bytes in their binary form."""
        if self._binds_halfvecs:
            return
        with translate_errors(self._server):
            ((schema,),) = self.read(
                "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace"
                " WHERE t.oid = 'halfvec'::regtype"
            )
            self._loop.wait(
                self.connection.set_type_codec(
                    "halfvec", schema=schema, encoder=bytes, decoder=bytes, format="binary"
                )
            )
        self._binds_halfvecs = True

    @contextmanager
    def transaction(self, *, reading: bool = False) -> Iterator[None]:
        """A transaction: committed at the end of the block, rolled back on an error.

        `reading`: all statements see the same state, and none changes it.
        """
        opened = (
            self.connection.transaction(isolation="repeatable_read", readonly=True)
            if reading
            else self.connection.transaction()
        )
        with translate_errors(self._server):
            self._loop.wait(opened.start())
        with on_error(partial(self._roll_back, opened)):
            yield
        with translate_errors(self._server):
            self._loop.wait(opened.commit())

    def _roll_back(self, begun: asyncpg.transaction.Transaction) -> None:
        """Take back a transaction; where the connection was lost, the server does so."""
        if not self.connection.is_closed():
            with suppress(*LOST, asyncpg.PostgresError):
                self._loop.wait(begun.rollback())

    @property
    def answers(self) -> bool:
        """True if the connection is there: asked, because nobody may have told that it ended."""
        try:
            self._loop.wait(self.connection.fetch("SELECT 1"))
        except (*LOST, asyncpg.InternalClientError):  # the latter while it is just ending
            return False
        return True

    def close(self) -> None:
        """Close the connection; one that does not answer is dropped."""

        async def closing() -> None:
            try:
                await self.connection.close(timeout=2.0)
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                self.connection.terminate()

        self._loop.wait(closing())


class Database:
    """One database: its pool of connections for reading, and sessions."""

    def __init__(self, address: DatabaseAddress, password: str | None) -> None:
        self.address = address
        self.server = address.server
        self._password = password
        self._loop = Loop()
        self._pool: asyncpg.Pool | None = None
        self._opening = threading.Lock()
        self.search_path = f'"{address.schema}", public'

    def read(self, sql: str, *values: object) -> list[Row]:
        """All rows of a query, asked again where a connection was lost."""
        with translate_errors(self.server):
            for _ in range(_ATTEMPTS - 1):
                try:
                    return self._loop.wait(self._fetch(self._open(), sql, values))
                except LOST:
                    continue
            return self._loop.wait(self._fetch(self._open(), sql, values))

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A session whose reads all see the same state of the database."""
        pool = self._open()
        with translate_errors(self.server):
            connection = self._loop.wait(_take(pool))
        session = Session(self._loop, connection, self.server)
        try:
            with session.transaction(reading=True):
                yield session
        finally:
            self._loop.wait(_give_back(pool, connection))

    def session(self) -> Session:
        """A new connection for changes; close it."""
        with translate_errors(self.server):
            connection = self._loop.wait(self._connect(_WRITE_MS))
        return Session(self._loop, connection, self.server)

    def close(self) -> None:
        """Close all connections of the pool, and the loop. Twice is no error."""
        pool, self._pool = self._pool, None
        if pool is not None:
            self._loop.wait(_end_pool(pool))
        self._loop.close()

    async def _fetch(self, pool: asyncpg.Pool, sql: str, values: Sequence[object]) -> list[Row]:
        rows: list[Row] = await pool.fetch(sql, *values)
        return rows

    def _open(self) -> asyncpg.Pool:
        with self._opening:
            if self._pool is None:
                with translate_errors(self.server):
                    self._pool = self._loop.wait(self._new_pool())
            return self._pool

    async def _new_pool(self) -> asyncpg.Pool:
        return await asyncpg.create_pool(
            min_size=0,
            max_size=_MOST_CONNECTIONS,
            command_timeout=2 * _READ_MS / 1000,
            init=_prepare,
            reset=_nothing,
            **self._parameters(_READ_MS),
        )

    async def _connect(self, statement_ms: int) -> asyncpg.Connection:
        return await asyncpg.connect(**self._parameters(statement_ms))

    def _parameters(self, statement_ms: int) -> dict[str, Any]:
        address = self.address
        return {
            "host": address.host,
            "port": address.port,
            "user": address.user,
            "database": address.database,
            "password": self._password,
            "ssl": None if address.host.startswith("/") else address.sslmode,
            "timeout": _CONNECT_SECONDS,
            "server_settings": {
                "application_name": "notewell",
                "search_path": self.search_path,
                "statement_timeout": str(statement_ms),
                "lock_timeout": str(_LOCK_MS),
                "idle_in_transaction_session_timeout": str(_WRITE_MS),
                # Plans for all values alike would miss the index of one model.
                "plan_cache_mode": "force_custom_plan",
                "tcp_keepalives_idle": "30",
            },
        }


async def _prepare(connection: asyncpg.Connection) -> None:
    await connection.execute(SCAN)


async def _nothing(_: asyncpg.Connection) -> None:
    """Reads leave nothing in a connection; to reset it would ask the server once more."""


async def _take(pool: asyncpg.Pool) -> asyncpg.Connection:
    for _ in range(_ATTEMPTS - 1):
        connection = await pool.acquire()
        try:
            await connection.execute("SELECT 1")
        except LOST:
            await pool.release(connection)
            continue
        return connection
    return await pool.acquire()


async def _give_back(pool: asyncpg.Pool, connection: asyncpg.Connection) -> None:
    try:
        await pool.release(connection)
    except (*LOST, asyncpg.PostgresError):
        connection.terminate()


async def _end_pool(pool: asyncpg.Pool) -> None:
    try:
        await asyncio.wait_for(pool.close(), 5.0)
    except (*LOST, TimeoutError, asyncpg.PostgresError):
        pool.terminate()
