"""Questions about memories ask the same through HTTP and through the tools of assistants."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from notewell.contract.memory import MemoryRequest
from notewell.mcp.memory_tools import TOOLS
from notewell.web.request_models import model_of

OF_A_DOOR = {"vault", "budget_tokens"}  # an assistant's tools count tokens of any long answer


def models(door: str) -> dict[type, type[BaseModel]]:
    if door == "http":
        return {record: model_of(record) for record in get_args(MemoryRequest)}
    asked: list[Any] = [tool.asked for tool in TOOLS]
    return {one.asks: one for one in asked}


def defaults(model: type[BaseModel]) -> dict[str, Any]:
    return {
        name: MISSING if field.is_required() else field.default
        for name, field in model.model_fields.items()
        if name not in OF_A_DOOR
    }


@pytest.mark.parametrize("door", ["http", "tools"])
@pytest.mark.parametrize("record", get_args(MemoryRequest), ids=lambda record: record.__name__)
def test_a_door_asks_the_fields_of_the_record_with_its_defaults(record: type, door: str) -> None:
    asked = {one.name: one.default for one in fields(record) if one.name not in OF_A_DOOR}

    assert defaults(models(door)[record]) == asked


# Bounds that a door leaves to the next one: HTTP cuts a query with an error of its own, and an id
# that is too long names no memory.
LEFT = {"query": "maxLength", "id": "maxLength", "source": "maxLength", "target": "maxLength"}


@pytest.mark.parametrize("record", get_args(MemoryRequest), ids=lambda record: record.__name__)
def test_both_doors_bound_a_field_alike(record: type) -> None:
    http, tools = (
        bounds(models(door)[record].model_json_schema()["properties"]) for door in ("http", "tools")
    )

    assert http == tools


def bounds(properties: dict[str, Any]) -> dict[str, Any]:
    told = ("description", "title")
    kept: dict[str, Any] = {}
    for name, part in properties.items():
        if name not in OF_A_DOOR:
            kinds = part.get("anyOf", [part])
            kept[name] = [
                {key: kind[key] for key in kind if key not in (*told, LEFT.get(name))}
                for kind in kinds
            ]
    return kept
