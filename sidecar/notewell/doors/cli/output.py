"""Output to the terminal: results on stdout, messages for people on stderr.

Names and texts of notes are untrusted input. They are shown with their control characters escaped,
so that they cannot control the terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

import click

from notewell.contract.codec import to_json
from notewell.doors.cli import layout

# C0 and C1 controls, bidirectional overrides and isolates, lone surrogates of undecodable names.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return `text` on one line, with control characters and the like as visible escapes."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def clean_lines(text: str) -> str:
    """Return `text` as `clean` does, but keep its lines."""
    return "\n".join(map(clean, text.splitlines()))


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, which takes an `s` in the plural: `1 page`, `2,000 pages`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def local_time(time: str | None) -> str:
    """Return a reply's time (ISO 8601) as people here read it, to the minute; empty where none."""
    return "" if time is None else f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def print_message(message: str) -> None:
    """Print a message for people on stderr."""
    click.echo(clean_lines(message), err=True)


def print_error(message: str) -> None:
    """Print on stderr what went wrong and what to do."""
    print_message(f"notewell: {message}")


def emit(document: bytes) -> None:
    """Print a JSON document, one line, on stdout."""
    click.echo(document)


def emit_object(value: object) -> None:
    """Print a reply record, or plain JSON data, on stdout."""
    emit(to_json(value))


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
) -> None:
    """Print rows under headings, without borders. Columns named in `right` are aligned there.

    Only the last column is folded. Where the terminal is too narrow even for that, each cell of a
    row is printed on a line of its own.
    """
    layout.print_rows(headings, [[clean(cell) for cell in row] for row in rows], right=right)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair per line, with the values aligned."""
    layout.print_pairs((clean(name), clean_lines(value)) for name, value in facts)


def print_qr(link: str, *, wanted: bool | None) -> None:
    """Draw `link` on stderr for a phone's camera; by default only on a terminal."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return
    import segno  # noqa: PLC0415 - only the commands that make links draw

    segno.make(link, error="l", micro=False).terminal(out=sys.stderr, compact=True, border=2)
