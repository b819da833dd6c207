"""Keyword search as every engine does it: documents, their fields, and BM25.

A document is one chunk, or the placeholder of a note that has none. A field is a string of tokens
joined by spaces: the words in their order, with `STOP` between texts so that no phrase crosses,
and then the tokens that have no position of their own.

Placeholder: an empty note has no chunk, but every engine indexes one document for it: title,
aliases, tags, path, and the values of properties as body. The document's chunk id is derived from
the note's id, above the ids of real chunks.

Properties: a note of properties alone has a chunk that states them. Its keywords are their values:
their names are the same in many notes, and say what kind of value it is rather than what the note
is about.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Each
field is scored on its own, weighted, and the fields are summed, so that all engines rank alike.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile
from types import MappingProxyType

import numpy as np

from notewell.base.types import ChunkHits, PropertyValue, StoredChunk
from notewell.index.analyze import streams
from notewell.index.template_lines import LineHashes, divide_lines, hash_of_line, line_hashes
from notewell.vault.properties import link_words, properties_text, property_words

K1, B = 1.2, 0.75
EXACT_FIELDS = ("title", "headings", "tags", "path", "body")  # tokens as the analyzer gives them
STEMS = "stems"  # title, tags, headings and body together, each token reduced to its English stem
# The headings and the whole text of a passage with template lines, which the other fields lack: for
# phrases, and for words that stand nowhere else.
TEMPLATE = "template"
PHRASE_FIELDS = (*EXACT_FIELDS, TEMPLATE)
FIRST_PLACEHOLDER = 1 << 48  # ids of real chunks are below
# Properties that are fields of a whole note on their own, by their names in lower case.
_PROPERTY_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        name: field
        for field, names in {
            "description": ("description", "summary", "abstract", "excerpt"),
            "author": ("author", "authors", "creator", "creators"),
            "topics": ("topic", "topics", "subject", "subjects", "category", "categories"),
        }.items()
        for name in names
    }
)
# Characters of title and aliases, and of tags, in the document of each passage: what is more would
# grow with the product of names and passages.
_MOST_REPEATED = 4_000
STOP = "\u00a6"  # separates two texts; the analyzer never produces it


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A token of the query and how much it counts."""

    token: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """The weight of a word by the field in which it occurs.

    Chosen on SciFact's training queries and on links of two vaults (their display texts and the
    sentences around them) as queries. Titles, tags and paths repeat on every chunk of a note: with
    weights above 1 they outweigh what the passages say.
    """

    title: float = 0.5
    headings: float = 0.3
    tags: float = 0.5
    path: float = 0.2
    body: float = 0.3
    stems: float = 1.0
    template: float = 1.0


def idf(having: int, among: int) -> float:
    """Inverse document frequency of a token that `having` of `among` documents contain."""
    return math.log1p((among - having + 0.5) / (having + 0.5))


def no_hits() -> ChunkHits:
    """A search result without hits."""
    return ChunkHits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


def placeholder_id(note_id: int) -> int:
    """The id of the placeholder chunk of a note."""
    return FIRST_PLACEHOLDER + note_id


def placeholder(note_id: int) -> StoredChunk:
    """The placeholder chunk of a note: without text, at its first line."""
    return StoredChunk(
        id=placeholder_id(note_id),
        note_id=note_id,
        ordinal=0,
        headings=(),
        block=None,
        parent=None,
        start=0,
        end=0,
        text="",
        lines=(1,),
        text_hash=b"",
    )


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The parts of a chunk that become keywords.

    `inner` are headings that stand in the text as well, where small sections were joined.
    `of_properties`: its text is the values of the note's properties, or there is none. `template`
    are its template lines and headings (`notewell.index.lexical`), once they are marked;
    `parts` is then the rest of the text.
    """

    chunk_id: int
    headings: tuple[str, ...]
    text: str
    of_properties: bool = False
    template: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()

    def marked(self, template: Collection[int]) -> ChunkText:
        """The chunk with its template lines; values of properties are none."""
        if self.of_properties:
            return self
        lines, parts = divide_lines(self.text, template)
        headings = tuple(text for text in self.headings if hash_of_line(text) in template)
        if not (lines or headings):
            return self
        return replace(self, template=tuple(dict.fromkeys((*headings, *lines))), parts=parts)

    @property
    def own_parts(self) -> tuple[str, ...]:
        """Its text without template lines: what is left between them."""
        return self.parts if self.template else (self.text,)

    @property
    def own_headings(self) -> tuple[str, ...]:
        """Its headings without those that are template lines."""
        return tuple(text for text in self.headings if text not in self.template)

    @property
    def own_inner(self) -> tuple[str, ...]:
        """The headings within its text without those that are template lines."""
        return tuple(text for text in self.inner if text not in self.template)


@dataclass(frozen=True, slots=True)
class SearchText:
    """The parts of a note that become keywords.

    `properties`: the values of its properties, by field of the whole note
    (`notewell.index.note_terms`).
    """

    note_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    chunks: tuple[ChunkText, ...]  # at least one: a note without chunks has its placeholder
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def lines(self) -> LineHashes:
        """Its lines and headings, by hash; not the values of its properties."""
        texts = [chunk.text for chunk in self.chunks if not chunk.of_properties]
        headings = [text for chunk in self.chunks for text in chunk.headings]
        return line_hashes([*texts, *headings])

    def marked(self, template: Collection[int]) -> SearchText:
        """The note with its template lines, of which the vault's are given by hash."""
        if not template:
            return self
        return replace(self, chunks=tuple(chunk.marked(template) for chunk in self.chunks))


def note_text(
    note_id: int,
    path: str,
    *,
    title: str,
    aliases: tuple[str, ...],
    tags: tuple[str, ...],
    properties: Mapping[str, PropertyValue],
    chunks: Sequence[ChunkText],
) -> SearchText:
    """The keywords' parts of a note, whose `properties` are the body if it has no other text."""
    stated = property_words(properties)
    values = "\n".join(word for words in stated.values() for word in words)
    if not chunks:
        chunks = (ChunkText(placeholder_id(note_id), (), values, of_properties=True),)
    elif len(chunks) == 1 and properties_text(properties).startswith(chunks[0].text):
        chunks = (replace(chunks[0], text=values, of_properties=True),)
    by_field: defaultdict[str, list[str]] = defaultdict(list)
    for name, words in stated.items():
        by_field[_PROPERTY_FIELDS.get(name.lower(), "properties")] += map(link_words, words)
    fields = {name: tuple(words) for name, words in by_field.items()}
    return SearchText(note_id, path, title, aliases, tags, tuple(chunks), fields)


def note_documents(note: SearchText) -> list[tuple[int, dict[str, str]]]:
    """The documents of a note: chunk id, and the tokens of each field."""
    title = join_tokens(*_repeat((note.title, *note.aliases)))
    tags = join_tokens(*_repeat(note.tags))
    path = join_tokens(note.path.removesuffix(".md"))
    documents: list[tuple[int, dict[str, str]]] = []
    for chunk in note.chunks:
        headings, body = join_tokens(*chunk.own_headings), join_tokens(*chunk.own_parts)
        fields = {
            "title": title,
            "headings": headings,
            "tags": tags,
            "path": path,
            "body": body,
            STEMS: f"{title} {tags} {headings} {body}",
            TEMPLATE: join_tokens(*chunk.headings, chunk.text) if chunk.template else "",
        }
        documents.append((chunk.chunk_id, fields))
    return documents


def _repeat(texts: Sequence[str]) -> Sequence[str]:
    """The first of the texts that every passage repeats; the whole note has them all."""
    ends = accumulate(map(len, texts))
    return texts[: 1 + sum(1 for _ in takewhile(lambda end: end < _MOST_REPEATED, ends))]


def join_tokens(*texts: str) -> str:
    """Tokens of texts as one string: their words in order, then what has no place in it."""
    parts: list[str] = []
    extras: list[str] = []
    for text in texts:
        ordered, others = streams(text)
        parts += ordered
        parts.append(STOP)
        extras += others
    parts += extras
    return " ".join(parts).removesuffix(f" {STOP}")


def without_wholes(tokens: Sequence[str]) -> list[str]:
    """Tokens without those that merely repeat at least two before them, joined.

    The whole of a compound has no place of its own in a phrase.
    """
    kept: list[str] = []
    for token in tokens:
        text, at = "", len(kept)
        while at and len(text) < len(token):
            at -= 1
            text = kept[at] + text
        if text != token or len(kept) - at < 2:
            kept.append(token)
    return kept


def pad_tokens(text: str, length: int) -> str:
    """The tokens of a field, and separators until they are as many as `stored_length` says.

    Tantivy stores lengths in a byte, rounded down, and a merge that drops deleted documents adds up
    the rounded ones: without this, BM25's mean length would depend on what was merged when.
    """
    missing = length - len(text.split())
    return f"{text}{f' {STOP}' * missing}" if missing else text


def stored_length(length: int, *, at_most: bool = False) -> int:
    """The length rounded up, or down (`at_most`), to one that tantivy's byte stands for.

    Lucene's `SmallFloat`: up to 40 all; above, 24 and a number of four significant bits.
    """
    rest = length - 24
    if rest <= 16:
        return length
    step = 1 << (rest.bit_length() - 4)
    return 24 + (rest if at_most else rest + step - 1) // step * step
