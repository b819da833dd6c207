"""Properties of a note: finds their block, reads its YAML safely, gives title, tags and dates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, date, datetime
from urllib.parse import unquote

import yaml
from frontmatter.default_handlers import YAMLHandler

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^(?=[^\s#:\-][^:\n]*:(?:[ \t]|$))", re.MULTILINE)
# A line that goes on with a value: indented, an item, a comment, the end of a list, or blank.
_CONTINUED = re.compile(r"[ \t\]}#]|-[ \t]|-?(?:\n|\Z)")
_BLOCK_TEXT = re.compile(r":[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?$")
_WORD_ENDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # before an apostrophe
_ITEM = re.compile(r"^[ \t]*-[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_MAX_CHARS = 256 * 1024
_MAX_VALUES = 20_000  # after aliases are expanded
_MAX_EXPANDED = 4 * _MAX_CHARS  # characters, after aliases are expanded
_MAX_UNREAD = 4096  # characters of a value that is kept as text, because it is no YAML
_MAX_DEPTH = 32
_MAX_INTEGER = 2**63 - 1  # what JSON and SQLite can hold
# libyaml's binding recurses in C, and a deep document ends the process. Depth needs one of these
# marks a level, so below this many of them no closer look is needed.
_FEW_MARKS = 64
_UNCLOSED = ("[", "{", '"', "'")  # first characters of a value that is not closed
YAML_ERRORS = (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError)
# The parser's words for what people write most often: placeholders of templates.
_PLAIN_WORDS = {
    "found unhashable key": "a value that begins with {{ or {[ needs quotes around it",
}
# The first of these that holds a date counts. Names are compared in lower case, with spaces and
# hyphens as underscores.
CREATED_KEYS = ("created", "created_at", "date_created", "creation_date", "createdat", "date")
MODIFIED_KEYS = (
    "modified",
    "modified_at",
    "date_modified",
    "updated",
    "updated_at",
    "last_modified",
    "lastmod",
    "date_updated",
)
_DATE = re.compile(
    r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"
    r"(?:(?:[T ]|,\s?)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?"
    r"\s?(?:(Z|[+-]\d{2}:?\d{2})|([ap])\.?m\b)?)?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Friday, May 3rd 2024, 10:30:00 am (the usual form of the plugin Linter), and 3 May 2024.
_WORDED_DATE = re.compile(
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?P<second>{'|'.join(_MONTHS)})[a-z]*\.?)"
    r",?\s+(?P<year>\d{4})"
    r"(?:,?\s+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<s>\d{2}))?(?:\s?(?P<half>[ap])\.?m\b)?)?",
    re.IGNORECASE,
)
_COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?\Z")
_OF_NOTE = frozenset({"tags", "tag", "aliases", "alias", "title"})
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
# A Markdown link to a note, as topics are written: its label, and the address without folders.
_NOTE_LINK = re.compile(
    r"\[([^\[\]]*)\]\(<?(?:[^()<>/:]*/)*([^()<>/:]*(?:\([^()<>/:]*\)[^()<>/:]*)*)\.md>?\)"
)
_EPOCH_SECONDS = (10**9, 10**10)
_EPOCH_MILLISECONDS = (10**12, 10**13)
_NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?\Z")
# What Obsidian takes as part of a tag: anything but white space and ASCII or general punctuation,
# except - _ and /. Emoji, accents and the vowel signs of Thai and Hindi belong to it.
TAG_CHARS = r"[^\s!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u3003\u3008-\u301f]"


_NO_PROPERTY = (
    "What stands between the first line --- and the next holds no property, so it is read as text."
)


class _NoMappingError(ValueError):
    """YAML that is no list of `name: value` lines."""


class _HostileYamlError(ValueError):
    """Well-formed YAML that expands or nests without reasonable bounds."""


@frozen
class Frontmatter:
    """The properties as written, where the body begins, and what could not be read."""

    properties: dict[str, PropertyValue] = field(default_factory=dict)
    start: int = 0  # of the YAML
    end: int = 0  # of the YAML
    body: int = 0  # first offset after the closing line
    warnings: tuple[str, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()  # lines of the block that belong to no property


class _Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]  # chosen when it runs
    """YAML 1.2's plain scalars, as Obsidian reads them: dates, `yes` and `12:30` stay text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own class attribute

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Apply merge keys, refusing chains of them that multiply."""
        super().flatten_mapping(node)
        if len(node.value) > _MAX_VALUES:
            raise _HostileYamlError("its merge keys expand without bound")


for _tag, _pattern, _first in (
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)\Z", list("-+0123456789")),
    (
        "float",
        r"(?:[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf)|\.(?:nan|NaN))\Z",
        list("-+0123456789."),
    ),
    ("merge", r"<<\Z", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def read_frontmatter(text: str) -> Frontmatter:
    r"""Read the properties of a note whose line ends are all `\n`; never raises.

    The block begins on the very first line, as in Obsidian. Broken YAML gives a
    warning and the properties that are readable on their own, hostile YAML only a warning; in both
    cases the body begins after the block. A block without any property belongs to the body: its
    text stands between two rules.
    """
    block = _block(text)
    if block is None:
        return Frontmatter()
    start, end, body = block
    properties: dict[str, PropertyValue] = {}
    warnings: tuple[str, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    try:
        properties = load_yaml(text[start:end])
    except YAML_ERRORS as error:
        is_hostile = isinstance(error, _HostileYamlError)
        has_none = not is_hostile and _ENTRY.search(text, start, end) is None
        if isinstance(error, _NoMappingError) or has_none:
            return Frontmatter(warnings=(_NO_PROPERTY,))
        what = describe_yaml_error(error, first_line=2)
        warnings = (f"Some properties are unread: {what}. Correct the YAML between the --- .",)
        if not is_hostile:
            properties, unread = _salvage(text, start, end)
    return Frontmatter(properties, start, end, body, warnings, unread)


def body_start(text: str) -> int:
    r"""Where the text below the properties begins, as `read_frontmatter` says, without the YAML."""
    block = _block(text)
    return 0 if block is None else block[2]


def _block(text: str) -> tuple[int, int, int] | None:
    """Where the YAML begins and ends, and where the body begins; None without properties."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    return opening.end(), closing.start(), min(closing.end() + 1, len(text))


def _salvage(
    text: str, start: int, end: int
) -> tuple[dict[str, PropertyValue], tuple[tuple[int, int], ...]]:
    """Read broken YAML property by property, so that one bad property does not affect others.

    Also returns the places of lines that belong to no property.
    """
    kept: dict[str, PropertyValue] = {}
    unread: list[tuple[int, int]] = []
    begins = [match.start() for match in _ENTRY.finditer(text, start, end)]
    if begins and text[start : begins[0]].strip():
        unread.append((start, begins[0]))
    for begin, stop in zip(begins, [*begins[1:], end], strict=True):
        own = _end_of_value(text, begin, stop)
        if text[own:stop].strip():
            unread.append((own, stop))
        _salvage_entry(text[begin:own], kept)
    return kept, tuple(unread)


def _end_of_value(text: str, begin: int, stop: int) -> int:
    """Where the lines of a property end: its own, and those below it that YAML gives it."""
    end = text.find("\n", begin, stop) + 1 or stop
    while end < stop and _CONTINUED.match(text, end):
        end = text.find("\n", end, stop) + 1 or stop
    return end


def _salvage_entry(entry: str, kept: dict[str, PropertyValue]) -> None:
    try:
        kept.update(load_yaml(entry))
    except YAML_ERRORS:
        name, _, value = entry.partition(":")
        items = _ITEM.findall(value)
        if name.strip().lower() == "title" and value.strip()[:1] in _UNCLOSED:
            return  # the file's name is a better title than half a list
        if len(value) <= _MAX_UNREAD:
            kept[name.strip()] = tuple(items) if items else value.strip()


def without_comments(yaml_text: str) -> str:
    """The YAML with its comments blanked out, every offset where it was.

    A # begins a comment at the start of a line or after white space, but neither in quotes nor in
    the lines of a block of text (`|` and `>`).
    """
    if "#" not in yaml_text:
        return yaml_text
    lines = yaml_text.split("\n")
    block_indent = -1  # of the key whose block of text we are in
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if block_indent >= 0 and (indent > block_indent or not line.strip()):
            continue
        block_indent = indent if _BLOCK_TEXT.search(line) else -1
        start = _comment_start(line) if "#" in line else len(line)
        lines[at] = line[:start] + " " * (len(line) - start)
    return "\n".join(lines)


def _comment_start(line: str) -> int:
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not line[:at].rstrip(" ").endswith(tuple(_WORD_ENDS)):
            quote = char
        elif char == "#" and (at == 0 or line[at - 1] in " \t"):
            return at
    return len(line)


def load_yaml(source: str) -> dict[str, PropertyValue]:
    """Read a YAML mapping without following what it asks for; raises one of YAML_ERRORS.

    Bounded in length, depth and the expansion of aliases.
    """
    if len(source) > _MAX_CHARS:
        raise _HostileYamlError(f"the block is longer than {_MAX_CHARS} characters")
    _check_depth(source)
    loaded = YAMLHandler().load(source, Loader=_Loader)
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise _NoMappingError("the block is not a list of `name: value` lines")
    converted = _YamlConverter().convert(loaded, 0)
    return converted if isinstance(converted, dict) else {}


def _check_depth(source: str) -> None:
    if sum(map(source.count, ("[", "{", "- ", "? ", "-\t", "?\t"))) <= _FEW_MARKS:
        return
    depth = 0
    for event in yaml.parse(source, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                raise _HostileYamlError(f"it nests deeper than {_MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _YamlConverter:
    """Converts loaded YAML to property values and limits the expansion of aliases."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES
        self._characters = _MAX_EXPANDED

    def convert(self, value: object, depth: int) -> PropertyValue:
        self._left -= 1
        self._characters -= len(value) if isinstance(value, (str, bytes)) else 0
        if min(self._left, self._characters) < 0 or depth > _MAX_DEPTH:
            raise _HostileYamlError("its aliases expand without bound")
        if isinstance(value, dict):
            return {_name(key): self.convert(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return tuple(self.convert(item, depth + 1) for item in value)
        return _scalar(value)


def _scalar(value: object) -> PropertyValue:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MAX_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (date, datetime)):  # only from an explicit !!timestamp
        return value.isoformat()
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _name(key: object) -> str:
    if isinstance(key, str):
        return key
    return "" if key is None else str(key)


def describe_yaml_error(error: Exception, *, first_line: int = 1) -> str:
    """Describes the error of a YAML that begins on `first_line`, for people."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line = error.problem_mark.line + first_line
        problem = _PLAIN_WORDS.get(error.problem or "", error.problem or "not valid YAML")
        return f"{problem} (line {line})"
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def words_of(value: PropertyValue, *, separators: str) -> Iterator[str]:
    """Yield the strings in a property: a list's items, or a string cut at `separators`."""
    if isinstance(value, str):
        for word in re.split(separators, value):
            if stripped := word.strip():
                yield stripped
    elif isinstance(value, tuple):
        for item in value:
            if isinstance(item, str):
                if stripped := item.strip():
                    yield stripped
            else:
                yield from words_of(item, separators=separators)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def property_words(properties: Mapping[str, PropertyValue]) -> dict[str, tuple[str, ...]]:
    """Return texts and numbers in the properties, by name, without title, tags and aliases."""
    by_name = {
        name: tuple(_texts(value))
        for name, value in properties.items()
        if name.lower() not in _OF_NOTE
    }
    return {name: words for name, words in by_name.items() if words}


def properties_text(properties: Mapping[str, PropertyValue]) -> str:
    """Return the properties as one line, `name: value, value · name: value`; links as shown."""
    named = property_words(properties)
    shown = " · ".join(f"{name}: {', '.join(words)}" for name, words in named.items())
    return _LINK.sub(r"\1", shown)


def link_label(value: str) -> str:
    """A value with links to notes replaced by the text that they show."""
    return _NOTE_LINK.sub(r"\1", _LINK.sub(r"\1", value))


def link_words(value: str) -> str:
    """A value with its Markdown links to notes as their labels and the names of the notes."""

    def both(match: re.Match[str]) -> str:
        label, name = match[1].strip(), unquote(match[2]).strip()
        return label if label.casefold() == name.casefold() else f"{label} {name}"

    return _NOTE_LINK.sub(both, value)


def _texts(value: PropertyValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield str(value)


def fold(properties: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """Return the properties under names that do not depend on case, spaces or hyphens."""
    folded: dict[str, PropertyValue] = {}
    for key, value in properties.items():
        folded.setdefault(key.strip().lower().replace(" ", "_").replace("-", "_"), value)
    return folded


def aliases_of(folded: Mapping[str, PropertyValue]) -> tuple[str, ...]:
    """Return the aliases, each once. A string is one list, cut at commas."""
    values = _values(folded, "aliases", "alias")
    return tuple(dict.fromkeys(w for value in values for w in words_of(value, separators=",")))


def tags_of(folded: Mapping[str, PropertyValue], inline: Iterable[str]) -> tuple[str, ...]:
    """Return the tags of the properties, then those of the text; each once, whatever its case."""
    seen: dict[str, str] = {}
    for value in _values(folded, "tags", "tag"):
        for word in words_of(value, separators=r"[,\s]"):
            # Obsidian allows no space in a tag; a list item that has one is read as several.
            for tag in word.split():
                name = tag.strip("#/,")
                if name and not name.isdecimal():
                    seen.setdefault(name.casefold(), name)
    for tag in inline:
        seen.setdefault(tag.casefold(), tag)
    return tuple(seen.values())


def _values(folded: Mapping[str, PropertyValue], *names: str) -> list[PropertyValue]:
    return [folded[name] for name in names if name in folded]


def text_of(folded: Mapping[str, PropertyValue], name: str) -> str | None:
    """Return a property that is one non-empty string (or number), in one line."""
    for value in _values(folded, name):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return " ".join(str(value).split()) or None
    return None


def date_of(folded: Mapping[str, PropertyValue], names: tuple[str, ...]) -> float | None:
    """Return the first of `names` that is a date, in POSIX seconds.

    A date without a zone is taken as UTC, so that an index does not depend on where it is built.
    """
    for value in _values(folded, *names):
        single = value[0] if isinstance(value, tuple) and value else value
        moment = _moment(single)
        if moment is not None:
            return moment
    return None


def _moment(value: PropertyValue) -> float | None:
    if isinstance(value, (int, float)):
        if _EPOCH_SECONDS[0] <= value < _EPOCH_SECONDS[1]:
            return float(value)
        if _EPOCH_MILLISECONDS[0] <= value < _EPOCH_MILLISECONDS[1]:
            return value / 1000
        value = str(value)
    if isinstance(value, str):
        return _read_written_date(value.strip())
    return None


def _read_written_date(text: str) -> float | None:
    """Read the first date in a text: 2024-05-03, 2024/5/3 10:30, 20240503, [[2024-05-03 Fri]]."""
    if compact := _COMPACT_DATE.match(text):
        return _timestamp([int(part or 0) for part in compact.groups()], None)
    if match := _DATE.search(text):
        year, _, *parts, zone, half = match.groups()
        return _timestamp([int(part or 0) for part in (year, *parts)], zone, half)
    if match := _WORDED_DATE.search(text):
        month = _MONTHS.index((match["month"] or match["second"]).lower()) + 1
        time = [int(match[name] or 0) for name in ("hour", "minute", "s")]
        date = [int(match["year"]), month, int(match["day"] or match["first"])]
        return _timestamp([*date, *time], None, match["half"])
    return None


def _timestamp(parts: list[int], zone: str | None, half: str | None = None) -> float | None:
    """POSIX seconds; `half` is the half of the day, a or p, of an hour from 1 to 12."""
    year, month, day, *time = parts
    hour, minute, second = (*time, 0, 0, 0)[:3]
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half in "pP" else 0)
    offset = 0
    if zone and zone not in "Zz":
        digits = zone[1:].replace(":", "")
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * (-60 if zone[0] == "-" else 60)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() - offset
    except (ValueError, OverflowError):
        return None


def field_value(text: str) -> PropertyValue:
    """Read the value of an inline field: a number, true or false, nothing, else text."""
    value = text.strip()
    if _NUMBER.match(value):
        return float(value) if "." in value else int(value)
    return {"": None, "true": True, "false": False}.get(value, value)


def merge_fields(
    properties: Mapping[str, PropertyValue], fields: Iterable[tuple[str, PropertyValue]]
) -> dict[str, PropertyValue]:
    """Add inline fields to the properties, which win; a field given twice becomes a list."""
    gathered: dict[str, list[PropertyValue]] = {}
    for name, value in fields:
        gathered.setdefault(name, []).append(value)
    merged: dict[str, PropertyValue] = dict(properties)
    taken = {name.lower() for name in properties}
    for name, values in gathered.items():
        if name.lower() not in taken:
            merged[name] = values[0] if len(values) == 1 else tuple(values)
    return merged
