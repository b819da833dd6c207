"""Tell from the environment what a terminal shows: colours, links, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

# Variables and values of terminals that open links in text (OSC 8); others may show the codes.
_LINKING_VARIABLES = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "VTE_VERSION")
_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "WarpTerminal", "rio")
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm")


def is_terminal(environ: Mapping[str, str] | None = None) -> bool:
    """True if a person reads stdout; `FORCE_COLOR` says so where it is a pipe.

    `environ` None is the environment of this process.
    """
    environ = os.environ if environ is None else environ
    return sys.stdout.isatty() or bool(environ.get("FORCE_COLOR"))


def shows_colours(environ: Mapping[str, str] | None = None) -> bool:
    """True if stdout gets colours; not with `NO_COLOR` (no-color.org) and on a dumb terminal."""
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR") or not is_terminal(environ):
        return False
    return bool(environ.get("FORCE_COLOR")) or environ.get("TERM") not in {"dumb", "unknown"}


def shows_links(environ: Mapping[str, str] | None = None) -> bool:
    """True if stdout is a terminal known to open links in text; `FORCE_HYPERLINK` decides alone."""
    environ = os.environ if environ is None else environ
    forced = environ.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    if not shows_colours(environ) or environ.get("TERM", "").startswith(("screen", "tmux")):
        return False
    return (
        any(environ.get(name) for name in _LINKING_VARIABLES)
        or environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or environ.get("TERM", "").startswith(_LINKING_TERMS)
    )


def prefer_less_options() -> None:
    """Have `less` show colours and leave its text on the screen, unless the user set it up."""
    os.environ.setdefault("LESS", "FRX")
