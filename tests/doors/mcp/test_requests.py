"""Requests of tools are made from the contract's records, and bounded like those of HTTP."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from notewell.contract.notes import NeighborsRequest
from notewell.contract.search import SearchRequest, SimilarRequest, SimilarTextRequest
from notewell.contract.status import StatusRequest
from notewell.doors.mcp.argument_schema import schema_of
from notewell.doors.mcp.arguments import (
    BudgetedRequest,
    ToolRequest,
    invalid,
    request_model,
    request_of,
)
from notewell.doors.mcp.server import tools
from notewell.doors.mcp.tool import QUERY, ArgumentChange, Tool
from notewell.doors.web.request_models import model_of
from notewell.features import FEATURES
from notewell.features.memory.requests import REQUESTS, StoreMemory
from notewell.features.memory.tools import TOOLS as MEMORY_TOOLS

# HTTP and tools each have these in their own way: tools limit the tokens of any long answer.
NOT_SHARED = {"vault", "budget_tokens"}
MEMORY_RECORDS = REQUESTS


def models(client: str) -> dict[type, type[BaseModel]]:
    if client == "http":
        return {record: model_of(record) for record in MEMORY_RECORDS}
    made = {tool.name: request_of(tool) for tool in MEMORY_TOOLS}
    return {record: made[record.endpoint.name] for record in MEMORY_RECORDS}


def defaults(model: type[BaseModel]) -> dict[str, Any]:
    return {
        name: MISSING if field.is_required() else field.default
        for name, field in model.model_fields.items()
        if name not in NOT_SHARED
    }


@pytest.mark.parametrize("client", ["http", "tools"])
@pytest.mark.parametrize("record", MEMORY_RECORDS, ids=lambda record: record.__name__)
def test_memory_requests_have_the_fields_and_defaults_of_their_record(
    record: type, client: str
) -> None:
    expected = {
        field.name: field.default for field in fields(record) if field.name not in NOT_SHARED
    }

    assert defaults(models(client)[record]) == expected


# HTTP refuses a long query with an error of its own, and tools leave an id that is too long to be
# not found.
UNBOUND = {"query": "maxLength", "id": "maxLength", "source": "maxLength", "target": "maxLength"}


@pytest.mark.parametrize("record", MEMORY_RECORDS, ids=lambda record: record.__name__)
def test_http_and_tools_have_equal_bounds_for_memory_requests(record: type) -> None:
    http, tools = (
        bounds(models(client)[record].model_json_schema()["properties"])
        for client in ("http", "tools")
    )

    if record is StoreMemory:  # no assistant grants a golden rule
        kinds = tools["type"][0]["enum"]
        assert [*kinds, "golden_rule"] == http.pop("type")[0]["enum"]
        del tools["type"]
    assert http == tools


def bounds(properties: dict[str, Any]) -> dict[str, Any]:
    texts = ("description", "title")
    found: dict[str, Any] = {}
    for name, part in properties.items():
        if name not in NOT_SHARED:
            kinds = part.get("anyOf", [part])
            found[name] = [
                {key: kind[key] for key in kind if key not in (*texts, UNBOUND.get(name))}
                for kind in kinds
            ]
    return found


Search: Any = request_model(
    SearchRequest,
    BudgetedRequest,
    fields=("q", "limit", "mode"),
    changes={
        "q": QUERY,
        "limit": ArgumentChange(doc="How many", at_most=100, default=20),
        "mode": ArgumentChange(doc="How"),
    },
)


def test_a_request_may_rename_bound_and_describe_the_fields_of_its_record() -> None:
    schema = schema_of(Search)
    assert list(schema["properties"]) == ["vault", "budget_tokens", "query", "limit", "mode"]
    assert schema["required"] == ["query"]
    assert schema["properties"]["query"]["maxLength"] == 4096
    assert schema["properties"]["limit"] == {
        "default": 20,
        "description": "How many",
        "maximum": 100,
        "minimum": 1,
        "type": "integer",
    }
    assert schema["properties"]["mode"]["description"] == "How"
    assert Search(query="bees").to_record(SearchRequest) == SearchRequest("bees", limit=20)


def test_a_request_reads_what_language_models_write() -> None:
    assert Search(query="bees", limit="10").to_record(SearchRequest).limit == 10
    with pytest.raises(ValidationError) as caught:
        Search(query="b" * 5000, limit=101, q="")
    message = invalid(caught.value, Search).message
    assert all(f"`{name}`" in message for name in ("query", "limit", "q"))
    assert "bbb" not in message


def test_a_request_can_become_several_records() -> None:
    similar = next(request_of(tool) for tool in tools(FEATURES) if tool.name == "similar")
    by_path = similar.model_validate({"path": "A.md", "unlinked": True, "limit": 3})
    assert by_path.to_record(SimilarRequest) == SimilarRequest("A.md", limit=3, unlinked=True)
    by_text = similar.model_validate({"text": "bees"})
    assert by_text.to_record(SimilarTextRequest) == SimilarTextRequest("bees")


def test_a_path_is_left_to_the_backend_to_check() -> None:
    neighbors: Any = request_model(NeighborsRequest, ToolRequest, fields=("path",))
    assert neighbors(path="../A.md").to_record(NeighborsRequest).path == "../A.md"
    with pytest.raises(ValidationError):
        neighbors(path="")


def test_a_request_without_fields_has_the_vault_alone() -> None:
    assert list(schema_of(request_model(StatusRequest, ToolRequest))["properties"]) == ["vault"]


@pytest.mark.parametrize("tool", tools(FEATURES), ids=lambda tool: tool.name)
def test_a_number_beyond_64_bits_is_refused(tool: Tool) -> None:
    for name in request_of(tool).model_fields:
        for value in (2**63, -(2**70), [2**64], {"x": 2**64}):
            with pytest.raises(ValidationError, match="64 bits"):
                request_of(tool).model_validate({name: value})
