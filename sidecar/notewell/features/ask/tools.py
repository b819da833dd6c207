"""The tools that a language model may use on one vault, their descriptions and their budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from notewell.api import OpenVault
from notewell.api.errors import NotewellError, UsageError
from notewell.api.search import ContextRequest, NeighborsRequest, SearchRequest
from notewell.base.support.confined_program import MODULES
from notewell.base.support.http import Json
from notewell.contract.notes import NoteRequest
from notewell.features.ask.citations import CitedSource, NumberedSources
from notewell.features.ask.code_tool import CodeNote, CodeRunner
from notewell.features.ask.web_reader import WebPages
from notewell.models.chat import ToolCall, ToolSpec
from notewell.search.show.cited import CitedBlock, neutral
from notewell.vault.chunk import fit_words

# Below this confidence no result answers the question; see search/rank/evidence.py.
MIN_CONFIDENCE = 0.1
_RESULTS = 8
_SNIPPET_TOKENS = 120
GIVEN_UP = "(Left out, to make room.)"  # in place of an earlier result
_FULL_ANSWER = 512  # tokens of a result that a model can work with
_NOTHING = "Nothing in the notes answers this. Try other words, or say that it is not in the notes."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call. `warnings` are those of the search behind it.

    `code` and `output` are what was run and what it printed, for people, where code was run.
    """

    about: str  # the tool and its argument, for people
    outcome: str  # for people
    text: str  # for the model
    warnings: tuple[str, ...] = ()
    code: str | None = None
    output: str | None = None


def _spec(name: str, about: str, **parameters: str) -> ToolSpec:
    """A tool whose parameters are all required strings."""
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
_CODE = _spec(
    "run_code",
    "Run a short Python program: arithmetic, dates, tables. `notes` is a list of the notes found so"
    " far, dicts with n, path, title, tags, properties, created, modified, text. `tables(text)`"
    " gives the Markdown tables in a text, each a list of dicts by heading. The last value is"
    f" printed. No files, no network; modules: {', '.join(MODULES)}.",
    code="The program",
)
_SHORT = 80  # characters of one line that people see whole


class Tools:
    """The tools of one answer. `budget` is the number of tokens that all their results may have.

    The initial context may use half of it, and each call a quarter, or _FULL_ANSWER tokens where
    that is more; the calls of one round share what the initial context leaves. Where a round needs
    room, the results of earlier rounds are given up, oldest first: the model has read them.
    """

    def __init__(
        self,
        vault: OpenVault,
        catalogue: NumberedSources,
        pages: WebPages | None,
        *,
        budget: int,
        code: CodeRunner | None = None,
    ) -> None:
        """`pages` is None if no web pages may be read, and `code` if no code may be run."""
        self._vault = vault
        self._catalogue = catalogue
        self._pages = pages
        self._whole = self._total = self._left = self._budget = budget
        self._results: list[int] = []  # tokens of the results that count, oldest first
        self._handlers: Mapping[str, Callable[[str], ToolResult]] = {
            "search": self._search,
            "context": lambda question: self._gather(question, self._budget),
            "read": self._read,
            "neighbors": self._neighbors,
            **({"read_web_page": self._read_page} if pages is not None else {}),
            **({"search_web": self._search_web} if pages is not None and pages.can_search else {}),
            **({"run_code": partial(self._run_code, code)} if code is not None else {}),
        }

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(
            spec
            for spec in (*_ON_NOTES, _ON_THE_WEB, _WEB_SEARCH, _CODE)
            if spec.name in self._handlers
        )

    def use(self, call: ToolCall) -> ToolResult:
        """Run a tool. An error becomes the result, so that the model can try something else."""
        try:
            tool = self._handlers.get(call.name)
            if tool is None:
                raise UsageError(
                    f"There is no tool {call.name!r}; there are {list(self._handlers)}."
                )
            result = tool(self._argument(call))
        except NotewellError as error:
            about = f"{call.name}: {call.arguments[:200]}"
            result = ToolResult(about, error.message, error.message)
        tokens = self._vault.count_tokens(result.text)
        self._left -= tokens
        self._results.append(tokens)
        return result

    def initial_context(self, question: str) -> ToolResult:
        """Text of the notes on a question, gathered before the model is called."""
        result = self._gather(question, self._total // 2)
        self._total -= self._vault.count_tokens(result.text)
        self._left = self._total
        return result

    def make_room(self, calls: int) -> int:
        """Make room for a round of calls.

        Returns how many of the oldest results are to be replaced by GIVEN_UP.
        """
        self._budget = min(max(self._whole // 4, _FULL_ANSWER), self._total // max(calls, 1))
        given_up = 0
        while self._results and self._left < self._budget * calls:
            self._left += self._results.pop(0) - self._vault.count_tokens(GIVEN_UP)
            given_up += 1
        return given_up

    def unknown_address(self, call: ToolCall) -> str | None:
        """The address that a call asks for and that the person must allow first; None for none."""
        if call.name != _ON_THE_WEB.name or self._pages is None:
            return None
        try:
            address = self._argument(call)
        except UsageError:
            return None
        known = self._pages.known
        return None if known is None or address in known else address

    def allow(self, address: str) -> None:
        """Have an address read, because the person allowed it."""
        if (known := self._web_pages().known) is not None:
            known.allow(address)

    def _argument(self, call: ToolCall) -> str:
        """The only argument of a call. Raises UsageError if it is missing or not a text."""
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

    def _search(self, query: str) -> ToolResult:
        reply = self._vault.ask(SearchRequest(query, limit=_RESULTS))
        if not _may_answer(reply.confidence) or not reply.results:
            return ToolResult(f"search: {query}", "nothing", _NOTHING)
        room, most = self._budget, min(_SNIPPET_TOKENS, self._budget // _RESULTS)
        blocks = []
        for result in reply.results:
            text = "\n".join([result.snippet, *(passage.snippet for passage in result.passages)])
            passage = CitedSource(result.path, result.title, result.uri, result.line)
            room -= (cost := self._cost(passage)) + most
            if room < 0:
                break
            blocks.append(self._block(passage, text, cost + most, result.score))
        return ToolResult(f"search: {query}", f"{len(blocks)} notes", "\n".join(blocks))

    def _gather(self, question: str, budget: int) -> ToolResult:
        reply = self._vault.ask(ContextRequest(question, budget_tokens=budget))
        if not _may_answer(reply.confidence) or not reply.sources:
            return ToolResult(f"context: {question}", "nothing", _NOTHING, reply.warnings)
        text = self._catalogue.context(reply)
        return ToolResult(
            f"context: {question}", f"{len(reply.sources)} notes", text, reply.warnings
        )

    def _read(self, path: str) -> ToolResult:
        note = self._vault.ask(NoteRequest(path))
        block = self._block(
            CitedSource(note.path, note.title, note.uri), note.content, self._budget
        )
        tokens = self._vault.count_tokens(note.content)
        shortened = f", the first {self._budget}" if tokens > self._budget else ""
        return ToolResult(f"read: {note.path}", f"{tokens} tokens{shortened}", block)

    def _neighbors(self, path: str) -> ToolResult:
        reply = self._vault.ask(NeighborsRequest(path, limit=30))
        lines = [f"{neutral(neighbor.title)} ({neighbor.path})" for neighbor in reply.neighbors]
        text = self._fit("\n".join(lines), self._budget) or "No links."
        return ToolResult(f"neighbors: {reply.path}", f"{len(lines)} notes", text)

    # --- on the web ------------------------------------------------------------------------

    def _read_page(self, url: str) -> ToolResult:
        page = self._web_pages().read(url)
        block = self._block(CitedSource(page.url, page.title, page.url), page.text, self._budget)
        return ToolResult(f"read_web_page: {page.url}", f"{len(page.text)} characters", block)

    def _search_web(self, query: str) -> ToolResult:
        web_pages = self._web_pages().search(query)
        pages = "\n".join(
            f"{neutral(page.title)} ({neutral(page.url)}): {neutral(page.text)[:300]}"
            for page in web_pages
        )
        text = self._fit(pages, self._budget) or "Nothing."
        return ToolResult(f"search_web: {query}", f"{len(web_pages)} pages", text)

    def _web_pages(self) -> WebPages:
        if self._pages is None:
            raise UsageError("The web is switched off (`ask.web`).")
        return self._pages

    # --- code ------------------------------------------------------------------------------

    def _run_code(self, runner: CodeRunner, code: str) -> ToolResult:
        result = runner.run(code, self._found_notes())
        shown = "\n".join(part for part in (result.output.rstrip(), result.error) if part)
        is_line = len(code) <= _SHORT and "\n" not in code
        about = code if is_line else f"{len(code.splitlines())} lines of Python"
        is_short = len(shown) <= _SHORT and "\n" not in shown
        outcome = "failed" if result.error else (shown or "nothing") if is_short else "done"
        text = self._fit(neutral(shown), self._budget) or "It printed nothing."
        return ToolResult(f"run_code: {about}", outcome, text, code=code, output=shown)

    def _found_notes(self) -> tuple[CodeNote, ...]:
        """The sources so far that are notes, as they are now."""
        notes = []
        for source in self._catalogue.sources(()):
            try:
                note = self._vault.ask(NoteRequest(source.path))
            except NotewellError:  # a web page, or a note that is gone
                continue
            dates = note.created, note.modified
            kept = CodeNote(
                source.n, note.path, note.title, note.tags, note.properties, *dates, note.content
            )
            notes.append(kept)
        return tuple(notes)

    # --- budget ----------------------------------------------------------------------------

    def _block(self, source: CitedSource, text: str, tokens: int, score: float = 1.0) -> str:
        """A block of at most `tokens`; the text is cut to fit."""
        text = self._fit(neutral(text), max(tokens - self._cost(source), 0))
        return self._catalogue.block(source, text, score)

    def _cost(self, source: CitedSource) -> int:
        """The tokens of a block without its text."""
        return self._vault.count_tokens(
            CitedBlock(source.path, source.title, None, 1.0, ".").render(99)
        )

    def _fit(self, text: str, tokens: int) -> str:
        return fit_words(text.strip(), self._vault.count_tokens, tokens)[0]


def _may_answer(confidence: float | None) -> bool:
    """True where results may answer the question; a search without a confidence always counts."""
    return confidence is None or confidence >= MIN_CONFIDENCE


def _properties(spec: ToolSpec) -> Mapping[str, Json]:
    properties = spec.parameters["properties"]
    return properties if isinstance(properties, Mapping) else {}
