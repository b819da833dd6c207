"""Finds the names of notes in running text: whole words, the longest name first.

Words are runs of letters and digits. Chinese characters, Hiragana, and the letters of Thai, Lao,
Khmer and Myanmar are words of their own, since nothing divides words there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from urllib.parse import quote

from notewell.api.notes import link_name
from notewell.api.types import frozen
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.index.analyze import HAN, MARKS, SOUTH_EAST_ASIAN
from notewell.vault.regions import code_spans, find_drawing, find_regions

# What is no running text in a line, besides what `prose_of` hides: headings, links and images,
# addresses, tags, HTML, math, block ids, fields, templates.
_MARKUP = re.compile(
    r"^[ \t>]*#{1,6}[ \t].*"
    r"|^[ \t]*>[ \t>]*\[![^\[\]]*\].*"  # the title of a callout
    r"|!?\[\[[^\[\]]*\]\]"
    r"|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?"
    r"|<a\b[^<>]{0,1000}>.{0,300}?</a>"
    r"|<[^<>]{1,1000}>"
    r"|[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"`|]+|\bwww\.[^\s<>\"`|]+|[\w.+-]+@[\w-]+\.[\w.]+"
    r"|(?<!\S)\#\S+"
    r"|\$[^$]+\$"
    r"|(?<!\S)\^[A-Za-z0-9-]+[ \t]*$"
    r"|^[ \t>]*(?:[-*+][ \t]+)?[\w -]{1,60}::"
    r"|\{\{[^{}]*\}\}|<%.*?%>"
)
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-{2,})[ \t]*")  # makes a heading of the line above
_LONGEST_LINE = 10_000  # a longer one is data
_NOT_NEWLINE = re.compile(r"[^\n]")
HIDDEN = "\x00"
_PLURAL_FROM = 5  # letters; below, an s at the end makes another word
_ALONE = f"{HAN}{SOUTH_EAST_ASIAN}\u3041-\u309f"
WORD = re.compile(
    rf"[{_ALONE}][{MARKS}]*|[^\W{_ALONE}][^\W{_ALONE}{MARKS}]*(?:[{MARKS}]+[^\W{_ALONE}{MARKS}]*)*"
)
_IS_ALONE = re.compile(rf"[{_ALONE}]")
_SHORTEST = 3  # characters of a name that is looked for
_JOINS = "_-'\u2019"
_FEW_LETTERS = re.compile(r"[\d\W_]*[^\d\W_]?[\d\W_]*")
_UNLINKABLE = re.compile(r"[\[\]|#^\n]|%%")  # they end or divide a wikilink, or begin a comment
_TABLE_RULE = re.compile(
    r"^[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)+$", re.MULTILINE
)


def prose_of(note: NoteFacts, body: NoteBody) -> str:
    """The text of a note with properties, code, math, comments and links `HIDDEN`, or blank.

    Its length is the same. What is markup in a line is told by `is_markup`, for the few places
    where that matters.
    """
    text = body.text
    drawing = find_drawing(text, body.start) if "excalidraw-plugin" in note.properties else None
    until = len(text) if drawing is None else drawing.start
    regions = find_regions(text[:until], body.start)
    hidden = [(0, body.start), (until, len(text))]
    hidden += [(block.start, block.end) for block in regions.blocks]
    hidden += [(start, end) for start, end in code_spans(text, body.start).items()]
    hidden += [(link.start, link.end) for link, _ in note.links]
    # Comments are blanked out in the scanned text; a blank there is no text either.
    scanned = regions.text + text[until:]
    return _without(scanned, hidden)


def is_markup(text: str, start: int, end: int) -> bool:
    """True if [start, end), a part of one line, is in a heading, a link, a tag or other markup."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    if last - first > _LONGEST_LINE:
        return True
    below = text.find("\n", last + 1)
    if _UNDERLINE.fullmatch(text, last + 1, len(text) if below < 0 else below):
        return True
    return any(
        first + match.start() < end and start < first + match.end()
        for match in _MARKUP.finditer(text[first:last])
    )


def _without(text: str, hidden: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in sorted(hidden):
        if end > position:
            pieces += [
                text[position:start],
                _NOT_NEWLINE.sub(HIDDEN, text[max(start, position) : end]),
            ]
            position = end
    return "".join([*pieces, text[position:]])


def code_hidden(body: NoteBody) -> str:
    """The text of a note in which code and comments are `HIDDEN` or blank."""
    text = body.text
    regions = find_regions(text, body.start)
    hidden = [(block.start, block.end) for block in regions.blocks]
    hidden += [(start, end) for start, end in code_spans(text, body.start).items()]
    return _without(regions.text, hidden)


@lru_cache(maxsize=100_000)
def letters_of(name: str) -> str:
    """A name without case, accents, separators and a plural s."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if letter.isalnum() or _is_sign(letter))
    return letters.removesuffix("s") if len(letters) > _PLURAL_FROM else letters


def _is_sign(one: str) -> bool:
    """True for a mark that is a letter of its own, as a vowel sign of Hindi is, and no accent."""
    return one > "\u036f" and unicodedata.category(one)[0] == "M"


def slips(name: str) -> Iterator[str]:
    """The name, and all names that lack one of its letters.

    Two names that differ by one letter too many, missing or replaced, or by two neighbours
    exchanged, have one of these in common (Garbe 2012, "Symmetric Delete").
    """
    yield name
    for at in range(len(name)):
        yield name[:at] + name[at + 1 :]


def slipped_names(names: Iterable[str]) -> Mapping[str, set[str]]:
    """The names by what `slips` makes of them."""
    by_slip: dict[str, set[str]] = {}
    for name in names:
        for key in slips(name):
            by_slip.setdefault(key, set()).add(name)
    return by_slip


@frozen
class Mention:
    """A name at [start, end) of a text. `exact`: its letters have the same case."""

    name: str  # as `folded`
    start: int
    end: int
    exact: bool


@frozen
class _Name:
    written: str
    folded: str
    before: int  # characters of the name before its first word


def fold_name(name: str) -> str:
    """A name without case, by which it is looked for."""
    return unicodedata.normalize("NFC", name).casefold().strip()


def is_searchable(name: str) -> bool:
    """True if a name is long enough, and more than a number or a date.

    The shortest are names only in capitals: MOC is one, and Yes is a word of any sentence.
    """
    if _FEW_LETTERS.fullmatch(name) or len(name) < _SHORTEST:
        return False
    return len(name) > _SHORTEST or name == name.upper()


class NameFinder:
    """Finds any of many names in a text, in one pass over its words."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names` as people write them; one that is not searchable is left out."""
        # By the first two words, or the only one; a few names begin with the same two.
        self._by_words: dict[tuple[str, str], list[_Name]] = {}
        for written in dict.fromkeys(names):
            words = list(WORD.finditer(written))
            if words and is_searchable(written):
                second = words[1][0].casefold() if len(words) > 1 else ""
                key = (words[0][0].casefold(), second)
                self._by_words.setdefault(key, []).append(
                    _Name(written, fold_name(written), words[0].start())
                )
        for candidates in self._by_words.values():
            candidates.sort(key=lambda candidate: (-len(candidate.written), candidate.written))

    def find(self, text: str) -> Iterator[Mention]:
        """Yield the mentions in order; they do not overlap.

        Where a name ends in the beginning of another one that goes on, the other is meant.
        """
        position = 0
        words = [(word[0].casefold(), word.start()) for word in WORD.finditer(text)]
        words.append(("", len(text)))
        for at, (_, start) in enumerate(words[:-1]):
            mention = self._longest(text, words, at) if start >= position else None
            if mention is None or mention.start < position:
                continue
            if not self._goes_on(text, words, at, mention):
                position = mention.end
                yield mention

    def _longest(self, text: str, words: list[tuple[str, int]], at: int) -> Mention | None:
        """The longest name whose first word is that one."""
        (word, start), (after, _) = words[at : at + 2]
        names = (*self._by_words.get((word, after), ()), *self._by_words.get((word, ""), ()))
        longest = (_at(text, start - name.before, name) for name in names)
        return next((mention for mention in longest if mention is not None), None)

    def _goes_on(self, text: str, words: list[tuple[str, int]], at: int, mention: Mention) -> bool:
        """True if another name begins within a mention and ends behind it."""
        within = takewhile(lambda n: words[n][1] < mention.end, range(at + 1, len(words) - 1))
        others = (self._longest(text, words, n) for n in within)
        return any(other is not None and other.end > mention.end for other in others)


def _at(text: str, start: int, name: _Name) -> Mention | None:
    end = start + len(name.written)
    if start < 0:
        return None
    written = text[start:end]
    if written != name.written and written.casefold() != name.folded:
        return None
    if _is_joined(text, start) or _is_joined(text, end):
        return None
    return Mention(name.folded, start, end, written == name.written)


def _is_joined(text: str, at: int) -> bool:
    """True if a word goes on across an offset."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _IS_ALONE.match(before) or _IS_ALONE.match(after):
        return False
    if after in "-_":  # a hyphen or underscore joins words if one follows it
        return before.isalnum() and text[at + 1 : at + 2].isalnum()
    return after.isalnum() and (before.isalnum() or before in _JOINS)


def link_target(garden: Garden, target: str) -> str:
    """The shortest text by which Obsidian finds the note `target`.

    That is its file's name, if no other note has it, and else its path from the vault's folder.
    Obsidian looks for files alone: a link that says a title or an alias leads nowhere.
    """
    name = garden.notes[target].name
    return name if garden.names.files_named(name) == {target} else link_name(target)


def link_to(garden: Garden, target: str, shown: str, *, in_table: bool) -> str | None:
    """A link to `target` that reads `shown`, in the vault's way of writing links.

    None where the text or the name cannot be written in a link.
    """
    if _UNLINKABLE.search(shown):
        return None
    if garden.markdown_links:
        return f"[{shown}]({quote(target, safe='/')})"
    written = link_target(garden, target)
    if _UNLINKABLE.search(written):
        return None
    if unicodedata.normalize("NFC", shown).lower() == unicodedata.normalize("NFC", written).lower():
        return f"[[{shown}]]"
    return f"[[{written}{chr(92) if in_table else ''}|{shown}]]"


def property_link(garden: Garden, target: str) -> str:
    """A link in a property, which Obsidian reads as a wikilink alone."""
    return f"[[{link_target(garden, target)}]]"


def is_in_table(text: str, at: int) -> bool:
    """True if an offset is in a row of a table, where the sign between cells must be escaped."""
    line = text[text.rfind("\n", 0, at) + 1 : _end(text, "\n", at)]
    above, below = text.rfind("\n\n", 0, at) + 1, _end(text, "\n\n", at)
    return "|" in line and _TABLE_RULE.search(text, above, below) is not None


def _end(text: str, mark: str, at: int) -> int:
    end = text.find(mark, at)
    return len(text) if end < 0 else end
