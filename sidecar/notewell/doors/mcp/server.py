"""The MCP server: tools, resources and prompts as the official SDK expects them."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from notewell import __version__
from notewell.base.errors import (
    NotewellError,
    NotFoundError,
    ReadOnlyError,
    ServerError,
    UsageError,
)
from notewell.doors.mcp import (
    index_tools,
    note_tools,
    search_tools,
)
from notewell.doors.mcp.answer import compact, failure, nearest_paths, refuse_while_building
from notewell.doors.mcp.argument_schema import schema_of
from notewell.doors.mcp.arguments import ToolRequest, invalid, request_of
from notewell.doors.mcp.budget import encode, fit
from notewell.doors.mcp.messages import StandardInput, WellFormedMessages
from notewell.doors.mcp.tool import (
    Arguments,
    BackendSource,
    Document,
    PromptText,
    Tool,
    ToolContext,
)
from notewell.engine.feature import Feature, load
from notewell.features import FEATURES
from notewell.vault.named_section import SectionNotFoundError

T = TypeVar("T")
ProtocolContext: TypeAlias = ServerRequestContext[Any, Any]

# In the order in which assistants see them; those of features follow.
_CORE: tuple[Tool, ...] = (
    *search_tools.TOOLS,
    *note_tools.TOOLS,
    *index_tools.TOOLS,
)


def tools(features: Sequence[Feature]) -> tuple[Tool, ...]:
    """The tools of the core and of features."""
    return (*_CORE, *(tool for feature in features for tool in _tools_of(feature)))


def _tools_of(feature: Feature) -> tuple[Tool, ...]:
    offered = load(feature.tools) if feature.tools else ()
    return tuple(tool for tool in offered if isinstance(tool, Tool))


def topics(features: Sequence[Feature]) -> Mapping[str, frozenset[str]]:
    """The names of the tools of each topic.

    Topics are features, and the first words of names that several tools share: `garden_plans`.
    """
    every = tools(features)
    names = [tool.name for tool in every]
    by_feature = {
        feature.name: {tool.name for tool in _tools_of(feature)}
        for feature in features
        if feature.tools
    }
    for name in names:
        first = name.partition("_")[0]
        alike = {name for name in names if name.partition("_")[0] == first}
        if len(alike) > 1 or name == first:
            by_feature[first] = by_feature.get(first, set()) | alike
    # The core's tools are listed anyway, with fewer arguments than those of a topic.
    everything: dict[str, set[str]] = {"core": set(), "all": set(names)}
    return {topic: frozenset(named) for topic, named in (everything | by_feature).items()}


def prompts(features: Sequence[Feature]) -> tuple[PromptText, ...]:
    """The prompts of features."""
    offered = (tool for feature in features if feature.tools for tool in load(feature.tools))
    return tuple(prompt for prompt in offered if isinstance(prompt, PromptText))


TOPICS = topics(FEATURES)

_INSTRUCTIONS = (
    "The notes of a person's Obsidian vault. Begin with `context` for a question or `search` for"
    " notes; answers name paths, lines and headings for `read_note`. Every answer says how many"
    " tokens it has, and `budget_tokens` limits them. `vault` is a vault's name or id; without it,"
    " the default one is used."
    " Cite notes by their path."
)
_RESOURCE_NOT_FOUND = -32002

_log = logging.getLogger(__name__)


def parse_topics(words: str) -> frozenset[str]:
    """The topics in words with commas between; UsageError for one that there is not."""
    named = frozenset(word for word in (part.strip() for part in words.split(",")) if word)
    unknown = sorted(named - TOPICS.keys())
    if unknown:
        raise UsageError(
            f"There are no tools of {', '.join(unknown)}; known topics: {', '.join(TOPICS)}."
        )
    return named


def build(
    source: BackendSource,
    *,
    may_write: Callable[[ProtocolContext], bool],
    wanted: Callable[[ProtocolContext], frozenset[str]] = lambda _: frozenset(),
    features: Sequence[Feature] = FEATURES,
) -> Server[Any]:
    """Make the server of `source`.

    `may_write` says whether the caller of a request may write, `wanted` which topics are listed
    beside the core. `features` are those whose tools and prompts it has.
    """
    handlers = _Handlers(source, may_write, wanted, features)
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


def serve_stdio(
    source: BackendSource,
    *,
    allow_write: bool,
    wanted: frozenset[str],
    features: Sequence[Feature] = FEATURES,
) -> None:
    """Serve the assistant that started this process, on stdin and stdout, until stdin closes.

    Nothing but the protocol is written to stdout: the SDK keeps that stream for itself and points
    whatever else writes there to stderr, where log lines go anyway.
    """
    server = build(
        source, may_write=lambda _: allow_write, wanted=lambda _: wanted, features=features
    )
    asyncio.run(_serve_stdio(server))


async def _serve_stdio(server: Server[Any]) -> None:
    # The SDK only iterates over what it reads.
    lines = cast("anyio.AsyncFile[str]", StandardInput())
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        answering = WellFormedMessages(incoming, outgoing)
        await server.run(answering, outgoing, server.create_initialization_options())


class _Handlers:
    """A method for each request of the protocol."""

    def __init__(
        self,
        source: BackendSource,
        may_write: Callable[[ProtocolContext], bool],
        wanted: Callable[[ProtocolContext], frozenset[str]],
        features: Sequence[Feature],
    ) -> None:
        self._source = source
        self._may_write = may_write
        self._wanted = wanted
        self._tools = {tool.name: tool for tool in tools(features)}
        self._prompts = {prompt.name: prompt for prompt in prompts(features)}

    async def list_tools(
        self, ctx: ProtocolContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """List what is wanted and allowed; the tools that are not listed answer as well."""
        may_write, topics = self._may_write(ctx), self._wanted(ctx)
        named = {name for topic in topics for name in TOPICS[topic]}
        listed = [
            tool for tool in self._tools.values() if tool.core is not None or tool.name in named
        ]
        return types.ListToolsResult(
            tools=[
                _describe(tool, whole=tool.name in named)
                for tool in listed
                if may_write or not tool.writes
            ]
        )

    async def call_tool(
        self, ctx: ProtocolContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer with one text block of JSON, errors included.

        Every client reads text; the same as structured content would double what it costs.
        """
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"no tool '{params.name}'; known: {known}")
        try:
            request = request_of(tool).model_validate(params.arguments or {})
            self._check_may_write(ctx, tool)
            document, failed = await self._answer(tool, request)
        except ValidationError as error:
            document, failed = failure(invalid(error, request_of(tool))), True
        except NotewellError as error:
            document, failed = failure(error), True
        except Exception as error:  # noqa: BLE001 - the outermost boundary: an assistant gets an answer
            document, failed = failure(_unexpected_error(error)), True
        return types.CallToolResult(
            content=[types.TextContent(text=encode(document))], is_error=failed
        )

    async def _answer(self, tool: Tool, request: ToolRequest) -> tuple[Document, bool]:
        """Answer a request; if it names no known vault, suggest what else it may mean."""
        try:
            return await self._source.run(
                request.vault_name, lambda context: _call(tool, context, request)
            )
        except NotFoundError:
            other = request.otherwise()
            if other is None:
                raise
            document, failed = await self._answer(tool, other)
            if failed:
                raise
            return document, failed

    def _check_may_write(self, ctx: ProtocolContext, tool: Tool) -> None:
        if tool.writes and not self._may_write(ctx):
            raise ReadOnlyError(
                f"`{tool.name}` changes something, and this assistant may only read. A person"
                " allows it with `notewell mcp --allow-write`, or over HTTP with"
                " `/mcp?allow_write=true` and a token of the scope `write`."
            )

    async def list_resources(
        self, _ctx: ProtocolContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        if cursor is not None and not cursor.isdecimal():
            raise MCPError(types.INVALID_PARAMS, "the cursor is not one of this server")
        notes, following = await self._run(
            None, lambda context: note_tools.list_resources(context, int(cursor or 0))
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
        self, _ctx: ProtocolContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="note",
            title="Note",
            uri_template=note_tools.URI_TEMPLATE,
            description="A note of a vault (id or name), by its path",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _ctx: ProtocolContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            vault, path = note_tools.parse_resource_uri(params.uri)
        except NotFoundError as error:
            raise _protocol_error(error) from error
        text = await self._run(vault, lambda context: note_tools.read_resource(context, path))
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(
        self, _ctx: ProtocolContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[_prompt(prompt) for prompt in self._prompts.values()]
        )

    async def get_prompt(
        self, _ctx: ProtocolContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        given = params.arguments or {}
        if prompt is None:
            known = ", ".join(self._prompts)
            raise MCPError(types.INVALID_PARAMS, f"no prompt '{params.name}'; known: {known}")
        missing = [
            argument.name
            for argument in prompt.arguments
            if not given.get(argument.name, "").strip()
        ]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"the prompt needs: {', '.join(missing)}")
        text = await self._run(None, lambda context: prompt.text(context, given))
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def _run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        try:
            return await self._source.run(vault, work)
        except NotewellError as error:
            raise _protocol_error(error) from error


def _call(tool: Tool, context: ToolContext, request: ToolRequest) -> tuple[Document, bool]:
    """Return a tool's answer, and whether it is an error. Runs in a thread."""
    try:
        raw = _run_tool(tool, context, request)
    except ServerError:
        raise  # the server has gone: the source may know another backend
    except NotewellError as error:
        return failure(error, nearest_paths(context.backend, request, error)), True
    document: Document = compact(raw)
    for name in tool.cut[:1]:
        if name in raw:
            document.setdefault(name, [])  # that nothing was found is an answer too
    budget = getattr(request, "budget_tokens", None)
    return fit(document, tool.cut, budget, context.count_tokens), False


def _run_tool(tool: Tool, context: ToolContext, request: ToolRequest) -> Document:
    """Run a tool; a note that is not indexed yet is not reported as missing."""
    try:
        arguments = tool.arguments
        return tool.run(
            context,
            request.to_record(arguments.record) if isinstance(arguments, Arguments) else request,
        )
    except NotFoundError as error:
        is_note = not isinstance(error, SectionNotFoundError)
        if is_note and error.code == NotFoundError.code:
            refuse_while_building(context.backend, getattr(request, "path", None))
        raise


def _unexpected_error(error: Exception) -> NotewellError:
    """Log an error that nobody expected; its message might quote a note, so it is not repeated."""
    places = "".join(traceback.format_tb(error.__traceback__))
    _log.error("unexpected %s\n%s", type(error).__name__, places)
    return NotewellError(
        "Something failed inside Notewell; its log says where. Please report it.", code="internal"
    )


def _describe(tool: Tool, *, whole: bool) -> types.Tool:
    """A tool with all of its arguments, or with those that are usual."""
    return types.Tool(
        name=tool.name,
        title=tool.title if whole else None,  # the name says it
        description=tool.description,
        input_schema=schema_of(request_of(tool), None if whole else tool.core),
        annotations=_annotations(tool),
    )


def _annotations(tool: Tool) -> types.ToolAnnotations:
    """The other hints mean nothing for a tool that only reads, and cost tokens."""
    if not tool.writes:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=tool.destructive,
        idempotent_hint=True,
        open_world_hint=False,
    )


def _prompt(prompt: PromptText) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(
                name=argument.name, description=argument.description, required=argument.required
            )
            for argument in prompt.arguments
        ],
    )


def _protocol_error(error: NotewellError) -> MCPError:
    kind = _RESOURCE_NOT_FOUND if isinstance(error, NotFoundError) else types.INTERNAL_ERROR
    return MCPError(kind, error.message, failure(error))
