"""Notes made of a few words, indexes in temporary folders, and meaningful vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import Chunk, FloatArray, Link, ModelKey, Note, NotePut, VectorPut
from notewell.index.analyze import tokens
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.note_terms import NoteTermsFile
from notewell.index.lexical import QueryTerm

DIMENSIONS = 8


def text_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


class Material:
    """Makes what an index is fed."""

    model = ModelKey("tiny", "f" * 64, "int8")
    other_model = ModelKey("other", "e" * 64, "fp32")
    dimensions = DIMENSIONS

    def note(
        self,
        path: str,
        *texts: str,
        title: str | None = None,
        aliases: Sequence[str] = (),
        tags: Sequence[str] = (),
        links: Sequence[str] = (),
        headings: Sequence[str] = (),
        modified: float = 1.0,
        header: str = "",
    ) -> NotePut:
        chunks = []
        at = 0
        for ordinal, text in enumerate(texts):
            embedded = f"{header}\n{text}" if header else text
            chunks.append(
                Chunk(
                    ordinal=ordinal,
                    headings=tuple(headings),
                    block=None,
                    parent=None,
                    start=at,
                    end=at + len(text),
                    text=text,
                    lines=(ordinal + 1,),
                    header=header,
                    text_hash=text_hash(embedded),
                )
            )
            at += len(text) + 1
        name = path.rpartition("/")[2].removesuffix(".md")
        note = Note(
            path=path,
            title=name if title is None else title,
            aliases=tuple(aliases),
            tags=tuple(tags),
            properties={"status": "draft", "nested": {"list": (1, 2.5, None, True)}},
            description=None,
            created=None,
            modified=modified,
            headings=(),
            links=tuple(
                Link(target, None, None, None, embed=False, kind="wikilink", line=1, start=0, end=9)
                for target in links
            ),
            spans=(),
        )
        return NotePut(note, tuple(chunks), at, int(modified), text_hash("\n".join(texts)))

    def vector(self, hashed: bytes) -> FloatArray:
        """A unit vector that depends on the text alone."""
        seed = int.from_bytes(hashed[:8], "big")
        made = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
        return made / np.float32(np.linalg.norm(made))

    def embed(self, index: EmbeddedIndex, model: ModelKey | None = None, limit: int = 1000) -> int:
        """Keep a vector for every text that waits for one; returns how many."""
        model = model or self.model
        pending = index.pending_texts(model, limit)
        index.store_vectors(
            model, [VectorPut(each.text_hash, self.vector(each.text_hash)) for each in pending]
        )
        return len(pending)


def found(index: EmbeddedIndex, query: str, limit: int = 10) -> list[str]:
    """Texts of the chunks a keyword search finds, best first."""
    hits = index.keywords.search([QueryTerm(token) for token in tokens(query)], limit=limit)
    chunks = index.chunks(hits.chunk_ids.tolist())
    return [chunks[chunk_id].text for chunk_id in hits.chunk_ids.tolist()]


@pytest.fixture
def make() -> Material:
    return Material()


@pytest.fixture(autouse=True)
def _no_file_stays_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Many tests drop an index as a killed process does; what it opened is closed after them."""
    opened: list[NoteTermsFile] = []
    begin = NoteTermsFile.__init__

    def remember(file: NoteTermsFile, path: Path | None) -> None:
        opened.append(file)
        begin(file, path)

    monkeypatch.setattr(NoteTermsFile, "__init__", remember)
    yield
    for file in opened:
        file.close()


@pytest.fixture
def search() -> Callable[..., list[str]]:
    return found


@pytest.fixture
def index(tmp_path: Path, make: Material) -> Iterator[EmbeddedIndex]:
    """An empty, writable index with the tiny model in use."""
    opened = EmbeddedIndex.open(tmp_path / "index", writable=True)
    opened.use_model(make.model, make.dimensions)
    yield opened
    opened.close()
