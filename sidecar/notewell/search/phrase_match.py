"""Does a text hold a phrase word for word? Case, accents, spacing and emphasis marks aside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from notewell.index import scripts

_SPACE = re.compile(r"\s+")
_SPACELESS = re.compile(f"[{scripts.SPACELESS}]")
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("*_~=`\\\u00ad\u200b", None),  # emphasis, escapes, invisible joints
        **dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)


def fold(text: str) -> str:
    """`text` in the form in which phrases are compared."""
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text).casefold()
        folded = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACE.sub(" ", folded.translate(_SIGNS)).strip()


def matcher(phrase: str) -> Callable[[str], bool]:
    """A test whether a text holds `phrase`; words are not cut, except in scripts without spaces."""
    folded = fold(phrase)
    before = r"(?<!\w)" if _is_word(folded[:1]) else ""
    after = r"(?!\w)" if _is_word(folded[-1:]) else ""
    pattern = re.compile(before + re.escape(folded) + after)
    return lambda text: pattern.search(fold(text)) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() and _SPACELESS.match(char) is None
