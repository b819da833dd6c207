"""Estimates the language of a text from its script and its commonest words.

That is rough, and enough to tell whether a model reads most notes of a vault: an estimate from a
trained model would need a download of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

# Code points, and the language that is written with them most; the first that fits counts.
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", "\u3041-\u30ff"),
    ("ko", "\uac00-\ud7af"),
    ("zh", "\u4e00-\u9fff"),
    ("ru", "\u0400-\u04ff"),
    ("el", "\u0370-\u03ff"),
    ("ar", "\u0600-\u06ff"),
    ("he", "\u0590-\u05ff"),
    ("hi", "\u0900-\u097f"),
    ("th", "\u0e00-\u0e7f"),
)
_PATTERNS = tuple((code, re.compile(f"[{letters}]")) for code, letters in _SCRIPTS)
_LEAST_SHARE = 0.1  # of a text's letters in a script other than Latin
_COMMON: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the and of to is that it for was with are this have from not be on you they which",
        "de": "der die und das ist nicht ein eine mit den von zu auf für dem des im auch sich wird",
        "fr": "le la les et des est une dans que pour qui pas sur au par avec ce sont il du",
        "es": "el los las y que es una por con para del se como más su al lo pero está sus",
        "it": "il di che è la per un una non con del sono gli della le nel come più dei anche",
        "pt": "o os as e que é uma por com para do da não em se como mais dos ao são",
        "nl": "de het een en van is dat niet op te voor met zijn aan ook maar bij wordt naar om",
        "pl": "i w na z że nie jest się do to jak o po ale przez są dla od oraz może",
        "sv": "och att det som en är av för på med den till inte om ett har de kan sig men",
        "cs": "a je se na že to v s z do pro jako jsou ale nebo by také jeho když podle",
        "tr": "ve bir bu için ile de da olarak daha çok ne gibi kadar olan ama sonra en var her mi",
    }.items()
}
_FEWEST_HITS = 2
_WORD = re.compile(r"[^\W\d_]+")
NAMES: Mapping[str, str] = {
    "ar": "Arabic",
    "cs": "Czech",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "zh": "Chinese",
}


def language_of(text: str) -> str | None:
    """The language of a text as an ISO 639-1 code; None if too little tells it."""
    letters = sum(map(str.isalpha, text))
    if not text.isascii():
        for code, pattern in _PATTERNS:
            if len(pattern.findall(text)) > _LEAST_SHARE * letters:
                return code
    words = Counter(_WORD.findall(text.casefold()))
    hits = {code: sum(words[word] for word in common) for code, common in _COMMON.items()}
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] >= _FEWEST_HITS else None


def shares(texts: Iterable[str]) -> dict[str, float]:
    """The share of each language among the texts whose language is told, the largest first."""
    counted = Counter(code for text in texts if (code := language_of(text)) is not None)
    total = sum(counted.values())
    return {code: count / total for code, count in counted.most_common()}
