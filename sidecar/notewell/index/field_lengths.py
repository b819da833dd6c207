"""Lengths of fields as tantivy stores them: in a byte, rounded down.

The engine in PostgreSQL has the same lengths, so that both rank alike.
"""

from __future__ import annotations

from notewell.index.lexical import STOP


def padded(text: str, length: int) -> str:
    """The tokens of a field, and separators until they are as many as `stored_length` says.

    Tantivy stores lengths in a byte, rounded down, and a merge that drops deleted documents adds up
    the rounded ones: without this, BM25's mean length would depend on what was merged when.
    """
    missing = length - len(text.split())
    return f"{text}{f' {STOP}' * missing}" if missing else text


def stored_length(length: int, *, at_most: bool = False) -> int:
    """The least length from this on, or the greatest up to it, that tantivy's byte stands for.

    Lucene's `SmallFloat`: up to 40 all; above, 24 and a number of four significant bits.
    """
    rest = length - 24
    if rest <= 16:
        return length
    step = 1 << (rest.bit_length() - 4)
    return 24 + (rest if at_most else rest + step - 1) // step * step
