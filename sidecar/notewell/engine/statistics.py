"""The vault in figures: sizes, months, folders, tags and types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median_low

from notewell.base.types import (
    StoredNote,
    VaultRecord,
)
from notewell.contract.fields import iso
from notewell.contract.manage import (
    ModelVectors,
    ModelWorkDone,
    MonthCount,
    NamedCount,
    SizedNote,
    Sizes,
    StatsReply,
)
from notewell.engine.ingest.embed import ModelWork, model_work
from notewell.index.port import IndexReader

_LARGEST = 10


def stats_reply(index: IndexReader, vault: VaultRecord, *, limit: int) -> StatsReply:
    """The figures of a vault, with at most `limit` names in each list."""
    notes, counts, kept = index.all_notes(), index.counts(), index.stats()
    return StatsReply(
        vault=vault.name,
        generation=counts.generation,
        notes=len(notes),
        chunks=counts.chunks,
        links=index.graph.edge_count,
        files=counts.ledger,
        sizes=_sizes(notes, kept.bytes_on_disk),
        types=_count_names((_types(note) for note in notes), limit),
        folders=_count_names(([_folder(note)] for note in notes), limit),
        tags=_count_names((_tags(note) for note in notes), limit),
        months=tuple(_months(notes)),
        models=tuple(
            ModelVectors(
                model=model.key.name,
                quantisation=model.key.quantisation,
                dimensions=model.dimensions,
                vectors=model.vectors,
                answering=model.answering,
            )
            for model in kept.models
        ),
        model_work=_work(model_work(index)),
    )


def _work(work: ModelWork) -> ModelWorkDone:
    return ModelWorkDone(
        work.embedded, work.reused, round(work.seconds, 1), round(work.saved_seconds, 1)
    )


def _sizes(notes: Sequence[StoredNote], on_disk: int) -> Sizes:
    largest = sorted(notes, key=lambda note: (-note.size, note.path))[:_LARGEST]
    return Sizes(
        notes=sum(note.size for note in notes),
        median_note=median_low([note.size for note in notes] or [0]),
        index=on_disk,
        largest=tuple(SizedNote(note.path, note.size) for note in largest),
    )


def _count_names(of_notes: Iterable[Iterable[str | None]], limit: int) -> tuple[NamedCount, ...]:
    counted = Counter(name for names in of_notes for name in names)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0] or ""))
    return tuple(NamedCount(name, count) for name, count in ordered[:limit])


def _types(note: StoredNote) -> set[str | None]:
    value = note.properties.get("type")
    values = value if isinstance(value, tuple) else (value,)
    return {text for part in values if (text := str(part or "").strip())} or {None}


def _folder(note: StoredNote) -> str | None:
    """The top-level folder of a note; None for a note outside any folder."""
    folder, _, name = note.path.partition("/")
    return folder if name else None


def _tags(note: StoredNote) -> set[str | None]:
    """Tags in their compared form, each with its parent tags."""
    unique: set[str | None] = set()
    for tag in note.tags:
        steps = tag.casefold().split("/")
        unique.update("/".join(steps[: depth + 1]) for depth in range(len(steps)))
    return unique


def _months(notes: Sequence[StoredNote]) -> Iterator[MonthCount]:
    created = Counter(filter(None, (_month(note.created) for note in notes)))
    modified = Counter(filter(None, (_month(note.modified) for note in notes)))
    for month in sorted(created.keys() | modified.keys()):
        yield MonthCount(month, created[month], modified[month])


def _month(at: float | None) -> str | None:
    text = iso(at)
    return text[:7] if text is not None else None
