"""Tokens: how they are made and hashed, and the one that `serve` keeps in a file between runs."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from notewell.base.errors import AccessError
from notewell.base.support import atomic

TOKEN_FILE = "token"  # noqa: S105 - a file's name, not a secret
_BYTES = 32  # 256 bits


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
    made = new_token()
    try:
        atomic.replace(state_dir / TOKEN_FILE, f"{made}\n".encode())  # mode 0600
    except OSError as error:
        raise AccessError(
            f"{state_dir / TOKEN_FILE} cannot be written ({error}); check the state directory,"
            " which `notewell config show` names",
            code="state_unwritable",
        ) from error
    return made
