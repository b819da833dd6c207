"""Changes single properties of a note and leaves every other byte unchanged.

The YAML is not serialised again, which would lose comments, quotes and order. Instead the lines of
a property are located with the positions that the parser reports, and only they are replaced. The
result is parsed again, and the edit is refused if any other property changed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping

import yaml

from notewell.base.errors import UsageError, WriteError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.frontmatter import Frontmatter, read_frontmatter
from notewell.vault.parse import one_line_end

# Values that need no quotes even in bracketed lists: words with single spaces, and dates.
_PLAIN = re.compile(r"[^\W\d_](?:[\w./@+'()&;=-]| (?! |\Z)(?!#))*|\d{4}-\d\d-\d\d(?:T[\d:.Z+-]+)?")
_PLAIN_NAME = re.compile(r"[^\W\d](?:[\w-]| (?=[\w-]))*")
# Words that some YAML parsers do not read as text.
_NOT_TEXT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Allowed in JSON strings, but line breaks or forbidden in YAML.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_KEY = re.compile(r"^(?P<name>[^\s#:\-][^:\n]*?)[ \t]*:(?=[ \t]|$)", re.MULTILINE)
# libyaml's, which is six times as fast. It recurses in C, but read_frontmatter has refused blocks
# that nest deeply.
_COMPOSER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_BULLET = re.compile(r"[ \t]*-[ \t]+")
_OPEN_END = re.compile(r"[^\s,]\Z")  # of a list in brackets, before the bracket
_ALIAS = re.compile(r"[ \t]*:[ \t]*\*[^\s,\]}]+")


def write_name(name: str) -> str:
    """A property's name as a key."""
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in _NOT_TEXT
    return name if plain else _quoted(name)


def write_value(value: PropertyValue, *, newline: str, flow: bool = False) -> str:
    """The YAML after the colon of a key, including the space.

    A list has one item per line, as Obsidian writes it, or is in brackets with `flow`. Raises
    UsageError for an infinite number or NaN.
    """
    if isinstance(value, tuple) and value and not flow:
        return "".join(f"{newline}  - {_inline(item)}" for item in value)
    return f" {_inline(value)}"


def _inline(value: PropertyValue) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT
        return value if plain else _quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(name)}: {_inline(item)}" for name, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return _number(value) if isinstance(value, float) else json.dumps(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise UsageError(f"{value} cannot be a property: give a finite number.")
    mantissa, mark, exponent = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{mark}{exponent}"


def _quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


@frozen
class _Entry:
    """Where a property stands: its name up to `key_end`, its value up to `end`."""

    name: str
    start: int
    key_end: int
    end: int
    flow: bool = False  # a list in brackets
    bullet: str = ""  # of a list with one item per line, what stands before its last item


def edit_properties(
    text: str,
    changes: Mapping[str, PropertyValue],
    *,
    remove: Collection[str] = (),
    rename: Mapping[str, str] | None = None,
) -> str:
    """Set, add, remove and rename properties; no name may be in two of the arguments.

    A property that already has the value is left as it is written, so the edit is idempotent; of a
    list that only grows, the items that it has are left as they are written. Lists may be any
    sequence and are compared as tuples. Raises WriteError (code "frontmatter_unclear") if the block
    cannot be changed without changing other properties.
    """
    flat = one_line_end(text)
    front = read_frontmatter(flat)
    known = front.properties
    changed = {
        name: value
        for name, value in changes.items()
        if name not in known or not _same(known[name], value)
    }
    gone = {name for name in remove if name in known}
    renamed = {old: new for old, new in (rename or {}).items() if old in known and old != new}
    if not changed and not gone and not renamed:
        return text
    edited = _edited(text, flat, front, _Edits(changed, gone, renamed))
    wanted = {
        renamed.get(name, name): value
        for name, value in {**known, **changed}.items()
        if name not in gone
    }
    after = read_frontmatter(one_line_end(edited))
    broken = bool(after.warnings) and not front.warnings
    if broken or not _same(after.properties, wanted) or edited[after.body :] != text[front.body :]:
        names = ", ".join(sorted({*changed, *gone, *renamed}))
        raise WriteError(
            f"The properties {names} cannot be changed without"
            " touching others: the block between the --- is written in an unusual way. Change it"
            " by hand.",
            code="frontmatter_unclear",
        )
    return edited


@frozen
class _Edits:
    """What is left to do to the properties of a note."""

    changes: Mapping[str, PropertyValue]
    gone: Collection[str]
    renamed: Mapping[str, str]


def _edited(text: str, flat: str, front: Frontmatter, edits: _Edits) -> str:
    newline = _newline(text)
    if not front.body:
        return f"---{newline}{_written(edits.changes, newline)}---{newline}{text}"
    entries = list(_entries(flat, front))
    last = {entry.name: entry for entry in entries}  # of a name given twice, the last one counts
    pieces = [
        _grown(text, place, front.properties.get(name), value, newline)
        or (place.key_end, place.end, f":{write_value(value, newline=newline, flow=place.flow)}")
        for name, value in edits.changes.items()
        if (place := last.get(name)) is not None
    ]
    pieces += [_lines(flat, entry) for entry in entries if entry.name in edits.gone]
    pieces += [
        (entry.start, entry.key_end, write_name(edits.renamed[entry.name]))
        for entry in entries
        if entry.name in edits.renamed
    ]
    added = {name: value for name, value in edits.changes.items() if name not in last}
    pieces.append((front.end, front.end, _written(added, newline)))
    for start, end, replacement in sorted(pieces, reverse=True):
        text = f"{text[:start]}{replacement}{text[end:]}"
    return text


def _grown(
    text: str, place: _Entry, known: PropertyValue, value: PropertyValue, newline: str
) -> tuple[int, int, str] | None:
    """The edit that appends to a list; None if the value is not the list with more items."""
    if not (isinstance(known, tuple) and known and isinstance(value, tuple)):
        return None
    if not _same(value[: len(known)], known):
        return None
    more = value[len(known) :]
    if place.bullet:
        end = _LINE_END.search(text, place.end)  # after a comment that follows the last item
        at = end.start() if end else len(text)
        return at, at, "".join(f"{newline}{place.bullet}{_inline(item)}" for item in more)
    if place.flow and _OPEN_END.search(text[: place.end - 1]):
        at = place.end - 1
        return at, at, "".join(f", {_inline(item)}" for item in more)
    return None


def _written(properties: Mapping[str, PropertyValue], newline: str) -> str:
    lines = (
        f"{write_name(name)}:{write_value(value, newline=newline)}{newline}"
        for name, value in properties.items()
    )
    return "".join(lines)


def _newline(text: str) -> str:
    first = _LINE_END.search(text)
    return first[0] if first else "\n"


def _lines(flat: str, entry: _Entry) -> tuple[int, int, str]:
    """The edit that deletes an entry's lines."""
    start = flat.rfind("\n", 0, entry.start) + 1
    return start, flat.index("\n", entry.end) + 1, ""


def _entries(flat: str, front: Frontmatter) -> Iterator[_Entry]:
    """Find where the properties stand, also in a block whose YAML is broken."""
    source = flat[front.start : front.end]
    if front.warnings:
        yield from _entries_by_line(source, front.start)
        return
    root = yaml.compose(source, Loader=_COMPOSER)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return  # a block without properties, or one in braces, which the reading back refuses
    for key, value in root.value:
        key_end = key.end_mark.index
        end = _end_of(value, source)
        if value.start_mark.index < key_end:  # an alias reports the place of what it stands for
            alias = _ALIAS.match(source, key_end)
            end = alias.end() if alias else key_end
        flow = isinstance(value, yaml.SequenceNode) and bool(value.flow_style)
        at = front.start
        yield _Entry(
            str(key.value),
            at + key.start_mark.index,
            at + key_end,
            at + end,
            flow,
            _bullet(value, source, key_end),
        )


def _bullet(value: yaml.Node, source: str, key_end: int) -> str:
    """What stands before the last item of a list with one item per line; "" for other values."""
    if not isinstance(value, yaml.SequenceNode) or value.flow_style or not value.value:
        return ""
    first: int = value.value[-1].start_mark.index
    line = source.rfind("\n", 0, first) + 1
    bullet = _BULLET.match(source, line, first)
    return bullet[0] if bullet and line > key_end else ""


def _end_of(node: yaml.Node, source: str) -> int:
    """The end of a value; for block values the parser only reports where the next token begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end_of(last[1] if isinstance(last, tuple) else last, source)
    end = int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        end = len(source[:end].rstrip())
    return end


def _entries_by_line(source: str, offset: int) -> Iterator[_Entry]:
    """Find properties by lines: a key at the start of a line and the indented lines after it."""
    keys = list(_KEY.finditer(source))
    starts = [*(key.start() for key in keys), len(source)]
    for n, key in enumerate(keys, 1):
        end = key.end()
        for line in re.finditer(r"[^\n]*\n?", source[key.end() : starts[n]]):
            written = line[0].strip()
            if written and (line.start() == 0 or line[0][0] in " \t-"):
                end = key.end() + line.start() + len(line[0].rstrip())
        name = key["name"].strip().strip("\"'")
        yield _Entry(name, key.start() + offset, key.end("name") + offset, end + offset)


def _same(one: PropertyValue, other: PropertyValue) -> bool:
    """Equality that distinguishes true, 1 and 1.0, which are equal in Python."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
