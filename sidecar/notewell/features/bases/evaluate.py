"""Computes the expressions of a base for one note after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from notewell.api.types import PropertyValue
from notewell.api.vault import IndexReader, StoredNote
from notewell.features.bases.expressions import (
    Binary,
    Call,
    ExpressionError,
    Field,
    Item,
    ListOf,
    Literal,
    Node,
    Unary,
    Word,
)
from notewell.features.bases.values import (
    FUNCTIONS,
    METHODS,
    FileValue,
    LinkValue,
    Value,
    add,
    calculate,
    compare,
    day_of,
    equal,
    from_property,
    is_true,
    path_of,
    show,
    subtract,
)

_MOST_STEPS = 3_000_000  # of one reply: about two seconds
_DATE_FIELDS = ("year", "month", "day", "hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Frame:
    """The note that is tested, names such as `value`, and the formulas that are being computed."""

    note: StoredNote
    names: Mapping[str, Value] = field(default_factory=dict)
    within: tuple[str, ...] = ()


class Evaluator:
    """Computes values from the index; used by one thread, for one reply."""

    def __init__(
        self,
        index: IndexReader,
        formulas: Mapping[str, Node],
        this: StoredNote | None,
        now: datetime,
    ) -> None:
        """Computes for the note `this` that embeds the base, at the time `now`."""
        self._index = index
        self._formulas = formulas
        self._this = this
        self._now = now
        self._steps = 0
        self._paths: dict[tuple[str, str], str | None] = {}
        self._by_node: Mapping[type, Callable[[Any, Frame], Value]] = {
            Literal: lambda node, _: node.value,
            ListOf: lambda node, frame: tuple(self.value(item, frame) for item in node.items),
            Word: lambda node, frame: self._value_of_name(node.name, frame),
            Field: self._field,
            Item: lambda node, frame: _item(
                self.value(node.target, frame), self.value(node.index, frame)
            ),
            Unary: self._unary,
            Binary: self._binary,
            Call: self._call,
        }

    def value(self, node: Node, frame: Frame) -> Value:
        """The value of an expression; ExpressionError for what is not computed here."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise ExpressionError("more than can be computed here")
        return self._by_node[type(node)](node, frame)

    def property(self, name: str, frame: Frame) -> Value:
        """A property as `order` and `sort` name it: `rating`, `note.rating`, `file.name`."""
        kind, _, rest = name.partition(".")
        if rest and kind == "file":
            return self._file_field(frame.note, rest)
        if rest and kind == "formula":
            return self._formula(rest, frame)
        return self._property_of(frame.note, rest if rest and kind == "note" else name)

    def _unary(self, node: Unary, frame: Frame) -> Value:
        value = self.value(node.operand, frame)
        if node.operator == "!":
            return not is_true(value)
        return -value if isinstance(value, float) else None

    def _binary(self, node: Binary, frame: Frame) -> Value:
        left = self.value(node.left, frame)
        if node.operator in {"&&", "||"}:
            goes_on = is_true(left) is (node.operator == "&&")
            return self.value(node.right, frame) if goes_on else left
        return _OPERATORS[node.operator](left, self.value(node.right, frame))

    # --- names and fields --------------------------------------------------------------------

    def _value_of_name(self, name: str, frame: Frame) -> Value:
        if name in frame.names:
            return frame.names[name]
        if name == "file":
            return FileValue(frame.note)
        if name == "this":
            return None if self._this is None else FileValue(self._this)
        return self._property_of(frame.note, name)

    def _field(self, node: Field, frame: Frame) -> Value:
        if node.target == Word("formula"):
            return self._formula(node.name, frame)
        if node.target == Word("note"):
            return self._property_of(frame.note, node.name)
        if node.target == Word("this"):
            return self._of_this(node.name)
        value = self.value(node.target, frame)
        if isinstance(value, FileValue):
            return self._file_field(value.note, node.name)
        return _part(value, node.name)

    def _of_this(self, name: str) -> Value:
        if self._this is None:
            return None
        return FileValue(self._this) if name == "file" else self._property_of(self._this, name)

    def _formula(self, name: str, frame: Frame) -> Value:
        formula = self._formulas.get(name)
        if formula is None:
            return None
        if name in frame.within:
            raise ExpressionError(f"the formula “{name}” needs itself")
        return self.value(formula, Frame(frame.note, {}, (*frame.within, name)))

    def _property_of(self, note: StoredNote, name: str) -> Value:
        if name == "tags":
            return note.tags
        if name == "aliases":
            return note.aliases
        stated: PropertyValue | None = note.properties.get(name)
        if stated is None:
            folded = name.casefold()
            matching = (value for key, value in note.properties.items() if key.casefold() == folded)
            stated = next(matching, None)
        return self._convert(stated, note)

    def _file_field(self, note: StoredNote, name: str) -> Value:
        field = _FILE_FIELDS.get(name)
        if field is None:
            raise ExpressionError(f"file.{name} is not known here")
        return field(self, note)

    def properties(self, note: StoredNote) -> Value:
        """All properties of a note."""
        return self._convert(note.properties, note)

    def _convert(self, stated: PropertyValue | None, note: StoredNote) -> Value:
        return from_property(stated, lambda target: self._path(target, note.path))

    def links(self, note: StoredNote, *, only_embeds: bool = False) -> tuple[LinkValue, ...]:
        """The links of a note."""
        links = self._index.graph.links_out(note.id)
        paths = self._index.paths([target for _, target in links if target is not None])
        return tuple(
            LinkValue(link.target, paths.get(target) if target is not None else None)
            for link, target in links
            if link.embed or not only_embeds
        )

    def backlinks(self, note: StoredNote) -> tuple[LinkValue, ...]:
        """Links to the notes that link to a note."""
        paths = self._index.paths(sorted(self._index.graph.backlinks(note.id)))
        return tuple(LinkValue(path, path) for path in sorted(paths.values()))

    def _path(self, target: str, source: str) -> str | None:
        """The path that a link leads to."""
        key = (target, PurePosixPath(source).parent.as_posix())
        if key not in self._paths:
            target_id = self._index.graph.resolve(target, source)
            self._paths[key] = (
                self._index.paths([target_id]).get(target_id) if target_id is not None else None
            )
        return self._paths[key]

    # --- functions ---------------------------------------------------------------------------

    def _call(self, node: Call, frame: Frame) -> Value:
        if node.target is None:
            return self._global(node, frame)
        target = self.value(node.target, frame)
        if node.name in {"filter", "map", "reduce"}:
            return self._over_items(node, target, frame)
        arguments = [self.value(argument, frame) for argument in node.arguments]
        if node.name in _OF_FILES:
            return self._of_file(node.name, target, arguments)
        if target is None and node.name not in {"isEmpty", "isTruthy", "toString"}:
            return False if node.name.startswith(("contains", "starts", "ends")) else None
        return _apply(METHODS, node.name, target, *arguments)

    def _global(self, node: Call, frame: Frame) -> Value:
        if node.name == "if" and len(node.arguments) in {2, 3}:
            chosen = 1 if is_true(self.value(node.arguments[0], frame)) else 2
            return (
                self.value(node.arguments[chosen], frame) if chosen < len(node.arguments) else None
            )
        arguments = [self.value(argument, frame) for argument in node.arguments]
        if node.name == "now":
            return self._now
        if node.name == "today":
            return day_of(self._now)
        if node.name in {"link", "file"} and arguments:
            return self._to_link(node.name, arguments[0], frame)
        return _apply(FUNCTIONS, node.name, *arguments)

    def _to_link(self, name: str, value: Value, frame: Frame) -> Value:
        if not isinstance(value, str):
            return value
        target = value.strip().removeprefix("[[").removesuffix("]]")
        path = self._path(target, frame.note.path)
        if name == "link":
            return LinkValue(target, path)
        note = self._index.note_at(path) if path is not None else None
        return None if note is None else FileValue(note)

    def _over_items(self, node: Call, target: Value, frame: Frame) -> Value:
        """`filter`, `map` and `reduce`, whose argument is computed for each item."""
        items = target if isinstance(target, tuple) else ()
        if not node.arguments:
            raise ExpressionError(f"{node.name}() needs an expression")
        results: list[Value] = []
        result = self.value(node.arguments[1], frame) if len(node.arguments) > 1 else None
        for number, item in enumerate(items):
            names = {**frame.names, "value": item, "index": float(number), "acc": result}
            value = self.value(node.arguments[0], Frame(frame.note, names, frame.within))
            if node.name == "reduce":
                result = value
            elif node.name == "map":
                results.append(value)
            elif is_true(value):
                results.append(item)
        return result if node.name == "reduce" else tuple(results)

    def _of_file(self, name: str, target: Value, arguments: list[Value]) -> Value:
        """A function of files and links, of the note that a value leads to."""
        path = path_of(target)
        note = self._index.note_at(path) if path is not None else None
        if name == "asLink":
            return None if path is None else LinkValue(path, path)
        if note is None or name == "asFile":
            return None if note is None else FileValue(note)
        wanted = arguments[0] if arguments else None
        if name == "hasTag":
            return any(_has_tag(note, show(tag)) for tag in arguments)
        if name == "hasProperty":
            return show(wanted) in note.properties
        folder = show(wanted).strip("/")
        if name == "inFolder":
            return not folder or note.path.startswith(f"{folder}/")
        return self._links_to(note, wanted)

    def _links_to(self, note: StoredNote, wanted: Value) -> bool:
        if isinstance(wanted, str):
            wanted = LinkValue(wanted, self._path(wanted, note.path))
        return any(equal(link, wanted) for link in self.links(note))


_FILE_FIELDS: Mapping[str, Callable[[Evaluator, StoredNote], Value]] = {
    "name": lambda _, note: _name(PurePosixPath(note.path)),
    "basename": lambda _, note: PurePosixPath(note.path).stem,
    "path": lambda _, note: note.path,
    "folder": lambda _, note: note.path.rpartition("/")[0],
    "ext": lambda _, note: PurePosixPath(note.path).suffix.removeprefix("."),
    "size": lambda _, note: float(note.size),
    "tags": lambda _, note: note.tags,
    "properties": Evaluator.properties,
    "ctime": lambda _, note: _time(note.created),
    "mtime": lambda _, note: _time(note.mtime_ns / 1e9 if note.mtime_ns else note.modified),
    "file": lambda _, note: FileValue(note),
    "links": Evaluator.links,
    "embeds": partial(Evaluator.links, only_embeds=True),
    "backlinks": Evaluator.backlinks,
}
_OF_FILES = frozenset(
    {"asFile", "asLink", "hasTag", "hasProperty", "inFolder", "hasLink", "linksTo"}
)
_OPERATORS: Mapping[str, Callable[[Value, Value], Value]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "+": add,
    "-": subtract,
    **{sign: partial(calculate, sign) for sign in ("*", "/", "%")},
    **{sign: partial(compare, sign) for sign in ("<", ">", "<=", ">=")},
}


def _apply(table: Mapping[str, Callable[..., Value]], name: str, *arguments: Value) -> Value:
    function = table.get(name)
    if function is None:
        raise ExpressionError(f"{name}() is not computed here")
    try:
        return function(*arguments)
    except TypeError as error:
        raise ExpressionError(f"{name}() has other arguments") from error


def _part(value: Value, name: str) -> Value:
    """A field of a text, list, date or object."""
    if name == "length" and isinstance(value, (str, tuple)):
        return float(len(value))
    if isinstance(value, datetime) and name in _DATE_FIELDS:
        return float(getattr(value, name))
    return value.get(name) if isinstance(value, Mapping) else None


def _item(value: Value, index: Value) -> Value:
    if isinstance(value, Mapping):
        return value.get(show(index))
    if isinstance(value, (str, tuple)) and isinstance(index, float) and index.is_integer():
        at = int(index)
        return value[at] if -len(value) <= at < len(value) else None
    return None


def _has_tag(note: StoredNote, tag: str) -> bool:
    wanted = tag.removeprefix("#").casefold()
    return any(
        own.casefold() == wanted or own.casefold().startswith(f"{wanted}/") for own in note.tags
    )


def _name(place: PurePosixPath) -> str:
    return place.stem if place.suffix == ".md" else place.name


def _time(seconds: float | None) -> Value:
    return None if seconds is None else datetime.fromtimestamp(seconds)  # noqa: DTZ006 - local, as Obsidian's
