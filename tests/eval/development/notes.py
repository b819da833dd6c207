"""Reads a vault for the sets, independently of the program that is measured."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import yaml

from .words import plain, words

_PROPERTIES = re.compile(r"\A---\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
# What readers do not see: comments, code, drawings, and the hub's footer with links to GitHub.
_UNSEEN = re.compile(
    r"%% Hub footer.*\Z|^# Excalidraw Data.*\Z|^%%\n# (?:Drawing|Text Elements).*\Z"
    r"|^```.*?^```|%%.*?%%|<!--.*?-->|^\$\$.*?^\$\$",
    re.DOTALL | re.MULTILINE,
)
LINK = re.compile(r"(!?)\[\[([^\]\[|#\n]+)(#[^\]\[|\n]*)?(?:\|([^\]\[\n]+))?\]\]")
_MARKS = re.compile(
    r"\[!\w[\w-]*\][+-]?|!\[[^\]]*\]\([^)]*\)|<[^<>]{1,200}>|[*_`=~]{1,3}|\^[a-z0-9-]+$",
    re.MULTILINE,
)
_WEB_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_START = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>|#+)\s+(?:\[.\]\s+)?", re.MULTILINE)


@dataclass(frozen=True)
class Note:
    """A note. `properties` have their values as text; `body` is what readers see of the note."""

    path: str
    properties: Mapping[str, tuple[str, ...]]
    body: str

    @property
    def name(self) -> str:
        """The file name without its ending."""
        return PurePosixPath(self.path).stem

    @property
    def folder(self) -> str:
        """The path of its folder."""
        return str(PurePosixPath(self.path).parent)

    @cached_property
    def shown(self) -> str:
        """What readers see, as words for comparisons."""
        return plain(seen(self.body))

    @property
    def names(self) -> tuple[str, ...]:
        """The file name, and the aliases."""
        return (self.name, *self.properties.get("aliases", ()))


class Notes:
    """The notes of a vault."""

    def __init__(self, name: str, lang: str, folder: Path) -> None:
        self.name = name
        self.lang = lang
        self.by_path = {note.path: note for note in _read(folder)}

    def __iter__(self) -> Iterator[Note]:
        return iter(self.by_path.values())

    @cached_property
    def counts(self) -> Counter[str]:
        """In how many notes each word occurs."""
        return Counter({word: len(paths) for word, paths in self.holders.items()})

    @cached_property
    def holders(self) -> dict[str, set[str]]:
        """The paths of the notes that have each word."""
        found: dict[str, set[str]] = {}
        for note in self:
            for word in words(f"{note.name}\n{note.body}", self.lang):
                found.setdefault(word, set()).add(note.path)
        return found

    def with_all(self, asked: Iterable[str]) -> set[str]:
        """The paths of the notes that have all of the words."""
        return set.intersection(*(self.holders.get(word, set()) for word in asked))

    @cached_property
    def named(self) -> dict[str, set[str]]:
        """The paths of the notes that have each name, compared by `plain`."""
        found: dict[str, set[str]] = {}
        for note in self:
            for name in note.names:
                found.setdefault(plain(name), set()).add(note.path)
        return found

    def is_name(self, text: str) -> bool:
        """Whether a note has exactly this name."""
        return plain(text) in self.named

    def resolve(self, target: str) -> str | None:
        """The path of the note that a link names; None if there is none, or more than one."""
        target = unicodedata.normalize("NFC", target.strip()).removesuffix(".md").casefold()
        found = self._places.get(PurePosixPath(target).name, ())
        if "/" in target:
            found = [path for path in found if path.casefold().endswith(f"{target}.md")]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _places(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for note in self:
            found.setdefault(note.name.casefold(), []).append(note.path)
        return found


def seen(text: str) -> str:
    """Text without its marks, links as the words that are shown."""
    text = LINK.sub(lambda link: link[4] or link[2], text)
    return _START.sub("", _MARKS.sub("", _WEB_LINK.sub(r"\1", text))).strip()


def _read(folder: Path) -> Iterator[Note]:
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        block = _PROPERTIES.match(text)
        body = text[block.end() :] if block else text
        path = unicodedata.normalize("NFC", file.relative_to(folder).as_posix())
        yield Note(path, _properties(block[1]) if block else {}, _UNSEEN.sub("", body))


def _properties(block: str) -> dict[str, tuple[str, ...]]:
    """The values of all properties; nothing where the block is no YAML, as in templates."""
    try:
        loaded = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError):
        return {}
    if not isinstance(loaded, dict):
        return {}
    found = {}
    for key, value in loaded.items():
        values = value if isinstance(value, list) else [value]
        found[str(key)] = tuple(seen(str(value)) for value in values if value not in (None, "", []))
    return found
