"""Reads the links that a person saved below a heading of a daily note.

An entry is a list item with a link or an address, or an address on a line of its own; it may have a
time (`[14:30]`), a description behind the link, and more of it on the lines below that are indented
or quoted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from urllib.parse import SplitResult, urlsplit

from notewell.api.errors import UsageError
from notewell.api.types import frozen
from notewell.base.types import Heading

_PORTS = {"http": 80, "https": 443}
_TRACKING = ("gclid", "fbclid")
_ID_CHARS = 12
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<rest>.*)")
_LINK = re.compile(
    r"(?<!!)\[(?P<title>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
    r"\((?:<(?P<angled>[^<>]*)>|(?P<url>(?:[^\s()]|\([^\s()]*\))*))(?:[ \t]+\"[^\"]*\")?\)"
)
_BARE = re.compile(
    r"<(?P<angled>[a-zA-Z][\w+.-]*://[^\s<>]+)>|(?P<url>[a-zA-Z][\w+.-]*://[^\s<>]+)"
)
_TIME = re.compile(r"(?:^|\s)\[?(?P<time>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)\]?(?=\s|$)")
_MORE = re.compile(r"(?:[ \t]{2,}|\t|[ \t]*>)")
_AROUND = " \t-\u2013\u2014:|*"
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)*")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_HASHES = re.compile(r"^(?P<level>#*)\s*(?P<text>.*)$")
# A sentence's full stop behind an address does not belong to it.
_TAIL = ".,;:!?\u3002\uff0c"


def normalise(url: str) -> str:
    """Return the form by which two addresses of one page are equal.

    Scheme and host in lower case; default port, fragment, `utm_*`, `gclid`, `fbclid` and one
    trailing slash of the path are dropped, and nothing else. UsageError if it is no web address.
    """
    parts = _split(url)
    query = "&".join(
        parameter for parameter in parts.query.split("&") if parameter and not _tracks(parameter)
    )
    path = parts.path.removesuffix("/")
    return f"{parts.scheme.lower()}://{_host(parts)}{path}{f'?{query}' if query else ''}"


def gleaning_id(url: str) -> str:
    """Return the id of a gleaning: the first 12 hexadecimal digits of the MD5 of its address."""
    digest = hashlib.md5(normalise(url).encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return digest.hexdigest()[:_ID_CHARS]


def domain(url: str) -> str:
    """Return the host of an address in lower case, without `www.`; UsageError as `normalise`."""
    return (_split(url).hostname or "").removeprefix("www.")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        valid = parts.scheme.lower() in _PORTS and bool(parts.hostname)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(
            f"{url[:200]!r} is no web address: it must begin with https:// or http://."
        )
    return parts


def _host(parts: SplitResult) -> str:
    name, at, host = parts.netloc.rpartition("@")
    host = host.lower()
    if parts.port == _PORTS[parts.scheme.lower()] or host.endswith(":"):
        host = host.rpartition(":")[0]
    return f"{name}{at}{host}"


def _tracks(parameter: str) -> bool:
    name = parameter.partition("=")[0]
    return name in _TRACKING or name.startswith("utm_")


@frozen
class SavedLink:
    """A saved link. `title` is "" where only the address is known; `line` counts from 1."""

    url: str
    title: str
    description: str
    time: str | None
    line: int


@frozen
class Malformed:
    """An entry that cannot be read, and why."""

    line: int
    why: str


@frozen
class Found:
    """The entries of a daily note below the headings."""

    entries: tuple[SavedLink, ...]
    malformed: tuple[Malformed, ...]


def read_entries(text: str, headings: Sequence[Heading], names: Sequence[str]) -> Found:
    r"""Read the entries below the headings called `names` ("## Gleanings", or "Gleanings").

    The line ends of `text` are `\n`; `headings` are those of the note, so none is in code.
    """
    lines = text.split("\n")
    entries: list[SavedLink] = []
    malformed: list[Malformed] = []
    for first, last in _sections(headings, names, len(lines)):
        for number, written, more in _items(lines, first, last):
            try:
                entries.append(_entry(number, written, more))
            except UsageError as error:
                malformed.append(Malformed(number, error.message))
    return Found(tuple(entries), tuple(malformed))


def _sections(
    headings: Sequence[Heading], names: Sequence[str], lines: int
) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each section, from 1."""
    for at, heading in enumerate(headings):
        if any(_is_called(heading, name) for name in names):
            below = (other.line for other in headings[at + 1 :] if other.level <= heading.level)
            yield heading.line + 1, next(below, lines + 1) - 1


def _is_called(heading: Heading, name: str) -> bool:
    wanted = _HASHES.match(name.strip())
    if wanted is None or not wanted["text"]:
        return False
    level = len(wanted["level"]) or heading.level
    same = heading.text.strip().casefold() == wanted["text"].strip().casefold()
    return same and heading.level == level


def _items(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line number, text and description lines of each item of a section."""
    number, in_code = first, False
    while number <= last:
        line = lines[number - 1]
        if _FENCE.match(line):
            in_code = not in_code
        written = None if in_code else _item_text(line)
        if written is None:
            number += 1
            continue
        more, after = _description_lines(lines, number + 1, last)
        yield number, written, more
        number = after


def _item_text(line: str) -> str | None:
    """The text of an entry that begins on this line; None: it begins none."""
    item = _ITEM.match(line)
    if item is not None:
        return item["rest"]
    bare = _BARE.match(line)
    return line if bare is not None and not _TIME.sub("", line[bare.end() :]).strip() else None


def _description_lines(lines: Sequence[str], number: int, last: int) -> tuple[list[str], int]:
    """The lines that describe an entry, and the number of the line after them."""
    more: list[str] = []
    while number <= last:
        line = lines[number - 1]
        below = lines[number] if number < last else ""
        if _MORE.match(line):
            more.append(_QUOTE.sub("", line).strip())
        elif not line.strip() and more and _MORE.match(below):
            more.append("")
        else:
            break
        number += 1
    return more, number


def _entry(number: int, written: str, more: Sequence[str]) -> SavedLink:
    match = _LINK.search(written) or _BARE.search(written)
    if match is None:
        raise UsageError("there is no link in this entry")
    url = match["angled"] or match["url"] or ""
    linked = "title" in match.re.groupindex
    if not linked and match["angled"] is None:
        url = url.rstrip(_TAIL)
    normalise(url)  # refuses what is no web address
    before, after = written[: match.start()], written[match.end() :]
    clock = _TIME.search(after) or _TIME.search(before)
    before, after = (_TIME.sub(" ", part).strip(_AROUND) for part in (before, after))
    title = " ".join(match["title"].split()) if linked else before
    description = "\n".join([*([after] if after else []), *more]).strip()
    return SavedLink(url, title, description, clock["time"] if clock else None, number)
