"""How search results are printed on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from notewell.cli.drawing import stdout_console
from notewell.cli.output import clean, print_table
from notewell.contract.search import Contribution, Result, SearchReply, StageTrace

_INDENT = 4
_SIDES = ("keyword", "semantic")
_SPACES = re.compile(r"\s+")

Offsets = Sequence[tuple[int, int]]  # UTF-16 code units, start and end


def print_results(reply: SearchReply) -> None:
    """Print each note with its place, heading, best passage and where else it matches."""
    console = stdout_console()
    if not reply.results:
        console.print("Nothing found.")
    for rank, result in enumerate(reply.results, start=1):
        _print_result(console, rank, result)
    if reply.explain is not None:
        print_stages(reply.explain.stages)
        print_contributions(reply.explain.results)


def _print_result(console: Console, rank: int, result: Result) -> None:
    title = Text(f"{rank:>2}  ")
    title.append(clean(result.title), style="bold cyan")
    title.append(f"  {result.score:.2f}", style="dim")
    console.print(title, soft_wrap=True)
    # Soft-wrapped: a path must come out whole when it is copied from a narrow terminal.
    place = " " * _INDENT + clean(f"{result.path}:{result.line}")
    console.print(Text(place, style="green"), soft_wrap=True)
    beneath = [
        Text(clean(_below_title(result)), style="dim"),
        highlighted(result.snippet, result.highlights),
        Text(_elsewhere(result), style="dim"),
        Text(clean(_why(result)), style="dim"),
    ]
    for text in beneath:
        if text.plain:
            console.print(Padding(text, (0, 0, 0, _INDENT), expand=False))
    console.print()


def _below_title(result: Result) -> str:
    """Return the heading path, without a first heading that only repeats the title."""
    first, separator, rest = (result.heading or "").partition(" > ")
    return rest if first == result.title else f"{first}{separator}{rest}"


def _elsewhere(result: Result) -> str:
    lines = [str(passage.line) for passage in result.passages]
    return f"also at line {', '.join(lines)}" if lines else ""


def _why(result: Result) -> str:
    """Say why a similar note was found; empty for the results of a search."""
    patterns = {"passage": "like “{}”", "links": "both linked with {}", "tags": "both {}"}
    parts = [patterns.get(one.kind, "{}").format(one.text) for one in result.reasons]
    if result.linked is not None:
        parts.append("linked already")
    if result.duplicates:
        parts.append(f"nearly the same: {', '.join(result.duplicates)}")
    return " · ".join(parts)


def highlighted(snippet: str, highlights: Offsets) -> Text:
    """Return `snippet` on one line, its highlights (UTF-16 offsets) in bold."""
    text = Text()
    for piece, bold in _pieces(snippet, highlights):
        text.append(clean(_SPACES.sub(" ", piece)), style="bold yellow" if bold else "")
    return text


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
    rows = [
        (
            one.path,
            f"{one.score:.2f}",
            *(f"{one.adds[side]:.2f} (#{one.ranks[side] or '-'})" for side in _SIDES),
            " ".join(f"{name} x{value:.2f}" for name, value in one.times.items() if value != 1),
            " ".join(f"{token} {worth:.1f}" for token, worth in one.words.items()),
        )
        for one in contributions
    ]
    if rows:
        headings = ("result", "score", "keyword", "semantic", "boosts", "BM25 per word")
        print_table(headings, rows, right=("score", "keyword", "semantic"))


def summary(reply: SearchReply) -> str:
    """Say in one line how much was found and how fast."""
    shown, total = len(reply.results), reply.total
    notes = "1 note" if total == 1 else f"{total:,} notes"
    part = f"{shown} of {notes}" if shown < total else notes
    return f"{part}, {reply.took_ms:.1f} ms, {reply.mode}"
