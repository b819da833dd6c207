"""`notewell search` and `notewell similar`: the commands, and their results on a terminal."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import click
from rich.cells import cell_len, chop_cells

from notewell.base.types import Match, Signal, VaultRecord
from notewell.contract.codec import to_json
from notewell.contract.search import (
    Contribution,
    Result,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    StageTrace,
)
from notewell.doors.cli.asking import (
    query_argument,
    request_argument,
    request_option,
    request_options,
)
from notewell.doors.cli.backends import answer, backend_for, note_path, print_reply
from notewell.doors.cli.options import (
    Command,
    QueryCommand,
    current_invocation,
    json_option,
    runnable,
    vault_option,
)
from notewell.doors.cli.output import (
    Piece,
    clean,
    emit,
    excerpt,
    print_folded,
    print_pieces,
    print_table,
    show_in_pager,
    width,
)
from notewell.engine.several_vaults import find_named, merge_answers, part_of

_long_option = click.option(
    "--long",
    is_flag=True,
    help="Show the whole passage of each note and where else it matches, not two lines.",
)


@click.command(cls=QueryCommand)
@query_argument(SearchRequest)
@vault_option
@request_options(
    SearchRequest,
    "limit",
    "mode",
    "group",
    "plain",
    "everything",
    "weak",
    "recency",
    "graph",
    "collapse",
)
@request_option(SearchRequest, "expand", help="Also search for related words.")
@click.option(
    "--expand-llm",
    is_flag=True,
    help="Also search for other wordings, by the language model set under [ask].",
)
@request_options(SearchRequest, "rerank")
@click.option(
    "--ignore",
    multiple=True,
    type=click.Choice(get_args(Signal)),
    help="A signal of the ranking to ignore; spelling: search for exactly what was typed."
    " May be given several times.",
)
@request_option(
    SearchRequest,
    "paths",
    "--path",
    multiple=True,
    metavar="PATH",
    help="Search within this note or folder. May be given several times.",
)
@request_options(SearchRequest, "as_of", "ever", "explain")
@_long_option
@json_option
def search(
    *,
    vault: str | None,
    as_json: bool,
    long: bool,
    expand_llm: bool,
    ignore: tuple[Signal, ...],
    **fields: Any,
) -> None:
    """Find notes by meaning and by keyword.

    QUERY is the rest of the line: words, exact phrases ('"left-hand thread"') and -exclusions.
    `--vault all`, or names with commas between, searches several vaults as one.
    """
    if expand_llm:
        fields["expand"] = "llm"
    request = SearchRequest(**fields, ignore=frozenset(ignore), door="cli")
    show = partial(_show, long=long, began=time.monotonic())
    records = find_named(vault, current_invocation().known().records())
    if records:
        _show_all(records, request, show, as_json=as_json)
    else:
        answer(vault, request, show, as_json=as_json)


def _of_vault(record: VaultRecord, request: SearchRequest) -> SearchReply:
    with backend_for(current_invocation(), record.id) as (_, backend):
        return backend.answer(request)


def _show_all(
    records: tuple[VaultRecord, ...],
    request: SearchRequest,
    show: Callable[[SearchReply], None],
    *,
    as_json: bool,
) -> None:
    """Search several vaults, each by its server or its index, and print one list."""
    parts = [part_of(record.name, partial(_of_vault, record, request)) for record in records]
    reply = merge_answers(parts, request.limit)
    if as_json:
        emit(to_json(reply))
    else:
        show(reply)


@click.command(cls=Command)
@request_argument(SimilarRequest, "path", "NOTE")
@vault_option
@request_options(SimilarRequest, "limit", "heading", "line", "unlinked", "links", "weak")
@_long_option
@json_option
def similar(*, path: str, vault: str | None, as_json: bool, long: bool, **fields: Any) -> None:
    """Find notes similar to NOTE, or to a part of it.

    NOTE is a path in the vault, or a file relative to the current folder; `.md` may be left out.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        request = SimilarRequest(note_path(path, record, cwd=Path.cwd()), **fields)
        show = partial(_show, long=long, began=time.monotonic())
        print_reply(backend, request, show, as_json=as_json)


def _show(reply: SearchReply, *, long: bool, began: float) -> None:
    invocation = current_invocation()
    # Where nothing matches well, `print_results` says it, with what to try on a terminal.
    invocation.warn([text for text in reply.warnings if NOTHING_MATCHES not in text])
    corrected = correction(reply)
    if corrected is not None:
        invocation.say(corrected)
    seconds = time.monotonic() - began
    with show_in_pager():
        print_results(reply, long=long)
    several = len(invocation.known().records()) > 1
    invocation.say(summary(reply, seconds=seconds, name_vault=several))


_INDENT = 4
# The ranking whose rank an addend or half of a score is shown with.
_RANK_OF = {"words": "keyword", "meaning": "semantic", "keyword": "keyword", "semantic": "semantic"}
_MATCHES: Mapping[Match, str] = {
    "strong": "strong match",
    "related": "related",
    "weak": "weak match",
}
_COLOURS: Mapping[Match, str | None] = {"strong": "green", "related": "cyan", "weak": None}
_NOTICEABLE_S = 0.5  # of waiting, which is told beside the time of the search itself
_GAP = 2  # between the parts of a line
_SHORTEST_TITLE = 12  # cells
NOTHING_MATCHES = "Nothing matches well."
_SPACES = re.compile(r"\s+")

Offsets = Sequence[tuple[int, int]]  # UTF-16 code units, start and end


def print_results(reply: SearchReply, *, long: bool = False) -> None:
    """Print each note in two lines: its name and place, and what of its best passage fits.

    With `long`: its place, heading, whole passage and where else it matches.
    """
    if not reply.results:
        click.echo(runnable("\n".join(nothing_found(reply))))
    for rank, result in enumerate(reply.results, start=1):
        (_print_result if long else _print_short)(rank, result)
    if reply.explain is not None:
        print_stages(reply.explain.stages)
        print_contributions(reply.explain.results)


def nothing_found(reply: SearchReply) -> list[str]:
    """Say that nothing was found, and which of the command's options would find more."""
    weak = reply.filtered.get("weak", 0)
    tries = []
    if '"' in reply.query:
        tries.append("without the quotation marks, to find the words anywhere in a note")
    if weak:
        tries.append(f"--weak, to see {_notes(weak, 'that hardly matches', 'that hardly match')}")
    # A condition of the query on the status counts under the same name.
    reasons = ("daily",) if "status:" in reply.query else ("daily", "status")
    left_out = sum(reply.filtered.get(reason, 0) for reason in reasons)
    if left_out:
        tries.append(f"--everything, to search {left_out:,} shelved or daily notes too")
    if not tries:
        tries.append("other words or fewer of them, or `notewell status`: is the index complete?")
    if not weak:
        return ["Nothing found.", *_list("Try", tries)]
    return [NOTHING_MATCHES, *_list("Try", tries)]


def correction(reply: SearchReply) -> str | None:
    """Say which spelling was searched for, if it is not the one that was typed."""
    if reply.corrected is None:
        return None
    return (
        f"Showing results for {clean(reply.corrected['text'])}"
        f" (searched: {clean(reply.query)}; --ignore spelling searches for exactly this)."
    )


def _list(head: str, items: Sequence[str]) -> list[str]:
    return [f"{head}:", *(f"  {item}" for item in items)] if items else []


def _notes(count: int, one: str, more: str) -> str:
    return f"the note {one}" if count == 1 else f"the {count:,} notes {more}"


def _title(result: Result, *, room: int | None = None) -> Piece:
    """Return the title in the colour of its match, cut to `room` cells, as a link to Obsidian."""
    color = "cyan" if result.match is None else _COLOURS[result.match]
    text = clean(result.title)
    if room is not None and cell_len(text) > room:
        text = f"{chop_cells(text, max(room - 1, 1))[0]}…"
    weak = result.match == "weak"
    return Piece(text, color, bold=not weak, dim=weak, link=clean(result.uri) or None)


def _print_short(rank: int, result: Result) -> None:
    place, match = clean(_place(result)), _match_in_words(result)
    # The path is never cut, so that it can be copied; the title is, down to a few letters.
    room = width() - _INDENT - cell_len(place) - len(match) - 2 * _GAP
    print_pieces(
        (
            Piece(f"{rank:>2}  "),
            _title(result, room=max(room, _SHORTEST_TITLE)),
            Piece(f"{' ' * _GAP}{match}{' ' * _GAP}", dim=True),
            Piece(place, "green"),
        )
    )
    as_of = _as_of(result)
    text = _second_line(result, width() - _INDENT - len(as_of))
    if text:
        print_pieces((Piece(" " * _INDENT), *text, Piece(as_of, dim=True)))


def _second_line(result: Result, room: int) -> list[Piece]:
    """Return the reasons why a note was found; without any, the heading and the passage."""
    if any(reason.kind != "synonym" for reason in result.reasons):
        return excerpt([Piece(clean(_why(result)), dim=True)], room)
    heading = clean(_below_title(result))
    if not heading or cell_len(heading) > room // 2:
        return excerpt(highlight(result.snippet, result.highlights), room)
    before = Piece(f"{heading} · ", dim=True)
    snippet = highlight(result.snippet, result.highlights)
    return [before, *excerpt(snippet, room - cell_len(before.text))]


def _print_result(rank: int, result: Result) -> None:
    title = _title(result)
    print_pieces((Piece(f"{rank:>2}  "), title, Piece(f"  {_match_in_words(result)}", dim=True)))
    # Not folded: a path must come out whole when it is copied from a narrow terminal.
    print_pieces((Piece(" " * _INDENT), Piece(clean(_place(result)), "green")))
    beneath = (
        [Piece(clean(_below_title(result)), dim=True)],
        highlight(result.snippet, result.highlights),
        [Piece(_as_of(result).strip(), dim=True)],
        [Piece(_elsewhere(result), dim=True)],
        [Piece(clean(_why(result)), dim=True)],
    )
    for pieces in beneath:
        if any(piece.text for piece in pieces):
            print_folded(pieces, indent=_INDENT)
    click.echo()


def _place(result: Result) -> str:
    """Return the path with the line or page, what embeds the file, and its conflict copies."""
    saved = _saved_link(result)
    if saved is not None:
        return saved
    at = f":{result.line}" if result.page is None else f", page {result.page}"
    names = [PurePosixPath(path).stem for path in result.embedded_in]
    path = f"{result.vault} > {result.path}" if result.vault else result.path
    count = len(result.copies)
    copies = f", with {count} conflict cop{'y' if count == 1 else 'ies'}" if count else ""
    return path + at + (f", embedded in {', '.join(names)}" if names else "") + copies


def _saved_link(result: Result) -> str | None:
    """Return the address of a link saved in a daily note, and its place; None for other results.

    Its own path is no file.
    """
    address, day = (result.properties.get(name) for name in ("url", "migrated_from"))
    if not isinstance(address, str) or not isinstance(day, str):
        return None
    from notewell.vault.paths import is_document  # noqa: PLC0415 - few results need it

    if not is_document(result.path):
        return None
    line = parse_qs(urlsplit(result.uri).query).get("line", ())
    place = f"{result.vault} > {day}" if result.vault else day
    return f"{address}, saved in {':'.join((place, *line))}"


def _as_of(result: Result) -> str:
    """Return the day of the indexed text, where it is not the present one, or that it is gone."""
    if result.as_of:
        return f"  (as of {result.as_of[:10]})"
    return "  (no longer there)" if result.current is False else ""


def _match_in_words(result: Result) -> str:
    """Return the quality of the match in words; for similar notes the score."""
    return f"{result.score:.2f}" if result.match is None else _MATCHES[result.match]


def _below_title(result: Result) -> str:
    """Return the heading path and the list items around the passage.

    Without a first heading that only repeats the title.
    """
    first, separator, rest = (result.heading or "").partition(" > ")
    headings = rest if first == result.title else f"{first}{separator}{rest}"
    return " > ".join(filter(None, (headings, result.parent)))


def _elsewhere(result: Result) -> str:
    if result.page is not None:
        pages = dict.fromkeys(str(passage.page) for passage in result.passages if passage.page)
        return f"also on page {', '.join(pages)}" if pages else ""
    lines = [str(passage.line) for passage in result.passages]
    return f"also at line {', '.join(lines)}" if lines else ""


def _why(result: Result) -> str:
    """Say why a similar note was found, or what no passage shows: a file in it, a property."""
    patterns = {"passage": "like “{}”", "links": "both linked with {}", "tags": "both {}"}
    parts = [patterns.get(reason.kind, "{}").format(reason.text) for reason in result.reasons]
    if result.linked is not None:
        parts.append("linked already")
    if result.duplicates:
        parts.append(f"nearly the same: {', '.join(result.duplicates)}")
    return " · ".join(parts)


def highlight(snippet: str, highlights: Offsets) -> list[Piece]:
    """Return `snippet` on one line, its highlights (UTF-16 offsets) in bold."""
    return [
        Piece(clean(_SPACES.sub(" ", text)), "yellow" if bold else None, bold=bold)
        for text, bold in _pieces(snippet, highlights)
    ]


def _pieces(snippet: str, highlights: Offsets) -> Iterator[tuple[str, bool]]:
    units = snippet.encode("utf-16-le", "surrogatepass")
    at = 0
    for start, end in sorted(highlights):
        if start < at or end <= start:
            continue
        yield _decode(units[2 * at : 2 * start]), False
        yield _decode(units[2 * start : 2 * end]), True
        at = end
    yield _decode(units[2 * at :]), False


def _decode(units: bytes) -> str:
    return units.decode("utf-16-le", "replace")


def print_stages(stages: Sequence[StageTrace]) -> None:
    """Print what each stage of the pipeline did to the candidates."""
    rows = [
        (
            stage.name,
            f"{stage.ms:.2f}",
            f"{stage.count_in:,}",
            f"{stage.count_out:,}",
            ", ".join(f"{gone.count} {gone.reason}" for gone in stage.removed),
            ", ".join(stage.top[:3]),
        )
        for stage in stages
    ]
    print_table(("stage", "ms", "in", "out", "removed", "top"), rows, right=("ms", "in", "out"))


def print_contributions(contributions: Sequence[Contribution]) -> None:
    """Print what each result's score is made of; nothing where nothing was scored."""
    parts = list(
        dict.fromkeys(name for contribution in contributions for name in contribution.adds)
    )
    rows = [
        (
            contribution.path,
            f"{contribution.score:.2f}",
            *(_part(contribution, name) for name in parts),
            " ".join(
                f"{name} x{value:.2f}" for name, value in contribution.times.items() if value != 1
            ),
            " ".join(f"{token} {worth:.1f}" for token, worth in contribution.words.items()),
            " ".join(f"{name} {share:.0%}" for name, share in contribution.fields.items()),
        )
        for contribution in contributions
    ]
    if not rows:
        return
    headings = ("result", "score", *parts, "boosts", "BM25 per word", "query said by")
    print_table(headings, rows, right=("score", *parts))
    steps = list(
        dict.fromkeys(name for contribution in contributions for name in contribution.stages)
    )
    scores = [
        (
            contribution.path,
            *(
                f"{contribution.stages[name]:.2f}" if name in contribution.stages else ""
                for name in steps
            ),
        )
        for contribution in contributions
    ]
    if steps:
        print_table(("score after", *steps), scores, right=tuple(steps))


def _part(one: Contribution, name: str) -> str:
    """Return a part of a score, with the note's rank by it where there is one."""
    part, rank = f"{one.adds.get(name, 0.0):.2f}", _RANK_OF.get(name)
    return f"{part} (#{one.ranks.get(rank) or '-'})" if rank is not None else part


def summary(reply: SearchReply, *, seconds: float = 0.0, name_vault: bool = False) -> str:
    """Say in one line how much was found and how fast; `seconds` is how long a person waited.

    `name_vault` says where it was searched, for people who have several vaults.
    """
    shown, total = len(reply.results), reply.total
    notes = "1 note" if total == 1 else f"{total:,} notes"
    part = f"{shown} of {notes}" if shown < total else notes
    waited = f" ({seconds:.1f} s in all)" if seconds >= _NOTICEABLE_S else ""
    where = f" in {reply.vault}" if name_vault else ""
    return f"{part}{where}, {reply.took_ms:.1f} ms{waited}, {reply.mode}"
