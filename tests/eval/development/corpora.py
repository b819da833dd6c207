"""Queries of the retrieval sets: claims, questions, and keywords for things.

The documents of a corpus are notes named by their ids (`notewell.features.evaluate.datasets`); queries name
them by these paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from notewell.features.evaluate.datasets import read_qrels, read_queries
from notewell_eval.corpora import JudgedDocument, note_name, read_corpus

from .query import DevQuery, draw
from .words import content, count_notes, plain, some

XQUAD_DEVELOPMENT = 120  # questions about the first so many paragraphs; the others are the test's


class Corpus:
    """A folder in BEIR's layout. `qrels` names its file of judgements."""

    def __init__(self, name: str, lang: str, folder: Path, qrels: str = "qrels.tsv") -> None:
        self.name = name
        self.lang = lang
        self.folder = folder
        self._qrels = qrels

    @cached_property
    def documents(self) -> Sequence[JudgedDocument]:
        """All documents, in order."""
        return list(read_corpus(self.folder / "corpus.jsonl"))

    @cached_property
    def counts(self) -> Counter[str]:
        """In how many documents each word occurs."""
        return count_notes(
            (f"{document.title} {document.text}" for document in self.documents), self.lang
        )

    def asked(self, kind: str, form: str) -> Iterator[DevQuery]:
        """Every query with a judgement, as it is."""
        judged = read_qrels(self.folder / self._qrels)
        for query in read_queries(self.folder / "queries.jsonl"):
            grades = judged.get(query.id, {})
            relevant = {note_name(doc): grade for doc, grade in grades.items() if grade > 0}
            if relevant:
                yield DevQuery(self.name, kind, form, self.lang, query.text, relevant)


def shortened(queries: Sequence[DevQuery], corpus: Corpus) -> Iterator[DevQuery]:
    """The two or three rarest words of each query that the corpus has, in order."""
    for query in queries:
        known = [word for word in content(query.text, corpus.lang) if corpus.counts[word]]
        size = 2 + draw(2, "size", query.text)
        rare = sorted(known, key=lambda word: (corpus.counts[word], word))[:size]
        if len(rare) >= 2:
            text = " ".join(word for word in known if word in rare)
            yield replace(query, kind="keywords", form=f"rarest {len(rare)}", text=text)


def titles(corpus: Corpus) -> Iterator[DevQuery]:
    """The title of each document that no other document has."""
    held = Counter(plain(document.title) for document in corpus.documents)
    for document in corpus.documents:
        if held[plain(document.title)] == 1 and content(document.title, corpus.lang):
            relevant = {note_name(document.id): 1}
            yield DevQuery(corpus.name, "name", "{}", corpus.lang, document.title.lower(), relevant)


def beginnings(corpus: Corpus) -> Iterator[DevQuery]:
    """Two to four words of the first sentence of each document, none of them in its title."""
    for document in corpus.documents:
        title = set(content(document.title, corpus.lang))
        first = document.text.split(". ")[0]
        found = [word for word in content(first, corpus.lang) if word not in title]
        picked = some(found, corpus.counts, key=document.id)
        if len(picked) >= 2:
            form, relevant = f"{len(picked)} words", {note_name(document.id): 1}
            text = " ".join(picked)
            yield DevQuery(corpus.name, "description", form, corpus.lang, text, relevant)


def is_development(paragraphs: Iterable[str]) -> bool:
    """Whether a question of XQuAD with these answers (`p17` or `p17.md`) is for development."""
    return all(int(Path(paragraph).stem[1:]) < XQUAD_DEVELOPMENT for paragraph in paragraphs)
