"""Reads `.obsidian/bookmarks.json` whenever it is asked: a small file that Obsidian rewrites."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import partial

from notewell.api import OpenFeature, OpenVault
from notewell.features.bookmarks.requests import BookmarkedNote, BookmarksReply, BookmarksRequest
from notewell.vault.daily import obsidian_settings

FILE = ".obsidian/bookmarks.json"
MOST = 100


def open_feature(vault: OpenVault) -> OpenFeature:
    """Answer for one vault."""
    return OpenFeature(answers={BookmarksRequest: partial(list_bookmarks, vault)})


def list_bookmarks(vault: OpenVault, _request: BookmarksRequest) -> BookmarksReply:
    """The notes of the bookmarks, each once, at most MOST."""
    notes: dict[str, BookmarkedNote] = {}
    for path, title in _files(obsidian_settings(vault.record.path / FILE).get("items")):
        if path in notes or len(notes) == MOST:
            continue
        note = vault.index.note_at(path)
        if note is not None:
            notes[path] = BookmarkedNote(path, title or note.title)
    return BookmarksReply(vault.record.name, tuple(notes.values()))


def _files(items: object) -> Iterator[tuple[str, str]]:
    """Path and own title of each file, in the order shown; groups may hold others to any depth."""
    waiting = [items]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict) and item.get("type") == "group":
            waiting.append(item.get("items"))
        elif isinstance(item, dict) and item.get("type") == "file":
            path, title = item.get("path"), item.get("title")
            if isinstance(path, str):
                yield unicodedata.normalize("NFC", path), title if isinstance(title, str) else ""
