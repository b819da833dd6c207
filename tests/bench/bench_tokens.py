"""How often the right passage is in a budget of 1k, 2k or 4k tokens, against whole notes.

Needs the judged queries of the shared data (NOTEWELL_TEST_DATA, or shared/data beside the
repository). Both methods take the notes in the order of the same search, without the notes that a
query was taken from, and count with the same tokenizer. Ours is `notewell context`; the other sends
whole notes one after the other and cuts the last one at the end of the budget.

For a query that names a heading, the right passage counts as sent when half of the words under that
heading are; for others, when half of the words of the right note's best passage are. SciFact's
documents are short: there the whole document is the passage. A sample of its queries is measured,
in the whole corpus.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import orjson
import repository  # noqa: F401 - so that `tests` can be imported
from figures import Figure, options, write

from notewell.base.config import load_settings
from notewell.base.types import Settings
from notewell.contract.context import ContextRequest
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.context.service import Assembler, NoteTexts
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet, read_judged
from notewell.vault.chunk import fit_words
from notewell_eval.corpora import write_vault
from tests.unpacking import unpacked

BUDGETS = (1000, 2000, 4000)
WAYS = ("whole notes", "context", "context, filled")
FOUND = 20  # notes that are looked at
QUICK_QUERIES = 60
SCIFACT_QUERIES = 100  # of 300: each is searched nine times
QUICK_DOCUMENTS = 300
HALF = 0.5
_WORD = re.compile(r"\w+")
OF_NOTES = (
    "recall and mean tokens; the ratio is that of tokens. Queries are links of other notes, whose"
    " words stand in the passage more often than a person's would; half of its words count as it"
)
OF_ABSTRACTS = (
    "recall and mean tokens; the ratio is that of tokens. The passage is the whole abstract, about"
    " 300 tokens, of which half must be there: whole documents are the right size here, so this is"
    " what cutting costs where nothing needs to be cut"
)


@dataclass(frozen=True)
class Set:
    """A judged set, the folder of its vault, and the note of each document."""

    judged: JudgedSet
    vault: Path
    notes: Mapping[str, str]  # document id → path
    headings: Mapping[str, Sequence[str]]  # query id → headings of the right passage
    queries: int | None  # how many are asked, evenly spread; None is all
    whole: bool  # the whole document is the passage
    note: str  # how its figures may be read


@dataclass
class Score:
    """The result of one method under one budget."""

    asked: int = 0
    hits: int = 0
    tokens: int = 0

    def add(self, hit: bool, tokens: int) -> None:
        self.asked += 1
        self.hits += hit
        self.tokens += tokens

    @property
    def recall(self) -> float:
        return self.hits / max(self.asked, 1)

    def __str__(self) -> str:
        return f"{self.recall:.3f} with {self.tokens / max(self.asked, 1):,.0f} tokens"


def main() -> None:
    """Measure each set under each budget."""
    chosen = options(__doc__ or "")
    figures: list[Figure] = []
    details: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        settings = replace(load_settings(environ=os.environ), data_dir=work / "data")
        for texts in sets(work, quick=chosen.quick):
            scores = measure(texts, settings)
            name = texts.judged.name
            for budget in BUDGETS:
                whole, ours, filled = (scores[way, budget] for way in WAYS)
                shown = f"{ours}; filled {filled}"
                figures.append(
                    Figure(
                        f"right passage within {budget:,} tokens, {name}",
                        "",
                        f"whole notes: {whole}",
                        shown,
                        ours.tokens / whole.tokens,
                        texts.note if budget == BUDGETS[0] else "",  # the same for each
                    )
                )
            details[name] = {
                f"{way}, {budget}": {"recall": score.recall, "tokens": score.tokens / score.asked}
                for (way, budget), score in scores.items()
            }
    write(chosen.json, figures, details)


def sets(work: Path, *, quick: bool) -> Iterator[Set]:
    """The sets that exist in the shared data."""
    known = unpacked("known-obsidian-help-en", work)
    vault = unpacked("vault-obsidian-help-en", work)
    if known is not None and vault is not None:
        judged = read(known, "known-obsidian-help-en")
        notes = {path: path for graded in judged.qrels.values() for path in graded}
        asked = QUICK_QUERIES if quick else None
        yield Set(judged, vault, notes, headings(known / "queries.jsonl"), asked, False, OF_NOTES)
    scifact = unpacked("ir-scifact", work)
    if scifact is not None:
        judged = read(scifact, "scifact")
        file = few(scifact / "corpus.jsonl", judged) if quick else scifact / "corpus.jsonl"
        corpus = write_vault(file, work)
        notes = {document: path for path, document in corpus.documents.items()}
        asked = QUICK_QUERIES if quick else SCIFACT_QUERIES
        yield Set(judged, corpus.folder, notes, {}, asked, True, OF_ABSTRACTS)


def few(corpus: Path, judged: JudgedSet) -> Path:
    """A corpus of the judged documents and a few others; easier than the whole corpus."""
    wanted = {document for graded in judged.qrels.values() for document in graded}
    lines = corpus.read_bytes().splitlines()
    kept = [
        line
        for n, line in enumerate(lines)
        if n < QUICK_DOCUMENTS or orjson.loads(line)["_id"] in wanted
    ]
    smaller = corpus.with_name("few.jsonl")
    smaller.write_bytes(b"\n".join(kept))
    return smaller


def read(folder: Path, name: str) -> JudgedSet:
    drops = folder / "drops.tsv"
    return read_judged(
        name, folder / "queries.jsonl", folder / "qrels.tsv", drops if drops.exists() else None
    )


def headings(file: Path) -> dict[str, Sequence[str]]:
    """The headings that the link of each query names, by query id; empty where it names none."""
    lines = (orjson.loads(line) for line in file.read_bytes().splitlines())
    return {line["_id"]: line["metadata"].get("heading") or () for line in lines}


def measure(one: Set, settings: Settings) -> dict[tuple[str, int], Score]:
    """Run the judged queries of a set with every method and every budget."""
    scores = {(way, budget): Score() for budget in BUDGETS for way in WAYS}
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(one.vault), writable=True)
        engine.index_now()
        asked = [query for query in one.judged.queries if query.id in one.judged.qrels]
        for query in asked[:: max(1, len(asked) // (one.queries or len(asked)))]:
            trial = Trial(engine, one, query)
            for (way, budget), score in scores.items():
                text = trial.text(way, budget)
                score.add(trial.is_right(text), engine.tokens(text))
    return scores


class Trial:
    """One query: the text that is sent for it, and whether the right passage is in it."""

    def __init__(self, engine: Engine, one: Set, query: JudgedQuery) -> None:
        self._engine = engine
        self._query = query
        self._whole = one.whole
        self._drops = one.judged.drops.get(query.id, frozenset())
        self._texts = NoteTexts(engine.vault.index, engine.vault.source)
        self._assembler = Assembler(replace(engine.vault, ask=self._search))
        graded = one.judged.qrels[query.id]
        right = [one.notes[document] for document, grade in graded.items() if grade > 0]
        wanted = one.headings.get(query.id, ())
        self._passages = [words for path in right for words in self._right(path, wanted)]

    def text(self, way: str, budget: int) -> str:
        """The text that is sent."""
        if way == "whole notes":
            return self._whole_notes(budget)
        question = ContextRequest(
            self._query.text, budget_tokens=budget, plain=True, fill=way == "context, filled"
        )
        return self._assembler.assemble(question).text

    def is_right(self, text: str) -> bool:
        """Whether half of the word pairs of a right passage are in `text`."""
        sent = set(_pairs(text))
        return any(
            sum(pair in sent for pair in passage) >= HALF * len(passage)
            for passage in self._passages
        )

    def _right(self, path: str, wanted: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
        """The passages that count as right, each as its pairs of neighbouring words."""
        note = self._engine.vault.index.note_at(path)
        chunks = self._engine.vault.index.chunks_of(note.id) if note is not None else ()
        if self._whole:
            yield list(_pairs("\n".join(chunk.text for chunk in chunks)))
            return
        under = [chunk for chunk in chunks if set(chunk.headings) & set(wanted)]
        for chunk in under or chunks:
            if pairs := list(_pairs(chunk.text)):
                yield pairs

    def _search(self, request: SearchRequest) -> SearchReply:
        """Search with defaults, without the notes that the query was taken from."""
        more = replace(request, limit=request.limit + len(self._drops))
        found = self._engine.search(more)
        kept = tuple(result for result in found.results if result.path not in self._drops)
        return replace(found, results=kept[: request.limit])

    def _whole_notes(self, budget: int) -> str:
        count, sent, left = self._engine.tokens, [], budget
        request = SearchRequest(self._query.text, limit=FOUND, plain=True)
        for result in self._search(request).results:
            text = f"{result.title} ({result.path})\n{self._full(result)}"
            tokens = count(text)
            if tokens > left:
                sent.append(fit_words(text, count, left)[0])
                break
            sent.append(text)
            left -= tokens
        return "\n\n".join(sent)

    def _full(self, result: Result) -> str:
        note = self._engine.vault.index.note_at(result.path)
        return (self._texts.full(note) if note is not None else None) or ""


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of neighbouring words; a single word is paired with an empty one."""
    words = _WORD.findall(text.casefold())
    yield from zip(words, words[1:] or [""], strict=False)


if __name__ == "__main__":
    main()
