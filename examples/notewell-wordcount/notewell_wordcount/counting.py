"""The request for the number of words, and its answer from the index."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from notewell.api import OpenFeature, OpenVault
from notewell.api.requests import Doc, Endpoint, Request, request_to
from notewell.api.types import MaxLen, frozen


@frozen
class WordsReply:
    """The words of all notes that were counted, and the path of the longest note."""

    vault: str
    notes: int
    words: int
    longest: str | None


@request_to(
    Endpoint("GET", "/api/words", "words", "Words of the notes", example={"folder": "Recipes"})
)
class WordsRequest(Request[WordsReply]):
    """The words of the notes in a folder, or of all notes."""

    folder: Annotated[str, MaxLen(1000), Doc("Only the notes in this folder")] = ""


REQUESTS = (WordsRequest,)


def open_feature(vault: OpenVault) -> OpenFeature:
    """What the feature does in one vault."""
    return OpenFeature(
        answers={WordsRequest: partial(count, vault)},
        events={"note_shown": lambda path: f"{words_of(vault, path):,} words"},
    )


def count(vault: OpenVault, request: WordsRequest) -> WordsReply:
    """Count the words of each note of the folder."""
    within = f"{request.folder.strip('/')}/" if request.folder else ""
    paths = [note.path for note in vault.index.all_notes() if note.path.startswith(within)]
    counts = {path: words_of(vault, path) for path in paths}
    longest = max(counts, key=lambda path: counts[path], default=None)
    return WordsReply(vault.record.name, len(counts), sum(counts.values()), longest)


def words_of(vault: OpenVault, path: str) -> int:
    """The words of one note, 0 for one that the index lacks."""
    note = vault.index.note_at(path)
    chunks = vault.index.chunks_of(note.id) if note is not None else ()
    return sum(len(chunk.text.split()) for chunk in chunks)
