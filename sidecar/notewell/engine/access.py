"""Access to a server: its tokens, the devices that may send requests, and links that pair one.

`devices.json` in the state directory holds only SHA-256 digests of tokens and of sessions.
Secrets have 256 random bits, so a salt or a slow hash would add nothing. A sign-in link works once
and only then becomes a device, and so does a pairing code, which also gives a token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlencode, urlsplit

import orjson
from filelock import FileLock, Timeout

from notewell.base.errors import AccessError, NotewellError, NotFoundError, UsageError
from notewell.base.support import disk
from notewell.base.types import ServerRules
from notewell.contract.fields import iso
from notewell.contract.server import DeviceView

TOKEN_FILE = "token"  # noqa: S105 - a file's name, not a secret
_BYTES = 32  # 256 bits

DEVICES_FILE = "devices.json"
FORMAT = 1
LINK_SECONDS = 600  # a sign-in link is valid
MAX_NAME_CHARS = 64
MAX_WRONG_CODES = 5  # then every pairing code that is still open ends
_CODE_BYTES = 16  # 128 bits
_LOCK_SECONDS = 10
_ANY = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to
# A host name, an IPv4 or an IPv6 address, and perhaps a port: nothing that could hide another host.
_ADDRESS = re.compile(
    r"https?://(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?)(?::[0-9]{1,5})?/?",
    re.IGNORECASE,
)
LOOPBACK_ONLY = (
    "Only this computer reaches that address. For a phone or another computer, put Tailscale or a"
    " proxy in front of the server and set `server.public_url`, or let it listen in your network"
    ' with `server.host = "0.0.0.0"`: docs/home-server.md has the steps.'
)


def new_token() -> str:
    """A new random token of 256 bits, URL-safe."""
    return secrets.token_urlsafe(_BYTES)


def digest(secret: str) -> str:
    """The SHA-256 of a secret, hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def session_of(token: str) -> str:
    """The session of browsers that a token signed in, from which the token cannot be computed."""
    key = token.encode("utf-8", "surrogateescape")
    return hmac.new(key, b"notewell browser session", hashlib.sha256).hexdigest()


def halves(session: str) -> tuple[str, str]:
    """The two secrets of a session, 128 bits each: its cookie, and its page key.

    Browsers send a cookie to every port of a host, so another server there learns it. The page key
    is stored by our pages, whose storage belongs to one port. Only both together are a session.
    """
    middle = len(session) // 2
    return session[:middle], session[middle:]


def stored_token(state_dir: Path) -> str:
    """The token in `state_dir`, created if missing; AccessError if other users can read it."""
    file = state_dir / TOKEN_FILE
    try:
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return new_stored_token(state_dir)
    except (OSError, UnicodeDecodeError) as error:
        raise AccessError(
            f"{file} cannot be read ({error}); make a new token with `notewell token rotate`"
        ) from error
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise AccessError(
            f"{file} is open to other users of this machine; replace the token with "
            "`notewell token rotate`"
        )
    return text or new_stored_token(state_dir)


def new_stored_token(state_dir: Path) -> str:
    """Replace the token in `state_dir`; returns the new one. AccessError if it cannot be stored."""
    token = new_token()
    try:
        disk.replace(state_dir / TOKEN_FILE, f"{token}\n".encode())  # mode 0600
    except OSError as error:
        raise AccessError(
            f"{state_dir / TOKEN_FILE} cannot be written ({error}); check the state directory,"
            " which `notewell config show` names",
            code="state_unwritable",
        ) from error
    return token


Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


@dataclass(frozen=True, slots=True)
class Device:
    """A device or program. `token` is None for a browser that a link signed in.

    `token` and `session` are hexadecimal SHA-256 digests; times are POSIX seconds.
    """

    id: str
    name: str
    scope: Scope
    token: str | None = field(repr=False)
    session: str = field(repr=False)
    created: float
    last_used: float | None = None


@dataclass(frozen=True, slots=True)
class SignInLink:
    """A sign-in link that was not used yet; `code` is the digest of the code in it."""

    code: str = field(repr=False)
    name: str
    scope: Scope
    until: float


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A pairing code that was not used yet: its digest, and until when it is valid."""

    code: str = field(repr=False)
    scope: Scope
    until: float


@dataclass(frozen=True, slots=True)
class Paired:
    """The outcome of a pairing code: a device's token, or a browser's session, and its name."""

    name: str
    token: str = field(repr=False)


@dataclass(slots=True)
class DeviceFile:
    """The contents of the file. `wrong` counts wrong codes while pairing codes are open."""

    devices: list[Device] = field(default_factory=list)
    links: list[SignInLink] = field(default_factory=list)
    pairings: list[PairingCode] = field(default_factory=list)
    wrong: int = 0


class Devices:
    """The file of devices. One process at a time changes it; reads see one complete state."""

    def __init__(self, state_dir: Path) -> None:
        """Nothing is read or written yet."""
        self.file = state_dir / DEVICES_FILE

    def all(self) -> tuple[Device, ...]:
        """All devices, in the order they were added; AccessError if the file cannot be read."""
        return tuple(self._read().devices)

    def add(self, name: str, scope: Scope) -> str:
        """Add a device; returns its token, which is not stored. UsageError: the name is taken."""
        token = new_token()
        with self._changing() as stored:
            shown = _free(stored, name)
            stored.devices.append(_device(shown, scope, digest(token), session_of(token)))
        return token

    def invite(self, name: str, scope: Scope, *, seconds: float = LINK_SECONDS) -> str:
        """Create the code of a link that signs a device in once, within `seconds`."""
        code = new_token()
        with self._changing() as stored:
            shown = _free(stored, name)
            now = time.time()
            stored.links = [
                link for link in stored.links if link.until > now and link.name != shown
            ]
            stored.links.append(SignInLink(digest(code), shown, scope, now + seconds))
        return code

    def redeem(self, code: str) -> str | None:
        """Add the device of a sign-in link; returns its session, None: invalid code."""
        wanted, now = digest(code), time.time()
        with self._changing() as stored:
            link = next((link for link in stored.links if _same(link.code, wanted)), None)
            stored.links = [
                other for other in stored.links if other is not link and other.until > now
            ]
            if link is None or link.until <= now:
                return None
            session = secrets.token_hex(32)
            others = {device.name.casefold() for device in stored.devices}
            if link.name.casefold() in others:
                return None  # a device of that name was added meanwhile
            stored.devices.append(_device(link.name, link.scope, None, session))
        return session

    def offer(self, scope: Scope, *, seconds: float = LINK_SECONDS) -> str:
        """Create a pairing code that lets one device in, within `seconds`. Never for `admin`."""
        if scope == "admin":
            raise UsageError("a paired device may read or write, never administer")
        code = secrets.token_urlsafe(_CODE_BYTES)
        with self._changing() as stored:
            now = time.time()
            stored.pairings = _open(stored, now)
            stored.wrong = stored.wrong if stored.pairings else 0
            stored.pairings.append(PairingCode(digest(code), scope, now + seconds))
        return code

    def withdraw(self) -> int:
        """End every pairing code that nobody used; returns how many were open."""
        if not _open(self._read(), time.time()):
            return 0
        with self._changing() as stored:
            ended = len(_open(stored, time.time()))
            stored.pairings, stored.wrong = [], 0
        return ended

    def pair(self, code: str, name: str) -> Paired | None:
        """Add the device of a pairing code, with a token; None: the code is not valid.

        UsageError for an unreadable name, before the code is looked at. A name that is taken gets
        a number.
        """
        shown, token = _readable(name), new_token()
        return self._pair(code, shown, token, digest(token), session_of(token))

    def pair_browser(self, code: str, name: str) -> str | None:
        """Add a browser by a pairing code; returns its session, None: the code is not valid."""
        session = secrets.token_hex(32)
        paired = self._pair(code, _readable(name), session, None, session)
        return paired.token if paired is not None else None

    def _pair(
        self, code: str, name: str, secret: str, token: str | None, session: str
    ) -> Paired | None:
        if not _open(self._read(), time.time()):
            return None  # nothing to guess: strangers neither lock nor write the file
        with self._changing() as stored:
            offered = _take(stored, digest(code), time.time())
            if offered is None:
                return None
            free = _number(stored, name)
            stored.devices.append(_device(free, offered.scope, token, session))
        return Paired(free, secret)

    def rotate(self, name: str) -> str:
        """Replace a device's token; returns the new one. Old token and cookies become invalid."""
        token = new_token()
        with self._changing() as stored:
            place = _place(stored, name)
            session = digest(session_of(token))
            stored.devices[place] = replace(
                stored.devices[place], token=digest(token), session=session
            )
        return token

    def revoke(self, name: str) -> None:
        """Remove a device, or an unused sign-in link."""
        with self._changing() as stored:
            waiting = [link for link in stored.links if link.name.casefold() == name.casefold()]
            if waiting:
                stored.links = [link for link in stored.links if link not in waiting]
            else:
                del stored.devices[_place(stored, name)]

    def remove(self, device: str) -> None:
        """Remove the device with this id; NotFoundError if there is none."""
        with self._changing() as stored:
            left = [entry for entry in stored.devices if entry.id != device]
            if len(left) == len(stored.devices):
                raise NotFoundError(
                    "No device has this id; its access may have ended already.",
                    code="device_not_found",
                )
            stored.devices = left

    def store_last_use(self, at: Mapping[str, float]) -> None:
        """Store the times of the last requests, by device id."""
        with self._changing() as stored:
            stored.devices = [
                replace(device, last_used=at.get(device.id, device.last_used))
                for device in stored.devices
            ]

    @contextmanager
    def _changing(self) -> Iterator[DeviceFile]:
        try:
            disk.make_folder(self.file.parent)
            with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS, mode=0o600):
                stored = self._read()
                yield stored
                disk.replace(self.file, _dump(stored))
        except Timeout as error:
            raise NotewellError(f"{self.file} is locked by another process; try again") from error
        except OSError as error:
            raise AccessError(
                f"{self.file} cannot be written ({error}); check the state directory, which"
                " `notewell config show` names",
                code="state_unwritable",
            ) from error

    def _read(self) -> DeviceFile:
        try:
            stored = orjson.loads(self.file.read_bytes())
            return DeviceFile(
                devices=[Device(**item) for item in stored["devices"]],
                links=[SignInLink(**item) for item in stored["links"]],
                # Files of earlier versions have none.
                pairings=[PairingCode(**item) for item in stored.get("pairings", ())],
                wrong=int(stored.get("wrong", 0)),
            )
        except FileNotFoundError:
            return DeviceFile()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AccessError(
                f"{self.file} cannot be read ({error}); mend it, or move it away and add the"
                " devices again",
                code="state_unreadable",
            ) from error


def view_of(device: Device, *, last_used: float | None = None, current: bool = False) -> DeviceView:
    """Describe a device; `last_used` is newer than what the file has, `current` the caller."""
    used = device.last_used if last_used is None else last_used
    return DeviceView(
        device.id,
        device.name,
        device.scope,
        "browser" if device.token is None else "token",
        iso(device.created) or "",
        iso(used),
        current,
    )


def _dump(contents: DeviceFile) -> bytes:
    stored = {
        "format": FORMAT,
        "devices": [asdict(device) for device in contents.devices],
        "links": [asdict(link) for link in contents.links],
        "pairings": [asdict(code) for code in contents.pairings],
        "wrong": contents.wrong,
    }
    return orjson.dumps(stored, option=orjson.OPT_INDENT_2)


def _device(name: str, scope: Scope, token: str | None, session: str) -> Device:
    return Device(secrets.token_hex(6), name, scope, token, digest(session), time.time())


def _open(stored: DeviceFile, now: float) -> list[PairingCode]:
    return [pairing for pairing in stored.pairings if pairing.until > now]


def _take(stored: DeviceFile, wanted: str, now: float) -> PairingCode | None:
    """Take the pairing code with this digest; a wrong one is counted, and too many end them all."""
    stored.pairings = _open(stored, now)
    matched = next((pairing for pairing in stored.pairings if _same(pairing.code, wanted)), None)
    if matched is not None:
        stored.pairings.remove(matched)
        return matched
    stored.wrong += 1
    if stored.wrong >= MAX_WRONG_CODES:
        stored.pairings, stored.wrong = [], 0
    return None


def _readable(name: str) -> str:
    shown = " ".join(name.split())
    if not shown or len(shown) > MAX_NAME_CHARS or not shown.isprintable():
        raise UsageError(f"a device's name has 1 to {MAX_NAME_CHARS} printable characters")
    return shown


def _number(stored: DeviceFile, name: str) -> str:
    """Return `name`, with a number where another device has it."""
    taken = {device.name.casefold() for device in stored.devices}
    free, number = name, 1
    while free.casefold() in taken:
        number += 1
        free = f"{name[: MAX_NAME_CHARS - 6]} {number}"
    return free


def _free(stored: DeviceFile, name: str) -> str:
    shown = _readable(name)
    if shown.casefold() in {device.name.casefold() for device in stored.devices}:
        raise UsageError(
            f"there is a device named {shown!r} already: choose another name, or take that one"
            f" away with `notewell token revoke {shown!r}`"
        )
    return shown


def _place(stored: DeviceFile, name: str) -> int:
    for place, device in enumerate(stored.devices):
        if device.name.casefold() == name.casefold():
            return place
    raise NotFoundError(f"no device is named {name!r}; `notewell token list` shows them")


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one, other)


@dataclass(frozen=True, slots=True)
class PairingLinks:
    """The same one-time code for a browser (`url`) and for Obsidian (`obsidian`)."""

    url: str
    obsidian: str


def own_address(rules: ServerRules) -> str:
    """Return the server's address for other devices, as far as the settings say it."""
    if rules.public_url:
        return rules.public_url
    host = _address_in_the_network() if rules.host in _ANY else rules.host
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if rules.tls_cert else 'http'}://{shown}:{rules.port}"


def checked_address(address: str) -> str:
    """Return an address without a slash at the end; UsageError unless it is a scheme and a host."""
    if not _ADDRESS.fullmatch(address) or not _has_valid_port(address):
        raise UsageError(
            "an address is http:// or https://, a host, and perhaps a port, such as"
            " https://notes.home.arpa:8765"
        )
    return address.rstrip("/")


def is_loopback(address: str) -> bool:
    """True if only this computer reaches an address, such as `http://127.0.0.1:8765`."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def pairing_links(address: str, code: str, scope: str) -> PairingLinks:
    """Make the links for a code.

    In the browser's link everything stands after `#`, which browsers do not send: no proxy logs the
    code, and nothing that only looks at the link, such as a messenger, uses it up.
    """
    named = {"code": code, "name": socket.gethostname()[:64], "scope": scope}
    return PairingLinks(
        url=f"{address}/#/pair?{urlencode(named)}",
        obsidian=f"obsidian://notewell-pair?{urlencode({'url': address, **named})}",
    )


def _has_valid_port(address: str) -> bool:
    try:
        return urlsplit(address).port != 0
    except ValueError:
        return False


def _address_in_the_network() -> str:
    """Return this computer's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation, so no computer has it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
