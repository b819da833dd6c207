"""Reads inline markup: the visible text of a block, and its links, tags and fields.

One scan handles markup that can contain other markup (code, links, tags, HTML, math); emphasis is
removed afterwards with a few substitutions. No pattern backtracks over more than a line, and none
twice over the same characters.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Sequence
from urllib.parse import unquote

from notewell.base.types import NOTE_TYPES, Link, PropertyValue
from notewell.vault.properties import TAG_CHARS, field_value
from notewell.vault.regions import code_spans

# What markup needs. All alternatives are literals: the search then skips by character set.
_PLAIN = re.compile(r"\\|`|\[|<|\$|#|\*|_|=|~|&|://|::")
# Where a token may begin.
_MARK = re.compile(r"\\|`|\[|<|\$|#|://")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_TICKS = re.compile(r"`+")
_WIKILINK = re.compile(r"\[\[([^\[\]\n]++(?:\](?!\])[^\[\]\n]*+|\[[^\[\]\n]*+\][^\[\]\n]*+)*)\]\]")
_LINK = re.compile(
    r"\[(?P<label>[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)*)\]"
    r"(?:\([ \t]*+(?P<url><[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*)"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)|\[[^\[\]\n]*+\])"
)
# Pictures of a project's state (build, version, downloads): their text says nothing of the note.
_BADGE = re.compile(
    r"<?https?://(?:[\w.-]*\b(?:shields\.io|badgen\.net|badge\.fury\.io|badges\.gitter\.im)/"
    r"|[^\s?#]*/badges?(?:/|\.svg|\.png|[?#]|>?$))",
    re.IGNORECASE,
)
# The line that the Excalidraw plugin puts on top of every drawing.
_DRAWING_NOTICE = re.compile(r"^[ \t=]*+\u26a0[^\n]*?EXCALIDRAW VIEW[^\n]*+", re.MULTILINE)
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,100}\]")
_AUTOLINK = re.compile(r"<((?:https?|obsidian|mailto|file|ftp):[^<>\s]++)>")
_HTML_TAG = re.compile(r"</?([A-Za-z][\w:-]*+)(?:\s[^<>]*+|/)?>")
_MATH = re.compile(r"\$\$([^$]++)\$\$|\$(?![\s$])([^$\n]++)(?<!\s)\$(?!\d)")
_URL_REST = re.compile(r"://[^\s<>\[\]\"`|]++")
_TAG = re.compile(rf"#(?<!\S#)({TAG_CHARS}++)")
REFERENCE = re.compile(r"^[ \t>]*+\[(?!\^)[^\]\n]++\]:[ \t]*+\S[^\n]*+", re.MULTILINE)
_FIELD_LINE = re.compile(
    r"^[ \t>]*+(?>(?:[-*+]|\d{1,9}[.)])[ \t]++(?>\[.\][ \t]++|)|)[*_]{0,3}"
    r"(?P<key>[^\s:\[\]()|`>#*_<][^:\[\]()|`\n*<]{0,60}?)[*_]{0,3}::(?=[ \t]|$)"
    r"[*_]{0,3}(?P<value>[^\n]*+)$",
    re.MULTILINE,
)
_FIELD_BRACKET = re.compile(
    r"[\[(](?P<key>[^\s:\[\]()|`][^:\[\]()|`\n]{0,60})::[ \t]*+"
    r"(?P<value>[^\[\]()\n]*+(?:\[\[[^\[\]\n]*+\]\][^\[\]()\n]*+)*)[\])]"
)
# A literal first, then the look behind it: the search skips to the literal.
_EMPHASIS = (
    ("***", re.compile(r"\*\*\*(?![\s*])([^*\n]++)(?<!\s)\*\*\*")),
    ("*", re.compile(r"\*(?<![\w*]\*)(?![\s*])([^*\n]++)(?<!\s)\*(?![\w*])")),
    ("**", re.compile(r"\*\*(?![\s*])([^*\n]++)(?<!\s)\*\*")),
    ("_", re.compile(r"_(?<!\w_)_{0,2}+(?!\s)([^_\n]++)(?<!\s)_{1,3}(?!\w)")),
    ("~~", re.compile(r"~~(?![\s~])([^~\n]++)(?<!\s)~~")),
    ("==", re.compile(r"==(?![\s=])([^=\n]++)(?<!\s)==")),
)
_EMPHASIS_MARK = re.compile(r"[*_]|~~|==")
# Characters that emphasis is made of stand as Unicode noncharacters while they are no emphasis.
_SHIELD = str.maketrans("*_~=&", "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4")
_UNSHIELD = str.maketrans("\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4", "*_~=&")
_SHIELDED = re.compile("[\ufdd0-\ufdd4]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
# Endings of files that people link beside notes. What ends otherwise is the name of a note.
_ENDINGS = (
    "avif bmp gif heic ico jpeg jpg png psd svg tif tiff webp xcf ai eps 3gp aac flac m4a mid "
    "mp3 oga ogg opus wav wma avi mkv mov mp4 mpg ogv webm wmv srt vtt base canvas csv doc "
    "docx epub key mobi numbers odp ods odt pages pdf ppt pptx rtf tsv txt xls xlsx 7z bz2 "
    "dmg gz iso rar tar tgz xz zip apk deb exe jar msi pkg rpm whl bat bib c cc cfg conf cpp "
    "cs css db dll go h hpp html htm ini ipynb java js json jsx kt less log lua mjs php pl "
    "plist properties ps1 py r rb rs scala scss sh sql sqlite swift tex toml ts tsx vue xhtml "
    "xml yaml yml eml ics md markdown mdx rst org adoc excalidraw drawio torrent "
)
_OTHER_FILES = frozenset(_ENDINGS.split())
_BREAKING_TAG = re.compile(r"(?:br|p|div|li|t[rdh]|d[td]|hr|h[1-6])\Z", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_GAP = re.compile(r"[ \t](?<=\S[ \t])[ \t]++")
_NOT_NEWLINE = re.compile(r"[^\n]")
_MAX_NESTING = 3

Token = tuple[str, int]  # what is seen of it, and the offset behind it


class InlineScanner:
    """Cleans the blocks of one note and collects their links, tags and fields in source order.

    `line_starts` are the offsets at which the note's lines begin, `types` the endings of files
    that are notes.
    """

    def __init__(self, line_starts: Sequence[int], types: tuple[str, ...] = NOTE_TYPES) -> None:
        self._types = types
        self._starts = line_starts
        self.links: list[Link] = []
        self.tags: dict[str, str] = {}
        self.fields: list[tuple[str, PropertyValue]] = []

    def clean(self, source: str, offset: int) -> str:
        """Return the visible text of `source`, which begins at `offset`; newlines are preserved."""
        if not _PLAIN.search(source) and "EXCALIDRAW VIEW" not in source:
            return _close_gaps(source)
        if "::" in source:
            self._gather_fields(source)
        if "EXCALIDRAW VIEW" in source:
            source = _DRAWING_NOTICE.sub(_blank, source)
        if "]:" in source:
            source = REFERENCE.sub(_blank, source)
        return _finish(self._tokens(source, offset, 0))

    def gather(self, source: str, offset: int) -> None:
        """Record the links and tags of a text that is not shown, such as a comment."""
        self._tokens(source, offset, 0)

    def gather_wikilinks(self, source: str, offset: int, *, embed: bool = False) -> None:
        """Record the wikilinks of a text that is not visible itself, such as properties."""
        for match in _WIKILINK.finditer(source):
            self._wikilink(match, offset, embed=embed)

    def _tokens(self, source: str, offset: int, depth: int) -> str:
        """Replace every token of `source` by its visible text."""
        out: list[str] = []
        position = 0
        code = code_spans(source) if "`" in source else {}
        while match := _MARK.search(source, position):
            start = match.start()
            mark = source[start]
            begin = start
            if mark == "[":
                if start > position and source[start - 1] == "!":
                    begin -= 1
                token = self._bracket(source, start, offset, depth)
            elif mark == "`":
                token = _code(source, start, code)
            elif mark == "#":
                token = self._tag(source, start)
            else:
                token = _simple(source, start, mark)
            if token is None:
                out.append(source[position : start + 1])
                position = start + 1
            else:
                out.append(source[position:begin])
                seen, position = token
                out.append(seen)
        out.append(source[position:])
        return "".join(out)

    def _tag(self, source: str, start: int) -> Token | None:
        match = _TAG.match(source, start)
        if match is None:
            return None
        name = match[1].strip("/")
        if name and not name.isdecimal():
            self.tags.setdefault(name.casefold(), name)
        return match[0].translate(_SHIELD), match.end()

    def _bracket(self, source: str, start: int, offset: int, depth: int) -> Token | None:
        embed = start > 0 and source[start - 1] == "!"
        if source.startswith("[[", start):
            match = _WIKILINK.match(source, start)
            if match:
                return self._wikilink(match, offset, embed=embed), match.end()
        match = _LINK.match(source, start)
        if match:
            label = match["label"]
            if depth < _MAX_NESTING and _MARK.search(label):
                label = self._tokens(label, offset + match.start("label"), depth + 1)
            if embed and match["url"] and _BADGE.match(match["url"]):
                return "", match.end()
            if match["url"]:
                self._markdown_link(match, offset, label, embed=embed)
            return label, match.end()
        match = _FOOTNOTE_MARK.match(source, start)
        return ("", match.end()) if match else None

    def _wikilink(self, match: re.Match[str], offset: int, *, embed: bool) -> str:
        """Record `[[target#heading|display]]` and return its visible text."""
        address, bar, display = match[1].partition("|")
        target, heading, block = split_address(address.removesuffix("\\"))
        shown: str | None = display.strip() if bar else None
        start, end = offset + match.start(), offset + match.end()
        if embed and match.string[match.start() - 1 : match.start()] == "!":
            start -= 1
        line = self._line(start)
        self.links.append(
            Link(target, shown or None, heading, block, embed, "wikilink", line, start, end)
        )
        if embed:
            # The size of an image is no text; the name of an embedded note is.
            return shown if shown and not shown.replace("x", "").isdecimal() else target
        return shown or " > ".join(filter(None, (target, heading))) or (block or "")

    def _markdown_link(self, match: re.Match[str], offset: int, label: str, *, embed: bool) -> None:
        """Record `[label](path.md#heading)` if it leads to a note of this vault."""
        address = match["url"].strip("<>")
        if _SCHEME.match(address):
            return
        target, heading, block = split_address(unquote(address))
        if not (target or heading or block):
            return
        if _is_other_file(target) and not target.lower().endswith(self._types):
            return
        start, end = offset + match.start() - embed, offset + match.end()
        line = self._line(start)
        self.links.append(
            Link(target, label or None, heading, block, embed, "markdown", line, start, end)
        )

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _gather_fields(self, source: str) -> None:
        kept: list[str] = []
        position = 0
        for start, end in code_spans(source).items():
            kept += (source[position:start], _NOT_NEWLINE.sub(" ", source[start:end]))
            position = end
        bare = "".join((*kept, source[position:]))
        for match in _FIELD_LINE.finditer(bare):
            self.fields.append((match["key"].strip(), field_value(match["value"])))
        for match in _FIELD_BRACKET.finditer(bare):
            self.fields.append((match["key"].strip(), field_value(match["value"])))


def _is_other_file(target: str) -> bool:
    """True if a target ends as a file that is no note: a name may have a dot, as `Dr.Smith`."""
    return target.rpartition("/")[2].rpartition(".")[2].lower() in _OTHER_FILES


def split_address(address: str) -> tuple[str, str | None, str | None]:
    """Cut `note#heading` or `note#^block` into its parts, white space around them dropped."""
    target, mark, rest = address.partition("#")
    rest = rest.strip()
    if not mark or not rest:
        return target.strip(), None, None
    if rest.startswith("^"):
        return target.strip(), None, rest[1:] or None
    return target.strip(), rest, None


def _code(source: str, start: int, spans: dict[int, int]) -> Token:
    run = _TICKS.match(source, start)
    opened = run.end() if run else start + 1
    end = spans.get(start)
    if end is None:
        return source[start:opened], opened
    code = source[opened : end - (opened - start)]
    return (code.strip(" ") or code).translate(_SHIELD), end


def _simple(source: str, start: int, mark: str) -> Token | None:
    """Read an escape, a piece of HTML, math, or the rest of a URL."""
    if mark == "\\":
        escaped = source[start + 1 : start + 2]
        return (escaped.translate(_SHIELD), start + 2) if escaped in _ESCAPABLE else None
    if mark == "<":
        return _html(source, start)
    pattern = _MATH if mark == "$" else _URL_REST
    match = pattern.match(source, start)
    if match is None:
        return None
    seen = match[1] or match[2] if mark == "$" else match[0]
    return seen.translate(_SHIELD), match.end()


def _html(source: str, start: int) -> Token | None:
    if match := _AUTOLINK.match(source, start):
        return match[1].translate(_SHIELD), match.end()
    match = _HTML_TAG.match(source, start)
    if match is None:
        return None
    gap = "\n" * match[0].count("\n")
    return gap or (" " if _BREAKING_TAG.match(match[1]) else ""), match.end()


def _finish(text: str) -> str:
    """Remove emphasis, resolve entities and collapse spaces."""
    if _EMPHASIS_MARK.search(text):
        for mark, pattern in _EMPHASIS:
            if mark in text:
                text = pattern.sub(r"\1", text)
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    text = _close_gaps(text)
    return text.translate(_UNSHIELD) if _SHIELDED.search(text) else text


def _close_gaps(text: str) -> str:
    """Collapse repeated spaces, except indentation."""
    return _GAP.sub(" ", text) if "  " in text or "\t" in text else text


def _entity(match: re.Match[str]) -> str:
    seen = html.unescape(match[0])
    return " " if seen.isspace() else seen


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
