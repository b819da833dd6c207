"""The protocol's side: tools, resources and prompts in the words of the official SDK."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from notewell import __version__
from notewell.errors import NotewellError, NotFoundError, ReadOnlyError, ServerError
from notewell.mcp import resources
from notewell.mcp.answer import compact, encode, within
from notewell.mcp.building import refuse_while_building
from notewell.mcp.failures import failure, invalid, near
from notewell.mcp.namespaces import vault_of
from notewell.mcp.prompts import PROMPTS, PromptText
from notewell.mcp.schema import schema_of
from notewell.mcp.source import Source
from notewell.mcp.table import TOOLS
from notewell.mcp.tool import Asked, Desk, Document, Tool

Context: TypeAlias = ServerRequestContext[Any, Any]

_INSTRUCTIONS = (
    "The notes of a person's Obsidian vault. Begin with `context` for a question or `search` for"
    " notes; answers name paths, lines and headings for `read_note`. Every answer says how many"
    " tokens it has, and `budget_tokens` bounds it. Cite notes by their path."
)
_RESOURCE_NOT_FOUND = -32002

_log = logging.getLogger(__name__)


def build(source: Source, *, may_write: Callable[[Context], bool]) -> Server[Any]:
    """Make the server over `source`. `may_write` tells of a request whether it may write."""
    handlers = _Handlers(source, may_write)
    return Server(
        "notewell",
        version=__version__,
        title="Notewell",
        description="Searches and reads the notes of an Obsidian vault",
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Handlers:
    """One method a request of the protocol."""

    def __init__(self, source: Source, may_write: Callable[[Context], bool]) -> None:
        self._source = source
        self._may_write = may_write
        self._tools = {tool.name: tool for tool in TOOLS}
        self._prompts = {prompt.name: prompt for prompt in PROMPTS}

    async def list_tools(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer with one text block and the same as structured content, errors included."""
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"no tool '{params.name}'; known: {known}")
        try:
            asked = tool.asked.model_validate(params.arguments or {})
            self._check_may_write(ctx, tool)
            document, failed = await self._source.run(
                _vault(asked), lambda desk: _worked(tool, desk, asked)
            )
        except ValidationError as error:
            document, failed = failure(invalid(error, tool.asked)), True
        except NotewellError as error:
            document, failed = failure(error), True
        except Exception as error:  # noqa: BLE001 - the outermost boundary: an assistant gets an answer
            document, failed = failure(_unforeseen(error)), True
        return types.CallToolResult(
            content=[types.TextContent(text=encode(document))],
            structured_content=document,
            is_error=failed,
        )

    def _check_may_write(self, ctx: Context, tool: Tool) -> None:
        if tool.writes and not self._may_write(ctx):
            raise ReadOnlyError(
                f"`{tool.name}` changes something, and this assistant may only read. A person"
                " allows it with `notewell mcp --allow-write`, or over HTTP with"
                " `/mcp?allow_write=true` and a token of the scope `write`."
            )

    async def list_resources(
        self, _ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        if cursor is not None and not cursor.isdecimal():
            raise MCPError(types.INVALID_PARAMS, "the cursor is not one of this server")
        notes, following = await self._asked(
            None, lambda desk: resources.page(desk, int(cursor or 0))
        )
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=note.uri, name=note.path, mime_type="text/markdown", size=note.size
                )
                for note in notes
            ],
            next_cursor=None if following is None else str(following),
        )

    async def list_templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="note",
            title="Note",
            uri_template=resources.TEMPLATE,
            description="A note of a vault (id or name), by its path",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            vault, path = resources.address(params.uri)
        except NotFoundError as error:
            raise _protocol_error(error) from error
        text = await self._asked(vault, lambda desk: resources.text(desk, path))
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(prompt) for prompt in PROMPTS])

    async def get_prompt(
        self, _ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        given = params.arguments or {}
        if prompt is None:
            known = ", ".join(self._prompts)
            raise MCPError(types.INVALID_PARAMS, f"no prompt '{params.name}'; known: {known}")
        missing = [one.name for one in prompt.arguments if not given.get(one.name, "").strip()]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"the prompt needs: {', '.join(missing)}")
        text = await self._asked(None, lambda desk: prompt.text(desk, given))
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def _asked(self, vault: str | None, work: Callable[[Desk], Any]) -> Any:
        """What `work` gives; its errors as errors of the protocol."""
        try:
            return await self._source.run(vault, work)
        except NotewellError as error:
            raise _protocol_error(error) from error


def _worked(tool: Tool, desk: Desk, asked: Asked) -> tuple[Document, bool]:
    """A tool's answer, and whether it is a failure. Runs in a thread."""
    try:
        raw = _run(tool, desk, asked)
    except ServerError:
        raise  # the server has gone: the source may know another way
    except NotewellError as error:
        return failure(error, near(desk, asked, error)), True
    document: Document = compact(raw)
    for name in tool.cut[:1]:
        if name in raw:
            document.setdefault(name, [])  # that there is none is an answer
    budget = getattr(asked, "budget_tokens", None)
    return within(document, tool.cut, budget, desk.count), False


def _run(tool: Tool, desk: Desk, asked: Asked) -> Document:
    """What a tool gives; a note that is not there yet is no note that is not there."""
    try:
        return tool.run(desk, asked)
    except NotFoundError as error:
        if error.code == NotFoundError.code:
            refuse_while_building(desk, getattr(asked, "path", None))
        raise


def _vault(asked: Asked) -> str | None:
    """The vault that is asked for, by itself or as the first part of a namespace."""
    namespace = getattr(asked, "namespace", None) if asked.of_notes else None
    return asked.vault or (vault_of(namespace) if namespace else None)


def _unforeseen(error: Exception) -> NotewellError:
    """What is told of an error that nobody expected; its message might quote a note."""
    places = "".join(traceback.format_tb(error.__traceback__))
    _log.error("unforeseen %s\n%s", type(error).__name__, places)
    return NotewellError(
        "Something failed inside Notewell; its log says where. Please report it.", code="internal"
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool.asked),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _prompt(prompt: PromptText) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=one.name, description=one.description, required=one.required)
            for one in prompt.arguments
        ],
    )


def _protocol_error(error: NotewellError) -> MCPError:
    kind = _RESOURCE_NOT_FOUND if isinstance(error, NotFoundError) else types.INTERNAL_ERROR
    return MCPError(kind, error.message, failure(error))
