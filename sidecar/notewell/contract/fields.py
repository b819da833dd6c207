"""Types of the fields of requests and replies: bounds, patterns, texts, paths, times."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
)

from notewell.base.errors import OutsideVaultError, QueryTooLongError
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Bound, Ge, Le, MinLen

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


MAX_QUERY_CHARS = 4096  # of a search; longer texts are for similar notes
SMALLER_NUMBERS = "whole numbers have at most 64 bits"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@frozen
class Doc:
    """The meaning of a field, in one line: shown in OpenAPI, in `--help` and to assistants."""

    text: str

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(core_schema), "description": self.text}


@frozen
class Pattern(Bound):
    """A regular expression that a text must match somewhere; comes before any `Normalise`."""

    pattern: str


@frozen
class Normalise:
    """A function that returns the canonical form of a checked value, or raises.

    `max_length` is shown in the field's JSON Schema, where the function refuses longer texts.
    """

    function: Callable[[Any], Any]
    max_length: int | None = None

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic call the function after the type is checked."""
        # Only code that checks requests calls this, and it has pydantic loaded.
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.no_info_after_validator_function(self.function, handler(source))

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Show the bound that the function checks."""
        schema: dict[str, Any] = handler(core_schema)
        return schema if self.max_length is None else {**schema, "maxLength": self.max_length}


@frozen
class HttpDefault:
    """The default of a field for HTTP clients, where it differs from the record's."""

    value: object


class InProcessOnly:
    """Marks a field that only callers in this process fill; no interface offers it."""


@frozen
class AwareTime:
    """Marks a time that must name its zone and be written out, as in 2026-03-02T10:00:00Z."""

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic read it from text, though other fields are strict."""
        from pydantic_core import core_schema  # noqa: PLC0415 - as above

        aware = core_schema.datetime_schema(tz_constraint="aware", strict=False)
        return core_schema.no_info_before_validator_function(_write_out, aware)


def _write_out(value: object) -> object:
    if isinstance(value, str) and "-" not in value[1:]:  # else a number would be taken for seconds
        raise ValueError("write a time as 2026-03-02T10:00:00Z")
    return value


def check_query(text: str) -> str:
    """Return the query; raise QueryTooLongError where it has more than `MAX_QUERY_CHARS`."""
    if len(text) > MAX_QUERY_CHARS:
        raise QueryTooLongError(
            f"The query has {len(text):,} characters; at most {MAX_QUERY_CHARS:,} are searched."
            " To find notes like a longer text, POST it to /api/similar."
        )
    return text


def note_path(path: str) -> str:
    """Return a vault-relative path in NFC; raise OutsideVaultError where it leads outside."""
    steps = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or _DRIVE.match(path) or ".." in steps or "\0" in path:
        raise OutsideVaultError(
            "A path names a note inside the vault: relative to its folder, with / between"
            " folders, without `..`."
        )
    return unicodedata.normalize("NFC", path)


def _file_or_folder(path: str) -> str:
    return note_path(path).removesuffix("/")


QueryText = Annotated[str, Normalise(check_query)]
SearchText = Annotated[str, Normalise(check_query, MAX_QUERY_CHARS)]
NotePath = Annotated[str, MinLen(1), Doc("Vault-relative path"), Normalise(note_path)]
NoteName = Annotated[NotePath, Doc("Path of a note, or its name as in a link")]
FileOrFolder = Annotated[
    str,
    MinLen(1),
    Doc("Vault-relative path of a file or a folder"),
    Normalise(_file_or_folder),
]
Limit = Annotated[int, Ge(1), Le(1000), Doc("Maximum number of results")]
Share = Annotated[float, Ge(0), Le(1)]
Door = Annotated[str, Pattern("^[a-z][a-z0-9-]{0,31}$")]
# Years 1 to 9999, which every file system's clock and every calendar holds.
Milliseconds = Annotated[
    int, Ge(-62_135_596_800_000), Le(253_402_300_799_999), Doc("Milliseconds since 1970")
]
Time = Annotated[datetime, AwareTime()]


@lru_cache(maxsize=1024)  # of the notes that searches show
def iso(seconds: float | None) -> str | None:
    """ISO 8601 with a zone (UTC) of POSIX seconds; None for none or for what no calendar holds."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return None


def beyond_64_bits(value: object) -> bool:
    """True if a whole number in this is one that neither databases nor all JSON can hold."""
    if value is None or isinstance(value, str | bool):  # most values
        return False
    if isinstance(value, Mapping):
        return any(map(beyond_64_bits, value.values()))
    if isinstance(value, list | tuple):
        return any(map(beyond_64_bits, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63
