"""Changes single properties of a note and leaves every other byte unchanged.

The YAML is not serialised again, which would lose comments, quotes and order. Instead the lines of
a property are located with the positions that the parser reports, and only they are replaced. The
result is parsed again, and the edit is refused if any other property changed.

`PropertyEdit` is an edit as a person states it: set, add, remove, rename.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field

import yaml

from notewell.base.errors import UsageError, WriteError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.parse import one_line_end
from notewell.vault.properties import (
    YAML_ERRORS,
    Frontmatter,
    describe_yaml_error,
    load_yaml,
    read_frontmatter,
)

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
# A text under these names is a list written with commas, as Obsidian reads it.
_COMMA_LISTS = frozenset({"tags", "tag", "aliases", "alias"})
_AROUND = 3  # lines of a note's text that a diff shows after the properties


def write_name(name: str) -> str:
    """A property's name as a key."""
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in _NOT_TEXT
    return name if plain else _quote(name)


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
        return value if plain else _quote(value)
    if isinstance(value, Mapping):
        pairs = (f"{_quote(name)}: {_inline(item)}" for name, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return _number(value) if isinstance(value, float) else json.dumps(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise UsageError(f"{value} cannot be a property: give a finite number.")
    mantissa, mark, exponent = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{mark}{exponent}"


def _quote(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


@frozen
class _PropertyEntry:
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
    edited = _edit(text, flat, front, _Edits(changed, gone, renamed))
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
    """The changes still to make to the properties of a note."""

    changes: Mapping[str, PropertyValue]
    gone: Collection[str]
    renamed: Mapping[str, str]


def _edit(text: str, flat: str, front: Frontmatter, edits: _Edits) -> str:
    newline = _newline(text)
    if not front.body:
        return f"---{newline}{_write(edits.changes, newline)}---{newline}{text}"
    entries = list(_entries(flat, front))
    last = {entry.name: entry for entry in entries}  # of a name given twice, the last one counts
    pieces = [
        _grow(text, place, front.properties.get(name), value, newline)
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
    pieces.append((front.end, front.end, _write(added, newline)))
    for start, end, replacement in sorted(pieces, reverse=True):
        text = f"{text[:start]}{replacement}{text[end:]}"
    return text


def _grow(
    text: str, place: _PropertyEntry, known: PropertyValue, value: PropertyValue, newline: str
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


def _write(properties: Mapping[str, PropertyValue], newline: str) -> str:
    lines = (
        f"{write_name(name)}:{write_value(value, newline=newline)}{newline}"
        for name, value in properties.items()
    )
    return "".join(lines)


def _newline(text: str) -> str:
    first = _LINE_END.search(text)
    return first[0] if first else "\n"


def _lines(flat: str, entry: _PropertyEntry) -> tuple[int, int, str]:
    """The edit that deletes an entry's lines."""
    start = flat.rfind("\n", 0, entry.start) + 1
    return start, flat.index("\n", entry.end) + 1, ""


def _entries(flat: str, front: Frontmatter) -> Iterator[_PropertyEntry]:
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
        yield _PropertyEntry(
            str(key.value),
            at + key.start_mark.index,
            at + key_end,
            at + end,
            flow,
            _bullet(value, source, key_end),
        )


def _bullet(value: yaml.Node, source: str, key_end: int) -> str:
    """The text before the last item of a list with one item per line; "" for other values."""
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


def _entries_by_line(source: str, offset: int) -> Iterator[_PropertyEntry]:
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
        yield _PropertyEntry(name, key.start() + offset, key.end("name") + offset, end + offset)


def _same(one: PropertyValue, other: PropertyValue) -> bool:
    """Equality that distinguishes true, 1 and 1.0, which are equal in Python."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


@frozen
class PropertyEdit:
    """A change of properties. A name may be in one part only, also as the new name of another.

    `add` appends to a list the items that it lacks; one value becomes a list. `remove` and `rename`
    of a property that is not there do nothing, so that an edit may be repeated.
    """

    set: Mapping[str, PropertyValue] = field(default_factory=dict)
    add: Mapping[str, PropertyValue] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise UsageError for an empty edit, bad names, and a name that is given twice."""
        names = [*self.set, *self.add, *self.remove, *self.rename, *self.rename.values()]
        if not names:
            raise UsageError("Say what to change: set, add, remove or rename a property.")
        if any(not name.strip() or name != name.strip() or "\n" in name for name in names):
            raise UsageError("The name of a property is one line, without spaces around it.")
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise UsageError(f"One edit names {', '.join(twice)} twice. Make it two edits.")

    def __call__(self, text: str) -> str:
        """Return the text of the note after the edit.

        Raises UsageError where a property would be renamed to one that is there, and what
        `edit_properties` raises.
        """
        known = read_frontmatter(one_line_end(text)).properties
        for old, new in self.rename.items():
            if old in known and new in known:
                raise UsageError(
                    f"{old} cannot become {new}, which the note has too. Remove one of them first."
                )
        wanted = {name: _plain(value) for name, value in self.set.items()}
        for name, value in self.add.items():
            wanted[name] = _add(name, known.get(name), _plain(value))
        return edit_properties(text, wanted, remove=self.remove, rename=self.rename)


def _add(name: str, known: PropertyValue, value: PropertyValue) -> PropertyValue:
    """The list `known` with the items of `value` that it lacks."""
    if known is None or known == "":
        items: tuple[PropertyValue, ...] = ()
    elif isinstance(known, tuple):
        items = known
    elif isinstance(known, str) and name.lower() in _COMMA_LISTS:
        items = tuple(part.strip() for part in known.split(",") if part.strip())
    else:
        items = (known,)
    grown = items
    for entry in value if isinstance(value, tuple) else (value,):
        if not any(type(entry) is type(item) and entry == item for item in grown):
            grown = (*grown, entry)
    return grown if len(grown) > len(items) else known


def _plain(value: object) -> PropertyValue:
    """A value as properties hold it: lists are tuples."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise UsageError(f"A property cannot be a {type(value).__name__}.")


def read_value(text: str) -> PropertyValue:
    """Read a value as YAML, as it would stand after the colon: `3`, `"3"`, `[a, b]`, `true`.

    Raises UsageError where it is not one value, and where YAML would read a part of it as a
    comment, which nobody means who states a value.
    """
    advice = "Put the text in quotes, as in --set 'title=\"a: b\"'."
    written = text.strip()
    if not written.startswith(("'", '"', "[", "{")) and (
        written.startswith("#") or " #" in written
    ):
        raise UsageError(f"YAML reads what follows the # in {written} as a comment. {advice}")
    try:
        loaded = load_yaml(f"value: {written}")
    except YAML_ERRORS as error:
        raise UsageError(f"{written} is no YAML: {describe_yaml_error(error)}. {advice}") from error
    if loaded.keys() != {"value"}:
        raise UsageError(f"{written} is more than one value. {advice}")
    return loaded["value"]


def property_diff(path: str, before: str, after: str) -> str:
    """The unified diff of two texts of a note that differ in properties only; "" if in nothing."""
    if before == after:
        return ""
    lines = difflib.unified_diff(_head(before), _head(after), path, path, lineterm="", n=_AROUND)
    return "\n".join(lines) + "\n"


def _head(text: str) -> list[str]:
    """The lines of the properties and the first ones after them."""
    flat = one_line_end(text)
    body = read_frontmatter(flat).body
    rest = flat[body:].split("\n", _AROUND)[:_AROUND]
    lines = [*flat[:body].split("\n")[:-1], *(rest if rest[-1] else rest[:-1])]
    # `one_line_end` leaves a space where the first half of a line end was.
    return [line.rstrip(" ") for line in lines] if "\r" in text else lines
