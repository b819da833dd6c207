"""Bounds of values, as markers of annotations.

Those of the library annotated-types would do, but it imports another that costs every command of
the terminal 30 ms.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from notewell.base.types.frozen import frozen

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Bound:
    """What a checked value must meet; its fields are named as in the schemas of pydantic."""

    __slots__ = ()

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema: Any = handler(source)
        record: Any = self
        return {**schema, **{one.name: getattr(self, one.name) for one in fields(record)}}


@frozen
class Ge(Bound):
    """At least."""

    ge: float


@frozen
class Gt(Bound):
    """More than."""

    gt: float


@frozen
class Le(Bound):
    """At most."""

    le: float


@frozen
class MinLen(Bound):
    """At least so many characters or items."""

    min_length: int


@frozen
class MaxLen(Bound):
    """At most so many characters or items."""

    max_length: int
