"""The tools that a language model may use on one vault, and what it is told of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notewell.ask.sources import NumberedSources, Source
from notewell.ask.web_reader import Page, Pages
from notewell.context.blocks import Block, neutral
from notewell.contract.context import ContextReply, ContextRequest
from notewell.contract.graph import NeighborsRequest
from notewell.contract.graph_replies import NeighborsReply
from notewell.contract.notes import NoteReply
from notewell.contract.search import SearchReply, SearchRequest
from notewell.errors import NotewellError, UsageError
from notewell.models.chat.messages import ToolCall, ToolSpec
from notewell.support.http import Json
from notewell.types import CountTokens
from notewell.vault.chunk import fit_words

# Below this confidence nothing that was found answers the question; see search/signals.py.
BAR = 0.1
_FOUND = 8
_SNIPPET_TOKENS = 120
# Of one use, in tokens: with less than this left, a tool tells nothing; a small model still gets so
# much at once.
_LEAST_TOLD, _LEAST_SHARE = 100, 256
_FULL = "No room for more. Answer with what you have."
_NOTHING = "Nothing in the notes answers this. Try other words, or say that it is not in the notes."


@dataclass(frozen=True, slots=True)
class Vault:
    """What tools need of a vault's engine. `waiting` counts notes that are not in its index yet."""

    name: str
    search: Callable[[SearchRequest], SearchReply]
    assemble: Callable[[ContextRequest], ContextReply]
    note: Callable[[str], NoteReply]
    neighbors: Callable[[NeighborsRequest], NeighborsReply]
    count_tokens: CountTokens
    waiting: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Used:
    """What became of a tool: for a person, and for the model. `warnings` are the search's."""

    about: str
    outcome: str
    text: str
    warnings: tuple[str, ...] = ()


def _spec(name: str, about: str, **parameters: str) -> ToolSpec:
    """A tool whose parameters are all texts that it needs."""
    return ToolSpec(
        name,
        about,
        {
            "type": "object",
            "properties": {
                key: {"type": "string", "description": text} for key, text in parameters.items()
            },
            "required": list(parameters),
        },
    )


_ON_NOTES = (
    _spec("search", "Search the notes; gives titles, paths and passages.", query="Words to find"),
    _spec(
        "context",
        "Gather what the notes have on a question: more text than `search`, of fewer notes.",
        question="The question",
    ),
    _spec("read", "Read a note.", path="Its path, as a source has it"),
    _spec("neighbors", "List notes that a note links to or is linked from.", path="Its path"),
)
_ON_THE_WEB = _spec("read_web_page", "Read a public web page.", url="Its address")
_WEB_SEARCH = _spec("search_web", "Search the web.", query="Words to find")


class Tools:
    """The tools of one answer. `budget` is what they may tell in all, in tokens.

    Half of it goes to what is found before the model says anything; one use takes a quarter at
    most, and what the beginning did not need is there for later ones.
    """

    def __init__(
        self, vault: Vault, catalogue: NumberedSources, pages: Pages | None, *, budget: int
    ) -> None:
        """`pages` None: the web stays away."""
        self._vault = vault
        self._catalogue = catalogue
        self._pages = pages
        self._all = self._left = budget
        self._known: Mapping[str, Callable[[str], Used]] = {
            "search": self._search,
            "context": self._context,
            "read": self._read,
            "neighbors": self._neighbors,
            **({"read_web_page": self._page} if pages is not None else {}),
            **({"search_web": self._web} if pages is not None and pages.can_search else {}),
        }

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, as a model is told of them."""
        return tuple(
            spec for spec in (*_ON_NOTES, _ON_THE_WEB, _WEB_SEARCH) if spec.name in self._known
        )

    def use(self, call: ToolCall) -> Used:
        """Use a tool; what goes wrong is told to the model, which may do better."""
        try:
            tool = self._known.get(call.name)
            if tool is None:
                raise UsageError(f"There is no tool {call.name!r}; there are {list(self._known)}.")
            argument = self._argument(call)
            if self._left < _LEAST_TOLD:
                return Used(f"{call.name}: {argument}", _FULL, _FULL)
            return self._paid(tool(argument))
        except NotewellError as error:
            return Used(f"{call.name}: {call.arguments[:200]}", error.message, error.message)

    def begin(self, question: str) -> Used:
        """What the notes have on a question before the model says anything."""
        return self._paid(self._gather(question, self._all // 2))

    @property
    def _budget(self) -> int:
        """What one use may tell."""
        return min(max(self._all // 4, _LEAST_SHARE), self._left)

    def _paid(self, used: Used) -> Used:
        self._left -= self._vault.count_tokens(used.text)
        return used

    def _argument(self, call: ToolCall) -> str:
        """The one text that each tool wants."""
        spec = next(spec for spec in self.specs if spec.name == call.name)
        name = next(iter(_properties(spec)))
        try:
            given = json.loads(call.arguments)
        except ValueError as error:
            raise UsageError(f"The arguments of {call.name} are not JSON.") from error
        value = given.get(name) if isinstance(given, dict) else None
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{call.name} needs `{name}`, a text.")
        return value.strip()

    # --- on notes --------------------------------------------------------------------------

    def _search(self, query: str) -> Used:
        found = self._vault.search(SearchRequest(query, limit=_FOUND))
        if not _clears(found.confidence) or not found.results:
            return Used(f"search: {query}", "nothing", _NOTHING)
        room, most = self._budget, min(_SNIPPET_TOKENS, self._budget // _FOUND)
        blocks = []
        for one in found.results:
            text = "\n".join([one.snippet, *(passage.snippet for passage in one.passages)])
            passage = Source(one.path, one.title, one.uri, one.line)
            room -= (cost := self._cost(passage)) + most
            if room < 0:
                break
            blocks.append(self._block(passage, text, cost + most, one.score))
        return Used(f"search: {query}", f"{len(blocks)} notes", "\n".join(blocks))

    def _context(self, question: str) -> Used:
        return self._gather(question, self._budget)

    def _gather(self, question: str, budget: int) -> Used:
        reply = self._vault.assemble(ContextRequest(question, budget_tokens=budget))
        if not _clears(reply.confidence) or not reply.sources:
            return Used(f"context: {question}", "nothing", _NOTHING, reply.warnings)
        text = self._catalogue.context(reply)
        return Used(f"context: {question}", f"{len(reply.sources)} notes", text, reply.warnings)

    def _read(self, path: str) -> Used:
        note = self._vault.note(path)
        block = self._block(Source(note.path, note.title, note.uri), note.content, self._budget)
        tokens = self._vault.count_tokens(note.content)
        cut = f", the first {self._budget}" if tokens > self._budget else ""
        return Used(f"read: {note.path}", f"{tokens} tokens{cut}", block)

    def _neighbors(self, path: str) -> Used:
        found = self._vault.neighbors(NeighborsRequest(path, limit=30))
        lines = [f"{neutral(one.title)} ({one.path})" for one in found.neighbors]
        text = self._fitted("\n".join(lines), self._budget) or "No links."
        return Used(f"neighbors: {found.path}", f"{len(lines)} notes", text)

    # --- on the web ------------------------------------------------------------------------

    def _page(self, url: str) -> Used:
        page = self._web_pages().read(url)
        block = self._block(Source(page.url, page.title, page.url), page.text, self._budget)
        return Used(f"read_web_page: {page.url}", f"{len(page.text)} characters", block)

    def _web(self, query: str) -> Used:
        found = self._web_pages().search(query)
        text = self._fitted("\n".join(map(self._listed, found)), self._budget) or "Nothing."
        return Used(f"search_web: {query}", f"{len(found)} pages", text)

    def _listed(self, page: Page) -> str:
        return f"{neutral(page.title)} ({neutral(page.url)}): {neutral(page.text)[:300]}"

    def _web_pages(self) -> Pages:
        if self._pages is None:
            raise UsageError("The web is switched off (`ask.web`).")
        return self._pages

    # --- room ------------------------------------------------------------------------------

    def _block(self, found: Source, text: str, tokens: int, score: float = 1.0) -> str:
        """A source's block of that many tokens at most, its text cut to fit."""
        text = self._fitted(neutral(text), max(tokens - self._cost(found), 0))
        return self._catalogue.block(found, text, score)

    def _cost(self, found: Source) -> int:
        """Tokens of a block without its text."""
        return self._vault.count_tokens(Block(found.path, found.title, None, 1.0, ".").render(99))

    def _fitted(self, text: str, tokens: int) -> str:
        return fit_words(text.strip(), self._vault.count_tokens, tokens)[0]


def _clears(confidence: float | None) -> bool:
    """Whether a search found anything that may answer; one that does not say has no bar."""
    return confidence is None or confidence >= BAR


def _properties(spec: ToolSpec) -> Mapping[str, Json]:
    properties = spec.parameters["properties"]
    return properties if isinstance(properties, Mapping) else {}
