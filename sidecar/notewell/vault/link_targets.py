"""Resolves link targets to notes as Obsidian does, with an index that is updated note by note."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable, Sequence

from notewell.vault.readers import link_name

# The files beside notes that Obsidian accepts ("accepted file formats"). The index has only notes,
# so it does not know whether such a file exists.
ATTACHMENTS = (
    *(".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"),
    *(".flac", ".m4a", ".mp3", ".ogg", ".wav", ".3gp"),
    *(".mkv", ".mov", ".mp4", ".ogv", ".webm"),
    *(".pdf", ".canvas", ".base"),
)


class NoteNames:
    """The names under which notes can be linked. Lookups ignore case and Unicode form.

    Order: the exact path, then the path's end (for a bare name: the file name) with notes beneath
    the linking note's folder before others and short paths before long ones, then aliases.
    """

    def __init__(self) -> None:
        self._aliases_of: dict[str, tuple[str, ...]] = {}
        self._by_path: dict[str, set[str]] = {}
        self._by_name: dict[str, set[str]] = {}
        self._by_alias: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._aliases_of)

    def __contains__(self, path: str) -> bool:
        return path in self._aliases_of

    def add(self, path: str, aliases: Sequence[str]) -> None:
        """Add a note, or give a known one new aliases."""
        if path in self._aliases_of:
            self.remove(path)
        folded = tuple({_fold(alias) for alias in aliases} - {""})
        self._aliases_of[path] = folded
        for names, name in self._places(path, folded):
            names.setdefault(name, set()).add(path)

    def remove(self, path: str) -> None:
        folded = self._aliases_of.pop(path, None)
        if folded is None:
            return
        for names, name in self._places(path, folded):
            paths = names[name]
            paths.discard(path)
            if not paths:
                del names[name]

    def _places(self, path: str, aliases: Iterable[str]) -> list[tuple[dict[str, set[str]], str]]:
        stem = _stem(_fold(path))
        return [
            (self._by_path, stem),
            (self._by_name, posixpath.basename(stem)),
            *((self._by_alias, alias) for alias in aliases),
        ]

    def files_named(self, name: str) -> frozenset[str]:
        """The paths of all notes whose file has this name, without folder and ending."""
        return frozenset(self._by_name.get(_fold(name), ()))

    def resolve(self, target: str, source_path: str, *, by_alias: bool = True) -> str | None:
        """Return the path of the note that `target` means in `source_path`, or None.

        `target` is a link's note part as written. An empty one is the linking note itself. A link
        leads to no alias in Obsidian; a person who names a note may use one (`by_alias`).
        """
        wanted = _fold(target)
        if not wanted:
            return source_path
        folder = posixpath.dirname(source_path)
        # `Note.md` is first the file Note.md; only then a note whose own name ends in .md.
        for name in dict.fromkeys((_stem(wanted), wanted)):
            matched = self._by_location(name, folder)
            if matched is not None:
                return matched
        return _best(self._by_alias.get(wanted, ()), folder) if by_alias else None

    def _by_location(self, name: str, folder: str) -> str | None:
        if name.startswith(("./", "../")):
            joined = posixpath.normpath(posixpath.join(_fold(folder), name))
            return _best(self._by_path.get(joined, ()), folder)
        if name.startswith("/"):
            return _best(self._by_path.get(name.lstrip("/"), ()), folder)
        exact = self._by_path.get(name)
        if exact:
            return _best(exact, folder)
        candidates: Iterable[str] = self._by_name.get(posixpath.basename(name), ())
        if "/" in name:
            ending = f"/{name}"
            candidates = [path for path in candidates if _stem(_fold(path)).endswith(ending)]
        return _best(candidates, folder)


def _fold(text: str) -> str:
    if text.isascii():
        return text.strip().lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().casefold())


def _stem(folded: str) -> str:
    return link_name(folded)


def _best(paths: Iterable[str], folder: str) -> str | None:
    """Prefer paths below the linking note's folder, then short ones, then the first by name."""
    beneath = f"{folder}/" if folder else ""
    return min(
        paths, key=lambda path: (not path.startswith(beneath), len(path), path), default=None
    )
