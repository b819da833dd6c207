"""Writes property values as YAML that Obsidian and Notewell read back unchanged."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from notewell.errors import UsageError
from notewell.types import PropertyValue

# Values that need no quotes even in bracketed lists: words with single spaces, and dates.
_PLAIN = re.compile(r"[^\W\d_](?:[\w./@+'()&;=-]| (?! |\Z)(?!#))*|\d{4}-\d\d-\d\d(?:T[\d:.Z+-]+)?")
_PLAIN_NAME = re.compile(r"[^\W\d](?:[\w-]| (?=[\w-]))*")
# Words that some YAML parsers do not read as text.
_NOT_TEXT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Allowed in JSON strings, but line breaks or forbidden in YAML.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


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
