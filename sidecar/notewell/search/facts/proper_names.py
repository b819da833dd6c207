"""Tells which words of a query are proper names in a vault: people, places, products.

An English text writes a name with a capital wherever it stands, and other words only where a
sentence begins. A query that names somebody is answered by notes that have the name, and an
embedding model hardly tells two people apart, so such a query follows words more (`evidence`). The
vault is asked, not the query: people type names in lower case.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence

from notewell.base.types import IdArray
from notewell.index.analyze import stem
from notewell.index.port import IndexReader

_FEWEST = 3  # passages that have a name
_MOST_SHARE = 0.3  # of the passages; a word of nearly every note names nobody
_FIRST, _SAMPLED = 3, 16  # passages that are looked at first, and at most
_SAME = 3  # first letters that a word and its stem have in common
_FEWEST_CAPITALS = 2
_CAPITAL_SHARE = 0.9  # of the places within sentences
_REMEMBERED = 4096  # words, beyond which all are looked up again
_CHANGED_SHARE = 0.1  # of the passages, added or removed, from which words are looked up again
_WITHIN_SENTENCE = re.compile(r"(?<=[a-z,;] )[A-Za-z][a-z]+")


class ProperNamesCache:
    """The proper names of one index among the words that were asked for. Thread-safe.

    A word is looked up once, in a few passages that have it, and again when the number of passages
    has changed by a tenth.
    """

    def __init__(self) -> None:
        """No word is known before the first access."""
        self._lock = threading.Lock()
        self._passages = 0
        self._known: dict[str, bool] = {}

    def has_any(self, index: IndexReader, tokens: Sequence[str]) -> bool:
        """Tell whether the vault writes any of these folded words as a name."""
        passages = index.chunk_count
        with self._lock:
            changed = abs(passages - self._passages) > _CHANGED_SHARE * self._passages
            if changed or len(self._known) > _REMEMBERED:
                self._known.clear()
                self._passages = passages
            known = {token: self._known[token] for token in tokens if token in self._known}
        new = [token for token in tokens if token not in known]
        if new:
            remembered = dict.fromkeys(new, False) | dict.fromkeys(find_names(index, new), True)
            known |= remembered
            with self._lock:
                self._known.update(remembered)
        return any(known.values())


def find_names(index: IndexReader, tokens: Sequence[str]) -> list[str]:
    """Those of some folded words that a vault writes with a capital where no sentence begins."""
    keywords = index.keywords
    most = _MOST_SHARE * keywords.document_count
    possible = [
        token
        for token in tokens
        if token.isalpha() and _FEWEST <= keywords.document_frequency(token) <= most
    ]
    if not possible:
        return []
    places = {token: keywords.chunks_with([token]) for token in possible}
    first = {token: chunk_ids[:_FIRST].tolist() for token, chunk_ids in places.items()}
    texts = _texts(index, first)  # of most words these tell that they are no names
    possible = [token for token in possible if not _is_common(token, texts[token])]
    sampled = {token: _sample(places[token]) for token in possible}
    texts = _texts(index, sampled)
    return [token for token in possible if _is_name(token, texts[token])]


def _sample(chunk_ids: IdArray) -> list[int]:
    """Some of the passages, at even distances."""
    sampled: list[int] = chunk_ids[:: max(1, -(-len(chunk_ids) // _SAMPLED))].tolist()
    return sampled


def _texts(index: IndexReader, places: Mapping[str, Sequence[int]]) -> dict[str, list[str]]:
    """The texts of some passages of each word, by their ids."""
    chunks = index.chunks([chunk_id for chunk_ids in places.values() for chunk_id in chunk_ids])
    return {
        token: [chunks[chunk_id].text for chunk_id in chunk_ids if chunk_id in chunks]
        for token, chunk_ids in places.items()
    }


def _is_common(token: str, texts: Sequence[str]) -> bool:
    """Tell whether texts have a word more often without a capital, within sentences."""
    capitals, others = _count(token, texts)
    return others > capitals


def _is_name(token: str, texts: Sequence[str]) -> bool:
    capitals, others = _count(token, texts)
    return capitals >= _FEWEST_CAPITALS and capitals >= _CAPITAL_SHARE * (capitals + others)


def _count(token: str, texts: Sequence[str]) -> tuple[int, int]:
    """The number of times that texts have a word within sentences: capitalised, and not."""
    wanted, beginning, counts = stem(token), token[:_SAME], [0, 0]
    for text in texts:
        for word in _WITHIN_SENTENCE.findall(text):
            # Most words begin in another way, and a stem takes far longer.
            if word[:_SAME].lower() == beginning and stem(word.lower()) == wanted:
                counts[word[0].islower()] += 1
    return counts[0], counts[1]
