"""Words reduced to their stems, as the keyword index keeps them: to show which words matched."""

from __future__ import annotations

from functools import lru_cache

import tantivy

from notewell.index.embedded.postings import stemmer


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a flattened word; what is no English word is mostly its own."""
    return "".join(_analyzer().analyze(word)) if word.isascii() else word


@lru_cache(maxsize=1)
def _analyzer() -> tantivy.TextAnalyzer:
    return stemmer()
