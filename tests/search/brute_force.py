"""A second evaluation of conditions, on the files of a vault, written from docs/search.md.

It shares no code with the product, so that a mistake in reading notes, in the index or in a
condition shows as a difference. Notes are read one by one and looked through from beginning to end.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from functools import cached_property, lru_cache
from pathlib import Path

import yaml

# --- the text of a note ------------------------------------------------------------------------

_FRONTMATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(```+|~~~+)[^`]*$")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_MARKS = "[]()<>!#^%&|:*_~=`$"
_SHIELD = str.maketrans({mark: chr(0xE000 + at) for at, mark in enumerate(_MARKS)})
_UNSHIELD = {0xE000 + at: mark for at, mark in enumerate(_MARKS)}
_EMBED_OR_LINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
_MARKDOWN_LINK = re.compile(
    r"!?\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)"
)
_BADGE = re.compile(r"!\[[^\[\]\n]*\]\(<?https?://[^()\s]*(?:shields\.io/|/badge)[^()\s]*\)")
_ADDRESS = re.compile(r"<(https?://[^<>\s]+)>")
_TAG_OF_HTML = re.compile(r"</?([A-Za-z][\w-]*)(?:\s[^<>]*)?/?>")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_CALLOUT = re.compile(r"^\[!([^\]\n|]+)[^\]\n]*\][+-]?[ \t]*(.*)$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*+|~~|==|(?<!\w)_+|_+(?!\w)")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?", re.MULTILINE)
_TASK = re.compile(r"^([ \t]*(?:[-*+]|\d+[.)])[ \t]+)\[.\](?=[ \t]|$)", re.MULTILINE)
_INLINE_TAG = re.compile(r"(?<!\S)#([^\s#,.;:!?()\[\]{}<>\"'`“”]+)")
_FIELD = re.compile(r"^(?:[-*+] )?([A-Za-z][\w -]*):: ?(.*)$", re.MULTILINE)


def _shielded(text: str) -> str:
    """The text without the marks of code; what is in code is no markup from here on."""
    fence, lines = "", []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            lines.append(line.translate(_SHIELD))
        else:
            lines.append(_INLINE_CODE.sub(lambda code: code[2].translate(_SHIELD), line))
    return "\n".join(lines)


def _shown_link(found: re.Match[str]) -> str:
    address, bar, display = found[2].partition("|")
    target, _, heading = address.removesuffix("\\").partition("#")
    if found[1]:
        size = display.strip().replace("x", "").isdecimal()
        return display.strip() if bar and not size else target.strip()
    if bar and display.strip():
        return display.strip()
    return " > ".join(part.strip() for part in (target, heading.lstrip("^")) if part.strip())


def _visible(text: str) -> str:
    """Markdown as a reader sees it: no addresses of links, comments and marks."""
    text = _EMBED_OR_LINK.sub(_shown_link, text)
    text = _BADGE.sub("", text)
    for _ in range(2):  # a picture may be the text of a link
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG_OF_HTML.sub(
        lambda tag: " " if tag[1].lower() in {"br", "p", "div", "li"} else "", text
    )
    text = _FOOTNOTE.sub("", text)
    text = _BLOCK_ID.sub("", text)
    text = _QUOTE.sub("", text)
    text = _TASK.sub(r"\1", text)
    text = _CALLOUT.sub(lambda mark: mark[2] or mark[1].strip().capitalize(), text)
    return html.unescape(_EMPHASIS.sub("", text)).translate(_UNSHIELD)


@dataclass(frozen=True)
class PaperNote:
    """One note, as its file says."""

    path: str
    properties: dict[str, object]
    body: str
    modified: float  # of the file

    @classmethod
    def read(cls, root: Path, file: Path) -> PaperNote | None:
        """The note of a file; None if its properties are no valid YAML."""
        text = file.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        block = _FRONTMATTER.match(text)
        properties: dict[str, object] = {}
        if block:
            try:
                # All values as they are written: numbers and dates are compared as such later.
                loaded = yaml.load(block[1], Loader=yaml.BaseLoader)
            except yaml.YAMLError:
                return None
            if loaded and not isinstance(loaded, dict):
                return None
            properties = loaded or {}
        body = text[block.end() :] if block else text
        path = file.relative_to(root).as_posix()
        return cls(path, properties, body, file.stat().st_mtime)

    @cached_property
    def markup(self) -> str:
        """The body without comments and marks of code, in which no code looks like markup."""
        return _COMMENT.sub(" ", _shielded(self.body))

    @cached_property
    def all_properties(self) -> list[tuple[str, object]]:
        """Properties of the frontmatter, and inline fields that it has not."""
        own = list(self.properties.items())
        names = {name.lower() for name in self.properties}
        fields: dict[str, list[str]] = {}
        for name, value in _FIELD.findall(self.markup):
            if name.strip().lower() not in names:
                fields.setdefault(name.strip(), []).append(value.strip())
        return own + [(name, each[0] if len(each) == 1 else each) for name, each in fields.items()]

    def _own(self, *names: str) -> Iterator[object]:
        for wanted in names:
            for name, value in self.properties.items():
                if _key(name) == wanted:
                    yield value
                    break

    @cached_property
    def title(self) -> str:
        stated = next(self._own("title"), None)
        name = self.path.rpartition("/")[2].removesuffix(".md")
        return stated if isinstance(stated, str) and stated else name

    @cached_property
    def aliases(self) -> list[str]:
        values = [part for value in self._own("aliases", "alias") for part in _items(value)]
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    @cached_property
    def tags(self) -> list[str]:
        stated = [part for value in self._own("tags", "tag") for part in _items(value)]
        found = [tag for part in stated for tag in re.split(r"[,\s]+", part)]
        found += _INLINE_TAG.findall(self.markup)
        names = [tag.strip("#/") for tag in found]
        return [name for name in names if name and not name.isdecimal()]

    @cached_property
    def values(self) -> list[str]:
        """The texts and numbers in properties, but for those that are fields of their own."""
        return [
            leaf
            for name, value in self.all_properties
            if name.lower() not in {"title", "tags", "tag", "aliases", "alias"}
            for leaf in _leaves(value)
            if leaf and leaf.lower() not in {"true", "false", "null", "~"}
        ]

    @cached_property
    def headings(self) -> list[str]:
        return [_visible(each) for each in _HEADING.findall(self.markup)]

    @cached_property
    def lines(self) -> list[str]:
        """The visible lines of the body, without marks of lists and headings."""
        seen = _visible(self.markup)
        seen = _HEADING.sub(r"\1", seen)
        return [_ITEM.sub("", line).strip() for line in seen.split("\n") if line.strip()]

    @cached_property
    def texts(self) -> list[str]:
        """All that is searched for words, each text by itself."""
        path = self.path.removesuffix(".md")
        body = _visible(self.markup)
        blocks = re.split(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])[ \t])|\n(?=[ \t]*#)", body)
        blocks = [_HEADING.sub(r"\1", block) for block in blocks]
        return [self.title, *self.aliases, *self.tags, path, *self.values, *self.headings, *blocks]

    @cached_property
    def folded(self) -> list[str]:
        return [fold(text) for text in self.texts]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for text in self.texts for word in words_of(text))


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _items(value: object) -> list[str]:
    """The texts in a list, or a single one."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif value is not None:
        yield str(value)


# --- words and phrases -------------------------------------------------------------------------

_SIGNS = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2013": "-",
    "\u2014": "-",
    "\u2011": "-",
}
_SPACELESS = "\u3040-\u30ff\u4e00-\u9fff"  # scripts whose words have no edges
_LETTER = rf"[^\W_{_SPACELESS}]"
_COMPOUND = re.compile(rf"{_LETTER}+(?:[-_.'\u2019]{_LETTER}+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"['\u2019][sS]$")


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Without case, accents, emphasis marks and spacing."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    plain = re.sub(r"[*_~=`\\]", "", "".join(_SIGNS.get(char, char) for char in plain))
    return " ".join(plain.split())


def _cased(piece: str) -> list[str]:
    """`getUserName` as get, User, Name; a piece of one case as it is."""
    return [piece] if piece.islower() or piece.isupper() else _CAMEL.split(piece)


def words_of(text: str) -> Iterator[str]:
    """The words of a text, the parts of compounds, and compounds without their joints."""
    for written in _COMPOUND.findall(text):
        compound = _POSSESSIVE.sub("", written)
        parts = [part for piece in re.split(r"[-_.'\u2019]", compound) for part in _cased(piece)]
        yield from map(fold, parts)
        yield fold("".join(parts))


def has_phrase(note: PaperNote, phrase: str) -> bool:
    """One word stands somewhere as a word; several follow each other literally in one text."""
    wanted = fold(phrase)
    if re.fullmatch(f"{_LETTER}+", wanted):
        return wanted in note.words
    pattern = re.escape(wanted)
    if re.match(_LETTER, wanted[:1]):
        pattern = f"(?<!{_LETTER}){pattern}"
    if re.match(_LETTER, wanted[-1:]):
        pattern = f"{pattern}(?!{_LETTER})"
    return any(re.search(pattern, text) for text in note.folded)


# --- properties --------------------------------------------------------------------------------


def number_of(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[-+]?\d+(\.\d*)?", text) else None


def period_of(text: str) -> tuple[float, float] | None:
    """The local year, month or day that a text names, or its minute."""
    found = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d).*)?)?)?", text.strip())
    if not found:
        return None
    year, month, day, hour, minute = (int(part) if part else None for part in found.groups())
    start = _local(year or 1, month or 1, day or 1, hour or 0, minute or 0)
    if year is None or start is None:
        return None
    if month is None:
        end = _local(year + 1, 1, 1)
    elif day is None:
        end = _local(year + month // 12, month % 12 + 1, 1)
    elif hour is None:
        following = date(year, month, day) + timedelta(days=1)
        end = _local(following.year, following.month, following.day)
    else:
        end = start + 60
    return None if end is None else (start, end)


def compares(value: str, sign: str, wanted: str) -> bool:
    """Compare two numbers, else two dates, else two texts."""
    compare: dict[str, Callable[[bool, bool], bool]] = {
        "=": lambda less, more: not less and not more,
        ">": lambda less, more: more,
        ">=": lambda less, more: not less,
        "<": lambda less, more: less,
        "<=": lambda less, more: not more,
    }
    left, right = number_of(value), number_of(wanted)
    if left is not None and right is not None:
        return compare[sign](left < right, left > right)
    one, other = period_of(value), period_of(wanted)
    if one and other:
        return compare[sign](one[0] < other[0], one[0] >= other[1])
    text, asked = value.casefold().strip(), wanted.casefold()
    if sign == "=" and (link := re.fullmatch(r"\[\[([^\]|]*)\|?(.*)\]\]", text)):
        return asked in {text, link[1], link[1].rpartition("/")[2], link[2] or link[1]}
    return compare[sign](text < asked, text > asked)


def has_property(note: PaperNote, name: str, tests: tuple[tuple[str, str | None], ...]) -> bool:
    """Tell whether a note has a property, with a value that meets one of the tests."""
    found = [value for own, value in note.all_properties if own.casefold() == name.casefold()]
    if name.casefold() == "tags" and note.tags:
        found.append(note.tags)
    if name.casefold() == "aliases" and note.aliases:
        found.append(note.aliases)
    return bool(found) and (
        not tests or any(_meets(value, *each) for value in found for each in tests)
    )


def _meets(value: object, sign: str, operand: str | None) -> bool:
    if operand is None:
        return value in ("", "null", "~", [], None)
    if isinstance(value, list):
        return any(_meets(part, sign, operand) for part in value)
    if not isinstance(value, str) or value in ("", "null", "~"):
        return False
    if value.lower() in ("true", "false"):
        return sign == "=" and value.lower() == operand.lower()
    return compares(value, sign, operand)


# --- dates -------------------------------------------------------------------------------------

_CREATED = ("created", "created_at", "date_created", "creation_date", "createdat", "date", "day")
_MODIFIED = ("modified", "modified_at", "date_modified", "updated", "updated_at", "last_modified")
_MODIFIED += ("lastmod", "date_updated")
_WRITTEN = re.compile(
    r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"
    r"(?:(?:[T ]|, ?)(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?"
)
_NAMED = re.compile(r"(?<!\d)((?:19|20)\d\d)([-._]?)(\d\d)\2(\d\d)(?!\d)")
_NAMED_DAY_FIRST = re.compile(r"(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)")


def _time_in(value: object) -> float | None:
    """The first date in a property's value, local unless it names a zone."""
    text = next(_leaves(value), "") if isinstance(value, list) else value
    if not isinstance(text, str):
        return None
    if compact := re.fullmatch(r"(\d{4})(\d\d)(\d\d)", text.strip()):
        return _local(*map(int, compact.groups()))
    found = _WRITTEN.search(text)
    if not found:
        return None
    year, _, month, day, hour, minute, second, zone = found.groups()
    numbers = [int(part or 0) for part in (year, month, day, hour, minute, second)]
    if not zone:
        return _local(*numbers)
    sign = -1 if zone[0] == "-" else 1
    digits = zone.strip("Z+-").replace(":", "") or "0000"
    offset = timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))
    try:
        return datetime(*numbers, tzinfo=offset).timestamp()  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _local(*numbers: int) -> float | None:
    try:
        return datetime(*numbers).astimezone().timestamp()  # type: ignore[arg-type]
    except ValueError:
        return None


def _stated(
    note: PaperNote, names: tuple[str, ...], values: list[tuple[str, object]]
) -> float | None:
    for wanted in names:
        value = next((each for name, each in values if _key(name) == wanted), None)
        if (time := _time_in(value)) is not None:
            return time
    return None


def _day_in_name(name: str) -> float | None:
    if found := _NAMED.search(name):
        return _local(int(found[1]), int(found[3]), int(found[4]))
    if found := _NAMED_DAY_FIRST.search(name):
        return _local(int(found[3]), int(found[2]), int(found[1]))
    return None


def modified_of(note: PaperNote) -> float:
    stated = _stated(note, _MODIFIED, note.all_properties)
    return note.modified if stated is None else stated


def created_of(note: PaperNote) -> float:
    """The date of a daily note, a property's, the one in the name, that of the last change."""
    in_name = _day_in_name(note.path.rpartition("/")[2])
    is_daily = re.fullmatch(r"\d{4}-\d\d-\d\d\.md", note.path) or has_property(
        note, "type", (("=", "daily"),)
    )
    sources = (
        in_name if is_daily else None,
        _stated(note, _CREATED, note.all_properties),
        in_name,
        modified_of(note),
    )
    return next(time for time in sources if time is not None)


@dataclass(frozen=True)
class PaperVault:
    """The notes of a folder. `unread` have properties that are no valid YAML."""

    root: Path
    notes: dict[str, PaperNote] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @classmethod
    def read(cls, root: Path) -> PaperVault:
        read = {file: PaperNote.read(root, file) for file in sorted(root.rglob("*.md"))}
        known = {note.path: note for note in read.values() if note is not None}
        unread = [file.relative_to(root).as_posix() for file, note in read.items() if note is None]
        return cls(root, known, tuple(unread))
