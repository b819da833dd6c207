"""What the environment says about the terminal: `FORCE_COLOR`, `NO_COLOR` and `TERM`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def is_terminal(environ: Mapping[str, str] | None = None) -> bool:
    """Whether a person reads stdout; `FORCE_COLOR` says so where it is a pipe.

    `environ` None is the environment of this process.
    """
    environ = os.environ if environ is None else environ
    return sys.stdout.isatty() or bool(environ.get("FORCE_COLOR"))


def shows_colours(environ: Mapping[str, str] | None = None) -> bool:
    """Whether stdout gets colours; not with `NO_COLOR` (no-color.org) and on a dumb terminal."""
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR") or not is_terminal(environ):
        return False
    return bool(environ.get("FORCE_COLOR")) or environ.get("TERM") not in {"dumb", "unknown"}
