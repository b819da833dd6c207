"""Cuts what conflict copies of a note say, and the note does not, into passages of the note.

The note alone is a result, so these passages are indexed as its own. Their first heading
names the copy, and their lines are those after which the
text would stand in the note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from notewell.base.types import Chunk, Note, Span
from notewell.vault.conflicts import original_names

_MARK = "Conflict copy: "  # begins the first heading of a passage that stands in a copy
Cut = Callable[[Note], Sequence[Chunk]]  # the passages of a note


def copy_name(headings: Sequence[str]) -> str | None:
    """The file name of the conflict copy in which a passage stands; None: in the note itself."""
    first = headings[0] if headings else ""
    name = first.removeprefix(_MARK)
    return name if name != first and original_names(name) else None


def with_copies(
    own: Sequence[Chunk], note: Note, copies: Sequence[Note], cut: Cut
) -> tuple[Chunk, ...]:
    """The passages of a note and, after them, those that only its conflict copies have."""
    passages = list(own)
    places = {
        line.strip(): number
        for span in note.spans
        for line, number in zip(span.text.split("\n"), span.lines, strict=False)
    }
    end = max((span.end for span in note.spans), default=0)
    for copy in copies:
        spans = tuple(_added_spans(copy, places, end))
        if not spans:
            continue
        name = _MARK + copy.path.rpartition("/")[2]
        text = replace(note, headings=copy.headings, links=(), spans=spans)
        for chunk in cut(text):
            passages.append(replace(chunk, ordinal=len(passages), headings=(name, *chunk.headings)))
    return tuple(passages)


def _added_spans(copy: Note, places: dict[str, int], end: int) -> Iterator[Span]:
    """Yield the spans of a copy with the lines alone that `places` lacks, and add these to it.

    `places` are the lines of the note with their numbers; `end` is the offset of the note's end.
    """
    last = 1
    for span in copy.spans:
        added = []
        for line in span.text.split("\n"):
            key = line.strip()
            if key in places:
                last = places[key]
            elif key:
                places[key] = last
                added.append(line)
        if added:
            yield replace(
                span,
                start=end,
                end=end,
                text="\n".join(added),
                lines=(last,) * len(added),
                block=None,
            )
