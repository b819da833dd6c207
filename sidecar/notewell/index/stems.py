"""English stems, one algorithm for what is indexed, queried and highlighted.

Porter 2, the "English" stemmer of Snowball (Porter 2001, "Snowball: A language for stemming
algorithms"), as tantivy implements it. Words of other languages hardly change.
"""

from __future__ import annotations

from functools import lru_cache

import tantivy


def stemmer() -> tantivy.TextAnalyzer:
    """An analyzer that splits text at whitespace and reduces each token to its stem."""
    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return whitespace.filter(tantivy.Filter.stemmer("english")).build()


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of one folded token; a token with other than ASCII letters is its own stem."""
    return "".join(_analyzer().analyze(word)) if word.isascii() else word


@lru_cache(maxsize=1)
def _analyzer() -> tantivy.TextAnalyzer:
    return stemmer()
