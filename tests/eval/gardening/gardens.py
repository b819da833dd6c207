"""Vaults of the data folder as gardens, and copies of them with something hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from notewell.base.types import FloatArray, SourceText
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.vault.daily import DailyNotes
from notewell.vault.link_targets import NoteNames
from notewell.vault.parse import parse
from notewell.vault.regions import is_drawing
from notewell.vault.write import content_hash

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Vectors:
    """The mean vectors of a vault's notes, by path."""

    known: tuple[str, ...]
    rows: FloatArray


NO_VECTORS = Vectors((), np.zeros((0, 1), np.float32))


def read_texts(folder: Path) -> dict[str, str]:
    """The Markdown notes of a folder, by path."""
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8", errors="replace")
        for file in sorted(folder.rglob("*.md"))
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    }


def garden_of(texts: Texts, vectors: Vectors = NO_VECTORS, *, tended: Iterable[str] = ()) -> Garden:
    """A garden of notes that are not on disk; `tended`: only these, else all but drawings."""
    bodies: dict[str, NoteBody] = {}
    parsed = {
        path: parse(path, SourceText(text, "utf-8", b""), modified=0.0)
        for path, text in texts.items()
    }
    names = NoteNames()
    for path, note in parsed.items():
        names.add(path, note.aliases)
    notes = {
        path: NoteFacts(
            path=path,
            title=note.title,
            hash=content_hash(texts[path].encode("utf-8", "replace")).hex(),
            aliases=note.aliases,
            tags=note.tags,
            properties=note.properties,
            links=tuple((link, names.resolve(link.target, path)) for link in note.links),
        )
        for path, note in parsed.items()
    }
    chosen = frozenset(tended) or frozenset(
        path for path, note in notes.items() if not is_drawing(path, note.properties)
    )
    daily = DailyNotes()
    kept = [n for n, path in enumerate(vectors.known) if path in notes]

    def read(path: str) -> NoteBody:
        if path not in bodies:
            bodies[path] = NoteBody(texts[path])
        return bodies[path]

    return Garden(
        notes=notes,
        tended=chosen,
        read=read,
        known=tuple(vectors.known[n] for n in kept),
        vectors=vectors.rows[kept],
        now=10**10,
        is_daily=lambda note: daily.day(note.path, note.properties) is not None,
    )


def changed(texts: Texts, paths: Iterable[str], edit: Callable[[str], str]) -> dict[str, str]:
    """A copy of the texts with some of them edited."""
    return {**texts, **{path: edit(texts[path]) for path in paths}}
