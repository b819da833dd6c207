"""Roam's exports: JSON, and EDN (its database written out).

The JSON is a list of pages. It is read page by page, so that a large export needs little memory
and one page that cannot be read does not keep the others out. The EDN is
`#datascript/DB {:schema {…}, :datoms [[entity attribute value transaction] …]}`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from notewell.base.errors import SourceError
from notewell.features.sources.export_files import ExportFiles
from notewell.features.sources.pages import Item, Unread
from notewell.features.sources.roam_page import DATABASE, EXPORT, Keys, page_of

MAX_BYTES = 1024 * 1024 * 1024  # of an export
_STRING = r'"(?:[^"\\]|\\.)*+"'
# Strings are skipped whole; what is left that counts are brackets.
_BRACKETS = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_DATOM = re.compile(
    rf"\[\s*(?P<entity>\d+)\s+(?P<name>:[^\s\[\]{{}}\"]+)\s+(?P<value>{_STRING}|[^\s\[\]{{}}\"]+)"
    rf"|{_STRING}",
    re.DOTALL,
)
_NUMBERS = frozenset({":block/order", ":block/heading", ":create/time", ":edit/time"})
_TEXTS = frozenset({":node/title", ":block/uid", ":block/string"})
_CHILDREN = ":block/children"


class RoamExport:
    """The pages of an export file, packed or not. The methods are those of `Feed`."""

    def __init__(self, file: Path) -> None:
        """Nothing is read yet."""
        self._file = file

    def stamps(self, _known: Mapping[str, int]) -> None:
        """See `Feed.stamps`: the file has to be read whole."""
        return

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`; gives all pages. Raises SourceError if the file is no export."""
        wanted = None if uids is None else set(uids)
        for name, content in self._exports():
            text = content.decode("utf-8-sig", "replace")
            for page in _of_database(text) if name.endswith(".edn") else _of_json(text):
                if wanted is None or isinstance(page, Unread) or page.uid in wanted:
                    yield page

    def _exports(self) -> Iterator[tuple[str, bytes]]:
        """The name and content of each export: Roam packs several graphs, and one as well."""
        if self._file.suffix.lower() != ".zip":
            yield self._file.name.lower(), _content(self._file)
            return
        files = ExportFiles(self._file)
        with files.opened() as opened:
            for one in files.list():
                if not one.path.lower().endswith((".json", ".edn")):
                    continue
                content = opened.read(one, most=MAX_BYTES)
                if isinstance(content, Unread):
                    raise SourceError(f"{one.path} in {self._file}: {content.why}.")
                yield one.path.lower(), content


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SourceError(f"{file} is larger than 1 GB. Export fewer pages at once.")
        return file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from error


def _of_json(text: str) -> Iterator[Item]:
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        raise SourceError(
            "This is no JSON export of Roam, which is a list of pages. In Roam: Export All, JSON."
        )
    for number, (begin, end) in enumerate(_objects(text, start), 1):
        if end < 0:
            why = "the file ends in the middle of it: it was not exported or copied to its end"
            yield Unread(f"page {number}", why)
            return
        try:
            raw = json.loads(text[begin:end])
        except (ValueError, RecursionError) as error:
            yield Unread(f"page {number}", f"it is no JSON: {error}")
        else:
            yield _page(raw, EXPORT, f"page {number}")


def _objects(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The bounds of the objects of a list; the end of one that is cut off is -1."""
    depth, begin = 0, -1
    for found in _BRACKETS.finditer(text, start):
        mark = found[0]
        if mark in {"{", "["}:
            if depth == 1 and mark == "{":
                begin = found.start()
            depth += 1
        elif mark in {"}", "]"}:
            depth -= 1
            if depth == 1 and begin >= 0:
                yield begin, found.end()
                begin = -1
            if depth == 0:
                return
    yield max(begin, 0), -1


def _page(raw: Any, keys: Keys, name: str) -> Item:
    try:
        return page_of(raw, keys)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Unread(name, f"it is no page of Roam: {error}")


def _of_database(text: str) -> Iterator[Item]:
    start = text.find(":datoms")
    if start < 0:
        raise SourceError("This is no EDN export of Roam. In Roam: Export All, EDN.")
    entities: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    below: defaultdict[int, list[int]] = defaultdict(list)
    for found in _DATOM.finditer(text, start):
        name = found["name"]
        if name == _CHILDREN:
            below[int(found["entity"])].append(int(found["value"]))
        elif name in _TEXTS:
            entities[int(found["entity"])][name] = json.loads(found["value"], strict=False)
        elif name in _NUMBERS:
            entities[int(found["entity"])][name] = int(found["value"])
    for parent, children in below.items():
        entities[parent][_CHILDREN] = [entities[child] for child in children]
    for entity, raw in list(entities.items()):
        if ":node/title" in raw:
            yield _page(raw, DATABASE, f"entity {entity}")
