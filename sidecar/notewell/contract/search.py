"""Searching: notes that match a query or resemble a note, and completions of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal, TypedDict

from notewell.base.types import Direction, FusionMethod, Match, PropertyValue, SearchMode, Signal
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen
from notewell.contract.fields import (
    Doc,
    Door,
    FileOrFolder,
    HttpDefault,
    InProcessOnly,
    Limit,
    NotePath,
    SearchText,
    Share,
)
from notewell.contract.request import Endpoint, Request, request_to


@frozen
class Removed:
    """Notes that a stage removed, and why; `paths` are some of them."""

    reason: str
    count: int
    paths: tuple[str, ...] = ()


@frozen
class Moved:
    """A note's rank before and after a stage, from 1; null where it is not among the first."""

    path: str
    before: int | None
    after: int | None


@frozen
class StageTrace:
    """One stage of the pipeline.

    `top` are the first paths after it, `moved` their changes in rank since the last stage that
    had results.
    """

    name: str
    ms: float
    count_in: int
    count_out: int
    removed: tuple[Removed, ...] = ()
    top: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()


@frozen
class Contribution:
    """The parts of a result's score. `ranks`: by keyword, by meaning and after each step, from 1.

    score = (adds.keyword + adds.semantic) * every multiplier in `times`, at most 1, unless a
    reranker changed the order. `words` are the BM25 scores of the query's tokens for the best
    passage. `fields`: the share of the query's content words, by idf, that each field of the note
    says (`title`, `aliases`, `headings`, `tags`, `properties`, `body` and so on). `stages`: the
    score after each stage, not yet relative to the best note.
    """

    path: str
    score: float
    ranks: Mapping[str, int | None]
    adds: Mapping[str, float]
    times: Mapping[str, float]
    words: Mapping[str, float]
    fields: Mapping[str, float] = field(default_factory=dict)
    stages: Mapping[str, float] = field(default_factory=dict)


@frozen
class Explain:
    """Every stage of a search, and the parts of each result's score."""

    query: Mapping[str, PropertyValue]
    stages: tuple[StageTrace, ...]
    results: tuple[Contribution, ...] = ()


Grouping = Literal["note", "block"]
UNLOGGED = "none"  # the `door` of a search that is not logged


@frozen
class Passage:
    """A passage of a note that matched; `highlights` are UTF-16 offsets into `snippet`.

    `children`: of a list item that was found by itself, how many items are directly in it. `page`
    is the number of a page from 1, `node` the id of a node of a canvas, `seconds` the place in a
    recording, where the file has them.

    `id` (`path#n`) is the address of the passage until the note changes, `hash` that of its text
    with its title, which outlives changes elsewhere in the note; `lines` are its first and last.

    `copy` is the conflict copy of the note in which the passage stands, and which alone has it.
    """

    heading: str | None  # heading path, " > " between levels
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    children: int | None = None
    page: int | None = None
    node: str | None = None
    seconds: int | None = None
    id: str | None = None
    hash: str | None = None
    lines: tuple[int, int] | None = None
    copy: str | None = None


@frozen
class Scores:
    """Parts of a result's score, null if not computed; multipliers are 1 if they had no effect.

    `words`, `meaning`, `coverage`, `names` and `links` are the addends of a score that is a sum. Of
    the method `gars`, `links` is `centrality` and `activation` (0..1), each by its weight.
    """

    keyword: float | None = None
    semantic: float | None = None
    fused: float | None = None
    tag: float | None = None
    recency: float | None = None
    graph: float | None = None
    rerank: float | None = None
    words: float | None = None
    meaning: float | None = None
    coverage: float | None = None
    names: float | None = None
    links: float | None = None
    centrality: float | None = None
    activation: float | None = None


@frozen
class RawScores:
    """Scores before they are normalised: BM25 of the keywords, cosine of the vectors.

    `cosine` is that of the best passage, `mean_cosine` the mean of the note's passages; of sums.
    """

    bm25: float | None = None
    cosine: float | None = None
    mean_cosine: float | None = None


@frozen
class Reason:
    """Why a note was found; text for people.

    What it has in common with another or embeds, where a `phrase` stands that is not shown, or the
    user's `synonym` that it has in the place of a word of the query.
    """

    kind: Literal["passage", "duplicate", "links", "tags", "embeds", "phrase", "synonym"]
    text: str


@frozen
class Result:
    """A note that was found: its best passage in its own fields, the others in `passages`.

    Of similar notes: `linked` says how the source is linked with it already (`out`: it links
    there), `duplicates` are notes with nearly the same text, which it represents.

    `match` says how relevant the note is by itself, not compared with the best result; null if the
    query has only conditions.

    Grouped by block, a result is one list item or paragraph: `score` is its own, `scores`, `raw`
    and `match` are its note's, `parent` names all items around it, `children` counts those in it.

    `embedded_in` are paths of notes that embed a file which is not a note itself, such as a PDF.

    `vault` is the one it is in, if several were searched.

    Of a source that can be asked (Roam), `current` says whether the text is that of the source now;
    if it is not known, `as_of` is the time of the last sync. Of a search of the past, `as_of` is
    the day, and `current` is false for text that is gone. Else both are null.

    `mtime` is the time of the file itself, `modified` may be a property; `id`, `hash`, `lines` and
    `copy` are those of the best passage. `copies` are the conflict copies that a synchroniser left
    beside the note.
    """

    path: str
    title: str
    description: str | None
    heading: str | None
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[Passage, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    created: str | None
    modified: str | None
    uri: str
    reasons: tuple[Reason, ...] = ()
    linked: Direction | None = None
    duplicates: tuple[str, ...] = ()
    match: Match | None = None
    children: int | None = None
    page: int | None = None
    node: str | None = None
    seconds: int | None = None
    embedded_in: tuple[str, ...] = ()
    id: str | None = None
    hash: str | None = None
    lines: tuple[int, int] | None = None
    mtime: str | None = None
    vault: str | None = None
    current: bool | None = None
    as_of: str | None = None
    copy: str | None = None
    copies: tuple[str, ...] = ()


@frozen
class Fusion:
    """The combination of the rankings, with every number a client needs to repeat it."""

    method: str
    params: Mapping[str, float | str | None] = field(default_factory=dict)


# Not a dataclass, because `from` is a keyword of Python.
Corrected = TypedDict("Corrected", {"text": str, "from": tuple[str, ...]})
Corrected.__doc__ = "The corrected text of the whole query, and the words that were misspelt in it."


@frozen
class SearchReply:
    """The answer to a search or a similar-notes request.

    `corrected` is the query without its spelling mistakes, if words of it were corrected.
    `approximate`: meaning was computed without the model, from its table of words, as it is while a
    query is typed. `query_id` is the id of a logged search, for reporting which result was opened.
    """

    query: str
    vault: str
    mode: SearchMode
    fusion: Fusion
    expanded: tuple[str, ...]
    corrected: Corrected | None = field(default=None, kw_only=True)
    filtered: Mapping[str, int]
    generation: int
    took_ms: float
    total: int
    confidence: float | None
    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    approximate: bool = False
    explain: Explain | None = None
    query_id: str | None = None


@request_to(
    Endpoint(
        "GET",
        "/api/search",
        "search",
        "Notes found by meaning and by keyword, ranked together",
        rate_class="search",
        example={"q": "how bees find their way", "limit": 3, "explain": True},
    )
)
class SearchRequest(Request[SearchReply]):
    """A search, as every client sends it.

    `recency`, `graph`, `collapse`, `expand` and `rerank` replace the settings where given.
    `hidden` are paths of notes to leave out: those that a verdict excludes for this query.
    `untuned` searches with the default weights, to measure what tuning gains.
    """

    q: Annotated[SearchText, Doc('The query: words, "exact phrases", -exclusions and filters')]
    limit: Limit = 10
    mode: Annotated[
        SearchMode, Doc("Search by keyword, by meaning, or by both ranked together")
    ] = "hybrid"
    plain: Annotated[bool, Doc("Read the query as plain text, without operators")] = False
    fusion: Annotated[FusionMethod | None, Doc("How the two rankings are combined")] = None
    alpha: Annotated[Share | None, Doc("Weight of meaning")] = None
    min_score: Annotated[Share, Doc("Leave out results with a lower score")] = 0.0
    everything: Annotated[bool, Doc("Search shelved and daily notes too")] = False
    paths: Annotated[
        tuple[FileOrFolder, ...],
        MaxLen(100),
        Doc("Search within these notes and folders; may be given several times"),
    ] = ()
    weak: Annotated[bool, Doc("Keep weak matches")] = False
    recency: Annotated[Share | None, Doc("How much a note of today is boosted")] = None
    graph: Annotated[Share | None, Doc("How much links from the best results count")] = None
    collapse: Annotated[bool | None, Doc("Leave out near-duplicates of better results")] = None
    expand: Annotated[
        bool | Literal["llm"] | None,
        Doc("Also search for words related to a short query; llm: for other wordings"),
    ] = None
    rerank: Annotated[bool | None, Doc("Reorder the first results with a reranking model")] = None
    ignore: Annotated[frozenset[Signal], Doc("Ranking signals to ignore, separated by commas")] = (
        frozenset()
    )
    group: Annotated[
        Grouping, Doc("A result is a note, or each matching list item and paragraph of one")
    ] = "note"
    passages: Annotated[
        Annotated[int, Ge(0), Le(100)] | None,
        Doc("Most further passages and list items of a result; 0 saves time"),
    ] = None
    typing: Annotated[bool, Doc("The last word may be unfinished")] = False
    as_of: Annotated[
        str | None, Doc("Search the notes of that day, in the vault's git history: 2025-03-01")
    ] = None
    ever: Annotated[bool, Doc("Search what is no longer in the notes too")] = False
    explain: Annotated[bool, Doc("Report what each stage of the search did")] = False
    door: Annotated[
        Door,
        HttpDefault("http"),
        Doc("Client that searches, for the log: plugin, web …; none: unlogged"),
    ] = UNLOGGED
    hidden: Annotated[frozenset[str], InProcessOnly] = frozenset()
    untuned: Annotated[bool, InProcessOnly] = False


@request_to(
    Endpoint(
        "GET",
        "/api/similar",
        "similar",
        "Notes similar to a note",
        rate_class="search",
        example={"path": "Garden/Bees.md", "unlinked": True},
    )
)
class SimilarRequest(Request[SearchReply]):
    """Notes similar to a note, or to a part of it.

    `links`, 0..1, is how much closeness by links counts compared with similarity: one hop in
    `direction` counts in full, each further one `decay` times as much.
    """

    path: NotePath
    heading: Annotated[str | None, Doc("Find notes similar to the text under this heading")] = None
    line: Annotated[
        Annotated[int, Ge(1)] | None, Doc("Find notes similar to the passage on this line")
    ] = None
    limit: Limit = 10
    unlinked: Annotated[bool, Doc("Leave out notes that are already linked with the note")] = False
    links: Annotated[Share, Doc("How much closeness by links counts, compared with similarity")] = (
        0.0
    )
    direction: Annotated[Direction, Doc("Follow outgoing links, incoming links, or both")] = "both"
    decay: Annotated[
        Share, Doc("How much each further hop counts, compared with the hop before")
    ] = 0.5
    weak: Annotated[bool, Doc("Keep notes that are hardly similar")] = False
    explain: Annotated[bool, Doc("Report what each stage of the search did")] = False


@request_to(
    Endpoint(
        "POST",
        "/api/similar",
        "similar_text",
        "Notes similar to a text",
        required_scope="read",
        rate_class="search",
        example={"text": "A hive in spring needs room and water.", "limit": 3},
    )
)
class SimilarTextRequest(Request[SearchReply]):
    """Notes similar to a text of any length."""

    text: Annotated[str, Doc("Find notes similar to this text")]
    limit: Limit = 10
    weak: Annotated[bool, Doc("Keep notes that are hardly similar")] = False
    explain: Annotated[bool, Doc("Report what each stage of the search did")] = False


@frozen
class AroundReply:
    """The notes that a paragraph could link, best first, without those that its note links.

    `text` is the paragraph that they belong to, `line` the line of the note on which it begins, if
    it was read there. `linked` of a result is `in` where it links to the note.
    """

    vault: str
    path: str
    line: int | None
    text: str
    results: tuple[Result, ...]
    generation: int
    took_ms: float
    warnings: tuple[str, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/note/around",
        "around",
        "Notes that belong to a paragraph of a note",
        rate_class="search",
        example={"path": "Garden/Bees.md", "line": 5, "limit": 3},
    )
)
class AroundRequest(Request[AroundReply]):
    """Notes that belong to the paragraph in which somebody writes or reads."""

    path: Annotated[NotePath, Doc("The note; one that is not indexed yet needs a `text`")] = ""
    line: Annotated[Annotated[int, Ge(1)] | None, Doc("The line of the paragraph")] = None
    text: Annotated[
        str, MaxLen(2000), Doc("The paragraph as it is in the editor, in place of the indexed one")
    ] = ""
    limit: Limit = 6


CompletionKind = Literal["filter", "tag", "folder", "path", "property", "value", "title", "alias"]


@frozen
class Completion:
    """A completion of a query: `insert` replaces the query from `start` on.

    `start` counts UTF-16 code units; `count` is the number of notes that have it, or for a title
    or a path the number of notes that link to it; `path` is the note that it names, if it does.
    """

    kind: CompletionKind
    text: str
    insert: str
    start: int
    count: int
    path: str | None = None


@frozen
class CompleteReply:
    """Completions, best first."""

    prefix: str
    vault: str
    generation: int
    completions: tuple[Completion, ...]


@request_to(
    Endpoint(
        "GET",
        "/api/complete",
        "complete",
        "Completions of a query that is being typed",
        rate_class="search",
        example={"prefix": "spring tag:gar", "limit": 5},
    )
)
class CompleteRequest(Request[CompleteReply]):
    """Completions of the query that begins with `prefix`."""

    prefix: Annotated[SearchText, Doc("The query up to the cursor")] = ""
    limit: Limit = 10
