"""Exports that are files of text: of Notion, Bear and Apple Notes, or any folder of notes.

Notion writes an id behind every name; it is taken off, also in links. Bear's text bundles are
folders with one text each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from notewell.sources.enex import notes_of
from notewell.sources.export_files import ExportFile, ExportFiles
from notewell.sources.pages import Document, Item, Unread
from notewell.sources.spec import TYPES

_NOTION_ID = re.compile(r"(?: |%20)[0-9a-f]{32}(?=[/.)_]|\Z)")
_BUNDLE = re.compile(r"(.*)\.textbundle/text\.(?:md|markdown|txt)", re.IGNORECASE | re.DOTALL)


class TextExport:
    """The notes of a folder or zip file of texts. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        """Nothing is read yet."""
        self._files = ExportFiles(place)

    def stamps(self, _known: Mapping[str, int]) -> Mapping[str, int]:
        """See `Feed.stamps`."""
        return {_uid(one): one.edited for one in self._notes()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`."""
        wanted = None if uids is None else set(uids)
        with self._files.opened() as opened:
            for one in self._notes():
                if wanted is not None and _uid(one) not in wanted:
                    continue
                content = opened.read(one)
                if isinstance(content, Unread):
                    yield content
                else:
                    yield _document(one, content)

    def _notes(self) -> Iterator[ExportFile]:
        return (one for one in self._files.list() if one.path.lower().endswith(TYPES))


class EvernoteExport:
    """The notes of one `.enex` file. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        """Nothing is read yet."""
        self._file = place

    def stamps(self, _known: Mapping[str, int]) -> None:
        """See `Feed.stamps`: the file has to be read whole."""
        return

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`. The file has to be read whole, whatever is asked for."""
        wanted = None if uids is None else set(uids)
        for one in notes_of(self._file):
            if wanted is None or isinstance(one, Unread) or one.uid in wanted:
                yield one


def _uid(file: ExportFile) -> str:
    return f"{file.inner}/{file.path}" if file.inner else file.path


def _document(file: ExportFile, content: bytes) -> Document:
    path = _NOTION_ID.sub("", file.path)
    if bundled := _BUNDLE.fullmatch(path):
        path = f"{bundled[1]}.md"
    if PurePosixPath(path).suffix.lower() in {".md", ".markdown"} and path != file.path:
        text = content.decode("utf-8", "surrogateescape")
        content = _NOTION_ID.sub("", text).encode("utf-8", "surrogateescape")
    return Document(_uid(file), path, content, file.edited)
