"""The sample vault in the package, and example queries for it.

The vault has notes of one fictional person in five languages. `notewell demo` serves the copy that
`copy_to` makes; the tests run the `EXAMPLES`, and the README quotes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from notewell.base.errors import VaultError
from notewell.base.support.disk import make_folder, open_private

__all__ = ["EXAMPLES", "Example", "copy_to", "vault_files"]

Why = Literal["keyword", "meaning", "phrase", "exclusion", "filter", "language"]


@dataclass(frozen=True, slots=True)
class Example:
    """A query, the path of the note that it should find, and what it demonstrates.

    `why`: "keyword" exact words; "meaning" a paraphrase that shares few words with the note, or
    none; "phrase", "exclusion" and "filter" the query language; "language" other than English.
    """

    query: str
    path: str
    why: Why


EXAMPLES: tuple[Example, ...] = (
    Example("database is locked", "Code/SQLite database is locked.md", "keyword"),
    Example("TL-UN74-S", "Bicycles/Bottom bracket standards.md", "keyword"),
    Example("something ate my seedlings overnight", "Garden/Slugs.md", "meaning"),
    Example("why do we forget", "Mind/Ebbinghaus and the leaky bucket.md", "meaning"),
    Example("my dough did not rise", "Kitchen/Starter that sleeps in the cold.md", "meaning"),
    Example("chain slips under load", "Bicycles/New links on old teeth.md", "meaning"),
    Example("memory trick of ancient orators", "Mind/Method of loci.md", "meaning"),
    Example('"left-hand thread"', "Bicycles/Bottom bracket standards.md", "phrase"),
    Example("when to plant tomatoes outside -sauce", "Garden/Bed plan 2026.md", "exclusion"),
    Example("type:book [rating:>4]", "Reading/In Praise of Shadows.md", "filter"),
    Example("Warum stinkt mein Kompost nach Ammoniak?", "Garden/Kompost.md", "language"),
    Example(
        "Brötchen über Nacht im Kühlschrank", "Kitchen/Sonntagsbrötchen für vier.md", "language"
    ),
    Example("「は」と「が」の違い", "日本語/助詞「は」と「が」.md", "language"),
    Example("夏の夕方に急に降る雨", "日本語/雨の言葉.md", "language"),
    Example("泡绿茶用多少度的水", "中文/杭州的茶.md", "language"),
    Example("qué llevar en la mochila", "Trips/Camino sin prisa.md", "language"),
)


def vault_files() -> Iterator[tuple[str, Traversable]]:
    """All files of the vault, including `.obsidian`, as (path relative to the vault, file)."""
    yield from _walk(files(__name__) / "vault", "")


def copy_to(folder: Path) -> Path:
    """Copy the files of the vault that `folder` lacks into it; returns `folder`.

    Existing files stay, because the user may have edited them. Raises VaultError if the folder
    cannot be written.
    """
    try:
        for path, source in vault_files():
            _copy(source, folder / path)
    except OSError as error:
        raise VaultError(
            f"The sample vault cannot be copied to {folder}: {error}. "
            "Choose a folder you may write to, with --data-dir."
        ) from error
    return folder


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.is_dir():
            yield from _walk(entry, path + "/")
        else:
            yield path, entry


def _copy(source: Traversable, target: Path) -> None:
    if target.exists():
        return
    make_folder(target.parent)
    # Renamed when complete: an incomplete copy must not look like a note that the user shortened.
    part = target.with_name(target.name + ".part")
    with open_private(part) as stream:
        stream.write(source.read_bytes())
    part.replace(target)
