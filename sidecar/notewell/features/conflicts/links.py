"""Links to a copy, and leading them to the note that it becomes a part of."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from notewell.api.notes import link_name
from notewell.api.vault import IndexReader, Link


def find_links(index: IndexReader, copy: str) -> Mapping[str, tuple[Link, ...]]:
    """Find the links to a copy, by the path of their note; the index may not have it as a note."""
    graph = index.graph
    note = index.note_at(copy)
    if note is not None:
        links_by_source: Iterable[tuple[int, Link]] = graph.links_in(note.id)
    else:
        names = {_folded(link_name(copy)), _folded(link_name(copy).rpartition("/")[2])}
        links_by_source = (
            (source, link)
            for source, link in graph.unresolved()
            if _folded(link_name(link.target.strip().lstrip("/"))) in names
        )
    by_id: dict[int, list[Link]] = defaultdict(list)
    for source, link in links_by_source:
        by_id[source].append(link)
    paths = index.paths(sorted(by_id))
    return {paths[source]: tuple(links) for source, links in by_id.items() if paths.get(source)}


def lead_links(text: str, *, links: Iterable[Link], path: str, index: IndexReader) -> str:
    """The text of a note with links to a copy leading to the note at `path`.

    Headings, blocks and aliases of the links stay. Links that no longer stand where they were
    indexed are left alone.
    """
    for link in sorted(links, key=lambda link: link.start, reverse=True):
        place = link.target_in(text[link.start : link.end])
        if place is not None:
            start, old = link.start + place[0], place[1]
            text = f"{text[:start]}{_target(link, path, index)}{text[start + len(old) :]}"
    return text


def _target(link: Link, path: str, index: IndexReader) -> str:
    """The shortest text by which such a link finds the note, as Obsidian writes it."""
    if link.kind == "markdown":
        return quote(path, safe="/")
    name = link_name(path).rpartition("/")[2]
    note_id = index.graph.resolve(name, "")
    return (
        name
        if note_id is not None and index.paths([note_id]) == {note_id: path}
        else link_name(path)
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
