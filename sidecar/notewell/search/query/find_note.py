"""Finds the note that a person, a program or a model names."""

from __future__ import annotations

import difflib
import re
import unicodedata

from notewell.base.errors import NotFoundError
from notewell.base.types import StoredNote
from notewell.index.port import IndexReader
from notewell.vault.readers import link_name, spellings

_WIKILINK = re.compile(r"!?\[\[(?P<target>[^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")
_ENDING = re.compile(r"\.\w{1,12}$")


def find_note(index: IndexReader, path: str) -> StoredNote:
    r"""The note at `path`, with or without its file extension, or the one that a link would name.

    People, programs and models write paths in several ways: in other case or Unicode form, with
    `./`, `/` or `\`, as `[[link]]`. The path as it is comes first. One with a folder or an ending
    means the note in that place alone: a client asks so for a note that may be gone. Raises
    NotFoundError with similar paths if there is none.
    """
    for candidate in spellings(path):
        note = index.note_at(candidate)
        if note is not None:
            return note
    name = plain_path(path)
    # As links have it, a slash in front stands for the vault's folder.
    whole = "/" in name or _ENDING.search(name) is not None
    linked = index.graph.resolve(f"/{name}" if whole else name, "") if name else None
    if linked is not None and linked in (notes := index.notes([linked])):
        return notes[linked]
    raise NotFoundError(f"no note '{path}' in the index{did_you_mean(index, path)}")


def plain_path(written: str) -> str:
    r"""A path as somebody wrote it, with `/` between its parts and no more.

    `[[Note#Heading|shown]]` names `Note`; `./`, `/` and `\` are how other programs write paths.
    """
    text = unicodedata.normalize("NFC", written).strip()
    if (link := _WIKILINK.fullmatch(text)) is not None:
        text = link["target"].strip()
    steps = (step for step in text.replace("\\", "/").split("/") if step not in {"", "."})
    return "/".join(steps)


def did_you_mean(index: IndexReader, path: str) -> str:
    """A suffix for an error message that suggests similar paths, or an empty string."""
    # Without the ending, which nearly all share: "nope.md" is not like "Home.md".
    paths = {note.path.removesuffix(".md"): note.path for note in index.all_notes()}
    path = path.removesuffix(".md")
    near = [paths[match] for match in difflib.get_close_matches(path, paths, n=3, cutoff=0.6)]
    if not near:  # a folder's name outweighs a short name
        by_name = {_name_of(path): paths[path] for path in paths}
        names = difflib.get_close_matches(_name_of(path), by_name, n=3, cutoff=0.7)
        near = [by_name[name] for name in names]
    return f"; did you mean {', '.join(near)}?" if near else ""


def _name_of(path: str) -> str:
    return link_name(path.rpartition("/")[2])
