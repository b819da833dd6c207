"""Questions about a note by its name: "what is X", "how to use X"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .names import own_name
from .notes import Note, Notes
from .query import DevQuery, draw
from .words import content

KIND = "question"

FORMS = {
    "en": (
        "what is {}?",
        "how do i use {}",
        "what does {} do?",
        "where can i find something about {}",
        "how does {} work in obsidian?",
    ),
    "de": (
        "Was ist {}?",
        "Wie funktioniert {}?",
        "wo finde ich etwas über {}",
        "Was muss ich über {} wissen?",
    ),
    "ru": ("Что такое {}?", "как работает {}", "где найти информацию про {}", "как настроить {}?"),
    "zh": ("{}是什么？", "如何使用{}", "怎么设置{}？", "在哪里可以找到{}"),
    "ja": ("{}とは", "{}の使い方", "{}はどうやって設定しますか？", "{}について教えて"),
}


def questions(notes: Notes, among: Sequence[Note]) -> Iterator[DevQuery]:
    """One question for each note with a name of its own, of at most six words."""
    forms = FORMS[notes.lang]
    for note in among:
        name = own_name(notes, note)
        if name is None or len(content(name, notes.lang)) > 6:
            continue
        if notes.lang == "de" and name.split()[-1].endswith("en") and name.split()[-1].islower():
            form = "Wie kann ich {}?"
        else:
            form = forms[draw(len(forms), KIND, note.path)]
        asked = name if notes.lang == "de" else name.lower()
        yield DevQuery(notes.name, KIND, form, notes.lang, form.format(asked), {note.path: 1})
