"""Notes named "Untitled" or by a date alone whose heading says what they are about.

The suggestion sets the property `title`; the file keeps its name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from notewell.features.gardener.garden import Garden, NoteBody
from notewell.features.gardener.mentions import code_hidden
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView

NAME: GardenCheck = "untitled"
_CONFIDENCE = 0.9
_SHARE_OF_DATES = 0.5  # a folder with more notes named by dates is a journal
_FEW = 4  # notes with dates that make no journal
# What Obsidian calls new notes in its languages, and "New note" of other programs.
_UNTITLED = re.compile(
    r"(?:untitled|new note|unbenannt|sans titre|senza (?:titolo|nome)|sin título|sem título"
    r"|naamloos|bez názvu|bez tytułu|без названия|без назви|无标题|未命名|無題|제목 없음"
    r"|ملف بدون عنوان|namnlös|uten navn|uden titel|nimetön)(?:[ _-]*\(?\d+\)?)?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:19|20)\d{2}[-._ ]?[01]\d[-._ ]?[0-3]\d"
    r"(?:[-._ T]*[0-2]\d[-.:_ ]?[0-5]\d(?:[-.:_ ]?[0-5]\d)?)?"
)
_HEADING = re.compile(r"^ {0,3}#[ \t]+(?P<text>[^\n]*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]|!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_MARKS = re.compile(r"[*`]|==|~~|(?<!\w)_|_(?!\w)|\^[A-Za-z0-9-]+$|(?<!\S)#\S+")
_LONGEST = 120


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest a title for each note that has none."""
    journals = _journals(garden)
    for note in garden.tended_notes():
        dated = _DATE.fullmatch(note.name) is not None
        if not dated and _UNTITLED.fullmatch(note.name) is None:
            continue
        if note.title != note.name or garden.is_daily(note) or (dated and note.folder in journals):
            continue
        body = garden.read(note.path)
        heading = None if body is None else title_of(body)
        if heading is not None:
            title, line = heading
            yield suggestion(
                NAME,
                note.path,
                f"{note.name}: “{title}”",
                f"The note is called {note.name}; the heading in line {line} says “{title}”.",
                _CONFIDENCE,
                edits=(SuggestedEdit(note.path, note.hash, set={"title": title}),),
                subject=title,
            )


def _journals(garden: Garden) -> frozenset[str]:
    """The folders where notes are named by dates on purpose."""
    dated: dict[str, list[bool]] = defaultdict(list)
    for note in garden.notes.values():
        dated[note.folder].append(_DATE.fullmatch(note.name) is not None)
    return frozenset(
        folder
        for folder, journals in dated.items()
        if sum(journals) >= _FEW and sum(journals) > _SHARE_OF_DATES * len(journals)
    )


def title_of(body: NoteBody) -> tuple[str, int] | None:
    """The text of the heading that titles a note, without markup, and its line.

    That is the only one of the first level, before all text; None if there is none, or if it says
    nothing. Other headings are of parts of a note.
    """
    hidden = code_hidden(body)
    headings = list(_HEADING.finditer(hidden, body.start))
    if len(headings) != 1 or hidden[body.start : headings[0].start()].strip():
        return None
    heading = headings[0]
    written = body.text[heading.start("text") : heading.end("text")]
    shown = _LINK.sub(lambda link: link[1] or link[2] or "", written)
    title = " ".join(_MARKS.sub("", shown).split())
    nothing = len(title) < 3 or _DATE.fullmatch(title) or _UNTITLED.fullmatch(title)
    if nothing or len(title) > _LONGEST:
        return None
    return title, body.line_at(heading.start())
