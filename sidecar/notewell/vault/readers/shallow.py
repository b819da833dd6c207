"""Pages that nest without end, made as deep as a browser makes them.

The rules of HTML have a parser look through all open elements at many a tag, so a page of nested
elements takes time by the square of its depth: four seconds at 50,000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DEEPEST = 512  # elements; Chromium's parser goes no deeper
_MANY = 5_000  # tags; fewer are parsed in a moment, however they nest
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)[^<>]*>")
# Elements without an end, and those whose end need not be written: they stand beside each other.
_NAMES = (
    "area base br col embed hr img input link meta param source track wbr"
    " html head body p li dt dd rb rt rtc rp optgroup option thead tbody tfoot tr td th"
    " colgroup caption"
)
_ENDLESS = frozenset(_NAMES.split())


def shallow(source: str) -> str:
    """Return the source of a page without the tags of elements nested deeper than 512."""
    if source.count("<") < _MANY:
        return source
    parts, taken = [], 0
    for start, end in _too_deep(source):
        parts.append(source[taken:start])
        taken = end
    return "".join([*parts, source[taken:]])


def _too_deep(source: str) -> Iterator[tuple[int, int]]:
    depth = 0
    for tag in _TAG.finditer(source):
        closes, name = tag.groups()
        if name.lower() in _ENDLESS:
            continue
        if not closes:
            depth += 1
        if depth > _DEEPEST:
            yield tag.span()
        if closes:
            depth = max(depth - 1, 0)
