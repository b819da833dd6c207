"""All errors that the package raises deliberately, and two helpers of who raises them.

NotewellError
├── UsageError                a request that is never valid            exit 2, HTTP 400
│   ├── ConfigError           a setting that is unknown or invalid
│   └── QueryTooLongError
├── NotFoundError             a vault, note or index that is not there  exit 3, HTTP 404
│   └── StalePassageError     an id of a passage that changed since     HTTP 409
├── AccessError               a caller without the right token          exit 1, HTTP 401
│   └── ForbiddenError        an unknown host or a foreign origin       HTTP 403
├── VaultError                a vault that cannot be read               exit 1, HTTP 503
│   ├── UnreadableNoteError   one file; the ledger records it
│   ├── AnotherVaultError     the index belongs to other notes         HTTP 409
│   └── OutsideVaultError     a path that leaves the vault              HTTP 400
├── WriteError                a change to a vault that failed           exit 1, HTTP 503
│   ├── ChangedNoteError      the note changed since it was read      HTTP 409
│   ├── ReadOnlyError         this kind of writing is not allowed     HTTP 403
│   └── ProtectedError        deleting it needs confirmation          HTTP 409
├── IndexFailure              the stored index                          exit 1, HTTP 503
│   ├── IndexInUseError       another process writes it                 HTTP 409
│   └── IndexDamagedError
├── QueryLogError             the log of queries cannot be used         exit 1, HTTP 503
│   └── QueryLogOffError      it is switched off                        HTTP 409
├── SourceError               an export or program that cannot be read  exit 1, HTTP 400
├── RunLogError               the log of runs cannot be used            exit 1, HTTP 503
├── AlreadyRunningError       a run of this kind has not ended          exit 1, HTTP 409
├── PackError                 a pack that is damaged or does not fit    exit 1, HTTP 400
├── BackupError               a backup that is damaged or does not fit  exit 1, HTTP 400
├── ModelError                an embedding model                        exit 1, HTTP 503
│   ├── ModelUnavailableError no source has it
│   ├── ModelDamagedError     a checksum or a format does not match
│   └── MissingExtraError     needs an optional dependency
├── BusyError                 too many requests at the moment           exit 1, HTTP 503
│   ├── RateLimitedError      one caller sends too many requests        HTTP 429
│   └── QueryTimeoutError     an answer took too long                   HTTP 504
├── ProviderError             a language model or its provider failed   exit 1, HTTP 502
├── CancelledError            cancelled by the caller                   exit 1, HTTP 499
└── ServerError               a running server that failed              exit 1, HTTP 502

A message says what happened and what to do about it. `code` is a stable identifier for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager


class NotewellError(Exception):
    """Base of the tree. `message` is for people, `code` for programs."""

    code = "error"
    exit_code = 1
    http_status = 500

    def __init__(self, message: str, *, code: str | None = None) -> None:
        """`code` overrides the code of the class, for a class that covers several cases."""
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code

    def __init_subclass__(
        cls,
        *,
        code: str | None = None,
        http_status: int | None = None,
        exit_code: int | None = None,
    ) -> None:
        """Take what the class does not name from the error that it is one of."""
        cls.code = code or cls.code
        cls.http_status = http_status or cls.http_status
        cls.exit_code = exit_code or cls.exit_code


class UsageError(NotewellError, code="bad_request", http_status=400, exit_code=2):
    """A request that is not valid, whatever the state of the vault."""


class ConfigError(UsageError, code="bad_config"):
    """A setting that is unknown or whose value is invalid; the message names it."""


class QueryTooLongError(UsageError, code="query_too_long"):
    """A query above the documented length."""


class NotFoundError(NotewellError, code="not_found", http_status=404, exit_code=3):
    """A vault, a note or an index that does not exist."""


class StalePassageError(NotFoundError, code="stale_passage", http_status=409):
    """An id of a passage that means another one by now, or none; `nearest` is the id to ask for."""

    def __init__(
        self, message: str, *, code: str | None = None, nearest: str | None = None
    ) -> None:
        """`nearest` is the passage with the same text, else one at its place, or None."""
        super().__init__(message, code=code)
        self.nearest = nearest


class AccessError(NotewellError, code="unauthorized", http_status=401):
    """A caller that is refused because its token is missing or wrong."""


class ForbiddenError(AccessError, code="forbidden", http_status=403):
    """A caller that is refused whatever its token: an unknown host name or a foreign origin."""


class VaultError(NotewellError, code="vault_unreadable", http_status=503):
    """A vault folder that cannot be read as a whole."""


class UnreadableNoteError(VaultError, code="note_unreadable"):
    """One file that cannot be read; the ledger records why."""


class AnotherVaultError(VaultError, code="another_vault", http_status=409):
    """A folder whose notes are not those of its index."""

    def __init__(self, message: str, *, code: str | None = None, gone: int = 0) -> None:
        """`gone` is the number of indexed notes that the folder does not have."""
        super().__init__(message, code=code)
        self.gone = gone


class OutsideVaultError(VaultError, code="outside_vault", http_status=400, exit_code=2):
    """A path that leads out of the vault."""


class WriteError(NotewellError, code="write_failed", http_status=503):
    """A change to a vault that failed; the note is unchanged."""


class ChangedNoteError(WriteError, code="note_changed", http_status=409):
    """A note that changed since the caller read it, so that writing would undo another change."""


class ReadOnlyError(WriteError, code="read_only", http_status=403):
    """Writing that is not allowed; the message says how to allow it."""


class ProtectedError(WriteError, code="protected", http_status=409):
    """Deleting something protected without confirmation; the message says how to confirm."""


class IndexFailure(NotewellError, code="index_failed", http_status=503):  # noqa: N818 - IndexError is a builtin of another meaning
    """The stored index cannot be used."""


class IndexInUseError(IndexFailure, code="in_use", http_status=409):
    """Another process holds the writer's lock."""


class IndexDamagedError(IndexFailure, code="index_damaged"):
    """The database cannot be read; it was moved aside."""


class QueryLogError(NotewellError, code="query_log_failed", http_status=503):
    """The log of queries cannot be read or written."""


class QueryLogOffError(QueryLogError, code="query_log_off", http_status=409):
    """A request that needs the log of queries, which is switched off."""


class RunLogError(NotewellError, code="run_log_failed", http_status=503):
    """The log of runs cannot be read or written."""


class AlreadyRunningError(NotewellError, code="already_running", http_status=409):
    """A run of the same kind has not ended; the message names it."""


class PackError(NotewellError, code="bad_pack", http_status=400):
    """A pack of vectors that is damaged, cannot be written, or belongs to another model."""


class SourceError(NotewellError, code="bad_source", http_status=400):
    """A source of notes that is no folder, such as an export, and cannot be read or used."""


class BackupError(NotewellError, code="bad_backup", http_status=400):
    """A backup that is damaged, cannot be written, or cannot be restored here."""


class ModelError(NotewellError, code="model_failed", http_status=503):
    """An embedding model that does not work. `brief` is one sentence, for each search's warning."""

    def __init__(self, message: str, *, code: str | None = None, brief: str | None = None) -> None:
        """Without a `brief`, the message is used for it."""
        super().__init__(message, code=code)
        self.brief = brief or message


class ModelUnavailableError(ModelError, code="model_unavailable"):
    """No source has the model; keyword search works without it."""


class ModelDamagedError(ModelError, code="model_damaged"):
    """Weights whose checksum or format does not match the catalogue."""


class MissingExtraError(ModelError, code="missing_extra"):
    """An optional dependency is missing; the message has the install command."""


class BusyError(NotewellError, code="busy", http_status=503):
    """Too many requests at the moment; a later attempt may succeed."""

    def __init__(
        self, message: str, *, code: str | None = None, retry_after: float | None = None
    ) -> None:
        """`retry_after` is the number of seconds to wait, if it is known."""
        super().__init__(message, code=code)
        self.retry_after = retry_after


class RateLimitedError(BusyError, code="rate_limited", http_status=429):
    """A caller that sends more requests than one caller may."""


class QueryTimeoutError(BusyError, code="query_timeout", http_status=504):
    """A request that was stopped because it took longer than allowed."""


class ProviderError(NotewellError, code="provider_failed", http_status=502):
    """A language model or its provider that failed or cannot be reached."""


class CancelledError(NotewellError, code="cancelled", http_status=499):
    """Work that its caller cancelled."""


class ServerError(NotewellError, code="server_failed", http_status=502):
    """A running server whose reply is missing or not valid."""


def near(word: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like `word`, ignoring case; None where none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed after a mistake

    names = {name.casefold(): name for name in known}
    close_names = get_close_matches(word.casefold(), names, n=1)
    return names[close_names[0]] if close_names else None


@contextmanager
def on_error(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if the block raises anything, an interrupt included; the error is raised on.

    For what nobody else could release, because the caller has not got it yet.
    """
    with ExitStack() as undoing:
        undoing.callback(undo)
        yield
        undoing.pop_all()
