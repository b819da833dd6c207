"""Replies for fake engines: those that the contract's files record of a real server.

A request that the real server refused there, because nothing of its kind exists in the vault, gets
a reply made of the types of its fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from notewell.contract.codec import from_json
from notewell.contract.request import Request, reply_type

CONTRACT = Path(__file__).parents[2] / "contract"
_PLAIN: Mapping[object, object] = {str: "2026-03-02T10:00:00+00:00", int: 1, float: 0.5, bool: True}
# Files by the name of a route, where it is not that of the file.
_FILES = {
    "check_topics": "topics-check",
    "extract_gleanings": "gleanings-extract",
    "gleaning_stats": "gleanings-stats",
    "make_garden_plan": "garden-plan-made",
    "garden_plan": "garden-plan-made",
    "switch_phone_index": "phone-index-on",
}


@cache
def recorded(request: type[Request[Any]]) -> Any:
    """A reply to a request of this kind."""
    kind = reply_type(request)
    name = request.endpoint.name.replace("_", "-")
    file = CONTRACT / f"{_FILES.get(request.endpoint.name, name)}.json"
    if file.exists() and "code" not in json.loads(file.read_text(encoding="utf-8")):
        return from_json(kind, file.read_bytes())
    return made(kind)


def made(hint: Any) -> Any:
    """A value of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return made(inner[0])
    if origin in {Union, UnionType}:
        return made(next(each for each in inner if each is not NoneType))
    if origin in {Literal, tuple, Mapping}:
        return _made_of_parts(origin, inner)
    if is_dataclass(hint):
        hints = get_type_hints(hint, include_extras=True)
        return hint(**{field.name: made(hints[field.name]) for field in fields(hint)})  # type: ignore[operator]
    return _PLAIN[hint]


def _made_of_parts(origin: Any, inner: tuple[Any, ...]) -> object:
    if origin is Literal:
        return inner[0]
    if origin is Mapping:
        return {made(inner[0]): made(inner[1])}
    return (made(inner[0]),) if inner[1:] == (...,) else tuple(map(made, inner))
