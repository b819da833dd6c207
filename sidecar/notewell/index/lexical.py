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

Template lines: lines that many notes of a vault share, such as footers, badges and captions. They
say what a note was made from, and not what it is about. So their words have no weight: they are not
in the frequencies and lengths of BM25, and neither in the coverage of a query. They are still
found: by phrases and conditions, and where a word stands nowhere else. Which lines these are
depends on the notes alone and not on their history, so that an index that was changed step by step
equals a new one.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Each
field is scored on its own, weighted, and the fields are summed, so that all engines rank alike.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, takewhile
from types import MappingProxyType
from zlib import crc32

import numpy as np
import numpy.typing as npt

from notewell.base.types import ChunkHits, IdArray, PropertyValue, StoredChunk
from notewell.index.analyze import streams
from notewell.vault.properties import link_words, properties_text, property_words

# A line is one of a template if a twentieth of the notes have it, and ten of them at least. Chosen
# on the development sets (docs/search.md).
_SHARE, _LEAST = 20, 10
_COARSE_BITS = 3
_MOST_STEPS = 20_000  # lines that may have changed before the arrays are made anew

LineHashes = npt.NDArray[np.uint32]  # different lines by hash, ascending
NO_LINES: LineHashes = np.empty(0, np.uint32)


def hash_of_line(line: str) -> int:
    """The number that stands for a line, whatever its case and spaces; 0 for an empty one."""
    return crc32(" ".join(line.split()).casefold().encode("utf-8"))


def line_hashes(texts: Iterable[str]) -> LineHashes:
    """The lines of some texts."""
    found = {hash_of_line(line) for text in texts for line in text.split("\n")}
    return np.array(sorted(found - {0}), np.uint32)


def divided(text: str, template: Collection[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The template lines of a text, and what is left between them, both in order."""
    left_out: list[str] = []
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if hash_of_line(line) in template:
            left_out.append(line)
            parts.append([])
        else:
            parts[-1].append(line)
    return tuple(left_out), tuple("\n".join(lines) for lines in parts if lines)


def is_template(text: str, template: Collection[int]) -> bool:
    """True if a text has no other lines than these."""
    return all(hash_of_line(line) in template for line in text.split("\n") if line.strip())


def least_notes(note_count: int) -> int:
    """The least number of notes that must have a line for it to be one of a template.

    The number of notes is rounded down to its highest three bits, so that a line near the limit is
    not taken in and out again by every few notes that are added.
    """
    low_bits = max(note_count.bit_length() - _COARSE_BITS, 0)
    return max(_LEAST, -(-(note_count >> low_bits << low_bits) // _SHARE))


def holders(
    lines: Collection[int], ids: Sequence[int] | IdArray, rows: Sequence[LineHashes]
) -> set[int]:
    """The notes that have any of the lines: `rows` are those of each of `ids`."""
    owners = np.repeat(np.asarray(ids, np.int64), [len(row) for row in rows])
    held = np.isin(np.concatenate([NO_LINES, *rows]), np.array(sorted(lines), np.uint32))
    return set(owners[held].tolist())


@dataclass(frozen=True, eq=False)
class LineCounts:
    """In how many notes each line is: `hashes` (n,) ascending, `counts` (n,); of `notes` notes.

    `steps` are what has changed since these arrays were made, by line: a saved note changes a few
    of millions. `common` caches the lines of the arrays that so many notes have at least.
    """

    hashes: LineHashes
    counts: npt.NDArray[np.int32]
    notes: int
    steps: Mapping[int, int] = field(default_factory=dict)
    common: dict[int, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[LineHashes]) -> LineCounts:
        hashes, counts = np.unique(np.concatenate([NO_LINES, *rows]), return_counts=True)
        return cls(hashes, counts.astype(np.int32), len(rows))

    def changed(self, *, old: Sequence[LineHashes], new: Sequence[LineHashes]) -> LineCounts:
        """The counts after notes with the lines `old` went, and notes with the lines `new` came."""
        steps = dict(self.steps)
        for rows, step in ((old, -1), (new, 1)):
            for line in chain.from_iterable(row.tolist() for row in rows):
                steps[line] = steps.get(line, 0) + step
        changed = replace(self, notes=self.notes - len(old) + len(new), steps=steps)
        return changed.merged() if len(steps) > _MOST_STEPS else changed

    def merged(self) -> LineCounts:
        """The same counts in arrays alone."""
        if not self.steps:
            return self
        touched, change = self._stepped()
        order = np.argsort(touched)
        touched, change = touched[order], change[order]
        at, known = self._places(touched)
        counts = np.array(self.counts)
        counts[at[known]] += change[known]
        hashes = np.insert(self.hashes, at[~known], touched[~known])
        counts = np.insert(counts, at[~known], change[~known])
        kept = counts > 0
        return LineCounts(hashes[kept], counts[kept], self.notes)

    @cached_property
    def template(self) -> frozenset[int]:
        least = least_notes(self.notes)
        common = self.common.get(least)
        if common is None:
            common = self.common[least] = frozenset(self.hashes[self.counts >= least].tolist())
        if not self.steps:
            return common
        touched, counts = self._stepped()
        at, known = self._places(touched)
        counts[known] += self.counts[at[known]]
        return common.difference(self.steps).union(touched[counts >= least].tolist())

    def _stepped(self) -> tuple[LineHashes, npt.NDArray[np.int32]]:
        """The lines that have changed, and by how much."""
        count = len(self.steps)
        changes = np.fromiter(self.steps.values(), np.int32, count)
        return np.fromiter(self.steps, np.uint32, count), changes

    def _places(self, lines: LineHashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """The places of lines in the arrays, or where they would be, and a mask of those there."""
        at = np.searchsorted(self.hashes, lines)
        known = np.zeros(len(lines), np.bool_)
        inside = at < len(self.hashes)
        known[inside] = self.hashes[at[inside]] == lines[inside]
        return at, known


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


def idf(found: int, among: int) -> float:
    """Inverse document frequency of a token that `found` of `among` documents contain."""
    return math.log1p((among - found + 0.5) / (found + 0.5))


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
        lines, parts = divided(self.text, template)
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
    found = property_words(properties)
    values = "\n".join(word for words in found.values() for word in words)
    if not chunks:
        chunks = (ChunkText(placeholder_id(note_id), (), values, of_properties=True),)
    elif len(chunks) == 1 and properties_text(properties).startswith(chunks[0].text):
        chunks = (replace(chunks[0], text=values, of_properties=True),)
    by_field: defaultdict[str, list[str]] = defaultdict(list)
    for name, words in found.items():
        by_field[_PROPERTY_FIELDS.get(name.lower(), "properties")] += map(link_words, words)
    fields = {name: tuple(words) for name, words in by_field.items()}
    return SearchText(note_id, path, title, aliases, tags, tuple(chunks), fields)


def note_documents(note: SearchText) -> list[tuple[int, dict[str, str]]]:
    """The documents of a note: chunk id, and the tokens of each field."""
    title = joined(*_repeated((note.title, *note.aliases)))
    tags = joined(*_repeated(note.tags))
    path = joined(note.path.removesuffix(".md"))
    documents: list[tuple[int, dict[str, str]]] = []
    for chunk in note.chunks:
        headings, body = joined(*chunk.own_headings), joined(*chunk.own_parts)
        fields = {
            "title": title,
            "headings": headings,
            "tags": tags,
            "path": path,
            "body": body,
            STEMS: f"{title} {tags} {headings} {body}",
            TEMPLATE: joined(*chunk.headings, chunk.text) if chunk.template else "",
        }
        documents.append((chunk.chunk_id, fields))
    return documents


def _repeated(texts: Sequence[str]) -> Sequence[str]:
    """The first of the texts that every passage repeats; the whole note has them all."""
    ends = accumulate(map(len, texts))
    return texts[: 1 + sum(1 for _ in takewhile(lambda end: end < _MOST_REPEATED, ends))]


def joined(*texts: str) -> str:
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


def padded(text: str, length: int) -> str:
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


FIELDS = (*PHRASE_FIELDS, STEMS)  # those that are scored
# Common words cost most and matter least. Of a word in every tenth chunk only the stem is searched;
# one in every second (idf below 0.7) is left out if there are rarer ones. Both make a query
# with stop words three times as fast, and move nDCG on the tuning sets by 0.002 at most.
_COMMON_SHARE, _EVERYWHERE_SHARE = 10, 2
_COMMON_LEAST = 1000  # chunks; below it nothing is slow
_BROADEST = frozenset((STEMS, TEMPLATE))  # fields in which a common word is searched as well


@dataclass(frozen=True, slots=True)
class Form:
    """The text to search in a field for a token, and its document frequency there.

    `correction`: a factor of its score, where the engine's own statistics are not exact.
    """

    field: str
    text: str
    count: int
    correction: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A form and what it counts in a query."""

    form: Form
    weight: float


def summed(terms: Sequence[QueryTerm]) -> dict[str, float]:
    """The weight of each token; one that comes twice counts for both."""
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.token] = weights.get(term.token, 0.0) + term.weight
    return weights


def field_factors(weights: FieldWeights) -> dict[str, float]:
    """The factor of a hit in each field."""
    return {name: float(getattr(weights, name)) for name in FIELDS}


def searched(
    tokens: Mapping[str, float],
    forms: Callable[[str], Sequence[Form]],
    fields: Mapping[str, float],
    documents: int,
) -> list[Clause]:
    """The clauses of a query among so many documents; none, if no field has any of its tokens.

    `tokens` with their weights; `forms` gives those of a token; `fields` what each field counts.
    """
    common = max(_COMMON_LEAST, documents // _COMMON_SHARE)
    everywhere = max(_COMMON_LEAST, documents // _EVERYWHERE_SHARE)
    selective: list[Clause] = []
    stop_words: list[Clause] = []
    for token, weight in tokens.items():
        for form in forms(token):
            boost = weight * fields[form.field] * form.correction
            if boost > 0 and form.count and (form.count <= common or form.field in _BROADEST):
                some = selective if form.count <= everywhere else stop_words
                some.append(Clause(form, boost))
    return selective or stop_words
