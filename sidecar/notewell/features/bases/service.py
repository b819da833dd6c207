"""The rows of the views of bases: filtered, sorted, cut and shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError
from notewell.api.text import find_note
from notewell.api.types import PropertyValue
from notewell.api.vault import StoredNote
from notewell.features.bases.evaluate import Evaluator, Frame
from notewell.features.bases.expressions import ExpressionError, Node, read_expression
from notewell.features.bases.requests import BaseCell, BaseReply, BaseRequest, BaseRow
from notewell.features.bases.values import MISSING, Value, is_true, path_of, show, sort_key
from notewell.vault import files
from notewell.vault.readers.base import load_base

_MOST_BYTES = 1024 * 1024
_MOST_DEPTH = 20  # of conditions within each other
_NAME = "file.name"
_ENDING = ".base"


def open_feature(vault: OpenVault) -> OpenFeature:
    """The bases of a vault."""
    return OpenFeature(answers={BaseRequest: partial(rows_of, vault)})


def rows_of(vault: OpenVault, request: BaseRequest) -> BaseReply:
    """The rows of one view.

    Raises:
        NotFoundError: there is no such base, view or embedding note.
        UnreadableNoteError: the file is no base.

    """
    note = find_note(vault.index, request.path)
    if not note.path.lower().endswith(_ENDING):
        raise NotFoundError(f"{note.path} is no base.")
    base = _read(vault, note)
    views = _views(base)
    view = _choose_view(views, request.view, note.path)
    this = note if request.within is None else find_note(vault.index, request.within)
    columns = tuple(_columns(base, view))
    rows: Sequence[BaseRow] = ()
    total, problem = 0, None
    try:
        matches = _found(vault, base, view, this)
        total = len(matches.notes)
        rows = [
            matches.row(note, [name for name, _ in columns])
            for note in matches.notes[: request.limit]
        ]
    except ExpressionError as error:
        problem = f"This view is shown by Obsidian alone: {error}."
    return BaseReply(
        vault=vault.record.name,
        path=note.path,
        views=tuple(_name_of(view, number) for number, view in enumerate(views)),
        view=_name_of(view, views.index(view)),
        kind=show(_plain(view.get("type"))) or "table",
        columns=tuple(shown for _, shown in columns),
        rows=tuple(rows),
        total=total,
        problem=problem,
    )


def _read(vault: OpenVault, note: StoredNote) -> Mapping[str, PropertyValue]:
    file = files.stat(vault.record.path, note.path)
    return load_base(files.read(file, max_bytes=_MOST_BYTES).text, note.path)


def _views(base: Mapping[str, PropertyValue]) -> tuple[Mapping[str, PropertyValue], ...]:
    listed = base.get("views")
    views = (
        [view for view in listed if isinstance(view, Mapping)] if isinstance(listed, tuple) else []
    )
    return tuple(views) or ({},)


def _choose_view(
    views: Sequence[Mapping[str, PropertyValue]], wanted: str, path: str
) -> Mapping[str, PropertyValue]:
    if not wanted:
        return views[0]
    for number, view in enumerate(views):
        if _name_of(view, number).casefold() == wanted.casefold():
            return view
    names = ", ".join(_name_of(view, number) for number, view in enumerate(views))
    raise NotFoundError(f"{path} has no view “{wanted}”; it has: {names}.")


def _name_of(view: Mapping[str, PropertyValue], number: int) -> str:
    return show(_plain(view.get("name"))) or f"View {number + 1}"


def _columns(
    base: Mapping[str, PropertyValue], view: Mapping[str, PropertyValue]
) -> Iterator[tuple[str, str]]:
    """Each column as it is named in the base, and as people read it."""
    order = view.get("order")
    names = [name for name in order if isinstance(name, str)] if isinstance(order, tuple) else []
    described = base.get("properties")
    shown = described if isinstance(described, Mapping) else {}
    for name in names or [_NAME]:
        kind, _, rest = name.partition(".")
        bare = rest if rest and kind in {"note", "file", "formula"} else name
        about = shown.get(name) or shown.get(f"note.{name}") or shown.get(bare)
        stated = about.get("displayName") if isinstance(about, Mapping) else None
        yield name, show(_plain(stated)) or ("name" if name == _NAME else bare)


def _found(
    vault: OpenVault,
    base: Mapping[str, PropertyValue],
    view: Mapping[str, PropertyValue],
    this: StoredNote,
) -> ViewRows:
    """The notes of a view in its order."""
    formulas = base.get("formulas")
    trees = {
        name: read_expression(text)
        for name, text in (formulas.items() if isinstance(formulas, Mapping) else ())
        if isinstance(text, str)
    }
    now = datetime.now()  # noqa: DTZ005 - local, as Obsidian's
    evaluator = Evaluator(vault.index, trees, this, now)
    tests = [_condition(part) for part in (base.get("filters"), view.get("filters")) if part]
    notes = [
        note
        for note in sorted(vault.index.all_notes(), key=lambda note: note.path)
        if all(test.holds(evaluator, Frame(note)) for test in tests)
    ]
    for name, is_descending in reversed(list(_orders(view))):
        keys = {note.id: sort_key(evaluator.property(name, Frame(note))) for note in notes}
        known = [note for note in notes if keys[note.id] != MISSING]
        known.sort(key=lambda note: keys[note.id], reverse=is_descending)
        notes = [*known, *(note for note in notes if keys[note.id] == MISSING)]
    most = view.get("limit")
    if isinstance(most, int) and most > 0:
        notes = notes[:most]
    return ViewRows(evaluator, notes)


def _orders(view: Mapping[str, PropertyValue]) -> Iterator[tuple[str, bool]]:
    """The properties to sort by, the first one first; True for a descending order."""
    groups = view.get("groupBy")
    sorts = view.get("sort")
    parts = (groups, *(sorts if isinstance(sorts, tuple) else ()))
    for part in parts:
        if isinstance(part, Mapping) and isinstance(part.get("property"), str):
            yield str(part["property"]), show(_plain(part.get("direction"))).upper() == "DESC"


class ViewRows:
    """The notes of a view, and their cells."""

    def __init__(self, evaluator: Evaluator, notes: Sequence[StoredNote]) -> None:
        self._evaluator = evaluator
        self.notes = notes

    def row(self, note: StoredNote, columns: Sequence[str]) -> BaseRow:
        """The row of a note."""
        values = [(name, self._evaluator.property(name, Frame(note))) for name in columns]
        return BaseRow(note.path, tuple(_cell(name, value, note) for name, value in values))


def _cell(name: str, value: Value, note: StoredNote) -> BaseCell:
    path = note.path if name == _NAME else path_of(value)
    if isinstance(value, tuple) and len(value) == 1:
        path = path_of(value[0])
    return BaseCell(show(value), path)


class BaseFilter:
    """A filter: a statement, or filters of which all, any or none have to hold."""

    def __init__(self, kind: str, tree: Node | None, parts: Sequence[BaseFilter] = ()) -> None:
        self._kind = kind
        self._tree = tree
        self._parts = parts

    def holds(self, evaluator: Evaluator, frame: Frame) -> bool:
        """True if it holds for the note."""
        if self._tree is not None:
            return is_true(evaluator.value(self._tree, frame))
        held = (part.holds(evaluator, frame) for part in self._parts)
        if self._kind == "or":
            return any(held)
        return not any(held) if self._kind == "not" else all(held)


def _condition(stated: PropertyValue, depth: int = 0) -> BaseFilter:
    if depth > _MOST_DEPTH:
        raise ExpressionError("its filters are nested too deeply")
    if isinstance(stated, str):
        return BaseFilter("", read_expression(stated))
    if isinstance(stated, bool):
        return BaseFilter("and" if stated else "or", None)
    if isinstance(stated, Mapping) and len(stated) == 1:
        ((kind, parts),) = stated.items()
        if kind in {"and", "or", "not"}:
            listed = parts if isinstance(parts, tuple) else (parts,)
            return BaseFilter(kind, None, [_condition(part, depth + 1) for part in listed if part])
    raise ExpressionError("its filters are not understood")


def _plain(value: PropertyValue | None) -> Value:
    return value if isinstance(value, (str, bool)) or value is None else str(value)
