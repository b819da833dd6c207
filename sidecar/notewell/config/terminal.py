"""What the environment says about the terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping


def wants_colours(environ: Mapping[str, str] | None = None) -> bool:
    """Whether a terminal is to show colours: `NO_COLOR` (no-color.org) and dumb terminals do not.

    `environ` None is the environment of this process.
    """
    environ = os.environ if environ is None else environ
    return not environ.get("NO_COLOR") and environ.get("TERM") not in {"dumb", "unknown"}
