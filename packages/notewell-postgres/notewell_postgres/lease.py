"""The right of one server to write a vault.

One writer a vault: an advisory lock, a lease, and a fencing token. The lock belongs to the writer's
connection, so the server frees it when that ends. A connection may seem alive for long after its
computer is gone: so the writer also renews a lease, by the server's clock, and a writer that comes
may end a connection whose lease has run out. Who becomes the writer raises the token (`fence`);
every change first compares it, in its own transaction, with the row locked: one that was overtaken
never writes (Kleppmann 2016, "How to do distributed locking").
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import suppress

from notewell.api.errors import NotewellError, on_error
from notewell.base.errors import IndexFailure, IndexInUseError
from notewell_postgres.connection import Database, Session

_LOCK_CLASS = 1_852_798_828  # of advisory locks that stand for vaults: "notl" in ASCII
LEASE_SECONDS = 30.0
logger = logging.getLogger(__name__)


class LostLeaseError(IndexInUseError, code="lease_lost"):
    """Another server became the writer meanwhile; this one wrote nothing since."""


class Lease:
    """The right to write one vault, and the connection that it is tied to."""

    def __init__(self, database: Database, vault: int, *, seconds: float = LEASE_SECONDS) -> None:
        """Become the writer.

        Raises:
            IndexInUseError: another server is.
            IndexFailure: the database fails.

        """
        self._database = database
        self._vault = vault
        self._seconds = seconds
        self._ended = threading.Event()
        self._session: Session | None = None
        self._fence = -1  # of nobody
        self._session = self._acquire()
        self._renewing = threading.Thread(target=self._renew, name="lease", daemon=True)
        self._renewing.start()

    def session(self) -> Session:
        """The writer's connection; a lost one is replaced, if nobody else wrote meanwhile.

        Raises:
            LostLeaseError: somebody did.
            IndexFailure: the database does not answer.

        """
        session = self._session
        if session is None:
            raise IndexFailure("The index is closed.")
        if not session.answers:
            session = self._session = self._acquire()
        return session

    def check(self, session: Session) -> None:
        """Lock the vault's row in a transaction, and compare the token.

        Raises:
            LostLeaseError: another server has become the writer, or deleted the vault.

        """
        rows = session.read("SELECT fence FROM vaults WHERE id = $1 FOR UPDATE", self._vault)
        if not rows or rows[0][0] != self._fence:
            raise self._lost_lease()

    def close(self) -> None:
        """Give the right back. Twice is no error."""
        self._ended.set()
        session, self._session = self._session, None
        if session is None:
            return
        self._renewing.join()
        with suppress(NotewellError):  # the server frees what it can no longer be told
            session.execute(
                "UPDATE vaults SET holder = NULL, holder_pid = NULL, lease_until = NULL"
                " WHERE id = $1 AND fence = $2",
                self._vault, self._fence,
            )  # fmt: skip
            # At once: the server ends a connection only after it was told.
            session.read("SELECT pg_advisory_unlock($1, $2)", _LOCK_CLASS, self._vault)
        session.close()

    def _acquire(self) -> Session:
        session = self._database.session()
        with on_error(session.close):
            self._lock(session)
            with session.transaction():
                self._become(session)
        return session

    def _lock(self, session: Session) -> None:
        """Take the lock. Raises IndexInUseError."""
        if not self._try_lock(session) and not self._take_over(session):
            raise self._in_use(session)

    def _try_lock(self, session: Session) -> bool:
        ((locked,),) = session.read("SELECT pg_try_advisory_lock($1, $2)", _LOCK_CLASS, self._vault)
        return bool(locked)

    def _take_over(self, session: Session) -> bool:
        """End the connection of a writer whose lease has run out; whether the lock is ours then."""
        ended = session.read(
            "SELECT pg_terminate_backend(holder_pid, 5000) FROM vaults"
            " WHERE id = $1 AND lease_until < now() AND holder_pid IS NOT NULL",
            self._vault,
        )
        return bool(ended) and self._try_lock(session)

    def _become(self, session: Session) -> None:
        """Raise the token, or see that another server did since this one wrote last."""
        ((fence,),) = session.read(
            "SELECT fence FROM vaults WHERE id = $1 FOR UPDATE", self._vault
        ) or [(None,)]
        if fence is None or self._fence not in {-1, fence}:
            raise self._lost_lease()
        session.execute(
            "UPDATE vaults SET fence = fence + 1, holder = $2, holder_pid = pg_backend_pid(),"
            " lease_until = now() + make_interval(secs => $3) WHERE id = $1",
            self._vault, f"{socket.gethostname()}:{os.getpid()}", self._seconds,
        )  # fmt: skip
        self._fence = fence + 1

    def _renew(self) -> None:
        """Renew the lease while the index is open, through any connection."""
        while not self._ended.wait(self._seconds / 3):
            try:
                self._database.read(
                    "UPDATE vaults SET lease_until = now() + make_interval(secs => $3)"
                    " WHERE id = $1 AND fence = $2 RETURNING id",
                    self._vault, self._fence, self._seconds,
                )  # fmt: skip
            except NotewellError as error:
                logger.warning("The lease of a vault was not renewed: %s", error.message)

    def _in_use(self, session: Session) -> IndexInUseError:
        rows = session.read("SELECT holder FROM vaults WHERE id = $1", self._vault)
        holder = rows[0][0] if rows and rows[0][0] else "another server"
        return IndexInUseError(
            f"{holder} writes the index of this vault at {self._database.server}. Use that server,"
            " or stop it first."
        )

    def _lost_lease(self) -> LostLeaseError:
        return LostLeaseError(
            f"Another server has become the writer of this vault at {self._database.server}. This"
            " one serves what is stored, and writes nothing; restart it to write again."
        )
