"""Queries with a typing mistake, made from queries of other classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from .query import DevQuery, draw

KIND = "typo"
_ROWS = {
    "en": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "de": ("qwertzuiopü", "asdfghjklöä", "yxcvbnm"),
    "ru": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
}
_VOWELS = {"en": "aeiou", "de": "aeiou", "ru": "аеиоу"}
_SPELT = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ё", "е"), ("ph", "f"), ("ck", "k"))
_NOT_MISTYPED = frozenset({"plugin", "plugins", "obsidian", "theme", "excalidraw"})
_SHORTEST = 5  # letters of a word that is mistyped; shorter ones become other words

Mistake = Callable[[str, str, str], str]  # the word, its language, and a key for what is drawn


def mistyped(queries: Iterable[DevQuery]) -> Iterator[DevQuery]:
    """One mistake in one word of each query; every kind of mistake comes up equally often."""
    for query in queries:
        kinds = [name for name in MISTAKES if query.lang in _ROWS]
        form = kinds[draw(len(kinds), KIND, query.text)] if kinds else ""
        text = _mistaken(query, form) if form else None
        if text is not None and text != query.text:
            yield replace(query, kind=KIND, form=f"{form} ({query.kind})", text=text)


def _mistaken(query: DevQuery, form: str) -> str | None:
    found = query.text.split()
    if form == "space left out":
        pairs = [n for n in range(len(found) - 1) if _is_word(found[n]) and _is_word(found[n + 1])]
        if not pairs:
            return None
        at = pairs[draw(len(pairs), form, query.text)]
        return " ".join([*found[:at], found[at] + found[at + 1], *found[at + 2 :]])
    places = [n for n, word in enumerate(found) if _is_word(word)]
    if not places:
        return None
    at = places[draw(len(places), form, query.text)]
    found[at] = MISTAKES[form](found[at], query.lang, query.text)
    return " ".join(found)


def _is_word(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha() and word.casefold() not in _NOT_MISTYPED


def _place(word: str, key: str, *, first: int = 1) -> int:
    return first + draw(len(word) - first, word, key)


def _left_out(word: str, lang: str, key: str) -> str:
    at = _place(word, key)
    return word[:at] + word[at + 1 :]


def _doubled(word: str, lang: str, key: str) -> str:
    at = _place(word, key)
    return word[: at + 1] + word[at:]


def _single(word: str, lang: str, key: str) -> str:
    """A double letter as one; another letter is left out where there is none."""
    for at in range(1, len(word)):
        if word[at] == word[at - 1]:
            return word[:at] + word[at + 1 :]
    return _left_out(word, lang, key)


def _swapped(word: str, lang: str, key: str) -> str:
    at = _place(word, key, first=2)
    return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]


def _neighbour(word: str, lang: str, key: str, *, first: int = 1) -> str:
    at = _place(word, key, first=first)
    return word[:at] + _beside(word[at], lang, key) + word[at + 1 :]


def _first_letter(word: str, lang: str, key: str) -> str:
    return _beside(word[0], lang, key) + word[1:]


def _additional(word: str, lang: str, key: str) -> str:
    at = _place(word, key)
    return word[:at] + _beside(word[at], lang, key) + word[at:]


def _vowel(word: str, lang: str, key: str) -> str:
    vowels = _VOWELS[lang]
    places = [at for at in range(1, len(word)) if word[at] in vowels]
    if not places:
        return _neighbour(word, lang, key)
    at = places[draw(len(places), "vowel", key)]
    others = [vowel for vowel in vowels if vowel != word[at]]
    return word[:at] + others[draw(len(others), "other", key)] + word[at + 1 :]


def _space(word: str, lang: str, key: str) -> str:
    at = 2 + draw(len(word) - 3, "space", key)
    return f"{word[:at]} {word[at:]}"


def _twice(word: str, lang: str, key: str) -> str:
    """Two mistakes in a long word, one in a shorter one."""
    once = _swapped(word, lang, key)
    return _left_out(once, lang, f"{key}2") if len(word) >= 8 else once


def _by_ear(word: str, lang: str, key: str) -> str:
    """The word as it sounds, or without its umlauts; a wrong vowel where that changes nothing."""
    for written, heard in _SPELT:
        if written in word:
            return word.replace(written, heard, 1)
    return _vowel(word, lang, key)


def _beside(letter: str, lang: str, key: str) -> str:
    for row in _ROWS[lang]:
        at = row.find(letter.lower())
        if at >= 0:
            beside = [row[n] for n in (at - 1, at + 1) if 0 <= n < len(row)]
            return beside[draw(len(beside), letter, key)]
    return _ROWS[lang][1][draw(len(_ROWS[lang][1]), letter, key)]


MISTAKES: Mapping[str, Mistake] = {
    "letter left out": _left_out,
    "letter doubled": _doubled,
    "double letter single": _single,
    "letters swapped": _swapped,
    "key beside": _neighbour,
    "first letter wrong": _first_letter,
    "additional letter": _additional,
    "wrong vowel": _vowel,
    "space inside": _space,
    "two mistakes": _twice,
    "by ear": _by_ear,
    "space left out": _left_out,  # `_mistaken` joins two words instead
}
