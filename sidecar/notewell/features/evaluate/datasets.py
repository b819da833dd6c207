"""Reads judged sets from disk, and writes their documents as the notes of a vault.

A set has the files of BEIR: `corpus.jsonl` and `queries.jsonl` with one JSON object per line, and
qrels that are tab-separated, with or without a header line. A known-item set also has `drops.tsv`.
Every malformed line is a UsageError that names file and line, because figures over a part of a set
would be wrong. A vault's folder is named by the hash of the corpus file, so the same corpus is
always the same vault and nothing is embedded twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from notewell.api.errors import UsageError

Qrels = Mapping[str, Mapping[str, int]]  # query id → document id → grade
Drops = Mapping[str, frozenset[str]]  # query id → documents to remove from its ranking
# A longer id may contain words (ArguAna's name the topic), which as a file name would match
# queries that the text does not.
_PLAIN_ID = re.compile(r"[a-z0-9]{1,12}")
_LAYOUT = 1  # part of the folder's name: raise it when notes are written in another way


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document of a corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query. `kind` is its class (`metadata.type`), None where the set has no classes.

    `plain` (`metadata.plain`): operators such as `tag:` are read as words.
    """

    id: str
    text: str
    kind: str | None = None
    plain: bool = True


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Queries with their judgements, and by query the documents to remove from its ranking."""

    name: str
    queries: tuple[JudgedQuery, ...]
    qrels: Qrels
    drops: Drops = field(default_factory=dict)


def read_judged(name: str, queries: Path, qrels: Path, drops: Path | None = None) -> JudgedSet:
    """Read a judged set from its files. Raises UsageError."""
    return JudgedSet(
        name=name,
        queries=read_queries(queries),
        qrels=read_qrels(qrels),
        drops=read_drops(drops) if drops else {},
    )


def read_corpus(path: Path) -> Iterator[JudgedDocument]:
    """Read the documents of a `corpus.jsonl`, in order. Raises UsageError."""
    seen: set[str] = set()
    for where, line in _lines(path):
        fields = _object(where, line)
        document = JudgedDocument(
            id=_identifier(where, fields),
            title=_text(where, fields, "title", default=""),
            text=_text(where, fields, "text"),
        )
        if document.id in seen:
            raise UsageError(f'{where}: the document "{document.id}" appears twice.')
        seen.add(document.id)
        yield document


def read_queries(path: Path) -> tuple[JudgedQuery, ...]:
    """Read the queries of a `queries.jsonl`, in order. Raises UsageError."""
    queries: dict[str, JudgedQuery] = {}
    for where, line in _lines(path):
        fields = _object(where, line)
        metadata = _metadata(where, fields)
        query = JudgedQuery(
            id=_identifier(where, fields),
            text=_text(where, fields, "text"),
            kind=_kind(metadata),
            plain=metadata.get("plain") is not False,
        )
        if query.id in queries:
            raise UsageError(f'{where}: the query "{query.id}" appears twice.')
        queries[query.id] = query
    return tuple(queries.values())


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read the judgements of a qrels file: `query-id, corpus-id, score`. Raises UsageError."""
    qrels: dict[str, dict[str, int]] = {}
    for number, (where, line) in enumerate(_lines(path)):
        query, document, written = _columns(where, line, ("query-id", "corpus-id", "score"))
        grade = _grade(written)
        if grade is None:
            if number == 0:
                continue  # the header
            raise UsageError(f'{where}: the score must be a whole number, not "{written}".')
        if qrels.setdefault(query, {}).setdefault(document, grade) != grade:
            raise UsageError(f'{where}: "{document}" has two different scores for "{query}".')
    return qrels


def read_drops(path: Path) -> dict[str, frozenset[str]]:
    """Read the documents to remove from rankings: `query-id, corpus-id`. Raises UsageError."""
    drops: dict[str, set[str]] = {}
    for number, (where, line) in enumerate(_lines(path)):
        query, document = _columns(where, line, ("query-id", "corpus-id"))
        if number == 0 and query == "query-id":
            continue
        drops.setdefault(query, set()).add(document)
    return {query: frozenset(documents) for query, documents in drops.items()}


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines that are not blank, each after its `file:line` for messages."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{path}:{number}", line.rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text; convert it first.") from error


def _object(where: str, line: str) -> dict[str, object]:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{where}: not JSON ({error}).") from error
    if not isinstance(fields, dict):
        raise UsageError(f"{where}: one JSON object per line is expected.")
    return fields


def _identifier(where: str, fields: dict[str, object]) -> str:
    value = fields.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{where}: "_id" must be a string that is not empty.')
    return value


def _text(where: str, fields: dict[str, object], key: str, *, default: str | None = None) -> str:
    value = fields.get(key, default)
    if not isinstance(value, str):
        raise UsageError(f'{where}: "{key}" must be a string.')
    return value


def _metadata(where: str, fields: dict[str, object]) -> dict[str, object]:
    metadata = fields.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise UsageError(f'{where}: "metadata" must be an object.')
    return metadata


def _kind(metadata: dict[str, object]) -> str | None:
    kind = metadata.get("type")
    return kind if isinstance(kind, str) and kind else None


def _columns(where: str, line: str, names: tuple[str, ...]) -> list[str]:
    values = line.split("\t")
    if len(values) != len(names) or not all(values):
        raise UsageError(
            f"{where}: expected {len(names)} columns, separated by tabs ({', '.join(names)})."
        )
    return values


def _grade(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


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
