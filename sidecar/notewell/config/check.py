"""Settings from the values of the layers, each checked against its type by pydantic."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from notewell.errors import ConfigError
from notewell.types import Settings

_SETTINGS = TypeAdapter(Settings)


def checked(tree: Mapping[str, object]) -> Settings:
    """The settings that `tree` holds, sections within it; text is read as the field's type.

    ConfigError names the first value that is invalid.
    """
    try:
        return _SETTINGS.validate_python(tree)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
        raise ConfigError(f"'{key}' is invalid: {first['msg']} (got {first['input']!r})") from error
