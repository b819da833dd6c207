"""Measures on a corpus in BEIR's layout, whose documents are indexed as the notes of a vault.

A set has `corpus.jsonl`, with one JSON object per line, beside its queries and judgements. Every
malformed line is a UsageError that names file and line. A vault's folder is named by the hash of
the corpus file, so the same corpus is always the same vault and nothing is embedded twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.api.errors import UsageError
from notewell.features.evaluate.datasets import read_judged
from notewell.features.evaluate.json_lines import identifier_of, object_of, read_lines, text_of
from notewell.features.evaluate.report import EvalReport, System
from notewell.features.evaluate.run import SYSTEMS, OnProgress, OtherPrograms, measure

if TYPE_CHECKING:
    from notewell.engine.open_vaults import Vaults

# A longer id may contain words (ArguAna's name the topic), which as a file name would match
# queries that the text does not.
_PLAIN_ID = re.compile(r"[a-z0-9]{1,12}")
_LAYOUT = 1  # part of the folder's name: raise it when notes are written in another way


def run_corpus(
    vaults: Vaults,
    corpus_dir: Path,
    *,
    queries: Path,
    qrels: Path,
    work_dir: Path,
    drops: Path | None = None,
    systems: Sequence[System] = SYSTEMS,
    against: OtherPrograms | None = None,
    progress: OnProgress = None,
) -> EvalReport:
    """Measure on a folder in BEIR's layout, whose documents are indexed as notes in `work_dir`.

    Open `vaults` with `eval_settings`; otherwise the corpus is added to the user's vaults.
    Raises UsageError where a file is malformed.
    """
    name = corpus_dir.resolve().name
    judged = read_judged(name, queries, qrels, drops)
    corpus = write_vault(corpus_dir / "corpus.jsonl", work_dir)
    engine = vaults.open(vaults.add(corpus.folder, name=name), writable=True)
    engine.index_now(progress=progress)
    return measure(engine, judged, systems, documents=corpus.documents, against=against)


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document of a corpus."""

    id: str
    title: str
    text: str


def read_corpus(path: Path) -> Iterator[JudgedDocument]:
    """Read the documents of a `corpus.jsonl`, in order. Raises UsageError."""
    seen: set[str] = set()
    for where, line in read_lines(path):
        fields = object_of(where, line)
        document = JudgedDocument(
            id=identifier_of(where, fields),
            title=text_of(where, fields, "title", default=""),
            text=text_of(where, fields, "text"),
        )
        if document.id in seen:
            raise UsageError(f'{where}: the document "{document.id}" appears twice.')
        seen.add(document.id)
        yield document


@dataclass(frozen=True, slots=True)
class CorpusVault:
    """The folder of notes, and the document id of each note by its vault path."""

    folder: Path
    documents: Mapping[str, str]


def write_vault(corpus: Path, work_dir: Path) -> CorpusVault:
    """Write the documents of the file `corpus` as notes in `work_dir`, unless they exist.

    Raises UsageError on a malformed corpus, one with no documents, or a folder that cannot be
    written. An interrupted call leaves no half-written vault.
    """
    folder = work_dir / f"corpus-{_digest(corpus)}"
    documents = list(read_corpus(corpus))
    if not documents:
        raise UsageError(f"{corpus} has no documents.")
    names = _names(documents)
    if not folder.is_dir():
        try:
            _write_notes(folder, ((names[document.id], document) for document in documents))
        except OSError as error:
            raise UsageError(
                f"Cannot write the notes of {corpus} to {folder}: {error.strerror}. "
                "Free some space or choose another data directory."
            ) from error
    return CorpusVault(folder, {name: identifier for identifier, name in names.items()})


def note_name(document_id: str) -> str:
    """Return the file name of a document's note, valid and unique on every file system."""
    if _PLAIN_ID.fullmatch(document_id):
        return f"{document_id}.md"
    return f"{hashlib.blake2b(document_id.encode(), digest_size=8).hexdigest()}.md"


def note_text(document: JudgedDocument) -> str:
    """Return the Markdown of a document: its title as a property, then its text unchanged."""
    title = _one_line(document.title)
    if not title:
        # Without the empty line, dashes at the start would open a block of properties.
        return f"\n{document.text}\n" if document.text.startswith("---") else f"{document.text}\n"
    return f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n{document.text}\n"


def _names(documents: Iterable[JudgedDocument]) -> dict[str, str]:
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for document in documents:
        name = names[document.id] = note_name(document.id)
        other = taken.setdefault(name, document.id)
        if other != document.id:
            raise UsageError(
                f'The documents "{other}" and "{document.id}" get the same file name; rename one.'
            )
    return names


def _write_notes(folder: Path, notes: Iterable[tuple[str, JudgedDocument]]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=folder.parent))
    try:
        for name, document in notes:
            (unfinished / name).write_text(note_text(document), encoding="utf-8", newline="\n")
        os.replace(unfinished, folder)  # noqa: PTH105 - the same as Path.replace
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _digest(corpus: Path) -> str:
    try:
        with corpus.open("rb") as file:
            content = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8))
    except OSError as error:
        raise UsageError(f"Cannot read {corpus}: {error.strerror}. Check the path.") from error
    return f"{_LAYOUT}-{content.hexdigest()}"


def _one_line(title: str) -> str:
    """Remove line breaks and control characters, so that JSON and YAML quote the title alike."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in title).split())
