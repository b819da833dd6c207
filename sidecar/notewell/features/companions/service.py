"""Finds the notes that answer a question together with its best result.

A question such as "which plugins has the speaker of the showcase made" needs two notes: the first
says who spoke, and links a second one that says what this person made. So where the passage that
fits best leaves a part of the question unsaid, the question without the words of its title and
heading is searched again, among the notes that the first one links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from notewell.api import OpenFeature, OpenVault
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.api.text import find_note, sentences_of
from notewell.api.vault import IndexReader, Link, StoredChunk, StoredNote
from notewell.contract.companions import Companion, CompanionsReply, CompanionsRequest
from notewell.search.query.question_words import QuestionWords, stems_of

# The least share of a question's words, by idf, that its best passage leaves unsaid.
_UNSAID = 0.15
_MOST_LINKS = 100  # of the first note, those nearest to its passage


def open_feature(vault: OpenVault) -> OpenFeature:
    """Answer for one vault."""
    return OpenFeature(answers={CompanionsRequest: partial(find_companions, vault)})


def find_companions(vault: OpenVault, request: CompanionsRequest) -> CompanionsReply:
    """The best result of a question, and the notes it links that say the rest."""
    within = (find_note(vault.index, request.path).path,) if request.path is not None else ()
    reply = _search(vault, request.q, 1, within)
    first = next(iter(reply.results), None)
    note = vault.index.note_at(first.path) if first is not None and request.q.strip() else None
    if first is None or note is None:
        return CompanionsReply(request.q, vault.record.name, None, "", (), reply.warnings)
    rest = _rest_of(request.q, first, note, vault.index)
    links = _links_of(note, first.line, vault.index) if rest else {}
    results = _search(vault, rest, request.limit, tuple(links)).results if links else ()
    chunks = vault.index.chunks_of(note.id) if results else ()
    return CompanionsReply(
        query=request.q,
        vault=vault.record.name,
        first=first,
        rest=rest,
        companions=tuple(
            Companion(result, link.line, _line_of(link, note, chunks))
            for result in results
            if (link := links.get(result.path)) is not None
        ),
        warnings=reply.warnings,
    )


def _search(vault: OpenVault, text: str, limit: int, within: Sequence[str]) -> SearchReply:
    reply: SearchReply = vault.ask(
        SearchRequest(
            text,
            limit=limit,
            plain=True,
            weak=bool(within),  # linked notes fit for the link; others for what they say
            everything=bool(within),
            paths=tuple(within),
            passages=0,
        )
    )
    return reply


def _rest_of(text: str, first: Result, note: StoredNote, index: IndexReader) -> str:
    """The question without what the first note's title and heading say; "" where little is left.

    What the passage says in other words is known to the model, and stays in the question: it names
    what the second note is about.
    """
    question = QuestionWords(text, index.keywords)
    named = stems_of(f"{first.title} {first.heading or ''}")
    passages = (chunk for chunk in index.chunks_of(note.id) if first.line in chunk.lines)
    passage = next(passages, None)
    said = named | stems_of(passage.text if passage is not None else first.snippet)
    return question.without(named) if 1 - question.share(said) >= _UNSAID else ""


def _links_of(note: StoredNote, line: int, index: IndexReader) -> Mapping[str, Link]:
    """The notes that a note links by path, each with its link that is nearest to a line."""
    nearest: dict[int, Link] = {}
    for link, linked in sorted(
        index.graph.links_out(note.id), key=lambda pair: abs(pair[0].line - line)
    ):
        if linked is not None and linked != note.id and len(nearest) < _MOST_LINKS:
            nearest.setdefault(linked, link)
    paths = index.paths(list(nearest))
    return {paths[linked]: link for linked, link in nearest.items() if linked in paths}


def _line_of(link: Link, note: StoredNote, chunks: Sequence[StoredChunk]) -> str:
    """The line that a link is in, without a list marker; of a property, its name and the target."""
    for chunk in chunks:
        if link.line in chunk.lines:
            rows = chunk.text.split("\n")
            row = rows[min(chunk.lines.index(link.line), len(rows) - 1)].strip()
            sentences = sentences_of(row, shortest=1)
            return row[sentences[0][0] :] if sentences else row
    name = link.display or link.target
    for key, value in note.properties.items():
        if link.target in str(value):
            return f"{key}: {name}"
    return name
