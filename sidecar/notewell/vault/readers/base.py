"""Bases (`.base`), Obsidian's tables of notes: names, filters, formulas and views as text.

Nothing is evaluated: which notes a base shows is not known here. See
https://help.obsidian.md/bases/syntax for the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import PropertyValue
from notewell.vault.parse import file_title, one_line_end
from notewell.vault.properties import YAML_ERRORS, describe_yaml_error, load_yaml
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

_SUFFIX = ".base"
_MAX_NAME = 200
_PARTS = (
    ("filters", "Filters"),
    ("formulas", "Formulas"),
    ("properties", "Properties"),
    ("summaries", "Summaries"),
)


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    loaded = load_base(decoded.text, file.path)
    builder = NoteBuilder()
    for name, heading in _PARTS:
        _section(builder, heading, loaded.get(name))
    views = loaded.get("views")
    for view in views if isinstance(views, tuple) else ():
        if isinstance(view, Mapping):
            rest = {key: value for key, value in view.items() if key != "name"}
            _section(builder, f"View {_show(view.get('name'))}", rest)
    return builder.note(
        file, FileDescription(file_title(file.path, _SUFFIX), warnings=decoded.warnings)
    )


def load_base(text: str, path: str) -> Mapping[str, PropertyValue]:
    """Read the mapping of a base; UnreadableNoteError names the `path` where it is none."""
    text = one_line_end(text)
    try:
        return load_yaml(text) if text.strip() else {}
    except YAML_ERRORS as error:
        raise UnreadableNoteError(
            f"{path} is no valid base: {describe_yaml_error(error)}.", code="unreadable"
        ) from error


def _section(builder: NoteBuilder, heading: str, value: PropertyValue) -> None:
    rows = list(_rows(value))
    if rows:
        builder.heading(1, heading)
        builder.paragraph("\n".join(rows), "list")


def _rows(value: PropertyValue, name: str = "") -> Iterator[str]:
    """The lines of a value: `name: words` for each that is not made of others."""
    name = name[-_MAX_NAME:]  # of which every line below has a copy
    before = f"{name}: " if name else ""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _rows(part, f"{name} {key}".strip())
    elif isinstance(value, tuple) and any(isinstance(part, (Mapping, tuple)) for part in value):
        for part in value:
            yield from _rows(part, name)
    elif isinstance(value, tuple):
        yield before + ", ".join(filter(None, map(_show, value)))
    elif _show(value):
        yield before + _show(value)


def _show(value: PropertyValue) -> str:
    return "" if value is None else " ".join(str(value).split())


BASE = Reader(_SUFFIX, "bases", _read, "base")
