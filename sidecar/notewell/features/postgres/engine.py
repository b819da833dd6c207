"""The PostgreSQL engine as its row registers it, the address of an index, and moves of an index.

The driver is the extra `notewell[postgres]`, so nothing of it is imported before an index is
opened or moved.

An address is in the index's folder: server, database, schema and vault, never a password. One that
somebody wrote into it is taken out before anything is stored or said; it comes from the
environment, the system's keyring, or `~/.pgpass`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from notewell.base.config import ENV_POSTGRES, secret
from notewell.base.errors import ConfigError, MissingExtraError, NotFoundError
from notewell.base.support import disk
from notewell.index.engines import IndexEngine
from notewell.models.providers import kept_key, write_key

if TYPE_CHECKING:
    from notewell.features.postgres.opening import Copied
    from notewell.index.port import Index


Say = Callable[[str], None]

ADDRESS_FILE = "postgres.json"  # in an index's folder: the index is in the database it names
_DRIVER = "asyncpg"
DEFAULT_SCHEMA = "notewell"
_DEFAULT_PORT = 5432
_SCHEMES = ("postgres", "postgresql")
_SCHEMA = re.compile("[a-z_][a-z0-9_]{0,62}")  # so it needs no quotation in SQL
_OPTIONS = ("sslmode", "schema", "vault", "search")


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """One database and one vault in it.

    `host` may be the folder of a Unix socket. `exact`: vectors are searched without their
    approximate index, for comparisons.
    """

    host: str
    port: int
    user: str
    database: str
    sslmode: str = "prefer"
    schema: str = DEFAULT_SCHEMA
    vault: str = ""
    exact: bool = False

    @property
    def server(self) -> str:
        """The address as it is shown and stored: without a password, and without the vault."""
        host = f"[{self.host}]" if ":" in self.host else quote(self.host, safe="")
        options = {"sslmode": self.sslmode} if self.sslmode != "prefer" else {}
        if self.schema != DEFAULT_SCHEMA:
            options["schema"] = self.schema
        if self.exact:
            options["search"] = "exact"
        query = f"?{urlencode(options)}" if options else ""
        user = quote(self.user, safe="")
        return f"postgres://{user}@{host}:{self.port}/{quote(self.database, safe='')}{query}"

    @property
    def shared(self) -> str:
        """The address with the vault, by which other computers use the same index."""
        return f"{self.server}{'&' if '?' in self.server else '?'}vault={quote(self.vault)}"

    @property
    def key_name(self) -> str:
        return f"postgres:{self.user}@{self.host}:{self.port}/{self.database}"

    def password(self) -> str | None:
        """Its password from the environment or the keyring; None: the driver looks in .pgpass."""
        return secret(ENV_POSTGRES) or kept_key(self.key_name) or None


def parse(url: str) -> tuple[DatabaseAddress, str | None]:
    """An address from a URL, and the password that was written into it, if one was.

    Raises:
        ConfigError: it is none of PostgreSQL; the message repeats no part of it.

    """
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORT
    except ValueError as error:
        raise _unreadable() from error
    options = dict(parse_qsl(parts.query))
    database = unquote(parts.path.strip("/"))
    known = options.keys() <= set(_OPTIONS)
    named = _SCHEMA.fullmatch(options.get("schema", DEFAULT_SCHEMA))
    if parts.scheme not in _SCHEMES or not (parts.username and database and known and named):
        raise _unreadable()
    address = DatabaseAddress(
        host=_host(parts.netloc, parts.hostname),
        port=port,
        user=unquote(parts.username),
        database=database,
        sslmode=options.get("sslmode", "prefer"),
        schema=options.get("schema", DEFAULT_SCHEMA),
        vault=options.get("vault", ""),
        exact=options.get("search") == "exact",
    )
    return address, None if parts.password is None else unquote(parts.password)


def store_password(url: str, password: str) -> None:
    """Store the password of a database in the system's keyring; "" removes it.

    Raises as `write_key` does.
    """
    address, _ = parse(url)
    write_key(address.key_name, password, ENV_POSTGRES)


def read(directory: Path) -> DatabaseAddress:
    """The address in an index's folder.

    Raises:
        NotFoundError: there is none.
        ConfigError: it is damaged.

    """
    try:
        stored = json.loads((directory / ADDRESS_FILE).read_text(encoding="utf-8"))
        address, _ = parse(stored["address"])
        return replace(address, vault=str(stored["vault"]))
    except FileNotFoundError as error:
        raise NotFoundError(
            f"{directory} names no database. Move an index there with `notewell engine move`."
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{directory / ADDRESS_FILE} cannot be read ({type(error).__name__}). Write it again"
            " with `notewell engine move`."
        ) from error


def write(directory: Path, address: DatabaseAddress) -> None:
    """Store an address in an index's folder; whoever opens the index then looks there."""
    disk.make_folder(directory)
    stored = {"address": address.server, "vault": address.vault}
    text = json.dumps(stored, indent=2) + "\n"
    disk.replace(directory / ADDRESS_FILE, text.encode(), durable=True)


def _host(netloc: str, hostname: str | None) -> str:
    """The host; a Unix socket's folder, written with %2F, keeps its case."""
    place = unquote(netloc.rpartition("@")[2].partition(":")[0])
    return place if place.startswith("/") else hostname or "localhost"


def _unreadable() -> ConfigError:
    return ConfigError(
        "The address of the database is not valid. Write"
        " postgres://USER@HOST:PORT/DATABASE, with ?sslmode= and &schema= if need be; the"
        " password comes from NOTEWELL_POSTGRES_PASSWORD, the keyring, or ~/.pgpass."
    )


# --- the engine ---------------------------------------------------------------------------------


def open_index(directory: Path, *, writable: bool) -> Index:
    """Open the index whose address is in a folder; see `engines.open_index`.

    Raises:
        MissingExtraError: the driver is not installed.

    """
    opened: Index = _opening().open_index(directory, writable=writable)
    return opened


def delete_index(directory: Path) -> None:
    """Delete the index whose address is in a folder, and the address; see `engines`."""
    _opening().delete_index(directory)


def check_driver() -> None:
    """Raise MissingExtraError where the driver is not installed."""
    try:
        import_module(_DRIVER)
    except ImportError as error:
        raise MissingExtraError(
            "An index in PostgreSQL needs an extra: run pip install 'notewell[postgres]'."
        ) from error


ENGINE = IndexEngine(open_index, delete_index)


def database_address(directory: Path) -> str | None:
    """The address of the database that has the index of a folder, without a password.

    It names the vault too: by it, other computers use the same index.
    """
    if not (directory / ADDRESS_FILE).exists():
        return None
    return str(read(directory).shared)


def move_to_database(directory: Path, url: str, vault: str, *, say: Say, keep: bool) -> Copied:
    """Move the index in a folder to the database at a URL, under the name of its vault.

    A password in the URL is used for this alone, and not stored. Raises as `opening.to_postgres`.
    """
    address, password = _with_password(url, vault)
    moved: Copied = _opening().to_postgres(directory, address, password, say=say, keep=keep)
    return moved


def move_to_folder(directory: Path, *, say: Say, keep: bool) -> Copied:
    """Move the index of a folder back from its database. Raises as `opening.to_folder`."""
    password = read(directory).password()
    moved: Copied = _opening().to_folder(directory, password, say=say, keep=keep)
    return moved


def use_database(directory: Path, url: str, vault: str) -> None:
    """Use the index of a vault that is in a database already. Raises as `opening.attach`."""
    address, password = _with_password(url, vault)
    _opening().attach(directory, address, password)


def delete_in_database(url: str, vault: str) -> None:
    """Delete the index of a vault in a database. Raises as `opening.delete_at`."""
    _opening().delete_at(*_with_password(url, vault))


def _with_password(url: str, vault: str) -> tuple[DatabaseAddress, str | None]:
    address, password = parse(url)
    return replace(address, vault=address.vault or vault), password or address.password()


def _opening() -> Any:
    """The module that opens indexes, loaded where it is used. Raises MissingExtraError."""
    check_driver()
    return import_module("notewell.features.postgres.opening")
