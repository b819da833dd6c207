"""The address of an index in a database, as a URL and as the file that names it.

An address is in the folder of the index: server, database, schema and vault, never a password. A
password in a URL is taken out before anything is stored or shown; otherwise it comes from the
environment, the keyring of the system, or `~/.pgpass`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from notewell.api.errors import ConfigError, NotFoundError
from notewell.api.files import disk
from notewell.base.config import ENV_POSTGRES, secret
from notewell.models.keys import find_kept_key, write_key

ADDRESS_FILE = "postgres.json"  # in an index's folder: the index is in the database it names
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
        return secret(ENV_POSTGRES) or find_kept_key(self.key_name) or None


def parse(url: str) -> tuple[DatabaseAddress, str | None]:
    """An address from a URL, and the password that was written into it, if one was.

    Raises:
        ConfigError: it is not an address of PostgreSQL; the message repeats no part of it.

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
