"""The driver's errors as a person reads them, without the password or the text of any note."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from notewell.base.errors import (
    AccessError,
    ConfigError,
    IndexFailure,
    NotewellError,
    QueryTimeoutError,
)

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


class DatabaseGoneError(IndexFailure):
    """The database does not answer; a later attempt may."""

    code = "database_unreachable"


@contextmanager
def explained(server: str) -> Iterator[None]:
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
    """The meaning of an error of a database that answers."""
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
