"""Comparison of names that are spelled a little differently."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

_PLURAL_FROM = 5  # letters; below, an s at the end makes another word


@lru_cache(maxsize=100_000)
def letters_of(name: str) -> str:
    """A name without case, accents, separators and a plural s."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(one for one in plain if one.isalnum() or _is_sign(one))
    return letters.removesuffix("s") if len(letters) > _PLURAL_FROM else letters


def _is_sign(one: str) -> bool:
    """True for a mark that is a letter of its own, as a vowel sign of Hindi is, and no accent."""
    return one > "\u036f" and unicodedata.category(one)[0] == "M"


def slips(name: str) -> Iterator[str]:
    """The name, and all names that lack one of its letters.

    Two names that differ by one letter too many, missing or replaced, or by two neighbours
    exchanged, have one of these in common (Garbe 2012, "Symmetric Delete").
    """
    yield name
    for at in range(len(name)):
        yield name[:at] + name[at + 1 :]


def slipped_names(names: Iterable[str]) -> Mapping[str, set[str]]:
    """The names by what `slips` makes of them."""
    found: dict[str, set[str]] = {}
    for name in names:
        for key in slips(name):
            found.setdefault(key, set()).add(name)
    return found
