r"""Makes one line of a language model's Markdown harmless: what it would load, run or hide.

The rules, each with the part of Obsidian or of a usual plugin that it is about:

- a picture from outside the vault is requested when it is drawn, and its address can carry text of
  notes: it becomes a link that shows its whole address;
- HTML (and templates of Templater, `<% %>`) becomes text;
- an embedded note brings what stands in it: only a cited one stays embedded;
- a link that is no web page, mail or note (`javascript:`, `obsidian:`) becomes text;
- `\style`, `\href` and the like of MathJax load addresses or change the page: they lose their
  backslash; comments (`%%`) would hide what follows: they are broken up;
- code that a plugin would run (`$= …` and `= …` of Dataview, `BUTTON[…]` of Meta Bind) stays code
  that nothing runs.

Where this reader and Obsidian may disagree whether something is code, a character that cannot be
seen (U+200B) is put into what would be harmful in text, so that either reading is harmless.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TypeAlias

IsCited: TypeAlias = Callable[[str], bool]  # of the target of an embed, without its heading
UNSEEN = "\u200b"

_TEX = (
    "(?:style|href|class|cssId|require|csname|bbox|mmlToken|includegraphics|texttip|"
    "data|img|unicode|html[A-Za-z]*)(?![A-Za-z])"
)
_COMMAND = re.compile(_TEX)
_TAG = "<(?=[A-Za-z/!?%])"
_TOKEN = re.compile(
    rf"(?P<code>`+)|(?P<slashes>\\+)|(?P<angle>{_TAG})|(?P<embed>!\[)"
    r"|(?P<link>\]\()|(?P<comment>%%+)"
)
_IN_CODE = re.compile(
    rf"(?P<tag>{_TAG})|(?P<embed>!(?=\[))|(?P<tex>\\(?={_TEX}))|(?P<comment>%(?=%))|(?P<link>\](?=\())"
    r"|(?P<run>`(?=\s*(?:\$?=|[A-Z][A-Za-z]*\[)))"
)
_RUN_FIRST = re.compile(r"\s*(?:\$?=|[A-Z]+\[)")
_ADDRESS = re.compile(r"<(?:https?://|mailto:)(?:(?!%%)[^\s<>`]){1,4000}>", re.IGNORECASE)
_DESTINATION = re.compile(r"\]\([ \t]*(<[^<>\n]{0,4000}>|[^\s)]{0,4000})")
_ANGLED_NOTE = re.compile(
    r"\]\([ \t]*<(?=[A-Za-z])([^\s:&\\!\[\]`<>%()]+(?: [^\s:&\\!\[\]`<>%()]+)*)>(?=[ \t)])"
)
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_NOTE_EMBED = re.compile(r"!\[\[([^\[\]<`%\\\n]{1,1000})\]\]")
_PICTURE = re.compile(
    r"!\[((?:[^\[\]\\\n]|\\.){0,500})\]\([ \t]*"
    r"(<[^<>\n]{0,4000}>|(?:[^\s()<>]|\([^\s()<>]{0,500}\)){0,4000})"
    r"""(?:[ \t]+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'|\([^()\n]{0,500}\)))?[ \t]*\)"""
)
_CITATION = re.compile(r"!\[(?=\d{1,3}(?:\s*[,;]\s*\d{1,3})*\](?![\[(:]))")
_OF_VAULT = re.compile(
    r"(?!/)(?:(?!//)[\w \-./+,()]|%20)+\.(?:avif|bmp|gif|jpe?g|png|svg|webp)", re.IGNORECASE
)
_MARKS = re.compile(r"[<>\[\]!`$\\%~]")
_DEFINITION = re.compile(
    r"([ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)*)\[(?=(?!\^)(?:[^\[\]\\\n]|\\.)+\]:)"
)
# What may make Obsidian pair the marks of inline code in another way than CommonMark does.
_UNSURE = re.compile(r"[$|]|\[\[|\]\(|\\`|%%")


def has_unsure_code(line: str) -> bool:
    """True if Obsidian may take other parts of a line for code than this reader does."""
    return "`" in line and (_UNSURE.search(line) is not None or not _are_paired(line))


def harmless_code(line: str) -> str:
    """A line, or a part of one, that may be code or text: harmless as either."""

    def mend(match: re.Match[str]) -> str:
        if match["link"] and _is_safe_link(line, match.start()):
            return match[0]
        return match[0] + UNSEEN

    return _IN_CODE.sub(mend, line)


def harmless_fenced(line: str) -> str:
    """A line that is code for every reader; programs that fill in templates read it too."""
    return line.replace("<%", f"<{UNSEEN}%")


def harmless_text(line: str, is_cited: IsCited, *, sure: bool) -> str:
    """A line of text. `sure`: inline code in it is code for every reader."""
    shown = _Line(line, is_cited, sure=sure).harmless()
    definition = _DEFINITION.match(shown)  # of an address elsewhere in the text, which it hides
    return f"{definition[1]}\\[{shown[definition.end() :]}" if definition else shown


class _Line:
    """One line, read from left to right."""

    def __init__(self, line: str, is_cited: IsCited, *, sure: bool) -> None:
        self._line = line
        self._is_cited = is_cited
        self._sure = sure
        # Four spaces may make code of a line, which would show an entity as it is written.
        self._less = f"<{UNSEEN}" if line.startswith(("    ", "\t")) else "&lt;"
        self._runs = _backticks(line) if "`" in line else {}
        self._at = 0
        self._parts: list[str] = []

    def harmless(self) -> str:
        read: Mapping[str, Callable[[], tuple[str, int]]] = {
            "code": self._code,
            "slashes": self._slashes,
            "angle": self._angle,
            "embed": self._embed,
            "link": self._link,
            "comment": self._comment,
        }
        while (token := _TOKEN.search(self._line, self._at)) is not None:
            self._parts.append(self._line[self._at : token.start()])
            self._at = token.start()
            text, self._at = read[str(token.lastgroup)]()
            self._parts.append(text)
        return "".join([*self._parts, self._line[self._at :]])

    def _code(self) -> tuple[str, int]:
        """Inline code; marks that end in another line are text, so that every reader agrees."""
        start = self._at
        end = start
        while self._line.startswith("`", end):
            end += 1
        marks = self._line[start:end]
        same = self._runs[len(marks)]
        following = bisect_left(same, end)
        if following == len(same):
            return marks.replace("`", "\\`"), end
        closing = same[following]
        inside = self._line[end:closing]
        inside = harmless_fenced(inside) if self._sure else harmless_code(inside)
        runs = UNSEEN if _RUN_FIRST.match(inside) else ""
        return f"{marks}{runs}{inside}{marks}", closing + len(marks)

    def _slashes(self) -> tuple[str, int]:
        """Backslashes: those of a harmful command go, the last of an odd number escapes a mark."""
        end = self._at
        while self._line.startswith("\\", end):
            end += 1
        slashes, following = self._line[self._at : end], self._line[end : end + 1]
        if _COMMAND.match(self._line, end) is not None:
            # What stood before it and what follows may not make a tag together.
            return (UNSEEN if self._line[: self._at].endswith("<") else ""), end
        if len(slashes) % 2 == 0 or following in {"", "%"}:
            return slashes, end
        if following == "<":
            return slashes[1:] + self._less, end + 1
        return slashes + following, end + 1

    def _angle(self) -> tuple[str, int]:
        address = _ADDRESS.match(self._line, self._at)
        if address is not None:
            return address[0], address.end()
        return self._less, self._at + 1

    def _link(self) -> tuple[str, int]:
        note = _ANGLED_NOTE.match(self._line, self._at)
        if note is not None:  # without its angles, which would begin a tag where this is no link
            return f"]({note[1].replace(' ', '%20')}", note.end()
        safe = _is_safe_link(self._line, self._at)
        return ("](" if safe else "]\\("), self._at + 2

    def _comment(self) -> tuple[str, int]:
        end = self._at
        while self._line.startswith("%", end):
            end += 1
        return UNSEEN.join(self._line[self._at : end]), end

    def _embed(self) -> tuple[str, int]:
        text, end = self._read_embed()
        # A mark before this one must not make a picture or other code of what is left.
        before, after = self._line[max(0, self._at - 1) : self._at], self._line[end : end + 1]
        text = f" {text}" if (before, text[:1]) in {("!", "["), ("`", "`")} else text
        return (f"{text} " if text.endswith("`") and after == "`" else text), end

    def _read_embed(self) -> tuple[str, int]:
        if _CITATION.match(self._line, self._at) is not None:
            return "! ", self._at + 1
        note = _NOTE_EMBED.match(self._line, self._at)
        if note is not None:
            target = re.split(r"[#^|]", note[1], maxsplit=1)[0].strip()
            stays = _OF_VAULT.fullmatch(target) is not None or self._is_cited(target)
            # Its last bracket is read again: it may be the end of a link's text.
            return (note[0] if stays else note[0][1:])[:-1], note.end() - 1
        picture = _PICTURE.match(self._line, self._at)
        if picture is not None:
            return _picture(picture[1], picture[2]), picture.end()
        return "!\\[", self._at + 2


def _picture(alt: str, destination: str) -> str:
    """A picture of the vault; another one as a link that shows its whole address."""
    place = destination.strip("<>").strip()
    alt = " ".join(_MARKS.sub("", alt).split())
    if _OF_VAULT.fullmatch(place) is not None:
        return f"![{alt}]({place.replace(' ', '%20')})"
    if _ADDRESS.fullmatch(f"<{place}>") is not None:
        shown = f"<{place}>"
    else:
        shown = harmless_code(f"`{UNSEEN}{place.replace('`', '')}`")
    return f"{alt} {shown}" if alt else shown


def _is_safe_link(line: str, at: int) -> bool:
    """True if the link whose text ends at `at` leads to a web page, a mail address or a note."""
    match = _DESTINATION.match(line, at)
    if match is None:
        return False
    place = match[1]
    if re.match(_TAG, place) and not _ADDRESS.fullmatch(place):
        return False  # its first angle is escaped
    if place.startswith("<") and place.endswith(">"):
        place = place[1:-1].strip()
    if _WEB.match(place):
        return True
    return bool(place) and not any(mark in place.replace("%20", "") for mark in ":&\\![]`<%")


def _are_paired(line: str) -> bool:
    """True if each run of backticks outside of inline code begins some."""
    runs = _backticks(line)
    at = 0
    for run in re.finditer("`+", line):
        if run.start() < at:
            continue
        same = runs[len(run[0])]
        following = bisect_left(same, run.end())
        if following == len(same):
            return False
        at = same[following] + 1
    return True


def _backticks(line: str) -> dict[int, list[int]]:
    """The places of the runs of backticks of each length."""
    runs: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", line):
        runs[len(run[0])].append(run.start())
    return runs
