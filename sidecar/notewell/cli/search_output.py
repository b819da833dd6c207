"""How found notes look on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from notewell.cli.documents import (
    ContributionDocument,
    Offsets,
    ResultDocument,
    SearchDocument,
    StageDocument,
)
from notewell.cli.drawing import stdout_console
from notewell.cli.output import clean, print_table

_INDENT = 4
_SIDES = ("keyword", "semantic")
_SPACES = re.compile(r"\s+")


def print_results(document: SearchDocument) -> None:
    """Print each note with its place, heading, best passage and where else it matches."""
    console = stdout_console()
    if not document["results"]:
        console.print("Nothing found.")
    for rank, result in enumerate(document["results"], start=1):
        _print_result(console, rank, result)
    if "explain" in document:
        print_stages(document["explain"]["stages"])
        print_contributions(document["explain"].get("results", []))


def _print_result(console: Console, rank: int, result: ResultDocument) -> None:
    title = Text(f"{rank:>2}  ")
    title.append(clean(result["title"]), style="bold cyan")
    title.append(f"  {result['score']:.2f}", style="dim")
    console.print(title, soft_wrap=True)
    # Soft-wrapped: a path must come out whole when it is copied from a narrow terminal.
    place = " " * _INDENT + clean(f"{result['path']}:{result['line']}")
    console.print(Text(place, style="green"), soft_wrap=True)
    beneath = [
        Text(clean(_below_title(result)), style="dim"),
        highlighted(result["snippet"], result["highlights"]),
        Text(_elsewhere(result), style="dim"),
        Text(clean(_why(result)), style="dim"),
    ]
    for text in beneath:
        if text.plain:
            console.print(Padding(text, (0, 0, 0, _INDENT), expand=False))
    console.print()


def _below_title(result: ResultDocument) -> str:
    """The heading path; a first heading that only repeats the title says nothing new."""
    first, separator, rest = (result["heading"] or "").partition(" > ")
    return rest if first == result["title"] else f"{first}{separator}{rest}"


def _elsewhere(result: ResultDocument) -> str:
    lines = [str(passage["line"]) for passage in result["passages"]]
    return f"also at line {', '.join(lines)}" if lines else ""


def _why(result: ResultDocument) -> str:
    """Why a similar note is here; nothing for what a search found."""
    said = {"passage": "like “{}”", "links": "both linked with {}", "tags": "both {}"}
    parts = [said.get(one["kind"], "{}").format(one["text"]) for one in result.get("reasons", [])]
    if result.get("linked"):
        parts.append("linked already")
    if same := result.get("duplicates"):
        parts.append(f"nearly the same: {', '.join(same)}")
    return " · ".join(parts)


def highlighted(snippet: str, highlights: Offsets) -> Text:
    """`snippet` on one line, its highlights (UTF-16 offsets, as the contract counts) in bold."""
    text = Text()
    for piece, bold in _pieces(snippet, highlights):
        text.append(clean(_SPACES.sub(" ", piece)), style="bold yellow" if bold else "")
    return text


def _pieces(snippet: str, highlights: Offsets) -> Iterator[tuple[str, bool]]:
    units = snippet.encode("utf-16-le", "surrogatepass")
    at = 0
    for start, end in sorted(map(tuple, highlights)):
        if start < at or end <= start:
            continue
        yield _decode(units[2 * at : 2 * start]), False
        yield _decode(units[2 * start : 2 * end]), True
        at = end
    yield _decode(units[2 * at :]), False


def _decode(units: bytes) -> str:
    return units.decode("utf-16-le", "replace")


def print_stages(stages: list[StageDocument]) -> None:
    """Print what each stage of the pipeline did to the candidates."""
    rows = [
        (
            stage["name"],
            f"{stage['ms']:.2f}",
            f"{stage['count_in']:,}",
            f"{stage['count_out']:,}",
            ", ".join(f"{gone['count']} {gone['reason']}" for gone in stage["removed"]),
            ", ".join(stage["top"][:3]),
        )
        for stage in stages
    ]
    print_table(("stage", "ms", "in", "out", "removed", "top"), rows, right=("ms", "in", "out"))


def print_contributions(contributions: list[ContributionDocument]) -> None:
    """Print what each result's score is made of; nothing where nothing was scored."""
    rows = [
        (
            one["path"],
            f"{one['score']:.2f}",
            *(f"{one['adds'][side]:.2f} (#{one['ranks'][side] or '-'})" for side in _SIDES),
            " ".join(f"{name} x{value:.2f}" for name, value in one["times"].items() if value != 1),
            " ".join(f"{token} {worth:.1f}" for token, worth in one["words"].items()),
        )
        for one in contributions
    ]
    if rows:
        headings = ("result", "score", "by words", "by meaning", "lifted", "its words, BM25")
        print_table(headings, rows, right=("score", "by words", "by meaning"))


def summary(document: SearchDocument) -> str:
    """One line on how much was found and how fast."""
    shown, total = len(document["results"]), document["total"]
    notes = "1 note" if total == 1 else f"{total:,} notes"
    part = f"{shown} of {notes}" if shown < total else notes
    return f"{part}, {document['took_ms']:.1f} ms, {document['mode']}"
