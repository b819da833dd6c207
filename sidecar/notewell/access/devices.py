"""The devices and programs that may ask a server, each with a name, a scope and a secret.

`devices.json` in the state directory holds digests alone: of a token, and of the browser cookie
made from it. Secrets have 256 bits, so one SHA-256 is as hard to turn back as they are to guess.
A link that signs a device in works once and becomes a device only then.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

import orjson
from filelock import FileLock, Timeout

from notewell.access.stored_token import new_token
from notewell.errors import AccessError, NotewellError, NotFoundError, UsageError
from notewell.support import atomic

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
DEVICES_FILE = "devices.json"
FORMAT = 1
LINK_SECONDS = 600
MOST_NAME_CHARS = 64
_LOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Device:
    """A device or program. `token` is None where a browser was signed in by a link.

    `token` and `session` are hexadecimal SHA-256 digests; times are seconds since 1970.
    """

    id: str
    name: str
    scope: Scope
    token: str | None = field(repr=False)
    session: str = field(repr=False)
    created: float
    last_used: float | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link not yet followed; `code` is the digest of what stands in it."""

    code: str = field(repr=False)
    name: str
    scope: Scope
    until: float


@dataclass(slots=True)
class Book:
    """What the file holds."""

    devices: list[Device] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def session_of(token: str) -> str:
    """What a browser's cookie holds: made from a token, and of no use to find it.

    Browsers send cookies to every port of a host, so another local server may come to see it.
    """
    key = token.encode("utf-8", "surrogateescape")
    return hmac.new(key, b"notewell browser session", hashlib.sha256).hexdigest()


class Devices:
    """The file of devices, changed by one process at a time; a reader sees it whole."""

    def __init__(self, state_dir: Path) -> None:
        """Nothing is read or made yet."""
        self.file = state_dir / DEVICES_FILE

    def all(self) -> tuple[Device, ...]:
        """Every device, in the order they were added; AccessError where the file does not read."""
        return tuple(self._read().devices)

    def add(self, name: str, scope: Scope) -> str:
        """Make a device and return its token, shown this once. UsageError: the name is taken."""
        token = new_token()
        with self._changing() as book:
            shown = _free(book, name)
            book.devices.append(_device(shown, scope, digest(token), session_of(token)))
        return token

    def invite(self, name: str, scope: Scope, *, seconds: float = LINK_SECONDS) -> str:
        """Make the code of a link that signs a device in once, within `seconds`."""
        code = new_token()
        with self._changing() as book:
            shown = _free(book, name)
            now = time.time()
            book.links = [link for link in book.links if link.until > now and link.name != shown]
            book.links.append(Link(digest(code), shown, scope, now + seconds))
        return code

    def redeem(self, code: str) -> str | None:
        """Make the device that a link promised; returns its cookie, None where no link has it."""
        wanted, now = digest(code), time.time()
        with self._changing() as book:
            link = next((each for each in book.links if _same(each.code, wanted)), None)
            book.links = [each for each in book.links if each is not link and each.until > now]
            if link is None or link.until <= now:
                return None
            session = secrets.token_hex(32)
            others = {device.name.casefold() for device in book.devices}
            if link.name.casefold() in others:
                return None  # a token of that name was made since
            book.devices.append(_device(link.name, link.scope, None, session))
        return session

    def rotate(self, name: str) -> str:
        """Give a device another token; the earlier one and its cookies are refused from now on."""
        token = new_token()
        with self._changing() as book:
            place = _place(book, name)
            session = digest(session_of(token))
            book.devices[place] = replace(book.devices[place], token=digest(token), session=session)
        return token

    def revoke(self, name: str) -> None:
        """Forget a device, or a link that waits to be one."""
        with self._changing() as book:
            waiting = [link for link in book.links if link.name.casefold() == name.casefold()]
            if waiting:
                book.links = [link for link in book.links if link not in waiting]
            else:
                del book.devices[_place(book, name)]

    def used(self, at: Mapping[str, float]) -> None:
        """Note when devices, by their ids, were last heard of."""
        with self._changing() as book:
            book.devices = [
                replace(device, last_used=at.get(device.id, device.last_used))
                for device in book.devices
            ]

    @contextmanager
    def _changing(self) -> Iterator[Book]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS, mode=0o600):
                book = self._read()
                yield book
                atomic.replace(self.file, _dump(book))
        except Timeout as error:
            raise NotewellError(f"{self.file} is locked by another process; try again") from error
        except OSError as error:
            raise AccessError(
                f"{self.file} cannot be written ({error}); check the state directory, which"
                " `notewell config show` names",
                code="state_unwritable",
            ) from error

    def _read(self) -> Book:
        try:
            stored = orjson.loads(self.file.read_bytes())
            return Book(
                devices=[Device(**item) for item in stored["devices"]],
                links=[Link(**item) for item in stored["links"]],
            )
        except FileNotFoundError:
            return Book()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AccessError(
                f"{self.file} cannot be read ({error}); mend it, or move it away and add the"
                " devices again",
                code="state_unreadable",
            ) from error


def _dump(book: Book) -> bytes:
    stored = {
        "format": FORMAT,
        "devices": [asdict(device) for device in book.devices],
        "links": [asdict(link) for link in book.links],
    }
    return orjson.dumps(stored, option=orjson.OPT_INDENT_2)


def _device(name: str, scope: Scope, token: str | None, session: str) -> Device:
    return Device(secrets.token_hex(6), name, scope, token, digest(session), time.time())


def _free(book: Book, name: str) -> str:
    shown = " ".join(name.split())
    if not shown or len(shown) > MOST_NAME_CHARS or not shown.isprintable():
        raise UsageError(f"a device's name has 1 to {MOST_NAME_CHARS} printable characters")
    if shown.casefold() in {device.name.casefold() for device in book.devices}:
        raise UsageError(
            f"there is a device named {shown!r} already: choose another name, or take that one"
            f" away with `notewell token revoke {shown!r}`"
        )
    return shown


def _place(book: Book, name: str) -> int:
    for place, device in enumerate(book.devices):
        if device.name.casefold() == name.casefold():
            return place
    raise NotFoundError(f"no device is named {name!r}; `notewell token list` shows them")


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one, other)
