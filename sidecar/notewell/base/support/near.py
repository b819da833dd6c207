"""The name that was probably meant where a typed one is unknown."""

from __future__ import annotations

from collections.abc import Iterable


def near(word: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like `word`, ignoring case; None where none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed after a mistake

    names = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), names, n=1)
    return names[found[0]] if found else None
