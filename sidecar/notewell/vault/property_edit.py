"""An edit of a note's properties as a person states it: set, add, remove, rename."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from notewell.base.errors import UsageError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.edit_properties import edit_properties
from notewell.vault.frontmatter import YAML_ERRORS, describe_yaml_error, load_yaml, read_frontmatter
from notewell.vault.parse import one_line_end

# A text under these names is a list written with commas, as Obsidian reads it.
_COMMA_LISTS = frozenset({"tags", "tag", "aliases", "alias"})
_AROUND = 3  # lines of a note's text that a diff shows after the properties


@frozen
class PropertyEdit:
    """What to change. A name may be in one of the parts only, also as the new name of another.

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
            wanted[name] = _added(name, known.get(name), _plain(value))
        return edit_properties(text, wanted, remove=self.remove, rename=self.rename)


def _added(name: str, known: PropertyValue, value: PropertyValue) -> PropertyValue:
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
    for one in value if isinstance(value, tuple) else (value,):
        if not any(type(one) is type(item) and one == item for item in grown):
            grown = (*grown, one)
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
