"""The token that a plain `serve` keeps between runs, in a file that only its owner reads."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from notewell.errors import AccessError
from notewell.support import atomic

TOKEN_FILE = "token"  # noqa: S105 - a file's name, not a secret
_BYTES = 32  # 256 bits


def new_token() -> str:
    """A fresh token of 256 bits, safe in a URL."""
    return secrets.token_urlsafe(_BYTES)


def stored_token(state_dir: Path) -> str:
    """The token in `state_dir`, made if there is none. Raises AccessError where others read it."""
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
    """Replace the token in `state_dir`."""
    made = new_token()
    atomic.replace(state_dir / TOKEN_FILE, f"{made}\n".encode())  # its owner's alone
    return made
