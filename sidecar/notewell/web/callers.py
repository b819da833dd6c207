"""Who calls: what a token or a cookie stands for.

A server knows up to three kinds of secret: the token of its own process, which it leaves for
programs of this machine; the token that stays between runs; and those of single devices. The latter
two are read anew when their files change, so rotating and revoking hold from the next request on.
"""

from __future__ import annotations

import hmac
import time
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from notewell.access.devices import DEVICES_FILE, Devices, Scope
from notewell.access.tokens import TOKEN_FILE, digest, session_of, stored_token

_STAMP_SECONDS = 60.0  # how exactly "last used" is known


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who may ask. `id` tells callers apart; `name` is what a person called them."""

    id: str
    name: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class _Known:
    """A caller, with the digests of what they may show."""

    caller: Caller
    token: str | None
    session: str


OWNER = Caller("owner", "this computer", "admin")
CALLER: ContextVar[Caller] = ContextVar("notewell.caller")  # of the request being answered


class Callers:
    """Those who may ask this server. With `state_dir` also those whom its files name."""

    def __init__(self, token: str, state_dir: Path | None = None) -> None:
        """`token` is the process's own."""
        self._own = _Known(OWNER, digest(token), digest(session_of(token)))
        self._state_dir = state_dir
        self.devices = Devices(state_dir) if state_dir is not None else None
        self._stamp: tuple[object, ...] | None = None
        self._filed: tuple[_Known, ...] = ()
        self._used: dict[str, float] = {}

    def by_token(self, token: str) -> Caller | None:
        """Who shows `token`; None for nobody we know."""
        shown, found = digest(token), None
        for known in self._all():  # all of them, so that the time tells nothing
            if known.token is not None and hmac.compare_digest(known.token, shown):
                found = known.caller
        return self._noted(found)

    def by_cookie(self, cookie: str) -> Caller | None:
        """Whose browser shows `cookie`; None for nobody we know."""
        shown, found = digest(cookie), None
        for known in self._all():
            if hmac.compare_digest(known.session, shown):
                found = known.caller
        return self._noted(found)

    def redeem(self, code: str) -> str | None:
        """The cookie for a link that works once; None where it worked already or is too old.

        Blocks on the disk, so it runs off the event loop.
        """
        return self.devices.redeem(code) if self.devices is not None else None

    def save_used(self) -> None:
        """Write down when devices were last heard of; blocks on the disk."""
        used, self._used = self._used, {}
        if used and self.devices is not None:
            self.devices.used(used)

    def _noted(self, caller: Caller | None) -> Caller | None:
        if caller is not None and caller is not OWNER:
            now = time.time()
            if now - self._used.get(caller.id, 0.0) > _STAMP_SECONDS:
                self._used[caller.id] = now
        return caller

    def _all(self) -> tuple[_Known, ...]:
        if self._state_dir is None:
            return (self._own,)
        stamp = tuple(_changed(self._state_dir / name) for name in (TOKEN_FILE, DEVICES_FILE))
        if stamp != self._stamp:
            self._filed = (*self._kept(), *self._of_devices())
            self._stamp = stamp
        return (self._own, *self._filed)

    def _kept(self) -> tuple[_Known, ...]:
        if self._state_dir is None or not (self._state_dir / TOKEN_FILE).exists():
            return ()
        token = stored_token(self._state_dir)
        return (_Known(OWNER, digest(token), digest(session_of(token))),)

    def _of_devices(self) -> tuple[_Known, ...]:
        devices = self.devices.all() if self.devices is not None else ()
        return tuple(
            _Known(Caller(device.id, device.name, device.scope), device.token, device.session)
            for device in devices
        )


def _changed(file: Path) -> object:
    """What tells one content of a file from the next."""
    try:
        seen = file.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_size
