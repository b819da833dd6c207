"""Finds the properties block of a note and reads its YAML safely."""

from __future__ import annotations

import math
import re
from dataclasses import field
from datetime import date, datetime

import yaml
from frontmatter.default_handlers import YAMLHandler

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^(?=[^\s#:\-][^:\n]*:(?:[ \t]|$))", re.MULTILINE)
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
    cases the body begins after the block.
    """
    block = _block(text)
    if block is None:
        return Frontmatter()
    start, end, body = block
    properties: dict[str, PropertyValue] = {}
    warnings: tuple[str, ...] = ()
    try:
        properties = load_yaml(text[start:end])
    except YAML_ERRORS as error:
        what = describe_yaml_error(error, first_line=2)
        warnings = (f"Some properties are unread: {what}. Correct the YAML between the --- .",)
        if not isinstance(error, _HostileYamlError):
            properties = _salvage(text[start:end])
    return Frontmatter(properties, start, end, body, warnings)


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


def _salvage(source: str) -> dict[str, PropertyValue]:
    """Read broken YAML property by property, so that one bad property does not affect others."""
    kept: dict[str, PropertyValue] = {}
    for entry in _ENTRY.split(source)[1:]:
        try:
            kept.update(load_yaml(entry))
        except YAML_ERRORS:
            name, _, value = entry.partition(":")
            items = _ITEM.findall(value)
            if name.strip().lower() == "title" and value.strip()[:1] in _UNCLOSED:
                continue  # the file's name is a better title than half a list
            if len(value) > _MAX_UNREAD:
                continue
            kept[name.strip()] = tuple(items) if items else value.strip()
    return kept


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
        raise _HostileYamlError("the block is not a list of `name: value` lines")
    converted = _Converter().convert(loaded, 0)
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


class _Converter:
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


# The parser's words for what people write most often: placeholders of templates.
_PLAIN_WORDS = {
    "found unhashable key": "a value that begins with {{ or {[ needs quotes around it",
}


def describe_yaml_error(error: Exception, *, first_line: int = 1) -> str:
    """What is wrong with a YAML that begins on `first_line`, for people."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line = error.problem_mark.line + first_line
        problem = _PLAIN_WORDS.get(error.problem or "", error.problem or "not valid YAML")
        return f"{problem} (line {line})"
    return str(error).splitlines()[0] if str(error) else type(error).__name__
