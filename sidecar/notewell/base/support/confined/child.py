"""The process that runs one small program of a language model, confined, and ends.

Reads a request as JSON from its standard input until that is closed, and writes its reply to its
standard output. Uses the standard library alone: nothing else of the environment has to be found,
and nothing is imported once the process is confined.
"""

from __future__ import annotations

import heapq  # noqa: F401 - loaded by Counter.most_common, which then may open no file
import json
import os
import re
import sys
import time
import unicodedata  # noqa: F401 - loaded by the first "\N{...}"

from notewell.base.support.confined.confine import Allowed, UnconfinedError, confine
from notewell.base.support.confined.rules import run

_DASHES = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_BAR = re.compile(r"(?<!\\)\|")

Row = dict[str, str]
_STDOUT = 1


def main() -> None:
    """Serve the one request."""
    request = json.loads(sys.stdin.buffer.read())
    time.localtime()  # reads the time zone, for `datetime.now()`
    try:
        seconds, memory = float(request["seconds"]), int(request["memory"])
        confine(Allowed(write=(_STDOUT,)), seconds=seconds, memory=memory)
    except UnconfinedError as error:
        _reply({"confined": False, "output": "", "error": str(error)})
    values = {"notes": request["notes"], "tables": tables}
    outcome = run(str(request["code"]), values, int(request["output"]))
    _reply({"confined": True, "output": outcome.output, "error": outcome.error})


def _reply(reply: dict[str, object]) -> None:
    """Write the reply and end at once: an orderly end would want what is refused now."""
    rest = json.dumps(reply).encode()
    while rest:
        rest = rest[os.write(_STDOUT, rest) :]
    os._exit(0)


# --- tables in Markdown, for programs ------------------------------------------------------
#
# They are those of GitHub's Markdown (https://github.github.com/gfm/#tables-extension-): a row of
# headings, a row of dashes, and rows until an empty line. Tables in blocks of code are left out.


def tables(text: str) -> list[list[Row]]:
    """The tables of a text, each a list of rows, each a dict from heading to cell.

    A heading that comes again gets a number; cells beyond the headings are left out.
    """
    lines = _outside_code(text)
    found: list[list[Row]] = []
    at = 1
    while at < len(lines):
        headings = _cells(lines[at - 1])
        if not _is_rule(lines[at], len(headings)):
            at += 1
        else:
            end = at + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            found.append(_rows(headings, lines[at + 1 : end]))
            at = end + 1
    return found


def _is_rule(line: str, columns: int) -> bool:
    """True where a line is the row of dashes of a table with so many columns."""
    return "|" in line and bool(_DASHES.fullmatch(line)) and len(_cells(line)) == columns


def _rows(headings: list[str], lines: list[str]) -> list[Row]:
    names = [
        f"{one} {before + 1}" if (before := headings[:at].count(one)) else one
        for at, one in enumerate(headings)
    ]
    rows = []
    for line in lines:
        cells = _cells(line)
        cells += [""] * (len(names) - len(cells))
        rows.append(dict(zip(names, cells, strict=False)))
    return rows


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    parts = _BAR.split(inner)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _outside_code(text: str) -> list[str]:
    """The lines of a text; those of code blocks are empty."""
    lines, fence = [], ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append(line)
    return lines


if __name__ == "__main__":
    main()
