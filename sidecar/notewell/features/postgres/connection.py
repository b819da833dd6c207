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

from notewell.base.errors import IndexFailure
from notewell.base.support import cleanup
from notewell.features.postgres.address import Address
from notewell.features.postgres.errors import LOST, explained

Result = TypeVar("Result")
Row = Sequence[Any]  # columns, typed by the query

_MOST_CONNECTIONS = 8
_CONNECT_SECONDS = 10.0
_READ_MS, _WRITE_MS = 30_000, 600_000
_LOCK_MS = 60_000
_ATTEMPTS = 3  # of a read whose connection was lost: the pool may hold several that died


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        """Start it."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="postgres", daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine, or its exception."""
        if self._loop.is_closed():
            work.close()
            raise IndexFailure("The index is closed.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        with cleanup.on_error(future.cancel):
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

    def read(self, sql: str, *values: object) -> list[Row]:
        """All rows of a query."""
        with explained(self._server):
            found: list[Row] = self._loop.wait(self.connection.fetch(sql, *values))
        return found

    def execute(self, sql: str, *values: object) -> None:
        """Run a statement; several, separated by semicolons, where there are no values."""
        with explained(self._server):
            self._loop.wait(self.connection.execute(sql, *values))

    @contextmanager
    def transaction(self, *, reading: bool = False) -> Iterator[None]:
        """A transaction: committed at the end of the block, rolled back on an error.

        `reading`: all statements see the same state, and none changes it.
        """
        made = (
            self.connection.transaction(isolation="repeatable_read", readonly=True)
            if reading
            else self.connection.transaction()
        )
        with explained(self._server):
            self._loop.wait(made.start())
        with cleanup.on_error(partial(self._roll_back, made)):
            yield
        with explained(self._server):
            self._loop.wait(made.commit())

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

    def __init__(self, address: Address, password: str | None) -> None:
        """Nothing is connected yet."""
        self.address = address
        self.server = address.server
        self._password = password
        self._loop = Loop()
        self._pool: asyncpg.Pool | None = None
        self._opening = threading.Lock()
        self.search_path = f'"{address.schema}", public'

    def read(self, sql: str, *values: object) -> list[Row]:
        """All rows of a query, asked again where a connection was lost."""
        with explained(self.server):
            for _ in range(_ATTEMPTS - 1):
                try:
                    return self._loop.wait(self._fetch(self._opened(), sql, values))
                except LOST:
                    continue
            return self._loop.wait(self._fetch(self._opened(), sql, values))

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A session whose reads all see the same state of the database."""
        pool = self._opened()
        with explained(self.server):
            connection = self._loop.wait(_taken(pool))
        session = Session(self._loop, connection, self.server)
        try:
            with session.transaction(reading=True):
                yield session
        finally:
            self._loop.wait(_given_back(pool, connection))

    def session(self) -> Session:
        """A new connection for changes; close it."""
        with explained(self.server):
            connection = self._loop.wait(self._connect(_WRITE_MS))
        return Session(self._loop, connection, self.server)

    def close(self) -> None:
        """Close all connections of the pool, and the loop. Twice is no error."""
        pool, self._pool = self._pool, None
        if pool is not None:
            self._loop.wait(_ended(pool))
        self._loop.close()

    async def _fetch(self, pool: asyncpg.Pool, sql: str, values: Sequence[object]) -> list[Row]:
        found: list[Row] = await pool.fetch(sql, *values)
        return found

    def _opened(self) -> asyncpg.Pool:
        with self._opening:
            if self._pool is None:
                with explained(self.server):
                    self._pool = self._loop.wait(self._new_pool())
            return self._pool

    async def _new_pool(self) -> asyncpg.Pool:
        return await asyncpg.create_pool(
            min_size=0,
            max_size=_MOST_CONNECTIONS,
            command_timeout=2 * _READ_MS / 1000,
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


async def _nothing(_: asyncpg.Connection) -> None:
    """Reads leave nothing in a connection; to reset it would ask the server once more."""


async def _taken(pool: asyncpg.Pool) -> asyncpg.Connection:
    for _ in range(_ATTEMPTS - 1):
        connection = await pool.acquire()
        try:
            await connection.execute("SELECT 1")
        except LOST:
            await pool.release(connection)
            continue
        return connection
    return await pool.acquire()


async def _given_back(pool: asyncpg.Pool, connection: asyncpg.Connection) -> None:
    try:
        await pool.release(connection)
    except (*LOST, asyncpg.PostgresError):
        connection.terminate()


async def _ended(pool: asyncpg.Pool) -> None:
    try:
        await asyncio.wait_for(pool.close(), 5.0)
    except (*LOST, TimeoutError, asyncpg.PostgresError):
        pool.terminate()
