"""Links to a copy, and leading them to the note that it becomes a part of."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from notewell.api.notes import link_name
from notewell.api.types import frozen
from notewell.api.vault import IndexReader, Link


@frozen
class LinksToCopy:
    """The links of other notes that lead to a copy, by the path of the note."""

    by_note: Mapping[str, tuple[Link, ...]]


def find_links(index: IndexReader, copy: str) -> LinksToCopy:
    """Find the links to a copy, whether or not the index has it as a note."""
    graph = index.graph
    note = index.note_at(copy)
    if note is not None:
        found: Iterable[tuple[int, Link]] = graph.links_in(note.id)
    else:
        names = {_folded(link_name(copy)), _folded(link_name(copy).rpartition("/")[2])}
        found = (
            (source, link)
            for source, link in graph.unresolved()
            if _folded(link_name(link.target.strip().lstrip("/"))) in names
        )
    by_id: dict[int, list[Link]] = defaultdict(list)
    for source, link in found:
        by_id[source].append(link)
    paths = index.paths(sorted(by_id))
    return LinksToCopy(
        {paths[source]: tuple(links) for source, links in by_id.items() if paths.get(source)}
    )


def lead_links(text: str, *, links: Iterable[Link], path: str, index: IndexReader) -> str:
    """The text of a note with links to a copy leading to the note at `path`.

    Headings, blocks and aliases of the links stay. Links that no longer stand where they were
    indexed are left alone.
    """
    for link in sorted(links, key=lambda link: link.start, reverse=True):
        written = text[link.start : link.end]
        begin = written.find("](") if link.kind == "markdown" else 0
        spellings = (link.target, quote(link.target, safe="/"), f"<{link.target}>")
        places = [(written.find(each, begin), each) for each in spellings]
        place, old = next(((at, each) for at, each in places if at >= 0), (-1, ""))
        if begin < 0 or place < 0 or not old:
            continue
        start = link.start + place
        new = _target(link, path, index)
        text = f"{text[:start]}{new}{text[start + len(old) :]}"
    return text


def _target(link: Link, path: str, index: IndexReader) -> str:
    """The shortest text by which such a link finds the note, as Obsidian writes it."""
    if link.kind == "markdown":
        return quote(path, safe="/")
    name = link_name(path).rpartition("/")[2]
    found = index.graph.resolve(name, "")
    return name if found is not None and index.paths([found]) == {found: path} else link_name(path)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
