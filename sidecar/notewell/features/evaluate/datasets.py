"""Reads judged sets from disk.

A set has the files of BEIR: `queries.jsonl` with one JSON object per line, and qrels that are
tab-separated, with or without a header line. A known-item set also has `drops.tsv`. Every malformed
line is a UsageError that names file and line, because figures over a part of a set would be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from notewell.api.errors import UsageError
from notewell.features.evaluate.json_lines import identifier_of, object_of, read_lines, text_of

Qrels = Mapping[str, Mapping[str, int]]  # query id → document id → grade
Drops = Mapping[str, frozenset[str]]  # query id → documents to remove from its ranking


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


def read_queries(path: Path) -> tuple[JudgedQuery, ...]:
    """Read the queries of a `queries.jsonl`, in order. Raises UsageError."""
    queries: dict[str, JudgedQuery] = {}
    for where, line in read_lines(path):
        fields = object_of(where, line)
        metadata = _metadata(where, fields)
        query = JudgedQuery(
            id=identifier_of(where, fields),
            text=text_of(where, fields, "text"),
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
    for number, (where, line) in enumerate(read_lines(path)):
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
    for number, (where, line) in enumerate(read_lines(path)):
        query, document = _columns(where, line, ("query-id", "corpus-id"))
        if number == 0 and query == "query-id":
            continue
        drops.setdefault(query, set()).add(document)
    return {query: frozenset(documents) for query, documents in drops.items()}


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
